# SPDX-License-Identifier: Apache-2.0
"""Generates what knows the pins of the chips, from hw/format/chips.yaml: tables in C++, and models and checkers for
SystemVerilog testbenches (tlm/dpi)."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycast_cli.generate import formats
from polycast_cli.generate.chips import (
    CPP_COLUMNS,
    NOTE,
    Chip,
    Declaration,
    declared,
    derived_of,
    load,
    parameters_of,
)
from polycast_cli.generate.formats import COLUMNS, sentence, sv_comment

HEADER = Path("hw/chips/chip_pins.h")
CPP = Path("hw/chips/chip_pins.cpp")
FOLDER = Path("tlm/dpi/sv")
#: Pins of every chip that are no part of the vectors: the calls are the clock and the reset.
CLOCKS = {"clk_i", "rst_ni"}


@dataclass(frozen=True)
class Pin:
    """A pin of a top; `number` and `bits` are expressions of the RTL, and empty where they are 1."""

    name: str
    number: str
    bits: str
    doc: str

    @property
    def width(self) -> str:
        return "*".join(part for part in (self.number, self.bits) if part) or "1"


def pins(chip: Chip, description: dict[str, Any]) -> list[Pin]:
    """In the order of the top's ports."""
    found: list[Pin] = []
    for group in chip.entry["pins"]:
        for pin in description["pins"][group]:
            if (pin.get("vcs") and not chip.entry.get("vcs")) or pin["name"] in chip.entry.get("without", ()):
                continue
            number = {"port": chip.entry["ports"], "entry": chip.entry["entries"]}.get(pin.get("each", ""), "")
            doc = chip.entry.get("pin_docs", {}).get(pin["name"], pin["doc"])
            found.append(Pin(pin["name"], str(number), str(pin.get("bits", "")), doc))
    return found


def constants(root: Path) -> dict[str, str]:
    """Numbers of the package that expressions may name."""
    text = formats.render(root)[formats.SV]
    return dict(re.findall(r"localparam int unsigned (\w+) = (\d+);", text))


def with_numbers(expression: str, numbers: dict[str, str]) -> str:
    return re.sub(r"polycast_pkg::(\w+)", lambda found: numbers[found[1]], expression)


def width_text(pin: Pin, numbers: dict[str, str]) -> str:
    """The width as it stands in SystemVerilog that does not know the package; a number where it is one."""
    text = with_numbers(pin.width, numbers)
    return str(math.prod(int(factor) for factor in text.split("*"))) if re.fullmatch(r"[\d*]+", text) else text


def span_text(pin: Pin, numbers: dict[str, str]) -> str:
    width = width_text(pin, numbers)
    return "" if width == "1" else f"[{int(width) - 1 if width.isdecimal() else f'{width}-1'}:0]"


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


# C++ ------------------------------------------------------------------------------------------------------------


def cpp_expression(expression: str, chip: Chip, numbers: dict[str, str]) -> str:
    names = {p.verilog: f"p.{p.member}" for p in chip.parameters}
    names |= {derived["verilog"]: snake(derived["verilog"]) for derived in chip.entry["derived"]}
    text = re.sub(r"\b[A-Z]\w*", lambda found: names[found[0]], with_numbers(expression, numbers))
    return re.sub(r"(?<=[\w)])\s*([*/])\s*(?=[\w(])", r" \1 ", text)


def needed(chip: Chip, shown: list[Pin]) -> list[dict[str, Any]]:
    """Derived values that pins, or other needed ones, name."""
    text = " ".join(pin.width for pin in shown)
    found: list[dict[str, Any]] = []
    for derived in reversed(chip.entry["derived"]):
        if re.search(rf"\b{derived['verilog']}\b", text):
            found.insert(0, derived)
            text += " ".join(derived["value"])
    return found


def cpp_table(chip: Chip, description: dict[str, Any], numbers: dict[str, str]) -> list[str]:
    shown = [pin for pin in pins(chip, description) if pin.name not in CLOCKS]
    lines = [f"std::vector<chip_pin> pins_of(const {chip.struct}& p) {{"]
    for derived in needed(chip, shown):
        value = cpp_expression(" ".join(derived["value"]), chip, numbers)
        text = f"const unsigned {snake(derived['verilog'])} = {value};"
        lines += textwrap.wrap(text, CPP_COLUMNS, initial_indent="    ", subsequent_indent=" " * 8)
    lines.append("    return {")
    for pin in shown:
        number, bits = (cpp_expression(part or "1", chip, numbers) for part in (pin.number, pin.bits))
        lines.append(f'        {{"{pin.name}", {number}, {bits}}},')
    return [*lines, "    };", "}", ""]


def cpp_header(chips: list[Chip]) -> str:
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"/// \\file Pins of the chips, {NOTE}; do not edit.",
            "#pragma once",
            "",
            "#include <string_view>",
            "#include <vector>",
            "",
            '#include "hw/chips/chip_params.h"',
            "",
            "namespace polycast::hw::chips {",
            "",
            "/// A port of a top in rtl/: fields of so many bits, the first in the lowest bits. Inputs end in `_i`.",
            "struct chip_pin {",
            "    std::string_view name;",
            "    unsigned number = 1;  ///< ports, or virtual channels of ports, or 1",
            "    unsigned bits = 1;",
            "};",
            "",
            "/// In the order of the top's ports, without clock and reset.",
            *(f"std::vector<chip_pin> pins_of(const {chip.struct}& p);" for chip in chips),
            "",
            "}  // namespace polycast::hw::chips",
            "",
        ]
    )


def cpp(chips: list[Chip], description: dict[str, Any], numbers: dict[str, str]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Pins of the chips, {NOTE}; do not edit.",
        f'#include "{HEADER}"',
        "",
        "namespace polycast::hw::chips {",
        "",
    ]
    for chip in chips:
        lines += cpp_table(chip, description, numbers)
    return "\n".join([*lines, "}  // namespace polycast::hw::chips", ""])


# SystemVerilog ---------------------------------------------------------------------------------------------------


def declarations(chip: Chip, numbers: dict[str, str]) -> list[Declaration]:
    """Parameters of the top and what follows from them, with the numbers of the package in place of their names."""
    return [
        (kind, name, [with_numbers(line, numbers) for line in value], doc)
        for kind, name, value, doc in parameters_of(chip) + derived_of(chip)
    ]


def width_of(shown: list[Pin], numbers: dict[str, str]) -> list[str]:
    """The sum of their widths, in lines."""
    text = " + ".join(width_text(pin, numbers) for pin in shown)
    lines = textwrap.wrap(text, COLUMNS - 10, break_long_words=False, break_on_hyphens=False)
    # An operator ends a line.
    for index in range(1, len(lines)):
        if lines[index].startswith("+ "):
            lines[index] = lines[index][2:]
            lines[index - 1] += " +"
    return lines


def directions(chip: Chip, description: dict[str, Any]) -> tuple[list[Pin], list[Pin]]:
    shown = [pin for pin in pins(chip, description) if pin.name not in CLOCKS]
    return [p for p in shown if p.name.endswith("_i")], [p for p in shown if p.name.endswith("_o")]


def struct(name: str, doc: str, shown: list[Pin], numbers: dict[str, str]) -> list[str]:
    lines = [*sv_comment(doc, "    "), "    typedef struct packed {"]
    for pin in reversed(shown):
        lines += [*sv_comment(sentence(pin.doc), "      "), f"      bit {span_text(pin, numbers)} {pin.name};"]
    return [*(line.replace("bit  ", "bit ") for line in lines), f"    }} {name};"]


def json_of(chip: Chip, indent: str) -> list[str]:
    """The parameters' values as JSON, an argument of $sformatf over several lines."""
    pieces = [f'\\"{p.verilog}\\": %0d' for p in chip.parameters]
    lines: list[str] = []
    while pieces:
        text = pieces.pop(0)
        while pieces and len(text) + len(pieces[0]) + len(indent) < COLUMNS - 8:
            text += ", " + pieces.pop(0)
        lines.append(text)
    joined = [f'{indent}"{line}, ",' for line in lines[:-1]] + [f'{indent}"{lines[-1]}"']
    values = textwrap.wrap(", ".join(p.verilog for p in chip.parameters), COLUMNS - len(indent) - 2)
    return [
        f'{indent[:-4]}return $sformatf({{"{{",',
        *joined[:-1],
        joined[-1] + ', "}"},',
        *(indent + line for line in values[:-1]),
        f"{indent}{values[-1]});",
    ]


def model(chip: Chip, description: dict[str, Any], numbers: dict[str, str]) -> str:
    inputs, outputs = directions(chip, description)
    name = f"polycast_{chip.name}_model"
    subject = chip.entry["doc"]
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {sentence(NOTE)[:-1]}; do not edit.",
        "// A part of polycast_dpi_pkg.",
        "",
        f"/// The model of {subject}: {chip.entry['page']} is its contract.",
        f"class {name} #(",
        *declared(declarations(chip, numbers)),
        ") extends polycast_model;",
        "",
    ]
    body = [
        *assigned("    localparam int unsigned InputBits", width_of(inputs, numbers)),
        *assigned("    localparam int unsigned OutputBits", width_of(outputs, numbers)),
        "",
        *struct("inputs_t", "The input pins, the first in the lowest bits.", inputs, numbers),
        *struct("outputs_t", "The output pins, likewise.", outputs, numbers),
        "",
        "    static function string parameters();",
        *json_of(chip, " " * 10),
        "    endfunction",
        "",
        "    /// `tables`: JSON, or the path of a file with it, or empty.",
        '    function new(string name, string tables = "");',
        f'      super.new("{chip.name}", name, parameters(), tables);',
        "    endfunction",
        "",
        "    /// The clock edge at the end of a cycle with these input pins.",
        "    function int step(inputs_t pins);",
        "      bit [InputBits-1:0] bits = pins;",
        "      for (int unsigned first = 0; first < InputBits; first += ChunkBits) begin",
        "        int status = polycast_dpi_put_inputs(handle, InputBits, first, chunk_t'(bits >> first));",
        "        if (status != Ok) return status;",
        "      end",
        "      return polycast_dpi_step(handle);",
        "    endfunction",
        "",
        "    /// The model's output pins in the present cycle.",
        "    function outputs_t outputs();",
        "      bit [OutputBits-1:0] bits = '0;",
        "      for (int unsigned first = 0; first < OutputBits; first += ChunkBits) begin",
        "        chunk_t chunk;",
        "        if (polycast_dpi_get_outputs(handle, OutputBits, first, chunk) != Ok) return '0;",
        "        bits |= OutputBits'(chunk) << first;",
        "      end",
        "      return bits;",
        "    endfunction",
        "",
        "    /// Compares the output pins of a device in the present cycle with the model's, before step().",
        "    function int compare(outputs_t pins, bit probes = 1'b0);",
        "      bit [OutputBits-1:0] bits = pins;",
        "      for (int unsigned first = 0; first < OutputBits; first += ChunkBits) begin",
        "        int status = polycast_dpi_put_device(handle, OutputBits, first, chunk_t'(bits >> first));",
        "        if (status != Ok) return status;",
        "      end",
        "      return polycast_dpi_compare(handle, int'(probes));",
        "    endfunction",
        "",
    ]
    return "\n".join([*lines, *(line.removeprefix("  ") for line in body), "endclass", ""])


def assigned(name: str, value: list[str]) -> list[str]:
    return [f"{name} =", *(f"        {line}" for line in value[:-1]), f"        {value[-1]};"]


def checker(chip: Chip, description: dict[str, Any], numbers: dict[str, str]) -> str:
    inputs, outputs = directions(chip, description)
    own: list[Declaration] = [
        ("string", "Name", [f'"{chip.name}"'], sv_comment("What messages call the device; its path is added.")),
        (
            "string",
            "Tables",
            ['""'],
            sv_comment("JSON, or a file with it; empty: registers are written at pins."),
        ),
        ("bit", "Probes", ["1'b0"], sv_comment("The pins `probe_*` are compared, too.")),
    ]
    shown = pins(chip, description)
    spans = [span_text(pin, numbers) for pin in shown]
    column = max(len(span) for span in spans)
    ports: list[str] = []
    for index, (pin, span) in enumerate(zip(shown, spans, strict=True)):
        comma = "," if index != len(shown) - 1 else ""
        ports += [*sv_comment(sentence(pin.doc)), f"  input wire logic {span:<{column}} {pin.name}{comma}"]
    parameters = ",\n".join(f"    .{p.verilog}({p.verilog})" for p in chip.parameters)
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {sentence(NOTE)[:-1]}; do not edit.",
        "",
        *textwrap.wrap(
            f"A passive checker of {chip.entry['doc']}. The model gets the pins of the device; the first difference is "
            "an error that names cycle, pin, packet and field. tlm/dpi/README.md says how to bind it.",
            COLUMNS,
            initial_indent="/// ",
            subsequent_indent="/// ",
        ),
        f"module polycast_{chip.name}_checker #(",
        *declared(declarations(chip, numbers) + own),
        ") (",
        *ports,
        ");",
        "",
        f"  typedef polycast_dpi_pkg::polycast_{chip.name}_model #(",
        parameters,
        "  ) model_t;",
        "",
        *vector("inputs", inputs, numbers),
        *vector("outputs", outputs, numbers),
        "",
        "  polycast_dpi_pkg::polycast_watch watch;",
        "  model_t model;",
        "",
        "  initial begin",
        '    model = new($sformatf("%s %m", Name), Tables);',
        "    watch = new(model);",
        "  end",
        "",
        "  // The pins of a cycle are those before the edge that ends it.",
        "  always @(posedge clk_i) begin",
        "    if (watch != null) begin",
        "      if (rst_ni) begin",
        "        if (watch.on()) watch.see(model.compare(outputs, Probes));",
        "        if (watch.on()) watch.check(model.step(inputs));",
        "      end else if (cfg_valid_i && watch.on()) begin",
        "        watch.check(model.write(cfg_addr_i, cfg_data_i));",
        "      end",
        "    end",
        "  end",
        "  always @(negedge rst_ni) if (watch != null && watch.on()) watch.check(model.reset());",
        "",
        "  final if (watch != null) watch.finish();",
        "",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def vector(name: str, shown: list[Pin], numbers: dict[str, str]) -> list[str]:
    """A vector of pins, the first in the lowest bits."""
    width = width_of(shown, numbers)
    parts = textwrap.wrap(", ".join(pin.name for pin in reversed(shown)), COLUMNS - 6)
    total = f"{name.capitalize()[:-1]}Bits"
    return [
        f"  localparam int unsigned {total} =",
        *(f"      {line}" for line in width[:-1]),
        f"      {width[-1]};",
        f"  wire logic [{total}-1:0] {name} = {{",
        *(f"      {line}" for line in parts),
        "  };",
    ]


def bind_macros(chips: list[Chip]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {sentence(NOTE)[:-1]}; do not edit.",
        "// Macros that bind a checker to every instance of a module with the parameters and pins of a",
        "// chip: the module, and the tables, as the checker's parameter has them.",
    ]
    for chip in chips:
        values = textwrap.wrap(
            ", ".join(f".{p.verilog}({p.verilog})" for p in chip.parameters), COLUMNS - 10, break_on_hyphens=False
        )
        lines += [
            "",
            f"`define POLYCAST_BIND_{chip.name.upper()}(Device, TablesOfIt) \\",
            f"  bind Device polycast_{chip.name}_checker #( \\",
            *(f"      {line} \\" for line in values[:-1]),
            f"      {values[-1]}, \\",
            "      .Tables(TablesOfIt) \\",
            "  ) i_polycast_checker (.*);",
        ]
    return "\n".join([*lines, ""])


def render(root: Path) -> dict[Path, str]:
    """The text of every generated file."""
    description, chips = load(root)
    numbers = constants(root)
    texts = {
        HEADER: cpp_header(chips),
        CPP: cpp(chips, description, numbers),
        FOLDER / "polycast_bind.svh": bind_macros(chips),
    }
    for chip in chips:
        texts[FOLDER / f"polycast_{chip.name}_model.svh"] = model(chip, description, numbers)
        texts[FOLDER / f"polycast_{chip.name}_checker.sv"] = checker(chip, description, numbers)
    return texts

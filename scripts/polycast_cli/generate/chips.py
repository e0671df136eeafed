# SPDX-License-Identifier: Apache-2.0
"""Generates C++ parameters, heads of the tops in SystemVerilog and tables of pages from hw/format/chips.yaml."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from polycast_cli.common import UserError
from polycast_cli.generate.formats import COLUMNS, sentence, sv_comment

SOURCE = Path("hw/format/chips.yaml")
CPP = Path("hw/chips/chip_params.cpp")
HEADER = Path("hw/chips/chip_params.h")

NOTE = "written by `scripts/polycast generate` from hw/format/chips.yaml"
BEGIN = f"<!-- begin parameters: {NOTE} -->\n"
END = "<!-- end parameters -->\n"
#: Groups of pins behind which a line is empty.
BEFORE_A_GAP = {"clock", "link_in", "link_out", "wires", "spoilt_wires", "config", "idle"}
#: Characters of a line of generated C++.
CPP_COLUMNS = 120


@dataclass(frozen=True)
class Parameter:
    """A parameter as the YAML describes it; `member` is the C++ expression behind the chip's struct."""

    name: str
    verilog: str
    default: int
    doc: str
    least: int = 0
    most: int = 1
    #: Where the RTL is for less than the C++.
    verilog_most: int = 0
    type: str = "number"
    noun: str = ""
    span: str = ""
    verilog_default: str | int | None = None
    member: str = ""

    @property
    def flag(self) -> bool:
        return self.type == "flag"

    @property
    def range_text(self) -> str:
        return "0, 1" if self.flag else self.span or f"{self.least}..{self.most}"

    @property
    def text(self) -> str:
        """Sentence and range."""
        return self.doc if self.flag else f"{self.doc} ({self.range_text})"

    @property
    def verilog_text(self) -> str:
        """The same for the RTL."""
        return f"{self.doc} ({self.least}..{self.verilog_most})" if self.verilog_most else self.text

    @property
    def verilog_value(self) -> str:
        if self.flag:
            return f"1'b{self.default}"
        return str(self.default if self.verilog_default is None else self.verilog_default)


@dataclass(frozen=True)
class Chip:
    """A chip: `parameters` are all, those of `extends` first; `own` are those that its struct has as members."""

    name: str
    entry: dict[str, Any]
    parameters: list[Parameter]
    own: list[Parameter]

    @property
    def struct(self) -> str:
        return f"{self.name}_params"

    @property
    def module(self) -> str:
        return Path(self.entry["top"]).stem


def load(root: Path) -> tuple[dict[str, Any], list[Chip]]:
    description = yaml.safe_load((root / SOURCE).read_text())
    chips: dict[str, Chip] = {}
    for name, entry in description["chips"].items():
        own = [Parameter(**fields) for fields in entry["parameters"]]
        own = [replace(parameter, member=parameter.name) for parameter in own]
        inherited: list[Parameter] = []
        if extends := entry.get("extends"):
            for parameter in chips[extends["chip"]].parameters:
                if parameter.name not in extends.get("without", ()):
                    changed = extends["parameters"].get(parameter.name, {})
                    inherited.append(replace(parameter, member=f"{extends['member']}.{parameter.name}", **changed))
        chips[name] = Chip(name, entry, inherited + own, own)
    return description, list(chips.values())


def named(expression: str, chip: Chip, spell: dict[str, str]) -> str:
    """`expression` with each parameter spelt as `spell` has it."""
    names = "|".join(sorted((parameter.name for parameter in chip.parameters), key=len, reverse=True))
    return re.sub(rf"(?<![\w.])({names})\b", lambda found: spell[found[1]], expression)


def cpp_expression(expression: str, chip: Chip) -> str:
    text = named(expression, chip, {parameter.name: f"p.{parameter.member}" for parameter in chip.parameters})
    if extends := chip.entry.get("extends"):
        text = re.sub(rf"(?<![\w.]){extends['member']}\.", f"p.{extends['member']}.", text)
    return text


def sv_expression(expression: str, chip: Chip) -> str:
    text = named(expression, chip, {parameter.name: parameter.verilog for parameter in chip.parameters})
    return re.sub(r"power\((\w+), (\w+)\)", r"64'(\1) ** \2", text)


# C++ ------------------------------------------------------------------------------------------------------------


def cpp_string(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def wrapped(pattern: str) -> list[str]:
    """Pieces of `pattern` that fit a line as strings of C++, cut behind fields."""
    pieces = [""]
    for part in re.findall(r"[^}]*}|[^}]+$", pattern):
        if len(pieces[-1]) + len(part) > CPP_COLUMNS - 12:
            pieces.append("")
        pieces[-1] += part
    return pieces


def message(text: str, chip: Chip) -> str:
    """The C++ expression of a message with {expressions} in it."""
    parts = re.split(r"\{([^}]*)\}", text)
    pieces = [
        f"std::to_string({cpp_expression(part, chip)})" if index % 2 else cpp_string(part)
        for index, part in enumerate(parts)
        if part
    ]
    text = ""
    for piece in pieces:
        glue = " + " if len(text.rpartition("\n")[2]) + len(piece) < CPP_COLUMNS - 20 else " +\n                   "
        text += (glue if text else "") + piece
    return text


def struct(chip: Chip, chips: dict[str, Chip]) -> list[str]:
    lines = [f"struct {name};" for name in chip.entry.get("declares", ())]
    lines += ["" for _ in lines[:1]]
    lines += [
        f"/// Parameters of {chip.entry['doc']}: {chip.entry['page']} says what each does.",
        f"struct {chip.struct} {{",
    ]
    if extends := chip.entry.get("extends"):
        base = {parameter.name: parameter for parameter in chips[extends["chip"]].parameters}
        others = [p for p in chip.parameters if p not in chip.own and p.default != base[p.name].default]
        values = ", ".join(f".{p.name} = {p.default}" for p in others)
        lines.append(f"    {extends['chip']}_params {extends['member']} = {{{values}}};")
    for parameter in chip.own:
        value = ("false", "true")[parameter.default] if parameter.flag else str(parameter.default)
        field = f"    {'bool' if parameter.flag else 'unsigned'} {parameter.name} = {value};"
        doc = parameter.text
        line = f"{field}  ///< {doc}"
        if len(line) > CPP_COLUMNS:
            lines += textwrap.wrap(doc, CPP_COLUMNS, initial_indent="    /// ", subsequent_indent="    /// ")
            lines.append(field)
        else:
            lines.append(line)
    lines += ["", f"    bool operator==(const {chip.struct}&) const = default;", ""]
    for member in chip.entry["members"]:
        lines += [f"    /// {member['doc']}", f"    {member['cpp']};"]
    return [*lines, "};", ""]


def facts(chip: Chip) -> list[str]:
    """Ranges, and what model names and the RTL call the parameters."""
    lines = [f"namespace {chip.name}_ranges {{", ""]
    for p in chip.parameters:
        if not p.flag:
            lines.append(f'inline constexpr range {p.name}{{{p.least}, {p.most}, "{p.least}", "{p.most}"}};')
    lines += ["", f"}}  // namespace {chip.name}_ranges", ""]
    kind = f"parameter<{chip.struct}>"
    lines += [
        "template <>",
        f"struct chip_facts<{chip.struct}> {{",
        f"    static constexpr std::string_view what = {cpp_string(chip.entry.get('subject', chip.name))};",
        f"    static constexpr std::string_view module = {cpp_string(chip.module.removeprefix('polycast_'))};",
        "    static constexpr std::string_view model =",
        *(f"        {cpp_string(part)}" for part in wrapped(chip.entry["model"])),
    ]
    lines[-1] += ";"
    lines += [
        f"    static constexpr std::array<{kind}, {len(chip.parameters)}> parameters = {{{{",
    ]
    for p in chip.parameters:
        value = "value != 0" if p.flag else "value"
        lines += [
            f'        {{"{p.name}", "{p.verilog}", [](const {chip.struct}& p) {{ return unsigned{{p.{p.member}}}; }},',
            f"         []({chip.struct}& p, unsigned value) {{ p.{p.member} = {value}; }}}},",
        ]
    lines += [
        "    }};",
        "};",
        "",
        f"/// \\throws input_error if a parameter is outside its range (see {chip.entry['page']})",
    ]
    return [*lines, f"const {chip.struct}& checked(const {chip.struct}& p);", ""]


def header(chips: list[Chip]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"/// \\file Parameters of the chips, {NOTE}; do not edit.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <string_view>",
        "",
        '#include "hw/chips/parameter.h"',
        '#include "hw/engine/chip.h"',
        '#include "hw/format/header.h"',
        "",
        "namespace polycast::hw::chips {",
        "",
    ]
    for chip in chips:
        lines += [*struct(chip, {chip.name: chip for chip in chips}), *facts(chip)]
    return "\n".join([*lines, "}  // namespace polycast::hw::chips", ""])


def cpp(chips: list[Chip]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Checks of the chips' parameters, {NOTE}; do not edit.",
        f'#include "{HEADER}"',
        "",
        "#include <string>",
        "",
        "namespace polycast::hw::chips {",
    ]
    for chip in chips:
        what, page = chip.entry.get("subject", chip.name), chip.entry["page"]
        lines += ["", f"const {chip.struct}& checked(const {chip.struct}& p) {{"]
        lines.append(f'    const limits check("{what}", "{page}");')
        for p in chip.parameters:
            if not p.flag:
                lines.append(f'    check.within(p.{p.member}, {chip.name}_ranges::{p.name}, "{p.noun or p.name}");')
        for rule in chip.entry.get("rules", ()):
            condition = cpp_expression(rule["holds"], chip)
            text = message(rule["message"], chip)
            lines += [f"    check.that({condition},", f"               {text});"]
        lines += ["    return p;", "}"]
    return "\n".join([*lines, "", "}  // namespace polycast::hw::chips", ""])


# SystemVerilog ---------------------------------------------------------------------------------------------------


#: A parameter as a module declares it: type, name, lines of its value, comment.
Declaration = tuple[str, str, list[str], list[str]]


def declared(parameters: list[Declaration]) -> list[str]:
    """Lines of parameters: type, name, lines of the value, comment; names and values stand below each other."""
    types = max(len(kind) for kind, _, _, _ in parameters)
    names = max(len(name) for _, name, _, _ in parameters)
    lines: list[str] = []
    for index, (kind, name, value, doc) in enumerate(parameters):
        last = index == len(parameters) - 1
        text = [f"  parameter {kind:<{types}} {name:<{names}} = {value[0]}", *(f"      {line}" for line in value[1:])]
        text[-1] += "" if last else ","
        lines += doc + text
    return lines


#: A pin as a module declares it: name, width (a number or an expression; empty: one wire), comment. No name: a gap.
Pin = tuple[str, str, str]


def pins(chip: Chip, description: dict[str, Any]) -> list[Pin]:
    shown: list[Pin] = []
    for group in chip.entry["pins"]:
        for pin in description["pins"][group]:
            if (pin.get("vcs") and not chip.entry.get("vcs")) or pin["name"] in chip.entry.get("without", ()):
                continue
            number = {"port": chip.entry["ports"], "entry": chip.entry["entries"]}.get(pin.get("each", ""), "")
            width = "*".join(part for part in (str(number), str(pin.get("bits", ""))) if part)
            shown.append((pin["name"], width, chip.entry.get("pin_docs", {}).get(pin["name"], pin["doc"])))
        shown += [("", "", "")] if group in BEFORE_A_GAP else []
    return shown


def declared_pins(shown: list[Pin]) -> list[str]:
    """Lines of pins; names stand below each other."""
    lines: list[str] = []
    spans = [width and f"[{int(width) - 1 if width.isdecimal() else f'{width}-1'}:0]" for _, width, _ in shown]
    column = max(len(span) for span in spans if len(span) <= 36)
    for index, ((name, _, doc), span) in enumerate(zip(shown, spans, strict=True)):
        if not name:
            lines.append("")
            continue
        direction = "input  wire logic" if name.endswith("i") else "output logic     "
        lines += [*sv_comment(sentence(doc)), f"  {direction} {span:<{column}} {name}"]
        lines[-1] += "," if index != len(shown) - 1 else ""
    return lines


def parameters_of(chip: Chip) -> list[Declaration]:
    declarations = []
    for p in chip.parameters:
        kind = "bit" if p.flag else "int unsigned"
        declarations.append((kind, p.verilog, [p.verilog_value], sv_comment(sentence(p.verilog_text))))
    return declarations


def derived_of(chip: Chip) -> list[Declaration]:
    declarations = []
    for derived in chip.entry["derived"]:
        doc = sv_comment(sentence(derived["doc"] + "; derived, do not set"))
        declarations.append(("int unsigned", derived["verilog"], derived["value"], doc))
    return declarations


def module_head(module: str, parameters: list[Declaration], shown: list[Pin]) -> str:
    head = [f"module {module} #(", f"  // Parameters and pins: {NOTE}.", *declared(parameters)]
    return "\n".join([*head, ") (", *declared_pins(shown), ");", ""])


def bad_parameters(chip: Chip) -> str:
    bad = []
    for p in chip.parameters:
        if not p.flag:
            bad += [f"{p.verilog} < {p.least}"] if p.least else []
            bad.append(f"{p.verilog} > {p.verilog_most or p.most}")
    for rule in chip.entry.get("rules", ()):
        if rule.get("verilog", True):
            bad.append(f"!({sv_expression(rule['holds'], chip)})")
    glued = " || ".join(bad).replace(" ", "\0").replace("\0||\0", "\0|| ")
    lines = textwrap.wrap(glued, COLUMNS - 6, break_long_words=False, break_on_hyphens=False)
    text = "\n      ".join(line.replace("\0", " ") for line in lines)
    return (
        f"  // The check of the parameters: {NOTE}.\n"
        f"  if ({text})\n  begin : gen_bad_parameters\n"
        f'    $error("{chip.module}: a parameter is out of range");\n  end\n'
    )


def replaced(text: str, pattern: str, by: str, path: Path) -> str:
    changed, count = re.subn(pattern, lambda _: by, text, flags=re.DOTALL | re.MULTILINE)
    if count != 1:
        raise UserError(f"{path}: {count} places instead of one for what is {NOTE}: {pattern}")
    return changed


def with_head(text: str, head: str, path: Path) -> str:
    return replaced(text, rf"^module {path.stem} #\(.*?^\);\n", head, path)


def with_check(text: str, chip: Chip, path: Path) -> str:
    pattern = r"^  // The check of the parameters: [^\n]*\n  if \(.*?begin : gen_bad_parameters\n.*?^  end\n"
    return replaced(text, pattern, bad_parameters(chip), path)


def top(root: Path, chip: Chip, description: dict[str, Any]) -> str:
    path = Path(chip.entry["top"])
    head = module_head(chip.module, parameters_of(chip) + derived_of(chip), pins(chip, description))
    return with_check(with_head((root / path).read_text(), head, path), chip, path)


# Pairs -----------------------------------------------------------------------------------------------------------


def instance(chip: Chip, pair: Chip, description: dict[str, Any]) -> str:
    """The instance of one of the two, number `e`."""
    connections = []
    for name, width, _ in pins(chip, description):
        signal = pair.entry["connect"].get(name, name)
        whole = signal == name and name in pair.entry["one_for_both"]
        connections.append((name, signal if whole else f"{signal}[e*{width}+:{width}]" if width else f"{signal}[e]"))

    def lines(named: list[tuple[str, str]]) -> str:
        column = max(len(name) for name, _ in named)
        return ",\n".join(f"      .{name:<{column}} ({value})" for name, value in named)

    parameters = lines([(p.verilog, p.verilog) for p in chip.parameters])
    connected = lines([pin for pin in connections if pin[0]])
    return f"    // The instance: {NOTE}.\n    {chip.module} #(\n{parameters}\n    ) u_end (\n{connected}\n    );\n"


def doubled(width: str) -> str:
    return str(2 * int(width or 1)) if not width or width.isdecimal() else f"2*{width}"


def pair_top(root: Path, chip: Chip, pair: Chip, description: dict[str, Any]) -> str:
    """The text of a simulation top that is two of a chip: head, check of the parameters, and the instance of one."""
    path = Path(pair.entry["top"])
    shown = [
        (name, width if not name or name in pair.entry["one_for_both"] else doubled(width), doc)
        for name, width, doc in pins(pair, description)
    ]
    head = module_head(pair.module, parameters_of(chip) + parameters_of(pair) + derived_of(chip), shown)
    text = with_check(with_head((root / path).read_text(), head, path), pair, path)
    pattern = r"^    // The instance: [^\n]*\n    " + chip.module + r" #\(.*?^    \);\n"
    return replaced(text, pattern, instance(chip, pair, description), path)


def pairs(description: dict[str, Any], chips: list[Chip]) -> list[tuple[Chip, Chip]]:
    """Chips of which a simulation top has two, and what is said of that top: pins are those of the chip else."""
    found = []
    for name, entry in description["pairs"].items():
        chip = next(chip for chip in chips if chip.name == entry["of"])
        docs = chip.entry.get("pin_docs", {}) | entry["pin_docs"]
        own = [Parameter(**fields) for fields in entry["parameters"]]
        found.append((chip, Chip(name, chip.entry | entry | {"pin_docs": docs, "rules": ()}, own, own)))
    return found


# Pages -----------------------------------------------------------------------------------------------------------


def page(root: Path, chip: Chip) -> str:
    rows = [f"| C++ (`{chip.struct}`) | SystemVerilog | range | default | meaning |", "|---|---|---|---|---|"]
    for p in chip.parameters:
        default = str(p.default)
        if p.verilog_default is not None:
            default += f" (`{p.verilog}`: `{p.verilog_default}`)"
        rows.append(f"| `{p.member}` | `{p.verilog}` | {p.range_text} | {default} | {p.doc} |")
    path = Path(chip.entry["page"])
    text = (root / path).read_text()
    return replaced(text, f"^{re.escape(BEGIN)}.*?{re.escape(END)}", BEGIN + "\n".join(rows) + "\n" + END, path)


def render(root: Path) -> dict[Path, str]:
    """The text of every generated file."""
    description, chips = load(root)
    texts = {HEADER: header(chips), CPP: cpp(chips)}
    for chip in chips:
        texts[Path(chip.entry["top"])] = top(root, chip, description)
        texts[Path(chip.entry["page"])] = page(root, chip)
    for chip, pair in pairs(description, chips):
        texts[Path(pair.entry["top"])] = pair_top(root, chip, pair, description)
    return texts

# SPDX-License-Identifier: Apache-2.0
"""Generates the C++ and SystemVerilog definitions from hw/format/packet.yaml, the one description of both."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

SOURCE = Path("hw/format/packet.yaml")
CPP = Path("hw/format/packet_format.h")
CONFIG_WORDS = Path("hw/format/config_words.h")
FIELD_NAMES = Path("hw/format/field_names.h")
SV = Path("rtl/common/polycast_pkg.sv")

#: Characters of a line of SystemVerilog.
COLUMNS = 100

#: Fields whose names are words of SystemVerilog.
SV_NAMES = {"sequence": "sequence_number"}

NOTE = "Generated from hw/format/packet.yaml by `scripts/polycast generate`; do not edit."


@dataclass(frozen=True)
class Field:
    """A header field at a fixed bit position; `bits` is None where networks differ in it."""

    name: str
    offset: int
    bits: int | None
    doc: str


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def place(fields: list[dict[str, Any]], start: int) -> list[Field]:
    """Packs `fields` one after the other from bit `start`; only the last one may be of variable size."""
    placed: list[Field] = []
    offset = start
    for index, field in enumerate(fields):
        bits = None if field["bits"] == "variable" else int(field["bits"])
        if bits is None and index != len(fields) - 1:
            raise ValueError(f"{SOURCE}: field {field['name']} has no fixed size and is not the last one")
        placed.append(Field(field["name"], offset, bits, field["doc"]))
        offset += bits or 0
    return placed


def whole_bytes(fields: list[dict[str, Any]], what: str) -> int:
    bits = sum(int(field["bits"]) for field in fields)
    if bits % 8:
        raise ValueError(f"{SOURCE}: the {what} header has {bits} bits, which is no whole number of bytes")
    return bits


def common_bits(description: dict[str, Any]) -> int:
    return whole_bytes(description["header"]["common"], "common")


def transport_bits(description: dict[str, Any]) -> int:
    return whole_bytes(description["transport"], "transport")


def all_fields(description: dict[str, Any]) -> list[Field]:
    fields = place(description["header"]["common"], 0)
    for kind in description["header"]["kinds"]:
        fields += place(kind["fields"], common_bits(description))
    return fields


def stop_fields(description: dict[str, Any]) -> list[Field]:
    """Fields of a stop of a worm, counted from its own first bit."""
    return [replace(field, name=f"stop_{field.name}") for field in place(description["header"]["stop"], 0)]


def cpp_fields(fields: list[Field], prefix: str = "") -> list[str]:
    lines = []
    for field in fields:
        name = f"{prefix}{field.name}_field"
        lines += [f"/// {field.doc}", f"inline constexpr field {name}{{{field.offset}, {field.bits or 0}}};"]
    return lines


def cpp(description: dict[str, Any]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {NOTE}",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "#include <string_view>",
        "",
        "namespace polycast::hw::format {",
        "",
        "/// Position of a header field in bits; `bits` is 0 where networks differ in it.",
        "struct field {",
        "    unsigned offset;",
        "    unsigned bits;",
        "};",
        "",
        "/// Bits of the header that every kind of packet starts with.",
        f"inline constexpr unsigned common_header_bits = {common_bits(description)};",
        "",
    ]
    lines += cpp_fields(all_fields(description) + stop_fields(description))
    lines += [
        "",
        "/// Bits of the header that only network interfaces read; its fields count from its own first bit.",
        f"inline constexpr unsigned transport_bits = {transport_bits(description)};",
        "",
    ]
    lines += [*cpp_fields(place(description["transport"], 0), "transport_"), ""]
    for field in description["trailer"]:
        lines += [f"/// {field['doc']}", f"inline constexpr unsigned {field['name']}_bits = {field['bits']};"]
    kinds = [dict(name=k["name"], code=k["code"], doc=k["doc"]) for k in description["header"]["kinds"]]
    enums = {"packet_kind": {"doc": "kind of a packet", "values": kinds}, **description["enums"]}
    enums["config_region"] = {"doc": description["config"]["doc"], "values": description["config"]["regions"]}
    enums["config_global"] = {"doc": "index in config_region::global", "values": description["config"]["globals"]}
    coding = description["coding"]
    enums["coding_region"] = {"doc": coding["doc"], "values": coding["regions"]}
    enums["coding_global"] = {"doc": "index in coding_region::global", "values": coding["globals"]}
    enums["coding_register"] = {"doc": "register of a context in coding_region::context", "values": coding["context"]}
    link = description["link"]
    enums["link_region"] = {"doc": link["doc"], "values": link["regions"]}
    enums["link_global"] = {"doc": "index in link_region::global", "values": link["globals"]}
    broadcast = description["broadcast"]
    enums["broadcast_register"] = {"doc": broadcast["doc"], "values": broadcast["registers"]}
    for name, enum in enums.items():
        lines += ["", f"/// {enum['doc']}", f"enum class {name} : std::uint8_t {{"]
        for value in enum["values"]:
            lines.append(f"    {value['name']} = {value['code']},  ///< {value['doc']}")
        lines.append("};")
        if name.endswith(("_region", "_global", "_register")):
            continue  # of registers nobody asks the name
        lines += [
            "",
            "/// Name of `value` as scenarios and results spell it.",
            f"constexpr std::string_view name_of({name} value) {{",
            "    switch (value) {",
        ]
        for value in enum["values"]:
            lines.append(f'        case {name}::{value["name"]}: return "{value["name"]}";')
        lines += ["    }", '    return "?";', "}"]
    code = description["secded"]
    lines += [
        "",
        f"/// {code['doc']}: data bits of each check bit.",
        f"inline constexpr std::array<std::uint32_t, {len(code['rows'])}> secded_rows = {{",
        *(f"    0x{row:08x}," for row in code["rows"]),
        "};",
    ]
    errors = description["errors"]
    lines += ["", f"/// {errors['doc']}", "enum class chip_error : std::uint16_t {"]
    for value in errors["values"]:
        lines.append(f"    {value['name']} = 1u << {value['bit']},  ///< {value['doc']}")
    lines += [
        "};",
        "",
        "/// Number of error pins of a port.",
        f"inline constexpr unsigned chip_error_count = {len(errors['values'])};",
        "",
        "/// Name of error pin `bit`.",
        "constexpr std::string_view error_name(unsigned bit) {",
        "    switch (bit) {",
    ]
    for value in errors["values"]:
        lines.append(f'        case {value["bit"]}: return "{value["name"]}";')
    lines += ['        default: return "?";', "    }", "}", "", "}  // namespace polycast::hw::format", ""]
    return "\n".join(lines)


def config_words(description: dict[str, Any]) -> str:
    """Functions that pack the fields of a word, the highest first."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {NOTE}",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace polycast::hw::format {",
        "",
    ]
    for word in description["config_words"]:
        fields = place(word["fields"], 0)[::-1]
        taken = ", ".join(f"std::uint32_t {field.name}" for field in fields)
        packed = " | ".join(f"{field.name} << {field.offset}" if field.offset else field.name for field in fields)
        lines += [f"/// {sentence(word['doc'])}", f"constexpr std::uint32_t {word['name']}({taken}) {{"]
        lines += [f"    return {packed};", "}", ""]
    return "\n".join([*lines, "}  // namespace polycast::hw::format", ""])


def field_names(description: dict[str, Any]) -> str:
    """Tables of fields by name, for messages."""

    def table(name: str, doc: str, fields: list[dict[str, Any]], prefix: str = "") -> list[str]:
        entries = [f'    named_field{{"{field["name"]}", {prefix}{field["name"]}_field}},' for field in fields]
        return [f"/// {doc}", f"inline constexpr std::array {name}{{", *entries, "};", ""]

    header = description["header"]
    names = [kind["name"] for kind in header["kinds"]]
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {NOTE}",
        "#pragma once",
        "",
        "#include <array>",
        "#include <span>",
        "#include <string_view>",
        "",
        '#include "hw/format/packet_format.h"',
        "",
        "namespace polycast::hw::format {",
        "",
        "/// A header field and its name in packet.yaml.",
        "struct named_field {",
        "    std::string_view name;",
        "    field where;",
        "};",
        "",
        *table("common_header_fields", "Fields of the header that every kind of packet starts with.", header["common"]),
    ]
    for kind in header["kinds"]:
        what = f"Fields that follow in the header of kind `{kind['name']}`."
        lines += table(f"{kind['name']}_header_fields", what, kind["fields"])
    what = "Fields of the header that only network interfaces read, from its own first bit."
    lines += table("transport_header_fields", what, description["transport"], "transport_")
    lines += [
        "/// Fields that follow the common ones in a header of a kind; none for a kind that does not exist.",
        "constexpr std::span<const named_field> fields_of(packet_kind kind) {",
        "    switch (kind) {",
        *(f"        case packet_kind::{name}: return {name}_header_fields;" for name in names),
        "    }",
        "    return {};",
        "}",
        "",
        "}  // namespace polycast::hw::format",
        "",
    ]
    return "\n".join(lines)


def sentence(doc: str) -> str:
    """`doc` as a sentence of its own."""
    return doc[:1].upper() + doc[1:] + ("" if doc.endswith(".") else ".")


def sv_comment(doc: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(doc, COLUMNS, initial_indent=f"{indent}/// ", subsequent_indent=f"{indent}/// ")


def sv_struct(name: str, doc: str, fields: list[Field], types: dict[str, str]) -> list[str]:
    """A packed struct, the first field in the lowest bits; `types` are those of fields that are no plain bits."""
    lines = ["", *sv_comment(doc), "  typedef struct packed {"]
    for field in reversed(fields):
        kind = types.get(field.name, f"logic [{(field.bits or 0) - 1}:0]" if field.bits != 1 else "logic")
        lines += [*sv_comment(field.doc, "    "), f"    {kind} {SV_NAMES.get(field.name, field.name)};"]
    return [*lines, f"  }} {name};"]


def sv_enum(name: str, doc: str, prefix: str, width: int, values: list[dict[str, Any]]) -> list[str]:
    lines = ["", *sv_comment(f"{doc[:1].upper()}{doc[1:]}."), f"  typedef enum logic [{width - 1}:0] {{"]
    for value in values:
        comma = "" if value is values[-1] else ","
        lines += [
            *sv_comment(value["doc"], "    "),
            f"    {prefix}{camel(value['name'])} = {width}'d{value['code']}{comma}",
        ]
    return [*lines, f"  }} {name}_e;"]


def sv(description: dict[str, Any]) -> str:
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {NOTE}",
        "",
        "/// Packet format, error bits and configuration map shared by all chips.",
        "package polycast_pkg;",
        "",
        "  /// Bits of the header that every kind of packet starts with.",
        f"  localparam int unsigned CommonHeaderBits = {common_bits(description)};",
    ]
    for field in all_fields(description) + stop_fields(description):
        lines += [*sv_comment(field.doc), f"  localparam int unsigned {camel(field.name)}Offset = {field.offset};"]
        if field.bits is not None:
            lines.append(f"  localparam int unsigned {camel(field.name)}Bits = {field.bits};")
    lines += [
        "  /// Bits of the header that only network interfaces read.",
        f"  localparam int unsigned TransportBits = {transport_bits(description)};",
    ]
    for field in place(description["transport"], 0):
        lines += [
            f"  /// Place in it: {field.name}.",
            f"  localparam int unsigned Transport{camel(field.name)}Offset = {field.offset};",
        ]
    for field in description["trailer"] + description["pins"]:
        lines += [*sv_comment(field["doc"]), f"  localparam int unsigned {camel(field['name'])}Bits = {field['bits']};"]
    header = description["header"]
    kind_bits = int(header["common"][0]["bits"])
    lines += sv_enum("packet_kind", "kind of a packet", "Kind", kind_bits, header["kinds"])
    for name, enum in description["enums"].items():
        width = max(1, max(v["code"] for v in enum["values"]).bit_length())
        lines += ["", f"  /// Bits of: {enum['doc']}.", f"  localparam int unsigned {camel(name)}Bits = {width};"]
        lines += sv_enum(name, enum["doc"], camel(name), width, enum["values"])
    common = place(header["common"], 0)
    lines += sv_struct(
        "header_t", "The header that every kind of packet starts with.", common, {"kind": "packet_kind_e"}
    )
    for kind in header["kinds"]:
        if fixed := [field for field in place(kind["fields"], 0) if field.bits is not None]:
            what = f"What follows in the header of kind `{kind['name']}`, as far as its size is fixed."
            lines += sv_struct(f"{kind['name']}_header_t", what, fixed, {})
    transport = place(description["transport"], 0)
    lines += sv_struct("transport_t", "The header that only network interfaces read.", transport, {})
    code = description["secded"]
    lines += [
        "",
        *sv_comment(f"{code['doc']}: data bits of each check bit, 32 for each, the first in the lowest bits"),
        f"  localparam logic [{32 * len(code['rows']) - 1}:0] SecdedRows =",
        f"      {32 * len(code['rows'])}'h{'_'.join(f'{row:08x}' for row in reversed(code['rows']))};",
    ]
    errors = description["errors"]
    lines += [
        "",
        *sv_comment(errors["doc"]),
        f"  localparam int unsigned NumErrors = {len(errors['values'])};",
    ]
    for value in errors["values"]:
        lines += [*sv_comment(value["doc"]), f"  localparam int unsigned Error{camel(value['name'])} = {value['bit']};"]
    bits = [Field(value["name"], value["bit"], 1, value["doc"]) for value in errors["values"]]
    lines += sv_struct("errors_t", "The error pins of a port.", bits, {})
    maps = [
        ("config", [("regions", "CfgRegion", 8), ("globals", "CfgGlobal", 24)]),
        ("coding", [("regions", "CodingRegion", 8), ("globals", "CodingGlobal", 24), ("context", "CodingContext", 4)]),
        ("link", [("regions", "LinkRegion", 8), ("globals", "LinkGlobal", 24)]),
        ("broadcast", [("registers", "BroadcastRegister", 24)]),
    ]
    for name, parts in maps:
        for part, prefix, width in parts:
            values = description[name][part]
            lines += sv_enum(
                f"{name}_{part.removesuffix('s')}", f"{description[name]['doc']}: {part}", prefix, width, values
            )
    for word in description["config_words"]:
        lines += sv_struct(f"{word['name']}_t", sentence(word["doc"]), place(word["fields"], 0), {})
    lines += ["", "endpackage", ""]
    return "\n".join(lines)


def refresh(root: Path, texts: dict[Path, str], check: bool) -> list[Path]:
    """Writes `texts` below `root`, or with `check` only looks; returns the paths that were not up to date."""
    stale: list[Path] = []
    for path, text in texts.items():
        target = root / path
        if target.exists() and target.read_text() == text:
            continue
        stale.append(path)
        if not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    return stale


def render(root: Path) -> dict[Path, str]:
    """The text of every generated file."""
    description = yaml.safe_load((root / SOURCE).read_text())
    return {
        CPP: cpp(description),
        CONFIG_WORDS: config_words(description),
        FIELD_NAMES: field_names(description),
        SV: sv(description),
    }

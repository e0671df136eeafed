# SPDX-License-Identifier: Apache-2.0
"""Headers, registers and errors as hw/format/packet.yaml describes them: nothing of it is typed in again here."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml
from polycast_cli.common import ROOT
from polycast_cli.generate import formats


@cache
def description() -> dict[str, Any]:
    return yaml.safe_load((ROOT / formats.SOURCE).read_text())


@cache
def fields() -> dict[str, formats.Field]:
    return {field.name: field for field in (*formats.all_fields(description()), *formats.stop_fields(description()))}


@cache
def common_bits() -> int:
    return formats.common_bits(description())


@cache
def kinds() -> dict[str, int]:
    return {kind["name"]: kind["code"] for kind in description()["header"]["kinds"]}


@cache
def code(enum: str, name: str) -> int:
    return next(value["code"] for value in description()["enums"][enum]["values"] if value["name"] == name)


@cache
def errors() -> dict[str, int]:
    """Bit of each error on a port's error pins."""
    return {error["name"]: error["bit"] for error in description()["errors"]["values"]}


@cache
def error_pins() -> int:
    return len(errors())


@cache
def region(name: str) -> int:
    return next(entry["code"] for entry in description()["config"]["regions"] if entry["name"] == name)


def config_word(name: str, **values: int) -> int:
    """A word of the configuration bus out of its fields: an address, an index or data."""
    words = {word["name"]: formats.place(word["fields"], 0) for word in description()["config_words"]}
    return sum(values[field.name] << field.offset for field in words[name])


@cache
def register(name: str) -> int:
    """Index of a register in the region `global`."""
    return next(entry["code"] for entry in description()["config"]["globals"] if entry["name"] == name)


def get(header: int, name: str, bits: int | None = None, at: int = 0) -> int:
    """A field of a header or, counted from bit `at`, of a stop in it; `bits` where networks differ in that."""
    field = fields()[name]
    return header >> at + field.offset & (1 << (field.bits or bits or 0)) - 1


def put(header: int, name: str, value: int, bits: int | None = None, at: int = 0) -> int:
    """The header with another value of the field."""
    field = fields()[name]
    mask = (1 << (field.bits or bits or 0)) - 1
    assert 0 <= value <= mask, f"{name} = {value} does not fit {mask.bit_length()} bits"
    return header & ~(mask << at + field.offset) | value << at + field.offset


def header(kind: int, **values: int) -> int:
    """A header of fields with fixed sizes."""
    made = put(0, "kind", kind)
    for name, value in values.items():
        made = put(made, name, value)
    return made


def whole_flits(data: bytes, flit_bytes: int) -> bytes:
    return data.ljust(-(-len(data) // flit_bytes) * flit_bytes, b"\0")

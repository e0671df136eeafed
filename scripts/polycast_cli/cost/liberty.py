# SPDX-License-Identifier: Apache-2.0
"""Reads cell libraries in Liberty form, as far as areas, flip-flops and times of memories need it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from polycast_cli.common import UserError

TOKEN = re.compile(r'/\*.*?\*/|\\\n|"[^"]*"|[(){}:;,]|[^\s(){}:;,"\\]+', re.DOTALL)


@dataclass
class Group:
    """`kind(names) { attributes, groups }`; a complex attribute is a list."""

    kind: str
    names: list[str]
    attributes: dict[str, str | list[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)

    def of(self, *kinds: str) -> list[Group]:
        return [group for group in self.groups if group.kind in kinds]

    def number(self, name: str) -> float:
        value = self.attributes[name]
        return float(value if isinstance(value, str) else value[0])

    def axis(self, name: str) -> list[float]:
        """The numbers of an attribute such as `values ("1, 2", "3, 4")`."""
        return [float(number) for row in self.attributes[name] for number in row.split(",")]


def parse(text: str) -> Group:
    """The library group. \\raises UserError where the text is no library"""
    tokens = [token for token in TOKEN.findall(text) if not token.startswith(("/*", "\\"))]
    root, place = Group("", []), 0
    stack = [root]
    try:
        while place < len(tokens):
            word = tokens[place]
            if word == "}":
                stack.pop()
                place += 1
            elif word == ";":
                place += 1
            elif tokens[place + 1] == ":":
                end = tokens.index(";", place)
                stack[-1].attributes[word] = " ".join(tokens[place + 2 : end]).strip('"')
                place = end + 1
            elif tokens[place + 1] == "(":
                end = tokens.index(")", place)
                names = [token.strip('"') for token in tokens[place + 2 : end] if token != ","]
                place = end + 1
                if tokens[place : place + 1] == ["{"]:
                    group = Group(word, names)
                    stack[-1].groups.append(group)
                    stack.append(group)
                    place += 1
                else:
                    stack[-1].attributes[word] = names
            else:
                raise ValueError
        (library,) = root.of("library")
        if len(stack) != 1:  # it ends too early
            raise ValueError
    except (IndexError, ValueError):
        raise UserError("this is no cell library in Liberty form") from None
    return library


def looked_up(table: Group, load: float, slew: float) -> float:
    """A value of a table over two indices, the load (of constraints: the slew of the clock) and the slew at the input:
    between its entries linear, beyond them the last one."""
    loads, slews = table.axis("index_1"), table.axis("index_2")
    values = np.array(table.axis("values")).reshape(len(loads), len(slews))
    return float(np.interp(load, loads, [np.interp(slew, slews, row) for row in values]))


@dataclass(frozen=True)
class Times:
    """What a memory is said to take, in ns, from cells of the same library."""

    clock_to_q: float
    setup: float
    #: Of a multiplexer of two.
    select: float


@dataclass(frozen=True)
class Cells:
    """The cells of a library."""

    library: Group

    @cached_property
    def cells(self) -> dict[str, Group]:
        return {cell.names[0]: cell for cell in self.library.of("cell")}

    @cached_property
    def areas(self) -> dict[str, float]:
        """In square micrometres."""
        return {name: cell.number("area") for name, cell in self.cells.items()}

    @cached_property
    def flip_flops(self) -> set[str]:
        return {name for name, cell in self.cells.items() if cell.of("ff")}

    @cached_property
    def latches(self) -> set[str]:
        return {name for name, cell in self.cells.items() if cell.of("latch")}

    @property
    def gate(self) -> float:
        """The area of the gate by which sizes are counted: a NAND of two."""
        return self.areas["NAND2X1"]

    def pin(self, cell: str, pin: str) -> Group:
        return next(each for each in self.cells[cell].of("pin") if each.names == [pin])

    def delay(self, cell: str, output: str, related: str, load: float, slew: float) -> float:
        """The slower of both edges."""
        arc = next(arc for arc in self.pin(cell, output).of("timing") if arc.attributes["related_pin"] == related)
        return max(looked_up(table, load, slew) for table in arc.of("cell_rise", "cell_fall"))

    @cached_property
    def times(self) -> Times:
        """Of memories: a flip-flop and multiplexers, each with four inputs of its kind behind it, at the slew in the
        middle of the library's tables; the edge of the clock is ideal, where it is held against it."""
        load = 4 * self.pin("MUX2X1", "A").number("capacitance")
        arc = self.pin("MUX2X1", "Y").of("timing")[0]
        slews = arc.of("cell_rise")[0].axis("index_2")
        slew = slews[len(slews) // 2]
        setup = next(
            arc for arc in self.pin("DFFPOSX1", "D").of("timing") if arc.attributes.get("timing_type") == "setup_rising"
        )
        return Times(
            self.delay("DFFPOSX1", "Q", "CLK", load, slew),
            max(looked_up(table, 0, slew) for table in setup.of("rise_constraint", "fall_constraint")),
            max(self.delay("MUX2X1", "Y", pin, load, slew) for pin in ("A", "B", "S")),
        )

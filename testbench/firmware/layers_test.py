# SPDX-License-Identifier: Apache-2.0
"""The files of the firmware keep the order of firmware/README.md.

Usage: layers_test.py NM OBJECT.... A file depends on another one if its object refers to a symbol that the other one
defines, or if it or its header includes the other one's header (whose inline functions leave no symbol).
"""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
ROW = re.compile(r"^\| (\d+) \| `([\w/]+)\.[ch]` \| ([\w, ]*?) ?\|", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(\w+)\.h"', re.MULTILINE)
EVERYBODYS = {"state", "hardware"}  # used by nearly all files, so the page does not repeat them

#: For each file the files that it depends on, each with what it uses of them.
Uses = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Row:
    """A file on the page."""

    layer: int
    calls: frozenset[str]


def rows_of(page: str) -> dict[str, Row]:
    return {
        Path(name).name: Row(int(layer), frozenset(calls.split(", ") if calls else ()))
        for layer, name, calls in ROW.findall(page)
    }


def included(folder: Path) -> Uses:
    """What each file of the folder, with its header, includes of it."""
    sources = [path for path in folder.rglob("*.[ch]")]
    uses: Uses = {path.stem: {} for path in sources}
    for path in sources:
        for name in INCLUDE.findall(path.read_text()):
            if name in uses and name != path.stem:
                uses[path.stem][name] = f"{name}.h"
    return uses


def referred(nm: str, objects: list[Path]) -> Uses:
    """Whose symbols each object uses."""
    defined: dict[str, str] = {}
    undefined: dict[str, set[str]] = {}
    for path in objects:
        file = path.name.partition(".")[0]
        done = subprocess.run([nm, "--format=posix", path], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            symbol, kind = line.split()[:2]
            if kind == "U":
                undefined.setdefault(file, set()).add(symbol)
            elif kind.isupper():
                defined[symbol] = file
    return {
        file: {defined[symbol]: symbol for symbol in sorted(symbols) if symbol in defined}
        for file, symbols in undefined.items()
    }


def faults(uses: Uses, rows: dict[str, Row]) -> list[str]:
    """Circles, calls upwards, and what else is not as the page says."""
    found = []
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as circle:
        files = list(reversed(circle.args[1]))
        steps = [f"{a} uses {b} ({uses[a][b]})" for a, b in pairwise(files)]
        found.append("a circle: " + ", ".join(steps))
    found += [f"{file}: not on the page" for file in sorted(uses.keys() - rows.keys())]
    found += [f"{file}: on the page, but not a file" for file in sorted(rows.keys() - uses.keys())]
    for file in sorted(uses.keys() & rows.keys()):
        row = rows[file]
        for other, what in sorted(uses[file].items()):
            if other in rows and rows[other].layer >= row.layer:
                found.append(f"{file}, layer {row.layer}, uses {other} ({what}), layer {rows[other].layer}")
        real = uses[file].keys() - EVERYBODYS
        found += [f"{file} uses {other} ({uses[file][other]}): not on the page" for other in sorted(real - row.calls)]
        found += [f"{file} uses {other}: on the page only" for other in sorted(row.calls - real)]
    return found


class Layers(unittest.TestCase):
    nm = "nm"
    objects: list[Path]

    def test_firmware_keeps_the_order_of_its_page(self) -> None:
        uses = included(FIRMWARE)
        for file, others in referred(self.nm, self.objects).items():
            uses[file] |= others
        self.assertGreater(sum(map(len, uses.values())), 80)
        said = faults(uses, rows_of((FIRMWARE / "README.md").read_text()))
        if said:
            self.fail("\n".join(said))

    def test_a_circle_is_named(self) -> None:
        rows = {"a": Row(1, frozenset("b")), "b": Row(2, frozenset("c")), "c": Row(3, frozenset("a"))}
        first = faults({"a": {"b": "to_b"}, "b": {"c": "to_c"}, "c": {"a": "to_a"}}, rows)[0]
        self.assertRegex(first, "^a circle: ")
        for step in ("a uses b (to_b)", "b uses c (to_c)", "c uses a (to_a)"):
            self.assertIn(step, first)

    def test_a_call_within_or_above_the_layer_is_found(self) -> None:
        for layer in (2, 3):
            rows = {"low": Row(2, frozenset({"other"})), "other": Row(layer, frozenset())}
            said = faults({"low": {"other": "call"}, "other": {}}, rows)
            self.assertEqual(said, [f"low, layer 2, uses other (call), layer {layer}"])

    def test_a_page_that_says_too_little_or_too_much_is_found(self) -> None:
        rows = rows_of("| 2 | `up.c` | past | |\n| 1 | `low.c` | | |\n| 0 | `past.c` | | |\n| 0 | `gone.h` | | |\n")
        said = faults({"up": {"low": "call", "state": "state.h"}, "low": {}, "past": {}, "new": {}}, rows)
        self.assertEqual(
            said,
            [
                "new: not on the page",
                "gone: on the page, but not a file",
                "up uses low (call): not on the page",
                "up uses past: on the page only",
            ],
        )


if __name__ == "__main__":
    Layers.nm = sys.argv[1]
    Layers.objects = [Path(argument) for argument in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])

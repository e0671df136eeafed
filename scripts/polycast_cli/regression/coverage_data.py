# SPDX-License-Identifier: Apache-2.0
"""What a coverage run counted, by source file: read from Verilator's data and lcov files, added up, written as lcov.

Instances and parameter sets of a module are one: a line, a bit of a signal or a cover point counts as hit where it was
hit in any of them. A cover point in a generate loop counts for each turn of the loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from polycast_cli.common import ROOT, Failure

RTL = "rtl"
CPP = "c++"

#: A point of Verilator's data: key and value of each property, and the count.
POINT = re.compile(r"^C '(.*)' (\d+)$")
PROPERTY = re.compile("\x01([^\x02]*)\x02([^\x01]*)")
#: Modules of cover points: what else is in them is no hardware.
COVERS = "rtl/cover/"
#: How Verilator writes [0]. in names of hierarchies.
ENCODED = {"__BRA__": "[", "__KET__": "]", "__DOT__": "."}


@dataclass
class FileCounts:
    """Counts of a file. Lines by number; branches by line and which of them; toggles by line and signal[bit]:0->1;
    cover points by line and name."""

    path: str
    language: str
    lines: dict[int, int] = field(default_factory=dict)
    branches: dict[tuple[int, str], int] = field(default_factory=dict)
    toggles: dict[tuple[int, str], int] = field(default_factory=dict)
    points: dict[tuple[int, str], int] = field(default_factory=dict)


Counts = dict[str, FileCounts]


def relative(path: str) -> str:
    """As the repository names the file; one from elsewhere keeps its name."""
    try:
        return str((ROOT / path).resolve().relative_to(ROOT))
    except ValueError:
        return path


def numbers(text: str) -> Iterator[int]:
    """Numbers of a list like 3,7-9."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def name_of_point(hierarchy: str) -> str:
    """Its label, behind the turns of the generate loops around it: gen_vc[2].Held."""
    for written, meant in ENCODED.items():
        hierarchy = hierarchy.replace(written, meant)
    *around, label = hierarchy.split(".")
    loops = list(takewhile(lambda part: part.endswith("]") and part.startswith("gen_"), reversed(around)))
    return ".".join([*reversed(loops), label])


def add_verilator(counts: Counts, lines: Iterable[str]) -> None:
    """Adds up the points of a file that Verilator or verilator_coverage wrote."""
    for line in lines:
        match = POINT.match(line.rstrip("\n"))
        if match is None:
            continue
        point = dict(PROPERTY.findall(match[1]))
        hits, number = int(match[2]), int(point["l"])
        path = relative(point["f"])
        counted = counts.setdefault(path, FileCounts(path, RTL))
        kind = point["page"].partition("/")[0]
        if path.startswith(COVERS) and kind != "v_user":
            continue
        if kind == "v_toggle":
            key = (number, point["o"])
            counted.toggles[key] = counted.toggles.get(key, 0) + hits
        elif kind == "v_user":
            key = (number, name_of_point(point.get("h", point["o"])))
            counted.points[key] = counted.points.get(key, 0) + hits
        elif kind in ("v_line", "v_branch"):
            if kind == "v_branch":
                key = (number, f"{point['o']} in column {point['n']}")
                counted.branches[key] = counted.branches.get(key, 0) + hits
            for covered in numbers(point.get("S", "")):
                counted.lines[covered] = counted.lines.get(covered, 0) + hits


def add_info(counts: Counts, text: str, language: str) -> None:
    """Adds up the lines and branches of an lcov file."""
    counted: FileCounts | None = None
    for line in text.splitlines():
        word, _, rest = line.partition(":")
        if word == "SF":
            path = relative(rest)
            counted = counts.setdefault(path, FileCounts(path, language))
        elif counted is not None and word == "DA":
            number, hits = rest.split(",")[:2]
            counted.lines[int(number)] = counted.lines.get(int(number), 0) + int(hits)
        elif counted is not None and word == "BRDA":
            number, block, branch, hits = rest.split(",")
            key = (int(number), f"{block}.{branch}")
            counted.branches[key] = counted.branches.get(key, 0) + (0 if hits == "-" else int(hits))


def info(counts: Counts) -> str:
    """An lcov file of all of it. Cover points are lines there; toggles have no place in the format."""
    out = []
    for path in sorted(counts):
        counted = counts[path]
        lines = dict(counted.lines)
        for (number, _), hits in counted.points.items():
            lines[number] = min(lines[number], hits) if number in lines else hits
        out.append(f"SF:{path}")
        for index, ((number, _), hits) in enumerate(sorted(counted.branches.items())):
            out.append(f"BRDA:{number},0,{index},{hits if lines.get(number, 1) or hits else '-'}")
        if counted.branches:
            out += [f"BRF:{len(counted.branches)}", f"BRH:{sum(hits > 0 for hits in counted.branches.values())}"]
        out += [f"DA:{number},{hits}" for number, hits in sorted(lines.items())]
        out += [f"LF:{len(lines)}", f"LH:{sum(hits > 0 for hits in lines.values())}", "end_of_record"]
    return "\n".join(out) + "\n"


def read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None

# SPDX-License-Identifier: Apache-2.0
"""The command cost: tables on the terminal, and a folder with CSV, JSON and pictures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from polycast_cli.common import UserError, fresh_folder, out, say, shown, write_whole
from polycast_cli.cost.comparisons import Side, Sum, sides, sum_of
from polycast_cli.cost.designs import Design, Values, design_of, designs, grid, split
from polycast_cli.cost.libraries import LIBRARIES, Library, library_of
from polycast_cli.cost.measure import Cost, Task, measure_all
from polycast_cli.cost.pictures import QUANTITIES, Point, block_picture, is_curve, picture
from polycast_cli.terminal import table

#: Said below each table.
CAUTION = (
    "Old open processes without wires: ratios between designs count, not absolute figures. Memories are black boxes: "
    "their bits are apart from the area."
)
MAPPED_CAUTION = (
    "Old open processes without wires: ratios between designs count, not absolute figures. Memories are made of "
    "flip-flops and multiplexers."
)
#: Files that the command writes.
OURS = {"cost.csv", "cost.json", "area.svg", "frequency.svg", "blocks.svg"}


@dataclass(frozen=True)
class Request:
    """What the command was asked for."""

    tops: Sequence[str]
    settings: Sequence[str]
    libraries: Sequence[str]
    compare: str | None
    mapped: bool
    jobs: int | None
    out_dir: Path | None


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def thousands(gates: float) -> str:
    return number(gates / 1000, 2 if gates >= 1000 else 3)


def megahertz(ns: float | None) -> str:
    """With three digits."""
    value = 1000 / ns if ns else None
    return "-" if value is None else number(value, 0 if value >= 100 else 1)


def list_designs() -> None:
    """Chips with their parameters, then blocks, then libraries."""
    every = designs().values()
    for chip in (each for each in every if each.chip):
        rows = table("parameter", "range", "default", "meaning", left=("parameter", "meaning"))
        for each in chip.parameters:
            default = "as ports" if each.default is None else str(each.default)
            rows.add_row(each.name, each.limits, default, each.doc)
        out.print(f"\n{chip.name}: {chip.doc}")
        out.print(rows)
    rows = table("block", "what it is", "parameters", left=("block", "what it is", "parameters"))
    for block in (each for each in every if not each.chip):
        rows.add_row(block.name, block.doc, " ".join(each.name for each in block.parameters))
    out.print("")
    out.print(rows)
    rows = table("library", "process", left=("library", "process"))
    for library in LIBRARIES.values():
        rows.add_row(library.name, library.process)
    out.print("")
    out.print(rows)


def varied(every: Sequence[Values]) -> list[str]:
    """Names whose values differ, in their order."""
    names = list(dict.fromkeys(name for values in every for name in values))
    return [name for name in names if len({values.get(name) for values in every}) > 1]


def measured_rows(costs: Sequence[Cost]) -> list[dict[str, object]]:
    """For CSV: parameters of all designs, then what was measured."""
    names = list(dict.fromkeys(name for cost in costs for name in cost.parameters))
    return [
        {
            "design": cost.design,
            "library": cost.library,
            "memories": cost.memories,
            **{name: cost.parameters.get(name, "") for name in names},
            "area_um2": round(cost.area_um2, 1),
            "gates": round(cost.gates, 1),
            "cells": cost.cells,
            "flip_flops": cost.flip_flops,
            "memory_bits": cost.memory_bits,
            "path_ns": "" if cost.path_ns is None else cost.path_ns,
            "megahertz": "" if cost.megahertz is None else round(cost.megahertz, 2),
            "path_from": cost.path_from or "",
            "path_to": cost.path_to or "",
        }
        for cost in costs
    ]


def csv_text(rows: Sequence[dict[str, object]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def show_costs(costs: Sequence[Cost]) -> None:
    keys = varied([cost.parameters for cost in costs])
    several = len({cost.library for cost in costs}) > 1
    titles = ["design", *keys, *(["library"] if several else [])]
    rows = table(*titles, "kgates", "mm2", "path ns", "MHz", "flip-flops", "memory bits", left=("design", "library"))
    for cost in costs:
        rows.add_row(
            cost.design,
            *(number(cost.parameters[key]) if key in cost.parameters else "" for key in keys),
            *([cost.library] if several else []),
            thousands(cost.gates),
            number(cost.area_um2 / 1e6, 3),
            number(cost.path_ns, 2),
            megahertz(cost.path_ns),
            number(cost.flip_flops),
            number(cost.memory_bits),
        )
    out.print(rows)
    if len(costs) == 1:
        show_blocks(costs[0])


def show_blocks(cost: Cost) -> None:
    rows = table("block", "instances", "kgates", "% of area", "flip-flops", "memory bits")
    per_gate = cost.gates / cost.area_um2 if cost.area_um2 else 0
    for block in cost.blocks:
        if block.cells or block.memory_bits:
            rows.add_row(
                block.name,
                number(block.instances),
                thousands(block.area_um2 * per_gate),
                number(100 * block.area_um2 / cost.area_um2 if cost.area_um2 else 0, 1),
                number(block.flip_flops),
                number(block.memory_bits),
            )
    out.print("")
    out.print(rows)
    if cost.path_ns:
        out.print(f"\nThe longest path goes from {cost.path_from} to {cost.path_to}.")


def points_of(costs: Sequence[Cost], quantity: int) -> tuple[str, list[Point]]:
    """What is varied first, and the points over it."""
    keys = varied([cost.parameters for cost in costs])
    if not keys:
        return "", []
    several = {name: len({getattr(cost, name) for cost in costs}) > 1 for name in ("design", "library")}
    made = []
    for cost in costs:
        if keys[0] in cost.parameters:
            words = [getattr(cost, name) for name, more in several.items() if more]
            words += [f"{key}={cost.parameters[key]}" for key in keys[1:] if key in cost.parameters]
            made.append(Point(" ".join(words), cost.parameters[keys[0]], QUANTITIES[quantity].of(cost)))
    return keys[0], made


def write(folder: Path, costs: Sequence[Cost]) -> list[Path]:
    """Returns the files."""
    files = {"cost.csv": csv_text(measured_rows(costs))}
    files["cost.json"] = json.dumps([cost.model_dump() for cost in costs], indent=1) + "\n"
    for index, quantity in enumerate(QUANTITIES):
        key, points = points_of(costs, index)
        if is_curve(points):
            title = f"{quantity.name.capitalize()} over {key}"
            files[f"{quantity.name}.svg"] = picture(points, key, quantity.title, title)
    if len(costs) == 1 and costs[0].area_um2:
        files["blocks.svg"] = block_picture(costs[0])
    return write_all(folder, files)


def write_all(folder: Path, files: dict[str, str]) -> list[Path]:
    """Replaces what an earlier command has written there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in OURS - set(files):
        (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        write_whole(folder / name, text)
    return [folder / name for name in files]


@dataclass(frozen=True)
class Compared:
    """A chip with and without something."""

    chip: str
    library: str
    values: Values
    without: Sum
    with_: Sum

    @property
    def ratio(self) -> float:
        return self.with_.area_um2 / self.without.area_um2


def compare(
    what: str, chip: Design, grids: Sequence[Values], libraries: Sequence[Library], request: Request
) -> list[Compared]:
    pairs: list[tuple[Library, Values, tuple[Side, Side]]] = [
        (library, values, sides(what, chip, values)) for library in libraries for values in grids
    ]
    tasks = [task for library, _, both in pairs for side in both for task in side.tasks(library, request.mapped)]
    costs = iter(measure_all(tasks, request.jobs))
    made = []
    for library, values, both in pairs:
        sums = [sum_of(side, [next(costs) for _ in side.parts]) for side in both]
        made.append(Compared(chip.name, library.name, values, *sums))
    return made


def show_compared(what: str, rows_: Sequence[Compared]) -> None:
    keys = varied([row.values for row in rows_])
    several = len({row.library for row in rows_}) > 1
    titles = ["chip", *keys, *(["library"] if several else [])]
    names = {"replication": "replication", "coding": "coding unit", "link": "link ends"}
    out.print(f"Without {names[what]}, and with:")
    rows = table(
        *titles, "kgates", "with", "ratio", "MHz", "with ", "flip-flops", "with  ", "memory bits", "with   ",
        left=("chip", "library"),
    )  # fmt: skip
    for row in rows_:
        rows.add_row(
            row.chip,
            *(number(row.values[key]) for key in keys),
            *([row.library] if several else []),
            thousands(row.without.gates),
            thousands(row.with_.gates),
            number(row.ratio, 2),
            megahertz(row.without.path_ns),
            megahertz(row.with_.path_ns),
            number(row.without.flip_flops),
            number(row.with_.flip_flops),
            number(row.without.memory_bits),
            number(row.with_.memory_bits),
        )
    out.print(rows)


def compared_rows(what: str, rows: Sequence[Compared]) -> list[dict[str, object]]:
    made = []
    for row in rows:
        line: dict[str, object] = {"comparison": what, "design": row.chip, "library": row.library, **row.values}
        for name, total in (("without", row.without), ("with", row.with_)):
            line |= {f"{key}_{name}": value for key, value in asdict(total).items()}
        made.append(line | {"area_ratio": round(row.ratio, 4)})
    return made


def write_compared(folder: Path, what: str, rows: Sequence[Compared]) -> list[Path]:
    """Returns the files."""
    lines = compared_rows(what, rows)
    files = {"cost.csv": csv_text(lines), "cost.json": json.dumps(lines, indent=1) + "\n"}
    keys = varied([row.values for row in rows])
    several = len({row.library for row in rows}) > 1
    for name, title in (("area", QUANTITIES[0].title), ("frequency", QUANTITIES[1].title)) if keys else ():
        points = []
        for row in rows:
            words = [f"{key}={row.values[key]}" for key in keys[1:]] + ([row.library] if several else [])
            for side, total in (("without", row.without), ("with", row.with_)):
                y = total.gates / 1000 if name == "area" else total.megahertz
                points.append(Point(" ".join([side, *words]), row.values[keys[0]], y))
        if is_curve(points):
            files[f"{name}.svg"] = picture(points, keys[0], title, f"{name.capitalize()} over {keys[0]}")
    return write_all(folder, files)


def cost(request: Request) -> None:
    """\\raises UserError for what cannot be asked for, before anything is measured; Failure where a tool fails"""
    chosen = [design_of(name) for name in dict.fromkeys(request.tops)]
    libraries = [library_of(name) for name in dict.fromkeys(request.libraries)]
    settings = split(request.settings)
    grids = {design.name: grid(design, settings, chosen) for design in chosen}
    stem = "-".join(["cost", *([request.compare] if request.compare else []), *grids])[:60]
    if request.out_dir is not None and request.out_dir.exists() and not request.out_dir.is_dir():
        raise UserError(f"--out {shown(request.out_dir)}: this is a file, not a folder")
    if request.compare:
        compared = [
            row for each in chosen for row in compare(request.compare, each, grids[each.name], libraries, request)
        ]
        show_compared(request.compare, compared)
        folder = request.out_dir or fresh_folder(stem)
        written = write_compared(folder, request.compare, compared)
    else:
        tasks = [
            Task(design, values, library, request.mapped)
            for library in libraries
            for design in chosen
            for values in grids[design.name]
        ]
        costs = measure_all(tasks, request.jobs)
        show_costs(costs)
        folder = request.out_dir or fresh_folder(stem)
        written = write(folder, costs)
    out.print(f"\n{MAPPED_CAUTION if request.mapped else CAUTION}")
    say(f"written: {', '.join(shown(path) for path in written)}")

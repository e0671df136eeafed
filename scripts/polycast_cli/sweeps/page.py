# SPDX-License-Identifier: Apache-2.0
"""report.html of a sweep: every measure against a swept key, failures with the command that repeats each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from polycast_cli.reports.curves import COLOURS, Knot, Line, curves, is_wide
from polycast_cli.reports.page import number, write_page
from polycast_cli.studies.statistics import Estimate, estimate
from polycast_cli.sweeps.plan import Key, Plan, value_text

#: Columns that are drawn, where runs have them; cycles only where they have none of the others.
MEASURES = {
    "latency_mean": "mean latency (cycles)",
    "accepted": "accepted (flit/host/cycle)",
    "cycles": "cycles of a run",
}
#: More lines than that cannot be told apart.
MOST_LINES = 2 * COLOURS


@dataclass
class Failed:
    """A run that did not pass."""

    name: str
    status: str
    exit_code: int | None
    tail: str
    command: str


@dataclass
class Figure:
    name: str
    caption: str
    svg: Markup
    legend: list[tuple[str, str]]
    columns: list[str]
    values: list[list[str]]


@dataclass
class Grouping:
    """What is drawn against what: samples are networks, and values of seeds; keys with one value tell nothing apart."""

    x: Key | None
    others: list[Key]
    #: Whether there are several workloads.
    workloads: bool = True

    @classmethod
    def of(cls, keys: Sequence[Key], rows: Sequence[dict[str, Any]]) -> Grouping:
        """x: the first key with numbers, seeds aside. A key whose value follows from the others' tells nothing more."""
        shown = [key for key in keys if not key.is_seed and len({row[key.column] for row in rows}) > 1]
        numeric = [
            key
            for key in shown
            if all(isinstance(row[key.column], int | float) and not isinstance(row[key.column], bool) for row in rows)
        ]
        x = numeric[0] if numeric else None
        kept = [x] if x else []
        for key in (key for key in shown if key is not x):
            known = {tuple(row[one.column] for one in kept) for row in rows}
            if len({tuple(row[one.column] for one in (*kept, key)) for row in rows}) > len(known):
                kept.append(key)
        return cls(x, kept[1:] if x else kept, len({row["workload"] for row in rows}) > 1)

    def series(self, row: dict[str, Any]) -> str:
        named = [f"{key.path.rsplit('.', 1)[-1]} {value_text(row[key.column])}" for key in self.others]
        return ", ".join([*([row["workload"]] if self.workloads or not named else []), *named])


def estimates(
    rows: Sequence[dict[str, Any]], grouping: Grouping, measure: str
) -> dict[str, dict[float | None, tuple[Estimate, bool]]]:
    """By series and x, over points that passed; whether some did not keep up with their load."""
    samples: dict[str, dict[float | None, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["passed"] and row[measure] is not None and (measure != "latency_mean" or row["latency_count"]):
            x = row[grouping.x.column] if grouping.x else None
            samples[grouping.series(row)][x].append(row)
    return {
        series: {
            x: (estimate([float(row[measure]) for row in found]), any(row["kept_up"] == 0 for row in found))
            for x, found in by_x.items()
        }
        for series, by_x in samples.items()
    }


def figure_of(measure: str, grouping: Grouping, found: dict[str, Any], colours: dict[str, int]) -> Figure | None:
    """None where nothing was measured."""
    key, title = grouping.x, MEASURES[measure]
    if key is None or not found:
        return None
    lines = []
    for series, by_x in list(found.items())[:MOST_LINES]:
        knots = [
            Knot(float(x), mean.mean, mean.half, hollow, f"{series}, {x:g}: {mean.mean:,.2f}")
            for x, (mean, hollow) in sorted(by_x.items())
        ]
        lines.append(Line(series, colours[series], knots))
    x_title = key.path + (f" ({key.unit})" if key.unit else "")
    means = [knot.y for line in lines for knot in line.knots]
    svg = curves(
        lines, x_title, title, f"{title} against {key.path}", log_y=min(means) > 0 and is_wide(means), whole=True
    )
    left = len(found) - len(lines)
    caption = f"{title[0].upper()}{title[1:]} against {key.path}" + (
        f"; {left} more series in the table" if left else ""
    )
    return Figure(measure, caption, svg, legend(lines), *numbers(grouping, found))


def legend(lines: Sequence[Line]) -> list[tuple[str, str]]:
    return [(f"b{line.colour % COLOURS}", line.name) for line in lines]


def numbers(grouping: Grouping, found: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    x = grouping.x.path if grouping.x else ""
    columns = ["series", *([x] if x else []), "mean", "± 95 %", "points"]
    values = [
        [series, *([value_text(at)] if x else []), number(mean.mean, 3), number(mean.half, 3), str(mean.count)]
        for series, by_x in found.items()
        for at, (mean, _) in sorted(by_x.items())
    ]
    return columns, values


def figures_of(swept: Sequence[Key], table: pa.Table) -> tuple[list[Figure], list[tuple[Any, ...]]]:
    """The measures that can be drawn, and tables of those that cannot: measure, title, columns, values."""
    rows = table.to_pylist()
    grouping = Grouping.of(swept, rows)
    colours = {name: index for index, name in enumerate(dict.fromkeys(grouping.series(row) for row in rows))}
    figures: list[Figure] = []
    tables: list[tuple[Any, ...]] = []
    for measure, title in MEASURES.items():
        if measure == "cycles" and (figures or tables):
            continue
        found = estimates(rows, grouping, measure) if rows else {}
        if drawn := figure_of(measure, grouping, found, colours):
            figures.append(drawn)
        elif found:
            tables.append((measure, title, *numbers(grouping, found)))
    return figures, tables


def write_sweep_page(
    path: Path, name: str, plan: Plan, table: pa.Table, failed: Sequence[Failed], command: str
) -> Path:
    figures, tables = figures_of(plan.keys, table)
    keys = [[key.path, key.unit or "–", key.column, plan.values_of(key)] for key in plan.keys]
    return write_page(
        path,
        "sweep.html.j2",
        "polycast_cli.sweeps",
        name=name,
        runs=len(plan.runs),
        points=table.num_rows,
        keys=keys,
        figures=figures,
        tables=tables,
        failed=failed,
        command=command,
    )

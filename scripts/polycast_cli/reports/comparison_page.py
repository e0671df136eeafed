# SPDX-License-Identifier: Apache-2.0
"""`report A B`: the comparison of runs in the terminal and as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from polycast_cli.common import Status, UserError, again, out, shown
from polycast_cli.reports.comparison import (
    Comparison,
    Row,
    Run,
    Verdict,
    compare,
    labelled,
    method_text,
    scenario_differences,
)
from polycast_cli.reports.curves import COLOURS, Knot, Line, curves
from polycast_cli.reports.forest import Change, forest
from polycast_cli.reports.page import number, percent, write_page
from polycast_cli.terminal import table

#: Rows in the terminal, on the page, and in its picture.
MOST_PRINTED, MOST_ROWS, MOST_CHANGES = 16, 2000, 40
COLUMNS = ["where", "quantity", "verdict", "change", "95 % interval", "p (Holm)", "first", "other", "judged by"]
LEFT = ("where", "quantity", "verdict", "judged by")


def digits(value: float) -> str:
    if abs(value) < 100:
        return f"{value:.4g}"
    return number(value, 1 if abs(value) < 1e5 else 0)


def signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f} %"


def p_text(row: Row) -> str:
    if row.p is None:
        return "–"
    return "< 0.0001" if row.p < 0.0001 else f"{row.p:.4f}"


def interval(row: Row) -> str:
    change = row.change
    if change is None or change.p is None or not row.a:
        return "–"
    return f"{signed(row.of_first(change.low))} to {signed(row.of_first(change.high))}"


def cells(row: Row) -> list[str]:
    said = f"{row.quantity}, {row.unit}"
    change = signed(row.percent) if row.passed is None else "–"
    values = [change, interval(row), p_text(row), digits(row.a), digits(row.b), method_text(row.change)]
    return [row.where, said, row.verdict, *values]


def print_comparison(found: Comparison) -> None:
    out.print(found.said)
    if found.same:
        return
    shown_rows = [row for row in found.rows if row.verdict not in (Verdict.EQUAL, Verdict.UNCLEAR)]
    shown_rows = (shown_rows or found.rows)[:MOST_PRINTED]
    rows = table(*COLUMNS[:-1], left=LEFT)
    for row in shown_rows:
        rows.add_row(*cells(row)[:-1])
    out.print(rows)
    if len(found.rows) > len(shown_rows):
        out.print(f"and {len(found.rows) - len(shown_rows):,} more on the page")
    for run, others in zip((found.a, found.b), found.alone, strict=True):
        if others:
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            out.print(f"only in {run.label}: {', '.join(others[:4])}{more}")


def changes(found: Comparison) -> list[Change]:
    """What the picture shows: all but what is equal or says nothing, the most significant first."""
    silent = (Verdict.EQUAL, Verdict.UNTESTED, Verdict.SATURATED)
    rows = [row for row in found.rows if row.change and row.percent is not None and row.verdict not in silent]
    made = []
    for row in rows[:MOST_CHANGES]:
        change = row.change
        assert change is not None
        low, high = row.of_first(change.low) or 0.0, row.of_first(change.high) or 0.0
        clear = row.verdict in (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED)
        tone = {Verdict.WORSE: "bad", Verdict.BETTER: "good"}.get(row.verdict, "plain")
        made.append(Change(f"{row.where}: {row.quantity}", row.percent or 0.0, low, high, clear, tone, row.verdict))
    return made


def overlays(runs: Sequence[Run]) -> list[dict[str, object]]:
    """Curves of latency against load, one picture for each name, one line for each run."""
    names = dict.fromkeys(curve.name for run in runs for curve in run.results.curves)
    pictures: list[dict[str, object]] = []
    for name in names:
        lines, rows = [], []
        for index, run in enumerate(runs):
            for curve in (curve for curve in run.results.curves if curve.name == name):
                knots = []
                for point in curve.points:
                    rows.append([
                        run.label, number(point.rate, 4), number(point.accepted, 4), number(point.latency_mean, 2),
                        number(point.latency_ci95, 2), "yes" if point.saturated else "no",
                    ])  # fmt: skip
                    if point.latency_mean is not None:
                        said = f"{run.label} at {point.rate:g}: {point.latency_mean:,.1f} cycles"
                        knots.append(
                            Knot(point.rate, point.latency_mean, point.latency_ci95, point.saturated, said)
                        )  # fmt: skip
                lines.append(Line(run.label, index, knots))
        title = f"{name}: latency against load"
        drawn = curves(lines, "offered load, flit/host/cycle", "mean latency, cycles", title)
        if drawn:
            legend = [(f"b{line.colour % COLOURS}", line.name) for line in lines]
            pictures.append({"name": f"curve-{name}", "title": title, "svg": drawn, "legend": legend, "rows": rows})
    return pictures


def run_rows(runs: Sequence[Run]) -> list[list[str]]:
    """Where the runs come from."""
    facts = {
        "folder": lambda run: os.path.relpath(run.path),
        "scenario": lambda run: run.results.scenario,
        "seed": lambda run: str(run.results.seed),
        "points": lambda run: f"{len(run.results.points):,}",
        "outcome": lambda run: "passed" if run.results.passed else "failed",
        "fidelity": lambda run: run.provenance.fidelity.network if run.provenance.fidelity else "–",
        "simulator": lambda run: run.provenance.version or "–",
        "compiler": lambda run: f"GCC {run.provenance.compiler}" if run.provenance.compiler else "–",
        "date": lambda run: run.provenance.date[:16].replace("T", " ") or "–",
        "wall time, s": lambda run: number(run.provenance.wall_seconds, 2),
    }
    return [[name, *(fact(run) for run in runs)] for name, fact in facts.items()]


def write_comparison(runs: Sequence[Run], comparisons: Sequence[Comparison], path: Path) -> Path:
    rows = [row for one in comparisons for row in one.rows]
    rows.sort(key=lambda row: row.order)
    links = [
        [one.run, one.where, number(one.links), number(one.changed), one.most, percent(one.a), percent(one.b)]
        for found in comparisons
        for one in found.links
    ]
    forests = [
        {
            "name": f"changes-{one.b.label}".replace("/", "-"),
            "title": f"{one.b.label} against {one.a.label}",
            "svg": drawn,
        }
        for one in comparisons
        if (drawn := forest(changes(one), f"{one.b.label} against {one.a.label}"))
    ]
    worse = sum(one.count(Verdict.WORSE) + one.count(Verdict.FAILS) for one in comparisons)
    return write_page(
        path,
        "comparison.html.j2",
        labels=[run.label for run in runs],
        good=worse == 0,
        word="The same" if all(one.same for one in comparisons) else "Some got worse" if worse else "Nothing got worse",
        comparisons=comparisons,
        several=len(comparisons) > 1,
        most=MOST_CHANGES,
        runs=run_rows(runs),
        scenario=scenario_differences(runs),
        columns=COLUMNS,
        left=[COLUMNS.index(name) for name in LEFT],
        rows=[(row.run, row.verdict.name.lower(), cells(row)) for row in rows[:MOST_ROWS]],
        left_out=len(rows) - len(rows[:MOST_ROWS]),
        forests=forests,
        overlays=overlays(runs),
        links=links[:MOST_ROWS],
        command=again("report", *(os.path.relpath(run.path) for run in runs)),
    )


def compare_runs(paths: Sequence[Path], output: Path | None, fail_on_worse: bool, threshold: float) -> Status:
    """The first of `paths` is what the others are compared with; the page goes into the last one's folder."""
    if threshold < 0:
        raise UserError(f"--threshold {threshold:g}: expected 0 or more percent")
    runs = labelled(paths)
    comparisons = [compare(runs[0], other) for other in runs[1:]]
    for row in scenario_differences(runs):
        out.print(f"{row[0]}: {' → '.join(row[1:])}")
    for one in comparisons:
        print_comparison(one)
    page = write_comparison(runs, comparisons, output or paths[-1] / "comparison.html")
    out.print(shown(page))
    worse = [row for one in comparisons for row in one.worse_by(threshold)]
    if fail_on_worse and worse:
        out.print(f"{len(worse):,} worse by more than {threshold:g} %")
        return Status.FAILED
    return Status.OK

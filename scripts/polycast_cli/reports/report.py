# SPDX-License-Identifier: Apache-2.0
"""Writes report.html of a results folder: one file that needs nothing else, for a browser, a phone or an e-mail."""

from __future__ import annotations

import csv
import os
import shlex
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from polycast_cli.common import Failure
from polycast_cli.reports import gantt
from polycast_cli.reports.broadcasts import films
from polycast_cli.reports.charts import Series, bars, distributions
from polycast_cli.reports.curves import Knot, Line, curves
from polycast_cli.reports.drawing import MOST_NODES, Graph, load_legend, network_svg
from polycast_cli.results import Check, Folder, Point, Results
from polycast_cli.waves import waves_in

#: Pictures of networks in one report; the first points get them.
MOST_PICTURES = 24
#: Rows of the table of points.
MOST_ROWS = 200


@dataclass
class Picture:
    """A network under one workload."""

    point: Point
    svg: Markup
    busiest: list[Any]


@dataclass
class Messages:
    """tables/latencies.csv: latencies of the completed messages by workload, and the hosts that sent some by point."""

    latencies: dict[str, list[float]]
    sources: dict[str, set[str]]


def messages(folder: Folder) -> Messages:
    """Empty without the table."""
    found = Messages(defaultdict(list), defaultdict(set))
    path = folder.path / "tables" / "latencies.csv"
    if path.is_file():
        with path.open(newline="") as stream:
            for row in csv.DictReader(stream):
                found.sources[row["point"]].add(row["source"])
                if row["latency"]:
                    found.latencies[row["workload"]].append(float(row["latency"]))
    return found


def finishes(results: Results) -> list[Series]:
    """The time that each allgather or broadcast takes, in the order of the scenario."""
    series = []
    for name in dict.fromkeys(point.workload.name for point in results.points):
        if results.is_collective(name):
            points = [p for p in results.points if p.workload.name == name and p.outcome == "complete"]
            values, places = [p.to_finish for p in points], [p.topology.name for p in points]
            series.append(Series(name, values, results.to_finish(name), labels=places))
    return series


def schemes(results: Results) -> list[Series]:
    """One series per workload in the order of the scenario."""
    summary = {row.workload: row for row in results.summary}
    series = []
    for name in dict.fromkeys(point.workload.name for point in results.points):
        points = [p for p in results.points if p.workload.name == name and p.latency.mean is not None]
        row = summary.get(name)
        series.append(
            Series(
                name,
                [p.latency.mean for p in points if p.latency.mean is not None],
                row.latency_mean if row else None,
                row.latency_ci95 if row else None,
                [p.topology.name for p in points],
            )
        )
    return series


def pictures(folder: Folder, results: Results, sources: dict[str, set[str]]) -> list[Picture]:
    graphs = {name: Graph.from_json(data) for name, data in folder.topologies().items()}
    found = []
    for point in results.points:
        graph = graphs.get(point.topology.name)
        if graph is None or not point.links or len(graph.switches) + len(graph.hosts) > MOST_NODES:
            continue
        label = f"{point.topology.name}, {point.workload.name}: load of every link"
        busiest = sorted(point.links, key=lambda link: -link.utilisation)[:5]
        senders = sources.get(point.id, set())
        source = next(iter(senders)) if len(senders) == 1 else None
        found.append(Picture(point, network_svg(graph, point.links, label, source), busiest))
        if len(found) == MOST_PICTURES:
            break
    return found


def load_chart(results: Results) -> Markup | None:
    """Latency against load; None without curves."""
    lines = [
        Line(
            curve.name,
            index,
            [
                Knot(
                    point.rate,
                    point.latency_mean,
                    point.latency_ci95,
                    point.saturated,
                    f"{point.workload}: {point.latency_mean:,.1f} cycles, accepts {point.accepted:.4f} flit/host/cycle",
                )
                for point in curve.points
                if point.latency_mean is not None
            ],
        )
        for index, curve in enumerate(results.curves)
    ]
    if not lines:
        return None
    return curves(lines, "offered load, flit/host/cycle", "mean latency, cycles", "Latency against load")


def accepted_chart(results: Results) -> Markup | None:
    """Accepted against offered bandwidth of rails; None without curves of them."""
    if not any(point.rails for point in results.points):
        return None
    lines = [
        Line(
            curve.name,
            index,
            [
                Knot(
                    point.rate,
                    point.accepted,
                    point.accepted_ci95,
                    note=f"{point.workload}: accepts {point.accepted:.4f} flit/host/cycle/rail",
                )
                for point in curve.points
            ],
        )
        for index, curve in enumerate(results.curves)
    ]
    if not lines:
        return None
    unit = "flit/host/cycle/rail"
    return curves(lines, f"offered, {unit}", f"accepted, {unit}", "Accepted against offered bandwidth")


def verdict(results: Results, total: Check) -> str:
    if results.passed:
        return f"Every one of the {total.expected:,} deliveries arrived exactly once and unchanged."
    if not results.points:
        return "No point was simulated."
    faults = ", ".join(f"{count:,} {name}" for name, count in total.faults.items())
    return f"{total.delivered:,} of {total.expected:,} deliveries arrived; {faults or 'the rest did not'}."


@cache
def environment() -> Environment:
    env = Environment(
        loader=PackageLoader("polycast_cli.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["number"] = lambda value, digits=0: "–" if value is None else f"{value:,.{digits}f}"
    env.filters["percent"] = lambda value: f"{100 * value:.2f} %"
    return env


def reproduce(folder: Folder) -> str:
    """The command that gives the same results again from the resolved scenario in the folder."""
    path = os.path.relpath(folder.path)
    return f"scripts/polycast run {shlex.quote(path + '/scenario.yaml')} --out {shlex.quote(path + '-again')}"


def render(folder: Folder) -> str:
    results = folder.results()
    provenance = folder.provenance()
    drawn = {point.workload for curve in results.curves for point in curve.points}
    series = [one for one in schemes(results) if one.name not in drawn]
    compared = [one for one in series if not results.is_collective(one.name)]
    finished = finishes(results)
    sent = messages(folder)
    single = {point.workload.name for point in results.points if point.broadcast}
    dist = [Series(s.name, sent.latencies.get(s.name, [])) for s in series if s.name not in single]
    total = results.total()
    unit = "steps" if results.in_steps() else "cycles"
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            results=results,
            unit=unit,
            total=total,
            verdict=verdict(results, total),
            points=results.points[:MOST_ROWS],
            failed=[point for point in results.points if not point.passed],
            comparison=bars(compared, unit, "Latency of the schemes") if any(s.values for s in compared) else None,
            finish=bars(finished, f"{unit} to finish", "Collectives side by side")
            if any(s.values for s in finished)
            else None,
            compared=[row for row in results.summary if not results.is_collective(row.workload)],
            finished=[row for row in results.summary if results.is_collective(row.workload)],
            distribution=distributions(dist, unit, "Latency of every message") if any(s.values for s in dist) else None,
            messages=sum(len(s.values) for s in dist),
            load_chart=load_chart(results),
            accepted_chart=accepted_chart(results),
            rails=[point for point in results.points if point.rails],
            films=films(folder, results.points),
            broadcasts=[point for point in results.points if point.broadcast],
            allgathers=[point for point in results.points if point.allgather],
            lane_broadcasts=[point for point in results.points if point.lanes and point.lanes.broadcast],
            lane_streams=[point for point in results.points if point.lanes and point.lanes.streams],
            pictures=pictures(folder, results, sent.sources),
            legend=load_legend(),
            activity=gantt.charts(folder),
            activity_legend=gantt.legend(),
            activity_columns=gantt.RESOURCES,
            waves=waves_in(folder.path),
            scenario=folder.text("scenario.yaml"),
            provenance=provenance,
            command=shlex.join(provenance.command),
            reproduce=reproduce(folder),
        )
    )


def write_report(path: Path) -> Path:
    """Writes report.html into the results folder `path`, whole or not at all. \\raises UserError where it is none."""
    folder = Folder(path)
    html = render(folder)
    target = path / "report.html"
    temporary = path / f".report.html.{os.getpid()}"
    try:
        temporary.write_text(html)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Failure(f"{target}: {error.strerror}") from None
    return target

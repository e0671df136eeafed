# SPDX-License-Identifier: Apache-2.0
"""Writes report.html of a results folder: one file that needs nothing else, for a browser, a phone or an e-mail."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from polycast_cli.clock import accepted_gigabits, gigabits, time_of
from polycast_cli.common import again
from polycast_cli.network import Network, Nodes
from polycast_cli.reports import collectives, gantt, link_layer, ports, programs
from polycast_cli.reports.broadcasts import FILM_LEGEND, films
from polycast_cli.reports.charts import Series, bars, distributions, percentile
from polycast_cli.reports.curves import COLOURS, Knot, Line, curves
from polycast_cli.reports.drawing import MOST_NODES, Graph, lay_out, load_legend, network_svg
from polycast_cli.reports.load_map import Cell, load_map
from polycast_cli.reports.page import number, percent, write_page
from polycast_cli.reports.rank_gantt import COLUMNS, LEGEND, rank_charts
from polycast_cli.reports.wave_picture import wave_picture
from polycast_cli.results import Check, Curve, Folder, LinkLoad, Point, Results, TopologyName
from polycast_cli.waves import waves_in

#: Pictures of networks in one report; the first points get them.
MOST_PICTURES = 24
#: Rows of the table of link loads below a picture.
MOST_LINKS = 400
#: Rows of the table of points.
MOST_ROWS = 200


@dataclass
class Picture:
    """A network under one workload with its busiest links; of a large one the cells of its map instead."""

    point: Point
    svg: Markup
    links: list[LinkLoad] = field(default_factory=list)
    cells: list[Cell] | None = None

    @property
    def file(self) -> str:
        return f"{self.point.topology.name}-{self.point.workload.name}-links"

    @property
    def id(self) -> str:
        return f"network-{self.file}"

    @property
    def name(self) -> str:
        return f"{self.point.topology.name}, {self.point.workload.name}"

    @property
    def caption(self) -> str:
        topology = self.point.topology
        said = f"{self.name}: {topology.switches:,} switches, {topology.hosts:,} hosts, {self.point.cycles:,} cycles"
        if self.point.links:
            busiest = self.point.links.busiest[0]
            said += f"; busiest link {busiest.source} → {busiest.target}, {percent(busiest.utilisation)}"
        if self.cells is not None:
            said += f". Too large to be drawn (more than {MOST_NODES:,} nodes): means of its links instead"
        return said

    @property
    def columns(self) -> list[str]:
        return ["from", "to", "busy", "flits", "packets"] if self.cells is None else list(Cell.COLUMNS)

    @property
    def rows(self) -> list[list[str]]:
        """The busiest links or cells, the first ones the busiest."""
        if self.cells is not None:
            return [
                [cell.name, number(len(cell.loads)), percent(cell.mean), percent(max(cell.loads))]
                for cell in self.cells[:MOST_LINKS]
            ]
        return [
            [link.source, link.target, percent(link.utilisation), number(link.flits), number(link.packets)]
            for link in self.links
        ]


@dataclass
class Messages:
    """tables/latencies.csv: latencies of the completed messages by workload, and the hosts that sent some by point."""

    latencies: dict[str, list[float]]
    sources: dict[str, set[str]]


def messages(folder: Folder) -> Messages:
    """Empty without the table."""
    found = Messages(defaultdict(list), defaultdict(set))
    for row in folder.rows("latencies"):
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
                results.remark(name),
            )
        )
    return series


def is_large(topology: TopologyName) -> bool:
    return topology.switches + topology.hosts > MOST_NODES


def pictures(folder: Folder, results: Results, sources: dict[str, set[str]]) -> tuple[list[Picture], int]:
    """Those of the first points, and of how many there could be one."""
    listed = {file.stem for file in (folder.path / "topology").glob("*.json")}
    points = [point for point in results.points if point.topology.name in listed and point.links]
    drawn = {point.id: point for point in points[:MOST_PICTURES]}
    graphs: dict[str, Graph] = {}
    for topology in (point.topology for point in drawn.values()):
        if topology.name not in graphs:
            graphs[topology.name] = Graph.of(folder.topology(topology.name, Nodes if is_large(topology) else Network))
    lay_out(graph for graph in graphs.values() if graph.links)
    found = []
    for id, read in folder.links():
        if (point := drawn.get(id)) is None:
            continue
        graph = graphs[point.topology.name]
        label = f"{point.topology.name}, {point.workload.name}: load of every link"
        if is_large(point.topology):
            svg, cells = load_map(graph, read, label)
            found.append(Picture(point, svg, cells=cells))
            continue
        loads = list(read)
        senders = sources.get(point.id, set())
        source = next(iter(senders)) if len(senders) == 1 else None
        busiest = sorted(loads, key=lambda link: -link.utilisation)[:MOST_LINKS]
        found.append(Picture(point, network_svg(graph, loads, label, source), busiest))
    return found, len(points)


def lines_of(curves: Sequence[Curve], y: str, half: str, said: str, hollow: bool = True) -> list[Line]:
    """A line for each curve through the `y` of its points; `said` is the format of their notes."""
    return [
        Line(curve.name, index, [
            Knot(point.rate, getattr(point, y), getattr(point, half), hollow and point.saturated, said.format(point))
            for point in curve.points if getattr(point, y) is not None
        ])
        for index, curve in enumerate(curves)
    ]  # fmt: skip


def load_chart(results: Results) -> Markup | None:
    """Latency against load; None without curves."""
    said = "{0.workload}: {0.latency_mean:,.1f} cycles, accepts {0.accepted:.4f} flit/host/cycle"
    lines = lines_of(results.curves, "latency_mean", "latency_ci95", said)
    return curves(lines, "offered load, flit/host/cycle", "mean latency, cycles", "Latency against load") or None


def accepted_chart(results: Results) -> Markup | None:
    """Accepted against offered bandwidth of rails; None without curves of them."""
    unit = "flit/host/cycle/rail"
    said = f"{{0.workload}}: accepts {{0.accepted:.4f}} {unit}"
    lines = lines_of(results.curves, "accepted", "accepted_ci95", said, hollow=False)
    if not lines or not any(point.rails for point in results.points):
        return None
    return curves(lines, f"offered, {unit}", f"accepted, {unit}", "Accepted against offered bandwidth")


def verdict(results: Results, total: Check) -> str:
    if results.passed:
        said = f"Every one of the {total.expected:,} deliveries arrived exactly once and unchanged."
        unrecovered = results.unrecovered
        return f"{said} But {unrecovered}." if unrecovered else said
    if not results.points:
        return "Nothing was simulated."
    return f"{total.delivered:,} of {total.expected:,} deliveries arrived; {results.wrong or 'the rest did not'}."


def reproduce(folder: Folder) -> str:
    """The command that gives the same results again from the resolved scenario in the folder."""
    path = os.path.relpath(folder.path)
    return again("run", f"{path}/scenario.yaml", "--out", f"{path}-again")


#: Columns of the table below the curves of loads.
CURVE_COLUMNS = ["traffic", "offered", "accepted", "± 95 %", "mean latency", "± 95 %", "saturated"]


def curve_rows(results: Results) -> list[list[str]]:
    return [
        [
            curve.name,
            number(point.rate, 4),
            number(point.accepted, 4),
            number(point.accepted_ci95, 4),
            number(point.latency_mean, 1),
            number(point.latency_ci95, 1),
            "yes" if point.saturated else "no",
        ]
        for curve in results.curves
        for point in curve.points
    ]


def curve_legend(results: Results) -> list[tuple[str, str]]:
    """With what hollow knots and arrows mean."""
    names = [(f"b{index % COLOURS}", curve.name) for index, curve in enumerate(results.curves)]
    return [*names, ("", "hollow: saturated; arrow: above the chart")]


def spreads(distribution: Sequence[Series]) -> list[list[str]]:
    rows = []
    for series in (one for one in distribution if one.values):
        marks = [min(series.values), *(percentile(series.values, share) for share in (0.5, 0.9, 0.99))]
        counts = [len(series.values), *marks, max(series.values)]
        rows.append([series.title, *(number(value) for value in counts)])
    return rows


def context(folder: Folder) -> dict[str, Any]:
    """What the template shows."""
    results = folder.results()
    provenance = folder.provenance()
    drawn = {point.workload for curve in results.curves for point in curve.points}
    series = [one for one in schemes(results) if one.name not in drawn]
    compared = [one for one in series if not results.is_collective(one.name)]
    finished = finishes(results)
    sent = messages(folder)
    single = {point.workload.name for point in results.points if point.broadcast or point.program}
    dist = [replace(s, values=sent.latencies.get(s.name, []), mean=None, ci95=None) for s in series]
    dist = [s for s in dist if s.name not in single]
    total = results.total()
    unit = "steps" if results.in_steps() else "cycles"
    (networks, drawable), (shown, recorded) = pictures(folder, results, sent.sources), gantt.charts(folder)
    played = films(folder, results.points)
    cables, layered = link_layer.link_pictures(folder, results.points, MOST_PICTURES)
    port_columns, port_rows = ports.port_rows(folder)
    measured = collectives.collectives_of(results.points)
    by_size = collectives.lines_of(measured)
    ranked, of_programs = programs.breakdowns(folder, results.points)
    over_time, not_over_time = rank_charts(folder, results.points)
    return {
        "results": results,
        "unit": unit,
        "total": total,
        "said": verdict(results, total),
        "points": results.points[:MOST_ROWS],
        "failed": [point for point in results.points if not point.passed],
        "differences": {point.id: wave_picture(folder, point) for point in results.points if not point.passed},
        "comparison": bars(compared, unit, "Latency of the schemes") if any(s.values for s in compared) else None,
        "finish": bars(finished, f"{unit} to finish", "Collectives side by side")
        if any(s.values for s in finished)
        else None,
        "compared": [row for row in results.summary if not results.is_collective(row.workload)],
        "finished": [row for row in results.summary if results.is_collective(row.workload)],
        "distribution": distributions(dist, unit, "Latency of every message") if any(s.values for s in dist) else None,
        "spreads": spreads(dist),
        "messages": sum(len(s.values) for s in dist),
        "load_chart": load_chart(results),
        "accepted_chart": accepted_chart(results),
        "curve_legend": curve_legend(results),
        "curve_columns": CURVE_COLUMNS,
        "curve_rows": curve_rows(results),
        "rails": [point for point in results.points if point.rails],
        "films": played,
        "film_options": [(film.id, f"{film.point.topology.name}, {film.point.workload.name}") for film in played],
        "film_legend": FILM_LEGEND,
        "broadcasts": [point for point in results.points if point.broadcast],
        "allgathers": [point for point in results.points if point.allgather],
        "lane_broadcasts": [point for point in results.points if point.lanes and point.lanes.broadcast],
        "lane_streams": [point for point in results.points if point.lanes and point.lanes.streams],
        "collective_times": collectives.time_chart(by_size),
        "collective_bandwidths": collectives.bandwidth_chart(by_size),
        "collective_legend": collectives.legend(by_size),
        "collective_columns": collectives.COLUMNS,
        "collective_rows": [one.row() for one in measured[: collectives.MOST_ROWS]],
        "all_collectives": len(measured),
        "programs": [point for point in results.points if point.program][:MOST_ROWS],
        "breakdowns": ranked,
        "breakdown_options": [(one.id, one.name) for one in ranked],
        "breakdown_columns": programs.COLUMNS,
        "breakdown_legend": programs.LEGEND,
        "of_programs": of_programs,
        "rank_charts": over_time,
        "no_rank_charts": not_over_time,
        "rank_chart_options": [(one.id, one.name) for one in over_time],
        "rank_chart_legend": LEGEND,
        "rank_chart_columns": COLUMNS,
        "pictures": networks,
        "picture_options": [(one.id, one.name) for one in networks],
        "drawable": drawable,
        "recorded": recorded,
        "links_file": (folder.path / "tables" / "links.csv").is_file(),
        "legend": [(f"u{step}", words) for step, words in load_legend()],
        "cables": cables,
        "cable_options": [(one.id, one.name) for one in cables],
        "cable_legend": link_layer.legend(),
        "cable_columns": link_layer.COLUMNS,
        "layered": layered,
        "port_columns": port_columns,
        "port_rows": port_rows,
        "most_ports": ports.MOST_PORTS,
        "time_of": partial(time_of, results),
        "gigabits": partial(gigabits, results),
        "accepted_gigabits": partial(accepted_gigabits, results),
        "timed": bool(results.units.cycle_ns) and not results.in_steps(),
        "shared": [point for point in results.points if point.jobs][:MOST_ROWS],
        "hostile": any(job.hostile for point in results.points for job in point.jobs),
        "reliable": [point for point in results.points if point.reliable][:MOST_ROWS],
        "unacknowledged": [
            (point, one) for point in results.points if point.reliable for one in point.reliable.failures
        ][:MOST_ROWS],
        "injected": [point for point in results.points if point.injected][:MOST_ROWS],
        "first_faults": [(point, one) for point in results.points if point.injected for one in point.injected.first][
            :MOST_ROWS
        ],
        "activity": shown,
        "activity_options": [(chart.id, chart.point) for chart in shown],
        "activity_legend": gantt.legend(),
        "activity_columns": ["host", *gantt.RESOURCES.values()],
        "waves": waves_in(folder.path),
        "scenario": folder.text("scenario.yaml"),
        "provenance": provenance,
        "command": shlex.join(provenance.command),
        "reproduce": reproduce(folder),
    }


def write_report(path: Path) -> Path:
    """Writes report.html into the results folder `path`, whole or not at all. \\raises UserError where it is none."""
    return write_page(path / "report.html", "report.html.j2", **context(Folder(path)))

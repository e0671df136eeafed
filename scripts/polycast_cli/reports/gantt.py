# SPDX-License-Identifier: Apache-2.0
"""The chart of one multicast: what every host, bus, interface processor and link did when."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice

from markupsafe import Markup

from polycast_cli.reports.charts import nice_ticks, text
from polycast_cli.reports.markup import escape
from polycast_cli.reports.page import number
from polycast_cli.results import Folder

WIDTH = 960
LEFT = 132
ROW = 11
#: Resources of a host from top to bottom, with the words of the chart.
RESOURCES = {
    "host_processor": "host",
    "bus": "I/O bus",
    "ni_processor": "NI processor",
    "functions": "firmware",
    "link_out": "link out",
    "link_in": "link in",
}
#: What a bar stands for: its colour class and the words of the legend.
USES = {
    "send": ("g-send", "send: t_hs at the host, t_ns at the NI"),
    "receive": ("g-receive", "receive: t_nr at the NI, t_hr at the host"),
    "from_host": ("g-send", ""),
    "to_host": ("g-receive", ""),
    "completion": ("g-other", ""),
    "packet": ("g-packet", "packet on a link"),
    "command": ("g-other", "command, book-keeping, completion"),
    "keep": ("g-other", ""),
    "other": ("g-other", ""),
}
#: Charts of one report.
MOST_CHARTS = 16
#: Hosts in one chart; more are named below it.
MOST_HOSTS = 64
#: Bars of one chart: beyond it the file becomes too heavy for a browser.
MOST_BARS = 8000


@dataclass
class Bar:
    resource: str
    use: str
    begin: int
    end: int
    about: str
    depth: int = 0


@dataclass
class Chart:
    """One point of tables/activity.csv."""

    point: str
    svg: Markup
    hosts: int
    end: int
    left_out: int = 0
    sums: list[tuple[str, dict[str, int]]] = field(default_factory=list)

    @property
    def file(self) -> str:
        return self.point.replace("/", "-") + "-activity"

    @property
    def id(self) -> str:
        return self.file

    @property
    def caption(self) -> str:
        hosts = "1 host" if self.hosts == 1 else f"{self.hosts:,} hosts"
        said = f"{self.point}: {hosts}, {self.end:,} cycles"
        if self.left_out:
            said += f"; {self.left_out:,} bars or hosts are left out, all are in tables/activity.csv"
        return said

    @property
    def rows(self) -> list[list[str]]:
        """Busy cycles of every host by resource."""
        return [[name, *(number(sums.get(key)) for key in RESOURCES)] for name, sums in self.sums]


def read(folder: Folder) -> dict[str, dict[str, list[Bar]]]:
    """Bars by point and host, in the order of the tables."""
    found: dict[str, dict[str, list[Bar]]] = defaultdict(lambda: defaultdict(list))
    for row in folder.rows("activity"):
        about = f"message {row['message']} of {row['source']}, byte {row['offset']}" if row["source"] else ""
        bar = Bar(row["resource"], row["use"], int(row["begin"]), int(row["end"]), about)
        found[row["point"]][row["host"]].append(bar)
    for row in folder.rows("functions"):
        bar = Bar("functions", row["function"], int(row["begin"]), int(row["end"]), "", int(row["depth"]))
        found[row["point"]][row["host"]].append(bar)
    return found


def merged(bars: list[Bar], gap: float) -> list[Bar]:
    """Joins neighbours of one use that are closer than `gap` cycles: they could not be told apart on the page."""
    joined: list[Bar] = []
    for bar in bars:
        last = joined[-1] if joined else None
        if last and last.use == bar.use and last.depth == bar.depth and bar.begin - last.end < gap:
            many = last.about if last.about.startswith("several") or last.about == bar.about else "several"
            joined[-1] = Bar(bar.resource, bar.use, last.begin, max(last.end, bar.end), many, bar.depth)
        else:
            joined.append(bar)
    return joined


def colour(bar: Bar, functions: dict[str, int]) -> str:
    if bar.resource == "functions":
        return f"c{functions.setdefault(bar.use, len(functions)) % 6}"
    return USES.get(bar.use, USES["other"])[0]


def draw(point: str, hosts: dict[str, list[Bar]]) -> Chart:
    """The hosts in the order in which they first did something."""
    begin = min(bar.begin for bars in hosts.values() for bar in bars)
    end = max(bar.end for bars in hosts.values() for bar in bars)
    order = sorted(hosts, key=lambda name: (min(bar.begin for bar in hosts[name]), name))
    shown = order[:MOST_HOSTS]
    scale = (WIDTH - LEFT - 12) / max(end - begin, 1)
    rows: list[tuple[str, str, list[Bar]]] = []
    for name in shown:
        by_resource: dict[str, list[Bar]] = defaultdict(list)
        for bar in sorted(hosts[name], key=lambda bar: (bar.begin, bar.end)):
            by_resource[bar.resource].append(bar)
        rows += [(name, key, merged(by_resource[key], 0.6 / scale)) for key in RESOURCES if by_resource[key]]
    y_of: list[float] = []
    y = 26.0
    for index, (name, _, _) in enumerate(rows):
        y += 7 if index and rows[index - 1][0] != name else 0
        y_of.append(y)
        y += ROW
    bottom = y + 4

    def x_of(cycle: float) -> float:
        return LEFT + (cycle - begin) * scale

    parts = [
        f'<svg class="gantt" viewBox="0 0 {WIDTH} {bottom + 40:.0f}" role="img">'
        f"<title>{escape(point)}: activity over time</title>"
        f"<desc>{len(order)} hosts from cycle {begin:,} to {end:,}; the table below has the sums.</desc>"
    ]
    parts.append('<g class="axis">')
    for tick in nice_ticks(begin, end, 8):
        x = x_of(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="18" y2="{bottom:.1f}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{text(tick)}</text>')
    parts.append(f'<text x="{WIDTH - 2}" y="{bottom + 33:.1f}" text-anchor="end">cycles</text></g>')
    functions: dict[str, int] = {}
    sums: dict[str, dict[str, int]] = defaultdict(dict)
    bars_drawn = left_out = 0
    for (name, key, bars), top in zip(rows, y_of, strict=True):
        first = name not in sums
        outermost = min(bar.depth for bar in bars)
        sums[name][key] = sum(bar.end - bar.begin for bar in bars if bar.depth == outermost)
        if first:
            parts.append(f'<text class="who" x="2" y="{top + 9:.1f}">{escape(name)}</text>')
        parts.append(f'<text class="what" x="{LEFT - 6}" y="{top + 8.5:.1f}" text-anchor="end">{RESOURCES[key]}</text>')
        parts.append(
            f'<line class="base" x1="{LEFT}" x2="{WIDTH - 12}" y1="{top + ROW - 1:.1f}" y2="{top + ROW - 1:.1f}"/>'
        )
        for bar in bars:
            if bars_drawn == MOST_BARS:
                left_out += 1
                continue
            bars_drawn += 1
            inset = min(bar.depth - outermost, 3) * 1.6
            said = f"{name}, {RESOURCES[key]}: {bar.use}, cycles {bar.begin:,} to {bar.end:,}" + (
                f"; {bar.about}" if bar.about else ""
            )
            width = max((bar.end - bar.begin) * scale, 0.8)
            parts.append(
                f'<rect class="{colour(bar, functions)}" x="{x_of(bar.begin):.1f}" y="{top + 1 + inset:.1f}"'
                f' width="{width:.1f}" height="{ROW - 3 - inset:.1f}"><title>{escape(said)}</title></rect>'
            )
    parts.append("</svg>")
    table = [(name, sums[name]) for name in shown]
    return Chart(point, Markup("".join(parts)), len(order), end, left_out + len(order) - len(shown), table)


def legend() -> list[tuple[str, str]]:
    """(class, words)"""
    return [entry for entry in USES.values() if entry[1]]


def charts(folder: Folder) -> tuple[list[Chart], int]:
    """One for each of the first points that were recorded, and how many were; none without the tables."""
    found = read(folder)
    return [draw(point, hosts) for point, hosts in islice(found.items(), MOST_CHARTS)], len(found)

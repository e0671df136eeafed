# SPDX-License-Identifier: Apache-2.0
"""Figures that need no simulation: lengths of headers, cells of decoders."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from polycast_cli.common import ROOT
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import Depth, Figure, Panel
from polycast_cli.studies.plan import Place

#: Hosts of a switch in networks that grow, and stops of the longest path worm.
HOSTS_OF_A_SWITCH, STOPS = 4, 8

#: Table of cells in this page: a row for each kind of header, ports, hosts and stops.
DECODE_PAGE = ROOT / "rtl" / "switch" / "README.md"
DECODE_TABLE = re.compile(r"<!-- begin decode size.*?-->\n(.*?)<!-- end decode size -->", re.DOTALL)
#: Its columns that together are the price of reading a header.
DECODE_COLUMNS = ("capture", "decode", "rewriting")


def bits_for(count: int) -> int:
    """Bits of a number below `count`."""
    return max(1, (count - 1).bit_length())


def header_bits(series: str, hosts: int, ports: int) -> float | None:
    """Bits that say where a worm goes. A switch number names a switch; a node number tells it from the hosts, too, as
    where one space of addresses holds both."""
    switches = hosts // HOSTS_OF_A_SWITCH
    stop, node_stop = bits_for(switches) + ports, bits_for(switches + hosts) + ports
    lengths = {
        "tree": hosts + 1,
        "ssr": stop,
        "path": STOPS * stop,
        "ssr_nodes": node_stop,
        "path_nodes": STOPS * node_stop,
    }
    return lengths.get(series)


def table_rows(text: str) -> list[dict[str, str]]:
    """Rows of the table between the markers of a page, by the words of its head."""
    found = DECODE_TABLE.search(text)
    lines = found[1].strip().splitlines() if found else []
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]] if cells else []


@cache
def decode_rows() -> list[dict[str, str]]:
    return table_rows(DECODE_PAGE.read_text()) if DECODE_PAGE.is_file() else []


def decode_cells(series: str, hosts: int, ports: int, rows: list[dict[str, str]] | None = None) -> float | None:
    """Logic cells that read, decode and rewrite such headers. Those of SSR and path worms do not know the hosts."""
    for row in decode_rows() if rows is None else rows:
        fits = row["header"].lower() == series and int(row["ports"]) == ports
        fits = fits and row["hosts"].replace(",", "") in ("-", str(hosts)) and row["stops"] in ("-", str(STOPS))
        if fits:
            return float(sum(int(row[column].replace(",", "")) for column in DECODE_COLUMNS))
    return None


COMPUTATIONS: dict[str, Callable[[str, int, int], float | None]] = {
    "header_bits": header_bits,
    "decode_cells": decode_cells,
}


def add_panel(figure: Figure, panel: Panel, depth: Depth, data: Data) -> None:
    compute = COMPUTATIONS[figure.computation]
    for model in figure.models_of(panel, depth):
        for series in figure.series_of(depth, panel):
            for x in figure.points_of(panel, depth):
                value = compute(series, int(x), int(panel.value))
                place = Place(figure.name, model, panel.label, series, x)
                if value is None:
                    data.missing.append(place)
                else:
                    sample = Sample(replica=1, outcome="computed", latency=None, messages=0, value=value)
                    data.add(Point(place, [sample]))


def add_computed(figure: Figure, depth: Depth, data: Data) -> None:
    """The points of a computed figure."""
    for panel in figure.panels_of(depth):
        add_panel(figure, panel, depth, data)

# SPDX-License-Identifier: Apache-2.0
"""Figures that need no simulation: lengths of headers, cells of decoders."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

from polycast_cli.common import ROOT
from polycast_cli.studies.data import Data, Point
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import Depth, Figure, Panel
from polycast_cli.studies.plan import Place

#: Hosts of a switch in networks that grow, and stops of the longest path worm.
HOSTS_OF_A_SWITCH, STOPS = 4, 8

#: Written by the synthesis of the decoders: columns decoder (tree, ssr, path), hosts, ports, cells.
DECODE_TABLE = ROOT / "rtl" / "switch" / "decode_cells.csv"


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


@cache
def decode_table(path: Path = DECODE_TABLE) -> dict[tuple[str, int, int], float]:
    """(decoder, hosts, ports) to cells; empty where nobody has synthesized them."""
    if not path.is_file():
        return {}
    rows = csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#"))
    return {(row["decoder"], int(row["hosts"]), int(row["ports"])): float(row["cells"]) for row in rows}


def decode_cells(series: str, hosts: int, ports: int) -> float | None:
    return decode_table().get((series, hosts, ports))


COMPUTATIONS: dict[str, Callable[[str, int, int], float | None]] = {
    "header_bits": header_bits,
    "decode_cells": decode_cells,
}


def add_panel(figure: Figure, panel: Panel, depth: Depth, data: Data) -> None:
    compute = COMPUTATIONS[figure.computation]
    for model in figure.models_of(panel, depth):
        for series in figure.series_of(depth):
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

# SPDX-License-Identifier: Apache-2.0
"""Counters of ports in the report, by InfiniBand's names: first those at which packets were lost, or waited longest."""

from __future__ import annotations

from collections.abc import Sequence

from polycast_cli.reports.page import number
from polycast_cli.results import Point, PortCounters

MOST_PORTS = 200
#: In a row; all counters are in results.json.
COUNTERS = [
    "PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts", "PortMulticastXmitPkts", "PortMulticastRcvPkts",
    "PortXmitWait", "PortXmitDiscards", "PortRcvSwitchRelayErrors", "PortRcvErrors", "PortBufferOverrunErrors",
]  # fmt: skip
ERRORS = COUNTERS[-4:]
COLUMNS = ["run", "port", *COUNTERS]


def importance(port: PortCounters) -> tuple[int, int, int]:
    return -sum(port.counts[name] for name in ERRORS), -port.counts["PortXmitWait"], -port.counts["PortXmitData"]


def port_rows(points: Sequence[Point]) -> tuple[list[list[str]], int]:
    """The rows, and how many ports there are in all."""
    ports = [(point.id, port) for point in points for port in point.ports]
    ports.sort(key=lambda row: importance(row[1]))
    rows = [[id, port.port, *(number(port.counts[name]) for name in COUNTERS)] for id, port in ports[:MOST_PORTS]]
    return rows, len(ports)

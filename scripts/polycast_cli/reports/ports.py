# SPDX-License-Identifier: Apache-2.0
"""Counters of ports in the report, by InfiniBand's names: first those at which packets were lost, or waited longest."""

from __future__ import annotations

from heapq import nsmallest

from polycast_cli.reports.page import number
from polycast_cli.results import Folder

MOST_PORTS = 200
#: A report is to be there soon, and larger tables take a minute to read.
MOST_BYTES = 50_000_000
#: Those that every network has.
LOADS = ["PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts"]
RATES = {"xmit_gbit_s": "Gbit/s out", "rcv_gbit_s": "Gbit/s in"}
ERRORS = ["PortXmitDiscards", "PortRcvSwitchRelayErrors", "PortRcvErrors", "PortBufferOverrunErrors"]
#: Those that VL switches count.
OF_LANES = ["PortMulticastXmitPkts", "PortMulticastRcvPkts", "PortXmitWait", *ERRORS]

Row = dict[str, str]


def importance(row: Row) -> tuple[int, int, int]:
    def count(name: str) -> int:
        return int(row[name] or 0)

    return -sum(count(name) for name in ERRORS), -count("PortXmitWait"), -count("PortXmitData") - count("PortRcvData")


def port_rows(folder: Folder) -> tuple[list[str], list[list[str]]]:
    """Titles and rows of the most important ports of tables/ports.csv; no rows where it is not there, or too large."""
    file = folder.path / "tables" / "ports.csv"
    rows: list[Row] = []
    if file.is_file() and file.stat().st_size <= MOST_BYTES:
        rows = nsmallest(MOST_PORTS, folder.rows("ports"), key=importance)
    counters = LOADS + (OF_LANES if any(row["PortXmitWait"] for row in rows) else [])
    titles = ["run", "port", *RATES.values(), *counters]
    return titles, [
        [
            row["point"],
            row["port"],
            *(number(float(row[name]), 3) for name in RATES),
            *(number(int(row[name])) if row[name] else "–" for name in counters),
        ]
        for row in rows
    ]

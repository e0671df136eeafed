# SPDX-License-Identifier: Apache-2.0
"""`why --critical`: why a program took as long as it did, from its start to its end without a gap."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from polycast_cli.common import UserError, out, shown
from polycast_cli.results import Folder
from polycast_cli.terminal import table

#: Rows of the path that are shown; all are in the table.
MOST = 40
#: Columns of tables/critical_path.csv, by hw/workloads/program/critical_path.h.
WORDS = {
    "compute": "computes",
    "copy_reduce": "copies or reduces",
    "busy": "waits for the processor",
    "t_hs": "send overhead",
    "t_hr": "receive overhead",
    "credit": "waits for a credit",
    "grant": "waits for its receive",
    "network": "on its way: buses, interfaces, links",
    "order": "waits for an earlier message",
    "bus": "on a bus",
    "ni_send": "in the interface that sends",
    "link": "on links and in chips",
    "link_wait": "waits for a link",
    "ni_receive": "in the interface that receives",
}


def paths_of(folder: Folder) -> dict[str, list[dict[str, str]]]:
    rows = folder.rows("critical_path")
    return {point: list(segments) for point, segments in groupby(rows, key=lambda row: row["point"])}


def place_of(segment: dict[str, str]) -> str:
    """Where, and behind what; nothing where the run was not asked for it (`critical_path: network`)."""
    place = segment.get("place") or ""
    return f"{place} behind {segment['behind']}" if segment.get("behind") else place


def chosen_run(names: list[str], run: str) -> str:
    """\\param run part of the name of the run, where there are several"""
    found = [name for name in names if run in name]
    chosen = [name for name in found if name == run or name.split("/")[-1] == run] or found
    if len(chosen) != 1:
        raise UserError(f"--log {run or '...'}: {'several runs' if chosen else 'no such run'}: {', '.join(names)}")
    return chosen[0]


def show_critical(folder: Folder, run: str, as_json: bool) -> None:
    """\\param run part of the name of the run, where there are several"""
    paths = paths_of(folder)
    if not paths:
        raise UserError(
            f"{shown(folder.path)}: no critical path: no program of at most 2^20 operations has ended there"
        )
    chosen = chosen_run(list(paths), run)
    path = paths[chosen]
    if as_json:
        out.print_json(data=path)
        return
    finish = int(path[-1]["to"])
    by: Counter[str] = Counter()
    for segment in path:
        by[segment["what"]] += int(segment["to"]) - int(segment["from"])
    out.print(f"{chosen}: {finish:,} cycles, of which", soft_wrap=True)
    shares = table("what", "cycles", "share")
    for what, cycles in by.most_common():
        shares.add_row(WORDS[what], f"{cycles:,}", f"{cycles / finish:.1%}")
    out.print(shares)
    longest = set(sorted(range(len(path)), key=lambda i: int(path[i]["from"]) - int(path[i]["to"]))[:MOST])
    places = any(place_of(segment) for segment in path)
    columns = ("from", "cycles", "what", "operation", *(["where"] if places else []))
    steps = table(*columns, left=("what", "operation", "where"))
    for index, segment in enumerate(path):
        if index in longest:
            cycles = int(segment["to"]) - int(segment["from"])
            row = [f"{int(segment['from']):,}", f"{cycles:,}", WORDS[segment["what"]], segment["name"]]
            steps.add_row(*row, *([place_of(segment)] if places else []))
    out.print(steps)
    if len(path) > MOST:
        out.print(f"the {MOST} longest of {len(path):,} segments; all are in tables/critical_path.csv")

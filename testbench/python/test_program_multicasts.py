# SPDX-License-Identifier: Apache-2.0
"""Collectives that switches and the firmware of interfaces copy, as programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, refused, said, simulate

PROGRAM = SCENARIOS / "program.yaml"
CHAKRA = ROOT / "testbench" / "data" / "programs" / "chakra"
SMALL = (
    "network.topology={kind: irregular, switches: 3, ports: 8, hosts: 9, instances: 1}",
    "packet={header: free}",
)
ALL = "[worm, path, ssr, ni, hybrid, binomial]"


def loads(text: str) -> str:
    return f"workload=[{{name: c, kind: collective, {text}}}]"


def points(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "results.json").read_text())["points"]
    return found


EVERY = (
    f"workload=[{{name: b, kind: collective, collective: broadcast, algorithm: {ALL}, size: 3 KiB, root: 2}}, "
    "{name: a, kind: collective, algorithm: reduce_worm, size: 1 KiB, type: bf16, repeat: 2}, "
    "{name: g, kind: collective, collective: allgather, algorithm: worms, size: 900 B, inplace: true}]"
)


@pytest.mark.parametrize("fidelity", ["tlm", "rtl"])
def test_the_same_in_every_fidelity(fidelity: str, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "core", EVERY, *SMALL)
    simulate(PROGRAM, tmp_path / "other", EVERY, *SMALL, f"network.fidelity={fidelity}")
    assert files(tmp_path / "core") == files(tmp_path / "other")
    runs = points(tmp_path / "core")
    assert len(runs) == 8
    for run in runs:
        assert run["passed"]
        assert run["program"]["wrong_results"] == 0
        found = run["program"]["critical_path"]
        assert sum(found["by"].values()) == run["program"]["finish"]["cycles"]
    with (tmp_path / "core" / "tables" / "ranks.csv").open() as table:
        for row in csv.DictReader(table):
            states = ("compute", "t_hs", "t_hr", "copy_reduce", "wait_credit", "wait_grant", "wait_message")
            assert sum(int(row[state]) for state in states) == int(row["finish"])


def test_a_worm_takes_as_long_as_a_multicast_alone(tmp_path: Path) -> None:
    others = ", ".join(f"host{i}" for i in range(9) if i != 2)
    alone = (
        "workload=["
        + ", ".join(
            f"{{name: {scheme}, kind: multicast, scheme: {scheme}, message: 3 KiB, source: host2, "
            f"destinations: [{others}]}}"
            for scheme in ("tree", "path", "ssr", "ni", "hybrid")
        )
        + "]"
    )
    simulate(PROGRAM, tmp_path / "alone", alone, *SMALL)
    simulate(PROGRAM, tmp_path / "program", EVERY, *SMALL)
    wanted = [int(run["latency"]["max"]) for run in points(tmp_path / "alone")]
    assert [run["program"]["finish"]["cycles"] for run in points(tmp_path / "program")[:5]] == wanted


def test_firmware_on_a_processor_copies_the_same_bytes(tmp_path: Path) -> None:
    load = loads(f"collective: broadcast, algorithm: {ALL}, size: 1 KiB, root: 1")
    simulate(PROGRAM, tmp_path / "iss", load, *SMALL, "ni.processor=iss")
    for run in points(tmp_path / "iss"):
        assert run["passed"]
        assert run["check"]["messages"]["delivered"] == 8


@pytest.mark.parametrize(
    "network",
    [
        "network.topology={kind: mesh, radix: 3, dimensions: 2}",
        "network.topology={kind: fat_tree, nodes: 16, arity: 4}",
    ],
)
def test_interfaces_copy_where_routers_do_not(network: str, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", loads("collective: broadcast, algorithm: [ni, binomial], size: 2 KiB"), network)
    ni, binomial = points(tmp_path / "out")
    assert ni["passed"]
    assert ni["program"]["finish"]["cycles"] < binomial["program"]["finish"]["cycles"]
    said_so = refused(PROGRAM, loads("collective: broadcast, algorithm: worm"), network)
    assert "scheme 'tree'" in said_so
    assert "routers copy no worms" in said_so


def test_the_reference_machine_has_no_worms() -> None:
    load = loads("collective: broadcast, algorithm: worm, machine: loggops")
    assert "'worm' is done by switches and interfaces, and 'machine: loggops' has none" in refused(PROGRAM, load)
    text = said("program", "run", CHAKRA / "all_gather.et", "--ranks", "4", "--algorithms", "allgather=worms", status=2)
    assert "the LogGOPS model has no multicasts of switches and interfaces" in text
    text = said(
        "program",
        "convert",
        CHAKRA / "all_gather.et",
        "--ranks",
        "4",
        "--algorithms",
        "allgather=worms",
        "out.goal",
        status=2,
    )
    assert "GOAL has no multicasts" in text


def test_traces_take_worms(tmp_path: Path) -> None:
    load = (
        f"workload=[{{name: t, kind: program, path: {CHAKRA / 'all_gather.et'}, ranks: 4, "
        "algorithms: {allgather: worms}}]"
    )
    simulate(PROGRAM, tmp_path / "out", load, *SMALL)
    (run,) = points(tmp_path / "out")
    assert run["passed"]
    assert [each["algorithm"] for each in run["program"]["collectives"]] == ["worms"] * len(
        run["program"]["collectives"]
    )


def test_headers_in_flits_are_no_hindrance(tmp_path: Path) -> None:
    """Packets of worms are longer than those of unicasts, which the switches of such a network are made for."""
    network = "network.topology={kind: irregular, switches: 3, ports: 8, hosts: 9, instances: 1}"
    simulate(PROGRAM, tmp_path / "out", loads(f"collective: broadcast, algorithm: {ALL}, size: 1 KiB"), network)
    assert all(run["passed"] for run in points(tmp_path / "out"))
    text = refused(PROGRAM, loads("collective: broadcast, algorithm: path"), network, "switch.packet_limit=170 flit")
    assert "cuts packets at 170 flits" in text

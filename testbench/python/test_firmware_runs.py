# SPDX-License-Identifier: Apache-2.0
"""Firmware in whole networks: the ways to run it agree, and its tools write what they promise."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest
from simulation import SCENARIOS, points, sim

FORWARDING = SCENARIOS / "forwarding.yaml"


def simulate(out: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    return sim("run", FORWARDING, *arguments, "--out", out, "--progress", "none", status=status)


def latencies(folder: Path) -> dict[str, float]:
    found = points(folder)
    assert all(point.passed for point in found)
    return {point.workload.name: point.latency.mean or 0.0 for point in found}


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / "tables" / table).open(newline="") as stream:
        return list(csv.DictReader(stream))


def same_results(a: Path, b: Path) -> bool:
    return all((a / name).read_bytes() == (b / name).read_bytes() for name in ("results.json", "tables/links.csv"))


@pytest.fixture(scope="module")
def iss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("iss") / "out"
    simulate(out, "-s", "ni.processor=iss", "--profile", "host5", "--instructions", "host5")
    return out


def test_rtl_takes_the_cycles_of_iss(iss: Path, tmp_path: Path) -> None:
    """One interface in SystemVerilog among thirty-one on the simulator: the same results, byte by byte."""
    simulate(tmp_path / "rtl", "-s", "ni.processor=iss", "-s", "ni.hosts={host5: rtl}")
    assert same_results(tmp_path / "rtl", iss)


def test_measured_costs_come_close_to_iss(iss: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "measured", "-s", "ni.costs=measured")
    exact = latencies(iss)
    for name, latency in latencies(tmp_path / "measured").items():
        assert latency == pytest.approx(exact[name], rel=0.15), name


def test_waves_change_nothing(iss: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "waves", "-s", "ni.processor=iss", "--waves=host5")
    assert same_results(tmp_path / "waves", iss)
    assert (tmp_path / "waves" / "waves" / "irregular-1-fpfs.fst").is_file()


def test_profile_and_instructions(iss: Path) -> None:
    profile = (iss / "firmware" / "host5-profile.txt").read_text()
    assert "ni_firmware_step" in profile
    assert "stack: " in profile
    instructions = (iss / "firmware" / "host5-instructions.txt").read_text().splitlines()
    assert len(instructions) > 10000
    assert "00000080" in instructions[1]


def test_activity_begins_with_the_first_message(iss: Path) -> None:
    bars = rows(iss, "activity.csv")
    assert {row["point"] for row in bars} == {f"irregular-1/{name}" for name in ("fpfs", "fcfs", "software", "tree")}
    assert {"host_processor", "bus", "ni_processor", "link_out", "link_in"} == {row["resource"] for row in bars}
    sent = min(int(row["end"]) for row in bars if row["use"] == "send" and row["resource"] == "host_processor")
    assert min(int(row["end"]) for row in bars) > sent - 1001
    functions = rows(iss, "functions.csv")
    assert "forward_copy" in {row["function"] for row in functions}
    assert all(int(row["begin"]) < int(row["end"]) for row in functions)


def test_unknown_firmware_is_refused(tmp_path: Path) -> None:
    done = simulate(tmp_path / "out", "-s", "ni.firmware=nowhere", status=2)
    assert "ni.firmware=nowhere" in done.stderr
    assert "libpolycast_firmware.so" in done.stderr
    assert not (tmp_path / "out").exists()


def test_gdb_port_must_be_a_number(tmp_path: Path) -> None:
    done = simulate(tmp_path / "out", "--gdb", "host5:x", status=2)
    assert "'x' is no port number" in done.stderr

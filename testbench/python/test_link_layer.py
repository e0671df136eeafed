# SPDX-License-Identifier: Apache-2.0
"""Cables with a link layer: every scenario that can have one delivers the same, in every fidelity."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from simulation import SCENARIOS, files, points, refused, simulate

#: Those that section 11 of the link's specification refuses, and words of the reason.
REFUSED = {
    "bursty": "host.model: ideal",
    "bypass_torus": "broadcast units send without credits",
    "bypass_torus_steps": "broadcast units send without credits",
    "coding": "host.model: ideal",
    "mesh": "host.model: ideal",
    "multilane": "no meaning with 'network.topology.kind: sites'",
    "multirail": "event",
}
#: What makes long ones short.
SHORT = {
    "load": ("measurement.warmup=500", "measurement.window=3000"),
    "fat_tree": ("measurement.warmup=500", "measurement.window=2000"),
    "dragonfly": ("measurement.warmup=500", "measurement.window=2000"),
}
#: A sweep is several scenarios; own RTL is compared with the core in a test of its own; a bad cable and
#: wires that lose messages have no plain run.
NAMES = sorted(
    {path.stem for path in SCENARIOS.glob("*.yaml")} - REFUSED.keys() - {"sweep", "own_rtl", "bad_cable", "reliable"}
)
LAYER = "network.link.layer=retry"


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_deliver_the_same_with_retry(name: str, tmp_path: Path) -> None:
    short = SHORT.get(name, ())
    simulate(SCENARIOS / f"{name}.yaml", tmp_path / "none", *short)
    simulate(SCENARIOS / f"{name}.yaml", tmp_path / "retry", *short, LAYER)
    bare, layered = points(tmp_path / "none"), points(tmp_path / "retry")
    assert len(bare) == len(layered) > 0
    for one, other in zip(bare, layered, strict=True):
        assert other.passed, other.id
        if one.throughput is None:
            assert one.check.expected == other.check.expected
    assert not (tmp_path / "none" / "tables" / "link_layer.csv").exists()
    rows = list(csv.DictReader((tmp_path / "retry" / "tables" / "link_layer.csv").open()))
    assert {row["tx_state"] for row in rows} == {"advance"}
    whole = {point.id for point in layered if point.outcome == "complete"}
    frames: Counter[str] = Counter()
    for row in rows:
        frames[row["point"]] += int(row["llr_tx_ok"]) - int(row["llr_rx_ok"])
    assert sum(frames[point] for point in whole) == 0, "nothing is left on the wires of a run that ended by itself"
    assert sum(int(row["llr_rx_ok"]) for row in rows) > 0
    assert sum(int(row["frames_resent"]) + int(row["llr_rx_bad"]) for row in rows) == 0


@pytest.mark.parametrize("name", REFUSED)
def test_scenarios_that_cannot_have_one_are_refused(name: str) -> None:
    said = refused(SCENARIOS / f"{name}.yaml", LAYER)
    assert "network.link.layer" in said
    assert REFUSED[name] in said
    assert "take 'network.link.layer: none'" in said or "leave it out" in said


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.threads=4"])
@pytest.mark.parametrize("layer", ["check", "retry"])
def test_results_are_the_same_for_every_fidelity_and_any_threads(setting: str, layer: str, tmp_path: Path) -> None:
    scenario = SCENARIOS / "mesh_interfaces.yaml"
    common = (f"network.link.layer={layer}", "measurement.warmup=500", "measurement.window=3000")
    simulate(scenario, tmp_path / "core", *common)
    simulate(scenario, tmp_path / "other", *common, setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_a_partition_takes_cables_along(tmp_path: Path) -> None:
    scenario = SCENARIOS / "mesh_interfaces.yaml"
    chips = [f"{kind}{number} {number % 2}" for kind in ("router", "host") for number in range(16)]
    (tmp_path / "parts").write_text("\n".join(chips) + "\n")
    common = (LAYER, "measurement.warmup=500", "measurement.window=2000")
    simulate(scenario, tmp_path / "one", *common)
    simulate(scenario, tmp_path / "two", *common, "network.threads=2", f"network.partition={tmp_path / 'parts'}")
    assert files(tmp_path / "one").items() <= files(tmp_path / "two").items()


def test_totals_are_the_sums_of_the_table(tmp_path: Path) -> None:
    simulate(SCENARIOS / "first_light.yaml", tmp_path / "out", LAYER)
    rows = list(csv.DictReader((tmp_path / "out" / "tables" / "link_layer.csv").open()))
    for point in json.loads((tmp_path / "out" / "results.json").read_text())["points"]:
        layer = point["link_layer"]
        own = [row for row in rows if row["point"] == point["id"]]
        assert layer["down"] == []
        assert len(own) == 2 * layer["cables"]
        for counter in ("llr_tx_ok", "llr_rx_ok", "cbfc_num_cf_update_messages_tx"):
            assert layer[counter] == sum(int(row[counter]) for row in own)
        assert layer["ring_max"] == max(int(row["ring_max"]) for row in own)


@pytest.mark.parametrize(
    ("settings", "key", "why", "proposal"),
    [
        (("trailer=beside",), "network.link.trailer", "needs flits of 4 bytes or more, and they have 1", "inline"),
        (("trailer=beside", "frame=2"), "network.link.frame", "a frame is one flit, not 2", "take 'auto'"),
        (("frame=257",), "network.link.frame", "'network.link.frame' must be 1..256", ""),
        (("frame=11",), "network.link.frame", "of 64 B has more bits", "take at most 10"),
        (("sequence_bits=4", "window=9"), "network.link.window", "more than half the 16 sequence numbers", "at most 8"),
        (("window_bytes=64 B",), "network.link.window_bytes", "does not hold a frame of 128 B", "at least 128 B"),
        (("replay_timer=20 cycle",), "network.link.replay_timer", "without any fault", "take at least"),
        (("credit_timer=20 cycle",), "network.link.credit_timer", "the replay timer", "take at least"),
        (("age_timeout=20 cycle",), "network.link.age_timeout", "gives up", "take at least"),
        (("lifetime=20 cycle",), "network.link.lifetime", "gives up", "take at least"),
        (("layer=check", "window=4"), "network.link.window", "no meaning", ""),
        (("layer=none", "frame=4"), "network.link.frame", "no meaning", ""),
    ],
)
def test_what_no_link_end_can_do_is_refused(settings: tuple[str, ...], key: str, why: str, proposal: str) -> None:
    flit = {"trailer=beside": "1 B" if len(settings) == 1 else "4 B", "frame=11": "64 B"}.get(settings[0], "1 B")
    changes = [LAYER, f"switch.flit={flit}", *(f"network.link.{setting}" for setting in settings)]
    said = refused(SCENARIOS / "first_light.yaml", *changes)
    assert key in said
    assert why in said, said
    assert proposal in said, said


def test_buffers_that_hold_the_longest_packet_only_with_the_place_kept_free_are_refused(tmp_path: Path) -> None:
    switches = SCENARIOS / "first_light.yaml"
    mesh = SCENARIOS / "mesh_interfaces.yaml"
    longest = "switch.buffer=176 flit"
    simulate(switches, tmp_path / "bare", longest)
    said = refused(switches, longest, LAYER)
    assert "of which the link layer keeps a chunk free" in said
    assert "raise 'switch.buffer' to 184 flit" in said
    simulate(switches, tmp_path / "out", "switch.buffer=184 flit", LAYER)
    said = refused(mesh, "router.buffer=11 flit", LAYER)
    assert "of which the link layer keeps one free" in said
    assert "take 12 flits" in said

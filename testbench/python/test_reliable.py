# SPDX-License-Identifier: Apache-2.0
"""Reliable messages: delivered once to all, or the source is told who lacks them; the same in every fidelity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from polycast_cli.reports.report import write_report
from simulation import SCENARIOS, files, refused, simulate
from test_ranks import on_ranks

RELIABLE = SCENARIOS / "reliable.yaml"
COPIES = {"unicast": 36, "software": 9, "ni": 9, "tree": 9, "path": 9, "ssr": 9, "hybrid": 9}
ONE_OF_EACH = "workload[0].messages=1"


def workload(scheme: str, more: str) -> str:
    """One of the scenario's kinds alone; unicasts go to all."""
    kind = (
        "kind: unicast, pattern: each_to_each" if scheme == "unicast" else f"kind: multicast, scheme: {scheme}, {more}"
    )
    return f"workload=[{{name: one, {kind}, message: 1024 B, reliable: true}}]"


def points(out: Path) -> dict[str, dict[str, Any]]:
    return {point["workload"]["name"]: point for point in json.loads((out / "results.json").read_text())["points"]}


def test_all_that_wires_spoil_is_repaired(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "out")
    found = points(tmp_path / "out")
    assert set(found) == set(COPIES)
    for name, point in found.items():
        messages, reliable = point["check"]["messages"], point["reliable"]
        assert point["passed"], name
        assert messages["delivered"] == messages["expected"] == COPIES[name], name
        assert messages["duplicated"] == messages["corrupted"] == reliable["failed"] == reliable["broken"] == 0, name
        assert reliable["acknowledged"] > 0, name
    assert sum(point["reliable"]["repairs"] for point in found.values()) > 5
    assert sum(point["reliable"]["probes"] for point in found.values()) > 0


def test_without_faults_nothing_is_sent_again(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "out", "faults.links=[{rate: 0}]", "network.link.layer=none")
    for name, point in points(tmp_path / "out").items():
        reliable = point["reliable"]
        assert point["passed"], name
        assert reliable["repairs"] == reliable["repeated"] == reliable["probes"] == reliable["declines"] == 0, name
        assert reliable["receipts"] > 0, name


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=3"])
def test_the_same_in_every_fidelity(setting: str, tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "core")
    simulate(RELIABLE, tmp_path / "other", setting)
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_the_same_on_ranks(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "one")
    on_ranks(2, RELIABLE, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_firmware_on_its_own_processor(tmp_path: Path) -> None:
    simulate(RELIABLE, tmp_path / "core", "ni.processor=iss", ONE_OF_EACH)
    for name, point in points(tmp_path / "core").items():
        assert point["passed"], name
        assert point["check"]["messages"]["delivered"] == point["check"]["messages"]["expected"], name
    simulate(RELIABLE, tmp_path / "threads", "ni.processor=iss", ONE_OF_EACH, "network.threads=2")
    assert files(tmp_path / "core") == files(tmp_path / "threads")


@pytest.mark.parametrize("scheme", ["unicast", "software", "ni", "tree", "path", "ssr", "hybrid"])
@pytest.mark.parametrize("layer", ["check", "retry"])
def test_a_host_that_is_cut_off_is_named(scheme: str, layer: str, tmp_path: Path) -> None:
    """Its cable is dead from the beginning: no message is lost without a word, and the others have it."""
    settings = (
        f"network.link.layer={layer}",
        "faults={verdict: reported, events: [{at: 1, link: 'host3', what: dead}]}",
        "ni.reliable.attempts=2",
    )
    simulate(
        RELIABLE, tmp_path / "out", workload(scheme, "source: host0, destinations: [host1, host3, host7]"), *settings
    )
    (point,) = points(tmp_path / "out").values()
    messages, reliable = point["check"]["messages"], point["reliable"]
    assert point["passed"]
    assert messages["missing"] == messages["told"] > 0
    assert reliable["broken"] == 0
    assert reliable["failed"] > 0
    if scheme != "unicast":
        named = {host["host"] for failure in reliable["failures"] for host in failure["lacking"]}
        assert "host3" in named


def test_the_report_says_who_lacks_what(tmp_path: Path) -> None:
    dead = "faults={verdict: reported, events: [{at: 1, link: 'host3', what: dead}]}"
    one = workload("tree", "source: host0, destinations: [host1, host3]")
    simulate(RELIABLE, tmp_path / "out", one, dead, "ni.reliable.attempts=2")
    (point,) = points(tmp_path / "out").values()
    text = write_report(tmp_path / "out").read_text()
    (failure,) = point["reliable"]["failures"]
    assert "<h2>Reliable messages</h2>" in text
    assert f'<td class="left">{failure["why"]}</td><td class="left">host3 (' in text
    simulate(RELIABLE, tmp_path / "without", one.replace("true", "false"), "faults={}")
    assert "Reliable messages" not in write_report(tmp_path / "without").read_text()


def test_the_time_out_is_that_of_the_workload(tmp_path: Path) -> None:
    """Longer messages have a longer one, whatever spoils the wires; a given one is taken."""
    timeouts = {}
    for bytes_ in (128, 4096):
        for rate in ("0", "2e-5"):
            simulate(
                RELIABLE,
                tmp_path / f"{bytes_}{rate}",
                f"faults.links=[{{rate: {rate}}}]",
                f"workload.tree.message={bytes_}",
            )
            timeouts[bytes_, rate] = points(tmp_path / f"{bytes_}{rate}")["tree"]["reliable"]["timeout"]
    assert timeouts[128, "0"] == timeouts[128, "2e-5"] < timeouts[4096, "0"] == timeouts[4096, "2e-5"]
    simulate(RELIABLE, tmp_path / "given", "ni.reliable.timeout=77777")
    assert all(point["reliable"]["timeout"] == 77777 for point in points(tmp_path / "given").values())


def test_under_load_members_of_one_group_stay_in_it(tmp_path: Path) -> None:
    one = "source: random, destinations: [host0, host1, host2, host3], rate: 0.004 flit/host/cycle"
    for scheme in ("ni", "tree", "path"):
        simulate(
            RELIABLE,
            tmp_path / scheme,
            workload(scheme, one),
            "measurement.warmup=2000",
            "measurement.window=600000",
            "faults.links=[{rate: 1e-6}]",
        )
        (point,) = points(tmp_path / scheme).values()
        assert point["passed"], scheme
        assert point["check"]["messages"]["delivered"] == point["check"]["messages"]["expected"] > 40, scheme


@pytest.mark.parametrize(
    ("scenario", "settings", "words"),
    [
        (
            "mesh.yaml",
            ("workload[0].reliable=true",),
            ["workload[0].reliable", "host.model: ideal", "belongs to host.model: interface"],
        ),
        ("multirail.yaml", ("workload[0].reliable=true",), ["workload[0].reliable", "kind: rails"]),
        ("multilane.yaml", ("workload[0].reliable=true",), ["workload[0].reliable"]),
        ("bypass_torus.yaml", ("workload[0].reliable=true",), ["workload[0].reliable"]),
        ("reliable.yaml", ("packet.payload=15",), ["a receipt takes 16 B", "packet.payload: 16 B"]),
        ("reliable.yaml", ("workload.ni.rate=0.1",), ["a new group for each message", "give 'destinations'"]),
        ("reliable.yaml", ("ni.reliable.attempts=256",), ["ni.reliable.attempts", "1..255"]),
        ("reliable.yaml", ("ni.reliable.timeout=0",), ["ni.reliable.timeout"]),
    ],
)
def test_what_cannot_be_is_refused(scenario: str, settings: tuple[str, ...], words: list[str]) -> None:
    text = refused(SCENARIOS / scenario, *settings)
    for word in words:
        assert word in text, text

# SPDX-License-Identifier: Apache-2.0
"""Cables in SystemVerilog: the same results as the core, for each cable by one word, with faults; own RTL compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, points, refused, simulate

#: Four switches of four ports, eight hosts.
SCENARIO = SCENARIOS / "own_rtl.yaml"
LAYER = ("network.link.layer=retry", "network.own_rtl=none", "measurement.window=3000")
FAULTS = "faults.links=[{link: all, rate: 1e-4}]"
CORE = "network.chips={}"


@pytest.mark.parametrize(
    "setting", ["network.chips={'switch0:0': rtl}", "network.chips={'switch0:0': tlm, 'switch2:3': rtl}"]
)
def test_results_are_those_of_the_core(setting: str, tmp_path: Path) -> None:
    simulate(SCENARIO, tmp_path / "core", *LAYER, FAULTS, CORE)
    simulate(SCENARIO, tmp_path / "rtl", *LAYER, FAULTS, setting)
    assert files(tmp_path / "core") == files(tmp_path / "rtl")
    assert (tmp_path / "rtl" / "tables" / "faults.csv").read_text().count("\n") > 1


def test_all_chips_and_cables_in_rtl(tmp_path: Path) -> None:
    simulate(SCENARIO, tmp_path / "core", *LAYER, FAULTS, CORE)
    simulate(SCENARIO, tmp_path / "rtl", *LAYER, FAULTS, CORE, "network.fidelity=rtl", "network.threads=2")
    assert files(tmp_path / "core") == files(tmp_path / "rtl")


@pytest.mark.parametrize("codes", [(), ("protect={rings: secded, counters: parity}",)])
def test_upsets_are_those_of_the_core(codes: tuple[str, ...], tmp_path: Path) -> None:
    bits = [
        f"{{at: {900 + 31 * at}, chip: 'switch0:0', what: upset, memory: {'ring' if at % 2 else 'counters'}, "
        f"index: {at % 4}, bit: {at % 15}}}"
        for at in range(60)
    ]
    upsets = f"faults.events=[{', '.join(bits)}]"
    simulate(SCENARIO, tmp_path / "core", *LAYER, *codes, upsets, CORE, status=None)
    simulate(SCENARIO, tmp_path / "rtl", *LAYER, *codes, upsets, "network.chips={'switch0:0': rtl}", status=None)
    assert files(tmp_path / "core") == files(tmp_path / "rtl")
    assert (tmp_path / "rtl" / "tables" / "faults.csv").read_text().count("flipped") > 30


def own(tmp_path: Path, text: str, by: str) -> str:
    """A folder with our ring, changed."""
    ring = (ROOT / "rtl" / "link" / "polycast_link_ring.sv").read_text()
    assert ring.count(text) == 1
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "polycast_link_ring.sv").write_text(ring.replace(text, by))
    return f"network.own_rtl={tmp_path / 'own'}"


def test_own_rtl_of_a_cable_is_compared(tmp_path: Path) -> None:
    same = own(tmp_path, "/// The flits of a link end", "/// Flits of a link end")
    simulate(SCENARIO, tmp_path / "core", *LAYER, CORE)
    simulate(SCENARIO, tmp_path / "same", *LAYER, same, "network.chips={'switch0:0': own}")
    assert files(tmp_path / "core") == files(tmp_path / "same")
    shutil.rmtree(tmp_path / "own")
    wrong = own(tmp_path, "assign full_o        = 32'(used) == limit_i;", "assign full_o        = 32'(used) > 2;")
    done = simulate(SCENARIO, tmp_path / "wrong", *LAYER, wrong, "network.chips={'switch0:0': own}", status=1)
    assert "switch0:0 in cycle" in done.stderr
    assert not points(tmp_path / "wrong")[0].passed


def test_cables_that_are_not_there_are_refused() -> None:
    said = refused(SCENARIO, *LAYER, "network.chips={'switch1:99': rtl}")
    assert "there is no cable with the lower end 'switch1:99'" in said
    assert "network.chips" in said

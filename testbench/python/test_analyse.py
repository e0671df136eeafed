# SPDX-License-Identifier: Apache-2.0
"""`analyse` on the example of partially ordered chains."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from polycast_cli import analysing
from polycast_cli.common import ROOT, Status, UserError
from simulation import SIMULATOR

EXAMPLE = ROOT / "testbench" / "data" / "ordered_chains.txt"
HOSTS = [host for switch in (1, 2, 3, 4, 5, 7, 8, 9) for host in (2 * switch, 2 * switch + 1)]
PLAN = [str(EXAMPLE), "--root", "6", "--source", "host20", "--destinations", ",".join(f"host{h}" for h in HOSTS)]


@pytest.fixture(autouse=True)
def built_simulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(analysing, "ready", lambda: SIMULATOR)
    monkeypatch.chdir(tmp_path)


def test_steps_of_the_example(capfd: pytest.CaptureFixture[str]) -> None:
    assert analysing.analyse("plan", [*PLAN, "--json"], None) == Status.OK
    schemes = json.loads(capfd.readouterr().out)["schemes"]
    steps = {name: scheme["steps"] for name, scheme in schemes.items()}
    assert steps["ssr_greedy"] == 3
    assert steps["ssr_less_greedy"] == 4
    assert steps["path_greedy"] == steps["path_less_greedy"] == 2
    chains = [[switch["number"] for switch in chain] for chain in schemes["path_greedy"]["chains"]]
    assert chains == [[5, 3, 9], [1, 7], [4, 8], [2]]


@pytest.mark.parametrize("scheme", ["tree", "path", "ssr", "ni", "unicasts"])
def test_picture(tmp_path: Path, capfd: pytest.CaptureFixture[str], scheme: str) -> None:
    assert analysing.analyse("plan", [*PLAN, "--scheme", scheme, "--json"], tmp_path / "plan.svg") == Status.OK
    printed = capfd.readouterr()
    assert json.loads(printed.out)
    assert "drawn to plan.svg" in printed.err
    texts = [element.text for element in ElementTree.parse(tmp_path / "plan.svg").iter() if element.text]
    assert any(text.startswith(scheme) and "from host20" in text for text in texts)
    assert {"host20", "host19", "6", "10"} <= set(texts)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.svg"]


def test_trees_of_one_size(capfd: pytest.CaptureFixture[str]) -> None:
    assert analysing.analyse("kbinomial", ["--nodes", "32", "--packets", "26", "--json"], None) == Status.OK
    found = json.loads(capfd.readouterr().out)
    assert found["best_k"] == [1, 2]
    assert len(found["children"]) == 32


def test_hops_of_network_coding(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--k", "16", "--n", "2", "--group", "32", "--base", "tree", "--placement", "inner", "--json"]
    assert analysing.analyse("network-coding", arguments, None) == Status.OK
    found = json.loads(capfd.readouterr().out)
    assert {step: count["hops"] for step, count in found["steps"].items()} == {
        "B": 11_264,
        "D": 6_696,
        "E": 76_384,
        "F": 18_432,
    }
    assert sum(count["unicasts"] for count in found["steps"].values()) == found["floor"] == 256 * 255
    assert (found["delivered"], found["as_published"], found["base"]) == (112_776, 47_304, 139_264)
    assert found["uncoded_hierarchy"] == 97_024
    assert analysing.analyse("network-coding", ["--k", "12", "--group", "4"], None) == Status.BAD_INPUT
    assert "power of two" in capfd.readouterr().err


def test_pipelined_broadcasts(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--n", "64", "--d", "2", "--bypass", "8,24", "--packets", "32", "--source", "1,0", "--json"]
    assert analysing.analyse("ibt", arguments, None) == Status.OK
    found = json.loads(capfd.readouterr().out)
    assert (found["nodes"], found["degree"], found["links"]) == (4096, 6, 3 * 4096)
    assert (found["diameter"], round(found["mean_distance"], 3)) == (10, 6.634)
    assert found["line_patterns"] == list(range(8))
    assert min(found["line_steps"]) == found["best_line_steps"] == 22
    assert found["rectangular_steps"] == found["global_steps"] == 26
    assert "tree_steps" not in found
    assert analysing.analyse("ibt", ["--n", "10", "--bypass", "4,8"], None) == Status.BAD_INPUT
    assert "n = 8 or 12 does" in capfd.readouterr().err


def test_pipelined_broadcasts_of_a_torus(capfd: pytest.CaptureFixture[str]) -> None:
    assert analysing.analyse("ibt", ["--n", "8", "--d", "3", "--json"], None) == Status.OK
    found = json.loads(capfd.readouterr().out)
    assert found["line_steps"] == [35, 19]
    assert found["tree_steps"] == 3 * 7 + 6 - 1
    assert found["sends"]["trees"] == 511 * 32
    with pytest.raises(UserError, match="only plan, rails and multilane are drawn"):
        analysing.analyse("ibt", ["--n", "8"], Path("wave.svg"))


def texts_of(picture: Path) -> set[str]:
    return {element.text.strip() for element in ElementTree.parse(picture).iter() if element.text}


def test_allocation_of_rails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--nodes", "32", "--algorithm", "2", "--json"]
    assert analysing.analyse("rails", arguments, tmp_path / "rails.svg") == Status.OK
    found = json.loads(capfd.readouterr().out)
    assert (found["nodes"], found["rails"]) == (32, 7)
    matrix = found["matrix"]
    for source in range(32):
        for destination in range(32):
            usable = [rail for rail in range(7) if matrix[rail][source] > matrix[rail][destination]]
            assert found["usable_rails"][source][destination] == usable
            assert usable or source == destination
    assert {"rail 6", "31"} <= texts_of(tmp_path / "rails.svg")


def test_matrix_of_a_user(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "rails.txt"
    own.write_text("1 1 0  # rail 0\n1 0 1\n0 1 1\n")
    assert analysing.analyse("rails", ["--matrix", "rails.txt"], None) == Status.OK
    assert "3 nodes on 3 rails, rails.txt: every pair has a rail" in capfd.readouterr().out
    for text, message in (
        ("110\n111\n", "rails.txt: no rail takes messages from node 0 to node 1"),
        ("110\n1x1\n", "rails.txt:2:2: expected 0 (receives) or 1 (transmits), found 'x1'"),
    ):
        own.write_text(text)
        assert analysing.analyse("rails", ["--matrix", "rails.txt"], None) == Status.BAD_INPUT
        assert message in capfd.readouterr().err
    assert analysing.analyse("rails", ["--matrix", "rails.txt", "--algorithm", "1"], None) == Status.BAD_INPUT
    assert "--algorithm excludes --matrix" in capfd.readouterr().err
    assert analysing.analyse("rails", ["--nodes", "40", "--rails", "7"], None) == Status.BAD_INPUT
    assert "40 nodes need 8 rails" in capfd.readouterr().err


def test_broadcasts_over_lanes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--nodes", "32", "--sites", "1", "--bytes", "33554432", "--json"]
    assert analysing.analyse("multilane", arguments, tmp_path / "trees.svg") == Status.OK
    found = json.loads(capfd.readouterr().out)
    sending = 33_554_432 / 250e6
    expected = {
        "chain": 31 * (0.00192 + sending),
        "pipelined_chain": 31 * 0.00192 + sending,
        "binary": 5 * 0.00192 + 2 * sending,
        "binomial": 5 * (0.00192 + sending),
        "van_de_geijn": 10 * 0.00192 + 2 * 31 / 32 * sending,
        "multi_lane": 5 * 0.00192 + sending,
    }
    assert found["seconds"] == pytest.approx(expected)
    assert found["printed_seconds"]["van_de_geijn"] == pytest.approx(10 * 0.00192 + 2 * 32 / 31 * sending)
    for half in "AB":
        children = [edge["child"] for edge in found["edges"]["multi_lane"] if edge["half"] == half]
        assert sorted(children) == list(range(1, 32))
    assert {"site 0", "31"} <= texts_of(tmp_path / "trees.svg")


def test_units_of_broadcasts_over_lanes(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--nodes", "32", "--bytes", "32MB", "--bandwidth", "2Gbit/s", "--latency", "1.92 ms", "--json"]
    assert analysing.analyse("multilane", arguments, None) == Status.OK
    seconds = json.loads(capfd.readouterr().out)["seconds"]
    assert seconds["multi_lane"] == pytest.approx(0.1376)
    assert seconds["binary"] == pytest.approx(0.2656)
    for wrong, message in (
        (["--bandwidth", "0"], "lanes without bandwidth"),
        (["--latency", "3m"], "--latency 3m: 'm' is no unit of this; one of s, ms, us, ns"),
        (["--bytes", "1.5"], "--bytes 1.5: not a number of whole bytes"),
        (["--piece", "much"], "--piece much: this is no number"),
        (["--lanes", "3"], "--lanes 3: broadcasts run over 1 or 2 lanes"),
        (["--sites", "9"], "8 nodes on 9 sites: a site without nodes"),
    ):
        assert analysing.analyse("multilane", ["--nodes", "8", *wrong], None) == Status.BAD_INPUT
        assert message in capfd.readouterr().err


def test_bad_input(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = [str(EXAMPLE), "--source", "hots20", "--destinations", "host1"]
    assert analysing.analyse("plan", wrong, tmp_path / "plan.svg") == Status.BAD_INPUT
    assert "did you mean 'host20'?" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match="No such file"):
        analysing.analyse("plan", PLAN, tmp_path / "nowhere" / "plan.svg")

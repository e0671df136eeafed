# SPDX-License-Identifier: Apache-2.0
"""The schemes on a network of one's own: `compare`, `advise`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixture_command import Command, command
from polycast_cli.common import ROOT, Status, UserError
from polycast_cli.studies import advise
from polycast_cli.studies.compare import chosen_schemes, comparison, degrees
from polycast_cli.studies.model import load_study, study_file
from polycast_cli.studies.network import Network, flattened, load_network, override, scenario_settings
from polycast_cli.studies.plan import chains_of
from simulation import SIMULATOR

__all__ = ["command"]

PRINT_OUT = ROOT / "testbench" / "data" / "irregular32.ibnetdiscover"

SCENARIO = """\
name: mine
network:
  topology: {kind: irregular, switches: 4, ports: 8, hosts: 12, seed: 3}
  chips: {switch1: core}
packet: {header: free}
host: {overlapped: true, send_overhead: 600 cycle}
workload:
  - {name: w, kind: multicast, scheme: tree, degree: 3}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO)
    return path


def test_sections_become_keys() -> None:
    section = {"topology": {"kind": "file"}, "chips": {"switch1": "rtl"}}
    assert flattened(section, "network") == {"network.topology.kind": "file", "network.chips": {"switch1": "rtl"}}


def test_paths_of_a_scenario_stay_valid(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    path = tmp_path / "a" / "s.yaml"
    path.write_text("network: {topology: {kind: file, path: ../net.txt}}\nni: {firmware: built-in}\nworkload: []\n")
    settings = scenario_settings(path)
    assert settings["network.topology.path"] == str(tmp_path / "net.txt")
    assert settings["ni.firmware"] == "built-in"


def test_a_network_with_a_ratio(scenario: Path) -> None:
    network = load_network(SIMULATOR, scenario, 3.0, ["host.receive_overhead=500"])
    assert len(network.hosts) == 12
    assert network.settings["host.ni_send"] == "200 cycle"
    assert network.settings["host.receive_overhead"] == 500
    assert network.settings["network.topology.instances"] == 1


@pytest.mark.parametrize(("text", "said"), [("a", "KEY=VALUE"), ("workload.w.degree=3", "only keys of network")])
def test_bad_overrides(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        override(text)


def test_degrees_fit_the_network() -> None:
    axis = load_study(study_file("compare")).figure("degree").x
    assert degrees(axis, [], 12).quick == [1, 3, 7, 11]
    assert degrees(axis, [5, 3, 5], 12).full == [3, 5]
    with pytest.raises(UserError, match=r"1\.\.11"):
        degrees(axis, [12], 12)


def test_a_comparison_is_cut_to_what_is_asked() -> None:
    network = Network("n", {"network.topology.kind": "file"}, [f"h{i}" for i in range(10)])
    study = comparison(network, 640, [4], ["ni", "tree"])
    assert [figure.series for figure in study.figures] == [["tree", "ni"]] * 3
    chains = chains_of(study, study.figure("degree"), "quick")
    assert len(chains) == 2
    assert len(chains[0][0].units) == 5, "one run for each draw"
    assert "message: 640" in chains[0][0].units[0].scenario
    with pytest.raises(UserError, match="did you mean 'software'"):
        chosen_schemes(study, ["softwear"])


def test_random_sets_are_the_same_for_a_seed() -> None:
    hosts = [f"h{i}" for i in range(9)]
    one = advise.drawn_sets(hosts, 4, 3, 5)
    assert one == advise.drawn_sets(hosts, 4, 3, 5)
    assert one != advise.drawn_sets(hosts, 4, 3, 6)
    for multicast in one:
        assert len({multicast.source, *multicast.destinations}) == 5


@pytest.mark.parametrize(
    ("source", "destinations", "said"),
    [
        (None, [], "no host is named"),
        ("h1", ["h2", "h1"], "is among the destinations"),
        (None, ["h2", "2"], "named twice"),
        ("h9", ["h2"], "no host 'h9'"),
        (None, ["h0", "h1", "h2", "h3"], "no source"),
    ],
)
def test_bad_sets(source: str | None, destinations: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        advise.given_set(["h0", "h1", "h2", "h3"], source, destinations)


def test_advice(command: Command, scenario: Path) -> None:
    """Without contention the prediction is exact; the numbers are those of the papers' arithmetic."""
    status, out, _ = command("advise", str(scenario), "--destinations", "1,2,5", "--source", "0", "--json")
    assert status == Status.OK
    answer = json.loads(out)
    rows = {row["scheme"]: row for row in answer["schemes"]}
    assert answer["best"] == "tree worm"
    tree = rows["tree worm"]
    assert tree["predicted"]["mean"] == tree["simulated"]["mean"]
    # t_hs, two transfers of 96 cycles, t_ns, t_nr and t_hr, and 128 flits over one to four switches.
    assert 600 + 2 * 96 + 3000 + 128 + 3 <= tree["simulated"]["mean"] <= 600 + 2 * 96 + 3000 + 128 + 12
    assert len(rows) == len(advise.CANDIDATES)
    means = [row["simulated"]["mean"] for row in answer["schemes"]]
    assert means == sorted(means)
    assert rows["unicasts"]["simulated"]["mean"] > means[0]


def test_advice_in_words(command: Command) -> None:
    status, out, _ = command("advise", str(PRINT_OUT), "--degree", "3", "--draws", "2", "--bytes", "64")
    assert status == Status.OK
    assert "irregular32: 32 hosts; 64 bytes to 3 of them, 2 random sets" in out
    assert "best: tree worm" in out
    assert "±" in out


@pytest.fixture
def tight(tmp_path: Path) -> Path:
    """Switches whose packets have no room for the header of a long path worm."""
    path = tmp_path / "tight.yaml"
    path.write_text(SCENARIO.replace("packet: {header: free}", "switch: {packet_limit: 175 flit}"))
    return path


def test_schemes_that_cannot_be_used_are_listed_with_the_reason(command: Command, tight: Path) -> None:
    status, out, _ = command("advise", str(tight), "--degree", "5", "--draws", "1", "--json")
    assert status == Status.OK
    rows = {row["scheme"]: row for row in json.loads(out)["schemes"]}
    assert rows["path worms, greedy"]["refused"].startswith("a path worm of 192 flits")
    assert rows["path worms, greedy"]["simulated"] is None
    assert rows["tree worm"]["refused"] is None


def test_a_comparison_goes_on_without_them(command: Command, tight: Path, tmp_path: Path) -> None:
    arguments = ["compare", str(tight), "--degree", "3", "--figure", "degree", "-o", "out", "--schemes"]
    status, _, err = command(*arguments, "tree,path")
    assert (status, "not possible here" in err) == (Status.OK, True)
    assert "Not possible on this network" in (tmp_path / "out" / "report.html").read_text()
    status, _, err = command(*arguments[:-2], "only", "--schemes", "path")
    assert (status, "path worm of 192 flits" in err) == (Status.BAD_INPUT, True)


def test_bad_questions_are_status_2(command: Command, scenario: Path, tmp_path: Path) -> None:
    path = scenario
    status, _, err = command("advise", str(path), "--degree", "12")
    assert (status, "1..11" in err) == (Status.BAD_INPUT, True)
    status, _, err = command("advise", str(path), "--degree", "3", "--destinations", "1")
    assert (status, "not both" in err) == (Status.BAD_INPUT, True)
    status, _, err = command("advise", str(path), "--source", "1")
    assert (status, "--destinations" in err) == (Status.BAD_INPUT, True)
    status, _, err = command("advise", str(tmp_path / "nothing"))
    assert (status, "no such file" in err) == (Status.BAD_INPUT, True)
    status, _, err = command("advise", str(path), "-s", "host.sand=3")
    assert (status, "host.send_overhead" in err or "unknown key" in err) == (Status.BAD_INPUT, True)


def test_compare(command: Command, scenario: Path, tmp_path: Path) -> None:
    arguments = ["compare", str(scenario), "--degree", "3", "--schemes", "tree,ni", "--figure", "degree", "-o", "out"]
    status, out, err = command(*arguments)
    assert status == Status.OK, err
    assert "report.html" in out
    rows = (tmp_path / "out" / "tables" / "degree.csv").read_text().splitlines()
    assert len(rows) == 3
    other = tmp_path / "other.yaml"
    other.write_text(SCENARIO)
    status, _, err = command("compare", str(PRINT_OUT), "--figure", "degree", "-o", "out")
    assert (status, "belongs to another study" in err) == (Status.BAD_INPUT, True)

# SPDX-License-Identifier: Apache-2.0
"""`fabric repair`, `fabric tables` and `topology --generate`: what they write is read back by both checkers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import fabric_oracle as oracle
import pytest
from fabric_verdict import checked, of_oracle
from polycast_cli.common import ROOT
from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.files import texts_of
from simulation import said, sim

DATA = ROOT / "testbench" / "data" / "fabric"
PREBUILT = Path(__file__).parent / "prebuilt_cli.py"
#: What is done to each sample, and the lanes that it takes.
SAMPLES = {
    "irr8s1.minhop": "2 lanes in all",
    "irr8s3.updn.mcast": "1 group has other trees",
    "ring6.minhop": "2 lanes in all",
    "ring6.dfsssp": "nothing was changed",
    "parallel.lmc1": "2 lanes in all",
}


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, str(PREBUILT), *map(str, words)], env=os.environ | env, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_free_when_they_are_repaired(name: str, tmp_path: Path) -> None:
    out = tmp_path / "repaired"
    done = command("fabric", "repair", DATA / name, "-o", out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert SAMPLES[name] in done.stdout
    found = checked(out)
    before = checked(DATA / name)
    assert (found["reached"], found["cables"]) == (before["reached"], before["cables"])
    assert found["credit"]["all"]["cycle"] is None
    # ibdmchk on base LIDs, as it stops where switches have one LID each.
    theirs = ibdmchk.check(texts_of([out]))
    assert (theirs.stopped, theirs.loop, theirs.errors) == (None, False, [])
    lmc = found["lmc"]
    assert found == of_oracle(oracle.check(oracle.read(out, lmc)))
    assert (out / "repair.md").read_text().startswith("# Repaired fabric\n")
    assert not list(tmp_path.glob(".*")), "nothing of its work is left"


def test_the_known_tree_and_its_page(tmp_path: Path) -> None:
    out = tmp_path / "repaired"
    text = said("fabric", "repair", DATA / "irr8s3.updn.mcast", "--root", "switch4", "-o", out)
    assert "in the order of root switch4, the first that was tried" in text
    assert "group 0xc001: 5 cables between 6 switches, before 4 between 5" in text
    assert {path.name for path in out.iterdir()} == {
        "dump_mfts.txt", "net.ibnetdiscover", "opensm-lfts.dump", "opensm-sa.dump", "opensm-subnet.lst", "opensm.fdbs",
        "opensm.mcfdbs", "repair.md",
    }  # fmt: skip
    page = (out / "repair.md").read_text()
    assert "| 0xc001 | 5 | 4 | 4 | 6 | 5 | 5 |" in page
    assert "- after: `switch0:1` - `switch2:8`, `switch2:1` - `switch4:4`" in page
    assert (out / "opensm.fdbs").read_bytes() == (DATA / "irr8s3.updn.mcast/opensm.fdbs").read_bytes()
    # Either form of the trees, and both at once.
    base = [out / "opensm-subnet.lst", out / "opensm.fdbs"]
    assert checked(*base, out / "dump_mfts.txt") == checked(*base, out / "opensm.mcfdbs")
    assert ibdmchk.check(texts_of([out])).groups == {0xC001: (6, 6)}


def test_too_few_lanes_are_told_with_their_number(tmp_path: Path) -> None:
    text = said("fabric", "repair", DATA / "ring6.minhop", "--vls", "1", "-o", tmp_path / "x", status=1)
    assert text == ""
    done = sim("fabric", "repair", DATA / "ring6.minhop", "--vls", "1", "-o", tmp_path / "x", status=1)
    assert "not repaired: it takes 2 lanes, and there are 1" in done.stdout
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["repair", DATA / "ring6.minhop", "--root", "ring9"], "--root: there is no switch 'ring9'; did you mean"),
        (["repair", DATA / "ring6.minhop", "--vls", "16"], "--vls"),
        (["repair", DATA / "nothing"], "nothing"),
        (["tables", DATA / "ring6.net", "--engine", "best"], "there is no engine 'best'; known: updn, dmodk, minhop"),
        (["tables", DATA / "ring6.net", "--engine", "minhop", "--root", "ring0"], "minhop takes no root"),
        (["tables", DATA / "ring6.net", "--engine", "updn", "--root", "ring"], "there is no switch 'ring'"),
        (["tables", DATA / "ring6.net"], "--engine is required"),
        (["tables", ROOT / "testbench/scenarios/mesh.yaml", "--engine", "updn"], "for networks of switches"),
    ],
)
def test_what_is_refused(words: list[str | Path], says: str, tmp_path: Path) -> None:
    text = said("fabric", *words, "-o", tmp_path / "x", status=2)
    assert says in text and text.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    said("fabric", "tables", DATA / "ring6.net", "--engine", "updn", "-o", tmp_path / "x")
    text = said("fabric", "tables", DATA / "ring6.net", "--engine", "updn", "-o", tmp_path / "x", status=2)
    assert "exists and is no empty folder" in text
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "file", Path("/dev/null")):
        text = said("fabric", "repair", DATA / "ring6.minhop", "-o", target, status=2)
        assert "exists and is no empty folder" in text
    assert (tmp_path / "file").read_text() == "mine"
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("engine", ["updn", "dmodk", "minhop"])
@pytest.mark.parametrize("lmc", [0, 1])
def test_tables_of_a_folded_clos_network(engine: str, lmc: int, tmp_path: Path) -> None:
    net, out = tmp_path / "clos.net", tmp_path / "tables"
    said("topology", "--generate", "folded_clos", "--ports", "8", "--levels", "2", "--save", net)
    done = command("fabric", "tables", net, "--engine", engine, "--lmc", str(lmc), "-o", out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 switches, 32 hosts" in done.stdout
    found = checked(out)
    assert found == of_oracle(oracle.check(oracle.read(out, lmc)))
    assert (found["lmc"], found["reached"], found["longer"]) == (lmc, 32 * 31 << lmc, 0)
    assert found["credit"]["unicast"]["cycle"] is None
    assert found == checked(out / "opensm-subnet.lst", out / "opensm-lfts.dump")
    theirs = ibdmchk.check(texts_of([out]))
    assert (theirs.stopped, theirs.loop) == (None, False)
    if lmc == 0:
        assert theirs.cables == {int(length): count for length, count in found["cables"].items()}
        assert theirs.ports == {int(load): count for load, count in found["balance"]["histogram"].items()}


@pytest.mark.parametrize("seed", range(3))
def test_tables_of_a_random_network(seed: int, tmp_path: Path) -> None:
    """In a scenario."""
    for engine in ("updn", "minhop"):
        out = tmp_path / engine
        scenario = ROOT / "testbench/scenarios/first_light.yaml"
        said("fabric", "tables", scenario, "-n", str(seed + 1), "-s", "network.topology.instances=3", "--engine",
             engine, "-o", out)  # fmt: skip
        found = checked(out)
        assert found == of_oracle(oracle.check(oracle.read(out)))
        assert found["reached"] == found["pairs"]
        theirs = ibdmchk.check(texts_of([out]))
        assert theirs.loop == (found["credit"]["unicast"]["cycle"] is not None)
        assert theirs.pairs == found["pairs"]
        if engine == "minhop" and theirs.loop:
            said("fabric", "repair", out, "-o", tmp_path / "repaired")
            assert ibdmchk.check(texts_of([tmp_path / "repaired"])).loop is False


def test_networks_are_generated(tmp_path: Path) -> None:
    made = json.loads(said("topology", "--generate", "folded_clos", "--json"))
    assert (len(made["switches"]), len(made["hosts"])) == (54, 648)
    done = command("topology", "--generate", "folded_clos", "--ports", "4", "--levels", "3", "--save",
                   tmp_path / "small.graphml", "-o", tmp_path / "small.svg")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(r"switches +20,", done.stdout) and re.search(r"hosts +16 ", done.stdout)
    assert (tmp_path / "small.svg").read_text().startswith("<svg")
    read = json.loads(said("topology", tmp_path / "small.graphml", "--json"))
    again = json.loads(said("topology", "--generate", "folded_clos", "--ports", "4", "--levels", "3", "--json"))
    assert read["links"] == again["links"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "a file is missing; topology FILE, or topology --generate folded_clos"),
        ([DATA / "ring6.net", "--generate", "folded_clos"], "--generate takes no file"),
        (["--generate", "torus"], "folded_clos"),
        ([DATA / "ring6.net", "--ports", "8"], "--generate"),
        (["--generate", "folded_clos", "--ports", "5"], "an even number of ports, 4 to 64, not 5"),
        (["--generate", "folded_clos", "--levels", "9"], "more than 65536 hosts or switches"),
        (["--generate", "folded_clos", "--save", "x.csv"], "the ending tells the format; known: .graphml"),
    ],
)
def test_what_is_not_generated(words: list[str | Path], says: str) -> None:
    text = said("topology", *words, status=2)
    assert says in text and text.count("\n") == 1, text

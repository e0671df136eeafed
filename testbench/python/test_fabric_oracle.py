# SPDX-License-Identifier: Apache-2.0
"""Three checkers of forwarding tables that share nothing agree on random tables: `fabric check`, ibdmchk, and one that
follows each pair by itself. `-k RANDOM-SEED` repeats one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fabric_networks as networks
import fabric_oracle as oracle
import pytest
from fabric_verdict import checked, of_oracle
from polycast_cli.common import ROOT
from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.files import texts_of

DATA = ROOT / "testbench" / "data" / "fabric"
SEEDS = range(24)
#: Why ibdmchk stops before it looks for loops.
STOPS = ("Fail to find a path", "checks failed", "Disconnected", "Found a loop on MLID", "unassigned")


@pytest.mark.parametrize("seed", SEEDS)
def test_both_find_the_same_on_random_tables(seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")
    fabric = networks.random_tables(seed)
    networks.write(fabric, tmp_path, 8)
    ours = oracle.check(fabric)
    assert json.dumps(oracle.check(oracle.read(tmp_path, fabric.lmc))) == json.dumps(ours), "read as written"
    fabric.lmc = 0  # of the base LIDs, as it stops where switches have one LID each
    base = oracle.check(fabric)
    theirs = ibdmchk.check(texts_of([tmp_path]), multicast=False)
    assert theirs.cables == base["cables"]
    if theirs.stopped is None:
        assert theirs.pairs == base["pairs"] == base["reached"]
        assert theirs.ports == base["balance"]["histogram"]
        assert theirs.loop == (base["credit"]["unicast"]["cycle"] is not None)
    else:
        lanes_missing = len(fabric.path_sl) > 0
        groups_broken = any(group["missed"] or group["loop"] or group["duplicates"] for group in base["groups"])
        assert base["lost"] or lanes_missing or groups_broken or base["groups"], theirs
        assert any(words in error for error in theirs.errors for words in STOPS), theirs.errors


def test_some_random_tables_have_what_matters() -> None:
    """Else the seeds would show nothing."""
    made = [(fabric, oracle.check(fabric)) for fabric in map(networks.random_tables, SEEDS)]
    found = [result for _, result in made]
    assert any(result["lost"] for result in found)
    assert any(result["credit"]["unicast"]["cycle"] for result in found)
    assert any(result["credit"]["all"]["cycle"] and not result["credit"]["unicast"]["cycle"] for result in found)
    assert any("/vl" in str(result["credit"]["unicast"]["cycle"]) for result in found)
    assert {fabric.lmc for fabric, _ in made} == {0, 1, 2}
    assert any(group["missed"] for result in found for group in result["groups"])
    assert any(group["loop"] for result in found for group in result["groups"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_checker_finds_the_same_on_random_tables(seed: int, tmp_path: Path) -> None:
    compare_on_random_tables(seed, tmp_path)


@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_the_checker_finds_the_same_on_many_random_tables(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 50):
        compare_on_random_tables(seed, tmp_path / str(seed))


def compare_on_random_tables(seed: int, folder: Path) -> None:
    print(f"seed {seed}")
    fabric = networks.random_tables(seed)
    networks.write(fabric, folder, 8)
    assert checked(folder, lmc=fabric.lmc) == of_oracle(oracle.check(fabric))


#: LMC, pairs, sizes of components and cycles of unicasts and of everything, as they are known.
KNOWN: dict[str, tuple[int, int, int, list[int], int, list[int], str]] = {
    "irr8s1.minhop": (
        0, 992, 338, [7], 0, [7], "switch0:1 > switch7:6 > switch2:2 > switch1:4 > switch6:6 > switch3:7",
    ),
    "irr8s3.updn.mcast": (
        0, 992, 313, [], 4, [6, 6], "switch0:1 > switch2:1 > switch4:7 > switch5:8 > switch7:3 > switch1:7",
    ),
    "ring6.minhop": (0, 30, 36, [6, 6], 0, [6, 6], "ring0:2 > ring1:3 > ring2:3 > ring3:3 > ring4:3 > ring5:3"),
    "ring6.dfsssp": (0, 30, 76, [], 0, [], ""),
    "parallel.lmc1": (1, 420, 223, [4, 8], 0, [4, 8], "p0:10 > p2:6 > p3:7 > p4:8"),
}  # fmt: skip


def in_short(found: dict[str, Any], lmc: int) -> tuple[int, int, int, list[int], int, list[int], str]:
    unicast, every = found["credit"]["unicast"], found["credit"]["all"]
    return (
        lmc, found["reached"], unicast["dependencies"], unicast["components"], every["added"], every["components"],
        " > ".join(every["cycle"] or []),
    )  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_the_samples_have_the_known_verdicts(name: str) -> None:
    lmc = KNOWN[name][0]
    theirs = of_oracle(oracle.check(oracle.read(DATA / name, lmc)))
    assert in_short(theirs, lmc) == KNOWN[name]
    assert checked(DATA / name) == theirs

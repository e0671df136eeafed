# SPDX-License-Identifier: Apache-2.0
"""Two checkers of forwarding tables that know nothing of each other, ibdmchk and one pair by pair, on random tables."""

from __future__ import annotations

import json
from pathlib import Path

import fabric_networks as networks
import fabric_oracle as oracle
import pytest
from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.files import texts_of

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

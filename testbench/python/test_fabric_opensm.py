# SPDX-License-Identifier: Apache-2.0
"""Tables that the real OpenSM makes on simulated networks: the checkers agree on them, and so do its dumps.

`PYTHONPATH=scripts .polycast/python/bin/python -m pytest -c scripts/pyproject.toml --rootdir .
testbench/python/test_fabric_opensm.py -k NAME` repeats one.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import fabric_networks as networks
import fabric_oracle as oracle
import opensm
import pytest
from conftest import Cli
from fabric_verdict import checked, of_oracle
from opensm import Engine, NotRouted
from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.files import texts_of
from simulation import sim

FIRST_ROOT = [networks.FIRST_SWITCH]
MLID = 0xC001


@dataclass
class Case:
    """A network, an engine, and what is known of its tables."""

    name: str
    network: Callable[[], networks.Net]
    engine: Engine
    path_sls: bool = False
    #: Whether packets can wait in a circle; None: not known before.
    loop: bool | None = None
    members: list[int] = field(default_factory=list)


def case(name: str, network: Callable[[], networks.Net], engine: str, loop: bool | None, **options: object) -> Case:
    path_sls = bool(options.get("lanes"))
    return Case(f"{name}_{engine.replace('-', '_')}", network, Engine(engine, **options), path_sls, loop)  # type: ignore[arg-type]


def with_group(seed: int) -> Case:
    members = [0, 3, 9, 14, 20, 31]
    engine = Engine("updn", FIRST_ROOT, groups=networks.group(MLID, members))
    return Case(f"irregular{seed}_updn_group", lambda: networks.irregular(seed), engine, members=members)


TOP_OF_FOUR = [networks.FIRST_SWITCH + switch for switch in range(16, 20)]
TOP_OF_EIGHT = [networks.FIRST_SWITCH + switch for switch in range(8, 12)]
CASES = [
    case("ring", networks.ring, "minhop", True),
    case("ring", networks.ring, "updn", False, roots=FIRST_ROOT),
    case("ring", networks.ring, "dfsssp", False, lanes=True),
    case("ring", networks.ring, "lash", False, lanes=True),
    Case("ring_minhop_lmc1", networks.ring, Engine("minhop", lmc=1), loop=True),
    *(case(f"irregular{seed}", lambda seed=seed: networks.irregular(seed), "minhop", None) for seed in (1, 2, 3)),
    *(
        case(f"irregular{seed}", lambda seed=seed: networks.irregular(seed), "updn", False, roots=FIRST_ROOT)
        for seed in (1, 2)
    ),
    Case("irregular1_minhop_lmc1", lambda: networks.irregular(1), Engine("minhop", lmc=1)),
    *(with_group(seed) for seed in (1, 2, 3)),
    case("fat_tree4", lambda: networks.fat_tree(4, 3), "ftree", False),
    case("fat_tree4", lambda: networks.fat_tree(4, 3), "updn", False, roots=TOP_OF_FOUR),
    case("fat_tree8", lambda: networks.fat_tree(8, 2), "ftree", False),
    case("fat_tree8", lambda: networks.fat_tree(8, 2), "updn", False, roots=TOP_OF_EIGHT),
    case("torus5", networks.torus, "dfsssp", False, lanes=True),
    case("torus5", networks.torus, "torus-2QoS", False, lanes=True, torus=networks.torus_file()),
]
BY_NAME = {one.name: one for one in CASES}
Routed = tuple[Case, Path]


@pytest.fixture(scope="session", params=list(BY_NAME))
def routed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Routed:
    """A case and the folder with what OpenSM made of it."""
    found = BY_NAME[request.param]
    folder = tmp_path_factory.mktemp(found.name)
    return found, opensm.routed(found.network().text(), found.engine, folder, found.path_sls)


def test_ibdmchk_finds_the_same(routed: Routed) -> None:
    """As each pair followed by itself."""
    found, folder = routed
    texts = texts_of([folder])
    # With LMC it stops, as OpenSM gives switches one LID each: it sees the base LIDs only.
    ours = oracle.check(oracle.read(folder))
    theirs = ibdmchk.check(texts, multicast=False)
    assert (theirs.stopped, theirs.errors) == (None, [])
    assert ours["lost"] == []
    assert theirs.pairs == ours["pairs"] == ours["reached"]
    assert theirs.cables == ours["cables"]
    assert theirs.ports == ours["balance"]["histogram"]
    assert theirs.loop == (ours["credit"]["unicast"]["cycle"] is not None)
    if found.engine.lmc:
        assert ibdmchk.check(texts, found.engine.lmc).stopped == "Fail to update Min Hops Tables."
        ours = oracle.check(oracle.read(folder, found.engine.lmc))
        assert ours["lost"] == []
    if found.loop is not None:
        assert (ours["credit"]["unicast"]["cycle"] is not None) == found.loop


def test_the_checker_finds_the_same(routed: Routed) -> None:
    """Whatever forms the tables come in."""
    found, folder = routed
    ours = of_oracle(oracle.check(oracle.read(folder, found.engine.lmc)))
    lmc = found.engine.lmc
    dumps = [folder / name for name in ("opensm-subnet.lst", "opensm.mcfdbs") if (folder / name).stat().st_size]
    lanes = [folder / name for name in ("psl", "opensm-sl2vl.dump") if (folder / "psl").is_file()]
    printed = [folder / "net.ibnetdiscover", folder / "dump_lfts.txt"]
    printed += [folder / "dump_mfts.txt"] if found.members else []
    assert checked(folder, lmc=lmc) == ours
    assert checked(*dumps, folder / "opensm.fdbs", *lanes, lmc=lmc) == ours
    assert checked(*dumps, folder / "opensm-lfts.dump", *lanes) == ours
    assert checked(*printed, *lanes) == ours


def test_ibdmchk_finds_the_same_groups(routed: Routed) -> None:
    found, folder = routed
    ours = oracle.check(oracle.read(folder, found.engine.lmc))
    theirs = ibdmchk.check(texts_of([folder]))
    if not found.members:
        assert (ours["groups"], theirs.groups) == ([], {})
        return
    (group,) = ours["groups"]
    assert (group["mlid"], group["members"]) == (MLID, len(found.members))
    assert (group["missed"], group["duplicates"], group["loop"]) == (0, 0, False)
    assert theirs.groups == {MLID: (group["switches"], group["members"])}
    assert theirs.loop == (ours["credit"]["all"]["cycle"] is not None)


def test_repaired_tables_are_free(routed: Routed, tmp_path: Path) -> None:
    """Whatever was wrong; what was good stays as it was."""
    found, folder = routed
    out = tmp_path / "repaired"
    option = ["--lmc", str(found.engine.lmc)] if found.engine.lmc else []
    # The print-out has the LMC, which the subnet list has not.
    done = sim("fabric", "repair", folder, *option, "-o", out)
    ours, before = checked(out, lmc=found.engine.lmc), checked(folder, lmc=found.engine.lmc)
    assert (ours["pairs"], ours["reached"], ours["cables"]) == (before["pairs"], before["reached"], before["cables"])
    assert ours["credit"]["all"]["cycle"] is None
    assert ("nothing was changed" in done.stdout) == (before["credit"]["all"]["cycle"] is None)
    assert [group["members"] for group in ours["groups"]] == [group["members"] for group in before["groups"]]
    theirs = ibdmchk.check(texts_of([out]))
    assert (theirs.stopped, theirs.loop) == (None, False)
    if before["credit"]["all"]["cycle"] is not None:
        assert ours == of_oracle(oracle.check(oracle.read(out, found.engine.lmc)))


def test_the_simulated_network_delivers_or_stops(routed: Routed, cli: Cli, tmp_path: Path) -> None:
    """Free tables deliver each to each and each group from each member. Of a circle there is a deadlock, or evidence,
    and repaired tables deliver."""
    found, folder = routed
    option = ["--lmc", str(found.engine.lmc)] if found.engine.lmc else []
    before = checked(folder, lmc=found.engine.lmc)
    if before["credit"]["all"]["cycle"] is not None:
        few = ["--buffers", "1", "--attempts", "20", "--cycle", "1", "--no-rtl"]
        done = cli("fabric", "deadlock", folder, *option, *few, "-o", tmp_path / "deadlock")
        assert done.returncode == 1, done.stdout + done.stderr
        closed = "1 packet: closed, " in done.stdout
        assert closed or re.search(r"1 packet: not reached: at most \d+ edges waited", done.stdout), done.stdout
        # A source at each switch of a ring: nothing is in front of any.
        assert closed or not found.name.startswith("ring")
        sim("fabric", "repair", folder, *option, "-o", tmp_path / "repaired")
        folder = tmp_path / "repaired"
    for workload in ("each_to_each", *(["groups"] if found.members else [])):
        done = cli("fabric", "run", folder, *option, "--workload", workload, "-o", tmp_path / workload)
        assert done.returncode == 0, done.stdout + done.stderr
        (point,) = json.loads((tmp_path / workload / "results.json").read_text())["points"]
        assert point["passed"]
        if workload == "groups":
            assert point["check"]["delivered"] == len(found.members) * (len(found.members) - 1)
        else:
            messages = point["check"]["messages"]
            hosts = len(found.network().hosts)
            assert messages["delivered"] == messages["expected"] == hosts * (hosts - 1)
        sent, received = (
            sum(port[f"Port{way}Pkts"] for port in point["ports"] if port["port"].startswith("node"))
            for way in ("Xmit", "Rcv")
        )
        assert sent > 0
        assert received == (point["check"]["delivered"] if workload == "groups" else sent)


Tables = dict[int, dict[int, int]]


def table_rows(text: str, head: str, row: str) -> Tables:
    """switch -> LID -> port, without entries that lead nowhere."""
    tables: Tables = defaultdict(dict)
    switch = 0
    for line in text.splitlines():
        if found := re.search(head, line):
            switch = int(found[1], 16)
        elif (found := re.match(row, line)) and int(found[2]) != 255:
            tables[switch][int(found[1], 16)] = int(found[2])
    return tables


def test_dumps_of_one_run_are_the_same_tables(routed: Routed) -> None:
    _, folder = routed
    fdbs = table_rows((folder / "opensm.fdbs").read_text(), r"Switch 0x(\w+)", r"0x(\w+) : (\d+) ")
    lfts, dumped = (
        table_rows((folder / name).read_text(), r"^Unicast lids .* guid 0x(\w+)", r"0x(\w+) (\d+) ")
        for name in ("opensm-lfts.dump", "dump_lfts.txt")
    )
    assert fdbs == lfts != {}
    # It leaves out a top LID that is a multiple of 64.
    top = max(lid for table in fdbs.values() for lid in table)
    if top % 64 == 0 and any(top not in table for table in dumped.values()):
        fdbs = {switch: {lid: port for lid, port in table.items() if lid != top} for switch, table in fdbs.items()}
    assert dumped == fdbs


def test_dumps_of_groups_are_the_same_tables(routed: Routed) -> None:
    found, folder = routed
    fabric = oracle.read(folder)
    masks: dict[int, dict[int, set[int]]] = defaultdict(dict)
    switch = 0
    for line in (folder / "dump_mfts.txt").read_text().splitlines():
        if head := re.search(r"^Multicast mlids .* guid 0x(\w+)", line):
            switch = int(head[1], 16)
        elif row := re.match(r"0x(\w+)", line):
            marks = enumerate(line[12::2])
            masks[switch][int(row[1], 16)] = {port for port, mark in marks if mark == "x"}
    assert masks == {switch: table for switch, table in fabric.mft.items() if table}
    assert bool(masks) == bool(found.members)


def test_an_engine_that_cannot_route_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """updn without roots finds none on a ring, and would try for ever."""
    monkeypatch.setattr(opensm, "LIMIT", 3)
    began = time.monotonic()
    with pytest.raises(NotRouted, match="updn"):
        opensm.routed(networks.ring().text(), Engine("updn"), tmp_path)
    assert time.monotonic() - began < 20

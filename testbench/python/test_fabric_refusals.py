# SPDX-License-Identifier: Apache-2.0
"""Everything that `fabric check` refuses or calls a problem, from the command line, with file, line and column."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import sim

DATA = ROOT / "testbench" / "data" / "fabric"
LIST, FDBS, LFTS = "opensm-subnet.lst", "opensm.fdbs", "opensm-lfts.dump"
LANES, TREES, MEMBERS = "opensm-sl2vl.dump", "opensm.mcfdbs", "opensm-sa.dump"


def changed(sample: str, name: str, old: str, new: str, folder: Path) -> None:
    """The sample with the first `old` of a file exchanged."""
    shutil.copytree(DATA / sample, folder)
    path = folder / name
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


#: Sample, file, what is exchanged and by what; file, line and column, and the words of the message.
REFUSED = {
    "grammar": ("ring6.dfsssp", FDBS, "0x0003 : 002", "0x0003 ; 002", f"{FDBS}:5:8: expected ':'"),
    "number out of range": ("ring6.dfsssp", FDBS, "0x0003 : 002", "0xC003 : 002", f"{FDBS}:5:1: LID 0xc003 is out of"),
    "port above the last": ("ring6.dfsssp", FDBS, "0x0003 : 002", "0x0003 : 005", f"{FDBS}:5:10: switch 'ring0' has"),
    "two rows for a LID": ("ring6.dfsssp", FDBS, "0x0006 :", "0x0005 :", f"{FDBS}:8:"),
    "two rows for two ports": ("ring6.dfsssp", LANES, "1   1   : 0  1", "0   1   : 1  1", f"{LANES}:5:1: ports 0 to 1"),
    "two rows for a group": (
        "irr8s3.updn.mcast", TREES, "0x005  0x007 \n", "0x005  0x007 \n0xC001 : 0x001\n",
        f"{TREES}:5:1: MLID 0xc001 of switch 'switch0' has another row at line 4",
    ),
    "unknown GUID": (
        "ring6.dfsssp", FDBS, "Switch 0x0000000000200000", "Switch 0x0000000000200099",
        f"{FDBS}:1:27: the topology has no switch with the GUID 0x200099",
    ),
    "GUID of another kind": (
        "ring6.dfsssp", FDBS, "Switch 0x0000000000200000", "Switch 0x0000000000100000",
        f"{FDBS}:1:27: 0x100000 is an adapter in the topology, not a switch",
    ),
    "cut off": ("ring6.dfsssp", FDBS, "0x000A : 003  : 04   : yes", "0x000A : 003  :", f"{FDBS}:12:"),
    "fewer rows than dumped": (
        "ring6.dfsssp", LFTS, "12 lids dumped", "11 lids dumped", f"{LFTS}:14:1: LIDs to 11 were dumped, but a row has",
    ),
    "kinds that differ": (
        "ring6.dfsssp", LFTS, "0x0003 002", "0x0003 003", f"{LFTS}:4:8: LID 3 of switch 'ring0' goes to port 3 here",
    ),
    "a path SL": ("ring6.dfsssp", "psl", " 5 2\n", " 5 16\n", "psl:1:12: SL 16 is out of range"),
    "a member's GUID": (
        "irr8s3.updn.mcast", MEMBERS, "0:0x0000000000100007", "0:0x0000000000100999", f"{MEMBERS}:5:",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_place(name: str, tmp_path: Path) -> None:
    sample, file, old, new, says = REFUSED[name]
    changed(sample, file, old, new, tmp_path / "x")
    done = sim("fabric", "check", tmp_path / "x", status=2)
    assert done.stderr.count("\n") == 1 and done.stdout == ""
    assert f"error: {tmp_path}/x/{says}" in done.stderr, done.stderr
    assert re.search(r":\d+:\d+: ", done.stderr)


def list_with(folder: Path, change: tuple[str, str], every: bool = False) -> str:
    """The error of ring6 with a changed subnet list alone."""
    text = (DATA / "ring6.minhop" / LIST).read_text()
    assert change[0] in text
    (folder / LIST).write_text(text.replace(*change, -1 if every else 1))
    done = sim("fabric", "check", folder / LIST, DATA / "ring6.minhop" / FDBS, status=2)
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix(f"error: {folder}/")


@pytest.mark.parametrize(
    ("change", "every", "says"),
    [
        (("{node001} LID:0005", "{node001} LID:0001"), True, rf"{LIST}:\d+:\d+: LID 1 is owned by 'node000' and by"),
        (("PN:02 } {", "PN:03 } {"), False, rf"{LIST}:\d+:\d+: .*told differently"),
        (("SW Ports:04", "SW Ports:41"), True, rf"{LIST}:1:\d+: 'S-0000000000200000' has 65 ports; a switch has 1 to"),
        (("PHY=4x", "PHY=3x"), False, rf"{LIST}:1:\d+: unknown PHY= '3x"),
        (("{ SW Ports", "{ XX Ports"), False, rf"{LIST}:\d+:\d+: unknown kind of node 'XX"),
    ],
)
def test_topologies_are_refused_with_a_place(change: tuple[str, str], every: bool, says: str, tmp_path: Path) -> None:
    found = list_with(tmp_path, change, every)
    assert re.match(says, found), found


def test_lmc_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    files = [DATA / "ring6.minhop" / LIST, DATA / "ring6.minhop" / FDBS]
    text = sim("fabric", "check", *files, "--lmc", "2", status=2).stderr
    assert re.search(rf"{LIST}:\d+:\d+: base LID \d+ of 'node\d+' is no multiple of 4", text), text


def test_partial_makes_unknown_guids_warnings(tmp_path: Path) -> None:
    changed("ring6.dfsssp", FDBS, "Switch 0x0000000000200000", "Switch 0x0000000000200099", tmp_path / "x")
    done = sim("fabric", "check", tmp_path / "x", "--partial", status=None)
    assert f"{FDBS}:1:27: the topology does not have the GUID 0x200099" in done.stdout


def problems(folder: Path, *files: str) -> str:
    done = sim("fabric", "check", *[folder / file for file in files], status=1)
    return done.stdout.partition("problems:\n")[2]


#: One row of a switch's fdbs, and the problem that it makes.
WAYS = {
    "no entry": ("0x0005 : UNREACHABLE", "no entry"),
    "uncabled": ("0x0005 : 004  : 02   : yes", "an entry to an uncabled port"),
    "port 0": ("0x0005 : 000  : 02   : yes", "an entry to port 0 of a switch that does not own the LID"),
    "another host": ("0x0005 : 001  : 02   : yes", "ends at another host"),
}


@pytest.mark.parametrize("name", WAYS)
def test_lost_pairs_are_problems_with_a_place(name: str, tmp_path: Path) -> None:
    row, reason = WAYS[name]
    changed("ring6.minhop", FDBS, "0x0005 : 002  : 02   : yes", row, tmp_path / "x")
    text = problems(tmp_path / "x", LIST, FDBS)
    line = (tmp_path / "x" / FDBS).read_text().splitlines().index(row) + 1
    assert re.search(rf"{FDBS}:{line}:\d+: LID 5 is not reached from switch '\w+': {reason} at ", text), text


def test_ways_back_and_round_are_problems_with_a_place(tmp_path: Path) -> None:
    changed("ring6.minhop", FDBS, "0x0005 : 002  : 02   : yes", "0x0005 : 003  : 02   : yes", tmp_path / "x")
    text = problems(tmp_path / "x", LIST, FDBS)
    assert re.search(rf"{FDBS}:\d+:\d+: LID 5 is not reached from switch '\w+': (goes round|back to the port)", text)


def test_a_switch_without_a_table_and_a_host_without_a_lid(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    changed("ring6.minhop", LIST, "{node001} LID:0005", "{node001} LID:0000", folder)
    (folder / LIST).write_text((folder / LIST).read_text().replace("{node001} LID:0005", "{node001} LID:0000"))
    text = (folder / FDBS).read_text()
    begin = text.index("dump_ucast_routes: Switch 0x0000000000200003")
    (folder / FDBS).write_text(text[:begin] + text[text.index("dump_ucast", begin + 9) :])
    found = problems(folder, LIST, FDBS)
    assert re.search(rf"{LIST}:\d+:\d+: switch 'ring3' has no unicast table", found), found
    assert re.search(rf"{LIST}:\d+:\d+: host 'node001' has LID 0", found), found


def test_groups_that_miss_members_are_problems(tmp_path: Path) -> None:
    changed("irr8s3.updn.mcast", TREES, "0x001  0x003  0x005  0x007", "0x001  0x003  0x007", tmp_path / "x")
    found = problems(tmp_path / "x", LIST, FDBS, TREES)
    assert "pairs of a sender and another member are missed" in found
    assert re.search(
        rf"{TREES}:\d+:1: group 0xc001 at switch 'switch1': the cable at port 7 is in the tree, and", found
    )


def test_lanes_that_are_not_there_are_problems(tmp_path: Path) -> None:
    folder = DATA / "ring6.dfsssp"
    files = [folder / name for name in (LIST, FDBS, "psl", LANES)]
    done = sim("fabric", "check", *files, "--vls", "2", status=1)
    assert "the table says a VL above the operational ones" in done.stdout
    changed("ring6.dfsssp", LANES, "1   2   : 0  1  2", "4   4   : 0  1  2", tmp_path / "x")
    found = problems(tmp_path / "x", LIST, FDBS, "psl", LANES)
    assert "the switch has no SL2VL row for these ports" in found
    changed("ring6.dfsssp", LANES, "1   2   : 0  1  2", "1   2   : 15 15 15", tmp_path / "y")
    found = problems(tmp_path / "y", LIST, FDBS, "psl", LANES)
    assert "the table says VL 15, which is no lane for data" in found

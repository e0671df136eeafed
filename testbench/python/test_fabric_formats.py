# SPDX-License-Identifier: Apache-2.0
"""The same fabric in each form that the readers know, run on the simulated network: results are the same, byte for
byte. Forms of which there is no sample are written here, from those that the tools left."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, points, refused, simulate

DATA = ROOT / "testbench" / "data" / "fabric"
RING, GROUP, LMC = DATA / "ring6.dfsssp", DATA / "irr8s3.updn.mcast", DATA / "parallel.lmc1"
FABRIC = SCENARIOS / "fabric.yaml"

END = re.compile(
    r"\{ (?P<type>\w+)(?:-SM)? Ports:(?P<ports>\w+) .*? NodeGUID:(?P<node>\w+) PortGUID:(?P<port>\w+) .*?"
    r"\{(?P<name>.*?)\} LID:(?P<lid>\w+) PN:(?P<number>\w+) \}"
)


@dataclass(frozen=True)
class End:
    """An end of a cable."""

    kind: str
    ports: int
    node: str
    port: str
    name: str
    lid: int
    number: int

    @classmethod
    def of(cls, found: Mapping[str, str]) -> End:
        ports, lid, number = (int(found[name], 16) for name in ("ports", "lid", "number"))
        return cls(found["type"], ports, f"0x{found['node']}", f"0x{found['port']}", found["name"], lid, number)


def cables(folder: Path) -> list[tuple[End, End]]:
    """Each one from both ends."""
    lines = (folder / "opensm-subnet.lst").read_text().splitlines()
    ends = [[End.of(found.groupdict()) for found in END.finditer(line)] for line in lines]
    return [(one, other) for one, other in ends]


def database(folder: Path, lmc: int = 0) -> str:
    """ibdiagnet's `.db_csv`, with columns in an order of its own and some that nobody reads."""
    all_ends = [one for one, _ in cables(folder)]
    nodes = {end.node: end for end in all_ends}
    lines = ["START_NODES", "NumPorts,NodeDesc,Vendor,NodeType,NodeGUID,PortGUID"]
    lines += [f'{n.ports},"{n.name}",N/A,{2 if n.kind == "SW" else 1},{n.node},{n.port}' for n in nodes.values()]
    lines += ["END_NODES", "", "START_SWITCHES", "anything", "END_SWITCHES", "", "START_LINKS"]
    lines += ["NodeGuid1,PortNum1,NodeGuid2,PortNum2"]
    once = [pair for pair in cables(folder) if (pair[0].node, pair[0].number) < (pair[1].node, pair[1].number)]
    lines += [f"{a.node},{a.number},{b.node},{b.number}" for a, b in once]
    lines += ["END_LINKS", "", "START_PORTS", "NodeGuid,PortGuid,PortNum,LID,LMC,OpVLs"]
    lines += [f"{n.node},{n.port},0,{n.lid},0,N/A" for n in nodes.values() if n.kind == "SW"]
    lines += [f"{e.node},{e.port},{e.number},{e.lid},{lmc},4" for e in all_ends if e.kind != "SW"]
    return "\n".join([*lines, "END_PORTS", ""])


def as_dump_lfts(folder: Path) -> str:
    """OpenSM's LFT dump as `dump_lfts` prints it."""
    made, rows = [], 0
    for line in (folder / "opensm-lfts.dump").read_text().splitlines():
        if row := re.fullmatch(r"(0x\w+) (\d+) # (.* portguid .*)", line):
            made.append(f"{row[1]} {row[2]} : ({row[3]})")
            rows += 1
        elif line.startswith("Unicast"):
            made += [line, "  Lid  Out   Destination", "       Port     Info "]
        elif "lids dumped" in line:
            made.append(f"{rows} valid lids dumped ")
            rows = 0
    return "\n".join([*made, ""])


def as_smpquery(folder: Path) -> str:
    """`slvl` as `smpquery sl2vl` prints it for the LID of each port."""
    lids = {end.node: end.lid for end, _ in cables(folder)}
    made: dict[str, list[str]] = {}
    for line in (folder / "slvl").read_text().splitlines():
        node, into, out, *pairs = line.split()
        lanes = "|".join(f"{int(digit, 16):2}" for pair in pairs for digit in pair.removeprefix("0x"))
        made.setdefault(node, []).append(f"ports: in {into:>2}, out {out:>2}: |{lanes}|")
    head = f"#                 SL: |{'|'.join(f'{sl:2}' for sl in range(16))}|"
    return "\n".join(line for node, rows in made.items() for line in (f"# SL2VL table: Lid {lids[node]}", head, *rows))


def as_path_records(folder: Path) -> str:
    """`psl` as OpenSM's dump of path records has it."""
    ports = {int(end.node, 16): end for end, _ in cables(folder) if end.kind != "SW"}
    made: list[str] = []
    before = None
    for line in (folder / "psl").read_text().splitlines():
        node, lid, sl = line.split()
        if node != before:
            made += ["", f"Channel Adapter {ports[int(node, 16)].port}, base LID {ports[int(node, 16)].lid}"]
        before = node
        made.append(f"0x{int(lid):04X} : {sl} : 4 : 3")
    return "\n".join([*made, ""])


def plain(name: str) -> Callable[[Path], str]:
    return lambda folder: (folder / name).read_text()


#: By what a file tells, and its form.
FORMS: dict[str, dict[str, Callable[[Path], str]]] = {
    "net": {"subnet_list": plain("opensm-subnet.lst"), "ibnetdiscover": plain("net.ibnetdiscover"), "db_csv": database},
    "lft": {"fdbs": plain("opensm.fdbs"), "lfts": plain("opensm-lfts.dump"), "dump_lfts": as_dump_lfts},
    "sl2vl": {"sl2vl_dump": plain("opensm-sl2vl.dump"), "slvl": plain("slvl"), "smpquery": as_smpquery},
    "path_sl": {"psl": plain("psl"), "path_records": as_path_records},
    "mft": {"mcfdbs": plain("opensm.mcfdbs"), "dump_mfts": plain("dump_mfts.txt")},
    "members": {"sa": plain("opensm-sa.dump")},
}


def written(folder: Path, to: Path, forms: Mapping[str, str], change: Callable[[str], bytes] = str.encode) -> list[str]:
    """Settings of a run of these forms of a fabric, whose files are written to a folder."""
    to.mkdir()
    for what, form in forms.items():
        (to / what).write_bytes(change(FORMS[what][form](folder)))
    routing = ", ".join(["kind: tables", *(f"{what}: {to / what}" for what in forms if what != "net")])
    return [f"network.topology.path={to / 'net'}", f"network.routing={{{routing}}}"]


def results(out: Path) -> dict[str, bytes]:
    """All files but the copies of the fabric's."""
    return {name: text for name, text in files(out).items() if not name.startswith("topology/")}


def compare(folder: Path, base: Mapping[str, str], place: Path, *settings: str) -> None:
    """Every other form of each file gives what the first forms give; each is copied to the results as it was."""
    simulate(FABRIC, place / "base", *written(folder, place / "base.files", base), *settings)
    expected = results(place / "base")
    assert expected
    others = [base | {what: form} for what, first in base.items() for form in FORMS[what] if form != first]
    others.append({what: list(FORMS[what])[-1] for what in base})
    for forms in others:
        name = ".".join(forms.values())
        simulate(FABRIC, place / name, *written(folder, place / f"{name}.files", forms), *settings)
        assert results(place / name) == expected, forms
        copies = {path.read_bytes() for path in (place / name / "topology").iterdir()}
        assert {path.read_bytes() for path in (place / f"{name}.files").iterdir()} <= copies, forms


def test_lanes_and_service_levels(tmp_path: Path) -> None:
    """Which packets have which SL shows in the counters of lanes."""
    base = {"net": "subnet_list", "lft": "fdbs", "sl2vl": "sl2vl_dump", "path_sl": "psl"}
    compare(RING, base, tmp_path)
    (point,) = points(tmp_path / "base")
    assert point.passed


def test_groups(tmp_path: Path) -> None:
    base = {"net": "subnet_list", "lft": "fdbs", "mft": "mcfdbs", "members": "sa"}
    group = "workload=[{name: group, kind: multicast, scheme: group, group: 0xC001, message: 1 KiB, messages: 3}]"
    compare(GROUP, base, tmp_path, "network.routing.on_problem=run", group)
    del base["members"]
    settings = written(GROUP, tmp_path / "no-members", base)
    simulate(FABRIC, tmp_path / "without", *settings, "network.routing.on_problem=run", group)
    assert results(tmp_path / "without") == results(tmp_path / "base"), "the tables name all members"


def test_several_lids_of_a_port(tmp_path: Path) -> None:
    """The LMC is told by the topology, by rows of the tables, or by the key."""
    ways = ("network.routing.on_problem=run", "network.routing.path=spread")
    told = written(LMC, tmp_path / "told.files", {"net": "ibnetdiscover", "lft": "fdbs"})
    simulate(FABRIC, tmp_path / "told", *told, *ways)
    for forms, key in (
        ({"net": "db_csv", "lft": "fdbs"}, ()),
        ({"net": "subnet_list", "lft": "lfts"}, ()),
        ({"net": "subnet_list", "lft": "dump_lfts"}, ()),
        ({"net": "subnet_list", "lft": "fdbs"}, ("network.routing.lmc=1",)),
    ):
        name = ".".join(forms.values())
        settings = written(LMC, tmp_path / f"{name}.files", forms)
        if forms["net"] == "db_csv":
            (tmp_path / f"{name}.files" / "net").write_text(database(LMC, lmc=1))
        simulate(FABRIC, tmp_path / name, *settings, *ways, *key)
        assert results(tmp_path / name) == results(tmp_path / "told"), forms


@pytest.mark.parametrize(
    "change",
    [
        lambda text: gzip.compress(text.encode()),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", " \t\n").encode(),
        lambda text: gzip.compress(text[:500].encode()) + gzip.compress(text[500:].encode()),
    ],
    ids=["gzip", "crlf", "blanks", "gzip-in-parts"],
)
def test_packed_files_and_ends_of_lines(change: Callable[[str], bytes], tmp_path: Path) -> None:
    """The results have the files as they were given, and a run of their scenario reads those."""
    forms = {"net": "db_csv", "lft": "lfts", "sl2vl": "slvl", "path_sl": "psl"}
    simulate(FABRIC, tmp_path / "plain", *written(RING, tmp_path / "plain.files", forms))
    simulate(FABRIC, tmp_path / "other", *written(RING, tmp_path / "files", forms, change))
    assert results(tmp_path / "other") == results(tmp_path / "plain")
    copies = {path.read_bytes() for path in (tmp_path / "other" / "topology").iterdir() if path.suffix != ".json"}
    assert copies == {path.read_bytes() for path in (tmp_path / "files").iterdir()}
    simulate(tmp_path / "other" / "scenario.yaml", tmp_path / "again")
    assert results(tmp_path / "again") == results(tmp_path / "plain")


@pytest.mark.parametrize("what", ["net", "lft", "path_sl"])
def test_packed_files_that_are_damaged_are_refused(what: str, tmp_path: Path) -> None:
    forms = {"net": "subnet_list", "lft": "fdbs", "sl2vl": "slvl", "path_sl": "psl"}
    settings = written(RING, tmp_path / "files", forms, lambda text: gzip.compress(text.encode()))
    file = tmp_path / "files" / what
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    cut = "is packed by gzip, and ends in the middle of it; is the file cut short?"
    assert refused(FABRIC, *settings) == f"error: {file}: {cut}\n"
    file.write_bytes(whole[:-6] + bytes([whole[-6] ^ 1]) + whole[-5:])
    assert f"{file}: is packed by gzip, and damaged: incorrect data check" in refused(FABRIC, *settings)
    simulate(FABRIC, tmp_path / "out", *settings, status=2)
    assert not (tmp_path / "out").exists()

# SPDX-License-Identifier: Apache-2.0
"""`polycast fabric check`: text, picture, JSON, and the comparison with ibdmchk."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from polycast_cli.common import ROOT, Status, UserError
from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.check import show_comparison
from polycast_cli.fabric.comparison import compare
from polycast_cli.fabric.files import Kind, kind_of, slvl_of, texts_of
from polycast_cli.fabric.verdict import Verdict
from simulation import sim

DATA = ROOT / "testbench" / "data" / "fabric"
PREBUILT = Path(__file__).parent / "prebuilt_cli.py"
LOOPS = {"irr8s1.minhop", "irr8s3.updn.mcast", "ring6.minhop", "parallel.lmc1"}
SAMPLES = sorted([*LOOPS, "ring6.dfsssp"])


def check(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PREBUILT), "fabric", "check", *map(str, words)]
    env = {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200"}
    return subprocess.run(["env", *(f"{k}={v}" for k, v in env.items()), *command], capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip


def verdict(*paths: Path) -> Verdict:
    return Verdict.model_validate_json(sim("fabric", "check", *paths, "--json", "-", status=None).stdout)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_compare(name: str, tmp_path: Path) -> None:
    """Loop and picture, JSON, and ibdmchk at once."""
    picture, found = tmp_path / "found.svg", tmp_path / "found.json"
    done = check(DATA / name, "-o", picture, "--json", found, "--against", "ibdmchk")
    assert done.returncode == (name in LOOPS), done.stdout + done.stderr
    assert "ibdmchk" in done.stdout and "differs" not in done.stdout
    data = json.loads(found.read_text())
    cycle = data["credit"]["unicast"]["cycle"] or data["credit"]["all"]["cycle"] or []
    marked = re.findall(r'class="marked" d="[^"]*"><title>(\S+) →', picture.read_text())
    assert sorted(marked) == sorted(channel.partition("/vl")[0] for channel in cycle)
    assert bool(marked) == (name in LOOPS)


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "opensm-subnet.lst").write_text("{ nonsense\n")
    done = check(tmp_path, "--against", "ibdmchk")
    assert (done.returncode, done.stdout) == (Status.BAD_INPUT, "")
    assert done.stderr.count("\n") == 1


def test_help_teaches() -> None:
    done = subprocess.run(
        [sys.executable, str(PREBUILT), "fabric", "check", "--help"],
        env={"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "160", "TERM": "dumb"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    for word in ("opensm-subnet.lst", "ibnetdiscover", "credit loop", "--against", "Exit status"):
        assert word in done.stdout, word


def test_files_are_recognised_by_content(tmp_path: Path) -> None:
    kinds = {
        "opensm-subnet.lst": Kind.SUBNET, "opensm.fdbs": Kind.UNICAST, "psl": Kind.PATH_SL, "slvl": Kind.SL2VL,
        "opensm-sl2vl.dump": Kind.SL2VL_DUMP, "net.ibnetdiscover": None,
    }  # fmt: skip
    for name, kind in kinds.items():
        text = (DATA / "ring6.dfsssp" / name).read_text()
        assert kind_of(text) == kind, name
        assert kind_of("# a comment\n\n" + text.replace("\n", "\r\n")) == kind, name
    assert kind_of((DATA / "irr8s3.updn.mcast/opensm.mcfdbs").read_text()) == Kind.MULTICAST
    packed = tmp_path / "any.gz"
    packed.write_bytes(gzip.compress((DATA / "ring6.minhop/opensm.fdbs").read_bytes()))
    assert texts_of([packed]) == {Kind.UNICAST: (DATA / "ring6.minhop/opensm.fdbs").read_text()}


def test_lanes_are_written_as_ibdmchk_reads_them() -> None:
    """As they were asked of the switches themselves, without adapters."""
    known = [line for line in (DATA / "ring6.dfsssp/slvl").read_text().splitlines() if line.startswith("0x00000000002")]
    assert slvl_of((DATA / "ring6.dfsssp/opensm-sl2vl.dump").read_text()).splitlines() == known


def test_ibdmchk_without_its_files_is_refused() -> None:
    with pytest.raises(UserError, match="ibdmchk needs unicast tables"):
        ibdmchk.check({Kind.SUBNET: ""})


def test_a_wrong_verdict_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """Each number, and the loop."""
    folder = DATA / "ring6.minhop"
    right = verdict(folder)
    texts = texts_of([folder])
    assert not any(row.differs for row in compare(right, texts))
    wrong = [right.model_copy(deep=True) for _ in range(4)]
    wrong[0].reached = wrong[0].pairs = 29
    wrong[1].cables[3] += 1
    wrong[2].balance.histogram[2] += 1
    wrong[3].credit.unicast.cycle = None
    for number, found in enumerate(wrong):
        assert [row.differs for row in compare(found, texts)] == [number == row for row in range(4)]
        assert show_comparison(found, [folder]) == Status.FAILED
    assert "ibdmchk finds something else: unicast loop" in capsys.readouterr().err


def test_differences_by_construction_are_named(tmp_path: Path) -> None:
    folder = DATA / "parallel.lmc1"
    rows = compare(verdict(folder), texts_of([folder]))
    assert all("LMC" in row.because for row in rows)
    lost = tmp_path / "lost"
    shutil.copytree(DATA / "ring6.minhop", lost)
    for name in ("opensm-lfts.dump", "dump_lfts.txt", "opensm-lid-matrix.dump"):
        (lost / name).unlink(missing_ok=True)
    text = (lost / "opensm.fdbs").read_text()
    (lost / "opensm.fdbs").write_text(re.sub(r"0x0001 : 001 .*", "0x0001 : UNREACHABLE", text, count=1))
    rows = compare(verdict(lost), texts_of([lost]))
    assert not any(row.differs for row in rows)
    assert any("lose" in row.because for row in rows)

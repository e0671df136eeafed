# SPDX-License-Identifier: Apache-2.0
"""Chakra traces: described, repaired, converted, and run on modelled hosts, their collectives by the library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from polycast_cli.common import ROOT
from simulation import SCENARIOS, files, refused, said, sim, simulate

PROGRAM = SCENARIOS / "program.yaml"
DATA = ROOT / "testbench" / "data" / "programs"
STEP, ALL_GATHER, UNCLEAN = DATA / "chakra" / "step", DATA / "chakra" / "all_gather.et", DATA / "bad" / "unclean.et"
SHARED = Path(os.environ.get("POLYCAST_SHARED_DATA", ROOT.parent / "shared" / "data")) / "programs" / "chakra"
SWITCH = "network.topology={switches: 1, ports: 8, hosts: 8, instances: 1}"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the samples of others are not here")


def loads(path: Path | str, more: str = "") -> str:
    return f"workload=[{{name: app, kind: program, path: {path}{more}}}]"


def run(out: Path, *settings: str) -> dict[str, Any]:
    simulate(PROGRAM, out, SWITCH, *settings)
    return json.loads((out / "results.json").read_text())["points"][0]["program"]


def test_the_samples_are_what_their_script_writes(tmp_path: Path) -> None:
    for folder in ("chakra", "bad"):
        (tmp_path / folder).mkdir()
    subprocess.run([sys.executable, DATA / "make_chakra.py", tmp_path], check=True)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.et"))
    assert written == sorted(path.relative_to(DATA) for path in DATA.rglob("*.et"))
    for path in written:
        assert (tmp_path / path).read_bytes() == (DATA / path).read_bytes()


def test_show_counts_what_the_trace_has() -> None:
    found = json.loads(said("program", "show", STEP, "--json", "-"))
    assert found["ranks"] == 4
    assert {kind: count for kind, count in found["kinds"].items() if count} == {
        "none": 4,
        "calc": 12,
        "collective": 12,
        "send": 4,
        "receive": 4,
    }
    found = json.loads(said("program", "show", UNCLEAN, "--ranks", "2", "--repair", "drop", "--json", "-"))
    assert found["repaired"] == {"absent": 1, "self": 1, "later": 1}


def test_the_command_line_has_all_of_it(cli: Cli) -> None:
    options = ["--groups", DATA / "chakra" / "groups.json", "--streams", "dependencies", "--compute", "roofline"]
    options += ["--peak", "1e12", "--memory", "1 GB/s", "--algorithms", "all_to_all=bruck,default=auto"]
    text = cli("program", "check", ALL_GATHER, "--ranks", "4", "--repair", "drop", *options).stdout
    assert "good: 4 ranks, 36 operations" in text


def test_converted_to_goal_it_takes_the_same_time(tmp_path: Path) -> None:
    sim("program", "convert", STEP, tmp_path / "step.bin")
    finish = [said("program", "run", path, "--json", "-") for path in (STEP, tmp_path / "step.bin")]
    assert json.loads(finish[0])["ranks_finish"] == json.loads(finish[1])["ranks_finish"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((UNCLEAN, "--ranks", "2"), "the shortest cycle: node 3 'on itself' waits for itself"),
        ((DATA / "bad" / "cut.et", "--ranks", "2"), "record 6 (byte 464): 57 bytes, and the file ends at byte 500"),
        ((DATA / "bad" / "attribute.et", "--ranks", "2"), "node 0 'all_reduce' (record 1, byte 8): unknown attribute"),
        ((ALL_GATHER,), "a trace of one file does not say how many ranks execute it"),
        ((STEP, "--ranks", "3"), "`ranks` is 3, and the trace has 4 files"),
        ((STEP, "--format", "goal"), "a program in 4 files; one in the format 'goal' has one"),
        ((STEP, "--algorithms", "allreduce=rign"), "'allreduce' has no algorithm 'rign'; there are ring, doubling"),
        ((STEP, "--streams", "tids"), "tid"),
        ((STEP, "--memory", "fast"), "--memory: expected 1 to 10^18 a second, found 'fast'"),
        ((STEP, "--groups", DATA / "bad" / "cut.et"), "cut.et:1:1: syntax error"),
    ],
)
def test_refusals(arguments: tuple[str | Path, ...], words: str) -> None:
    text = said("program", "check", *arguments, status=2)
    assert words in text
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"path: {UNCLEAN}, ranks: 2", "the trace is not clean"),
        (f"path: {ALL_GATHER}", "how many ranks execute it"),
        (f"path: {STEP}, algorithms: {{allreduce: halving}}", "'allreduce' has no algorithm 'halving'"),
        (f"path: {STEP}, algorithms: {{default: fast}}", "no collective has an algorithm 'fast'"),
        (f"path: {STEP}, algorithms: {{al_reduce: ring}}", "did you mean 'allreduce'"),
        (f"path: {STEP}, compute: roofline", "`peak` does"),
    ],
)
def test_refused_scenarios(text: str, words: str) -> None:
    assert words in refused(PROGRAM, SWITCH, f"workload=[{{name: app, kind: program, {text}}}]")


def test_collectives_of_a_trace_are_in_the_results(tmp_path: Path) -> None:
    found = run(tmp_path / "out", loads(STEP, ", algorithms: {allreduce: doubling}"))
    assert found["operations"]["calc"] == 12
    assert "repaired" not in found
    said_of = [
        (one["collective"], one["algorithm"], one.get("group"), one["ranks"], one["size"])
        for one in found["collectives"]
    ]
    assert sorted(said_of[:2]) == [("reduce_scatter", "ring", "1", 2, 4096), ("reduce_scatter", "ring", "2", 2, 4096)]
    assert said_of[2:] == [("allreduce", "doubling", "0", 4, 8192), ("barrier", "dissemination", None, 4, 1)]
    for one in found["collectives"][:-1]:
        assert one["algbw"] == pytest.approx(one["size"] / one["seconds"])
        factor = 1.5 if one["collective"] == "allreduce" else 0.5
        assert one["busbw"] == pytest.approx(one["algbw"] * factor)
    ends = [one["begin"] + one["cycles"] for one in found["collectives"]]
    assert ends == sorted(ends)
    assert ends[-1] == found["finish"]["cycles"]
    # Where none is named, the one that is predicted to be the fastest.
    best = run(tmp_path / "auto", loads(STEP))["collectives"][2]
    assert (best["algorithm"], best["size"]) == ("two_shot", 8192)
    assert best["cycles"] < found["collectives"][2]["cycles"]


def test_compute_by_roofline(tmp_path: Path) -> None:
    def calculated(name: str, more: str) -> int:
        return run(tmp_path / name, loads(STEP, more))["breakdown"]["compute"]

    # 5 + 3 us at 5 ns a cycle, and 2 us of the launch beside the first; by their bytes 8.192 us and 32.768 us.
    assert calculated("trace", "") == 4 * 1600
    assert calculated("roofline", ", compute: roofline, peak: 1e12, memory: 2 GB/s") == 4 * (1639 + 6554)


def test_every_fidelity_and_the_copy_of_all_files_give_the_same(tmp_path: Path) -> None:
    for path in (DATA / "chakra").iterdir():
        shutil.copy(path, tmp_path)
    workload = loads(tmp_path / "all_gather.et", f", ranks: 4, groups: {tmp_path / 'groups.json'}")
    for name, scenario in (("one", workload), ("many", loads(tmp_path / "step"))):
        run(tmp_path / name, scenario)
        run(tmp_path / f"{name}_tlm", scenario, "network.fidelity=tlm")
        assert files(tmp_path / name) == files(tmp_path / f"{name}_tlm")
    listed = json.loads(sim("sweep", PROGRAM, "-s", loads(tmp_path / "step"), "-s", "seed=1..2").stdout)["runs"][0][
        "files"
    ]
    assert [str(tmp_path / f"step.{rank}.et") for rank in range(4)] == listed
    for path in (*tmp_path.glob("*.et"), tmp_path / "groups.json"):
        path.unlink()
    for name in ("one", "many"):
        simulate(tmp_path / name / "scenario.yaml", tmp_path / f"{name}_again")
        assert files(tmp_path / name) == files(tmp_path / f"{name}_again")


def test_a_repaired_trace_says_so(tmp_path: Path) -> None:
    workload = loads(UNCLEAN, ", ranks: 8, repair: drop")
    done = simulate(PROGRAM, tmp_path / "out", SWITCH, "network.topology.instances=3", workload)
    found = json.loads((tmp_path / "out" / "results.json").read_text())["points"][0]["program"]
    assert found["repaired"] == {"absent": 1, "self": 1, "later": 1}
    assert found["finish"]["cycles"] > 0
    # Once, though three networks run it.
    assert done.stderr.count(f"warning: {UNCLEAN}: 3 dependencies are left out: 1 on absent nodes") == 1


@needs_shared
def test_one_algorithm_as_xml_and_as_a_trace_takes_the_same_time(tmp_path: Path) -> None:
    ring = SHARED / "ring_allreduce_8"
    settings = ("host.processors=1", "packet.header=free")
    trace = run(tmp_path / "trace", loads(ring / "custom_allreduce", ", eager: 1 MiB"), *settings)
    # 7 us are 1,400 cycles for 131,072 bytes.
    more = ", size: 1 MiB, eager: 1 MiB, reduce: 93.63"
    xml = run(tmp_path / "xml", loads(ring / "custom_allreduce.xml", more), *settings)
    assert trace["bytes"] == xml["bytes"] == 112 * 131072
    assert trace["finish"]["cycles"] == xml["finish"]["cycles"]


@needs_shared
def test_a_real_trace_is_refused_with_counts_and_runs_repaired(tmp_path: Path) -> None:
    with tarfile.open(SHARED / "pytorch_trace.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    trace = tmp_path / "tests" / "data" / "chakra.0.et"
    text = said("program", "check", trace, "--ranks", "8", status=2)
    assert "of 3664 nodes (3643 COMP, 21 COMM_COLL) 1277 dependencies are on absent nodes" in text
    assert "383 nodes depend on themselves, 2283 nodes are in or behind cycles; the shortest cycle: node " in text
    done = sim("program", "run", trace, "--ranks", "8", "--repair", "drop", "--loggops", "S=100000000", "--json", "-")
    assert json.loads(done.stdout)["outcome"] == "complete"
    assert "2267 dependencies are left out: 1277 on absent nodes, 383 of nodes on themselves, 607 on" in done.stderr

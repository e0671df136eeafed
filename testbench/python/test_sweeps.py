# SPDX-License-Identifier: Apache-2.0
"""Sweeps from the scenario to the table: the same results however they were run, resumed and interrupted."""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from polycast_cli.common import ROOT
from polycast_cli.reports.curves import BOTTOM, LEFT, RIGHT, TOP
from polycast_cli.simulator import Scenario
from polycast_cli.studies.statistics import Estimate
from polycast_cli.sweeps.page import Failed, Grouping, estimates, figure_of, write_sweep_page
from polycast_cli.sweeps.plan import Key, Plan, Run, plan_of
from polycast_cli.sweeps.table import table_of
from pyarrow import parquet
from simulation import SIMULATOR
from simulation import points as results_of

HERE = Path(__file__).parent
SCENARIO = ROOT / "testbench" / "scenarios" / "sweep.yaml"
SMALL = """\
name: small
sweep:
  workload.tree.degree: [3, 7]
  seed: 1..2
network: {topology: {switches: 4, hosts: 8, instances: 2}}
workload:
  - {name: tree, kind: multicast, scheme: tree}
"""
TABLES = """\
name: tables
network:
  topology: {kind: file, path: tables/opensm-subnet.lst}
  routing: {kind: tables, lft: [tables/opensm.fdbs], sl2vl: tables/slvl, path_sl: tables/psl}
switch: {flit: 4 B, buffer: 64 flit, chunk: 8 flit}
workload: [{name: all, kind: unicast, pattern: each_to_each, message: 128 B}]
sweep: {seed: 1..2}
"""

Command = Callable[..., subprocess.CompletedProcess[str]]


def words(folder: Path, *arguments: object) -> list[str]:
    return [sys.executable, str(HERE / "prebuilt_cli.py"), *map(str, arguments)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200", "TERM": "dumb"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small scenario and its sweep in `done`."""
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "small.yaml").write_text(SMALL)
    ended = call(folder, "run", "small.yaml", "--out", "done", "-j", 2)
    assert ended.returncode == 0, ended.stderr
    assert re.search(
        r"4 passed\ntable:  done/results.parquet, results.sqlite\nreport: done/report.html\n", ended.stdout
    )
    assert "after an interruption the same command with --out done continues" in ended.stderr
    assert "polycast:   workload.tree.degree: 3, 7\npolycast:   seed: 1, 2\n" in ended.stderr
    assert "All 4 runs passed" in (folder / "done/report.html").read_text()
    return folder


def call(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words(folder, *arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def ended_at(folder: Path) -> dict[str, float]:
    """When each run was written."""
    return {file.parent.name: file.stat().st_mtime for file in folder.glob("runs/*/results.json")}


def sweep(file: Path, *sets: str) -> tuple[int, str]:
    arguments = [part for value in sets for part in ("-s", value)]
    done = subprocess.run([SIMULATOR, "sweep", file, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout or done.stderr


def test_the_table_has_a_row_per_run_and_point(place: Path) -> None:
    table = parquet.read_table(place / "done/results.parquet")
    assert table.column_names[:4] == ["run", "workload_tree_degree", "seed", "point"]
    assert [str(kind) for kind in table.schema.types[:3]] == ["string", "int64", "int64"]
    assert table.schema.field("seed").metadata == {b"key": b"seed"}
    rows = table.to_pylist()
    assert len(rows) == 8
    for row in rows:
        folder = place / "done/runs" / row["run"]
        assert row["run"] == f"degree={row['workload_tree_degree']},seed={row['seed']}"
        points = {point.id: point for point in results_of(folder)}
        assert row["latency_mean"] == pytest.approx(points[row["point"]].latency.mean)
        assert row["degree"] == row["workload_tree_degree"]
        assert row["passed"] is True
    database = sqlite3.connect(place / "done/results.sqlite")
    count, mean = database.execute("select count(*), avg(latency_mean) from results where seed = 2").fetchone()
    assert count == 4
    assert mean == pytest.approx(sum(row["latency_mean"] for row in rows if row["seed"] == 2) / 4)
    assert database.execute("select distinct status from runs").fetchall() == [("passed",)]
    assert database.execute('select "column", key, type from keys').fetchall() == [
        ("workload_tree_degree", "workload.tree.degree", "integer"),
        ("seed", "seed", "integer"),
    ]
    database.close()


def test_results_do_not_depend_on_how_it_was_run(place: Path) -> None:
    """One worker instead of two, values on the command line instead of in the scenario."""
    (place / "plain.yaml").write_text(SMALL.replace(SMALL[SMALL.index("sweep:") : SMALL.index("network:")], ""))
    sets = ["-s", "workload.tree.degree=[3,7]", "-s", "seed=1..2"]
    ended = call(place, "run", "plain.yaml", *sets, "--out", "other", "-j", 1)
    assert ended.returncode == 0, ended.stderr
    assert (place / "other/results.parquet").read_bytes() == (place / "done/results.parquet").read_bytes()
    for run in (place / "done/runs").iterdir():
        other = place / "other/runs" / run.name
        for file in ("results.json", "tables/links.csv"):
            assert (other / file).read_bytes() == (run / file).read_bytes()


def test_only_what_changed_runs_again(place: Path) -> None:
    before = ended_at(place / "done")
    ended = call(place, "run", "small.yaml", "--out", "done")
    assert ended.returncode == 0, ended.stderr
    assert "4 runs of small.yaml, 4 of them done before" in ended.stderr
    assert ended_at(place / "done") == before
    ended = call(place, "run", "small.yaml", "--out", "done", "-s", "workload.tree.degree=[3,5]")
    assert "4 runs of small.yaml, 2 of them done before" in ended.stderr
    after = ended_at(place / "done")
    assert {name: time for name, time in after.items() if name in before} == before
    assert len(after) == 6  # the table has those of this sweep only
    assert set(parquet.read_table(place / "done/results.parquet").column("workload_tree_degree").to_pylist()) == {3, 5}
    # Back again: the folder still has the others.
    ended = call(place, "run", "small.yaml", "--out", "done")
    assert "4 runs of small.yaml, 4 of them done before" in ended.stderr


def test_another_scenario_under_the_same_names(place: Path) -> None:
    """And back: what was there before has gone."""
    before = (place / "done/results.parquet").read_bytes()
    less = call(place, "run", "small.yaml", "--out", "done", "-s", "network.topology.instances=1")
    assert less.returncode == 0, less.stderr
    assert "of them done before" not in less.stderr
    assert parquet.read_table(place / "done/results.parquet").num_rows == 4
    back = call(place, "run", "small.yaml", "--out", "done")
    assert "of them done before" not in back.stderr
    assert (place / "done/results.parquet").read_bytes() == before


def test_other_tables_under_the_same_names(place: Path) -> None:
    """Each file that a scenario names counts by what is in it."""
    data = ROOT / "testbench" / "data" / "fabric" / "ring6.dfsssp"
    folder = place / "tables"
    shutil.copytree(data, folder)
    (place / "fabric.yaml").write_text(TABLES)
    assert call(place, "run", "fabric.yaml", "--out", "fabric").returncode == 0
    before = ended_at(place / "fabric")
    assert len(before) == 2
    for name in ("opensm.fdbs", "slvl", "psl"):
        text = (folder / name).read_text()
        (folder / name).write_text(text + "\n")  # it says the same
        ended = call(place, "run", "fabric.yaml", "--out", "fabric")
        assert ended.returncode == 0, ended.stderr
        assert "of them done before" not in ended.stderr, name
        after = ended_at(place / "fabric")
        assert all(after[run] > before[run] for run in before), name
        before = after
    ended = call(place, "run", "fabric.yaml", "--out", "fabric")
    assert "2 runs of fabric.yaml, 2 of them done before" in ended.stderr
    assert ended_at(place / "fabric") == before


def test_the_command_that_repeats_a_run(place: Path) -> None:
    """It is no sweep, and gives the same."""
    plan = plan_of(SIMULATOR, Scenario(place / "small.yaml"), [])
    assert isinstance(plan, Plan)
    sets = [part for value in plan.runs[2].overrides for part in ("-s", value)]
    ended = call(place, "run", "small.yaml", *sets, "--out", "one")
    assert ended.returncode == 0, ended.stderr
    for file in ("results.json", "tables/links.csv"):
        one, run = place / "one" / file, place / "done/runs" / plan.runs[2].name / file
        assert one.read_bytes() == run.read_bytes()


def test_failures_are_isolated_and_listed(place: Path) -> None:
    """200 hosts do not fit on four switches, which only the network itself can tell."""
    (place / "broken.yaml").write_text(SMALL.replace("seed: 1..2", "network.topology.hosts: [8, 200]"))
    ended = call(place, "run", "broken.yaml", "--out", "broken", "-s", "workload.tree.degree=[3]")
    assert ended.returncode == 1
    told = re.search(r"polycast: 1 of 2 runs is refused:\npolycast:   degree=3,hosts=200: .*200 hosts", ended.stderr)
    assert told and told.start() < ended.stderr.index("degree=3,hosts=200: refused (exit status 2)")
    assert "1 passed, 1 refused" in ended.stdout
    again = re.search(r"^refused: scripts/polycast (run broken.yaml .*)\n  (.*)$", ended.stdout, re.MULTILINE)
    assert again
    assert "200" in again[2]
    assert again[2] in (place / "broken/logs/degree=3,hosts=200/stderr").read_text()
    assert "to repeat the failed runs, add --again to the same command" in ended.stderr
    assert "hosts=200" in (page := (place / "broken/report.html").read_text())
    assert "scripts/polycast " + again[1] in page
    database = sqlite3.connect(place / "broken/results.sqlite")
    assert database.execute("select run, status from runs").fetchall() == [
        ("degree=3,hosts=8", "passed"),
        ("degree=3,hosts=200", "refused"),
    ]
    assert database.execute("select distinct run from results").fetchall() == [("degree=3,hosts=8",)]
    database.close()
    # Once more only when asked.
    log = place / "broken/logs/degree=3,hosts=200/job.json"
    before = log.stat().st_mtime_ns
    call(place, "run", "broken.yaml", "--out", "broken", "-s", "workload.tree.degree=[3]")
    assert log.stat().st_mtime_ns == before
    call(place, "run", "broken.yaml", "--out", "broken", "-s", "workload.tree.degree=[3]", "--again")
    assert log.stat().st_mtime_ns > before
    ended = subprocess.run([SIMULATOR, *again[1].split()], cwd=place, capture_output=True, text=True, check=False)
    assert ended.returncode == 2


def test_a_dry_run_lists_and_checks(place: Path) -> None:
    before = sorted(place.iterdir())
    ended = call(place, "run", "small.yaml", "--dry-run", "-s", "seed=1..13")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[:3] == [
        "26 runs of small.yaml",
        "  workload.tree.degree: 3, 7",
        "  seed: 1, 2, 3, 4, 5, … 13 (13 values)",
    ]
    assert [line.strip() for line in lines[3:29]] == [f"degree={d},seed={s}" for d in (3, 7) for s in range(1, 14)]
    assert "good: 26 runs" in ended.stdout
    refused = call(place, "run", "small.yaml", "--dry-run", "-s", "network.topology.hosts=[8,200]", "--out", "dry")
    assert (refused.returncode, "200" in refused.stderr) == (2, True)
    assert "52 runs are refused" not in refused.stderr and "4 of 8 runs are refused" in refused.stderr
    assert sorted(place.iterdir()) == before
    one = call(place, "run", "small.yaml", "--dry-run", "-s", "sweep={}")
    assert (one.returncode, "need a sweep" in one.stderr) == (2, True)


def test_bad_input_runs_nothing(place: Path) -> None:
    for arguments, said in [
        (["small.yaml", "-s", "workload.tree.degre=[1,2]"], "did you mean 'degree'?"),
        (["small.yaml", "-s", "seed=[1,x]"], "'seed' must be a number, not 'x'"),
        (["small.yaml", "--gdb", "host1"], "--gdb needs a single run"),
        (["small.yaml", "-s", "sweep={}", "--again"], "need a sweep"),
        (["small.yaml", "--scheduler", "condor"], "expected tcp://HOST:PORT, tls://HOST:PORT, slurm"),
        (["small.yaml", "--scheduler", "tcp://127.0.0.1:1"], "no scheduler answers"),
    ]:
        ended = call(place, "run", *arguments, "--out", "nothing")
        assert ended.returncode == 2, (arguments, ended.stderr)
        assert said in ended.stderr
        assert not (place / "nothing/runs").is_dir() or not list((place / "nothing/runs").iterdir())
    (place / "full").mkdir()
    (place / "full/thesis.tex").touch()
    ended = call(place, "run", "small.yaml", "--out", "full")
    assert (ended.returncode, "holds something else" in ended.stderr) == (2, True)


def test_a_list_is_swept_or_the_command_says_that_it_is_not(place: Path) -> None:
    for setting, instead in [
        ("workload.tree.rate=[0.1,0.2]", "sweep.workload.tree.rate=[0.1,0.2]"),
        ("trace.chips=[switch0,switch1]", "trace.chips=[[switch0,switch1], ...]"),
    ]:
        said = f"-s {setting}: one run with the whole list, which {setting.partition('=')[0]} takes; to sweep it: -s "
        ended = call(place, "run", "small.yaml", "--dry-run", "-s", setting)
        assert f"polycast: {said}'{instead}'\n" in ended.stderr
        swept = call(place, "run", "small.yaml", "--dry-run", "-s", instead.replace(", ...", ""))
        assert "one run with the whole list" not in swept.stderr
        assert f"  {setting.partition('=')[0]}" in swept.stdout
    assert "whole list" not in call(place, "run", "small.yaml", "--dry-run", "-s", "seed=[1,2]").stderr


def test_two_sweeps_are_compared(place: Path) -> None:
    """Run by run, and over the seeds of a group."""
    same = call(place, "run", "small.yaml", "--out", "twin")
    assert same.returncode == 0, same.stderr
    ended = call(place, "report", "done", "twin")
    assert (ended.returncode, "twin is the same as done to the last bit" in ended.stdout) == (0, True), ended.stderr
    slower = call(place, "run", "small.yaml", "--out", "slower", "-s", "network.link.delay=9")
    assert slower.returncode == 0, slower.stderr
    ended = call(place, "report", "done", "slower", "--fail-on", "worse")
    assert ended.returncode == 1, ended.stderr
    assert re.search(r"^degree=7: tree, 4 networks +latency, cycles +worse", ended.stdout, re.MULTILINE)
    page = (place / "slower/comparison.html").read_text()
    assert re.search(r"degree=3,seed=2: \S+/tree", page)
    assert "network.link.delay" in page
    (place / "empty").mkdir()
    (place / "empty/sweep.json").write_bytes((place / "done/sweep.json").read_bytes())
    ended = call(place, "report", "done", "empty")
    assert (ended.returncode, "empty: no run of this sweep has results" in ended.stderr) == (2, True)


def until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_killed_and_resumed(place: Path) -> None:
    arguments = ["run", "small.yaml", "-s", "seed=1..12", "-j", 2, "--out"]
    with subprocess.Popen(
        words(place, *arguments, "killed"), cwd=place, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: len(ended_at(place / "killed")) >= 6)  # the store is a moment behind the folders
        os.kill(process.pid, signal.SIGKILL)
    before = ended_at(place / "killed")
    assert len(before) < 24
    ended = call(place, *arguments, "killed")
    assert ended.returncode == 0, ended.stderr
    known = re.search(r"24 runs of small.yaml, (\d+) of them done before", ended.stderr)
    assert known and 1 <= int(known[1]) <= len(before)
    whole = call(place, *arguments, "whole")
    assert whole.returncode == 0, whole.stderr
    assert (place / "killed/results.parquet").read_bytes() == (place / "whole/results.parquet").read_bytes()


def test_check_and_the_simulator(place: Path) -> None:
    checked = subprocess.run([SIMULATOR, "check", place / "small.yaml"], capture_output=True, text=True, check=False)
    assert (checked.returncode, "good: 4 runs" in checked.stdout) == (0, True)
    ran = subprocess.run([SIMULATOR, "run", place / "small.yaml"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "`scripts/polycast run` runs them all" in ran.stderr
    code, text = sweep(place / "small.yaml", "packet.payload=[1 KiB, 8 flit]")
    plan = Plan.model_validate_json(text)
    assert code == 0
    assert plan.keys[2].model_dump() == {"path": "packet.payload", "type": "integer", "unit": "B"}
    assert [run.values["packet.payload"] for run in plan.runs[:2]] == [1024, 8]


def test_the_example() -> None:
    code, text = sweep(SCENARIO)
    assert (code, len(Plan.model_validate_json(text).runs)) == (0, 12)


def rows_of(table: Sequence[tuple[str, int, str, float]]) -> list[dict[str, object]]:
    names = ("workload", "degree", "mode", "latency_mean")
    more = {"passed": True, "latency_count": 1, "kept_up": None}
    return [dict(zip(names, row, strict=True)) | more for row in table]


def test_samples_are_networks_and_seeds() -> None:
    keys = [Key(path="seed", type="integer"), Key(path="mode", type="text"), Key(path="degree", type="integer")]
    rows = rows_of([("w", 3, "a", 10.0), ("w", 3, "a", 14.0), ("w", 7, "a", 20.0), ("w", 3, "b", 5.0)])
    rows = [row | {"seed": seed} for seed, row in enumerate(rows)]
    grouping = Grouping.of(keys, rows)
    assert grouping.x is not None
    assert grouping.x.path == "degree"
    found = estimates(rows, grouping, "latency_mean")
    assert list(found) == ["mode a", "mode b"]
    assert {x: (mean.mean, mean.count) for x, (mean, _) in found["mode a"].items()} == {3: (12.0, 2), 7: (20.0, 1)}
    assert found["mode a"][3][0].half == pytest.approx(25.412, abs=1e-3)  # t(0.975, 1) * 2
    several = [*rows, rows[0] | {"workload": "v"}]
    assert list(estimates(several, Grouping.of(keys, several), "latency_mean"))[:2] == ["w, mode a", "w, mode b"]
    rows = [row | {"mode": "a"} for row in rows]
    assert list(estimates(rows, Grouping.of(keys, rows), "latency_mean")) == ["w"]  # what does not vary is no name


def test_keys_that_vary_together_make_one_line() -> None:
    """The second one's value follows from the first one's."""
    keys = [Key(path="degree", type="integer"), Key(path="mode", type="text")]
    rows = [row | {"seed": 1} for row in rows_of([("w", 3, "a", 10.0), ("w", 7, "b", 20.0)])]
    found = estimates(rows, Grouping.of(keys, rows), "latency_mean")
    assert {series: list(by_x) for series, by_x in found.items()} == {"w": [3, 7]}


def test_charts_of_sweeps_hold_all_points() -> None:
    """Those of saturated runs, too, and of keys below zero; a series has one colour in all charts."""
    x = Key(path="offset", type="integer")
    found = {"w": {-4: (Estimate(10.0, None, 1), False), 4: (Estimate(300.0, None, 1), True)}}
    drawn = figure_of("latency_mean", Grouping(x, []), found, {"v": 0, "w": 1})
    assert drawn is not None
    assert drawn.legend == [("b1", "w")]
    knots = re.findall(r'<circle class="knot[^"]* s1" cx="([\d.]+)" cy="([\d.]+)"', drawn.svg)
    assert len(knots) == 2
    assert all(LEFT <= float(at) <= RIGHT and TOP <= float(y) <= BOTTOM for at, y in knots)


def run_of(name: str, **values: object) -> Run:
    return Run.model_construct(name=name, overrides=[], values=values, files=[], scenario="")


def test_types_of_columns(tmp_path: Path) -> None:
    """Words make a text of numbers; what is empty everywhere is a text."""
    runs = [run_of("a", vcs=4, rate=0.5), run_of("b", vcs="auto", rate=1), run_of("c", vcs=1, rate=2)]
    for run, latency in zip(runs[:2], ("3", "2.5"), strict=True):
        (tmp_path / run.name / "tables").mkdir(parents=True)
        with (tmp_path / run.name / "tables/points.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([["point", "latency_mean", "rate2", "passed"], ["x, y", latency, "", 1]])
    keys = [Key(path="vcs", type="integer"), Key(path="rate", type="number")]
    table = table_of(keys, runs, {run.name: tmp_path / run.name for run in runs[:2]})
    assert table.to_pylist() == [
        {"run": "a", "vcs": "4", "rate": 0.5, "point": "x, y", "latency_mean": 3.0, "rate2": None, "passed": True},
        {"run": "b", "vcs": "auto", "rate": 1.0, "point": "x, y", "latency_mean": 2.5, "rate2": None, "passed": True},
    ]
    assert table.schema.field("rate2").type == pa.string()
    assert table_of(keys, runs, {}).num_rows == 0


def test_page_without_any_result(tmp_path: Path) -> None:
    keys = [Key(path="seed", type="integer")]
    plan = Plan.model_construct(keys=keys, runs=[run_of("seed=1", seed=1)])
    failed = [Failed("seed=1", "crashed", 70, "error: <internal>", "scripts/polycast run x.yaml -s seed=1")]
    page = write_sweep_page(tmp_path / "report.html", "x", plan, table_of(keys, [], {}), failed, "again").read_text()
    assert "1 of 1 runs did not pass" in page
    assert "error: &lt;internal&gt;" in page

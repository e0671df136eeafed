# SPDX-License-Identifier: Apache-2.0
"""`bench`: what is read from the programs, and the ratios made of it."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from polycast_cli import bench
from polycast_cli.bench import PLAN, Measured, Table, amount, google, met, ratios, take
from polycast_cli.common import Failure
from polycast_cli.projection import RANKS, Costs, project
from polycast_cli.waves import ranges


def program(path: Path, answer: object, status: int = 0) -> Path:
    path.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "place = next(a.split('=', 1)[1] for a in sys.argv if a.startswith('--benchmark_out='))\n"
        f"open(place, 'w').write({json.dumps(answer)!r})\nsys.exit({status})\n"
    )
    path.chmod(0o755)
    return path


def test_counters_and_names(tmp_path: Path) -> None:
    run = {
        "name": "a/ports:8/iterations:3/manual_time",
        "real_time": 2.0,
        "time_unit": "ms",
        "iterations": 3,
        "hops": 5.0,
    }
    found = google(program(tmp_path / "bench", {"benchmarks": [run]}), [])
    assert found == {"a/ports:8": {"hops": 5.0, "seconds": 0.002}}


def test_failures_are_not_numbers(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="bench failed"):
        google(program(tmp_path / "bench", {}, status=1), [])
    run = {"name": "a", "real_time": 0.0, "time_unit": "ns", "error_occurred": True, "error_message": "lost a packet"}
    with pytest.raises(Failure, match="lost a packet"):
        google(program(tmp_path / "bench", {"benchmarks": [run]}), [])


def test_ratios_are_taken_within_a_repetition() -> None:
    table: Table = defaultdict(lambda: defaultdict(Measured))
    for fast, slow in ((10.0, 1.0), (40.0, 2.0), (90.0, 3.0)):
        take(table, {"fast/n:1": {"rate": fast}, "slow": {"rate": slow}})
    plan = [
        {"name": "x", "of": "fast/n:1:rate", "over": "slow:rate"},
        {"name": "y", "of": "none:rate", "over": "slow:rate"},
    ]
    assert [(row["median"], row["least"], row["most"]) for row in ratios(table, plan)] == [(20, 10, 30)]


def test_aims() -> None:
    assert met(None, 3) == ""
    assert "yes" in met("at least 10", 10)
    assert "no" in met("at least 10", 9.9)
    assert "yes" in met("at most 1.2", 1.1)
    assert "no" in met("at most 1.2", 1.3)


def test_the_plan_can_be_read() -> None:
    plan = yaml.safe_load(PLAN.read_text())
    names = {row["name"] for row in plan["processes"]}
    for row in plan["ratios"]:
        assert set(row) <= {"name", "of", "over", "aim"}
        for place in (row["of"], row["over"]):
            benchmark = place.rpartition(":")[0]
            assert benchmark in names or not benchmark.startswith("sim/")
        met(row.get("aim"), 1.0)


def test_amounts() -> None:
    assert [amount(v) for v in (1.8e6, 2.5e10, 12_345, 1234, 0.02)] == ["1.8 M", "25 G", "12.3 k", "1234", "0.02"]


def test_chips_as_ranges() -> None:
    assert ranges(["switch0", "switch1", "switch2", "switch5", "spine"]) == ["switch0..2", "switch5", "spine"]


def test_more_ranks_are_projected_from_what_few_cost() -> None:
    one = Costs(seconds=100)
    two = Costs(seconds=60, windows=1000, batches=100, bytes=1e6, cables=50, waiting=1.1)
    four = Costs(seconds=40, windows=1000, cables=100)
    found = [project(one, two, four, ranks) for ranks in RANKS]
    assert found[0].seconds == pytest.approx(50 + 0.001 * 1100)
    assert [round(each.cables) for each in found[:3]] == [50, 100, 200]
    assert found[1].bytes_per_window == pytest.approx(1e6 / 1000 / 50 * 100 / 4)
    assert [each.efficiency for each in found] == sorted((each.efficiency for each in found), reverse=True)
    assert found[-1].seconds > 0.001 * 1000, "what is told in a window does not divide"


def test_building_a_model_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {"sim/core": iter([1.0, 1.0]), "sim/rtl": iter([30.0, 3.0, 3.0])}
    monkeypatch.setattr(bench, "build", lambda tests: None)
    monkeypatch.setattr(bench, "folder", lambda: tmp_path)
    monkeypatch.setattr(bench, "process", lambda name, *_: {name: {"seconds": next(seconds[name])}})
    bench.run_benchmarks(["sim/core", "sim/rtl"], 2, tmp_path / "bench.json")
    measured = json.loads((tmp_path / "bench.json").read_text())["measured"]
    assert {name: each["seconds"] for name, each in measured.items()} == {"sim/core": [1, 1], "sim/rtl": [3, 3]}

# SPDX-License-Identifier: Apache-2.0
"""Small studies from beginning to end: folders, resumption, refusals, pages."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from fixture_cluster import apart
from fixture_studies import TINY, study_of
from polycast_cli.common import ROOT, Failure, Status, UserError
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.data import collect
from polycast_cli.studies.model import Study
from polycast_cli.studies.pages import file_name
from polycast_cli.studies.reproduce import Order
from polycast_cli.studies.runs import Runs
from simulation import SIMULATOR


@pytest.fixture
def tiny(tmp_path: Path) -> Study:
    return study_of(tmp_path)


def order(study: Study, folder: Path, *figures: str) -> Order:
    return Order(study, "quick", folder, study.chosen(figures), 2, "the command")


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reproducing, "ready", lambda preset: SIMULATOR)
    return SIMULATOR


class Checker(HTMLParser):
    """Finds places that links point to, and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "src") and value:
                self.links.append(value)


# From beginning to end


def test_a_small_study(tiny: Study, simulator: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert reproducing.reproduce(order(tiny, folder)) == Status.OK
    said = capsys.readouterr()
    assert "--full would take about" in said.err
    with (folder / "tables" / "ratio.csv").open() as stream:
        rows = {(r["model"], r["panel"], r["series"], r["x"]): r for r in csv.DictReader(stream)}
    assert len(rows) == 16
    tree = float(rows["paper", "R = 1", "tree", "7"]["mean"])
    assert 4200 < tree < 4500
    assert float(rows["paper", "R = 1", "ni", "7"]["mean"]) > tree
    assert float(rows["slow", "R = 1", "tree", "7"]["mean"]) == pytest.approx(tree + 3000, abs=1)
    with (folder / "tables" / "load.csv").open() as stream:
        load = list(csv.DictReader(stream))
    assert [row["x"] for row in load] == ["0.02", "0.9"], "the curve ends behind saturation"
    assert [row["saturated"] for row in load] == ["0", "1"]
    scenarios = [path.read_text() for path in (folder / "runs").glob("*/scenario")]
    windows = [yaml.safe_load(text).get("measurement", {}).get("window") for text in scenarios]
    assert (windows.count(None), windows.count(8000)) == (16, 2), "nothing is run behind saturation"
    assert {path.name for path in (folder / "runs").glob("*/results/*")} == {
        "results.json",
        "run.json",
        "scenario.yaml",
    }
    plots = sorted(path.name for path in (folder / "plots").iterdir())
    assert plots == sorted(
        ["load-paper-3-way.svg", *(f"ratio-{m}-{p}.svg" for m in ("paper", "slow") for p in ("across", "r-1", "r-5"))]
    )
    page = Checker((folder / "report.html").read_text())
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert (link[1:] in page.ids) if link.startswith("#") else (folder / link).is_file(), link


def test_a_second_call_runs_only_what_is_missing(
    tiny: Study, simulator: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert reproducing.reproduce(order(tiny, folder, "ratio")) == Status.OK
    runs = {path: path.stat().st_mtime_ns for path in (folder / "runs").glob("*/job.json")}
    lost, broken = (path.parent / "results" / "results.json" for path in sorted(runs)[:2])
    lost.unlink()
    broken.write_text("{ half a resu")
    capsys.readouterr()
    assert reproducing.reproduce(order(tiny, folder, "ratio")) == Status.OK
    assert "up to 2 runs" in capsys.readouterr().err
    again = {path: path.stat().st_mtime_ns for path in (folder / "runs").glob("*/job.json")}
    assert again.keys() == runs.keys()
    assert sorted(path for path in runs if again[path] != runs[path]) == sorted(runs)[:2]
    assert reproducing.reproduce(order(tiny, folder, "ratio")) == Status.OK
    assert "all results exist already" in capsys.readouterr().err


def test_figures_of_earlier_calls_stay(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    reproducing.reproduce(order(tiny, folder, "ratio"))
    reproducing.reproduce(order(tiny, folder, "load"))
    text = (folder / "report.html").read_text()
    assert 'id="ratio"' in text
    assert 'id="load"' in text


def test_folders_of_something_else_are_refused(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="holds something other than a study"):
        reproducing.reproduce(order(tiny, folder))
    (folder / "study.json").write_text('{"format": 1, "study": "other", "depth": "quick", "topology": ""}')
    with pytest.raises(UserError, match="belongs to another study"):
        reproducing.reproduce(order(tiny, folder))
    for text, message in (("{", "not JSON"), ("[]", "not the description of a study")):
        (folder / "study.json").write_text(text)
        with pytest.raises(UserError, match=message):
            reproducing.reproduce(order(tiny, folder))
    assert (folder / "thesis.txt").read_text() == "mine"


def test_one_process_at_a_time(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert reproducing.reproduce(order(tiny, folder, "load")) == Status.OK
    with Store(folder / "jobs.sqlite"), pytest.raises(UserError, match="another command is using"):
        reproducing.reproduce(order(tiny, folder, "load"))


def test_a_refused_scheme_is_told_and_the_others_run(
    simulator: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(tmp_path, TINY.replace("scheme: ni}", "scheme: nii}"))
    assert reproducing.reproduce(order(study, tmp_path / "out", "ratio")) == Status.FAILED
    assert "nii" in capsys.readouterr().err
    assert "Some runs failed" in (tmp_path / "out" / "report.html").read_text()
    assert (tmp_path / "out" / "plots" / "ratio-paper-r-1.svg").is_file()


def program(path: Path, body: str) -> Path:
    """A simulator that is this Python text."""
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(0o755)
    return path


def test_a_broken_simulator_is_a_failure_with_its_scenario(
    tiny: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = program(tmp_path / "sim", "import sys\nprint('assertion', file=sys.stderr)\nsys.exit(134)\n")
    monkeypatch.setattr(reproducing, "ready", lambda preset: broken)
    with pytest.raises(Failure, match=r"status 134: assertion(.|\n)*seed: 3"):
        reproducing.reproduce(order(tiny, tmp_path / "out", "load"))


#: Keeps up with loads below 0.5, after 3,000 cycles.
LATE = f"""
import json, sys
from pathlib import Path
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(ROOT / "scripts")!r}]
import yaml
from fixture_studies import write_points
if sys.argv[1:] == ["--version"]:
    sys.exit(0)
scenario = yaml.safe_load(Path("scenario").read_text())
load = {{"kept_up": scenario["workload"][0]["rate"] < 0.2, "created": 9, "completed": 9, "warmup_detected": 3000}}
point = {{"load": load, "throughput": {{"offered": 0.5}}, "cycles": scenario["measurement"]["window"]}}
write_points(Path("results"), *(point | {{"id": f"net-{{n}}/w"}} for n in (1, 2)))
"""


def test_runs_with_short_warmups_are_repeated_and_curves_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With 2,000 cycles the warm-up is too short, with 4,000 it is not; what is saturated is not repeated."""
    late = program(tmp_path / "sim", LATE)
    monkeypatch.setattr(reproducing, "ready", lambda preset: late)
    study = study_of(tmp_path, TINY.replace("quick: [0.02, 0.9, 2]", "quick: [0.02, 0.3, 0.9, 2]"))
    folder = tmp_path / "out"
    assert reproducing.reproduce(order(study, folder, "load")) == Status.OK
    with (folder / "tables" / "load.csv").open() as stream:
        rows = [(row["x"], row["discarded"], row["flagged"], row["saturated"]) for row in csv.DictReader(stream)]
    assert rows == [("0.02", "4000", "", "0"), ("0.3", "4000", "", "0"), ("0.9", "2000", "", "1")]
    texts = [path.read_text() for path in (folder / "runs").glob("*/scenario")]
    assert sorted(yaml.safe_load(text)["measurement"]["window"] for text in texts) == [8000] * 3 + [16000] * 2
    assert "up to 4 runs" in capsys.readouterr().err
    assert reproducing.reproduce(order(study, folder, "load")) == Status.OK
    assert "all results exist already" in capsys.readouterr().err


def test_another_simulator_makes_results_old(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    reproducing.reproduce(order(tiny, folder, "ratio"))
    other = tmp_path / "other"
    other.write_bytes(SIMULATOR.read_bytes() + b"another")
    with Store(folder / "jobs.sqlite") as store:
        for program, left in ((SIMULATOR, 0), (other, 16)):
            runs = Runs(program, folder / "runs", store)
            work = Work(runs.begin(order(tiny, folder, "ratio").chains), store, again=True, further=runs.further)
            assert len(work.left) == left
    assert collect(tiny, tiny.figures, "quick", runs).curves == {}


def test_a_cluster_gives_the_same_study(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    reproducing.reproduce(order(tiny, tmp_path / "here"))
    with apart(tmp_path, workers=2) as address:
        there = Order(tiny, "quick", tmp_path / "there", tiny.chosen([]), None, "the command", scheduler=address)
        assert reproducing.reproduce(there) == Status.OK
    names = [path.relative_to(tmp_path / "here") for path in (tmp_path / "here").glob("*/*") if path.is_file()]
    assert len(names) > 9
    for name in names:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes(), name
    pages = [(tmp_path / place / "report.html").read_text() for place in ("here", "there")]
    assert len({re.sub("<time.*</time>", "", page) for page in pages}) == 1


def test_kill_9_loses_nothing(simulator: Path, tmp_path: Path) -> None:
    """Killed in the middle; the second call finds whole results and runs the others."""
    (tmp_path / "tiny.yaml").write_text(TINY)
    script = f"""
import sys
from pathlib import Path
from polycast_cli.studies import reproduce
from polycast_cli.studies.model import load_study
reproduce.ready = lambda preset: Path({str(SIMULATOR)!r})
study = load_study(Path({str(tmp_path / "tiny.yaml")!r}))
order = reproduce.Order(study, "quick", Path({str(tmp_path / "out")!r}), study.chosen([]), 1, "x")
sys.exit(reproduce.reproduce(order))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    command = [sys.executable, "-c", script]
    runs = tmp_path / "out" / "runs"
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not runs.is_dir() or len(list(runs.glob("*/job.json"))) < 3:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    with Store(tmp_path / "out" / "jobs.sqlite") as store:
        known = [Path(folder) for (folder,) in store.database.execute("select folder from jobs")]
    kept = {folder / "job.json": (folder / "job.json").read_bytes() for folder in known}
    assert 1 <= len(kept) < 18
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "up to " in done.stderr
    for path, content in kept.items():
        assert path.read_bytes() == content
    assert not [path for path in runs.iterdir() if path.name.startswith(".")]


def test_names_of_files() -> None:
    assert file_name("R = 0.5, 3-way") == "r-0.5-3-way"
    assert file_name("1,024 flits") == "1-024-flits"


# Command line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reproduce", "multidest"], "did you mean 'multidestination'?"),
        (["reproduce", "--figure", "ratios"], "did you mean 'ratio'?"),
        (["reproduce", "--jobs", "0"], "--jobs"),
    ],
)
def test_bad_input_is_status_2(
    cli: Callable[..., subprocess.CompletedProcess[str]], arguments: list[str], said: str
) -> None:
    done = cli(*arguments)
    assert done.returncode == Status.BAD_INPUT
    assert said in done.stderr
    assert "Traceback" not in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Small studies from beginning to end: folders, resumption, refusals, pages."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fixture_studies import TINY, study_of
from polycast_cli.common import ROOT, Failure, Status, UserError
from polycast_cli.studies import reproduce as reproducing
from polycast_cli.studies.data import collect
from polycast_cli.studies.engine import Engine, Store, digest
from polycast_cli.studies.model import Study
from polycast_cli.studies.pages import file_name
from polycast_cli.studies.plan import Unit
from polycast_cli.studies.reproduce import Order
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
    assert len(list((folder / "runs").iterdir())) == 16 + 2, "nothing is run behind saturation"
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
    runs = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    lost = sorted(runs)[0]
    lost.unlink()
    sorted(runs)[1].write_text("{ half a resu")
    capsys.readouterr()
    assert reproducing.reproduce(order(tiny, folder, "ratio")) == Status.OK
    assert "up to 2 runs" in capsys.readouterr().err
    again = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    assert again.keys() == runs.keys()
    assert sorted(path for path in runs if again[path] != runs[path]) == sorted(runs)[:2]
    assert reproducing.reproduce(order(tiny, folder, "ratio")) == Status.OK
    assert "every result is there already" in capsys.readouterr().err


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
    with pytest.raises(UserError, match="holds something that is no study"):
        reproducing.reproduce(order(tiny, folder))
    (folder / "study.json").write_text('{"format": 1, "study": "other", "depth": "quick", "topology": ""}')
    with pytest.raises(UserError, match="belongs to another study"):
        reproducing.reproduce(order(tiny, folder))
    (folder / "study.json").write_text("{")
    with pytest.raises(UserError, match="not JSON"):
        reproducing.reproduce(order(tiny, folder))
    assert (folder / "thesis.txt").read_text() == "mine"


def test_one_process_at_a_time(tiny: Study, simulator: Path, tmp_path: Path) -> None:
    one = order(tiny, tmp_path / "out")
    with reproducing.locked(one), pytest.raises(UserError, match="another process works"), reproducing.locked(one):
        pass


def test_a_refused_scheme_is_told_and_the_others_run(
    simulator: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(tmp_path, TINY.replace("scheme: ni}", "scheme: nii}"))
    assert reproducing.reproduce(order(study, tmp_path / "out", "ratio")) == Status.FAILED
    assert "nii" in capsys.readouterr().err
    assert "Some runs went wrong" in (tmp_path / "out" / "report.html").read_text()
    assert (tmp_path / "out" / "plots" / "ratio-paper-r-1.svg").is_file()


def engine_with(tmp_path: Path, body: str) -> Engine:
    """An engine whose simulator is this Python text."""
    program = tmp_path / "sim"
    program.write_text(f"#!{sys.executable}\n{body}")
    program.chmod(0o755)
    for name in ("runs", "work"):
        (tmp_path / name).mkdir(exist_ok=True)
    return Engine(program, Store(tmp_path / "runs", digest(program)), tmp_path / "work")


def test_a_broken_simulator_is_a_failure_with_its_scenario(tmp_path: Path) -> None:
    engine = engine_with(tmp_path, "import sys\nprint('assertion', file=sys.stderr)\nsys.exit(134)\n")
    with pytest.raises(Failure, match=r"status 134: assertion(.|\n)*seed: 77"):
        engine.result(Unit("seed: 77\n", (1,), 0, 1, 1.0))
    assert not list((tmp_path / "work").iterdir())


def test_another_simulator_makes_results_old(
    tiny: Study, simulator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    reproducing.reproduce(order(tiny, folder, "ratio"))
    monkeypatch.setattr(reproducing, "digest", lambda program: "another")
    store = Store(folder / "runs", "another")
    assert collect(tiny, tiny.figures, "quick", store).curves == {}


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
        while not runs.is_dir() or len(list(runs.glob("*.json"))) < 3:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = {path: path.read_bytes() for path in runs.glob("*.json")}
    assert 3 <= len(kept) < 18
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "up to " in done.stderr
    for path, content in kept.items():
        assert path.read_bytes() == content
    assert not (tmp_path / "out" / ".work").exists()


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

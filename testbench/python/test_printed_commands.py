# SPDX-License-Identifier: Apache-2.0
"""Commands that the command line prints or writes into pages, each run from a fresh shell in the same folder."""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import SIMULATOR
from test_one_network import RAILS

SMALL = """\
name: small
seed: 1
network: {topology: {switches: 4, hosts: 8}}
workload:
  - {name: tree, kind: multicast, scheme: tree, degree: 3}
"""

#: The name of the command, which a shell has to be told, too.
COMMAND = r"the\ command"

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, both with names that a shell has to be told, and beside it the command."""
    folder = tmp_path_factory.mktemp("printed") / "it's mine"
    folder.mkdir()
    (folder / "a b.yaml").write_text(SMALL)
    (folder / "my rails.yaml").write_text(RAILS)
    command = folder.parent / "the command"
    text = [
        line for line in (ROOT / "scripts/polycast").read_text().splitlines() if line.startswith("printf -v itself")
    ]
    text += [f'export POLYCAST_COMMAND="$itself" POLYCAST_BUILD={shlex.quote(str(SIMULATOR.parent.parent))}']
    text += [f"export PYTHONPATH={shlex.quote(str(ROOT / 'scripts'))} COLUMNS=200 TERM=dumb"]
    text += [shlex.join(["exec", sys.executable, str(Path(__file__).with_name("prebuilt_cli.py"))]) + ' "$@"']
    command.write_text("\n".join(["#!/bin/bash", *text, ""]))
    command.chmod(0o755)
    return folder


def typed(place: Path, line: str, status: int = 0) -> Done:
    """A line in a shell that knows nothing."""
    shell = ["env", "-i", f"PATH={os.environ['PATH']}", f"HOME={place}", "/bin/sh", "-c", line]
    done = subprocess.run(shell, cwd=place, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == status, (line, done.stdout, done.stderr)
    return done


def polycast(place: Path, *words: str, status: int = 0) -> Done:
    return typed(place, shlex.join(["../the command", *words]), status)


def page_commands(page: Path) -> list[str]:
    """Those of polycast, in its boxes with a button."""
    found = re.findall(r'<div class="command"><pre[^>]*><code>(.*?)</code>', page.read_text(), re.DOTALL)
    return [line for line in map(html.unescape, found) if COMMAND in line]


def test_of_a_run(place: Path) -> None:
    done = polycast(place, "run", "a b.yaml", "--waves", "--out", "my results")
    waves = re.search(r"^waves: +(\.\./the.*)$", done.stdout, re.MULTILINE)
    assert waves
    assert "tree" in typed(place, waves[1]).stdout
    (again,) = page_commands(place / "my results/report.html")
    typed(place, again)
    for file in ("results.json", "tables/links.csv"):
        first, second = (place / name / file for name in ("my results", "my results-again"))
        assert first.read_bytes() == second.read_bytes()


def test_of_a_failed_run(place: Path) -> None:
    """On the terminal and on the page, which has it beside the one for the whole run."""
    late = ("-s", "measurement.drain_limit=1 cycle", "-s", "measurement.saturated=drain")
    done = polycast(place, "run", "my rails.yaml", *late, "--out", "bad", status=1)
    printed = re.findall(r": again: (.*)$", done.stderr, re.MULTILINE)
    *again, whole = page_commands(place / "bad/report.html")
    assert again and again == printed
    for number, line in enumerate([*(f"{line} --out bad{number}" for number, line in enumerate(again)), whole]):
        assert "failed: " in typed(place, line, 1).stdout, number


def test_of_a_sweep(place: Path) -> None:
    done = polycast(
        place, "run", "a b.yaml", "-s", "network.topology.hosts=[8,200]", "--out", "my sweep", status=1
    )  # fmt: skip
    (refused,) = re.findall(r"^refused: (.*)$", done.stdout, re.MULTILINE)
    assert "200 hosts" in typed(place, refused, 2).stderr
    again, more = page_commands(place / "my sweep/report.html")
    assert again == refused
    assert "2 of them done before" in typed(place, more, 1).stderr


def test_of_a_comparison(place: Path) -> None:
    for name in ("first one", "second one"):
        polycast(place, "run", "a b.yaml", "--out", name)
    polycast(place, "report", "first one", "second one")
    (line,) = page_commands(place / "second one/comparison.html")
    assert "the same as" in typed(place, line).stdout


def test_of_a_regression(place: Path) -> None:
    """From outside of the checkout, to which its commands are relative."""
    plan = "name: small\nrequirements:\n  - {id: one, says: One., tests: [{scenario: 'my rails.yaml', set: {%s}}]}\n"
    (place / "plan.yaml").write_text(plan % "measurement.drain_limit: 1 cycle, measurement.saturated: drain")
    build = str(SIMULATOR.parent.parent)
    done = polycast(place, "regress", "plan.yaml", "--build", build, "--minimise", "0", "--out", "regression", status=1)
    (line,) = re.findall(r"^  again: (.*)$", done.stdout, re.MULTILINE)
    assert line.startswith("cd ")
    inside = line.replace(" scripts/polycast ", f" {shlex.quote(str(place.parent / 'the command'))} ")
    typed(place, f"{inside} --out {shlex.quote(str(place / 'once more'))}", 1)

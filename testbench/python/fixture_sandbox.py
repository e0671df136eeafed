# SPDX-License-Identifier: Apache-2.0
"""A folder that looks like a checkout, in which commands of the pages run: what they write stays in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from fixture_documents import as_typed
from polycast_cli.common import ROOT

BUILT = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build" / "release"))
LONG = os.environ.get("POLYCAST_LONG", "") not in ("", "0")
HERE = Path(__file__).parent

#: The user's scenario of the pages: the network of own_rtl.yaml, so that Verilated models are those of other tests.
MY_SCENARIO = """
name: my
network:
  topology: {switches: 4, ports: 4, hosts: 8, instances: 1}
host: {send_overhead: 100 cycle, receive_overhead: 100 cycle, ni_send: 20 cycle, ni_receive: 20 cycle}
workload:
  - {name: tree, kind: multicast, scheme: tree, degree: 3, rate: 0.05}
measurement: {warmup: 0 cycle, window: 20000 cycle}
"""


@dataclass
class Rule:
    """How a command runs; see documents.yaml."""

    match: str
    run_as: str | None = None
    long: str | None = None
    parsed: str | None = None

    def __post_init__(self) -> None:
        if self.run_as is None and self.long is None and self.parsed is None:
            raise ValueError(f"documents.yaml: {self.match}: run_as, long or parsed is missing")


DATA = yaml.safe_load((HERE / "documents.yaml").read_text())
RULES = [Rule(**rule) for rule in DATA["rules"]]
STAND_INS: dict[str, str] = DATA["stand_ins"]


def rule_of(text: str) -> Rule | None:
    return next((rule for rule in RULES if re.search(rule.match, text)), None)


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


class Sandbox:
    """The folder; one for each page, because `why` and `waves` take the newest results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("results", "build", "scripts", ".git"):
                (folder / entry.name).symlink_to(entry)
        (folder / "scripts").mkdir()
        for entry in (ROOT / "scripts").iterdir():
            if entry.name != "polycast":
                (folder / "scripts" / entry.name).symlink_to(entry)
        command = f'exec env PYTHONPATH="{ROOT}/scripts" "{sys.executable}" "{HERE}/prebuilt_cli.py" "$@"'
        executable(folder / "scripts" / "polycast", f"#!/bin/sh\n{command}\n")
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(BUILT)
        programs = folder / "programs"
        programs.mkdir()
        # No screen: what would be shown has to be there.
        executable(
            programs / "gtkwave",
            '#!/bin/sh\nfor file; do case $file in -*) ;; *) [ -s "$file" ] || exit 9;; esac; done\n',
        )
        self.stand_ins()

    def stand_ins(self) -> None:
        """Files of the user that pages name."""
        (self.folder / "my.yaml").write_text(MY_SCENARIO)
        shutil.copy(ROOT / "testbench/data/irregular32.ibnetdiscover", self.folder / "fabric.ibnetdiscover")
        (self.folder / "my_rtl").mkdir()
        # As at the end of TUTORIAL.md: one Verilated model for both.
        shutil.copy(ROOT / "rtl/common/polycast_rr_arbiter.sv", self.folder / "my_rtl")

    def put_results(self, results: Path) -> None:
        """Earlier results of the user, under every name that pages have for them."""
        for name in DATA["results"]:
            shutil.copytree(results, self.folder / "results" / name)

    def run(self, text: str, limit: float) -> subprocess.CompletedProcess[str]:
        """Runs a command; both streams are in `stdout`, in order."""
        path = os.pathsep.join([str(self.folder / "programs"), str(Path(sys.executable).parent), os.environ["PATH"]])
        env = os.environ | {"PATH": path, "BROWSER": "true", "TERM": "dumb", "COLUMNS": "120", "PYTHONUNBUFFERED": "1"}
        # A session of its own, so that nothing goes on when the time is over.
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", text],
            cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        return subprocess.CompletedProcess(text, process.returncode, output)


def form(text: str) -> str | None:
    """What runs of a command; None where it is only parsed."""
    text = as_typed(text)
    rule = rule_of(text)
    if rule is not None and (rule.parsed or (rule.long and not LONG)):
        return None
    if rule is not None and rule.run_as:
        text = re.sub(rule.match, rule.run_as, text)
    for name, value in STAND_INS.items():
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", value, text)
    return text

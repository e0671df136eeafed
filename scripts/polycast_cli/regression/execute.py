# SPDX-License-Identifier: Apache-2.0
"""Jobs of cases, and what is read from their folders when they have ended."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, JUnitXml, Skipped

from polycast_cli.build import environment
from polycast_cli.common import ROOT, UserError
from polycast_cli.jobs.model import Job, Outcome, identity
from polycast_cli.regression.cases import Case, options
from polycast_cli.results import Folder, Point

#: ctest tests that one job runs, by number and by seconds that they took the last time.
BATCH_TESTS = 64
BATCH_SECONDS = 10.0
CTEST_FAILED = 8
#: Seconds on top of the tests' own limits, so that ctest says which of them was too slow.
SLACK = 60.0

REPLAY = re.compile(r'^replay: .+ --pair (\S+)(?: --own-rtl .+?)? --replay "([^"]+)"', re.MULTILINE)
#: How the cocotb tests say it.
REPEAT = re.compile(r"^repeat: (.+)$", re.MULTILINE)
DIFFERENCE = re.compile(r"^first difference in cycle (\d+): (.*)$", re.MULTILINE)
WAVE = re.compile(r"[^\s'\"]+\.(?:fst|vcd)\b")


class Verdict(StrEnum):
    """A JobStatus, or what comes of several."""

    PASSED = "passed"
    FAILED = "failed"
    FLAKY = "flaky"  # failed, and passed when it ran again
    TIMEOUT = "timeout"
    REFUSED = "refused"  # bad input
    CRASHED = "crashed"
    LOST = "lost"
    SKIPPED = "skipped"


GOOD = (Verdict.PASSED, Verdict.SKIPPED)


@dataclass
class Minimal:
    """The smallest case found that fails in the same way."""

    replay: str  # the command that repeats it
    message: str
    wave: str
    tried: int  # runs
    steps: list[str]  # what was made smaller


@dataclass
class Result:
    case: Case
    verdict: Verdict
    seconds: float
    folder: Path
    message: str = ""
    wave: str = ""
    replay: str = ""
    waiver: str = ""  # the reason, where a failure is waived
    minimal: Minimal | None = None
    soak: tuple[str, str] | None = None  # pair and line of a difference between models

    @property
    def failed(self) -> bool:
        return self.verdict not in GOOD and not self.waiver


@dataclass
class Setting:
    """Where cases run."""

    build: Path
    out: Path
    stamp: str  # of what all cases depend on
    python: str  # of what those in Python depend on, too
    env: dict[str, str] = field(default_factory=lambda: {"PATH": environment()["PATH"]})

    def program(self, name: str) -> Path:
        return self.build / "bin" / name

    def folder(self, name: str, key: str) -> Path:
        return self.out / "cases" / f"{re.sub(r'[^A-Za-z0-9.=-]+', '_', name)[:80].strip('_.')}-{key[:8]}"


def from_root(path: Path | str) -> str:
    """As typed in the project's folder."""
    path = Path(path)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def batches(cases: Sequence[Case]) -> Iterable[list[Case]]:
    """Tests of ctest that run one after another: of one timeout, which ctest has for all, and the costly ones alone."""
    batch: list[Case] = []
    seconds = 0.0
    for case in sorted(cases, key=lambda case: (case.test.timeout, -cost_of(case), case.name)):
        fits = len(batch) < BATCH_TESTS and seconds + cost_of(case) <= BATCH_SECONDS
        if batch and not (fits and case.test.timeout == batch[0].test.timeout):
            yield batch
            batch, seconds = [], 0.0
        batch.append(case)
        seconds += cost_of(case)
    if batch:
        yield batch


def cost_of(case: Case) -> float:
    return case.ctest.cost if case.ctest is not None else 0.0


def jobs_of(cases: Sequence[Case], setting: Setting, attempt: str = "") -> list[tuple[Job, list[Case]]]:
    found = []
    by_ctest = [case for case in cases if case.ctest is not None]
    for batch in [[case] for case in by_ctest] if attempt else batches(by_ctest):
        found.append((ctest_job(batch, setting, attempt), batch))
    for case in cases:
        if case.kind == "pytest":
            found.append((pytest_job(case, setting, attempt), [case]))
        elif case.kind == "lockstep":
            found.append((lockstep_job(case, setting, attempt), [case]))
        elif case.kind == "scenario":
            found.append((scenario_job(case, setting, attempt), [case]))
        elif case.kind == "campaign":
            found.append((campaign_job(case, setting, attempt), [case]))
    return found


def job(name: str, command: Sequence[str | Path], setting: Setting, attempt: str, **more: Any) -> Job:
    words = tuple(str(part) for part in command)
    stamps = (setting.stamp, setting.python) if words[0] == sys.executable else (setting.stamp,)
    key = identity(*stamps, attempt, name, *words)
    title = f"{name} ({attempt})" if attempt else name
    return Job(key, title, words, setting.folder(title, key), env=setting.env | more.pop("env", {}), **more)


def ctest_job(batch: Sequence[Case], setting: Setting, attempt: str) -> Job:
    tests = [case.ctest for case in batch if case.ctest is not None]
    numbers = [test.number for test in tests]
    digest = hashlib.sha256(" ".join(test.name for test in tests).encode()).hexdigest()[:6]
    name = tests[0].name if len(tests) == 1 else f"ctest {tests[0].name} and {len(tests) - 1} more {digest}"
    # A folder of its own refers to the build tree, so that several ctests do not write over each other's logs.
    script = 'printf \'subdirs("%s")\\n\' "$0" > CTestTestfile.cmake && exec ctest "$@" --output-junit "$PWD/junit.xml"'
    chosen = ",".join(str(number) for number in [numbers[0], numbers[0], "", *numbers[1:]])
    timeout = batch[0].test.timeout
    command = ["bash", "-c", script, setting.build, "-I", chosen, "--timeout", f"{timeout:g}", "--output-on-failure"]
    weight = sum(test.cost for test in tests)
    limit = SLACK + sum(case.test.timeout for case in batch)
    expected = (0, CTEST_FAILED)
    return job(
        name, command, setting, attempt, weight=weight, timeout=limit, expected=expected, outputs=(Path("junit.xml"),)
    )


def pytest_job(case: Case, setting: Setting, attempt: str) -> Job:
    function = str(case.test.pytest).partition("::")[1:]
    options = ["-q", "-c", ROOT / "scripts" / "pyproject.toml", "--rootdir", ROOT, "--junitxml", "junit.xml"]
    command = [sys.executable, "-m", "pytest", f"{case.path}{''.join(function)}", *options]
    env = {"POLYCAST_BUILD": str(setting.build), "PYTHONPATH": str(ROOT / "scripts")}
    more = {"timeout": case.test.timeout, "weight": 20.0, "expected": (0, 1), "env": env}
    return job(case.name, command, setting, attempt, outputs=(Path("junit.xml"),), **more)


def lockstep_job(case: Case, setting: Setting, attempt: str) -> Job:
    command = [setting.program("polycast-soak"), "--pair", str(case.test.lockstep), "--waves", "waves"]
    if case.path is not None:
        command += ["--own-rtl", case.path]
    if case.replay:
        command += ["--replay", case.replay]
    else:
        command += random_options(case)
    return job(case.name, command, setting, attempt, timeout=case.test.timeout, weight=10.0)


def random_options(case: Case) -> list[str]:
    test = case.test
    return ["--configurations", str(test.configurations), "--cycles", str(test.cycles), "--seed", str(case.seed)]


def scenario_job(case: Case, setting: Setting, attempt: str) -> Job:
    command = [setting.program("polycast-sim"), "run", case.path or "", *options(case.settings, case.seed)]
    command += ["--out", "results", "--progress", "none", "--jobs", "1"]
    return job(case.name, command, setting, attempt, timeout=case.test.timeout, weight=5.0)


def campaign_job(case: Case, setting: Setting, attempt: str) -> Job:
    words = [*(case.part.words if case.part else []), "--build", setting.build, "--out", "results"]
    command = [sys.executable, "-m", "polycast_cli", "campaign", case.path or "", *words]
    env = {"PYTHONPATH": str(ROOT / "scripts")}
    more = {"timeout": case.test.timeout, "weight": 60.0, "env": env, "outputs": (Path("results") / "results.json",)}
    return job(case.name, [*command, "--jobs", "1", "--minimise", "0"], setting, attempt, **more)


def read_results(job: Job, outcome: Outcome, cases: Sequence[Case], setting: Setting) -> list[Result]:
    verdict = Verdict(outcome.status)
    readable = verdict in (Verdict.PASSED, Verdict.FAILED)
    results = []
    for case in cases:
        result = Result(case, verdict, outcome.seconds, job.folder, replay=replay_of(case, setting))
        if case.ctest is not None and readable:
            read_ctest(result)
        elif case.kind == "pytest" and readable:
            read_pytest(result)
        elif verdict is Verdict.TIMEOUT:
            result.message = f"took longer than {case.test.timeout:g} s"
        elif verdict is not Verdict.PASSED:
            result.message = outcome.tail.strip() or f"exit status {outcome.exit_code}"
            if verdict is Verdict.FAILED:
                READERS[case.kind](result)
        results.append(result)
    return results


def replay_of(case: Case, setting: Setting) -> str:
    match case.kind:
        case "pytest":
            command = [f"POLYCAST_BUILD={from_root(setting.build)}", "PYTHONPATH=scripts"]
            words = [".polycast/python/bin/python", "-m", "pytest", "-c", "scripts/pyproject.toml", "--rootdir", "."]
            node = from_root(case.path or "") + "".join(str(case.test.pytest).partition("::")[1:])
            return shlex.join([*command, *words, node])
        case "lockstep":
            words = ["--pair", str(case.test.lockstep)] + (["--own-rtl", from_root(case.path)] if case.path else [])
            if case.replay:
                return shlex.join(["scripts/polycast", "soak", *words, "--replay", case.replay])
            return shlex.join([from_root(setting.program("polycast-soak")), *words, *random_options(case)])
        case "scenario":
            return shlex.join(
                ["scripts/polycast", "run", from_root(case.path or ""), *options(case.settings, case.seed)]
            )
        case "campaign":
            words = case.part.words if case.part else []
            return shlex.join(["scripts/polycast", "campaign", from_root(case.path or ""), *words])
    command = ["ctest", "--test-dir", from_root(setting.build), "--output-on-failure", "-R"]
    return shlex.join([*command, f"^{re.escape(case.name)}( |$)"])


def read_ctest(result: Result) -> None:
    tests = {str(test.name): test for suite in suites(result.folder) for test in suite}
    test = tests.get(result.case.name)
    if test is None:
        result.verdict, result.message = Verdict.CRASHED, "ctest did not run it"
        return
    result.seconds = float(test.time or 0.0)
    kinds = [type(one) for one in test.result]
    if Failure in kinds or Error in kinds:
        text = str(test.system_out or "")
        # Only what ctest prints tells why a test failed.
        printed = (result.folder / "stdout").read_text(errors="replace")
        number = result.case.ctest.number if result.case.ctest else 0
        why = re.search(rf"^\s*{number} - .*\(([^()]+)\)[^()]*$", printed, re.MULTILINE)
        result.verdict = Verdict.TIMEOUT if why and why[1] == "Timeout" else Verdict.FAILED
        result.message = essence(text) or (why[1] if why else "failed")
        read_soak_output(result, text)
        if found := REPEAT.search(text):
            result.replay = found[1]
    elif Skipped in kinds:
        result.verdict, result.message = Verdict.SKIPPED, str(test.result[0].message or "skipped")
    else:
        result.verdict = Verdict.PASSED


def essence(text: str) -> str:
    """The lines of a test's output that say what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    telling = [
        n for n, line in enumerate(lines) if re.search(r"Failure$|^error|^first difference|Assertion|FAILED", line)
    ]
    begin = telling[0] if telling else max(0, len(lines) - 20)
    return "\n".join(lines[begin : begin + 20])[:3000]


def suites(folder: Path) -> list[Any]:
    found = JUnitXml.fromfile(str(folder / "junit.xml"))
    return list(found) if isinstance(found, JUnitXml) else [found]


def read_pytest(result: Result) -> None:
    tests = [test for suite in suites(result.folder) for test in suite]
    bad = [test for test in tests if any(isinstance(one, Failure | Error) for one in test.result)]
    skipped = [test for test in tests if any(isinstance(one, Skipped) for one in test.result)]
    result.seconds = sum(float(test.time or 0.0) for test in tests)
    if bad:
        result.verdict = Verdict.FAILED
        first = bad[0].result[0]
        result.message = "\n".join([*(f"{test.name}" for test in bad), str(first.message or "")])[:3000]
    elif skipped and len(skipped) == len(tests):
        result.verdict, result.message = Verdict.SKIPPED, str(skipped[0].result[0].message or "skipped")
    else:
        result.verdict = Verdict.PASSED if tests else Verdict.CRASHED


def read_lockstep(result: Result) -> None:
    read_soak_output(result, (result.folder / "stdout").read_text(errors="replace"))


def read_soak_output(result: Result, text: str) -> None:
    if found := DIFFERENCE.search(text):
        result.message = found[0]
    if found := REPLAY.search(text):
        result.soak = (found[1], found[2])
        rtl = ["--own-rtl", from_root(result.case.path)] if result.case.path else []
        words = ["scripts/polycast", "soak", "--pair", found[1], *rtl, "--replay", found[2]]
        result.replay = shlex.join(words)
    if wave := wave_in(text, result.folder, ROOT):
        result.wave = os.path.relpath(wave, result.folder)


def wave_in(text: str, *folders: Path) -> Path | None:
    """A wave that is named in a text, relative to one of the folders; one with a save file before others."""
    named = (folder / wave for wave in WAVE.findall(text) for folder in folders)
    found = [wave for wave in named if wave.is_file()]
    return min(found, key=lambda wave: not wave.with_suffix(".gtkw").is_file(), default=None)


def first_failure(results: Path) -> Point | None:
    """The first point of a results folder that failed."""
    try:
        return next((point for point in Folder(results).results().points if not point.passed), None)
    except UserError:
        return None


def read_scenario(result: Result) -> None:
    point = first_failure(result.folder / "results")
    if point is not None:
        result.message = f"{point.id}: {saying(point)}"
        if point.wave:
            result.wave = f"results/{point.wave}"


def bad_runs(folder: Path) -> list[dict[str, Any]]:
    """Of a campaign, where there must be none."""
    return [one for one in json.loads((folder / "results.json").read_text())["bad"] if not one["allowed"]]


def read_campaign(result: Result) -> None:
    """The first bad run stands for it; where too few were bad, there is none."""
    folder = result.folder / "results"
    result.message = "\n".join(json.loads((folder / "results.json").read_text())["unmet"])
    for one in bad_runs(folder)[:1]:
        result.message += f"\n{one['message']}"
        words = ["scripts/polycast", "run", from_root(one["scenario"])]
        result.replay = shlex.join([*words, *options(one["settings"], None)])
        point = first_failure(folder / one["results"])
        if point is not None and point.wave:
            result.wave = f"results/{one['results']}/{point.wave}"


#: By the kinds whose jobs fail where a case does.
READERS = {"lockstep": read_lockstep, "scenario": read_scenario, "campaign": read_campaign}


def saying(point: Point) -> str:
    """What is wrong with a point, in words."""
    wrong = ", ".join(f"{count} {word}" for word, count in point.check.faults.items())
    return point.diagnosis or "; ".join(point.unmet) or f"{point.outcome}: {wrong or 'not all was delivered'}"

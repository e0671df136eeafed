# SPDX-License-Identifier: Apache-2.0
"""Writes what came of a regression: junit.xml, results.json, report.html."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from polycast_cli.common import replacing, visible, write_whole
from polycast_cli.regression.execute import Result, Verdict, from_root
from polycast_cli.regression.plan import Plan
from polycast_cli.regression.verdicts import Judged, State
from polycast_cli.reports.page import write_page


@dataclass
class Regression:
    """All that is written."""

    plan: Plan
    plan_file: str
    out: Path
    seed: int
    command: str
    judged: list[Judged]
    results: list[Result]
    notes: list[str]
    seconds: float
    begun: str
    chosen: str = ""  # what --tag and --only left
    coverage: list[tuple[str, str]] = field(default_factory=list)  # what, and how much of it
    coverage_page: str = ""

    @property
    def passed(self) -> bool:
        bad = (State.FAILED, State.UNCHECKED)
        return not any(result.failed for result in self.results) and not any(one.state in bad for one in self.judged)

    @property
    def failures(self) -> list[Result]:
        """Those with a smallest case first."""
        failed = [result for result in self.results if result.failed]
        return sorted(failed, key=lambda result: result.minimal is None)

    def counts(self) -> Counter[str]:
        return Counter("waived" if result.waiver else str(result.verdict) for result in self.results)

    def inside(self, result: Result, path: str) -> str:
        """A file of a case, relative to the folder of the regression."""
        return os.path.relpath(result.folder / path, self.out) if path else ""

    def wave_of(self, result: Result) -> str:
        """That of the smallest failing case, where one was found."""
        return result.minimal.wave if result.minimal and result.minimal.wave else self.inside(result, result.wave)


def write_all(regression: Regression) -> Path:
    """\\returns the page"""
    out = regression.out
    write_junit(regression, out / "junit.xml")
    write_whole(out / "results.json", json.dumps(results_of(regression), indent=1, ensure_ascii=False) + "\n")
    return write_page(
        out / "report.html",
        "regression.html.j2",
        "polycast_cli.regression",
        regression=regression,
        cases=shown_results(regression.results),
    )


def results_of(regression: Regression) -> dict[str, Any]:
    """What does not depend on where and how fast it ran."""
    return {
        "format": 1,
        "plan": regression.plan.name,
        "seed": regression.seed,
        "passed": regression.passed,
        "counts": dict(sorted(regression.counts().items())),
        "requirements": [
            {
                "id": one.requirement.id,
                "says": one.requirement.says,
                "state": one.state,
                "cases": [result.case.name for result in one.results],
                "waiver": one.waiver,
            }
            for one in regression.judged
        ],
        "cases": [
            {
                "name": result.case.name,
                "kind": result.case.kind,
                "requirements": result.case.requirements,
                "seed": result.case.seed,
                "verdict": result.verdict,
                "waiver": result.waiver,
                "message": result.message,
                "replay": result.replay,
                "wave": regression.wave_of(result),
                "minimal": asdict(result.minimal) if result.minimal else None,
            }
            for result in regression.results
        ],
        "coverage": dict(regression.coverage),
    }


def run_of(regression: Regression) -> dict[str, Any]:
    """How it was run."""
    return {
        "program": "polycast regress",
        "complete": True,
        "command": regression.command,
        "plan_file": regression.plan_file,
        "seed": regression.seed,
        "begun": regression.begun,
        "seconds": round(regression.seconds, 1),
        "machine": platform.node(),
        "cores": len(os.sched_getaffinity(0)),
        "seconds_by_case": {result.case.name: round(result.seconds, 3) for result in regression.results},
    }


def write_junit(regression: Regression, path: Path) -> None:
    """A suite for each requirement; a case that checks several stands with the first of them."""
    document = JUnitXml(f"polycast {regression.plan.name}")
    suites: dict[str, TestSuite] = {}
    for result in regression.results:
        name = result.case.requirements[0]
        suites.setdefault(name, TestSuite(name)).add_testcase(test_case(regression, result, name))
    for one in regression.judged:
        if one.state is State.UNCHECKED and not one.results:
            case = TestCase("has a test", classname=one.requirement.id)
            case.result = [Failure(f"the waiver has ended: {one.waiver}", "unchecked")]
            suites.setdefault(one.requirement.id, TestSuite(one.requirement.id)).add_testcase(case)
    for suite in suites.values():
        document.add_testsuite(suite)
    document.update_statistics()
    with replacing(path) as temporary:
        document.write(str(temporary), pretty=True)


def test_case(regression: Regression, result: Result, requirement: str) -> TestCase:
    case = TestCase(visible(result.case.name), classname=requirement, time=round(result.seconds, 3))
    words = visible(result.message)
    first = words.splitlines()[0] if words else str(result.verdict)
    if result.waiver:
        case.result = [Skipped(visible(f"waived: {result.waiver}; {first}"))]
    elif result.verdict is Verdict.SKIPPED:
        case.result = [Skipped(first)]
    elif result.failed:
        kind = Failure if result.verdict in (Verdict.FAILED, Verdict.FLAKY, Verdict.TIMEOUT) else Error
        found = kind(first, str(result.verdict))
        lines = [words, f"again: {result.replay}"]
        if result.minimal:
            lines += [f"smallest: {result.minimal.message}", f"again: {result.minimal.replay}"]
        if wave := regression.wave_of(result):
            lines.append(f"wave: {wave}")
        found.text = visible("\n".join(lines))
        case.result = [found]
        if wave:
            # GitLab shows it beside the test.
            case.system_out = f"[[ATTACHMENT|{from_root((regression.out / wave).resolve())}]]"
    return case


def shown_results(results: Sequence[Result]) -> list[Result]:
    """Failures first, else by name."""
    return sorted(results, key=lambda result: (not result.failed, result.verdict is Verdict.PASSED, result.case.name))

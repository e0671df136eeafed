# SPDX-License-Identifier: Apache-2.0
"""From results of cases to what they say about requirements: waivers, and what failed first."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from polycast_cli.common import UserError
from polycast_cli.located import Source
from polycast_cli.reading import proposal
from polycast_cli.regression.cases import Case
from polycast_cli.regression.execute import GOOD, Result, Verdict
from polycast_cli.regression.plan import Plan, Requirement, Waiver


class State(StrEnum):
    """State of a requirement; the worst first, as reports list them."""

    FAILED = "failed"
    UNCHECKED = "not checked"  # all its cases were skipped
    WAIVED = "waived"
    PASSED = "passed"
    LEFT_OUT = "left out"  # by --tag or --only


@dataclass
class Judged:
    requirement: Requirement
    state: State
    results: list[Result]
    waiver: str = ""

    @property
    def passed(self) -> int:
        return sum(result.verdict is Verdict.PASSED for result in self.results)

    @property
    def seconds(self) -> float:
        return sum(result.seconds for result in self.results)


def check_waivers(plan: Plan, source: Source, cases: Sequence[Case]) -> None:
    """\\raises UserError on a waiver that has nothing to waive"""
    ids = {requirement.id: requirement for requirement in plan.requirements}
    for index, waiver in enumerate(plan.waivers):
        if waiver.case is not None and not any(re.search(waiver.case, case.name) for case in cases):
            raise source.error(("waivers", index, "case"), f"no case matches '{waiver.case}'; remove the waiver")
        if waiver.requirement is not None and ids[waiver.requirement].tests:
            message = f"'{waiver.requirement}' has tests; remove the waiver"
            raise source.error(("waivers", index, "requirement"), message)


def waive(plan: Plan, results: Sequence[Result], day: datetime.date) -> list[str]:
    """Marks failures that are waived. \\returns what is to be said about waivers."""
    notes = []
    for waiver in plan.waivers:
        if waiver.case is None:
            continue
        found = [result for result in results if re.search(waiver.case, result.case.name)]
        bad = [result for result in found if result.verdict not in GOOD]
        if bad and not waiver.valid(day):
            notes.append(f"the waiver of '{waiver.case}' ended on {waiver.until}: {waiver.reason}")
        elif bad:
            for result in bad:
                result.waiver = dated(waiver)
        elif found:
            notes.append(f"the waiver of '{waiver.case}' is not needed: nothing that it names failed")
    return notes


def dated(waiver: Waiver) -> str:
    until = f", until {waiver.until}" if waiver.until else ""
    return f"{waiver.reason} ({waiver.date}{until})"


def judge(plan: Plan, results: Sequence[Result], day: datetime.date) -> list[Judged]:
    """Every requirement, failed ones first, else in the order of the plan."""
    waived = {waiver.requirement: waiver for waiver in plan.waivers if waiver.requirement}
    judged = []
    for requirement in plan.requirements:
        mine = [result for result in results if requirement.id in result.case.requirements]
        waiver = waived.get(requirement.id)
        judged.append(
            Judged(requirement, state_of(requirement, mine, waiver, day), mine, dated(waiver) if waiver else "")
        )
    order = list(State)
    return sorted(judged, key=lambda one: order.index(one.state))


def state_of(requirement: Requirement, results: list[Result], waiver: Waiver | None, day: datetime.date) -> State:
    if waiver is not None:
        return State.WAIVED if waiver.valid(day) else State.UNCHECKED
    if any(result.failed for result in results):
        return State.FAILED
    if any(result.waiver for result in results):
        return State.WAIVED
    if any(result.verdict is Verdict.PASSED for result in results):
        return State.PASSED
    return State.UNCHECKED if results else State.LEFT_OUT


def check_only(plan: Plan, only: Sequence[str], tags: Sequence[str], known_tags: Sequence[str]) -> None:
    """\\raises UserError on names that the plan does not have"""
    ids = [requirement.id for requirement in plan.requirements]
    for name in only:
        if name not in ids:
            raise UserError(f"--only {name}: there is no such requirement{proposal(name, ids)[:400]}")
    for tag in tags:
        if tag not in known_tags:
            raise UserError(f"--tag {tag}: no test has it{proposal(tag, known_tags)}")

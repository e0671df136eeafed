# SPDX-License-Identifier: Apache-2.0
"""A test plan as data: requirements, the tests that check each of them, and waivers with reasons."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from polycast_cli.located import Source, Strict, load
from polycast_cli.reading import is_expression, proposal

#: Keys that have a meaning with a kind of test, besides those that all have.
KEYS: dict[str, tuple[str, ...]] = {
    "ctest": (),
    "formal": (),
    "cocotb": (),
    "pytest": (),
    "lockstep": ("seeds", "configurations", "cycles", "replay", "own_rtl"),
    "scenario": ("seeds", "set", "grid"),
    "campaign": ("seeds", "faults", "classes"),
}


class Test(Strict):
    """One of: ctest, formal, cocotb, pytest, lockstep, scenario, campaign."""

    ctest: str | None = Field(None, description="Regular expression of names of ctest.")
    formal: str | None = Field(None, description="The same among the proofs, without 'formal.'.")
    cocotb: str | None = Field(None, description="The same among the cocotb tests, without 'cocotb.'.")
    pytest: str | None = Field(None, description="File, or FILE::function; relative to the plan.")
    lockstep: str | None = Field(None, description="Pair of models, as `polycast-soak --help` names them: core-rtl.")
    scenario: str | None = Field(None, description="Scenario file; relative to the plan.")
    campaign: str | None = Field(None, description="Campaign of faults (file); relative to the plan.")
    tags: list[str] = Field([], description="What --tag chooses by; those of the requirement count, too.")
    timeout: float = Field(900, gt=0, description="Seconds for each case.")
    seeds: int | list[Annotated[int, Field(ge=0)]] = Field(
        1, description="How many: 0, the run's own, the one behind it, and so on; or a list of seeds."
    )
    set: dict[str, Any] = Field({}, description="Keys of the scenario with their values.")
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        {}, description="Keys of the scenario with lists of values: every combination is a case."
    )
    faults: int | None = Field(None, ge=1, description="Of each class of the campaign, instead of its own number.")
    classes: list[str] = Field([], description="Of the campaign: only these.")
    configurations: int = Field(10, ge=1, description="Random configurations for each seed.")
    cycles: int = Field(2000, ge=1, description="Of each configuration.")
    replay: list[str] = Field([], description="Lines that failures printed, instead of random configurations.")
    own_rtl: str | None = Field(None, description="Folder with your own RTL; relative to the plan.")

    @property
    def kind(self) -> str:
        return next(kind for kind in KEYS if getattr(self, kind) is not None)

    @property
    def text(self) -> str:
        return f"{self.kind}: {getattr(self, self.kind)}"

    @model_validator(mode="after")
    def is_of_one_kind(self) -> Test:
        kinds = [kind for kind in KEYS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(f"a test is one of {', '.join(KEYS)}; this is {' and '.join(kinds) or 'none'}")
        others = {key for keys in KEYS.values() for key in keys} - {*KEYS[kinds[0]]}
        for key in sorted(others & self.model_fields_set):
            owners = [kind for kind, keys in KEYS.items() if key in keys]
            raise ValueError(f"'{key}' has no meaning with '{kinds[0]}'; it belongs to {' or '.join(owners)}")
        if self.replay and self.model_fields_set & {"seeds", "configurations", "cycles"}:
            raise ValueError("'replay' has its own seeds, configurations and cycles; give one or the other")
        if isinstance(self.seeds, int) and self.seeds < 1:
            raise ValueError("'seeds' must be at least 1")
        if set(self.set) & set(self.grid):
            raise ValueError(f"'{min(set(self.set) & set(self.grid))}' is both in 'set' and in 'grid'")
        for key in ("seed", "sweep"):
            if key in {*self.set, *self.grid}:
                raise ValueError(f"'{key}' is not for 'set' or 'grid'; take 'seeds' or 'grid'")
        for kind in ("ctest", "formal", "cocotb"):
            is_expression(getattr(self, kind))
        return self


class Requirement(Strict):
    id: str = Field(pattern=r"^[A-Za-z0-9][\w.\-]*$", description="Its name: letters, digits, '.', '_', '-'.")
    says: str = Field(min_length=1, description="What must be true, in a sentence.")
    page: str = Field("", description="Where it is written.")
    tags: list[str] = Field([], description="Tags of all its tests.")
    tests: list[Test] = Field([], description="What checks it.")


class Waiver(Strict):
    """Allows cases to fail, or a requirement to be unchecked."""

    case: str | None = Field(None, description="Regular expression of names of cases that may fail.")
    requirement: str | None = Field(None, description="Requirement that may be without tests.")
    reason: str = Field(min_length=1)
    date: datetime.date = Field(description="When it was granted.")
    until: datetime.date | None = Field(None, description="Last day; it does not count after that.")

    @model_validator(mode="after")
    def is_of_one_thing(self) -> Waiver:
        if (self.case is None) == (self.requirement is None):
            raise ValueError("a waiver names a 'case' or a 'requirement'")
        is_expression(self.case)
        return self

    def valid(self, today: datetime.date) -> bool:
        return self.until is None or today <= self.until


class Plan(Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9][\w.\-]*$")
    title: str = ""
    requirements: list[Requirement] = Field(min_length=1)
    waivers: list[Waiver] = Field([])


def load_plan(path: Path) -> tuple[Plan, Source]:
    """\\raises UserError with file, line, column and a proposal"""
    plan, source = load(path, Plan, "a plan is a list of keys with values, such as 'requirements: ...'")
    check_names(plan, source)
    return plan, source


def check_names(plan: Plan, source: Source) -> None:
    first: dict[str, int] = {}
    for index, requirement in enumerate(plan.requirements):
        where: Sequence[int | str] = ("requirements", index)
        if requirement.id in first:
            raise source.error((*where, "id"), f"there is a requirement '{requirement.id}' already")
        first[requirement.id] = index
    waived = set()
    for index, waiver in enumerate(plan.waivers):
        if waiver.requirement is not None:
            if waiver.requirement not in first:
                hint = proposal(waiver.requirement, first)
                message = f"there is no requirement '{waiver.requirement}'{hint}"
                raise source.error(("waivers", index, "requirement"), message)
            waived.add(waiver.requirement)
    for requirement in plan.requirements:
        where = ("requirements", first[requirement.id])
        if not requirement.tests and requirement.id not in waived:
            message = f"nothing checks '{requirement.id}': add 'tests', or a waiver with a reason"
            raise source.error((*where, "tests"), message)
        for number, test in enumerate(requirement.tests):
            for kind in ("pytest", "scenario", "campaign", "own_rtl"):
                name = getattr(test, kind)
                if name is not None and not (source.path.parent / name.partition("::")[0]).exists():
                    message = f"there is no '{name.partition('::')[0]}' beside the plan"
                    raise source.error((*where, "tests", number, kind), message)

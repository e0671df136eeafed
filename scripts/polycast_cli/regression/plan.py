# SPDX-License-Identifier: Apache-2.0
"""A test plan as data: requirements, the tests that check each of them, and waivers with reasons."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from polycast_cli.common import UserError, shown
from polycast_cli.reading import is_expression, proposal

#: Keys that have a meaning with a kind of test, besides those that all have.
KEYS: dict[str, tuple[str, ...]] = {
    "ctest": (),
    "formal": (),
    "cocotb": (),
    "pytest": (),
    "lockstep": ("seeds", "configurations", "cycles", "replay", "own_rtl"),
    "scenario": ("seeds", "set", "grid"),
}
Location = tuple[int | str, ...]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Test(Strict):
    """One of: ctest, formal, cocotb, pytest, lockstep, scenario."""

    ctest: str | None = Field(None, description="Regular expression of names of ctest.")
    formal: str | None = Field(None, description="The same among the proofs, without 'formal.'.")
    cocotb: str | None = Field(None, description="The same among the cocotb tests, without 'cocotb.'.")
    pytest: str | None = Field(None, description="File, or FILE::function; relative to the plan.")
    lockstep: str | None = Field(None, description="Pair of models, as `polycast-soak --help` names them: core-rtl.")
    scenario: str | None = Field(None, description="Scenario file; relative to the plan.")
    tags: list[str] = Field([], description="What --tag chooses by; those of the requirement count, too.")
    timeout: float = Field(900, gt=0, description="Seconds for each case.")
    seeds: int | list[Annotated[int, Field(ge=0)]] = Field(
        1, description="How many: 0, the run's own, the one behind it, and so on; or a list of seeds."
    )
    set: dict[str, Any] = Field({}, description="Keys of the scenario with their values.")
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        {}, description="Keys of the scenario with lists of values: every combination is a case."
    )
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
    waivers: list[Waiver] = []


class Source:
    """The text of a plan, which knows where each of its values stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text()
            self.root = yaml.compose(text, yaml.SafeLoader)
            self.data = yaml.safe_load(text)
        except OSError as error:
            raise UserError(f"{shown(path)}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserError(f"{shown(path)}: not a text file") from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
            raise UserError(f"{shown(path)}{place}: {error.problem or error.context}") from None
        if not isinstance(self.data, dict):
            raise UserError(f"{shown(path)}:1:1: a plan is a list of keys with values, such as 'requirements: ...'")
        self.refuse_repeated_keys(self.root)

    def error(self, location: Location, message: str, of_key: bool = False) -> UserError:
        line, column = self.place(location, of_key)
        return UserError(f"{shown(self.path)}:{line}:{column}: {message}")

    def place(self, location: Location, of_key: bool = False) -> tuple[int, int]:
        """Line and column of a value, or of its key; of the nearest thing around it where it is not there."""
        node = mark = self.root
        for part in location:
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
                if found is None:
                    break
                mark, node = found if of_key else (found[1], found[1])
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                mark = node = node.value[part]
            else:
                break
        return mark.start_mark.line + 1, mark.start_mark.column + 1

    def refuse_repeated_keys(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            seen: set[Hashable] = set()
            for key, value in node.value:
                if key.value in seen:
                    where = f"{key.start_mark.line + 1}:{key.start_mark.column + 1}"
                    raise UserError(f"{shown(self.path)}:{where}: '{key.value}' is given twice")
                seen.add(key.value)
                self.refuse_repeated_keys(value)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                self.refuse_repeated_keys(value)


def model_at(location: Location) -> type[Strict]:
    """Whose field the last part of `location` is."""
    model: type[Strict] = Plan
    for part in location[:-1]:
        if isinstance(part, str):
            inner = get_args(model.model_fields[part].annotation)
            model = inner[0]
    return model


def said(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def message_of(error: Any) -> str:
    location: Location = error["loc"]
    name, place = str(location[-1]) if location else "", said(location[:-1])
    inside = f" in '{place}'" if place else ""
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key '{name}'{inside}{proposal(name, model_at(location).model_fields)}"
        case "missing":
            return f"'{name}' is missing{inside}"
        case "value_error":
            return str(error["ctx"]["error"])
    words = error["msg"].removeprefix("Input ")
    return f"'{said(location)}' {words[0].lower()}{words[1:]}"


def load_plan(path: Path) -> tuple[Plan, Source]:
    """\\raises UserError with file, line, column and a proposal"""
    source = Source(path)
    try:
        plan = Plan.model_validate(source.data)
    except ValidationError as error:
        # A key that was mistyped is missing, too.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        # The location of a value with several types ends with their names.
        location = tuple(part for part in first["loc"] if part not in ("int", "list[constrained-int]"))
        of_key = first["type"] == "extra_forbidden"
        raise source.error(location, message_of(first | {"loc": location}), of_key) from None
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
            for kind in ("pytest", "scenario", "own_rtl"):
                name = getattr(test, kind)
                if name is not None and not (source.path.parent / name.partition("::")[0]).exists():
                    message = f"there is no '{name.partition('::')[0]}' beside the plan"
                    raise source.error((*where, "tests", number, kind), message)

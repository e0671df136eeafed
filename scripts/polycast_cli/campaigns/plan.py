# SPDX-License-Identifier: Apache-2.0
"""A campaign as data: a scenario, variants of it, and classes of faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from polycast_cli.common import UserError, flow, set_options
from polycast_cli.located import Strict, load
from polycast_cli.reading import proposal

#: ±1 % at 95 % confidence for a share of one half.
FAULTS = 9604
CLASSES = (
    "bit1", "bit2", "bit6", "burst32", "burst64", "lost_flit", "lost_credit", "double_credit", "lost_set",
    "dead_short", "dead_long", "dead_ever", "stuck", "upset_buffer", "upset_routes", "upset_credits", "upset_ring",
    "upset_counters", "upset_packets", "hang",
)  # fmt: skip
#: What a campaign makes itself.
RESERVED = ("faults", "network.threads", "sweep")


class Expectation(StrEnum):
    SAFE = "safe"  # no fault passes silently, and none hangs a run
    SEEN = "seen"  # some fault does: the campaign can see it
    NOTHING = "nothing"


class Variant(Strict):
    set: dict[str, Any] = Field({}, description="Keys of the scenario with their values.")
    expect: Expectation = Field(
        Expectation.NOTHING,
        description="safe: silent and hung must be 0; seen: a silent or hung run must be there; nothing: no matter.",
    )
    exempt: list[str] = Field(
        [], description="Classes of which `expect: safe` promises nothing: nothing protects from them."
    )

    @property
    def settings(self) -> list[str]:
        """KEY=VALUE each, the value in YAML."""
        return [f"{key}={flow(value)}" for key, value in self.set.items()]

    def allows(self, kind: str) -> bool:
        """Whether faults of a class may pass silently or hang runs."""
        return self.expect != Expectation.SAFE or kind in self.exempt


class Plan(Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9][\w.\-]*$")
    title: str = ""
    scenario: str = Field(description="Scenario file; relative to this one.")
    seed: int = Field(1, ge=0, description="Fault i of a class follows from seed, class and i alone.")
    faults: int = Field(FAULTS, ge=1, description="Of each class and variant.")
    sample: Literal["used", "raw"] = Field(
        "used", description="used: flips hit symbols that carry something; raw: any cycle of any wire."
    )
    classes: list[str] = Field(list(CLASSES), min_length=1)
    variants: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w\-]*$")], Variant] = Field(min_length=1)


def load_plan(path: Path) -> Plan:
    """\\raises UserError with file, line, column and a proposal"""
    plan, source = load(path, Plan, "a campaign is a list of keys with values, such as 'scenario: ...'")
    for index, name in enumerate(plan.classes):
        if name not in CLASSES:
            raise source.error(("classes", index), f"there is no class of faults '{name}'{proposal(name, CLASSES)}")
        if name in plan.classes[:index]:
            raise source.error(("classes", index), f"'{name}' is given twice")
    for name, variant in plan.variants.items():
        for index, kind in enumerate(variant.exempt):
            where = ("variants", name, "exempt", index)
            if variant.expect != Expectation.SAFE:
                raise source.error(where, "'exempt' has a meaning with 'expect: safe' only")
            if kind not in CLASSES:
                raise source.error(where, f"there is no class of faults '{kind}'{proposal(kind, CLASSES)}")
        for key in variant.set:
            if any(key == word or key.startswith(word + ".") for word in RESERVED):
                raise source.error(("variants", name, "set", key), f"'{key}' is set by the campaign", of_key=True)
    if not (path.parent / plan.scenario).is_file():
        raise source.error(("scenario",), f"there is no file {plan.scenario}")
    return plan


@dataclass(frozen=True)
class Part:
    """What is run of a campaign: None or nothing for what its file says."""

    faults: int | None = None
    seed: int | None = None
    classes: Sequence[str] = ()
    variants: Sequence[str] = ()

    def of(self, plan: Plan) -> Plan:
        """\\raises UserError on a name that the plan does not have"""
        for option, names, known in (("class", self.classes, plan.classes), ("variant", self.variants, plan.variants)):
            for name in names:
                if name not in known:
                    raise UserError(f"--{option} {name}: {plan.name} has no such {option}{proposal(name, known)}")
        changes: dict[str, Any] = {"faults": self.faults, "seed": self.seed}
        changes["classes"] = [name for name in plan.classes if name in self.classes] or None
        changes["variants"] = {name: each for name, each in plan.variants.items() if name in self.variants} or None
        return plan.model_copy(update={key: value for key, value in changes.items() if value is not None})

    @property
    def words(self) -> list[str]:
        """On the command line."""
        words = [] if self.faults is None else ["--faults", str(self.faults)]
        words += [] if self.seed is None else ["--seed", str(self.seed)]
        words += [word for name in self.variants for word in ("--variant", name)]
        return words + [word for name in self.classes for word in ("--class", name)]


def files_of(scenario: Path) -> Iterator[Path]:
    """The scenario, and files that it names."""
    yield scenario
    try:
        waiting = [yaml.safe_load(scenario.read_text())]
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{scenario}: {' '.join(str(error).split())}") from None
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value and len(value) < 255 and (scenario.parent / value).is_file():
            yield scenario.parent / value


def replay_settings(variant: Variant, events: str) -> dict[str, Any]:
    """Keys of the scenario: the run of one fault."""
    return variant.set | {"faults.events": yaml.safe_load(events), "faults.verdict": "reported"}


def replay_options(variant: Variant, events: str) -> list[str]:
    """Of `run`: the same."""
    return set_options([*variant.settings, f"faults.events={events}", "faults.verdict=reported"])

# SPDX-License-Identifier: Apache-2.0
"""Published conclusions as data, and what the measured curves say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from polycast_cli.common import UserError, shown
from polycast_cli.reading import checked, read_yaml
from polycast_cli.reports.curves import binary
from polycast_cli.studies.data import QUANTITIES, Data
from polycast_cli.studies.model import Depth, Strict, Study, check_names, expanded
from polycast_cli.studies.statistics import Estimate, estimate

Status = Literal["holds", "fails", "undecided", "not run"]
Verdict = Literal["holds", "fails", "depends", "undecided", "not run"]

WORDS: dict[Verdict, str] = {
    "holds": "holds",
    "fails": "does not hold",
    "depends": "depends",
    "undecided": "not decided",
    "not run": "not run",
}


class Operand(Strict):
    """A measured value, or a quotient of two. What it leaves open (panel, x) runs over all that was measured."""

    figure: str = ""
    series: list[str] = Field(default_factory=list)
    pick: Literal["min", "max"] = "min"  # of several series
    panel: str = ""
    x: float | None = None
    quantity: str = ""  # the figure's without it; "saturation": the largest throughput that a curve reaches
    of: Operand | None = None  # a list names series; what stands beside `of` and `over` is said of both
    over: Operand | None = None

    @model_validator(mode="before")
    @classmethod
    def shares(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "of" not in data or "over" not in data:
            return data
        shared = {key: value for key, value in data.items() if key not in ("of", "over")}
        parts = ((key, {"series": data[key]} if isinstance(data[key], list) else data[key]) for key in ("of", "over"))
        return {key: shared | part for key, part in parts}

    def leaves(self) -> Iterator[Operand]:
        if self.of is None or self.over is None:
            yield self
        else:
            yield from self.of.leaves()
            yield from self.over.leaves()

    def recounted(self, recounts: Mapping[str, str]) -> Operand:
        """The same of the series by which the source counts."""
        if self.of is None or self.over is None:
            return self.model_copy(update={"series": [recounts.get(name, name) for name in self.series]})
        parts = {"of": self.of.recounted(recounts), "over": self.over.recounted(recounts)}
        return self.model_copy(update=parts)


class Expectation(Strict):
    """A bound, or two, that the whole confidence interval has to keep; or a number to be met."""

    below: float | None = None
    above: float | None = None
    equals: float | None = None

    def text(self) -> str:
        if self.equals is not None:
            return f"{self.equals:,.10g}"
        if self.below is not None and self.above is not None:
            return f"between {self.above:,.10g} and {self.below:,.10g}"
        return f"below {self.below:,.10g}" if self.below is not None else f"above {self.above:,.10g}"

    def status(self, found: Estimate) -> Status:
        if self.equals is not None:
            return "holds" if found.low == found.high == self.equals else "fails"
        low = self.above if self.above is not None else float("-inf")
        high = self.below if self.below is not None else float("inf")
        if low < found.low and found.high < high:
            return "holds"
        return "fails" if found.high <= low or found.low >= high else "undecided"


class Part(Strict):
    """A number that has to keep a bound. `says` tells it in words."""

    says: str
    published: str = Field("", coerce_numbers_to_str=True)  # the source's number
    case: str = ""  # of a claim with cases: parts of the same one are a case together; without it each is one
    value: Operand
    panels: list[str] = Field(default_factory=list)  # that open panels run over; all without it
    points: list[float] = Field(default_factory=list)  # likewise on the x axis
    #: Over what is open, in each network; argmax and argmin: at which x the value is largest or least.
    reduce: Literal["max", "min", "mean", "swaps", "argmax", "argmin"] = "mean"
    tolerance: float = 0.0  # of `swaps`: nearer values have no order
    models: list[str] = Field(default_factory=list)  # that it is asked under, instead of those of the claim
    expect: Expectation | None = None  # none: an extra that is only shown

    def status(self, found: Estimate) -> Status:
        return self.expect.status(found) if self.expect else "undecided"


class Claim(Strict):
    id: str
    claim: str
    source: str
    group: str = "Published conclusions"  # that of the claim before without it
    models: list[str] = Field(default_factory=list)  # that are asked; all of its figures without it
    parts: list[Part] = Field(min_length=1)
    extras: list[Part] = Field(default_factory=list)  # the same asked in other ways, controls: shown, they do not judge
    cases: bool = False  # the parts are cases of it: where some hold and others do not, it depends on the case
    plain: bool = False  # the parts say themselves how they count: no recount beside them
    reasons: dict[Verdict, str] = Field(default_factory=dict)  # why, by verdict, or "holds, fails" by several

    @model_validator(mode="after")
    def parts_can_judge(self) -> Claim:
        unbound = [part.says for part in self.parts if part.expect is None]
        if unbound:
            raise ValueError(f"claim {self.id}: '{unbound[0]}' expects nothing")
        twice = [
            name for name, count in Counter(part.says for part in self.parts if not part.case).items() if count > 1
        ]
        if self.cases and twice:
            raise ValueError(f"claim {self.id}: two cases are called '{twice[0]}'")
        return self

    @field_validator("reasons", mode="before")
    @classmethod
    def each_has_its_own(cls, said: dict[str, str]) -> dict[str, str]:
        return {verdict: reason for verdicts, reason in said.items() for verdict in verdicts.split(", ")}


class Claims(Strict):
    claims: list[Claim]

    @field_validator("claims", mode="before")
    @classmethod
    def groups_go_on(cls, claims: Any) -> Any:
        group: dict[str, str] = {}
        for claim in claims if isinstance(claims, list) else ():
            group = {"group": claim["group"]} if "group" in claim else group
            claim |= group
        return claims

    @model_validator(mode="after")
    def ids_differ(self) -> Claims:
        twice = [name for name, count in Counter(claim.id for claim in self.claims).items() if count > 1]
        if twice:
            raise ValueError(f"two claims have the id '{twice[0]}'")
        return self


def load_claims(path: Path, study: Study) -> list[Claim]:
    """\\raises UserError where a claim names something that the study does not have"""
    claims = checked(Claims, expanded(read_yaml(path)), path).claims
    try:
        for claim in claims:
            check_claim(claim, study)
    except ValueError as error:
        raise UserError(f"{shown(path)}: {error}") from None
    return claims


def check_claim(claim: Claim, study: Study) -> None:
    """\\raises ValueError"""
    check_names(f"claim {claim.id}: models", claim.models, study.models)
    for part in (*claim.parts, *claim.extras):
        check_names(f"claim {claim.id}: models", part.models, study.models)
        for leaf in part.value.leaves():
            check_leaf(claim.id, leaf, part.panels, study)


def check_leaf(claim: str, leaf: Operand, panels: Sequence[str], study: Study) -> None:
    figure = study.figure(leaf.figure)
    check_names(f"claim {claim}: series", leaf.series, figure.series)
    check_names(f"claim {claim}: recount", leaf.recounted(study.recounts).series, figure.series)
    check_names(f"claim {claim}: quantity", [leaf.quantity or figure.quantity], [*QUANTITIES, "saturation"])
    known = [panel.label for panel in figure.panels]
    check_names(f"claim {claim}: panel", [leaf.panel] if leaf.panel else panels, known)


@dataclass
class Answer:
    """The answer to one part under one model. The part names what was run of its panels and points."""

    part: Part
    status: Status
    estimate: Estimate | None = None
    where: str = ""  # the place that decides, of a least or largest value
    recount: Answer | None = None  # as the source counts, where that makes a difference


@dataclass
class Judgement:
    """What each model says about a claim, and all together."""

    claim: Claim
    verdict: Verdict
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    extras: dict[str, list[Answer]] = field(default_factory=dict)

    def status(self, model: str) -> Status:
        return together([answer.status for answer in self.answers[model]])

    def cases(self, recount: bool = False) -> dict[tuple[str, str], Status]:
        """What the cases say, by model and name; as the source counts with `recount`."""
        said: dict[tuple[str, str], list[Status]] = {}
        for model, found in self.answers.items():
            for answer in found:
                key = (model, answer.part.case or answer.part.says)
                said.setdefault(key, []).append(((recount and answer.recount) or answer).status)
        return {key: together(statuses) for key, statuses in said.items()}

    @property
    def recounted(self) -> Verdict | None:
        """What it would be as the source counts; None where that makes no difference."""
        answers = [answer for found in self.answers.values() for answer in found]
        if not any(answer.recount for answer in answers):
            return None
        statuses = list(self.cases(recount=True).values())
        if self.claim.cases and {"holds", "fails"} <= set(statuses):
            return "depends"
        return together(statuses)

    @property
    def alternatives(self) -> list[str]:
        """Names of the extras by which the verdict would be the opposite."""
        opposite = {"holds": "fails", "fails": "holds"}.get(self.verdict)
        found = (answer for answers in self.extras.values() for answer in answers if answer.status == opposite)
        return list(dict.fromkeys(answer.part.says for answer in found))

    @property
    def reason(self) -> str:
        return self.claim.reasons.get(self.verdict, "")


def together(statuses: Sequence[Status]) -> Status:
    for one in ("fails", "not run", "undecided"):
        if one in statuses:
            return one  # type: ignore[return-value]
    return "holds"


def quotients(above: Mapping[int, float], below: Mapping[int, float]) -> dict[int, float]:
    """By replica."""
    return {replica: above[replica] / below[replica] for replica in above if below.get(replica)}


@dataclass
class Reader:
    """Looks up operands for one model."""

    study: Study
    data: Data
    model: str
    depth: Depth

    def leaf(self, operand: Operand, panel: str, x: float | None) -> dict[int, float]:
        """Values by replica; the least (or largest) where several series are named. Empty where one was not run."""
        choose = min if operand.pick == "min" else max
        found = [self.one(operand, series, operand.panel or panel, x) for series in operand.series]
        shared = set.intersection(*(set(values) for values in found)) if found else set()
        return {replica: choose(values[replica] for values in found) for replica in sorted(shared)}

    def one(self, operand: Operand, series: str, panel: str, x: float | None) -> dict[int, float]:
        curve = self.data.curve(operand.figure, self.model, panel, series)
        if operand.quantity == "saturation":
            highest: dict[int, float] = {}
            if any(point.saturated for point in curve):
                for point in curve:
                    for replica, value in point.values("accepted").items():
                        highest[replica] = max(value, highest.get(replica, 0.0))
            return highest
        wanted = operand.x if operand.x is not None else x
        for point in curve:
            if point.place.x == wanted:
                return point.values(operand.quantity or self.study.figure(operand.figure).quantity)
        return {}

    def value(self, operand: Operand, panel: str, x: float | None) -> dict[int, float]:
        if operand.of is None or operand.over is None:
            return self.leaf(operand, panel, x)
        return quotients(self.value(operand.of, panel, x), self.value(operand.over, panel, x))

    def places(self, part: Part) -> list[tuple[str, float | None]]:
        """What the part's open panels and points run over, in this depth."""
        leaves = list(part.value.leaves())
        open_panel = [leaf for leaf in leaves if not leaf.panel]
        open_x = [leaf for leaf in leaves if leaf.x is None and leaf.quantity != "saturation"]
        figure = self.study.figure((open_panel or leaves)[0].figure)
        panels = [
            panel
            for panel in figure.panels_of(self.depth)
            if self.model in figure.models_of(panel, self.depth) and (not part.panels or panel.label in part.panels)
        ]
        if not open_panel:
            panels = [panel for panel in figure.panels if panel.label == leaves[0].panel]
        found: list[tuple[str, float | None]] = []
        for panel in panels:
            points = figure.points_of(panel, self.depth) if open_x else [None]
            found += [(panel.label, x) for x in points if not part.points or x is None or x in part.points]
        return found

    def as_run(self, part: Part) -> Part:
        """With those of its panels and points that this depth has."""
        panels, points = ({place[side] for place in self.places(part)} for side in (0, 1))
        run = {
            "panels": [panel for panel in part.panels if panel in panels] or part.panels,
            "points": [x for x in part.points if x in points] or part.points,
        }
        return part.model_copy(update=run)

    def answer(self, part: Part, recount: bool = True) -> Answer:
        """With its recount, where that makes a difference."""
        part = self.as_run(part)
        found = self.plain_answer(part)
        value = part.value.recounted(self.study.recounts)
        if recount and value != part.value:
            found.recount = self.plain_answer(part.model_copy(update={"value": value}))
        return found

    def plain_answer(self, part: Part) -> Answer:
        places = self.places(part)
        if part.reduce == "swaps":
            values, where = self.swaps(part, places), ""
        else:
            values, where = self.reduced(part, places)
        if not values:
            return Answer(part, "not run")
        found = estimate(values)
        return Answer(part, part.status(found), found, where)

    def reduced(self, part: Part, places: Sequence[tuple[str, float | None]]) -> tuple[list[float], str]:
        """One value for each replica, and the place that most of them come from."""
        found = {place: self.value(part.value, *place) for place in places}
        if not found or any(not values for values in found.values()):
            return [], ""
        shared = sorted(set.intersection(*(set(values) for values in found.values())))
        if part.reduce == "mean":
            return [sum(values[replica] for values in found.values()) / len(found) for replica in shared], ""
        choose = min if part.reduce in ("min", "argmin") else max
        best = {
            replica: choose(found, key=lambda place, replica=replica: found[place][replica])  # type: ignore[misc]
            for replica in shared
        }
        if part.reduce in ("argmax", "argmin"):
            return [x for _, x in best.values() if x is not None], ""
        (panel, x), _ = Counter(best.values()).most_common(1)[0]
        axis = self.study.figure(next(part.value.leaves()).figure).x
        number = binary if axis.binary else "{:,.10g}".format
        where = panel + ("" if x is None else f"; {axis.label}: {number(x)}") if len(found) > 1 else ""
        return [found[place][replica] for replica, place in best.items()], where

    def swaps(self, part: Part, places: Sequence[tuple[str, float | None]]) -> list[float]:
        """By replica: pairs of series whose order differs between two panels at the same x."""
        leaf = part.value
        counts: Counter[int] = Counter()
        replicas: set[int] = set()
        for x in dict.fromkeys(x for _, x in places):
            panels = [panel for panel, other in places if other == x]
            for one, two in combinations(leaf.series, 2):
                sides = [quotients(*(self.one(leaf, name, panel, x) for name in (one, two))) for panel in panels]
                if any(not side for side in sides):
                    return []
                shared = set.intersection(*(set(side) for side in sides))
                replicas |= shared
                for replica in shared:
                    clear = [side[replica] for side in sides if abs(side[replica] - 1) > part.tolerance]
                    counts[replica] += bool(clear) and min(clear) < 1 < max(clear)
        return [float(counts[replica]) for replica in sorted(replicas)]


def models_of(parts: Sequence[Part], study: Study, depth: Depth) -> set[str]:
    """Models under which every figure of the parts was run."""
    wanted: list[set[str]] = []
    for leaf in (leaf for part in parts for leaf in part.value.leaves()):
        figure = study.figure(leaf.figure)
        panels = [panel for panel in figure.panels if not leaf.panel or panel.label == leaf.panel]
        wanted.append({name for panel in panels for name in figure.models_of(panel, depth)})
    return set.intersection(*wanted) if wanted else set()


def judge(claim: Claim, study: Study, data: Data, depth: Depth) -> Judgement:
    judgement = Judgement(claim, "not run")
    shared = models_of([part for part in claim.parts if not part.models], study, depth)
    shared = shared & set(claim.models) if claim.models else shared
    for model in study.models:
        parts, extras = (
            [part for part in asked if model in (part.models or shared)] for asked in (claim.parts, claim.extras)
        )
        if parts:
            reader = Reader(study, data, model, depth)
            judgement.answers[model] = [reader.answer(part, not claim.plain) for part in parts]
            judgement.extras[model] = [reader.answer(part, not claim.plain) for part in extras]
    statuses = {model: judgement.status(model) for model in judgement.answers}
    run = {status for status in statuses.values() if status != "not run"}
    cases = set(judgement.cases().values()) if claim.cases else set()
    if {"holds", "fails"} <= run or {"holds", "fails"} <= cases:
        judgement.verdict = "depends"
    elif {"fails", "undecided"} <= cases:
        judgement.verdict = "undecided"  # whether it fails, or depends on the case
    elif run:
        judgement.verdict = together(sorted(run))
    return judgement

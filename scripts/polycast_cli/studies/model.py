# SPDX-License-Identifier: Apache-2.0
"""A study as data: figures, the networks and schemes they compare, and how much of it each depth runs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from polycast_cli.common import ROOT, UserError, shown

STUDIES = ROOT / "scripts" / "studies"

#: Keys of a scenario by their path ("network.topology.hosts") with their value.
Settings = dict[str, Any]
Depth = Literal["quick", "full"]
Checked = TypeVar("Checked", bound=BaseModel)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Effort(Strict):
    """What a depth spends on a point."""

    replicas: int = Field(ge=1)  # random networks; on a given network, random draws
    loaded: int = Field(ge=1)  # as many under load
    messages: int = Field(ge=1)  # destination sets on each, alone in the network
    warmup: int = Field(ge=0)  # cycles that load curves discard
    window: int = Field(ge=1)  # cycles that they measure
    longer: int = Field(
        1, ge=0
    )  # repetitions, each twice as long, where the warm-up took longer than what is discarded


class Scheme(Strict):
    """A curve: keys of the workload, and of the whole scenario where it needs some; null takes a key away."""

    label: str
    workload: Settings = {}
    set: Settings = {}
    reads: str = ""  # which number of an analysis or allgather it shows
    colour: int | None = None  # the same in all figures


class Model(Strict):
    """A way to count time. `note` says in words what the settings mean."""

    label: str
    note: str = ""
    set: Settings = {}


class Points(Strict):
    """Places on the x axis."""

    quick: list[float]
    full: list[float]

    def of(self, depth: Depth) -> list[float]:
        return self.quick if depth == "quick" else self.full


class Axis(Points):
    key: str  # of the workload, with dots of the scenario; "load" is the effective applied load
    label: str
    log: bool = False  # also where few values would do without


class Panel(Strict):
    """One chart of a figure."""

    value: float
    label: str
    set: Settings = {}
    workload: Settings = {}
    x: Points | None = None  # instead of the figure's
    quick: bool = True  # whether the quick depth has it
    models: list[str] = []  # instead of the figure's
    stretch: int = Field(1, ge=1)  # warm-up and window under load are so many times as long


class Figure(Strict):
    name: str
    title: str
    note: str = ""
    source: str = ""
    kind: Literal["single", "load", "computed", "analysis", "allgather"]
    quantity: str = "latency"
    unit: str = "cycles"
    x: Axis
    parameter: str = ""  # what tells the panels apart
    panels: list[Panel]
    series: list[str]
    models: list[str]
    quick_series: list[str] | None = None  # instead of `series`
    quick_models: list[str] | None = None
    across: float | None = None  # also drawn over the panels, at this x
    messages: int = Field(1, ge=1)  # so many times the messages of the depth
    replicas: int = Field(1, ge=1)  # at least so many
    set: Settings = {}
    workload: Settings = {}
    computation: str = ""  # of kind `computed`: what computes it
    reads: str = ""  # of kinds `analysis` and `allgather`: which number, where the series does not say it
    per: str = ""  # likewise: a number of the same answer that it is divided by
    log: bool = False  # the values' axis

    @property
    def answered(self) -> bool:
        """Each point is one answer with many numbers, of which every series reads one."""
        return self.kind in ANSWERS

    @model_validator(mode="before")
    @classmethod
    def answers_are_values(cls, data: dict[str, Any]) -> dict[str, Any]:
        return data | {"quantity": "value"} if data.get("kind") in ANSWERS else data

    def panels_of(self, depth: Depth) -> list[Panel]:
        return [panel for panel in self.panels if depth == "full" or panel.quick]

    def models_of(self, panel: Panel, depth: Depth) -> list[str]:
        usual = self.quick_models if depth == "quick" and self.quick_models is not None else self.models
        return [name for name in usual if not panel.models or name in panel.models]

    def series_of(self, depth: Depth) -> list[str]:
        return self.quick_series if depth == "quick" and self.quick_series is not None else self.series

    def points_of(self, panel: Panel, depth: Depth) -> list[float]:
        return (panel.x or self.x).of(depth)


#: Numbers of one answer, by the kind of figure.
ANSWERS: dict[str, tuple[str, ...]] = {
    "analysis": (
        "delivered", "as_published", "uncoded_hierarchy", "base", "floor", "packets_delivered", "packets_combining",
        "best_delivered", "best_as_published", "best_uncoded_hierarchy", "best_group_delivered",
        "best_group_as_published", "best_group_uncoded_hierarchy", "member_hops", "group_hops", "hops_B", "hops_D",
        "hops_E", "hops_F",
    ),
    "allgather": (
        "cycles", "latency", "packets", "flit_hops", "xors", "xors_max", "decode_xors", "cycles_B", "cycles_D",
        "cycles_E", "cycles_F",
    ),
}  # fmt: skip


class Study(Strict):
    name: str
    title: str
    source: str
    about: str = ""
    efforts: dict[Depth, Effort]
    scenario: Settings
    schemes: dict[str, Scheme]
    models: dict[str, Model]
    figures: list[Figure]
    claims: str = ""  # file of the conclusions to check, beside this one
    replicas: Literal["networks", "draws", "none"] = "networks"  # none: nothing is random
    recounts: dict[str, str] = {}  # series as the source counts, by those that count everything

    @model_validator(mode="after")
    def names_exist(self) -> Study:
        for figure in self.figures:
            for names in (figure.series, figure.quick_series or []):
                check_names(f"figure {figure.name}: series", names, self.schemes)
                if figure.answered:
                    reads = [self.schemes[name].reads or figure.reads for name in names]
                    check_names(f"figure {figure.name}: reads", reads, ANSWERS[figure.kind])
            if figure.per:
                check_names(f"figure {figure.name}: per", [figure.per], ANSWERS.get(figure.kind, ()))
            for names in (figure.models, figure.quick_models or [], *(panel.models for panel in figure.panels)):
                check_names(f"figure {figure.name}: models", names, self.models)
        check_names("recounts", [*self.recounts, *self.recounts.values()], self.schemes)
        repeated = [figure.name for figure in self.figures]
        if len(set(repeated)) != len(repeated):
            raise ValueError("two figures have the same name")
        return self

    def figure(self, name: str) -> Figure:
        found = {figure.name: figure for figure in self.figures}
        if name not in found:
            raise UserError(f"no figure '{name}'{proposal(name, found)}")
        return found[name]

    def chosen(self, names: Sequence[str]) -> list[Figure]:
        """The named figures in the order of the study; all without names. \\raises UserError on an unknown name"""
        wanted = {self.figure(name).name for name in names}
        return [figure for figure in self.figures if not wanted or figure.name in wanted]


def check_names(place: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"{place}: no '{name}'{proposal(name, known)}")


def proposal(name: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" where one of `known` is near, else all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"


def read_yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text())
    except OSError as error:
        raise UserError(f"{shown(path)}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{shown(path)}: {' '.join(str(error).split())}") from None


def checked(model: type[Checked], data: Any, path: Path) -> Checked:
    """\\raises UserError naming file and place where `data` is no `model`"""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{shown(path)}: {place + ': ' if place else ''}{first['msg']}") from None


def load_study(path: Path) -> Study:
    return checked(Study, read_yaml(path), path)


def study_file(name: str) -> Path:
    """scripts/studies/NAME.yaml. \\raises UserError with a proposal"""
    found = {path.stem: path for path in STUDIES.glob("*.yaml") if "figures:" in path.read_text()}
    if name not in found:
        raise UserError(f"no study '{name}'{proposal(name, sorted(found))}")
    return found[name]

# SPDX-License-Identifier: Apache-2.0
"""A study as data: figures, the networks and schemes they compare, and how much of it each depth runs."""

from __future__ import annotations

import itertools
import re
from collections import ChainMap
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from polycast_cli.common import ROOT, UserError
from polycast_cli.reading import checked, proposal, read_yaml

STUDIES = ROOT / "scripts" / "studies"

#: Keys of a scenario by their path ("network.topology.hosts") with their value.
Settings = dict[str, Any]
Depth = Literal["quick", "full"]


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


class Source(Strict):
    """A curve of another figure, of the base without one; without a panel of that of the same name."""

    figure: str = ""
    series: str
    panel: str = ""


class Fit(Strict):
    """A published a N^c + e, and the curve that it is to describe. Without e the form is a N^c, here and there."""

    of: Source
    a: float
    c: float
    e: float | None = None
    upto: float  # nodes of the largest network that both fits are made for


class Scheme(Strict):
    """A curve: keys of the workload, and of the whole scenario where it needs some; null takes a key away."""

    label: str
    workload: Settings = {}
    set: Settings = {}
    reads: str = ""  # which number of an answer it shows
    divisor: float = 1.0  # of this number
    colour: int | None = None  # the same in all figures
    dashed: bool = False  # a line without points and legend: a formula beside the simulated curve of the same colour
    of: Source | None = None  # of kind `gain`: by how many per cent this curve is below that one,
    over: Source | None = None  # of `ratio`: how many times that one it is, of `difference`: how far above


class Model(Strict):
    """A model of time. `note` says in words what the settings mean."""

    label: str
    note: str = ""
    set: Settings = {}


class Points(Strict):
    """Places on the x axis; those from 1 to 9 as "1..9"."""

    quick: list[float]
    full: list[float]

    @field_validator("quick", "full", mode="before")
    @classmethod
    def ranges(cls, said: Any) -> Any:
        found = re.fullmatch(r"(\d+)\.\.(\d+)", said) if isinstance(said, str) else None
        return list(range(int(found[1]), int(found[2]) + 1)) if found else said

    def of(self, depth: Depth) -> list[float]:
        return self.quick if depth == "quick" else self.full


class Axis(Points):
    key: str  # of the workload, with dots of the scenario; "load" is the effective applied load
    label: str
    log: bool = False  # also where few values would do without
    index: bool = False  # no key: the place in a list of the answer
    binary: bool = False  # bytes, as "64 KiB"


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
    reads: str = ""  # instead of the figure's
    unit: str = ""  # likewise
    series: list[str] = []  # instead of the figure's
    fit: Fit | None = None  # of kind `fit`


class Figure(Strict):
    name: str
    title: str
    note: str = ""
    source: str = ""
    kind: Literal[
        "single",
        "load",
        "computed",
        "analysis",
        "allgather",
        "broadcast",
        "traffic",
        "lanes",
        "streams",
        "gain",
        "ratio",
        "difference",
        "fit",
    ]
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
    reads: str = ""  # of an answer: which number, where the series does not say it
    per: str = ""  # likewise: a number of the same answer that it is divided by
    log: bool = False  # the values' axis
    drawn: bool = True  # otherwise it is there for tables and conclusions
    base: str = ""  # of derived kinds: the figure of curves that name none
    network: str = ""  # of kind `fit`: of which it is

    @property
    def answered(self) -> bool:
        """Each point is one answer with many numbers, of which every series reads one."""
        return self.kind == "analysis" or self.kind in ANSWERS

    @property
    def grows(self) -> bool:
        """Its values grow without end behind saturation."""
        return self.kind == "load" or (self.kind == "traffic" and self.reads == "latency")

    @property
    def derived(self) -> bool:
        """Its points are made of those of other figures."""
        return self.kind in ("gain", "ratio", "difference", "fit")

    @property
    def simulated(self) -> bool:
        return self.kind != "computed" and not self.derived

    @model_validator(mode="before")
    @classmethod
    def some_are_values(cls, data: dict[str, Any]) -> dict[str, Any]:
        of_values = data.get("kind") in ("analysis", "gain", "ratio", "difference", "fit", *ANSWERS)
        return data | {"quantity": "value"} if of_values else data

    def panels_of(self, depth: Depth) -> list[Panel]:
        return [panel for panel in self.panels if depth == "full" or panel.quick]

    def models_of(self, panel: Panel, depth: Depth) -> list[str]:
        usual = self.quick_models if depth == "quick" and self.quick_models is not None else self.models
        return [name for name in usual if not panel.models or name in panel.models]

    def series_of(self, depth: Depth, panel: Panel | None = None) -> list[str]:
        usual = self.quick_series if depth == "quick" and self.quick_series is not None else self.series
        return [name for name in usual if panel is None or not panel.series or name in panel.series]

    def number_of(self, panel: Panel, scheme: Scheme) -> str:
        """Which number of an answer is the value."""
        return scheme.reads or panel.reads or self.reads

    def points_of(self, panel: Panel, depth: Depth) -> list[float]:
        return (panel.x or self.x).of(depth)


#: Algorithms of `analyse multilane`.
LANE_ALGORITHMS = ("chain", "pipelined_chain", "binary", "binomial", "van_de_geijn", "multi_lane")

#: What `analyse ibt` runs.
BROADCASTS = ("line", "rectangular", "global", "trees")

#: Numbers of one answer, by the analysis or the kind of figure.
ANSWERS: dict[str, tuple[str, ...]] = {
    "network-coding": (
        "delivered", "as_published", "uncoded_hierarchy", "base", "floor", "packets_delivered", "packets_combining",
        "best_delivered", "best_as_published", "best_uncoded_hierarchy", "best_group_delivered",
        "best_group_as_published", "best_group_uncoded_hierarchy", "member_hops", "group_hops", "hops_B", "hops_D",
        "hops_E", "hops_F",
    ),
    "allgather": (
        "cycles", "latency", "packets", "flit_hops", "xors", "xors_max", "decode_xors", "cycles_B", "cycles_D",
        "cycles_E", "cycles_F",
    ),
    "broadcast": ("time", "hosts", "sends", "duplicates", "stale"),
    "ibt": (
        "nodes", "degree", "links", "diameter", "mean_distance", "best_line", "rectangular", "global", "trees",
        *(f"line_{pattern}" for pattern in range(8)), *(f"floor_{kind}" for kind in BROADCASTS),
        *(f"pipelined_{kind}" for kind in BROADCASTS), *(f"busy_{kind}" for kind in BROADCASTS),
    ),
    "multilane": tuple(
        f"{number}_{name}"
        for number in ("closed_form", "printed_form", "derived_form", "piecewise")
        for name in LANE_ALGORITHMS
    ),
    "lanes": (
        "time", "mean", "first", "closed_form", "printed_form", "derived_form", "piecewise", "model", "cpu_seconds",
        "cpu_seconds_per_gigabyte",
    ),
    "streams": ("share", "formula_share", "cpu_seconds", "cpu_seconds_per_gigabyte"),
    "rails": (
        "nodes", "rails", "algorithm_1", "algorithm_2", "least_usable", "mean_usable", "most_usable", "ceiling",
        "equal_shares", *(f"rail_{rail}" for rail in range(64)),
    ),
    "traffic": ("offered", "accepted", "latency", "refusals"),
}  # fmt: skip


class TableRow(Strict):
    """A panel, and what is published of it, column by column; null where nothing is, no list where all are null."""

    panel: str
    published: list[float | None] = []


class TableColumn(Strict):
    label: str
    series: list[str]  # the first that has a point
    x: float
    figure: str = ""  # instead of the table's
    digits: int | None = None  # behind the point, of the published numbers


class Table(Strict):
    """Published numbers, to be printed beside those of a figure."""

    name: str
    title: str
    note: str = ""
    figure: str
    rows_are: str = "network"
    columns: list[TableColumn]
    rows: list[TableRow]

    @model_validator(mode="after")
    def rows_are_whole(self) -> Table:
        for row in self.rows:
            if len(row.published) not in (0, len(self.columns)):
                counts = f"{len(row.published)} of {len(self.columns)}"
                raise ValueError(f"table {self.name}: {row.panel} has {counts} numbers")
        return self


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
    replicas: Literal["networks", "draws", "runs", "none"] = "networks"  # none: nothing is random
    recounts: dict[str, str] = {}  # series as the source counts, by those that count everything
    #: What figures of kind `analysis` ask.
    analysis: Literal["network-coding", "ibt", "multilane", "rails"] = "network-coding"
    tables: list[Table] = []

    @model_validator(mode="before")
    @classmethod
    def figures_have_defaults(cls, data: Any) -> Any:
        """`defaults`: keys of all figures, which they may replace."""
        if not isinstance(data, dict) or not isinstance(data.get("figures"), list):
            return data
        defaults = data.get("defaults", {})
        figures = [defaults | figure for figure in data["figures"]]
        return {key: value for key, value in data.items() if key != "defaults"} | {"figures": figures}

    @model_validator(mode="after")
    def names_exist(self) -> Study:
        for figure in self.figures:
            self.check_figure(figure)
        known = {figure.name: figure for figure in self.figures}
        for table in self.tables:
            for column in table.columns:
                name = column.figure or table.figure
                check_names(f"table {table.name}: figure", [name], known)
                check_names(f"table {table.name}: series", column.series, known[name].series)
                panels = [panel.label for panel in known[name].panels]
                check_names(f"table {table.name}: panel", [row.panel for row in table.rows], panels)
        check_names("recounts", [*self.recounts, *self.recounts.values()], self.schemes)
        repeated = [figure.name for figure in self.figures]
        if len(set(repeated)) != len(repeated):
            raise ValueError("two figures have the same name")
        return self

    def check_figure(self, figure: Figure) -> None:
        """\\raises ValueError"""
        place = f"figure {figure.name}"
        for names in (figure.series, figure.quick_series or [], *(panel.series for panel in figure.panels)):
            check_names(f"{place}: series", names, self.schemes)
        for names in (figure.models, figure.quick_models or [], *(panel.models for panel in figure.panels)):
            check_names(f"{place}: models", names, self.models)
        numbers = ANSWERS[self.analysis if figure.kind == "analysis" else figure.kind] if figure.answered else ()
        if figure.answered:
            for panel in figure.panels:
                reads = [figure.number_of(panel, self.schemes[name]) for name in figure.series_of("full", panel)]
                check_names(f"{place}: reads", reads, numbers)
        if figure.per:
            check_names(f"{place}: per", [figure.per], numbers)
        for source in self.sources_of(figure):
            names = [other.name for other in self.figures]
            check_names(f"{place}: source", [source.figure or figure.base], names)
            found = self.figures[names.index(source.figure or figure.base)]
            check_names(f"{place}: source", [source.series], found.series)
            wanted = [source.panel] if source.panel else [panel.label for panel in figure.panels]
            check_names(f"{place}: source", wanted, [panel.label for panel in found.panels])

    def sources_of(self, figure: Figure) -> list[Source]:
        """The curves that a derived figure is made of."""
        if not figure.derived:
            return []
        schemes = [self.schemes[name] for name in figure.series]
        found = [scheme.of for scheme in schemes] + [scheme.over for scheme in schemes]
        found += [panel.fit and panel.fit.of for panel in figure.panels]
        return [source for source in found if source is not None]

    def figure(self, name: str) -> Figure:
        found = {figure.name: figure for figure in self.figures}
        if name not in found:
            raise UserError(f"no figure '{name}'{proposal(name, found)}")
        return found[name]

    def chosen(self, names: Sequence[str]) -> list[Figure]:
        """The named figures in the order of the study, with those that they are made of; all without names.

        \\raises UserError on an unknown name
        """
        wanted: set[str] = set()
        waiting = [self.figure(name) for name in names]
        while waiting:
            figure = waiting.pop()
            if figure.name not in wanted:
                wanted.add(figure.name)
                waiting += [self.figure(source.figure or figure.base) for source in self.sources_of(figure)]
        return [figure for figure in self.figures if not wanted or figure.name in wanted]


def check_names(place: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"{place}: no '{name}'{proposal(name, known)}")


def filled(node: Any, values: dict[str, Any]) -> Any:
    """With the values in place of `$name`: the value itself where that is the whole text."""
    if isinstance(node, dict):
        return {key: filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, values) for value in node]
    if not isinstance(node, str):
        return node
    return values[node[1:]] if node[:1] == "$" and node[1:] in values else Template(node).safe_substitute(values)


def copies(entry: Any) -> list[dict[str, Any]]:
    """The values of each copy that an entry with `each` stands for; no values of one without it."""
    rows = [
        [dict(zip(names.split(", "), row if "," in names else [row], strict=True)) for row in values]
        for names, values in (entry.pop("each", {}) if isinstance(entry, dict) else {}).items()
    ]
    return [dict(ChainMap(*chosen)) for chosen in itertools.product(*rows)]


def expanded(node: Any) -> Any:
    """With an entry for each combination of values in place of one with `each: {a: [1, 2], "b, c": [[3, 4], [5, 6]]}`:
    four, of which the last has 2 for $a, 5 for $b and 6 for $c."""
    if isinstance(node, dict):
        inner = [(key, expanded(value)) for key, value in node.items() if key != "each"]
        found = {filled(key, values): filled(value, values) for key, value in inner for values in copies(value)}
        return found | {key: node[key] for key in ("each",) if key in node}
    if isinstance(node, list):
        return [filled(entry, values) for entry in map(expanded, node) for values in copies(entry)]
    return node


def load_study(path: Path) -> Study:
    return checked(Study, expanded(read_yaml(path)), path)


def study_file(name: str) -> Path:
    """scripts/studies/NAME.yaml. \\raises UserError with a proposal"""
    found = {path.stem: path for path in STUDIES.glob("*.yaml") if "figures:" in path.read_text()}
    if name not in found:
        raise UserError(f"no study '{name}'{proposal(name, sorted(found))}")
    return found[name]

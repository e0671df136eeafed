# SPDX-License-Identifier: Apache-2.0
"""Which simulations a study needs: a scenario for each point of a curve, chains of them for load curves."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import yaml

from polycast_cli.studies import lanes
from polycast_cli.studies.broadcast import answer_weight, network_of
from polycast_cli.studies.model import Depth, Effort, Figure, Panel, Settings, Study
from polycast_cli.studies.rails import traffic_weight


@dataclass(frozen=True)
class Place:
    """A point of a curve."""

    figure: str
    model: str
    panel: str
    series: str
    x: float


@dataclass(frozen=True)
class Unit:
    """One run of the simulator: a scenario, and what a result needs besides."""

    scenario: str
    replicas: tuple[int, ...]  # numbers of its networks or draws
    discarded: int  # cycles of warm-up; 0 without load
    degree: int
    weight: float  # for estimates of time: grows with the work
    analysis: str = ""  # what `analyse` is asked: the scenario is its options

    @cached_property
    def key(self) -> str:
        """Names the result among results of the same simulator."""
        return hashlib.sha256(f"{self.replicas}\n{self.scenario}".encode()).hexdigest()[:24]

    @property
    def loaded(self) -> bool:
        return self.discarded > 0

    def stretched(self, factor: int) -> Unit:
        """The run with a warm-up and a window of `factor` times the length."""
        content = yaml.safe_load(self.scenario)
        measurement = content["measurement"]
        for key in ("warmup", "window", "drain_limit"):
            if isinstance(measurement[key], int):  # a warm-up may be a word
                measurement[key] *= factor
        scenario, weight = yaml_text(content), factor * self.weight
        return replace(self, scenario=scenario, discarded=factor * self.discarded, weight=weight)


@dataclass(frozen=True)
class Step:
    """A place with the runs that give its value."""

    place: Place
    units: tuple[Unit, ...]
    reads: str = ""  # the number of the answer that is its value
    per: str = ""  # and the one that it is divided by
    at: float | None = None  # where it is drawn, if not at the place's x
    listed: bool = False  # the number is of a list, which may be shorter
    divisor: float = 1.0  # of the number


#: Runs of one curve in the order of x; on a load curve those behind saturation are left out.
Chain = list[Step]


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """{"a.b": 1} as {"a": {"b": 1}}."""
    tree: dict[str, Any] = {}
    for path, value in settings.items():
        *sections, name = path.split(".")
        inner = tree
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[name] = copy.deepcopy(value)
    return tree


def number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def yaml_text(content: Mapping[str, Any]) -> str:
    """The same text for the same content; a study has thousands, so by the C library where PyYAML has it."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return yaml.dump(content, Dumper=dumper, sort_keys=True, default_flow_style=None, width=1000)


def scenario_text(settings: Settings, workload: Settings) -> str:
    """The scenario as YAML, the same text for the same settings."""
    content = nested(settings) | {"workload": [nested(workload)]}
    return yaml_text(content)


def packets_of(settings: Settings, workload: Settings) -> float:
    payload = size(settings.get("packet.payload", 128))
    return max(1.0, size(workload.get("message", 128)) / payload)


def size(value: Any) -> float:
    """Bytes of "128 B" or 128."""
    return float(str(value).split()[0])


def unit_weight(settings: Settings, workload: Settings, replicas: int) -> float:
    """Rough seconds of a run on one core of a machine of 2023."""
    hosts = float(settings.get("network.topology.hosts", 32))
    if "rate" in workload:
        cycles = float(settings["measurement.warmup"]) + float(settings["measurement.window"])
        delivered = cycles * hosts * float(workload["rate"]) * float(workload.get("degree", 1))
        return 0.05 + replicas * delivered * 2.2e-7
    copies = float(workload.get("degree", 1)) * packets_of(settings, workload)
    return 0.05 + replicas * (2e-3 * (hosts / 32) ** 2 + float(workload["messages"]) * copies * 2e-5)


def settings_at(study: Study, figure: Figure, panel: Panel, model: str, series: str) -> tuple[Settings, Settings]:
    """Keys of the scenario and of its workload, the more special ones last."""
    scheme = study.schemes[series]
    layers = (study.scenario, study.models[model].set, figure.set, panel.set, scheme.set)
    settings = {key: value for layer in layers for key, value in layer.items()}
    names = {"name": series, "kind": "multicast"}
    if figure.answered:
        # No name of the series: series with the same options share an answer.
        names = {"name": figure.kind, "kind": figure.kind}
    return settings, names | figure.workload | panel.workload | scheme.workload


def placed(settings: Settings, x: float) -> Settings:
    """With the place on the axis where they have "{x}", which may be a part of a text."""
    text = str(number(x))
    return {
        key: number(x) if value == "{x}" else value.replace("{x}", text) if isinstance(value, str) else value
        for key, value in settings.items()
    }


def without_nulls(settings: Settings) -> Settings:
    return {key: value for key, value in settings.items() if value is not None}


def answer_at(
    study: Study, figure: Figure, panel: Panel, model: str, series: str, x: float, effort: Effort
) -> Step | None:
    """A point that reads a number of an answer; None where no network is near its size."""
    settings, workload = settings_at(study, figure, panel, model, series)
    key, reads = figure.x.key, figure.number_of(panel, study.schemes[series])
    if figure.x.index:
        reads = f"{reads}_{number(x)}"
    elif any("{x}" in str(value) for value in (*settings.values(), *workload.values())):
        settings, workload = placed(settings, x), placed(workload, x)
    elif "." in key:
        settings[key] = number(x)
    elif workload.get(key, 0) is not None:
        workload[key] = number(x)
    settings, workload = without_nulls(settings), without_nulls(workload)
    at = None
    if figure.kind == "analysis":
        options = {name: value for name, value in workload.items() if name not in ("name", "kind")}
        weight = 0.03
        if study.analysis == "ibt":
            if (network := network_of(options)) is None:
                return None
            options, nodes = network
            weight, at = answer_weight(options), nodes if key == "nodes" else None
        units = [Unit(yaml_text({"analyse": options}), (1,), 0, 1, weight, study.analysis)]
    else:
        runs = [settings]
        if figure.kind == "traffic":
            settings.setdefault("measurement.window", effort.window * panel.stretch)
            runs = [settings | {"seed": seed} for seed in seeds(settings, figure, effort)]
        weight = WEIGHTS[figure.kind](settings, workload)
        units = [Unit(scenario_text(own, workload), (run,), 0, 1, weight) for run, own in enumerate(runs, 1)]
    place = Place(figure.name, model, panel.label, series, x)
    return Step(place, tuple(units), reads, figure.per, at, figure.x.index, study.schemes[series].divisor)


def seeds(settings: Settings, figure: Figure, effort: Effort) -> range:
    """Seeds of the runs under load, each with random numbers of its own."""
    first = int(settings.get("seed", 1))
    return range(first, first + max(figure.replicas, effort.loaded))


#: For each datum that a node receives, once and again for each of its flits.
ALLGATHER_SECONDS = 1e-6


def allgather_weight(settings: Settings, workload: Settings) -> float:
    """Seconds, as unit_weight()."""
    nodes = float(settings.get("network.topology.radix", 16)) ** float(settings.get("network.topology.dimensions", 2))
    flits = float(workload.get("flits", 1))
    return 0.03 + ALLGATHER_SECONDS * nodes**2 * (1 + flits)


#: For each node of a broadcast that runs cycle by cycle.
BROADCAST_SECONDS = 5e-4


def broadcast_weight(settings: Settings, workload: Settings) -> float:
    """Seconds, as unit_weight()."""
    radix, dimensions = settings["network.topology.radix"], settings["network.topology.dimensions"]
    return 0.03 + BROADCAST_SECONDS * float(radix) ** float(dimensions)


#: Seconds of a run, by the kind of figure.
WEIGHTS: dict[str, Callable[[Settings, Settings], float]] = {
    "allgather": allgather_weight,
    "broadcast": broadcast_weight,
    "lanes": lanes.run_weight,
    "streams": lanes.run_weight,
    "traffic": traffic_weight,
}


def step_at(study: Study, figure: Figure, panel: Panel, model: str, series: str, x: float, effort: Effort) -> Step:
    settings, workload = settings_at(study, figure, panel, model, series)
    degree = int(workload.get("degree", 1))
    loaded = figure.kind == "load"
    if figure.x.key == "load":
        workload["rate"] = round(x / degree, 9)
    else:
        workload[figure.x.key] = number(x)
        degree = int(workload.get("degree", 1))
    if loaded:
        settings |= {"measurement.warmup": effort.warmup * panel.stretch}
        settings |= {"measurement.window": effort.window * panel.stretch}
        # Behind the window a saturated network would go on for as long as it was overloaded: no failure, no waves.
        settings |= {"measurement.drain_limit": effort.window * panel.stretch, "trace.on_failure": 0}
    else:
        workload["messages"] = effort.messages * figure.messages
    place = Place(figure.name, model, panel.label, series, x)
    count = max(figure.replicas, effort.loaded if loaded else effort.replicas)
    return Step(place, tuple(units_of(study, settings, workload, count, degree)))


def units_of(study: Study, settings: Settings, workload: Settings, count: int, degree: int) -> Iterator[Unit]:
    """One run for `count` random networks, or one for each of `count` draws on a given network."""
    discarded = int(settings.get("measurement.warmup", 0))
    if study.replicas == "networks":
        text = scenario_text(settings | {"network.topology.instances": count}, workload)
        yield Unit(text, tuple(range(1, count + 1)), discarded, degree, unit_weight(settings, workload, count))
        return
    first = int(settings.get("seed", 1))
    for draw in range(count):
        text = scenario_text(settings | {"seed": first + draw}, workload)
        yield Unit(text, (draw + 1,), discarded, degree, unit_weight(settings, workload, 1))


def chains_of(study: Study, figure: Figure, depth: Depth) -> list[Chain]:
    """All curves of a figure; those that are computed need no runs."""
    if not figure.simulated:
        return []
    effort = study.efforts[depth]
    found: list[Chain] = []
    for panel in figure.panels_of(depth):
        for model in figure.models_of(panel, depth):
            for series in figure.series_of(depth, panel):
                points = sorted(figure.points_of(panel, depth))
                if figure.answered:
                    answers = (answer_at(study, figure, panel, model, series, x, effort) for x in points)
                    found += [[step] for step in answers if step is not None]
                    continue
                steps = [step_at(study, figure, panel, model, series, x, effort) for x in points]
                found += [steps] if figure.kind == "load" else [[step] for step in steps]
    return found

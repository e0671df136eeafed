# SPDX-License-Identifier: Apache-2.0
"""What a study reads of a run: a few numbers for each network, and where its warm-up ended."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from polycast_cli.results import Folder, Point
from polycast_cli.results_of_kinds import Allgather, Broadcast, RailsWarmup
from polycast_cli.studies import broadcast, lanes, rails
from polycast_cli.studies.plan import Unit

#: Flag of a run whose warm-up has no end that can be seen.
TOO_SHORT = "the end of the warm-up cannot be told"


class Sample(BaseModel):
    """One workload on one network (or with one draw)."""

    replica: int
    outcome: str
    latency: float | None  # mean, cycles
    messages: int
    offered: float | None = None  # flits for all destinations per host and cycle
    accepted: float | None = None  # likewise, of messages completed: what hosts have received, not what lies in a queue
    saturated: bool = False  # its backlog grew
    warmup: float | None = None  # cycle at which it ended, where the simulator can tell
    receive_memory: int | None = None  # packets
    send_memory: int | None = None
    duplicated: int = 0  # copies that came twice, where they are counted instead of forbidden
    duplicated_share: float | None = None  # of the worms
    value: float | None = None  # that was computed, or read from `values`
    values: dict[str, float] = {}  # of an answer
    problem: str = ""  # why the sample is worth nothing


class Result(BaseModel):
    """What is read of one run of a unit."""

    samples: list[Sample]
    warmup: float | None = None  # cycle at which it ended, median of the networks that are not saturated
    discarded: int = 0
    flagged: str = ""  # what a reader should know about the run

    @property
    def saturated(self) -> bool:
        """Every sample is saturated or worth nothing: a load curve ends here."""
        return all(sample.saturated or sample.problem for sample in self.samples)


def problem_of(point: Point) -> str:
    """Empty where every delivery was right, or the run ended only because of its backlog."""
    if point.passed:
        return ""
    names = ("corrupted", "misdelivered", "chip_errors", "host_failures", "duplicated")
    said = ", ".join(f"{count} {name}" for name in names if (count := getattr(point.check, name)))
    return said or ("" if point.outcome == "limit" else point.diagnosis or point.outcome)


def values_of(point: Point) -> dict[str, float]:
    """Numbers of an answer; none of other runs."""
    if point.allgather is not None:
        return gathered(point, point.allgather)
    if point.broadcast is not None:
        return broadcasted(point.broadcast)
    if point.lanes is not None:
        return lanes.made(point.lanes)
    return rails.carried(point, point.rails) if point.rails is not None else {}


def sample_of(point: Point, replica: int) -> Sample:
    interfaces, duplicates = point.interfaces, point.duplicates
    return Sample(
        values=values_of(point),
        replica=replica,
        outcome=point.outcome,
        latency=point.latency.mean,
        messages=point.latency.count,
        receive_memory=interfaces and interfaces.receive_memory_peak,
        send_memory=interfaces and interfaces.send_memory_peak,
        duplicated=point.check.duplicated,
        duplicated_share=duplicates and duplicates.share,
        problem=problem_of(point),
    )


def add_load(sample: Sample, point: Point) -> None:
    """What a sample under load says of throughput; messages count when their last host has received them."""
    load, throughput = point.load, point.throughput
    assert load is not None and throughput is not None and throughput.offered is not None
    sample.offered = throughput.offered
    sample.accepted = sample.offered * load.completed / load.created if load.created else sample.offered
    sample.saturated = not load.kept_up or point.outcome == "limit"
    sample.warmup = load.warmup_detected


def judge_warmup(result: Result) -> None:
    """Flags a point whose warm-up was too long in half of the networks that are not saturated."""
    steady = [sample for sample in result.samples if not sample.saturated and not sample.problem]
    if not steady:
        return
    ends = sorted(float("inf") if sample.warmup is None else sample.warmup for sample in steady)
    median = ends[(len(ends) - 1) // 2]
    if median == float("inf"):
        result.flagged = TOO_SHORT
        return
    result.warmup = median
    if median > result.discarded:
        result.flagged = f"warm-up ends at cycle {median:,.0f}, behind the {result.discarded:,} discarded"


def read_warmup(result: Result, cuts: Sequence[RailsWarmup]) -> None:
    """Takes the warm-up that runs on rails have detected and left out; flags runs in which it has no end."""
    result.warmup = float(max(cut.cut for cut in cuts))
    if not all(cut.steady for cut in cuts):
        result.flagged = TOO_SHORT


def analysed(answer: dict[str, Any]) -> dict[str, float]:
    """Numbers of `analyse network-coding`."""
    totals = ("delivered", "as_published", "uncoded_hierarchy", "base", "floor")
    values = {name: float(answer[name]) for name in totals}
    values |= {f"packets_{name}": float(answer["unicasts"][name]) for name in ("delivered", "combining")}
    values |= {f"hops_{letter}": float(step["hops"]) for letter, step in answer["steps"].items()}
    for name in totals[:3]:
        best = min(answer["group_sizes"], key=lambda size: size[name])
        values |= {f"best_{name}": float(best[name]), f"best_group_{name}": float(best["group"])}
    for size in answer["group_sizes"]:
        if size["group"] == answer["group"]:
            values |= {name: float(size[name]) for name in ("member_hops", "group_hops")}
    return values


#: What reads the answers, by what is asked.
ANALYSED: dict[str, Callable[[dict[str, Any]], dict[str, float]]] = {
    "network-coding": analysed,
    "ibt": broadcast.analysed,
    "multilane": lanes.analysed,
    "rails": rails.analysed,
}


def gathered(point: Point, made: Allgather) -> dict[str, float]:
    """Numbers of an allgather."""
    values = {"cycles": point.cycles, "latency": point.latency.mean, "packets": made.packets}
    values |= {"flit_hops": point.flit_hops, "decode_xors": made.decode_xors}
    values |= {"xors": made.xors.total, "xors_max": made.xors.max}
    steps: dict[str, float] = defaultdict(float)
    for step in made.steps:
        steps[f"cycles_{step.step}"] += step.cycles
    return {name: float(value) for name, value in values.items() if value is not None} | steps


def broadcasted(made: Broadcast) -> dict[str, float]:
    """Numbers of a pipelined broadcast, times from its begin on until all nodes and all hosts have it."""
    values = {"time": made.rounds[0].units, "hosts": made.rounds[0].hosts}
    values |= {"sends": made.sends, "duplicates": made.duplicates, "stale": made.stale}
    return {name: float(value) for name, value in values.items() if value is not None}


def read_result(folder: Path, unit: Unit) -> Result:
    """The results folder of one run of `unit`. \\raises UserError where it is none"""
    results = Folder(folder)
    points = results.results().points
    samples = [sample_of(point, replica) for point, replica in zip(points, unit.replicas, strict=True)]
    result = Result(samples=samples, discarded=unit.discarded)
    cuts = [point.rails.warmup for point in points if point.rails and point.rails.warmup]
    for point, sample in zip(points, samples, strict=True):
        if point.lanes is not None:
            sample.values |= lanes.costs(results.provenance(), point.id)
        if unit.loaded:
            add_load(sample, point)
        elif point.rails is not None and len(cuts) == len(points):
            sample.saturated = point.rails.saturated
    if unit.loaded:
        judge_warmup(result)
    elif cuts and len(cuts) == len(points):
        read_warmup(result, cuts)
    return result


def read_answer(text: str, unit: Unit) -> Result:
    """What an analysis printed."""
    values = ANALYSED[unit.analysis](json.loads(text))
    return Result(samples=[Sample(replica=1, outcome="analysed", latency=None, messages=0, values=values)])

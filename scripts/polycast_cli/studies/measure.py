# SPDX-License-Identifier: Apache-2.0
"""What a study keeps of a run: a few numbers for each network, and where its warm-up ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from polycast_cli.studies import broadcast, lanes, rails
from polycast_cli.studies.plan import Unit

#: Flag of a point whose warm-up has no end that can be seen.
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
    """Of one unit, as it is kept on the disk."""

    format: int = 1
    scenario: str
    seconds: float  # of processor time
    samples: list[Sample]
    warmup: float | None = None  # cycle at which it ended, median of the networks that are not saturated
    discarded: int = 0
    flagged: str = ""  # what a reader should know about the point


def problem_of(point: dict[str, Any]) -> str:
    """Empty where every delivery was right, or the run ended for its backlog alone."""
    if point["passed"]:
        return ""
    check = point["check"]
    wrong = {name: check.get(name, 0) for name in ("corrupted", "misdelivered", "chip_errors", "host_failures")}
    wrong["duplicated"] = check.get("duplicated", 0)
    if point["outcome"] == "limit" and not any(wrong.values()):
        return ""
    said = ", ".join(f"{count} {name}" for name, count in wrong.items() if count)
    return said or point.get("diagnosis") or point["outcome"]


def duplicates_of(point: dict[str, Any]) -> tuple[int, float | None]:
    """Copies that came twice, and the share of the worms that had some."""
    found = point.get("duplicates") or {}
    worms = found.get("worms", 0)
    share = found.get("worms_with_duplicates", 0) / worms if worms else None
    return point["check"].get("duplicated", 0), share


def values_of(point: dict[str, Any]) -> dict[str, float]:
    """Numbers of an answer; none of other runs."""
    for key, read in ANSWERING.items():
        if key in point:
            return read(point)
    return {}


def sample_of(point: dict[str, Any], replica: int) -> Sample:
    interfaces = point.get("interfaces") or {}
    duplicated, share = duplicates_of(point)
    return Sample(
        values=values_of(point),
        replica=replica,
        outcome=point["outcome"],
        latency=point["latency"]["mean"],
        messages=point["latency"]["count"],
        receive_memory=interfaces.get("receive_memory_peak"),
        send_memory=interfaces.get("send_memory_peak"),
        duplicated=duplicated,
        duplicated_share=share,
        problem=problem_of(point),
    )


def add_load(sample: Sample, point: dict[str, Any]) -> None:
    """What a sample under load says of throughput; messages count when their last host has received them."""
    load = point["load"]
    sample.offered = point["throughput"]["offered"]
    sample.accepted = sample.offered * load["completed"] / load["created"] if load["created"] else sample.offered
    sample.saturated = not load["kept_up"] or point["outcome"] == "limit"
    sample.warmup = load["warmup_detected"]


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


def read_warmup(result: Result, points: Sequence[dict[str, Any]]) -> None:
    """Of runs on rails, which leave out themselves what they detect; flags them where that has no end."""
    cuts = [point["rails"]["warmup"] for point in points]
    result.warmup = max(float(cut["cut"]) for cut in cuts)
    if not all(cut["steady"] for cut in cuts):
        result.flagged = TOO_SHORT


def cpu_seconds(folder: Path) -> float:
    try:
        return float(json.loads((folder / "run.json").read_text())["cpu_seconds"])
    except (OSError, KeyError, ValueError):
        return 0.0


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


def gathered(point: dict[str, Any]) -> dict[str, float]:
    """Numbers of an allgather."""
    made = point["allgather"]
    values = {"cycles": point["cycles"], "latency": point["latency"]["mean"], "packets": made["packets"]}
    values |= {"flit_hops": point["flit_hops"], "decode_xors": made["decode_xors"]}
    values |= {"xors": made["xors"]["total"], "xors_max": made["xors"]["max"]}
    for step in made["steps"]:
        name = f"cycles_{step['step']}"
        values[name] = values.get(name, 0) + step["cycles"]
    return {name: float(value) for name, value in values.items()}


def broadcasted(point: dict[str, Any]) -> dict[str, float]:
    """Numbers of a pipelined broadcast, times from its begin on until all nodes and all hosts have it."""
    made = point["broadcast"]
    values = {"time": made["rounds"][0]["units"], "hosts": made["rounds"][0]["hosts"]}
    values |= {name: made[name] for name in ("sends", "duplicates", "stale")}
    return {name: float(value) for name, value in values.items() if value is not None}


#: What reads results, by the key that they have.
ANSWERING: dict[str, Callable[[dict[str, Any]], dict[str, float]]] = {
    "allgather": gathered,
    "broadcast": broadcasted,
    "lanes": lanes.made,
    "rails": rails.carried,
}


def read_result(folder: Path, unit: Unit, discarded: int) -> Result:
    """The results folder of one run of `unit`, in which the first `discarded` cycles did not count."""
    points = json.loads((folder / "results.json").read_text())["points"]
    samples = [sample_of(point, replica) for point, replica in zip(points, unit.replicas, strict=True)]
    for point, sample in zip(points, samples, strict=True):
        if "lanes" in point:
            sample.values |= lanes.costs(json.loads((folder / "run.json").read_text()), point["id"])
    result = Result(scenario=unit.scenario, seconds=cpu_seconds(folder), samples=samples, discarded=discarded)
    if unit.loaded:
        for point, sample in zip(points, samples, strict=True):
            add_load(sample, point)
        judge_warmup(result)
    elif all((point.get("rails") or {}).get("warmup") for point in points):
        for point, sample in zip(points, samples, strict=True):
            sample.saturated = point["rails"]["saturated"]
        read_warmup(result, points)
    return result

# SPDX-License-Identifier: Apache-2.0
"""Studies of broadcasts over lanes: what answers and runs say, and how long they take."""

from __future__ import annotations

from typing import Any

from polycast_cli.studies.model import LANE_ALGORITHMS, Settings


def analysed(answer: dict[str, Any]) -> dict[str, float]:
    """Numbers of `analyse multilane`, in ms: closed forms, corrected and as printed, and the model piece by piece."""
    columns = {"closed_form": "seconds", "printed_form": "printed_seconds", "piecewise": "model_seconds"}
    return {
        f"{number}_{name}": 1e3 * answer[key][name]
        for number, key in columns.items()
        for name in LANE_ALGORITHMS
        if answer[key].get(name) is not None
    }


def broadcast(made: dict[str, Any]) -> dict[str, float]:
    """Of a broadcast over lanes, in ms: simulated until the last node has everything, on average, until the first one
    has; closed forms and models of the same case."""
    nodes = made["nodes"] or {"mean": None, "min": None}
    seconds = {"time": made["seconds"], "mean": nodes["mean"], "first": nodes["min"]}
    seconds |= {name: made[name] for name in ("closed_form", "printed_form", "piecewise", "model")}
    return {name: 1e3 * value for name, value in seconds.items() if value is not None}


def made(point: dict[str, Any]) -> dict[str, float]:
    """Of a broadcast, or of streams: the share of a lane that they carry, in %."""
    lanes = point["lanes"]
    if "broadcast" in lanes:
        return broadcast(lanes["broadcast"])
    return {name: 100 * lanes["streams"][name] for name in ("share", "formula_share")}


def costs(run: dict[str, Any], point: str) -> dict[str, float]:
    """Processor seconds of a point, of a run's run.json."""
    found = run.get("points", {}).get(point, {})
    wanted = ("cpu_seconds", "cpu_seconds_per_gigabyte")
    return {name: float(found[name]) for name in wanted if found.get(name) is not None}


#: For each byte that a node receives.
BYTE_SECONDS = 4e-9


def run_weight(settings: Settings, workload: Settings) -> float:
    """Seconds of a run on one core, roughly."""
    nodes = sum(settings["network.topology.sites"])
    return 0.05 + BYTE_SECONDS * nodes * float(str(workload.get("message", 1)).split()[0])

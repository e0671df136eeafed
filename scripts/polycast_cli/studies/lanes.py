# SPDX-License-Identifier: Apache-2.0
"""Studies of broadcasts over lanes: what answers and runs say, and how long they take."""

from __future__ import annotations

from typing import Any

from polycast_cli.provenance import Provenance
from polycast_cli.results_of_kinds import LaneBroadcast, Lanes
from polycast_cli.studies.model import LANE_ALGORITHMS, Settings


def analysed(answer: dict[str, Any]) -> dict[str, float]:
    """Numbers of `analyse multilane`, in ms: closed forms, corrected and as printed, and the model piece by piece."""
    columns = {
        "closed_form": "seconds",
        "printed_form": "printed_seconds",
        "derived_form": "derived_seconds",
        "piecewise": "model_seconds",
    }
    return {
        f"{number}_{name}": 1e3 * answer[key][name]
        for number, key in columns.items()
        for name in LANE_ALGORITHMS
        if answer[key].get(name) is not None
    }


def broadcast(made: LaneBroadcast) -> dict[str, float]:
    """A broadcast over lanes, in ms: simulated until the last node has everything, on average, until the first one
    has; closed forms and models of the same case."""
    seconds = {"time": made.seconds, "mean": made.nodes and made.nodes.mean, "first": made.nodes and made.nodes.min}
    seconds |= {
        name: getattr(made, name) for name in ("closed_form", "printed_form", "derived_form", "piecewise", "model")
    }
    return {name: 1e3 * value for name, value in seconds.items() if value is not None}


def made(lanes: Lanes) -> dict[str, float]:
    """Numbers of a broadcast, or of streams: the share of a lane that they carry, in %."""
    values = broadcast(lanes.broadcast) if lanes.broadcast is not None else {}
    if lanes.streams is not None:
        values |= {"share": 100 * lanes.streams.share, "formula_share": 100 * lanes.streams.formula_share}
    return values


def costs(run: Provenance, point: str) -> dict[str, float]:
    """Processor seconds of a point."""
    wanted = {"cpu_seconds", "cpu_seconds_per_gigabyte"}
    return run.points[point].model_dump(include=wanted, exclude_none=True) if point in run.points else {}


#: For each byte that a node receives.
BYTE_SECONDS = 4e-9


def run_weight(settings: Settings, workload: Settings) -> float:
    """Seconds of a run on one core, roughly."""
    nodes = sum(settings["network.topology.sites"])
    return 0.05 + BYTE_SECONDS * nodes * float(str(workload.get("message", 1)).split()[0])

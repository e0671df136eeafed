# SPDX-License-Identifier: Apache-2.0
"""Studies of rails: numbers of `analyse rails`, and of runs with random messages between processes of nodes on several
rails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polycast_cli.results import Point
from polycast_cli.results_of_kinds import Rails
from polycast_cli.studies.model import Settings

#: A row of more nodes than this is no exact number.
MOST_BITS = 53


def shares(usable: Sequence[Sequence[Sequence[int]]], rails: int) -> tuple[list[list[float]], list[list[float]]]:
    """How much of a node's traffic leaves and reaches it by each of its rails, where it goes to all other nodes alike
    and every pair takes its usable rails alike: [node][rail], sent and received."""
    nodes = len(usable)
    sent = [[0.0] * rails for _ in range(nodes)]
    received = [[0.0] * rails for _ in range(nodes)]
    for source, row in enumerate(usable):
        for destination, found in enumerate(row):
            for rail in found:
                share = 1 / len(found) / (nodes - 1)
                sent[source][rail] += share
                received[destination][rail] += share
    return sent, received


def ceilings(answer: dict[str, Any]) -> dict[str, float]:
    """The most that static allocation can carry, in payload flits per node, cycle and rail: a rail of a node carries a
    flit a cycle, in one direction only. `ceiling`: whatever rails messages take. `equal_shares`: where a pair takes its
    rails alike, so that the first rail of a node that is full ends it."""
    matrix, rails = answer["matrix"], answer["rails"]
    sending = [sum(column) for column in zip(*matrix, strict=True)]
    least = min(min(count, rails - count) for count in sending)
    loads = [load for side in shares(answer["usable_rails"], rails) for node in side for load in node]
    return {"ceiling": least / rails, "equal_shares": 1 / (rails * max(loads))}


def analysed(answer: dict[str, Any]) -> dict[str, float]:
    """Numbers of `analyse rails`. `rail_0` and the others are rows of the matrix, read as binary numbers."""
    values = {name: float(answer[name]) for name in ("nodes", "rails")}
    values |= {name: float(count) for name, count in answer.get("required_rails", {}).items()}
    values |= {f"{name}_usable": float(answer["rails_of_a_pair"][name]) for name in ("least", "mean", "most")}
    if answer["nodes"] <= MOST_BITS:
        rows = ("".join(str(bit) for bit in row) for row in answer["matrix"])
        values |= {f"rail_{rail}": float(int(bits, 2)) for rail, bits in enumerate(rows)}
    return values | ceilings(answer)


def carried(point: Point, found: Rails) -> dict[str, float]:
    """Numbers of a run of random messages. `refusals`: of a message, on average."""
    values = {"offered": found.offered, "accepted": found.accepted, "latency": point.latency.mean}
    if found.messages.delivered:
        values["refusals"] = found.refused / found.messages.delivered
    return {name: float(value) for name, value in values.items() if value is not None}


#: Measured: of an interface for each cycle, for each payload flit that it sends, and how many times that flit by flit.
CYCLE_SECONDS, FLIT_SECONDS, FLIT_BY_FLIT = 3e-9, 1e-7, 8
#: Payload flits per node, cycle and rail that are hardly ever surpassed.
MOST_ACCEPTED = 0.4


def traffic_weight(settings: Settings, workload: Settings) -> float:
    """Seconds on one core, roughly."""
    interfaces = float(settings["network.topology.nodes"]) * float(settings["rails.count"])
    flits = min(float(workload["rate"]), MOST_ACCEPTED)
    times = 1 if settings["network.fidelity"] == "event" else FLIT_BY_FLIT
    cycles = float(settings["measurement.window"])
    return 0.05 + times * cycles * interfaces * (CYCLE_SECONDS + FLIT_SECONDS * flits)

# SPDX-License-Identifier: Apache-2.0
"""Traffic that may close a cycle of channels: one packet from each source at the right moment, or trains of packets."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycast_cli.fabric.cycles import Cycle, Found, Witness
from polycast_cli.fabric.scenario import Flow, network, text_of

FLIT, CHUNK, PAYLOAD = 4, 8, 64  #: bytes, flits, bytes
HEADER = 13  #: bytes of a header of kind `lid`
#: Cycles from the first flit of a packet on a channel to that on the next one: routing, crossbar and link take a cycle
#: each, and the header has to be there as a whole (vl_switch.md, Pipeline).
HOP = 3 + math.ceil(HEADER / FLIT) - 1
#: Flits of a buffer that holds one longest packet: 27 flits, in whole chunks.
BUFFER = 32
#: Cycle in which witnesses with nothing in front are sent.
START = 1000
#: Cycles without any movement that end a run; longer than any silence of this traffic.
PATIENCE = 5000
#: Packets of the trains, in turn.
TRAINS = (1, 4, 16, 64)

#: Hosts that take no time of their own, so that packets follow each other without gaps.
HOST = {
    "bus": "64 B/cycle", "send_overhead": "0 cycle", "receive_overhead": "0 cycle", "ni_send": "0 cycle",
    "ni_receive": "0 cycle",
}  # fmt: skip


@dataclass(frozen=True)
class Attempt:
    """Traffic for one run. `buffers`: longest packets that a lane's buffer holds."""

    cycle: Cycle
    buffers: int
    stage: str
    messages: list[dict[str, Any]]

    def scenario(self, found: Found, base: Path, vls: int | None, said: str) -> str:
        lanes = {"vls": vls} if vls is not None else {}
        more = {"lmc": found.lmc} | ({"path": "spread"} if self.cycle.spread else {}) if found.lmc else {}
        made = {
            "name": "deadlock",
            "seed": 1,
            "network": network(found.files, base, **more, **lanes, on_problem="run"),
            "switch": Flow(flit=f"{FLIT} B", buffer=f"{BUFFER * self.buffers} flit", chunk=f"{CHUNK} flit"),
            "packet": Flow(payload=f"{PAYLOAD} B"),
            "host": Flow(HOST),
            "workload": [{"name": "witnesses", "kind": "list", "message": f"{PAYLOAD} B", "list": self.messages}],
            # RTL never sleeps, so that a run with it ends only then.
            "watchdog": Flow(patience=f"{PATIENCE} cycle"),
            "trace": Flow(packets=True, on_failure="0 cycle"),
        }
        return text_of(made, [*said.splitlines(), f"The cycle: {self.cycle}.", f"Traffic: {self.stage}."])


def message(witness: Witness, at: int, packets: int = 1) -> Iterator[dict[str, Any]]:
    """A message of so many packets; to a group a message each."""
    one: dict[str, Any] = {"at": f"{at} cycle", "source": witness.source}
    if witness.group is not None:
        yield from (Flow(one | {"group": witness.group}) for _ in range(packets))
    elif packets == 1:
        yield Flow(one | {"destination": witness.destination})
    else:
        yield Flow(one | {"destination": witness.destination, "bytes": f"{packets * PAYLOAD} B"})


def aligned(cycle: Cycle) -> Attempt:
    """Each source sends one packet so that all take their channel of the cycle at once."""
    messages = [one for witness in cycle.nearest for one in message(witness, START - witness.front * HOP)]
    word = "certain" if cycle.front == 0 else "aligned"
    return Attempt(cycle, 1, f"{word}, one packet from each of {len(cycle.nearest)} sources at once", messages)


def trains(cycle: Cycle, buffers: int, seed: int, number: int) -> Attempt:
    """Train `number` of those with this seed. A source of several edges sends those packets first that have most
    channels of the cycle."""
    packets = TRAINS[number % len(TRAINS)]
    chosen: Sequence[Witness] = cycle.farthest if number // len(TRAINS) % 2 == 0 else cycle.nearest
    draw = random.Random(f"{seed} {buffers} {number}")
    offsets: dict[str, int] = {}
    messages = []
    for witness in sorted(chosen, key=lambda one: -one.along):
        offset = offsets.setdefault(witness.source, draw.randrange(2 * BUFFER + 1))
        messages += message(witness, START - witness.front * HOP + offset, packets)
    words = f"{packets} packet{'s' * (packets > 1)} from each of {len(offsets)} source{'s' * (len(offsets) > 1)}"
    return Attempt(cycle, buffers, f"train {number}, {words}, seed {seed}", messages)

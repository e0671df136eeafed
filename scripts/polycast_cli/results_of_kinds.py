# SPDX-License-Identifier: Apache-2.0
"""What only one kind of workload has in results.json: allgathers, broadcasts, rails, lanes, programs."""

from __future__ import annotations

from pydantic import BaseModel


class Part(BaseModel, extra="allow"):
    """A part of results.json. Keys that it does not name are kept, so that comparisons see them."""


class Xors(Part):
    total: int
    max: int
    coders: int | None = None


class AllgatherStep(Part):
    step: str
    level: int
    cycles: int
    packets: int
    hops: int


class Allgather(Part):
    """What a broadcast of all nodes to all took; XORs of packets."""

    group: int
    packets: int
    #: Data that hosts did not get, with those that the accounting leaves out.
    missing: int = 0
    xors: Xors
    decode_xors: int
    verified_bytes: int | None = None
    steps: list[AllgatherStep] = []

    @property
    def hops(self) -> int | None:
        """None where routers copy: their hops are in `flit_hops` of the point."""
        return sum(step.hops for step in self.steps) if self.steps else None


class BroadcastRound(Part):
    """One broadcast: times from its begin, in steps or cycles."""

    source: int
    units: int | None = None
    hosts: int | None = None


class Timeline(Part):
    """The first round: shares of links that were busy, mean packets held, nodes with all of them."""

    times: list[int]
    utilisation: list[float]
    held: list[float]
    complete: list[int]


class Broadcast(Part):
    """Pipelined broadcasts: `timing` is "step" or "cycle"; links are directions of cables."""

    timing: str
    nodes: int
    links: int
    sends: int
    sends_per_link_max: int | None = None
    duplicates: int = 0
    stale: int = 0
    verified_bytes: int
    rounds: list[BroadcastRound]
    timeline: Timeline


class RailsWarmup(Part):
    """Cycles left out; `detected` in the series of accepted bandwidth, where it became steady."""

    cut: int
    detected: bool
    steady: bool


class RailsMessages(Part):
    created: int
    delivered: int
    open: int


class RailsSeries(Part):
    """Bytes in each interval of the run."""

    accepted: list[float]


class Rails(Part):
    """Messages between processes of hosts on several networks; bandwidths in payload flits per host, cycle and rail."""

    count: int
    processes: int
    offered: float
    accepted: float
    accepted_ci95: float | None = None
    saturated: bool
    warmup: RailsWarmup | None = None
    messages: RailsMessages
    stripes: int
    refused: int
    urgent: int
    delivered_bytes: int | None = None
    series: RailsSeries | None = None


class LaneNodes(Part):
    """Seconds until nodes have everything."""

    mean: float
    min: float
    max: float
    last: str


class LaneBroadcast(Part):
    """A broadcast over lanes, in seconds: simulated, closed forms, and without contention piece by piece and with
    interfaces."""

    seconds: float | None = None
    nodes: LaneNodes | None = None
    closed_form: float
    printed_form: float | None = None
    derived_form: float | None = None
    piecewise: float
    model: float
    wan_bytes: int | None = None


class LaneStreams(Part):
    """Streams between sites: bytes a second, and the share of the lane."""

    bandwidth: float
    share: float
    formula_share: float


class Lanes(Part):
    sites: list[int]
    checked_bytes: int | None = None
    broadcast: LaneBroadcast | None = None
    streams: LaneStreams | None = None


class ProgramFinish(Part):
    """When the last rank ends, and the lowest that does then."""

    cycles: int
    seconds: float
    rank: int


class Chosen(Part):
    """Of `algorithm: auto`: what chose it, and the cycles that it was to take."""

    by: str
    predicted_cycles: float | None = None


class Collective(Part):
    """Of a program: `size` in bytes; bandwidths in bytes/s as nccl-tests define them, a barrier has none."""

    collective: str
    algorithm: str
    ranks: int
    size: int
    cycles: float
    seconds: float
    algbw: float | None = None
    busbw: float | None = None
    chosen: Chosen | None = None


class Program(Part):
    """The communication of an application; `bytes` of all messages."""

    ranks: int
    bytes: int
    finish: ProgramFinish
    breakdown: dict[str, int] = {}
    open: int = 0
    rendezvous: int = 0
    reordered: int = 0
    collectives: list[Collective] = []

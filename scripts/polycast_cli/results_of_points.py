# SPDX-License-Identifier: Apache-2.0
"""Parts of a point of results.json that runs of many kinds have."""

from __future__ import annotations

from pydantic import Field

from polycast_cli.results_of_kinds import Part


class Copies(Part):
    """What became of what was to be delivered."""

    expected: int
    delivered: int
    missing: int = 0
    duplicated: int = 0
    corrupted: int = 0
    misdelivered: int = 0


class Counts(Copies):
    """Of whole messages, compared byte by byte."""

    told: int = 0


class Planned(Part):
    """Of multicasts: phases, worms or unicasts, hosts that send."""

    multicasts: int
    steps_mean: float
    steps_max: int
    sends_mean: float
    sends_max: int
    senders_mean: float
    senders_max: int


class Latency(Part):
    """Latency of messages in cycles; `ci95` is the half width of the confidence interval of the mean."""

    count: int
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    ci95: float | None = None


class Throughput(Part):
    offered: float | None = None
    accepted: float | None = None
    unit: str = "flit/host/cycle"


class Batch(Part):
    """A part of the window: messages created in it, those of them that finished, and their mean latency."""

    begin: int = Field(alias="from")
    created: int
    finished: int
    mean: float | None = None


class Load(Part):
    """Under load: whether the network kept up, the messages of the window, and the window in parts."""

    kept_up: bool
    created: int
    completed: int
    backlog_end: int = 0  # messages that were open when the window ended
    #: Cycle at which the warm-up ended, where that can be told.
    warmup_detected: float | None = None
    batches: list[Batch] = Field([])


class Duplicates(Part):
    """Where copies may come twice: worms, and those of them with such a copy."""

    worms: int
    worms_with_duplicates: int

    @property
    def share(self) -> float | None:
        return self.worms_with_duplicates / self.worms if self.worms else None


class Interfaces(Part):
    """All network interfaces together: packets, cycles, shares of the time; memory in packets."""

    packets_in: int
    packets_out: int
    receive_memory_peak: int
    send_memory_peak: int
    residency_mean: float
    residency_max: int
    bus_utilisation: float
    link_utilisation: float
    host_utilisation: float
    dropped: int
    restarts: int = 0


class Lacking(Part):
    """A host that has not acknowledged a message."""

    host: str
    why: str


class FailedSend(Part):
    cycle: int
    source: str
    message: int
    why: str
    lacking: list[Lacking] = Field([])


class Reliable(Part):
    """What became of reliable messages, by what their sources were told, and what it took."""

    timeout: int
    acknowledged: int
    failed: int
    broken: int
    receipts: int
    probes: int
    declines: int
    repairs: int
    repeated: int
    failures: list[FailedSend] = Field([])


class InjectedFault(Part):
    """`link`: the port that a wire leads away from, a memory of a switch, or a host; hw/faults/faults.md describes the
    rest."""

    cycle: int
    link: str
    what: str
    effect: str
    detail: int


class Injected(Part):
    """Faults that happened, and the first ones."""

    count: int
    kinds: dict[str, int]
    first: list[InjectedFault] = Field([])


class BusyLink(Part):
    """One direction of a link; ends are "switch0:3" or "host7"."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    utilisation: float
    flits: int | None = None
    packets: int | None = None


class Links(Part):
    """All links together, each direction of a cable for itself, and the busiest ones."""

    count: int
    flits: int
    packets: int
    utilisation_mean: float
    busiest: list[BusyLink]
    #: Most chunks in an input buffer at the end of one.
    buffer_max: float | None = None

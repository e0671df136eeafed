# SPDX-License-Identifier: Apache-2.0
"""The results folder that a run writes, as Python objects. Unknown keys are let through: newer simulators add some."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from polycast_cli.common import RESULTS, UserError, shown, size_text

Model = TypeVar("Model", bound=BaseModel)


class TopologyName(BaseModel):
    name: str
    switches: int
    hosts: int
    links: int


class Workload(BaseModel, extra="allow"):
    name: str
    kind: str


class Check(BaseModel):
    """What became of the messages: all counts but `chip_errors` are of deliveries."""

    expected: int
    delivered: int
    missing: int = 0
    duplicated: int = 0
    corrupted: int = 0
    misdelivered: int = 0
    misordered: int = 0
    chip_errors: int = 0
    host_failures: int = 0

    @property
    def faults(self) -> dict[str, int]:
        counts = self.model_dump(exclude={"expected", "delivered"})
        return {name.replace("_", " "): count for name, count in counts.items() if count}


class Latency(BaseModel):
    """Of messages, in cycles; `ci95` is the half width of the confidence interval of the mean."""

    count: int
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    ci95: float | None = None


class Throughput(BaseModel):
    offered: float | None = None
    accepted: float | None = None
    unit: str = "flit/host/cycle"


class Batch(BaseModel):
    """A part of the window: messages created in it, those of them that finished, and their mean latency."""

    begin: int = Field(alias="from")
    created: int
    finished: int
    mean: float | None = None


class Load(BaseModel):
    """Of runs under load: whether the network kept up, and the window in parts."""

    kept_up: bool
    batches: list[Batch] = []


class Interfaces(BaseModel):
    """Of all network interfaces of a point: packets, cycles, shares of the time; memory in packets."""

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


class LinkLoad(BaseModel):
    """One direction of a link; ends are "switch0:3" or "host7"."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    flits: int
    packets: int
    utilisation: float
    buffer_mean: float | None = None
    buffer_max: float | None = None


class ZeroLoad(BaseModel):
    """Packets alone in the network, mean latency in cycles: `formula` is what hops and delays add up to."""

    packets: int
    measured: float
    formula: float


class Xors(BaseModel):
    total: int
    max: int


class AllgatherStep(BaseModel):
    step: str
    level: int
    cycles: int
    packets: int
    hops: int


class Allgather(BaseModel):
    """What a broadcast of all nodes to all took; XORs of packets."""

    group: int
    packets: int
    xors: Xors
    decode_xors: int
    steps: list[AllgatherStep] = []

    @property
    def hops(self) -> int | None:
        """None where routers copy: their hops are in `flit_hops` of the point."""
        return sum(step.hops for step in self.steps) if self.steps else None


class BroadcastRound(BaseModel):
    """One broadcast: times from its begin, in steps or cycles."""

    source: int
    units: int | None = None
    hosts: int | None = None


class Timeline(BaseModel):
    """Of the first round; shares of links that were busy, mean packets held, nodes with all of them."""

    times: list[int]
    utilisation: list[float]
    held: list[float]
    complete: list[int]


class Broadcast(BaseModel):
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


class RailsWarmup(BaseModel):
    """Cycles left out; `detected` in the series of accepted bandwidth, where it became steady."""

    cut: int
    detected: bool
    steady: bool


class RailsMessages(BaseModel):
    created: int
    delivered: int
    open: int


class Rails(BaseModel):
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


class LaneBroadcast(BaseModel):
    """A broadcast over lanes, in seconds: simulated, closed forms, and without contention piece by piece and with
    interfaces."""

    seconds: float | None = None
    closed_form: float
    printed_form: float | None = None
    piecewise: float
    model: float


class LaneStreams(BaseModel):
    """Streams between sites: bytes a second, and the share of the lane."""

    bandwidth: float
    share: float
    formula_share: float


class Lanes(BaseModel):
    sites: list[int]
    broadcast: LaneBroadcast | None = None
    streams: LaneStreams | None = None


class Saturation(BaseModel):
    """Loads in flits per host and cycle: the highest one below saturation, the first one that is not, most accepted."""

    steady: float | None = None
    beyond: float | None = None
    accepted: float


class CurvePoint(BaseModel):
    workload: str
    rate: float
    accepted: float
    accepted_ci95: float | None = None
    latency_mean: float | None = None
    latency_ci95: float | None = None
    saturated: bool


class Curve(BaseModel):
    """Points of a network that differ in their load only."""

    name: str
    topology: str
    zero_load: ZeroLoad | None = None
    saturation: Saturation
    points: list[CurvePoint]


class Point(BaseModel):
    id: str
    topology: TopologyName
    workload: Workload
    cycles: int
    check: Check
    latency: Latency
    throughput: Throughput | None = None
    load: Load | None = None
    interfaces: Interfaces | None = None
    links: list[LinkLoad] = []
    #: Of runs with ideal hosts: flits from router to router.
    flit_hops: int | None = None
    allgather: Allgather | None = None
    broadcast: Broadcast | None = None
    rails: Rails | None = None
    #: Of rails and lanes: "event" is an approximation.
    fidelity: str = ""
    lanes: Lanes | None = None
    outcome: str = "complete"
    #: What held the network up, where it was stuck.
    diagnosis: str = ""
    #: The first deliveries that were wrong.
    faults: list[str] = []
    #: The chip that a model's assertion or a comparison accuses.
    suspect: str = ""
    #: The last cycles before a failure, below the results folder.
    wave: str = ""
    passed: bool

    @property
    def to_finish(self) -> float:
        """Of an allgather, or of broadcasts one by one, on average."""
        return self.latency.mean if self.broadcast and self.latency.mean is not None else float(self.cycles)


class Summary(BaseModel):
    workload: str
    points: int
    latency_mean: float | None = None
    latency_ci95: float | None = None
    delivered: int
    expected: int


class Results(BaseModel):
    """results.json"""

    format: Literal[1]
    scenario: str
    seed: int
    points: list[Point]
    summary: list[Summary] = []
    curves: list[Curve] = []

    @property
    def passed(self) -> bool:
        return bool(self.points) and all(point.passed for point in self.points)

    def is_collective(self, workload: str) -> bool:
        """Whether its time is that until everybody has everything: an allgather, or broadcasts; or that of streams."""
        kinds = ("allgather", "broadcast", "lanes", "streams")
        return any(point.workload.name == workload and point.workload.kind in kinds for point in self.points)

    def in_steps(self) -> bool:
        """Whether times are in steps of broadcasts, and not in cycles."""
        return any(point.broadcast is not None and point.broadcast.timing == "step" for point in self.points)

    def to_finish(self, workload: str) -> float | None:
        """Mean time until every node has everything, of broadcasts of each; None for what is no collective, and where
        none ended."""
        done = [point for point in self.points if point.workload.name == workload and point.outcome == "complete"]
        return fmean(point.to_finish for point in done) if done and self.is_collective(workload) else None

    def total(self) -> Check:
        """The sum over all points."""
        names = Check.model_fields
        return Check(**{name: sum(getattr(point.check, name) for point in self.points) for name in names})


class Fidelity(BaseModel):
    network: str
    switches: dict[str, int] = {}

    @property
    def words(self) -> str:
        """As "rtl", or "core but for 1 own" where some chips have another one."""
        others = [f"{count:,} {name}" for name, count in self.switches.items() if name != self.network]
        return f"{self.network} but for {', '.join(others)}" if others else self.network


class Cost(BaseModel):
    """Processor time of a point, and that for 10^9 bytes delivered."""

    cpu_seconds: float
    cpu_seconds_per_gigabyte: float | None = None


class Trigger(BaseModel):
    """An event around which waves were to be recorded; it never came where there is no cycle."""

    event: str
    cycle: int | None


class Trace(BaseModel):
    """A wave file or packet log, and what it cost; no file where its trigger never fired."""

    point: str
    kind: str
    file: str = ""
    bytes: int = 0
    changes: int = 0
    passages: int = 0
    seconds: float = 0.0
    start: int = Field(0, alias="from")
    to: int = 0
    trigger: Trigger | None = None

    @property
    def words(self) -> str:
        """A line about the file."""
        what = f"{self.changes:,} changes" if self.changes else f"{self.passages:,} passages"
        why = f" ({self.trigger.event} in {self.trigger.cycle})" if self.trigger else ""
        window = f"cycles {self.start:,} to {self.to:,}{why}"
        return f"{self.file}: {size_text(self.bytes)}, {what}, {window}, {self.seconds:.2f} s"


class Provenance(BaseModel):
    """run.json: where the results come from. Nothing in it has a say in the results."""

    program: str = "polycast-sim"
    version: str = ""
    compiler: str = ""
    command: list[str] = []
    date: str = ""
    fidelity: Fidelity | None = None
    wall_seconds: float | None = None
    #: Of runs on rails.
    points: dict[str, Cost] = {}
    traces: list[Trace] = []
    #: By point: arguments of `polycast` that run one which failed again, with waves where there can be some.
    replay: dict[str, list[str]] = {}

    def again(self, point: str) -> str:
        """The command that repeats a failure; empty where there is none."""
        return shlex.join(["scripts/polycast", *self.replay[point]]) if point in self.replay else ""


class Folder:
    """A results folder."""

    def __init__(self, path: Path) -> None:
        if not (path / "results.json").is_file():
            raise UserError(f"{shown(path)}: not a results folder (no results.json in it)")
        self.path = path

    def results(self) -> Results:
        return self._checked("results.json", Results)

    def provenance(self) -> Provenance:
        return self._checked("run.json", Provenance) if (self.path / "run.json").is_file() else Provenance()

    def _checked(self, name: str, model: type[Model]) -> Model:
        """The file `name` as `model`. \\raises UserError naming file and place where it is something else."""
        file = self.path / name
        try:
            return model.model_validate_json(file.read_bytes())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise UserError(f"{shown(file)}: {place}: {first['msg']}") from None

    def json(self, name: str) -> Any:
        """Contents of another JSON file of the folder, None where it does not exist."""
        file = self.path / name
        if not file.is_file():
            return None
        try:
            return json.loads(file.read_text())
        except ValueError as error:
            raise UserError(f"{shown(file)}: {error}") from None

    def text(self, name: str) -> str | None:
        file = self.path / name
        return file.read_text() if file.is_file() else None

    def topologies(self) -> dict[str, Any]:
        """The networks of the run by name."""
        return {
            file.stem: self.json(f"topology/{file.name}") for file in sorted((self.path / "topology").glob("*.json"))
        }


def newest(holding: str = "") -> Folder:
    """The last run below results/; `holding` a folder "waves" or "packets", of those that have one."""
    found = [file.parent for file in RESULTS.glob("*/results.json") if (file.parent / holding).is_dir()]
    if not found:
        raise UserError(f"no results{f' with {holding}' if holding else ''} below {shown(RESULTS)}")
    return Folder(max(found, key=lambda path: (path / "results.json").stat().st_mtime))

# SPDX-License-Identifier: Apache-2.0
"""run.json of a results folder as Python objects: how the run was made."""

from __future__ import annotations

from pydantic import BaseModel, Field

from polycast_cli.common import again, size_text


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
    delivered_bytes: int | None = None
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
    #: Of networks with ideal hosts: "fabric" steps all routers as one, "chips" one by one.
    engine: str = ""
    wall_seconds: float | None = None
    cpu_seconds: float = 0.0
    #: For rails and lanes.
    points: dict[str, Cost] = {}
    traces: list[Trace] = []
    #: By point: arguments of `polycast` that run one which failed again, with waves where there can be some.
    replay: dict[str, list[str]] = {}

    def again(self, point: str) -> str:
        """The command that repeats a failure; empty where there is none."""
        return again(*self.replay[point]) if point in self.replay else ""

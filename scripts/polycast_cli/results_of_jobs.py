# SPDX-License-Identifier: Apache-2.0
"""What results.json says of jobs that share a network, and of any messages: latency and throughput."""

from __future__ import annotations

from polycast_cli.results_of_kinds import Part


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


class JobCheck(Part):
    """Messages of a job that its programs were to get."""

    expected: int
    delivered: int
    missing: int = 0
    duplicated: int = 0
    corrupted: int = 0
    misdelivered: int = 0

    @property
    def wrong(self) -> int:
        return self.duplicated + self.corrupted + self.misdelivered


class JobAlone(Part):
    """The same job with the network to itself."""

    latency: Latency
    throughput: Throughput | None = None


class HostileJob(Part):
    """What a hostile job tried, and which messages it got: `heard_of_jobs` are of others."""

    commands: int
    waited: int
    registers: int
    reports: int
    heard: int
    heard_of_jobs: int


class Job(Part):
    """A job that shares the network. Packets of other jobs that were for it: `refused` by interfaces, `strange` if they
    came through. Hostile jobs have no deliveries."""

    name: str
    id: int
    processes: list[int]
    kind: str
    refused: int = 0
    strange: int = 0
    complete: bool | None = None
    check: JobCheck | None = None
    latency: Latency | None = None
    throughput: Throughput | None = None
    alone: JobAlone | None = None
    slowdown: float | None = None
    hostile: HostileJob | None = None

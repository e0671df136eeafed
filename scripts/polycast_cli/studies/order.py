# SPDX-License-Identifier: Apache-2.0
"""What `reproduce` and `compare` are asked for, and what pages say of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from polycast_cli.studies.model import Depth, Figure, Study
from polycast_cli.studies.plan import Chain, chains_of


@dataclass
class Order:
    """What to run, and where to."""

    study: Study
    depth: Depth
    folder: Path
    figures: list[Figure]
    jobs: int | None  # at once; None: all cores
    command: str
    preset: str = "release"
    scheduler: str | None = None  # as for jobs.cluster.open_cluster()
    lenient: bool = False  # a scheme that the network cannot do is no failure
    chains: list[Chain] = field(init=False)
    version: str = ""  # of the simulator

    def __post_init__(self) -> None:
        self.chains = self.chains_at(self.depth)

    def chains_at(self, depth: Depth) -> list[Chain]:
        return [chain for figure in self.figures for chain in chains_of(self.study, figure, depth)]

    @property
    def kind_of_replica(self) -> str:
        kinds = {"networks": "networks", "draws": "draws of destinations", "runs": "runs", "none": ""}
        return kinds[self.study.replicas]

    @property
    def replicas(self) -> str:
        effort = self.study.efforts[self.depth]
        count = f"{effort.replicas}" + (f" ({effort.loaded} under load)" if effort.loaded != effort.replicas else "")
        kinds = {"networks": f"{count} random networks", "draws": f"{count} random draws", "none": ""}
        kinds["runs"] = f"{effort.loaded} runs or more with random messages of their own"
        return kinds[self.study.replicas]

# SPDX-License-Identifier: Apache-2.0
"""The folder that a study is written to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from polycast_cli.studies.model import Depth, Study


@dataclass
class Folder:
    """What pages say about a study besides its data."""

    path: Path
    study: Study
    depth: Depth
    version: str
    command: str

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

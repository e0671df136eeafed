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
        return "networks" if self.study.replicas == "networks" else "draws of destinations"

    @property
    def replicas(self) -> str:
        effort = self.study.efforts[self.depth]
        count = f"{effort.replicas}" + (f" ({effort.loaded} under load)" if effort.loaded != effort.replicas else "")
        kinds = {"networks": f"{count} random networks", "draws": f"{count} random draws", "none": ""}
        return kinds[self.study.replicas]

# SPDX-License-Identifier: Apache-2.0
"""What jobs run on: threads of this process (local.py) or the workers of a cluster (cluster.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from polycast_cli.jobs.model import Job, Outcome


class Batch(Protocol):
    """Jobs that are submitted together."""

    def submit(self, job: Job, rank: int) -> None:
        """Of the jobs that wait, one with the lowest rank begins first."""

    def ended(self) -> Iterator[tuple[Job, Outcome]]:
        """Jobs as they end, until none is left; others may be submitted meanwhile."""


class Pool(Protocol):
    def slots(self) -> int:
        """Jobs at once."""

    def check_shared(self, folder: Path) -> None:
        """\\raises UserError where a worker does not see `folder` as we do"""

    def batch(self) -> AbstractContextManager[Batch]:
        """Nothing of the batch runs after the context, however it is left."""

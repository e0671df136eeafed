# SPDX-License-Identifier: Apache-2.0
"""What came of the attempts to close the cycles of a fabric's channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from polycast_cli.fabric import waits
from polycast_cli.fabric.cycles import Cycle
from polycast_cli.fabric.traffic import Attempt
from polycast_cli.packets.forever import Wait
from polycast_cli.packets.log import PacketLog

#: Cycles before the last channel is taken that waves show.
BEFORE = 50


@dataclass
class Run:
    """One run of an attempt."""

    attempt: Attempt
    folder: Path
    diagnosis: str
    cycles: int
    #: Channels of the circle that the watchdog found.
    channels: list[str] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """It counts if the static graph has each of its waits."""
        return waits.is_static(self.channels, self.attempt.cycle)

    @property
    def log(self) -> PacketLog:
        (path,) = (self.folder / "packets").glob("*.sqlite")
        return PacketLog(path)


@dataclass
class Search:
    """What was tried to close a cycle with buffers of one size."""

    buffers: int
    closed: Run | None = None
    #: Runs by stage.
    runs: dict[str, int] = field(default_factory=dict)
    most: waits.Most = field(default_factory=waits.Most)
    #: The attempt in which most edges waited.
    best: str = ""


@dataclass
class Outcome:
    """Of one cycle."""

    number: int
    cycle: Cycle
    searches: list[Search] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    #: Cycle in which the last channel of the circle was taken.
    taken: int = 0
    #: Switch that was RTL, if one was, and how the runs differed; empty if they did not.
    rtl: str = ""
    differs: str = ""

    @property
    def shown(self) -> Run | None:
        """The run that is kept: the first that closed it."""
        return next((search.closed for search in self.searches if search.closed is not None), None)

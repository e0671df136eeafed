# SPDX-License-Identifier: Apache-2.0
"""What `polycast-sim fabric witnesses --json` writes: files, cycles of channels, and packets that close them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from polycast_cli.common import Status, err
from polycast_cli.simulator import ready


class File(BaseModel):
    path: str
    kind: str


class Group(BaseModel):
    mlid: int
    members: list[str]


class Channel(BaseModel):
    """A direction of a cable and a virtual lane, named by its sender: switch0:1, switch0:1/vl2."""

    name: str
    switch: str
    port: int
    vl: int


class Edge(BaseModel):
    source: str
    target: str
    #: Only packets of groups have it.
    groups_only: bool
    #: Ways and floods that take both channels in a row.
    witnesses: int


class Witness(BaseModel):
    """A packet that takes both channels of an edge."""

    source: str
    destination: str | None = None
    dlid: int | None = None
    group: int | None = None
    sl: int
    #: Channels between switches in front of its first one of the cycle.
    front: int
    #: Channels of the cycle that it takes in a row.
    along: int
    #: Its source has another edge of the cycle, too.
    shared: bool
    path: list[str]

    @property
    def to(self) -> str:
        return self.destination if self.group is None else f"group {self.group:#x}"  # type: ignore[return-value]


class Cycle(BaseModel):
    """The shortest cycle of a component of the channels' dependencies."""

    component: int
    #: The witnesses go to LIDs by `network.routing.path: spread`.
    spread: bool
    #: All of the component.
    dependencies: list[tuple[str, str]]
    channels: list[Channel]
    edges: list[Edge]
    #: Each edge has a witness of a source of its own.
    complete: bool
    #: Of all nearest witnesses together.
    front: int
    #: Witnesses of the edges: with the fewest channels in front, and with the most channels of the cycle.
    nearest: list[Witness]
    farthest: list[Witness]

    def __str__(self) -> str:
        return " > ".join([channel.name for channel in [*self.channels, self.channels[0]]])


class Found(BaseModel):
    switches: list[str]
    end_ports: int
    lmc: int
    pairs: int
    reached: int
    files: list[File]
    groups: list[Group]
    cycles: list[Cycle]


#: Kinds of files that a scenario names as its topology, the best first.
TOPOLOGIES = ("subnet_list", "db_csv", "ibnetdiscover")


def find(paths: Sequence[Path], words: Sequence[str] = ()) -> Found | int:
    """The cycles of these folders and files, as a scenario with one topology file has them; or the exit status of the
    simulator, which has said why."""
    found = ask(paths, words)
    if isinstance(found, int):
        return found
    topologies = sorted((file for file in found.files if file.kind in TOPOLOGIES), key=rank)
    if len(topologies) < 2:
        return found
    # Names may differ between the files: those of the one that is simulated count. Its tables tell the LMC, or this.
    used = [file for file in found.files if file not in topologies[1:]]
    lmc = [] if "--lmc" in words else ["--lmc", str(found.lmc)]
    return ask([Path(file.path) for file in used], [*words, *lmc])


def rank(file: File) -> int:
    return TOPOLOGIES.index(file.kind)


def ask(paths: Sequence[Path], words: Sequence[str]) -> Found | int:
    with tempfile.TemporaryDirectory(prefix="polycast-") as folder:
        answer = Path(folder) / "found.json"
        command = [ready(), "fabric", "witnesses", *paths, *words, "--json", answer]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode not in (Status.OK, Status.FAILED):
            err.print(done.stderr.rstrip("\n"))
            return done.returncode
        return Found.model_validate_json(answer.read_text())

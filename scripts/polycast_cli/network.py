# SPDX-License-Identifier: Apache-2.0
"""topology/NAME.json of a results folder, which is what `polycast-sim topology --json` prints, too."""

from __future__ import annotations

from pydantic import BaseModel, model_validator


class Switch(BaseModel):
    name: str
    level: int | None = None
    #: Its place in a grid.
    at: tuple[int, int] | None = None


class Host(BaseModel):
    name: str
    switch: str
    port: int | None = None


class Cable(BaseModel):
    a: str
    a_port: int | None = None
    b: str
    b_port: int | None = None


class Nodes(BaseModel):
    """A network without its links, which is what a map of a large one takes."""

    name: str = ""
    kind: str = ""
    root: str | None = None
    switches: list[Switch]
    hosts: list[Host]


class Network(Nodes):
    links: list[Cable]

    @model_validator(mode="after")
    def links_have_ends(self) -> Network:
        known = {node.name for node in (*self.switches, *self.hosts)}
        ends = {end for link in self.links for end in (link.a, link.b)} | {host.switch for host in self.hosts}
        if unknown := sorted(ends - known):
            raise ValueError(f"a link leads to {unknown[0]}, which is neither a switch nor a host")
        return self

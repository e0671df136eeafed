# SPDX-License-Identifier: Apache-2.0
"""What `polycast-sim fabric check --json` writes."""

from __future__ import annotations

from pydantic import BaseModel


class Balance(BaseModel):
    """Destination LIDs of the directions of cables between switches that are used."""

    directions: int
    least: int
    most: int
    #: LIDs -> directions
    histogram: dict[int, int]


class Group(BaseModel):
    mlid: int
    members: int
    switches: int
    #: Pairs of sender and member.
    missed: int
    duplicates: int
    loop: bool


class Unicast(BaseModel):
    dependencies: int
    #: Sizes of those of more than one channel.
    components: list[int]
    cycle: list[str] | None


class Everything(BaseModel):
    """Unicast and multicast together."""

    #: Dependencies that only multicast has.
    added: int
    components: list[int]
    cycle: list[str] | None


class Credit(BaseModel):
    channels: int
    unicast: Unicast
    all: Everything


class Verdict(BaseModel):
    """Pairs are those of end ports of different nodes, once for each LID of the destination."""

    switches: int
    end_ports: int
    lmc: int
    pairs: int
    reached: int
    #: Cables of a way -> pairs
    cables: dict[int, int]
    balance: Balance
    groups: list[Group]
    credit: Credit
    warnings: list[str]
    problems: list[str]

    @property
    def cycle(self) -> list[str]:
        """The channels of the loop that is reported; none is the same as an empty one."""
        return self.credit.unicast.cycle or self.credit.all.cycle or []

# SPDX-License-Identifier: Apache-2.0
"""Comparisons side by side: a chip without something, and with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polycast_cli.common import UserError
from polycast_cli.cost.designs import Design, Values, design_of
from polycast_cli.cost.libraries import Library
from polycast_cli.cost.measure import Cost, Task
from polycast_cli.reading import proposal

#: Of link ends in comparisons: bytes of the longest frame, and frames that their rings hold.
FRAME_BYTES = 128
FRAMES = 8


@dataclass(frozen=True)
class Part:
    """`count` instances of a design."""

    count: int
    design: Design
    values: Values


@dataclass(frozen=True)
class Side:
    """One of the two: a name, and what it is made of, the chip first."""

    name: str
    parts: tuple[Part, ...]

    def tasks(self, library: Library, mapped: bool) -> list[Task]:
        return [Task(part.design, part.values, library, mapped) for part in self.parts]


@dataclass(frozen=True)
class Sum:
    """What a side costs together. Parts are joined by registers, so the longest path is that of one of them."""

    area_um2: float
    gates: float
    flip_flops: int
    memory_bits: int
    path_ns: float | None

    @property
    def megahertz(self) -> float | None:
        return 1000.0 / self.path_ns if self.path_ns else None


def sum_of(side: Side, costs: Sequence[Cost]) -> Sum:
    pairs = list(zip([part.count for part in side.parts], costs, strict=True))
    paths = [cost.path_ns for cost in costs if cost.path_ns is not None]
    return Sum(
        sum(count * cost.area_um2 for count, cost in pairs),
        sum(count * cost.gates for count, cost in pairs),
        sum(count * cost.flip_flops for count, cost in pairs),
        sum(count * cost.memory_bits for count, cost in pairs),
        max(paths, default=None),
    )


def of_chip(chip: Design, values: Values, names: dict[str, str]) -> Values:
    """Values for a part by those of the chip that it stands beside: `names` of the part -> of the chip."""
    every = chip.complete(values)
    return {mine: every[other] for mine, other in names.items()}


def replication(chip: Design, values: Values) -> tuple[Side, Side]:
    """A router or VL switch that copies packets against one that cannot."""
    keys = {"router": "copies", "broadcast": "copies", "vl_switch": "max_groups"}
    if chip.name not in keys:
        raise UserError(
            f"--compare replication: {chip.name} has no form without replication; there are {', '.join(keys)}"
        )
    key = keys[chip.name]
    if key in values:
        raise UserError(f"-s {key}: it is what --compare replication compares")
    default = chip.complete({})[key]
    without, with_ = values | {key: 0}, values | {key: default}
    chip.check(without)
    chip.check(with_)
    return (
        Side("without replication", (Part(1, chip, without),)),
        Side("with replication", (Part(1, chip, with_),)),
    )


def coding(chip: Design, values: Values) -> tuple[Side, Side]:
    """A router against one with a coding unit, on a port of its own."""
    if chip.name != "router":
        raise UserError(
            f"--compare coding: coding units are on routers, not on {chip.name}: cost router --compare coding"
        )
    unit = design_of("coding")
    names = {name: name for name in ("vcs", "vc_flits", "flit_bytes", "header_free")}
    more = values | {"ports": chip.complete(values)["ports"] + 1}
    own = of_chip(chip, values, names)
    chip.check(more)
    unit.check(own)
    return (
        Side("without coding unit", (Part(1, chip, values),)),
        Side("with coding unit", (Part(1, chip, more), Part(1, unit, own))),
    )


def link(chip: Design, values: Values) -> tuple[Side, Side]:
    """A chip against one with a link end at each of its ports."""
    every = chip.complete(values)
    lanes = "vls" if "vls" in every else "vcs"
    if "ports" not in every or "flit_bytes" not in every or not chip.chip:
        raise UserError(
            f"--compare link: {chip.name} has no ports with links; there are switch, router, vl_switch, broadcast"
        )
    end = design_of("link_end")
    names = {"flit_bytes": "flit_bytes"} | ({"vcs": lanes} if lanes in every else {})
    own = of_chip(chip, values, names)
    # Frames of the same bytes whatever the flits are, and a ring for eight of them.
    own["frame"] = max(1, FRAME_BYTES // own["flit_bytes"])
    own["ring"] = FRAMES * own["frame"]
    end.check(own)
    ports = every["ports"]
    return (
        Side("without link ends", (Part(1, chip, values),)),
        Side("with link ends", (Part(1, chip, values), Part(ports, end, own))),
    )


COMPARISONS: dict[str, Callable[[Design, Values], tuple[Side, Side]]] = {
    "replication": replication,
    "coding": coding,
    "link": link,
}


def sides(what: str, chip: Design, values: Values) -> tuple[Side, Side]:
    """\\raises UserError where the chip has no such sides"""
    if what not in COMPARISONS:
        raise UserError(f"--compare {what}: there is no such comparison{proposal(what, COMPARISONS)}")
    return COMPARISONS[what](chip, values)

# SPDX-License-Identifier: Apache-2.0
"""Scenarios that run the tables of a fabric."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from polycast_cli.common import UserError
from polycast_cli.fabric.cycles import TOPOLOGIES, File

#: Keys of network.routing by kind of file.
KEYS = {
    "fdbs": "lft", "lfts": "lft", "mcfdbs": "mft", "mfts": "mft", "sl2vl_dump": "sl2vl", "slvl": "sl2vl",
    "smpquery_sl2vl": "sl2vl", "psl": "path_sl", "path_records": "path_sl", "members": "members",
    "smpquery_vlarb": "vl_arbitration",
}  # fmt: skip


class Flow(dict[str, Any]):
    """A section that is written in one line."""


class Dumper(yaml.SafeDumper):
    pass


Dumper.add_representer(
    Flow, lambda dumper, data: dumper.represent_mapping("tag:yaml.org,2002:map", data, flow_style=True)
)


def network(files: Sequence[File], base: Path | None, **more: object) -> dict[str, Any]:
    """The section `network`. Paths are written as seen from the folder `base`, without one as the user gave them.

    \\raises UserError where there is no topology file
    """
    topology = next((file for kind in TOPOLOGIES for file in files if file.kind == kind), None)
    if topology is None:
        raise UserError("no topology with LIDs among the files: add opensm-subnet.lst, or the output of ibnetdiscover")
    routing: dict[str, Any] = {"kind": "tables"}
    for file in files:
        if key := KEYS.get(file.kind):
            routing.setdefault(key, []).append(seen_from(base, file.path))
    for key, paths in routing.items():
        if isinstance(paths, list) and len(paths) == 1:
            routing[key] = paths[0]
    return {"topology": Flow(kind="file", path=seen_from(base, topology.path)), "routing": routing | more}


def seen_from(base: Path | None, path: str) -> str:
    """As it is written in a scenario in the folder `base`."""
    return path if base is None else os.path.relpath(Path(path).resolve(), base.resolve())


def text_of(scenario: Mapping[str, object], comment: Sequence[str]) -> str:
    body = yaml.dump(dict(scenario), Dumper=Dumper, sort_keys=False, width=110, allow_unicode=True)
    return "".join(f"# {line}\n" for line in comment) + body

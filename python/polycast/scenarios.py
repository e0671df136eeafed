# SPDX-License-Identifier: Apache-2.0
"""What a run is about: a file, or a dictionary that becomes one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from polycast_cli.common import write_whole

from polycast._calls import InputError
from polycast._keys import key_of, plain, settings
from polycast.graphs import graph_text, is_graph

#: Of scenarios and networks that are written for a run: `inputs/` beside its folder.
INPUTS = "inputs"


@dataclass(frozen=True)
class Prepared:
    """A scenario file, and options of the simulator that change it."""

    file: Path
    settings: list[str]


def graph_file(graph: Any, folder: Path) -> Path:
    """Named by what is in it, so that equal graphs are one file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = graph_text(graph)
    file = folder / f"graph-{hashlib.sha256(text.encode()).hexdigest()[:12]}.graphml"
    write_whole(file, text)
    return file


def without_graphs(value: Any, folder: Path) -> Any:
    """Graphs are sections that name their file."""
    if is_graph(value):
        return {"kind": "file", "path": str(graph_file(value, folder).resolve())}
    if isinstance(value, Mapping):
        return {key: without_graphs(each, folder) for key, each in value.items()}
    return value


def prepared(scenario: str | Path | Mapping[str, Any], overrides: Mapping[str, Any], folder: Path) -> Prepared:
    """What has to be written goes into `folder`, and stays: messages and commands that repeat a run name it."""
    found = settings({key_of(name): without_graphs(value, folder) for name, value in overrides.items()})
    if not isinstance(scenario, Mapping):
        if not Path(scenario).exists():
            raise InputError(f"{scenario}: there is no such file; a scenario is a file or a dictionary of its keys")
        return Prepared(Path(scenario), found)
    text = yaml.safe_dump(plain(without_graphs(scenario, folder)), sort_keys=False, allow_unicode=True)
    name = str(scenario.get("name") or "scenario").replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.yaml"
    write_whole(file, text)
    return Prepared(file, found)

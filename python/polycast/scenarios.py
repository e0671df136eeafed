# SPDX-License-Identifier: Apache-2.0
"""What a run is about: a file, or a dictionary that becomes one."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from polycast_cli.common import ROOT, write_whole

from polycast._calls import InputError
from polycast._keys import DEEPEST, is_graph, keys_of, path_of, plain, settings
from polycast.graphs import graph_text

#: Folder of scenarios and networks that are written for runs, beside that of their results.
INPUTS = "polycast-inputs"
#: Keys whose values may be files, which in a dictionary are looked for from the current folder, as for -s.
OF_FILES = re.compile(
    r"network\.(topology\.path|own_rtl|partition|routing\.(lft|mft|sl2vl|path_sl|members|vl_arbitration))"
    r"|ni\.firmware|rails\.matrix|workload\[\]\.(path|table|groups|placement)"
)
SCENARIOS = ROOT / "testbench" / "scenarios"


@dataclass
class Prepared:
    """A scenario file, and options of the simulator that change it. `written`: files that were not there before."""

    file: Path
    settings: list[str]
    written: list[Path] = field(default_factory=list)

    def forget(self) -> None:
        """Removes what was written for a run that did not come about."""
        for file in self.written:
            file.unlink(missing_ok=True)
            for folder in (file.parent, file.parent.parent):
                if not any(folder.iterdir()):
                    folder.rmdir()


def example(name: str = "first_light") -> Path:
    """One of the scenarios that polycast comes with. \\raises InputError, which lists them"""
    file = SCENARIOS / f"{path_of(name, 'the name of an example')}.yaml"
    if not file.is_file():
        names = ", ".join(sorted(each.stem for each in SCENARIOS.glob("*.yaml")))
        raise InputError(f"there is no example '{name}'; there are {names}")
    return file


class Inputs:
    """Writes what a call needs into a folder, under names by content: what is there already stays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: list[Path] = []

    def write(self, name: str, text: str) -> Path:
        place = self.folder / hashlib.sha256(text.encode()).hexdigest()[:12]
        file = place / name
        if file.is_file() and file.read_text() == text:
            return file
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{place}: {error.strerror}; out= chooses another place") from None
        write_whole(file, text)
        self.written.append(file)
        return file

    def graph(self, graph: Any) -> Path:
        return self.write("graph.graphml", graph_text(graph))

    def with_files(self, value: Any, key: str, depth: int = 0) -> Any:
        """The value with sections in the place of graphs, and paths from here in that of relative ones."""
        if depth > DEEPEST:
            return value  # plain() refuses it
        if is_graph(value):
            if key != "network.topology":
                raise InputError(f"'{key}' is a graph: one stands for network.topology only")
            return {"kind": "file", "path": str(self.graph(value).resolve())}
        if isinstance(value, Mapping):
            inner = f"{key}." if key else ""
            return {name: self.with_files(each, f"{inner}{name}", depth + 1) for name, each in value.items()}
        if isinstance(value, (list, tuple)):
            inner = f"{key}[]" if key == "workload" else key
            return [self.with_files(each, inner, depth + 1) for each in value]
        if isinstance(value, (str, os.PathLike)) and OF_FILES.fullmatch(key):
            here = Path(value)
            return str(here.resolve()) if here.exists() or "/" in str(here) or here.suffix else value
        return value


def prepared(scenario: str | Path | Mapping[str, Any], overrides: Mapping[str, Any], folder: Path) -> Prepared:
    """What has to be written goes into `folder`, and stays: messages and commands that repeat a run name it."""
    inputs = Inputs(folder)
    given = Prepared(Path(), [], inputs.written)
    try:
        given.settings = settings({key: inputs.with_files(value, key) for key, value in keys_of(overrides).items()})
        if not isinstance(scenario, Mapping):
            given.file = path_of(scenario, "a scenario that is no dictionary")
            try:
                there = given.file.exists()
            except OSError:  # a name that is too long
                there = False
            if not there:
                shown = str(given.file)[:80]
                raise InputError(f"{shown}: there is no such file; a scenario is a file or a dictionary of its keys")
            return given
        text = yaml.safe_dump(plain(inputs.with_files(scenario, "")), sort_keys=False, allow_unicode=True)
        given.file = inputs.write(f"{file_name(scenario)}.yaml", text)
    except InputError:
        given.forget()
        raise
    return given


def file_name(scenario: Mapping[str, Any]) -> str:
    """Of a scenario, if its name is one; the simulator refuses others."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", str(scenario.get("name") or "scenario")).lstrip(".")[:64] or "scenario"

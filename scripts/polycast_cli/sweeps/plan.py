# SPDX-License-Identifier: Apache-2.0
"""The runs of a sweep, as the simulator lists them: it knows the keys and checks every value."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from polycast_cli.common import Failure, Status
from polycast_cli.simulator import Scenario

Value = bool | int | float | str


class Key(BaseModel):
    """A key that runs differ in."""

    path: str
    type: str
    unit: str = ""

    @property
    def column(self) -> str:
        """Its name in tables: "workload_degree" of "workload.*.degree"."""
        return "_".join(re.findall(r"\w+", self.path))

    @property
    def is_seed(self) -> bool:
        """Whether its values are samples of the same thing."""
        return self.path.rsplit(".", 1)[-1] == "seed"


class Run(BaseModel):
    """One combination of values: a command line, and what its result depends on."""

    model_config = ConfigDict(strict=True)  # 1 stays a number, and "1" a text

    name: str
    overrides: list[str]
    values: dict[str, Value]
    files: list[str] = Field(default=[], exclude=True)
    scenario: str = Field(default="", exclude=True)


def value_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Plan(BaseModel):
    keys: list[Key]
    runs: list[Run]

    def values_of(self, key: Key) -> str:
        """What it is swept over."""
        said = list(dict.fromkeys(value_text(run.values[key.path]) for run in self.runs))
        return ", ".join(said) if len(said) <= 12 else f"{', '.join(said[:5])}, … {said[-1]} ({len(said)} values)"

    def without_seeds(self, run: Run) -> str:
        """What runs that differ only in their seeds have in common; empty where nothing else is swept."""
        keys = [key for key in self.keys if not key.is_seed]
        return ", ".join(f"{key.path.rsplit('.', 1)[-1]}={value_text(run.values[key.path])}" for key in keys)

    def axes(self) -> list[str]:
        """A line for each key: its path, unit and values."""
        return [f"{key.path}{f' ({key.unit})' if key.unit else ''}: {self.values_of(key)}" for key in self.keys]


def plan_of(program: Path, scenario: Scenario, sets: Sequence[str]) -> Plan | int:
    """The runs of a scenario with its `-s` options, none where nothing is swept; an exit status where the simulator
    refuses a run, with its message printed."""
    command = [str(program), "sweep", *scenario.arguments, *sets]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == Status.OK:
        return Plan.model_validate_json(done.stdout)
    if done.returncode == Status.BAD_INPUT:
        sys.stderr.write(done.stderr)
        return Status.BAD_INPUT
    raise Failure(f"polycast-sim sweep ended with status {done.returncode}: {done.stderr[-2000:]}")

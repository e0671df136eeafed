# SPDX-License-Identifier: Apache-2.0
"""One run of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polycast_cli.common import fresh_folder

from polycast._calls import simulated
from polycast.results import Results
from polycast.scenarios import INPUTS, prepared


def place(scenario: str | Path | Mapping[str, Any], out: str | Path | None) -> Path:
    """Where results go: `out`, or a new folder below results/ in the current folder."""
    if out is not None:
        return Path(out)
    name = scenario.get("name", "scenario") if isinstance(scenario, Mapping) else Path(scenario).stem
    return fresh_folder(str(name).replace("/", "-"), Path("results"))


def run(
    scenario: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    waves: bool = False,
    packets: bool = False,
    **overrides: Any,
) -> Results:
    """Simulates a scenario and checks every delivery, as `polycast run` does.

    `scenario`: a file, or a dictionary of its keys. `overrides`: values that replace those of the scenario, with `__`
    for dots in keys: run(..., seed=7, network__fidelity="rtl"), or run(..., **{"workload.tree.degree": 3}). `out`: the
    results folder, in which earlier results are replaced (default: results/NAME-DATE). `jobs`: simulations at once
    (default: all cores). `waves`, `packets`: record waves, a log of all packets.

    \\raises InputError for what the simulator refuses, with its message; Interrupted by Ctrl-C. A check that fails is
    no error: `passed` of the results is False.
    """
    target = place(scenario, out)
    given = prepared(scenario, overrides, target.parent / INPUTS)
    options = [*(["--waves=all"] if waves else []), *(["--packets"] if packets else [])]
    if jobs is not None:
        options += ["--jobs", str(jobs)]
    simulated(["run", given.file, *given.settings, *options, "--out", target])
    return Results.read(target)

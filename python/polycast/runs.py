# SPDX-License-Identifier: Apache-2.0
"""One run of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from polycast_cli.common import fresh_folder

from polycast._calls import InputError, simulated
from polycast._keys import checked_text, count_of, is_graph, path_of
from polycast.results import Results
from polycast.scenarios import INPUTS, file_name, prepared


def place(scenario: str | Path | Mapping[str, Any], out: str | Path | None, name: object = None) -> Path:
    """Where results go: `out`, or a new folder below results/ in the current folder."""
    if is_graph(scenario):
        raise InputError("a graph is no scenario: it stands for network.topology in one")
    if out is not None:
        target = path_of(out, "out")
        if target.resolve().name == INPUTS:
            raise InputError(
                f"out={str(out)!r}: scenarios that are dictionaries are written there; choose another name"
            )
        return target
    stem = file_name(scenario) if isinstance(scenario, Mapping) else path_of(scenario, "a scenario").stem
    if name is not None:
        stem = file_name({"name": name})
    try:
        return fresh_folder(stem[:64], Path("results"))
    except OSError as error:
        raise InputError(f"results: {error.strerror}; out= chooses another place") from None


def recording(waves: bool | str | Iterable[str], packets: bool) -> list[str]:
    """Options of the simulator. \\raises InputError"""
    if not isinstance(packets, bool):
        raise InputError(f"packets={packets!r}: True or False")
    found = ["--packets"] if packets else []
    if waves is True:
        found.append("--waves=all")
    elif waves is not False:
        names = [waves] if isinstance(waves, str) else list(waves)
        found.append(f"--waves={','.join(checked_text(name, 'a chip for waves') for name in names)}")
    return found


def run(
    scenario: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    waves: bool | str | Iterable[str] = False,
    packets: bool = False,
    **overrides: Any,
) -> Results:
    """Simulates a scenario and checks every delivery, as `polycast run` does.

    `scenario`: a file, or a dictionary of its keys, in which paths start at the current folder. `overrides`: values
    that replace those of the scenario, with `__` for dots in keys: run(..., seed=7, network__fidelity="rtl"), or
    run(..., **{"workload.tree.degree": 3}). `out`: the results folder, in which earlier results are replaced (default:
    results/NAME-DATE). `jobs`: simulations at once (default: all cores). `waves`: record waves of all chips, or of
    those named; `packets`: log all packets.

    \\raises InputError for what the simulator refuses, with its message; Interrupted by Ctrl-C. A check that fails is
    no error: `passed` of the results is False.
    """
    count = count_of(jobs, "jobs")
    options = recording(waves, packets)
    target = place(scenario, out, overrides.get("name"))
    fresh = out is None
    try:
        given = prepared(scenario, overrides, target.parent / INPUTS)
        if count is not None:
            options += ["--jobs", str(count)]
        try:
            simulated(["run", given.file, *given.settings, *options, "--out", target])
        except (InputError, KeyboardInterrupt):
            given.forget()
            raise
    finally:
        if fresh:  # where nothing was written
            with suppress(OSError):
                target.rmdir()
    return Results.read(target)

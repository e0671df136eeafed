# SPDX-License-Identifier: Apache-2.0
"""The commands that test and measure polycast itself: test, bench, soak."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli import common
from polycast_cli.common import UserError, say

app = typer.Typer()


@app.command()
def test(
    filters: Annotated[
        list[str] | None,
        typer.Argument(help="Only tests whose name matches one of these, of all tiers but nightly."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All tiers but nightly, also with sanitizers.")] = False,
    tier: Annotated[
        Literal["default", "extended", "nightly"] | None,
        typer.Option(help="The tests of this tier only.", show_default=False),
    ] = None,
    ctest: Annotated[bool, typer.Option("--ctest/--no-ctest", help="Run the C++ and RTL tests.")] = True,
    pytest: Annotated[bool, typer.Option("--pytest/--no-pytest", help="Run the tests of the command line.")] = True,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Tests at a time.")] = len(os.sched_getaffinity(0)),
    preset: Annotated[
        str | None,
        typer.Option(
            help="CMake preset: release, debug, asan, tsan or coverage; release and what the tiers ask for without it."
        ),
    ] = None,
) -> None:
    """Build what the tests need and run them; ends with the summaries of ctest and pytest.

    Tests are dealt over three tiers: `default` checks every part and is what every change needs, `extended` has what
    takes longer and the sanitizers, `nightly` what takes hours. testbench/README.md says what they cost.

    **Examples**

    - `polycast test` the default tier
    - `polycast test switch updown` the tests with switch or updown in their name
    - `polycast test --all` everything that is not nightly
    - `polycast test --tier nightly` what takes hours: all seeded faults, all proofs, soaks, fuzzers, thread sanitizer
    - `polycast test --preset asan` the C++ tests under address and undefined behaviour sanitizers
    """
    from polycast_cli.testing import WITHOUT_NIGHTLY, Selection, run_tests

    if all_ and tier:
        raise UserError("--all and --tier: take one of them")
    tiers = WITHOUT_NIGHTLY if all_ else [tier] if tier else []
    run_tests(Selection(filters or [], tiers, preset), jobs, ctest, pytest)


@app.command()
def bench(
    filters: Annotated[
        list[str] | None, typer.Argument(help="Run only benchmarks whose names match one of these.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Repetitions, interleaved over the benchmarks.")] = 5,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="JSON file to write. Default: results/bench.json."),
    ] = None,
) -> None:
    """Measure speed and memory; every ratio is between numbers of the same run.

    **Examples**

    - `polycast bench`
    - `polycast bench switch --repetitions 9`
    """
    from polycast_cli.bench import run_benchmarks

    run_benchmarks(filters or [], repetitions, output or common.RESULTS / "bench.json")


@app.command()
def soak(
    hours: Annotated[float, typer.Option(help="Duration.", min=0)] = 1.0,
    seed: Annotated[int | None, typer.Option(help="First seed. Default: a random one, which is printed.")] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="LINE", help="Run one configuration, as a failure printed it.")
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Compare only these two models: core-rtl, router-core-golden, ..."),
    ] = None,
    own_rtl: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder with your own RTL in place of ours (rtl/own.md).")
    ] = None,
) -> None:
    """Compare core and RTL on random configurations and traffic, cycle by cycle, for hours.

    A failure prints the line that replays it.

    **Examples**

    - `polycast soak --hours 8`
    - `polycast soak --own-rtl testbench/own_rtl --pair core-rtl` your own RTL
    - `polycast soak --replay "ports=8 ... seed=7 cycles=6000"`
    """
    from polycast_cli.build import build, folder

    build(targets=["polycast-soak"], tests=True)
    found = common.RESULTS / "soak"
    command: list[str | Path] = [folder() / "bin" / "polycast-soak", "--waves", found]
    command += ([] if pair is None else ["--pair", pair]) + ([] if own_rtl is None else ["--own-rtl", own_rtl])
    if replay is not None:
        command += ["--replay", replay]
    else:
        command += ["--hours", f"{hours:g}", *([] if seed is None else ["--seed", str(seed)])]
        say(f"comparing core and RTL for {hours:g} h; waves of a failure go to {common.shown(found)}")
    raise typer.Exit(common.run(command, cwd=Path.cwd()))

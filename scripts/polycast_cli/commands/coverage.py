# SPDX-License-Identifier: Apache-2.0
"""The command coverage."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.commands.options import Filters
from polycast_cli.common import RESULTS, UserError, shown

app = typer.Typer()


@app.command()
def coverage(
    filters: Filters = None,
    build: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Existing build with POLYCAST_COVERAGE to use; nothing is built."),
    ] = None,
    out_dir: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="Folder for the report; an earlier report in it is replaced."),
    ] = RESULTS / "coverage",
    ctest: Annotated[bool, typer.Option("--ctest/--no-ctest", help="Run the C++ and RTL tests.")] = True,
    pytest: Annotated[bool, typer.Option("--pytest/--no-pytest", help="Run the tests of the command line.")] = True,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Tests at once.")] = len(os.sched_getaffinity(0)),
) -> None:
    """Run tests and report the coverage of RTL and C++: lines, branches, toggles, cover points.

    Builds the preset coverage, in which Verilated models are instrumented and run about five times slower. Writes
    index.html, summary.json and coverage.info (lcov) to results/coverage. testbench/coverage/waivers.yaml lists what
    need not be covered, with reasons.

    **Examples**

    - `polycast coverage` all tests
    - `polycast coverage core_rtl.switch --no-pytest` the comparisons of switches with their cores
    - `polycast coverage cocotb.router --no-pytest --out results/router`
    """
    from polycast_cli.regression.coverage import measure

    if build is not None and not (build / "CMakeCache.txt").is_file():
        raise UserError(f"--build {shown(build)}: not a configured build folder")
    measure(filters or [], build, out_dir, jobs, ctest, pytest)

# SPDX-License-Identifier: Apache-2.0
"""The command about test plans: regress."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.commands.options import Jobs, Scheduler
from polycast_cli.common import UserError, again

app = typer.Typer()


@app.command()
def regress(
    plan: Annotated[
        Path | None, typer.Argument(help="Test plan (YAML). Default: the plan of the project.", show_default=False)
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Run only tests with this tag; may be repeated.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Check only this requirement; may be repeated.")
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Results folder. An interrupted run in it continues; a complete one is replaced. "
            "Default: results/regress-NAME-DATE.",
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds for each random test, instead of the number in the plan.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed besides 0. Default: a random one, which is printed.")
    ] = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    minimise: Annotated[
        float,
        typer.Option(metavar="MINUTES", min=0, help="Time to reduce each failure to a smaller one; 0: do not reduce."),
    ] = 2.0,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Measure the coverage of RTL and C++, with the preset coverage.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the cases and run nothing.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of plans, for editors.")] = False,
    build: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Existing build tree to use; nothing is built.")
    ] = None,
    preset: Annotated[str, typer.Option(help="CMake preset: release or debug.")] = "release",
) -> None:
    """Run a test plan: requirements, each with tests that check it, over grids and seeds, in parallel.

    Writes junit.xml, results.json and report.html. A case that fails runs once more; if it passes then, it is
    reported as flaky, which counts as a failure. Failures are reduced to the smallest case that fails in the same way
    and listed with the waveform and the command that repeats them.

    **Examples**

    - `polycast regress` runs the project's plan, testbench/regression.yaml
    - `polycast regress --tag smoke` its quick part
    - `polycast regress my_plan.yaml --seeds 20 -o results/nightly` continues after an interruption
    - `polycast regress --only switch.pipeline --list`
    - `polycast regress testbench/own_rtl/regression.yaml` a plan for your own RTL, which fails on purpose
    """
    from polycast_cli.regression.plan import Plan
    from polycast_cli.regression.regress import PLAN, Order, list_cases
    from polycast_cli.regression.regress import regress as run

    if schema:
        print(json.dumps(Plan.model_json_schema(), indent=2))
        return
    if build is not None and preset != "release":
        raise UserError("--build and --preset: give one or the other")
    command = again(*sys.argv[1:])
    path = plan if plan is not None else Path(PLAN)
    order = Order(path, out_dir, tags or [], only or [], seeds, seed, jobs, scheduler, build)
    order.preset = "coverage" if coverage else preset
    order.minimise, order.coverage, order.command = minimise, coverage, command
    if list_:
        list_cases(order)
        return
    raise typer.Exit(run(order))

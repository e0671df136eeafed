# SPDX-License-Identifier: Apache-2.0
"""The command about test plans: regress."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.common import UserError


def regress(
    plan: Annotated[
        Path | None, typer.Argument(help="Test plan (YAML); that of the project without it.", show_default=False)
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only tests with this tag; may be repeated.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Only this requirement; may be repeated.")
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Results folder. An interrupted run in it goes on; a complete one is replaced. "
            "Default: results/regress-NAME-DATE.",
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds of each test that has some, instead of what the plan says.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed besides 0; a random one, printed, without it.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, help="Cases at a time; default: all cores.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on a Dask scheduler (tcp://HOST:PORT), or slurm or lsf."),
    ] = None,
    minimise: Annotated[
        float, typer.Option(metavar="MINUTES", min=0, help="For each failure, to find a smaller one; 0: not at all.")
    ] = 2.0,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Measure what of RTL and C++ is reached, with the preset coverage.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="Only list the cases.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of plans, for editors.")] = False,
    build: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Use this build tree as it is; nothing is built.")
    ] = None,
    preset: Annotated[str, typer.Option(help="CMake preset: release or debug.")] = "release",
) -> None:
    """Run a test plan: requirements, each with tests that check it, over grids and seeds, in parallel.

    Writes junit.xml, results.json and report.html. What fails runs once more (what passes then is called flaky, and
    is a failure), is made as small as it can be, and is listed with its wave and the command that repeats it.

    **Examples**

    - `polycast regress` the project's own plan, testbench/regression.yaml
    - `polycast regress --tag smoke` its quick part
    - `polycast regress my_plan.yaml --seeds 20 -o results/nightly` again after an interruption: goes on
    - `polycast regress --only switch.pipeline --list`
    - `polycast regress testbench/own_rtl/regression.yaml` a plan for one's own RTL; it fails, as it should
    """
    from polycast_cli.regression.plan import Plan
    from polycast_cli.regression.regress import PLAN, Order, list_cases
    from polycast_cli.regression.regress import regress as run

    if schema:
        print(json.dumps(Plan.model_json_schema(), indent=2))
        return
    if build is not None and preset != "release":
        raise UserError("--build and --preset: give one or the other")
    command = shlex.join(["scripts/polycast", *sys.argv[1:]])
    path = plan if plan is not None else Path(PLAN)
    order = Order(path, out_dir, tags or [], only or [], seeds, seed, jobs, scheduler, build)
    order.preset = "coverage" if coverage else preset
    order.minimise, order.coverage, order.command = minimise, coverage, command
    if list_:
        list_cases(order)
        return
    raise typer.Exit(run(order))


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(regress)

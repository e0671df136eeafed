# SPDX-License-Identifier: Apache-2.0
"""The command about campaigns of faults: campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.commands.options import Jobs, Preset, Scheduler
from polycast_cli.common import UserError

app = typer.Typer()


@app.command()
def campaign(
    file: Annotated[
        Path | None,
        typer.Argument(help="Campaign (YAML): scenario, variants, classes of faults.", show_default=False),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Results folder. A campaign in it continues. Default: results/NAME-DATE.",
        ),
    ] = None,
    faults: Annotated[
        int | None, typer.Option(min=1, help="Faults of each class and variant, instead of the number in the file.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the seed in the file.")] = None,
    variants: Annotated[
        list[str] | None, typer.Option("--variant", metavar="NAME", help="Only this variant; may be repeated.")
    ] = None,
    classes: Annotated[
        list[str] | None, typer.Option("--class", metavar="NAME", help="Only this class of faults; may be repeated.")
    ] = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    minimise: Annotated[
        float,
        typer.Option(
            metavar="MINUTES", min=0, help="Time to make each bad run that is shown smaller; 0: leave it as it is."
        ),
    ] = 1.0,
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of campaigns, for editors.")] = False,
    preset: Preset = "release",
    build_dir: Annotated[
        Path | None,
        typer.Option("--build", metavar="DIR", help="Existing build tree to use; nothing is built."),
    ] = None,
) -> None:
    """Count what comes of faults: thousands of runs of a scenario, with one random fault in each.

    Each fault is masked, cured by the link or by interfaces, reported to a host, silent, or hangs the run. The report
    has a table for each variant of the scenario, with confidence intervals, and repeats bad runs with waves.

    **Examples**

    - `polycast campaign testbench/campaigns/four_switches.yaml --faults 100` a first look, in a minute
    - `polycast campaign my_campaign.yaml --out results/mine` continues after an interruption
    - `polycast campaign my_campaign.yaml --faults 20000 --out results/mine` adds faults to those that are there
    """
    from polycast_cli.campaigns.campaign import run_campaign
    from polycast_cli.campaigns.plan import Part, Plan
    from polycast_cli.simulator import ready

    if schema:
        print(json.dumps(Plan.model_json_schema(), indent=2))
        return
    if file is None:
        raise UserError("which campaign? Give a file, such as testbench/campaigns/four_switches.yaml")
    if build_dir is not None and preset != "release":
        raise UserError("--build and --preset: give one or the other")
    part = Part(faults, seed, tuple(classes or ()), tuple(variants or ()))
    program = ready(preset) if build_dir is None else built(build_dir)
    raise typer.Exit(run_campaign(file, program, out_dir, part, jobs, scheduler, minimise, open_report))


def built(folder: Path) -> Path:
    """\\raises UserError where the tree has no simulator"""
    program = folder.resolve() / "bin" / "polycast-sim"
    if not program.is_file():
        raise UserError(f"--build {folder}: there is no bin/polycast-sim; build it first")
    return program

# SPDX-License-Identifier: Apache-2.0
"""The command cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli.common import UserError

app = typer.Typer()


@app.command()
def cost(
    tops: Annotated[
        list[str] | None,
        typer.Argument(metavar="TOP...", help="Chips and blocks; --list shows them.", show_default=False),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "-s",
            "--set",
            metavar="KEY=VALUES",
            help="Parameter, with one value, a list 4,8,16 or a range 2..5; may be repeated, for all combinations. "
            "TOP.KEY: of this one alone.",
        ),
    ] = None,
    libraries: Annotated[
        list[str] | None,
        typer.Option(
            "--library", metavar="NAME", help="Cell library: osu018 (the default), osu035, osu050; may be repeated."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="Side by side, without and with: replication (copies of packets), coding (a coding unit at a port "
            "of a router), link (a link end at each port).",
        ),
    ] = None,
    memories: Annotated[
        Literal["apart", "flip-flops"],
        typer.Option(help="Count bits of memories apart from the area, or make them of flip-flops and multiplexers."),
    ] = "apart",
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Folder for cost.csv, cost.json and pictures. Default: results/cost-TOP-DATE.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, help="Designs at once; default: all cores.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List chips, blocks, parameters and libraries.")] = False,
) -> None:
    """Map chips or their blocks to a standard-cell library: area, longest path, flip-flops, memory bits.

    Yosys and ABC map the RTL to cells of the libraries of Oklahoma State University (0.18, 0.35 and 0.5 um), and
    OpenSTA finds the longest path. These are old open processes, and there are no wires: **ratios between designs
    count, not absolute figures**. Memories are black boxes: their bits are counted apart from the area, and a read
    takes as long as the multiplexers that select a word. What was measured is kept until the RTL changes.

    Areas are in thousands of gates (the library's NAND with two inputs) and mm2.

    **Examples**

    - `polycast cost router` with the share of each block
    - `polycast cost rr_arbiter -s NumReq=4,8,16` one block, three sizes
    - `polycast cost router -s ports=4..8 -s vcs=1,2,4 -o results/cost` fifteen routers, with curves
    - `polycast cost router --compare replication -s vcs=1,2,4`
    - `polycast cost --list`
    """
    from polycast_cli.cost.show import Request, list_designs
    from polycast_cli.cost.show import cost as run

    if list_:
        list_designs()
        return
    if not tops:
        raise UserError(
            "Missing argument 'TOP...': name a chip, such as router, or a block; cost --list shows them all"
        )
    asked = libraries or ["osu018"]
    run(Request(tops, settings or [], asked, compare, memories == "flip-flops", jobs, out_dir))

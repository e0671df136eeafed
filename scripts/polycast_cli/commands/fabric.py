# SPDX-License-Identifier: Apache-2.0
"""The commands about forwarding tables of real fabrics: fabric check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli.commands.options import Picture

app = typer.Typer(
    name="fabric",
    no_args_is_help=True,
    help="""
Check forwarding tables of a real InfiniBand fabric.

The help of `check` says which files it reads and what it finds.
""",
)


@app.callback()
def group() -> None:
    """Keeps `check` a command of its own while it is the only one."""


@app.command()
def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|FILES...", help="Folders and files, as the fabric's tools wrote them.", show_default=False
        ),
    ],
    lmc: Annotated[
        int | None, typer.Option(min=0, max=7, help="LMC of the end ports, if no file has it.", show_default=False)
    ] = None,
    vls: Annotated[
        int | None, typer.Option(min=1, max=15, help="Operational virtual lanes.", show_default=False)
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also follow packets from and to switches.")] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Warn of tables of switches that the topology does not have.")
    ] = False,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything that was found as JSON.")
    ] = None,
    output: Picture = None,
    against: Annotated[
        Literal["ibdmchk"] | None,
        typer.Option(help="Compare with the checker of ibutils, which set-up unpacks.", show_default=False),
    ] = None,
) -> None:
    """Check forwarding tables of a fabric: who does not reach whom, and which packets can deadlock.

    **Collect** on a node of the fabric, into one folder:

    - `opensm-subnet.lst`, `opensm.fdbs`, `opensm.mcfdbs`, `opensm-sl2vl.dump`: OpenSM writes them to
      `--dump_files_dir` with `-D 0x47`
    - or `ibnetdiscover > net.txt` and `dump_lfts > lfts.txt`, if you do not run the subnet manager
    - `psl`, if paths use several service levels

    Files are recognised by their content, so names do not matter.

    **Read** the result from the top: problems come first, each with its place and what to do. A *credit loop* is a
    circle of channels in which a packet may wait on each for the next one: with full buffers nothing moves any more.
    `-o` draws it in red.

    Exit status: 0 nothing found, 1 problems, 2 files that cannot be read.

    **Examples**

    - `polycast fabric check testbench/data/fabric/ring6.dfsssp` free of loops on eight lanes
    - `polycast fabric check testbench/data/fabric/ring6.dfsssp --json found.json -o ring.svg`
    - `polycast fabric check testbench/data/fabric/ring6.dfsssp --against ibdmchk`
    """
    from polycast_cli.fabric.check import Options, check_fabric

    options = Options(lmc, vls, all_, partial, json, output, against == "ibdmchk")
    raise typer.Exit(check_fabric(files, options))

# SPDX-License-Identifier: Apache-2.0
"""The commands about forwarding tables of real fabrics: fabric check, run, deadlock, repair, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli import common
from polycast_cli.commands.options import Overrides, Picture, Source
from polycast_cli.common import set_options

app = typer.Typer(
    name="fabric",
    no_args_is_help=True,
    help="""
Check, run, repair and make forwarding tables of InfiniBand fabrics.

The help of `check` says which files all of them read. What it finds `run` simulates, `deadlock` makes happen, and
`repair` mends.
""",
)


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="DIR|FILES...", help="Folders and files, as the fabric's tools wrote them.", show_default=False
    ),
]
Lmc = Annotated[
    int | None, typer.Option(min=0, max=7, help="LMC of the end ports, if no file has it.", show_default=False)
]
OutOrResults = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="DIR", help="Folder for what comes of it; default: results/...", show_default=False
    ),
]
Vls = Annotated[int | None, typer.Option(min=1, max=15, help="Operational virtual lanes.", show_default=False)]


@app.command()
def check(
    files: Files,
    lmc: Lmc = None,
    vls: Vls = None,
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


@app.command("run")
def run_(
    files: Files,
    workload: Annotated[
        Literal["each_to_each", "permutation", "groups"],
        typer.Option(help="Every pair, a partner for each host, or a packet to each group from each member."),
    ] = "each_to_each",
    settings: Overrides = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the scenario, with paths as seen from its folder.", show_default=False),
    ] = None,
    out_dir: OutOrResults = None,
    lmc: Lmc = None,
) -> None:
    """Send packets through the tables: switches with virtual lanes execute them, and every delivery is checked.

    The command writes a scenario with `network.routing.kind: tables` and runs it as `polycast run` does, with report,
    waves and packet logs if you ask for them. `-s` replaces any key. With `--save` the scenario stays, to be changed.

    Tables with problems are refused, unless you say `-s network.routing.on_problem=run`: then packets that the tables
    lose are lost, and where packets wait in a circle the watchdog ends the run and tells it. To make a circle close,
    rather than wait for it, use `fabric deadlock`.

    Exit status: 0 all was delivered, 1 it was not, 2 refused.

    **Examples**

    - `polycast fabric run testbench/data/fabric/ring6.dfsssp`
    - `polycast fabric run testbench/data/fabric/irr8s3.updn.mcast/opensm-subnet.lst
      testbench/data/fabric/irr8s3.updn.mcast/opensm.fdbs --workload permutation -s 'workload[0].message=4 KiB'`
    - `polycast fabric run testbench/data/fabric/ring6.dfsssp -s network.fidelity=tlm --save ring.yaml`
    """
    from polycast_cli.fabric.run import run_fabric

    words = [] if lmc is None else ["--lmc", str(lmc)]
    raise typer.Exit(run_fabric(files, workload, settings or [], words, save, out_dir))


@app.command()
def deadlock(
    files: Files,
    cycle: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only this cycle; default: all, the shortest first.", show_default=False),
    ] = None,
    buffers: Annotated[
        str, typer.Option(metavar="N,...", help="Sizes of buffers, in longest packets for each lane.")
    ] = "1,2,4",
    attempts: Annotated[int, typer.Option(min=0, max=100000, help="Most runs with trains, for each cycle.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the moments at which trains begin.")] = 1,
    rtl: Annotated[
        str | None,
        typer.Option(
            metavar="SWITCH",
            help="Switch that is RTL in the comparison. Default: that with most channels of the cycle.",
            show_default=False,
        ),
    ] = None,
    no_rtl: Annotated[
        bool, typer.Option("--no-rtl", help="No comparison: models of large switches take long to build.")
    ] = False,
    out_dir: OutOrResults = None,
    lmc: Lmc = None,
    vls: Vls = None,
) -> None:
    """Make the tables deadlock: packets that close a cycle of channels are found, sent at the right moment, and shown.

    `fabric check` says that packets *may* wait in a circle. This command answers whether they do. For the shortest
    cycle of each component it looks for *witnesses*: packets that take two channels of the cycle in a row, each from a
    source of its own. Then it simulates:

    - **certain**: buffers hold one packet, every source is at the switch where its channel begins, and all send at
      once. Nothing else is in the network, so the cycle must close
    - **aligned**: some sources are further away and send earlier, by the time that their packets take
    - **trains**: else, and for larger buffers, each source sends 1, 4, 16 or 64 packets, at moments drawn from the seed

    A run counts if the watchdog stops it and its circle of waits is a cycle of the static graph. It is repeated with
    one switch in RTL, which must give the same diagnosis and the same waves.

    **Look at** `report.md` in the folder: each dependency beside the packet that waits on it, a drawing with the cycle
    in red, waves from 50 cycles before the last channel was taken, and `deadlock.yaml`, which `polycast run` repeats
    and `polycast why` explains.

    Exit status: 0 there is no cycle, 1 there is one, closed or not reached, 2 refused. Not reached is evidence, and no
    proof that the tables are safe.

    **Examples**

    - `polycast fabric deadlock testbench/data/fabric/ring6.minhop --buffers 1 -o found` closes with six packets
    - `polycast run found/cycle1/deadlock.yaml` repeats it
    - `polycast run found/cycle1/deadlock.yaml -s switch.hoq_life=1000` loses packets instead, as switches with a
      lifetime do
    """
    from polycast_cli.fabric.deadlock import Options, show_deadlock, sizes_of

    options = Options(sizes_of(buffers), attempts, seed, cycle, not no_rtl, rtl, lmc, vls)
    raise typer.Exit(show_deadlock(files, options, out_dir))


Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the files; must not exist.", show_default=False)
]


@app.command()
def repair(
    files: Files,
    out_dir: Out,
    root: Annotated[
        str | None,
        typer.Option(
            metavar="SWITCH",
            help="Switch at the root of the first order of trees, by name or GUID. Default: the one in the middle.",
            show_default=False,
        ),
    ] = None,
    vls: Annotated[
        int | None,
        typer.Option(
            min=1, max=15, help="Data lanes that may be used. Default: those of all ports, else 8.", show_default=False
        ),
    ] = None,
    lmc: Lmc = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Warn of tables of switches that the topology does not have.")
    ] = False,
) -> None:
    """Repair a fabric whose packets can deadlock: other trees for its groups, or more virtual lanes.

    The ports of unicasts stay as the subnet manager chose them. First the groups get other trees, in an order of the
    switches in which no tree turns from down to up. If unicasts have a loop of their own, they get path SLs and lanes.

    The folder has OpenSM's own forms: `opensm.mcfdbs`, `dump_mfts.txt`, and with lanes `psl` and `opensm-sl2vl.dump`,
    besides the files that stay as they are, so that `fabric check` and ibdmchk read it. `repair.md` shows old and new
    trees.

    Exit status: 0 repaired, 1 not repaired, 2 files that cannot be read.

    **Examples**

    - `polycast fabric repair testbench/data/fabric/irr8s3.updn.mcast --root switch4 -o repaired`
    - `polycast fabric repair testbench/data/fabric/ring6.minhop --vls 2 -o ring`
    """
    from polycast_cli.simulator import ready

    command: list[str | Path] = [ready(), "fabric", "repair", *files, "--out", out_dir]
    for name, value in (("--root", root), ("--vls", vls), ("--lmc", lmc)):
        command += [] if value is None else [name, str(value)]
    raise typer.Exit(common.run([*command, *(["--partial"] if partial else [])], cwd=Path.cwd()))


@app.command()
def tables(
    source: Source,
    out_dir: Out,
    engine: Annotated[
        Literal["updn", "dmodk", "minhop"],
        typer.Option(
            help="updn: up*/down*, least used ports; dmodk: for folded Clos networks, by the number of the "
            "destination; minhop: shortest paths, which may deadlock.",
            show_default=False,
        ),
    ],
    settings: Overrides = None,
    lmc: Annotated[int, typer.Option(min=0, max=7, help="Each host has 2^LMC LIDs.")] = 0,
    roots: Annotated[
        list[str] | None,
        typer.Option(
            "--root",
            metavar="SWITCH",
            help="Switch at the root of updn or dmodk; may be repeated. Default: those farthest from hosts.",
        ),
    ] = None,
) -> None:
    """Make LIDs and forwarding tables for any network of switches, in the forms of OpenSM's dumps.

    Hosts get LIDs by GUID, then switches. The folder has `opensm-subnet.lst`, `opensm.fdbs` and `opensm-lfts.dump`.

    **Example**

    - `polycast fabric tables testbench/data/fabric/ring6.net --engine updn -o tables`
    """
    from polycast_cli.simulator import ready

    chosen = [word for root in roots or [] for word in ("--root", root)]
    command = [ready(), "fabric", "tables", source, *set_options(settings or []), *chosen]
    command += ["--engine", engine, "--lmc", str(lmc), "--out", out_dir]
    raise typer.Exit(common.run(command, cwd=Path.cwd()))

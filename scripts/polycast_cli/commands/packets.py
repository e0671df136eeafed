# SPDX-License-Identifier: Apache-2.0
"""The commands about packet logs: why, packets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.common import UserError, say, shown

app = typer.Typer()

Result = Annotated[
    Path | None, typer.Argument(help="Results folder or packet log. Default: the newest results with packet logs.")
]
Log = Annotated[str, typer.Option("--log", metavar="NAME", help="Name of the log, if the run has several.")]


@app.command()
def why(
    result: Result = None,
    packet: Annotated[
        str | None,
        typer.Option(
            "-p",
            "--packet",
            metavar="PACKET",
            help="Number of the packet, or HOST#SEQUENCE. Default: list the slowest packets.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Destination, if the packet has several. Default: the last one reached."),
    ] = None,
    slowest: Annotated[int, typer.Option(min=1, help="Number of slow packets to list, without --packet.")] = 10,
    critical: Annotated[
        bool, typer.Option("--critical", help="Of a program: what each cycle up to its finish was needed for.")
    ] = False,
    operation: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Of a program: what an operation waited for: 'rank 3 l17', 'rank 3 line 12'."
        ),
    ] = None,
    log: Log = "",
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show where a packet spent every cycle, and which packets blocked it; or the critical path of a program.

    Packets need a run with `--packets`. They are numbered from 0 in the order in which they appear. The critical path
    is there after every run of a program.

    **Examples**

    - `polycast run my.yaml --packets`, then `polycast why` for the slowest packets
    - `polycast why results/my --packet 4711` everything about one packet
    - `polycast why --packet 3#17 --to host9 --json`
    - `polycast run testbench/scenarios/program.yaml --out results/my`, then
      `polycast why results/my --critical --log irregular-1/stencil`
    - `polycast why results/my --operation 'rank 3 l17' --log irregular-1/stencil`
    """
    if sum((critical, packet is not None, operation is not None)) > 1:
        raise UserError(
            "--critical is of a whole run, --operation of one operation and --packet of one packet: take one of them"
        )
    if critical or operation is not None:
        from polycast_cli.packets.critical import show_critical
        from polycast_cli.packets.operations import show_operation
        from polycast_cli.results import Folder, newest

        folder = Folder(result) if result is not None else newest()
        if operation is not None:
            show_operation(folder, log, operation, json)
        else:
            show_critical(folder, log, json)
        return
    from polycast_cli.packets.log import open_log
    from polycast_cli.packets.show import find_packet, show_slowest, show_why

    opened = open_log(result, log)
    if packet is not None:
        show_why(opened, find_packet(opened, packet), to, json)
        return
    if to is not None or json:
        raise UserError(f"{'--to' if to is not None else '--json'} needs one packet: --packet NUMBER")
    show_slowest(opened, slowest)


@app.command()
def packets(
    result: Result = None,
    output: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Timeline: .json, or .json.gz.")] = Path(
        "packets.json.gz"
    ),
    first: Annotated[int, typer.Option("--from", metavar="CYCLE", min=0, help="First cycle.")] = 0,
    last: Annotated[int | None, typer.Option("--to", metavar="CYCLE", min=0, help="Last cycle.")] = None,
    packet: Annotated[
        list[str] | None, typer.Option("-p", "--packet", help="Only this packet; may be repeated.")
    ] = None,
    cycle: Annotated[float, typer.Option(metavar="NS", min=1e-6, help="Length of a cycle in nanoseconds.")] = 1.0,
    log: Log = "",
) -> None:
    """Write a timeline of all packets for https://ui.perfetto.dev: a track for each port, a slice for each packet.

    Programs have a track for each processor of a rank, too, with a slice for each operation.

    **Examples**

    - `polycast run my.yaml --packets`, then `polycast packets -o my.json.gz`
    - `polycast packets results/my --from 1000 --to 2000 -o part.json`
    - `polycast packets --packet 4711 --packet 4712 -o two.json`
    """
    from polycast_cli.packets.log import open_log
    from polycast_cli.packets.show import find_packet
    from polycast_cli.packets.timeline import write_timeline

    if output.suffixes[-1:] != [".json"] and output.suffixes[-2:] != [".json", ".gz"]:
        raise UserError(f"-o {output}: a timeline is .json or .json.gz")
    opened = open_log(result, log)
    if last is not None and last < first:
        raise UserError(f"--to {last} lies before --from {first}")
    end = opened.cycles if last is None else min(last, opened.cycles)
    chosen = [find_packet(opened, name).number for name in packet] if packet else None
    count = write_timeline(opened, output, first, end, chosen, cycle)
    say(f"{count} passages written to {shown(output)}: open it in https://ui.perfetto.dev")

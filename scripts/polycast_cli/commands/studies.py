# SPDX-License-Identifier: Apache-2.0
"""The commands about studies: reproduce, compare, advise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli.commands.options import Jobs, Overrides, Preset, Scheduler, Source
from polycast_cli.common import RESULTS, UserError, again

app = typer.Typer()

Quick = Annotated[bool, typer.Option("--quick/--full", help="Coarse version in minutes, or the whole study.")]
Output = Annotated[Path | None, typer.Option("-o", "--out", metavar="DIR", help="Folder of the study.")]
Figures = Annotated[
    list[str] | None, typer.Option("--figure", metavar="NAME", help="Run only this figure; may be repeated.")
]
Ratio = Annotated[float | None, typer.Option("--R", help="Ratio of host overhead to interface overhead, t_hs / t_ns.")]
Size = Annotated[int, typer.Option("--bytes", min=1, help="Length of the message.")]


def typed() -> str:
    """The command line as it was typed."""
    return again(*sys.argv[1:])


@app.command()
def reproduce(
    study: Annotated[
        str, typer.Argument(help="multidestination, network-coding, ibt, multirail, multilane or collectives.")
    ] = "multidestination",
    quick: Quick = True,
    out_dir: Output = None,
    figures: Figures = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    preset: Preset = "release",
) -> None:
    """Reproduce a published study: every figure with tables and plots, and a verdict on every conclusion.

    multidestination: multicast by switches and interfaces on irregular networks. network-coding: all-to-all broadcast
    with network coding on meshes and tori: hops and times, as published and for complete deliveries.
    ibt: pipelined broadcasts on interlaced bypass tori, in steps, up to a million nodes, with the published fits.
    multirail: bandwidth and latency under load for each policy to allocate several networks, and the rails needed.
    multilane: broadcasts over two lanes of each node, within a cluster and between two; streams limited by windows.
    collectives: what is said of algorithms of collectives, and whether a prediction names the best one, on four
    networks (`--figure switch8`, irregular32, mesh64, fat_tree64).

    Runs whose results are in the folder are not repeated, so a study that was interrupted continues.

    **Examples**

    - `polycast reproduce multidestination` the quick version, in results/multidestination-quick
    - `polycast reproduce multidestination --full -o results/full`
    - `polycast reproduce multidestination --figure ratio --figure message`
    - `polycast reproduce network-coding`
    - `polycast reproduce ibt --full`
    - `polycast reproduce multirail --figure required`
    - `polycast reproduce multilane`
    - `polycast reproduce collectives --figure switch8`
    """
    from polycast_cli.studies import model
    from polycast_cli.studies.reproduce import Order, reproduce

    if study == "collectives":
        from polycast_cli.studies import collectives_study

        if scheduler is not None:
            raise UserError("--scheduler: this study runs on one machine; --jobs says how much of it")
        deep: collectives_study.Depth = "quick" if quick else "full"
        place = out_dir or RESULTS / f"collectives-{deep}"
        raise typer.Exit(collectives_study.reproduce(place, deep, figures or [], jobs, preset))

    chosen = model.load_study(model.study_file(study))
    depth: model.Depth = "quick" if quick else "full"
    folder = out_dir or RESULTS / f"{chosen.name}-{depth}"
    order = Order(chosen, depth, folder, chosen.chosen(figures or []), jobs, typed(), preset, scheduler)
    raise typer.Exit(reproduce(order))


@app.command()
def compare(
    topology: Source,
    size: Size = 128,
    degree: Annotated[
        list[int] | None, typer.Option(help="Number of destinations; may be repeated. Default: a range.")
    ] = None,
    schemes: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Schemes, from tree,path,ni,ssr,hybrid,software,unicasts. Default: all."),
    ] = None,
    ratio: Ratio = None,
    settings: Overrides = None,
    quick: Quick = True,
    out_dir: Output = None,
    figures: Figures = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    preset: Preset = "release",
) -> None:
    """Compare all multicast schemes on your own network: latency against degree, message length and load.

    **Examples**

    - `polycast compare fabric.ibnetdiscover`
    - `polycast compare my.yaml --bytes 1024 --degree 3 --degree 7 --schemes tree,ni,path --R 2`
    - `polycast compare fabric.graphml --full -o results/fabric`
    """
    from polycast_cli.simulator import ready
    from polycast_cli.studies.compare import comparison
    from polycast_cli.studies.network import load_network
    from polycast_cli.studies.reproduce import Order, reproduce

    network = load_network(ready(preset), topology, ratio, settings or [])
    wanted = [name for name in (schemes or "").split(",") if name]
    study = comparison(network, size, degree or [], wanted)
    depth: Literal["quick", "full"] = "quick" if quick else "full"
    folder = out_dir or RESULTS / f"compare-{network.name}-{depth}"
    order = Order(study, depth, folder, study.chosen(figures or []), jobs, typed(), preset, scheduler, lenient=True)
    raise typer.Exit(reproduce(order))


@app.command()
def advise(
    topology: Source,
    size: Size = 128,
    degree: Annotated[
        int | None, typer.Option(min=1, help="Number of random destinations. Default: half of the hosts.")
    ] = None,
    destinations: Annotated[
        str | None,
        typer.Option(
            metavar="HOSTS", help="Destinations by names or numbers, separated by commas, instead of random ones."
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="HOST", help="Source, with --destinations.")] = None,
    ratio: Ratio = None,
    settings: Overrides = None,
    draws: Annotated[int, typer.Option(min=1, help="Number of random sets of destinations.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random sets.")] = 1,
    collective: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Algorithms of these collectives of the library instead, with commas between; all: of all.",
        ),
    ] = None,
    sizes: Annotated[
        str, typer.Option(metavar="SIZES", help="With --collective: a range in steps of 4, or sizes with commas.")
    ] = "64B..1MiB",
    ranks: Annotated[
        int | None, typer.Option(min=1, help="With --collective: number of ranks. Default: all hosts.")
    ] = None,
    which: Annotated[
        Literal["none", "near", "all"],
        typer.Option(
            "--simulate", help="With --collective: near simulates what is predicted within 1.5 times the best."
        ),
    ] = "near",
    table: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="With --collective: table for `algorithm: auto`."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    jobs: Jobs = None,
    preset: Preset = "release",
) -> None:
    """Find the fastest multicast scheme on a network, with predicted and simulated latencies of all schemes.

    With `--collective` it is the fastest algorithm of each collective at each size: the model is measured by
    ping-pongs and bursts, every algorithm is predicted on the reference machine, those near the best are simulated.
    **Regret** is what the predicted winner takes more than the best simulated one.

    **Examples**

    - `polycast advise fabric.ibnetdiscover --bytes 1024 --degree 15`
    - `polycast advise my.yaml --bytes 128 --source host0 --destinations host3,host7,host9 --R 2`
    - `polycast advise my.yaml --collective allreduce,broadcast --sizes 64B..4KiB -o table.yaml`
    - `polycast advise my.yaml --collective all --simulate none`
    """
    from polycast_cli.simulator import ready
    from polycast_cli.studies import advise as advisor
    from polycast_cli.studies import collectives
    from polycast_cli.studies.network import load_network

    if collective is None and (ranks is not None or table is not None):
        raise UserError("--ranks and -o are about --collective")
    if collective is not None and (degree is not None or destinations is not None or source is not None):
        raise UserError(
            "--degree, --destinations and --source are about multicasts: leave them out beside --collective"
        )
    if collective is not None:
        program = ready(preset)
        network = load_network(program, topology, ratio, settings or [])
        question = collectives.Question(program, network, collective, sizes, ranks, which)
        raise typer.Exit(collectives.advise(question, jobs, as_json, table))

    if destinations is not None and degree is not None:
        raise UserError("give --degree or --destinations, not both")
    if source is not None and destinations is None:
        raise UserError("--source: name the --destinations, too")
    program = ready(preset)
    network = load_network(program, topology, ratio, settings or [])
    hosts = network.hosts
    if destinations is not None:
        names = [name.strip() for name in destinations.split(",") if name.strip()]
        sets = [advisor.given_set(hosts, source, names)]
    else:
        count = degree if degree is not None else max(1, len(hosts) // 2)
        if count >= len(hosts):
            raise UserError(f"--degree {count}: the network has {len(hosts)} hosts, so 1..{len(hosts) - 1}")
        sets = advisor.drawn_sets(hosts, count, draws, seed)
    raise typer.Exit(advisor.advise(program, network, size, sets, jobs, as_json))

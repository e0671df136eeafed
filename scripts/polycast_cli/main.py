# SPDX-License-Identifier: Apache-2.0
"""The commands. Each does its work in a module of its own."""

from __future__ import annotations

import sys
from copy import copy
from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli import common
from polycast_cli.commands import (
    campaigns,
    cost,
    coverage,
    fabric,
    packets,
    program,
    regression,
    reports,
    shell,
    studies,
    testing,
)
from polycast_cli.commands.options import Jobs, Overrides, Picture, Preset, Scheduler
from polycast_cli.common import ROOT, STATUSES, Failure, Status, UserError, err, say

app = typer.Typer(
    name="polycast",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=f"""
Hardware models of switches, routers and network interfaces for collective communication.

Two commands to begin with:

- `scripts/polycast run` simulates the default scenario and writes a report
- `scripts/polycast test` builds and runs the tests that every change needs

{STATUSES}
""",
)

Scenario = Annotated[Path, typer.Argument(help="Scenario file (YAML).", show_default=False)]


def show_version(wanted: bool) -> None:
    if wanted:
        common.out.print(f"polycast {common.version()}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def overrides(values: list[str] | None) -> list[str]:
    for value in values or []:
        if "=" not in value:
            raise UserError(f"-s {value}: expected KEY=VALUE, for instance -s seed=7")
    return common.set_options(values or [])


@app.command()
def run(
    scenario: Annotated[
        Path | None, typer.Argument(help="Scenario file (YAML). Default: testbench/scenarios/first_light.yaml.")
    ] = None,
    settings: Overrides = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Results folder. Earlier results in it are replaced; a sweep in it continues. "
            "Default: results/NAME-DATE.",
        ),
    ] = None,
    waves: Annotated[bool, typer.Option("--waves", help="Record waves (FST and a GTKWave save file).")] = False,
    chips: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Record waves of these chips only: switch3,switch5.")
    ] = None,
    trigger: Annotated[
        str | None,
        typer.Option(
            metavar="EVENT[:PACKET][@CHIP]",
            help="Record waves only around an event: dropped:4711, passes:4711@switch3, error, latency:500 (cycles), "
            "full:100@switch3. `trace.trigger` in the scenario sets the number of cycles.",
        ),
    ] = None,
    packets: Annotated[
        bool, typer.Option("--packets", help="Log where each packet is in each cycle, for `why` and `packets`.")
    ] = False,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    again: Annotated[bool, typer.Option("--again", help="Sweeps only: repeat the runs that did not pass.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Sweeps only: list the runs and check them, simulate nothing.")
    ] = False,
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Simulate each network by N processes together, by MPI; `network.threads` is of each. Results are "
            "the same.",
        ),
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="OPTIONS", help="For mpirun in place of ours: --mpi '--hostfile hosts --map-by node'."),
    ] = None,
    gdb: Annotated[
        str | None,
        typer.Option(
            metavar="HOST[:PORT]",
            help="Stop the firmware of this host's network interface at its first instruction and wait for gdb.",
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(metavar="HOSTS", help="Write the firmware's cycles by function: host3,host5.")
    ] = None,
    instructions: Annotated[
        str | None, typer.Option(metavar="HOSTS", help="Write every instruction of the firmware: host3,host5.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    preset: Preset = "release",
) -> None:
    """Simulate a scenario, check every delivery, write a results folder with a report.

    **Examples**

    - `polycast run` the default scenario: one multicast on ten irregular networks, by tree worms and by unicasts
    - `polycast run my.yaml -s seed=7 -s network.fidelity=rtl --out results/rtl`
    - `polycast run my.yaml -s seed=1..3 -s 'workload.tree.degree=[3,5]'` a sweep: six runs, one table
    - `polycast run my.yaml -s seed=1..1000 --out results/many --scheduler slurm:queue=long,cores=8 -j 64`
    - `polycast run my.yaml --ranks 4 -s network.threads=8` one large network on four processes of eight threads
    - `polycast run my.yaml --waves`, then `polycast waves --open tree`
    - `polycast run my.yaml --trigger dropped:4711 -s trace.trigger.before=200`, then `polycast waves --open tree`
    - `polycast run my.yaml --packets`, then `polycast why`
    - `polycast run testbench/scenarios/forwarding.yaml --gdb host5` then gdb-multiarch in another terminal
    """
    from polycast_cli.ranks import launcher
    from polycast_cli.running import Sweeping, run_scenario
    from polycast_cli.simulator import DEFAULT_SCENARIO

    options: list[str] = []
    if waves or chips:
        options.append(f"--waves={chips or 'all'}")
    if trigger:
        options += ["--trigger", trigger]
    if packets:
        options.append("--packets")
    for name, value in (("--gdb", gdb), ("--profile", profile), ("--instructions", instructions)):
        if value:
            options += [name, value]
    sweeping, path = Sweeping(scheduler, again, dry_run), scenario or ROOT / DEFAULT_SCENARIO
    launch = launcher(ranks, mpi)
    raise typer.Exit(run_scenario(path, overrides(settings), options, out_dir, jobs, sweeping, open_, preset, launch))


@app.command()
def check(
    scenario: Scenario,
    settings: Overrides = None,
    fix_schema: Annotated[
        bool,
        typer.Option(
            "--fix-schema",
            help="First write or renew the comment '# yaml-language-server: $schema=...' in the scenario, by which "
            "editors find the JSON Schema.",
        ),
    ] = False,
) -> None:
    """Check a scenario without running it: keys, units, the network, deadlocks, reachability.

    **Examples**

    - `polycast check my.yaml`
    - `polycast check my.yaml -s switch.buffer="1280 flit"`
    - `polycast check my.yaml --fix-schema` and the editor completes keys, explains them and marks mistakes
    """
    from polycast_cli.schema_line import fix_schema as write_line
    from polycast_cli.simulator import ready

    simulator = ready()
    if fix_schema:
        write_line(scenario, simulator)
    raise typer.Exit(common.run([simulator, "check", scenario, *overrides(settings)], cwd=Path.cwd()))


@app.command()
def topology(
    source: Annotated[
        Path | None,
        typer.Argument(
            help="Scenario, or topology file (GraphML, edge list, ibnetdiscover, ibsim).", show_default=False
        ),
    ] = None,
    settings: Overrides = None,
    instance: Annotated[
        int, typer.Option("-n", "--instance", help="Number of the network, if the scenario has several; from 1.")
    ] = 1,
    generate: Annotated[
        Literal["folded_clos"] | None,
        typer.Option(
            help="In place of a file: a folded Clos network (fat tree) with all ports of its top down.",
            show_default=False,
        ),
    ] = None,
    ports: Annotated[int, typer.Option(help="With --generate: ports of each switch, p.")] = 36,
    levels: Annotated[int, typer.Option(help="With --generate: levels of switches, n, for 2 (p/2)^n hosts.")] = 2,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the network as a topology file: .graphml, .txt (edge list), .net (ibsim) or .ibnetdiscover.",
        ),
    ] = None,
    output: Picture = None,
) -> None:
    """Describe a network in tables and draw it, or generate one.

    **Examples**

    - `polycast topology my.yaml`
    - `polycast topology testbench/data/irregular32.ibnetdiscover -o network.svg`
    - `polycast topology --generate folded_clos --ports 36 --levels 3 --save clos.net` 11,664 hosts, 1,620 switches
    """
    from polycast_cli.topology import describe

    if source is None and generate is None:
        raise UserError("Missing argument 'SOURCE': name a file, or --generate folded_clos")
    where: list[str | Path] = [] if source is None else [source]
    if generate is not None:
        where += ["--generate", generate, "--ports", str(ports), "--levels", str(levels)]
    raise typer.Exit(describe(where, overrides(settings), instance, output, save))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def analyse(
    context: typer.Context,
    what: Annotated[
        Literal["plan", "kbinomial", "network-coding", "ibt", "rails", "multilane"],
        typer.Argument(
            help="Plans of a multicast, k-binomial trees, hops of a broadcast, pipelined broadcasts, "
            "an allocation of rails, or broadcasts over lanes.",
            show_default=False,
        ),
    ],
    output: Picture = None,
) -> None:
    """Compute the plan of a multicast or broadcast for each scheme; only `ibt` simulates.

    `-o FILE.svg` draws the results of `plan`, `rails` or `multilane`.

    `plan TOPOLOGY --source HOST --destinations HOST,HOST,...` gives chains, worms, phases, steps and the predicted
    latency of every scheme. TOPOLOGY is a scenario or a topology file. More options: `--json`, `--scheme NAME`,
    `--phases greedy|less_greedy`, `--root SWITCH`, `--bytes NUMBER`, `--stops NUMBER`,
    `--order chains|number|listed`, `--fanout best|timing|NUMBER`, `-s KEY=VALUE`, `-n INSTANCE`.
    A picture shows one scheme: path, less greedy, or what `--scheme` and `--phases` name.

    `kbinomial --nodes NUMBER --packets NUMBER` gives the best k, the steps for each k and a tree; more options:
    `--k NUMBER`, `--json`.

    `network-coding --k NUMBER` gives the unicasts and hops of an all-to-all broadcast on a k-ary n-mesh with
    hierarchical network coding, step by step, as the paper counts them and as nodes need them, beside the same without
    coding and every size of groups. More options: `--n NUMBER`, `--group NUMBER`, `--base tree|all-at-once`,
    `--placement inner|centre`, `--variant coded|every-node`, `--torus`, `--sources NUMBER`, `--recursive`,
    `--inner-groups NUMBER,NUMBER,...`, `--json`.

    `ibt --n NUMBER` gives diameter and mean distance of an interlaced bypass torus with `--d NUMBER` dimensions and
    `--bypass LENGTH,LENGTH,...`, or without bypasses of a torus, and runs pipelined broadcasts on it step by step,
    every byte checked: along a line by each packet-sending pattern, in a plane, everywhere, and on a torus by its
    link-disjoint trees. More options: `--packets NUMBER`, `--source X,Y,...`,
    `--only diameter|line|rectangular|global|trees`, `--dimension NUMBER`, `--algorithm colours|trees`,
    `--pattern NUMBER`, `--split NUMBER,NUMBER,...`, `--search SENDS`, `--bytes NUMBER`, `--seed NUMBER`,
    `--threads NUMBER`, `--history` and `--holdings` (what happens in each step, and who holds how much), `--json`.

    `rails --nodes NUMBER` allocates rails: which node transmits on which of several networks, so that every pair has
    one, which of them a pair can use, and how many rails any number of nodes needs. More options: `--algorithm 1|2`,
    `--rails NUMBER`, `--json`. `--matrix FILE` checks an allocation of yours: a line of 0 and 1 for each rail.

    `multilane --nodes NUMBER` gives the seconds of broadcasts over two lanes a node (chain, pipelined-chain, binary,
    binomial, van-de-geijn, multi-lane) by the paper's closed forms and piece by piece, and who sends what to whom on
    which lane. More options: `--sites NUMBER` or `--site-nodes NUMBER,NUMBER,...`, `--bytes SIZE`, `--piece SIZE`,
    `--lanes 1|2`, `--bandwidth RATE` (of all lanes of a node), `--latency TIME`, `--wan-latency TIME`,
    `--window SIZE` and `--streams NUMBER` (between sites), `--algorithm NAME`, `--json`. Numbers are in bytes, bytes/s
    and seconds, or have a unit: 32MiB, 250MB/s, 10ms.

    **Examples**

    - `polycast analyse plan my.yaml --source host0 --destinations host3,host7,host12`
    - `polycast analyse plan testbench/data/ordered_chains.txt --root 6 --source host20
      --destinations host10,host6,host18,host2 --scheme ssr -o plan.svg`
    - `polycast analyse kbinomial --nodes 32 --packets 3`
    - `polycast analyse network-coding --k 16 --group 32 --base tree`
    - `polycast analyse ibt --n 64 --d 2 --bypass 8,24 --packets 32 --source 1,0`
    - `polycast analyse ibt --n 100 --d 3 --only trees --threads 2` a million nodes
    - `polycast analyse rails --nodes 32 --algorithm 2 -o rails.svg`
    - `polycast analyse multilane --nodes 32 --sites 2 --bytes 32MB --window 100kB`
    - `polycast analyse multilane --nodes 31 --algorithm multi-lane -o trees.svg`
    """
    from polycast_cli.analysing import analyse as work_out

    raise typer.Exit(work_out(what, context.args, output))


@app.command()
def waves(
    result: Annotated[Path | None, typer.Argument(help="Results folder. Default: the newest one with waves.")] = None,
    open_: Annotated[
        str | None, typer.Option("--open", metavar="NAME", help="Open this wave in GTKWave with its save file.")
    ] = None,
) -> None:
    """List the wave files of a run with their save files, or open one.

    **Examples**

    - `polycast waves` lists the waves of the newest run
    - `polycast waves results/rtl --open tree`
    """
    from polycast_cli.waves import list_waves, open_wave

    if open_ is None:
        list_waves(result)
    else:
        raise typer.Exit(open_wave(result, open_))


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenarios, for editors.

    **Example**: `polycast schema > scenario.schema.json`
    """
    from polycast_cli.simulator import ready

    raise typer.Exit(common.run([ready(), "schema"], cwd=Path.cwd()))


@app.command()
def generate(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a file is out of date.")] = False,
) -> None:
    """Write the generated files: packet format, parameters of chips, registers of the interface, page of the commands.

    **Examples**

    - `polycast generate` after a change of hw/format/packet.yaml, hw/format/chips.yaml or hw/ni/registers.rdl
    - `polycast generate --check`
    """
    from polycast_cli.generate import chips, commands, formats, pins, registers

    texts = formats.render(ROOT) | chips.render(ROOT) | pins.render(ROOT) | registers.render(ROOT)
    texts |= commands.render(ROOT, app)
    stale = formats.refresh(ROOT, texts, check)
    for path in stale:
        say(f"{'out of date' if check else 'written'}: {path}")
    if check and stale:
        raise Failure("generated files are out of date: run `scripts/polycast generate`")
    if not stale:
        say("generated files are up to date")


@app.command()
def manual(
    output: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Folder, for MANPATH. Default: .polycast/man.")
    ] = None,
) -> None:
    """Write manual pages, polycast(1) and one for each command, of what `--help` says.

    **Examples**

    - `polycast manual -o ~/.local/share/man` then `man polycast-run`
    """
    from polycast_cli.manual import write_pages

    write_pages(app, output or common.STATE / "man")


for part in (testing, studies, packets, coverage, regression, campaigns, cost, reports, fabric, program, shell):
    app.add_typer(part.app)


def with_command(name: str) -> typer.Typer:
    """The application with this command only, as typer takes longer to prepare all of them than many take to run; with
    all where it has no such command."""
    parts = [each for each in app.registered_groups if each.typer_instance]
    groups = [each for each in parts if each.typer_instance.info.name]  # commands with commands of their own
    flat = [app, *(each.typer_instance for each in parts if each not in groups)]
    every = [command for each in flat for command in each.registered_commands]
    chosen = [one for one in every if name == (one.name or (one.callback and one.callback.__name__))]
    chosen_groups = [each for each in groups if name == each.typer_instance.info.name]
    if not chosen and not chosen_groups:
        return app
    made = copy(app)
    made.registered_commands, made.registered_groups = chosen, chosen_groups
    return made


def main(arguments: list[str] | None = None) -> None:
    """Entry point: turns errors into one line and an exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    shell.prepare()
    try:
        with_command(words[0] if words else "")(args=words, prog_name="polycast")
    except UserError as error:
        err.print(f"error: {error}")
        sys.exit(Status.BAD_INPUT)
    except Failure as failure:
        err.print(f"error: {failure}")
        sys.exit(Status.FAILED)

# SPDX-License-Identifier: Apache-2.0
"""The commands about the communication of applications: program show, check, convert, run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli import common

app = typer.Typer(
    name="program",
    no_args_is_help=True,
    help="""
Describe, check, convert and run the communication of an application: GOAL schedules, matrices of htsim, algorithms of
MSCCL, Chakra traces.

A schedule says what each rank sends, receives and computes, and what waits for what. LogGOPSim, ATLAHS and htsim run
the same files, as text or binary; Schedgen writes them from traces of MPI. `run` takes the LogGOPS model, without
chips. Algorithms of MSCCL move bytes, which are compared with what the collective has to give.
""",
)

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Schedule: GOAL as text or binary, a matrix of htsim (.cm), MSCCL XML, or a Chakra trace: one .et, or "
        "P for P.0.et, P.1.et, ..",
        show_default=False,
    ),
]
Form = Annotated[
    Literal["auto", "goal", "goal_binary", "htsim", "msccl", "chakra"],
    typer.Option("--format", help="Form of the file; by its content."),
]
Nics = Annotated[
    Literal["one", "hosts"] | None,
    typer.Option(
        help="What numbers of NICs mean, which files do not say: a rank has one interface that all messages take, or "
        "is a node with an interface for each number.",
        show_default=False,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="What times count: 1 ns, in matrices of htsim 1 ps.", show_default=False),
]
Piece = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="htsim: longest message that a connection is cut into; one message.", show_default=False
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="MSCCL: bytes of the larger buffer of a rank, as nccl-tests count; the least that the algorithm is for.",
        show_default=False,
    ),
]
Type = Annotated[
    Literal["u8", "i32", "i64", "f32", "bf16"] | None,
    typer.Option("--type", help="MSCCL: elements; f32.", show_default=False),
]
Reduction = Annotated[
    Literal["sum", "min", "max", "xor"] | None,
    typer.Option(help="MSCCL: how elements are reduced; as the file says, else sum.", show_default=False),
]
Slice = Annotated[
    str | None,
    typer.Option(
        "--slice",
        metavar="SIZE",
        help="MSCCL: bytes of a chunk that a pass of all steps takes; all.",
        show_default=False,
    ),
]
IgnoreRange = Annotated[bool, typer.Option("--ignore-range", help="MSCCL: take sizes that the algorithm is not for.")]
Ranks = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER", help="Chakra: ranks that execute a trace of one file.", min=1, max=65536, show_default=False
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Chakra: JSON file of groups; those that the trace lists.", show_default=False),
]
Streams = Annotated[
    Literal["serial", "tid", "dependencies"] | None,
    typer.Option(help="Chakra: what keeps order beside dependencies and groups; serial.", show_default=False),
]
Repair = Annotated[
    Literal["refuse", "drop"] | None,
    typer.Option(
        help="Chakra: a trace whose dependencies cannot be met is refused, or they are left out.", show_default=False
    ),
]
Compute = Annotated[
    Literal["trace", "roofline"] | None,
    typer.Option(help="Chakra: how long compute nodes take; trace.", show_default=False),
]
Peak = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="Chakra: operations per second of roofline: 100e12.", show_default=False),
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="RATE", help="Chakra: how fast the memory is: 2000 GB/s.", show_default=False),
]
Algorithms = Annotated[
    str | None,
    typer.Option(
        metavar="COLLECTIVE=ALGORITHM,...",
        help="Chakra: of which algorithms collectives are made: allreduce=doubling,default=auto.",
        show_default=False,
    ),
]
Races = Annotated[
    Literal["refuse", "allow"],
    typer.Option(help="Whether operations may touch the same bytes without a path between them."),
]
Json = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON; - prints it.", show_default=False),
]


#: Options that say what a file does not tell, by the name of their parameter.
READING = {
    "form": "--format",
    "nics": "--nics",
    "unit": "--unit",
    "piece": "--piece",
    "size": "--size",
    "element": "--type",
    "reduction": "--reduction",
    "cut": "--slice",
    "ranks": "--ranks",
    "groups": "--groups",
    "streams": "--streams",
    "repair": "--repair",
    "compute": "--compute",
    "peak": "--peak",
    "memory": "--memory",
    "algorithms": "--algorithms",
}


def reading(given: dict[str, object]) -> list[str | Path]:
    """What a user says of a file that it does not tell, from the parameters of a command."""
    words: list[str | Path] = []
    for name, option in READING.items():
        value = given.get(name)
        words += [] if value is None else [option, str(value)]
    return [*words, "--ignore-range"] if given["ignore_range"] else words


def simulate(command: str, file: Path, told: list[str | Path], *more: str | Path) -> None:
    """Ends with the simulator's exit status."""
    from polycast_cli.simulator import ready

    words: list[str | Path] = [ready(), "program", command, file, *more, *told]
    raise typer.Exit(common.run(words, cwd=Path.cwd()))


def written(json: Path | None) -> list[str | Path]:
    return [] if json is None else ["--json", json]


@app.command()
def show(
    file: File,
    form: Form = "auto",
    nics: Nics = None,
    unit: Unit = None,
    piece: Piece = None,
    size: Size = None,
    element: Type = None,
    reduction: Reduction = None,
    cut: Slice = None,
    ignore_range: IgnoreRange = False,
    ranks: Ranks = None,
    groups: Groups = None,
    streams: Streams = None,
    repair: Repair = None,
    compute: Compute = None,
    peak: Peak = None,
    memory: Memory = None,
    json: Json = None,
) -> None:
    """Describe a schedule: operations, messages by length, balance of the ranks, longest chain of messages.

    The **longest chain** is how many messages come one after the other in any case, however fast the network is: 14 in
    a ring allreduce of 8 ranks, 5 in one by recursive doubling of 12.

    **Example**

    - `polycast program show testbench/data/programs/goal/allreduce_ring_8.goal`
    """
    told = reading(locals())
    simulate("show", file, told, *written(json))


@app.command()
def check(
    file: File,
    eager: Annotated[
        str, typer.Option(metavar="SIZE", help="Longest message that is sent without asking the receiver.")
    ] = "16 KiB",
    races: Races = "refuse",
    form: Form = "auto",
    nics: Nics = None,
    unit: Unit = None,
    piece: Piece = None,
    size: Size = None,
    element: Type = None,
    reduction: Reduction = None,
    cut: Slice = None,
    ignore_range: IgnoreRange = False,
    ranks: Ranks = None,
    groups: Groups = None,
    streams: Streams = None,
    repair: Repair = None,
    compute: Compute = None,
    peak: Peak = None,
    memory: Memory = None,
    algorithms: Algorithms = None,
    json: Json = None,
) -> None:
    """Check a schedule without running it: does every message have its receive, and can all of it end?

    - every source, destination and tag has as many messages as receives, of the same lengths
    - no operations wait for each other in a circle. Messages longer than `--eager` wait for their receive
      (rendezvous), so two ranks that send to each other first and receive later stop when messages get long

    - of algorithms of MSCCL: no two operations touch the same bytes, one of them writing, without a path of
      dependencies and messages between them (a race)

    The shortest circle is printed operation by operation, with labels and lines.

    Exit status: 0 nothing found, 1 problems, 2 a file that is refused.

    **Examples**

    - `polycast program check testbench/data/programs/goal/stencil_4x4.goal`
    - `polycast program check testbench/data/programs/bad/head_to_head.goal --eager 70000`
    """
    told = reading(locals())
    simulate(
        "check",
        file,
        told,
        "--eager",
        eager,
        "--races",
        races,
        *written(json),
    )


@app.command()
def convert(
    file: File,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="File to write.", show_default=False)],
    to: Annotated[
        Literal["goal", "goal_binary"] | None,
        typer.Option(help="Form to write; default: binary for .bin, else text.", show_default=False),
    ] = None,
    form: Form = "auto",
    nics: Nics = None,
    unit: Unit = None,
    piece: Piece = None,
    size: Size = None,
    element: Type = None,
    reduction: Reduction = None,
    cut: Slice = None,
    ignore_range: IgnoreRange = False,
    ranks: Ranks = None,
    groups: Groups = None,
    streams: Streams = None,
    repair: Repair = None,
    compute: Compute = None,
    peak: Peak = None,
    memory: Memory = None,
    algorithms: Algorithms = None,
) -> None:
    """Write a schedule in the other form: text for people, binary for LogGOPSim and for speed.

    Reading the result gives the same schedule, but labels become `l1`, `l2`, ..

    **Examples**

    - `polycast program convert testbench/data/programs/goal/random_2.bin random.goal`
    - `polycast program convert testbench/data/programs/goal/two_cpus.goal two_cpus.bin`
    """
    told = reading(locals())
    simulate(
        "convert",
        file,
        told,
        target,
        *([] if to is None else ["--to", to]),
    )


@app.command("run")
def run_(
    file: File,
    loggops: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=NUMBER,...",
            help="Parameters in the schedule's unit of time, those of LogGOPSim by default: "
            "L=2500,o=1500,g=1000,G=6,O=0,S=65535; o_receive is o.",
            show_default=False,
        ),
    ] = None,
    races: Races = "refuse",
    form: Form = "auto",
    nics: Nics = None,
    unit: Unit = None,
    piece: Piece = None,
    size: Size = None,
    element: Type = None,
    reduction: Reduction = None,
    cut: Slice = None,
    ignore_range: IgnoreRange = False,
    ranks: Ranks = None,
    groups: Groups = None,
    streams: Streams = None,
    repair: Repair = None,
    compute: Compute = None,
    peak: Peak = None,
    memory: Memory = None,
    algorithms: Algorithms = None,
    json: Json = None,
) -> None:
    """Run a schedule on the LogGOPS model: when does each rank finish? No chips, seconds for millions of operations.

    - `L` is the latency of the network, `o` the processor's time for a message (`o_receive` for one received)
    - `g` is the least time between messages at an interface, `G` its time for each further byte: 1 / bandwidth
    - `O` is the processor's time for each further byte
    - messages longer than `S` bytes wait for their receive

    The bytes of an algorithm of MSCCL are followed without time and network, and compared with what its collective has
    to give.

    `--json` has the finish of every rank. The rules are in hw/programs/programs.md.

    Exit status: 0 it ended, 1 it is stuck, with what waits for what, or its results are wrong, 2 a file that is
    refused, or whose check fails.

    **Examples**

    - `polycast program run testbench/data/programs/goal/allreduce_ring_8.goal`
    - `polycast program run testbench/data/programs/goal/barrier_13.goal --loggops L=11,o=7,g=5,G=3,O=2,S=10`
    - `polycast program run testbench/data/programs/msccl/allreduce_2.xml --size "1 MiB" --slice "32 KiB" --type bf16`
    - `polycast program run testbench/data/programs/chakra/all_gather.et --ranks 4 --algorithms allgather=bruck`
    """
    told = reading(locals())
    parameters = [] if loggops is None else ["--loggops", loggops]
    simulate("run", file, told, *parameters, "--races", races, *written(json))


@app.command()
def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV with the columns of nccl-tests.", show_default=False)
    ],
    algorithm: Annotated[str, typer.Option(metavar="NAME", help="Algorithm of the library.", show_default=False)],
    at: Annotated[str, typer.Option(metavar="SIZE,SIZE", help="Two sizes of the file.", show_default=False)],
    collective: Annotated[str, typer.Option(metavar="NAME", help="Which collective.")] = "allreduce",
    ranks: Annotated[int, typer.Option(min=2, help="Number of ranks.")] = 8,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Rate of the links, if it is known; then that of reductions is fitted.",
            show_default=False,
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Fit overheads and links of the reference machine to times that nccl-tests have measured at two sizes.

    The two sizes fix two numbers: t_hs = t_hr, and the rate of the links, or that of reductions where `--link` gives
    the other. The error at all other sizes is printed.

    **Example**

    - `polycast program fit testbench/data/nccl/allreduce_all_pairs.csv --algorithm two_shot --at 1KiB,256MiB`
    """
    told: list[str | Path] = ["--collective", collective, "--algorithm", algorithm, "--at", at, "--ranks", str(ranks)]
    simulate("fit", file, told, *([] if link is None else ["--link", link]), *written(json))

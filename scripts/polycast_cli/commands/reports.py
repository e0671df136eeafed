# SPDX-License-Identifier: Apache-2.0
"""The commands about results: report, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli.common import UserError, out, shown

app = typer.Typer()


@app.command()
def report(
    results: Annotated[
        list[Path], typer.Argument(help="Results folders; the others are compared with the first.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Page to write. Default: comparison.html in the last folder."),
    ] = None,
    fail_on: Annotated[
        Literal["nothing", "worse"],
        typer.Option(help="With `worse`: exit status 1 if a result got significantly worse or failed."),
    ] = "nothing",
    threshold: Annotated[
        float, typer.Option(help="With --fail-on worse: ignore changes of at most this many percent.")
    ] = 0.0,
) -> None:
    """Write report.html of a results folder again, or compare several folders.

    A comparison covers latency, accepted throughput, time to finish and link loads of each network and workload, with
    confidence intervals, significance, and the differences between the scenarios; sweeps are compared run by run. The
    exit status is 0 whatever it finds, unless `--fail-on worse` is given.

    **Examples**

    - `polycast report results/default-2026-01-31-120000`
    - `polycast report results/before results/after`
    - `polycast report results/main results/branch --fail-on worse --threshold 2` for CI
    """
    if len(results) > 1:
        from polycast_cli.reports.comparison_page import compare_runs

        raise typer.Exit(compare_runs(results, output, fail_on == "worse", threshold))
    if output is not None or fail_on != "nothing":
        raise UserError("--out and --fail-on are for comparisons: give two results folders or more")
    from polycast_cli.reports.report import write_report

    out.print(shown(write_report(results[0])))


@app.command()
def tables(
    results: Annotated[list[Path], typer.Argument(help="Results folders.", show_default=False)],
) -> None:
    """Write the tables of a results folder as Parquet: links.parquet beside links.csv, and so on.

    They are about a fifth of the size and have types. The next run into the folder removes them with the old results.
    Sweeps have a table of all their runs as Parquet anyway.

    **Examples**

    - `polycast tables results/default-2026-01-31-120000`
    """
    from polycast_cli.tables import write_parquet

    for folder in results:
        for file in write_parquet(folder):
            out.print(shown(file))

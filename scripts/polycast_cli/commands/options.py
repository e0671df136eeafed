# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Jobs = Annotated[
    int | None, typer.Option("-j", "--jobs", min=1, help="Simulations or tests at once; default: all cores.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Cluster to run on: tcp://HOST:PORT of a Dask scheduler; slurm or lsf, with options: "
        "slurm:queue=long,cores=8, slurm:FILE.yaml. Default: this machine.",
    ),
]

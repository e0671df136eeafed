# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Jobs = Annotated[
    int | None, typer.Option("-j", "--jobs", min=1, help="Simulations or tests at once; default: all cores.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Cluster to run on: tls://HOST:PORT or tcp://HOST:PORT of a Dask scheduler; slurm or lsf, with options: "
        "slurm:queue=long,cores=8, slurm:FILE.yaml. Default: this machine.",
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("-s", "--set", metavar="KEY=VALUE", help="Replace one value of the scenario; may be repeated."),
]
Preset = Annotated[str, typer.Option(help="CMake preset: release, debug, asan, tsan or coverage.")]
Source = Annotated[
    Path,
    typer.Argument(help="Scenario, or topology file (GraphML, edge list, ibnetdiscover, ibsim).", show_default=False),
]
Picture = Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Picture to write (.svg).")]
Filters = Annotated[
    list[str] | None, typer.Argument(metavar="[TESTS]...", help="Run only tests whose names match one of these.")
]

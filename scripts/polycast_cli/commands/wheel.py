# SPDX-License-Identifier: Apache-2.0
"""The command that makes the Python package: wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.common import out, shown, size_text

app = typer.Typer()


@app.command()
def wheel(
    output: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the wheel.")] = Path("dist"),
) -> None:
    """Build the wheel by which `pip install` gives `import polycast` and the command, simulator inside.

    It compiles the simulator once more, in build/wheel, and puts the libraries that a bare system lacks into the wheel.
    It can be installed on every Linux with a glibc as new as that of this machine; see python/README.md.

    **Examples**

    - `polycast wheel`, then `pip install dist/polycast-*.whl` in any virtual environment
    """
    from polycast_cli.wheel import build_wheel

    made = build_wheel(output)
    out.print(f"{shown(made)}: {size_text(made.stat().st_size)}")

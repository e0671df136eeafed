# SPDX-License-Identifier: Apache-2.0
"""`analyse`: plans of multicasts and broadcasts and allocations of rails, worked out by the simulator, and pictures."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from polycast_cli import common
from polycast_cli.common import Failure, Status, UserError, say, shown, write_whole
from polycast_cli.simulator import ready

#: What can be drawn.
DRAWN = ("plan", "rails", "multilane")


def picture(dot: str) -> str:
    """An SVG by Graphviz."""
    done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"graphviz could not draw it: {done.stderr.strip()[-200:]}")
    return done.stdout


def analyse(what: str, arguments: Sequence[str], output: Path | None) -> int:
    """Passes `arguments` to the simulator; draws where there is an `output`. Returns the exit status."""
    if output is not None and what not in DRAWN:
        raise UserError(f"-o {output}: only {', '.join(DRAWN[:-1])} and {DRAWN[-1]} are drawn")
    if output is not None and output.suffix != ".svg":
        raise UserError(f"{output}: pictures are written as .svg")
    command = [str(ready()), "analyse", what, *arguments]
    code = common.run(command, cwd=Path.cwd())
    if code != Status.OK or output is None:
        return code
    drawn = [part for part in command if part not in ("--json", "--dot")]
    dot = subprocess.run([*drawn, "--dot"], stdout=subprocess.PIPE, text=True, check=False)
    if dot.returncode:
        return dot.returncode
    write_whole(output, picture(dot.stdout))
    say(f"drawn to {shown(output)}")
    return Status.OK

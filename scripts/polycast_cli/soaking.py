# SPDX-License-Identifier: Apache-2.0
"""`soak`: the equivalence program without end."""

from __future__ import annotations

from pathlib import Path

from polycast_cli.build import build, folder
from polycast_cli.common import RESULTS, run, say, shown


def run_soak(
    hours: float, seed: int | None, replay: str | None, pair: str | None = None, rtl: Path | None = None
) -> int:
    """Returns the program's exit status: 0 when nothing differed until the time was over."""
    build(targets=["polycast-soak"], tests=True)
    waves = RESULTS / "soak"
    command: list[str | Path] = [folder() / "bin" / "polycast-soak", "--waves", waves]
    if pair is not None:
        command += ["--pair", pair]
    if rtl is not None:
        command += ["--rtl", rtl]
    if replay is not None:
        command += ["--replay", replay]
    else:
        command += ["--hours", f"{hours:g}", *([] if seed is None else ["--seed", str(seed)])]
        say(f"comparing core and RTL for {hours:g} h; waves of a failure go to {shown(waves)}")
    return run(command, cwd=Path.cwd())

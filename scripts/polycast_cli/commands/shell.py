# SPDX-License-Identifier: Apache-2.0
"""The command that sets up a shell: completion."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from polycast_cli.common import ROOT, out
from polycast_cli.completion import Shell, script

app = typer.Typer()

#: What typer asks a program by, whose name is polycast.
VARIABLE = "_POLYCAST_COMPLETE"


def prepare() -> None:
    """Before the program reads its words, when a shell asks what could follow."""
    if VARIABLE in os.environ:
        from typer.completion import completion_init

        completion_init()


def caller() -> str:
    """This command as any folder can call it."""
    return shutil.which("polycast") or str(ROOT / "scripts" / "polycast")


@app.command()
def completion(
    shell: Annotated[Shell | None, typer.Argument(help="Shell; that of SHELL.", show_default=False)] = None,
) -> None:
    """Print what makes a shell complete `polycast`: commands, options, files, choices.

    It also makes `polycast` a command of the shell that runs this checkout.

    **Examples**

    - `source <(scripts/polycast completion bash)` for this shell; in `~/.bashrc` for all
    - `scripts/polycast completion zsh > ~/.zsh/polycast.zsh` to be sourced behind `compinit` in `~/.zshrc`
    - `scripts/polycast completion fish > ~/.config/fish/conf.d/polycast.fish`
    """
    out.print(script(shell or Path(os.environ.get("SHELL", "bash")).name, caller(), VARIABLE))

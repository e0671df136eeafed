# SPDX-License-Identifier: Apache-2.0
"""The commands that set up a shell: completion, manual."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer

from polycast_cli.common import ROOT, out, say, shown

app = typer.Typer()

#: What typer asks a program by, whose name is polycast.
VARIABLE = "_POLYCAST_COMPLETE"


def caller() -> str:
    """This command as any folder can call it."""
    return shutil.which("polycast") or str(ROOT / "scripts" / "polycast")


@app.command()
def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None, typer.Argument(help="Shell; that of SHELL.", show_default=False)
    ] = None,
) -> None:
    """Print what makes a shell complete `polycast`: commands, options, files, choices.

    It also makes `polycast` a command of the shell that runs this checkout.

    **Examples**

    - `source <(scripts/polycast completion bash)` for this shell; in `~/.bashrc` for all
    - `scripts/polycast completion zsh > ~/.zsh/polycast.zsh` to be sourced behind `compinit` in `~/.zshrc`
    - `scripts/polycast completion fish > ~/.config/fish/conf.d/polycast.fish`
    """
    from polycast_cli.completion import script

    out.print(script(shell or Path(os.environ.get("SHELL", "bash")).name, caller(), VARIABLE))


@app.command()
def manual(
    output: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder, for MANPATH.")] = ROOT
    / ".polycast"
    / "man",
) -> None:
    """Write manual pages, polycast(1) and one for each command, of what `--help` says.

    **Examples**

    - `polycast manual -o ~/.local/share/man` then `man polycast-run`
    """
    from polycast_cli.main import app as application
    from polycast_cli.manual import write_pages

    written = write_pages(application, output)
    say(f"written: {len(written)} pages in {shown(written[0].parent)}; MANPATH={shown(output)}: man polycast")

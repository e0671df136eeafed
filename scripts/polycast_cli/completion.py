# SPDX-License-Identifier: Apache-2.0
"""Completion of command lines by bash, zsh and fish: typer's scripts, for a program that need not be on the path."""

from __future__ import annotations

import shlex
from typing import Literal, get_args

from typer.completion import completion_init, get_completion_script

from polycast_cli.common import UserError

Shell = Literal["bash", "zsh", "fish"]


def script(shell: str, program: str, variable: str) -> str:
    """What `shell` has to read; `program` is called. \\raises UserError for another shell."""
    if shell not in get_args(Shell):
        raise UserError(f"no completion for {shell}; take one of {', '.join(get_args(Shell))}")
    completion_init()
    called = shlex.quote(program)
    made = get_completion_script(prog_name="polycast", complete_var=variable, shell=shell)
    # The script calls the word that was typed, or polycast, by `env`, which knows no functions of the shell.
    for before in (f"{variable}=complete_{shell} $1", f"{variable}=complete_{shell} polycast", "-cp) polycast"):
        made = made.replace(before, before.rpartition(" ")[0] + " " + called)
    function = f"function polycast\n    {called} $argv\nend" if shell == "fish" else f'polycast() {{ {called} "$@"; }}'
    return f"{function}\n{made}"

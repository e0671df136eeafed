# SPDX-License-Identifier: Apache-2.0
"""The table of commands in scripts/README.md, from what `--help` says."""

from __future__ import annotations

from pathlib import Path

import typer

from polycast_cli.common import UserError

PAGE = Path("scripts/README.md")
BEGIN = "<!-- begin commands: written by `scripts/polycast generate` from what `--help` says -->\n"
END = "<!-- end commands -->\n"


def table(app: typer.Typer) -> str:
    """A row for each command: its name, and the first sentence of its help."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    rows = [f"| `{name}` | {(command.help or '').split(chr(10) * 2)[0]} |" for name, command in commands.items()]
    return "\n".join(["| name | |", "|---|---|", *(row.replace("\n", " ") for row in rows)]) + "\n"


def render(root: Path, app: typer.Typer) -> dict[Path, str]:
    """The text of the page."""
    text = (root / PAGE).read_text()
    if BEGIN not in text or END not in text:
        raise UserError(f"{PAGE}: the lines around the table of commands are missing: {BEGIN}{END}")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    return {PAGE: before + BEGIN + table(app) + END + after}

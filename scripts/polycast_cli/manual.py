# SPDX-License-Identifier: Apache-2.0
"""Manual pages in roff, of what `--help` says: polycast.1, and one for each command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.main import get_command

from polycast_cli.common import STATUSES, say, shown, version, write_whole

#: What starts a request of roff, or is one of its escapes.
ESCAPED = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"})


def plain(text: str) -> str:
    """`text` as roff prints it."""
    return re.sub(r"^(?=\.)", r"\\&", text.translate(ESCAPED), flags=re.MULTILINE)


def inline(tokens: Sequence[Token]) -> str:
    """A line of Markdown: code and strong words are bold, links are their text."""
    marks = {"strong_open": r"\fB", "strong_close": r"\fP", "em_open": r"\fI", "em_close": r"\fP"}
    text = ""
    for token in tokens:
        if token.type == "text":
            text += plain(token.content)
        elif token.type == "code_inline":
            text += rf"\fB{plain(token.content)}\fP"
        elif token.type in ("softbreak", "hardbreak"):
            text += "\n"
        else:
            text += marks.get(token.type, "")
    return text


def body(markdown: str) -> str:
    """Paragraphs, lists and code of a help text."""
    lines: list[str] = []
    item = False
    for token in MarkdownIt().parse(markdown):
        if token.type == "list_item_open":
            lines.append(r".IP \(bu 2")
            item = True
        elif token.type == "paragraph_open" and not item:
            lines.append(".PP")
        elif token.type == "inline":
            lines.append(inline(token.children or []))
            item = False
        elif token.type in ("fence", "code_block"):
            lines += [".EX", plain(token.content.rstrip()), ".EE"]
    return "\n".join(lines)


def options(command: Any, context: Any) -> Iterator[str]:
    """A tagged paragraph for each argument and option."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            name, text = record
            yield f".TP\n\\fB{plain(name)}\\fP\n{inline(MarkdownIt().parseInline(text)[0].children or [])}"


def page(name: str, command: Any, below: Sequence[str]) -> str:
    """The page of `command`, called `name` with dashes; `below` are the commands that it has."""
    context = command.context_class(command, info_name=name.replace("-", " "))
    usage = " ".join(command.collect_usage_pieces(context))
    see = [name.rpartition("-")[0]] if "-" in name else []
    parts = [
        f'.\\" SPDX-License-Identifier: Apache-2.0\n.TH {name.upper()} 1 "" "polycast {version()}"',
        f".SH NAME\n{plain(name)} \\- {plain(command.get_short_help_str(200))}",
        f".SH SYNOPSIS\n\\fB{plain(name.replace('-', ' '))}\\fP {plain(usage)}",
        f".SH DESCRIPTION\n{body((command.help or '').replace(STATUSES, ''))}",
    ]
    listed = list(options(command, context))
    if listed:
        parts.append(".SH OPTIONS\n" + "\n".join(listed))
    if below:
        short = [(each, command.get_command(context, each).get_short_help_str(200)) for each in below]
        parts.append(".SH COMMANDS\n" + "\n".join(f".TP\n\\fB{plain(n)}\\fP\n{plain(t)}" for n, t in short))
    parts.append(f".SH EXIT STATUS\n{plain(STATUSES.removeprefix('Exit status: '))}")
    see += [f"{name}-{each}" for each in below]
    if see:
        parts.append(".SH SEE ALSO\n" + " ,\n".join(f".BR {plain(each)} (1)" for each in see))
    return "\n".join(parts) + "\n"


def pages(application: Any) -> dict[str, str]:
    """Name of each page, such as polycast-run, and its text."""
    made: dict[str, str] = {}

    def add(name: str, command: Any) -> None:
        context = command.context_class(command, info_name=name)
        below = command.list_commands(context) if hasattr(command, "list_commands") else []
        made[name] = page(name, command, below)
        for each in below:
            add(f"{name}-{each}", command.get_command(context, each))

    add("polycast", get_command(application))
    return made


def write_pages(application: Any, folder: Path) -> None:
    """Writes folder/man1/*.1, which `man` finds with the folder in MANPATH."""
    section = folder / "man1"
    section.mkdir(parents=True, exist_ok=True)
    made = pages(application)
    for name, text in made.items():
        write_whole(section / f"{name}.1", text)
    say(f"written: {len(made)} pages in {shown(section)}; MANPATH={shown(folder)}: man polycast")

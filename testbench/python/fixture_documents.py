# SPDX-License-Identifier: Apache-2.0
"""What stands in the pages of the project: blocks, commands, links, headings. And in the help of the commands."""

from __future__ import annotations

import functools
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token
from polycast_cli.common import ROOT
from polycast_cli.main import app
from typer.core import TyperGroup

SKIPPED = {"build", "results"}
#: A comment behind a command says with which exit status it ends, if not 0.
STATUS = re.compile(r"#.*\bexit status (\d+)\b(?! (?:where|if|when)\b)")
HEREDOC = re.compile(r"<<-?\s*'?(\w+)'?")
#: How a command of ours begins in running text.
OURS = re.compile(r"(scripts/polycast|polycast|polycast-sim|build/release/bin/polycast-sim|ctest|cmake|python3?) ")

PATH = re.compile(r"(hw|rtl|tlm|firmware|testbench|scripts)/[\w./-]*")


@dataclass
class Command:
    """A command of a page, with what it should print where the page shows that."""

    text: str
    line: int
    status: int = 0
    #: None: the page does not show it.
    output: list[str] | None = None


@dataclass
class Block:
    """A fenced block."""

    language: str
    text: str
    line: int


@dataclass
class Page:
    """A page, or the help of a command."""

    path: str
    commands: list[Command] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    links: list[tuple[str, int]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    #: Inline code that is no command by itself: `run --packets`.
    mentions: list[tuple[str, int]] = field(default_factory=list)
    #: Inline code that is a path from the root.
    paths: list[tuple[str, int]] = field(default_factory=list)


@functools.cache
def cli() -> TyperGroup:
    """The command line with its commands and their options."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def pages() -> list[str]:
    """All pages, relative to the root."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith((".", "_"))]
        found += [str((Path(folder) / name).relative_to(ROOT)) for name in files if name.endswith(".md")]
    return sorted(found)


def slug(title: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def shell_commands(text: str, line: int) -> Iterator[Command]:
    """Commands of an `sh` block: lines, joined over backslashes and here-documents; not comments."""
    lines = iter(enumerate(text.splitlines(), line))
    for number, first in lines:
        if not first.strip() or first.lstrip().startswith("#"):
            continue
        whole = first
        while whole.endswith("\\"):
            whole += "\n" + next(lines)[1]
        if end := HEREDOC.search(first):
            while whole.rsplit("\n", 1)[-1].strip() != end[1]:
                whole += "\n" + next(lines)[1]
        status = STATUS.search(whole)
        yield Command(whole, number, int(status[1]) if status else 0)


def console_commands(text: str, line: int) -> Iterator[Command]:
    """Commands of a `console` block: lines that begin with `$ `, each with what it prints."""
    command: Command | None = None
    for number, content in enumerate(text.splitlines(), line):
        if content.startswith("$ "):
            if command:
                yield command
            status = STATUS.search(content)
            command = Command(content[2:], number, int(status[1]) if status else 0, [])
        elif command and command.text.endswith("\\"):
            command.text += "\n" + content
        elif command and command.output is not None:
            command.output.append(content)
    if command:
        yield command


def inline(page: Page, token: Token, line: int, command_column: bool) -> None:
    """Commands, links and mentions of a paragraph, heading or cell."""
    names = set(cli().commands)
    for part in token.children or []:
        if part.type == "code_inline":
            text = part.content
            if PATH.fullmatch(text):
                page.paths.append((text, line))
            elif re.fullmatch(r"scripts/polycast [\w-]+", text) and text.split()[1] in names and not command_column:
                continue  # the name of a command
            elif OURS.match(text):
                page.commands.append(Command(text, line))
            elif command_column and text.split()[0] in names:
                page.commands.append(Command(f"scripts/polycast {text}", line))
            elif text.split()[:1] and text.split()[0] in names and " -" in text:
                page.mentions.append((text, line))
        elif part.type in ("link_open", "image"):
            page.links.append((str(part.attrGet("href") or part.attrGet("src")), line))


def read_page(text: str, path: str) -> Page:
    """Takes a page apart."""
    page = Page(path)
    seen: dict[str, int] = {}
    header: list[str] = []
    column = -1
    line = 0
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in zip([Token("", "", 0), *tokens], tokens, strict=False):
        line = token.map[0] + 1 if token.map else line
        match token.type:
            case "table_open":
                header = []
            case "tr_open":
                column = -1
            case "th_open" | "td_open":
                column += 1
            case "fence":
                language = token.info.split()[0] if token.info.strip() else ""
                page.blocks.append(Block(language, token.content, line + 1))
                if language == "sh":
                    page.commands += shell_commands(token.content, line + 1)
                elif language == "console":
                    page.commands += console_commands(token.content, line + 1)
            case "code_block":
                page.blocks.append(Block("", token.content, line))
            case "inline":
                if before.type == "th_open":
                    header.append(token.content.strip().lower())
                in_commands = before.type == "td_open" and column < len(header) and header[column] == "command"
                inline(page, token, line, in_commands)
                if before.type == "heading_open":
                    anchor = slug("".join(part.content for part in token.children or []))
                    count = seen.get(anchor, 0)
                    seen[anchor] = count + 1
                    page.anchors.add(f"{anchor}-{count}" if count else anchor)
    return page


def page_of(path: str) -> Page:
    """The page of a file."""
    return read_page((ROOT / path).read_text(), path)


def help_pages() -> list[Page]:
    """The help of every command, as pages: their examples are code in lists."""

    def pages_of(group: TyperGroup, before: str) -> Iterator[Page]:
        for name, command in sorted(group.commands.items()):
            yield read_page(command.help or "", f"{before} {name} --help")
            if isinstance(command, TyperGroup):
                yield from pages_of(command, f"{before} {name}")

    return list(pages_of(cli(), "polycast"))


def headers() -> list[Page]:
    """Commands in comments of scenarios and plans, and in workflows of CI, each in a line of its own."""
    found = []
    files = [*(ROOT / "testbench").glob("*/*.yaml"), *(ROOT / "testbench").glob("*.yaml")]
    for path in sorted([*files, *(ROOT / "scripts/ci").glob("*.yml")]):
        page = Page(str(path.relative_to(ROOT)))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := re.match(r"(?:#\s+|\s+- |\s+run: )(scripts/polycast .*)", line):
                page.commands.append(Command(match[1], number))
        if page.commands:
            found.append(page)
    return found


def simple_commands(text: str) -> list[list[str]]:
    """The commands of a line as words, without comments: what stands between `&&`, `|` and the like."""
    line = re.sub(r"(^|\s)#\s.*", "", text.replace("\\\n", " ").split("\n", 1)[0])
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set("&|;<>"):
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words]


def as_typed(text: str) -> str:
    """A command with `polycast` and `polycast-sim` as they are called in a checkout."""
    text = re.sub(r"^polycast ", "scripts/polycast ", text)
    return re.sub(r"^polycast-sim ", "build/release/bin/polycast-sim ", text)


def parse_fault(text: str) -> str | None:
    """Why the command line would refuse a command of ours, as far as its words tell."""
    for parts in simple_commands(as_typed(text)):
        if parts[:1] != ["scripts/polycast"]:
            continue
        command, name, arguments = cli(), "polycast", parts[1:]
        while arguments and arguments[0] in getattr(command, "commands", {}):
            command, name, arguments = command.commands[arguments[0]], arguments[0], arguments[1:]
        if arguments and arguments[0].isupper() and name == "polycast":
            continue  # COMMAND --help
        if name == "polycast" and not {"--help", "-h"} & set(arguments):
            return f"there is no command {' '.join(arguments[:1]) or 'without a name'}"
        if name == "polycast" and set(arguments) <= {"--help", "-h"}:
            continue  # without the option it would print its help as an error
        try:
            command.make_context(name, [a for a in arguments if a not in ("--help", "-h")], resilient_parsing=False)
        except Exception as error:  # the exceptions of typer's own click have no public name
            return getattr(error, "message", None) or str(error) or type(error).__name__
    return None

# SPDX-License-Identifier: Apache-2.0
"""Places, messages and exit statuses that all commands share."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

#: What a wheel has in place of a checkout: simulator, firmware, schema, scenarios. None in a checkout.
PREFIX = Path(__file__).resolve().parents[1] / "polycast" / "prefix"
INSTALLED = PREFIX if PREFIX.is_dir() else None
ROOT = INSTALLED / "share" / "polycast" if INSTALLED else Path(__file__).resolve().parents[2]
STATE = (
    Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "polycast" if INSTALLED else ROOT / ".polycast"
)
RESULTS = Path("results") if INSTALLED else ROOT / "results"
if INSTALLED:
    # The simulator looks for RTL in the checkout that it was built in, which is not here.
    os.environ.setdefault("POLYCAST_RTL", str(ROOT / "rtl"))
    os.environ.setdefault("POLYCAST_MODEL_CACHE", str(STATE / "models"))

#: Controls but tabs and ends of lines, marks that turn the direction of text, and what is no character.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """`text` with escapes such as \\x1b for what cannot be seen, steers terminals, or has no place in XML."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Terminal(Console):
    """Prints plain text: what is printed holds names that users chose, which are no markup."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible(text), **options)


#: Results go to standard output, everything about the work to standard error.
out, err = Terminal(), Terminal(stderr=True)
if not out.is_terminal:
    # Tables in files and pipes are not cut to the width of a screen that is not there.
    out.width = 500


class Status(IntEnum):
    """Exit statuses of every command; the simulator's are the same."""

    OK = 0
    FAILED = 1
    BAD_INPUT = 2
    INTERRUPTED = 130


#: The same in words, as help texts end.
STATUSES = "Exit status: 0 success, 1 a check failed (data lost, a test failed), 2 bad input, 130 interrupted."


class UserError(Exception):
    """An error that the user can correct: shown as one line, exit status 2."""


class Failure(Exception):
    """The command ran and did not succeed: shown as one line, exit status 1."""


def version() -> str:
    """Of this checkout or wheel, as of the simulator."""
    if INSTALLED:
        from importlib.metadata import version as of_package

        return of_package("polycast")
    found = re.search(r"^project\(polycast VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    if found is None:
        raise Failure("CMakeLists.txt names no version")
    return found[1]


def say(message: str) -> None:
    """One line about the work in hand."""
    err.print(f"polycast: {message}")


def shown(path: Path) -> str:
    """`path` as the user would type it: relative where it lies below the current folder."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def fresh_folder(name: str, below: Path | None = None) -> Path:
    """A new folder, empty and ours, below results/ or another one: `name` and the date."""
    below = below or RESULTS
    below.mkdir(exist_ok=True)
    stem = f"{name}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    for number in count(1):
        path = below / (stem if number == 1 else f"{stem}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise AssertionError


def size_text(size: float) -> str:
    """Bytes in powers of ten: "12.3 KB"."""
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name for what is to be `path`: it takes its place at the end, and is removed where something fails.

    \\raises UserError where the file cannot be written, Failure where there is no room for it
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        kind = Failure if error.errno in (errno.ENOSPC, errno.EDQUOT) else UserError
        raise kind(f"{shown(path)}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_whole(path: Path, text: str) -> None:
    """Writes the file whole or not at all. \\raises UserError where that is not possible"""
    with replacing(path) as temporary:
        temporary.write_text(text)


def set_options(values: Iterable[str]) -> list[str]:
    """-s KEY=VALUE for each."""
    return [part for value in values for part in ("-s", value)]


def flow(value: Any) -> str:
    """As -s takes it: YAML in a line. JSON is YAML, but texts need no quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def again(*words: object) -> str:
    """The command line `polycast WORDS`, to be copied into the shell and folder from which this one was started."""
    here = "polycast" if INSTALLED else "scripts/polycast"
    return f"{os.environ.get('POLYCAST_COMMAND', here)} {shlex.join(map(str, words))}"


def ensure(group: str) -> None:
    """Installs a group of scripts/packages.txt where something of it is missing; a wheel installs nothing."""
    if INSTALLED:
        return
    code = subprocess.run([ROOT / "scripts" / "setup.sh", group], check=False).returncode
    if code:
        raise SystemExit(code)


def run(command: Sequence[str | Path], **options: object) -> int:
    """Runs `command` with our standard streams; returns its exit status, 128 + signal where it was killed."""
    options.setdefault("cwd", ROOT)
    code = subprocess.run([str(part) for part in command], check=False, **options).returncode  # type: ignore[call-overload]
    return code if code >= 0 else 128 - code


def parallel_jobs(gigabytes_each: float = 1.5) -> int:
    """Compilations at a time: all cores, fewer where memory would not do (a killed compiler says nothing helpful)."""
    cores = len(os.sched_getaffinity(0))
    try:
        fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        available = int(fields["MemAvailable"].split()[0]) / 2**20
    except (OSError, KeyError, ValueError):
        return cores
    return max(1, min(cores, int(available / gigabytes_each)))

# SPDX-License-Identifier: Apache-2.0
"""Tables and progress on the terminal."""

from __future__ import annotations

from collections.abc import Container

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from polycast_cli.common import err


def table(*titles: str, left: Container[str] = ()) -> Table:
    """`left`: titles of columns of words, the first one without it; the others have numbers."""
    made = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        made.add_column(title, justify="left" if title in (left or titles[:1]) else "right")
    return made


def words(text: str, style: str = "none") -> TextColumn:
    """A column of progress: `text` with the fields of a task."""
    return TextColumn(text, style, markup=False)


#: Time that has passed, and what is left if it goes on as it did.
LEFT = (TimeElapsedColumn(), words("left:"), TimeRemainingColumn())


def progress(label: str, *columns: ProgressColumn) -> Progress:
    """How far a command is, where there is a terminal; `columns` stand between the bar and what is being done."""
    bar = (words(f"polycast: {label}"), BarColumn(bar_width=30), MofNCompleteColumn())
    last = words("{task.description}", "dim")
    return Progress(*bar, *columns, last, console=err, transient=True, disable=not err.is_terminal)

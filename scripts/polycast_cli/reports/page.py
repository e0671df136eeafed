# SPDX-License-Identifier: Apache-2.0
"""The pages of polycast: one look, one file each that needs nothing else, for a browser, a phone or an e-mail.

A page is a template that extends `page.html.j2`. It may live in the folder `templates/` of any package:

    {% extends "page.html.j2" %}
    {% from "macros.html.j2" import chooser, command_line, figure, picture, rows, table, verdict %}
    {% block title %}Sweep{% endblock %}
    {% block header %}<h1>Sweep</h1>{% endblock %}
    {% block content %}
    {% call verdict(passed, "Passed", "All 12 runs passed.") %}{% endcall %}
    <section>
    <h2>Points</h2>
    {% call table("Every point", "points") %}{{ rows(["point", "cycles"], points) }}{% endcall %}
    {{ command_line("scripts/polycast run my.yaml") }}
    </section>
    {% endblock %}

and is written by `write_page(path, "sweep.html.j2", "polycast_cli.sweeps", passed=True, points=[...])`.

The base has language, landmarks, a link to skip the header, light, dark and print, the style sheet and the script.
The macros (`macros.html.j2`) put captions and names for screen readers where they belong, and let every table be saved
as CSV and every figure as SVG. Filters: `number(digits)` and `percent`, both with a dash for None in tables.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined

from polycast_cli.common import STATE, write_whole
from polycast_cli.reports.markup import plain

HERE = "polycast_cli.reports"


def number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def compiled(autoescape: bool) -> FileSystemBytecodeCache:
    """Compiled templates of earlier runs, by what is in them: to compile takes a quarter of the time of a report."""
    folder = STATE / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    return FileSystemBytecodeCache(str(folder), f"{'escaped' if autoescape else 'plain'}-%s")


@cache
def environment(package: str = HERE, autoescape: bool = True) -> Environment:
    """Templates of `package` and those that all pages share; one environment for each package."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, HERE))]),
        autoescape=autoescape,
        finalize=plain,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=compiled(autoescape),
    )
    made.filters |= {"number": number, "percent": percent}
    return made


def write_page(path: Path, template: str, package: str = HERE, **context: Any) -> Path:
    """Writes the page whole or not at all. \\raises UserError where that is not possible"""
    write_whole(path, environment(package).get_template(template).render(**context))
    return path

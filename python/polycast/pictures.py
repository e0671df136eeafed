# SPDX-License-Identifier: Apache-2.0
"""Pictures of reports as files of their own, which notebooks show."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from polycast_cli.common import write_whole

from polycast._calls import InputError


@cache
def style() -> str:
    """Of the charts of reports, with their colours on white."""
    folder = files("polycast_cli.reports") / "templates"
    colours = re.search(r":root \{.*?\n\}", (folder / "page.css").read_text(), re.DOTALL)
    assert colours is not None
    light = colours[0].replace("color-scheme: light dark;", "")
    return f"{light}\n{(folder / 'charts.css').read_text()}\nsvg {{ background: #fff; }}"


@dataclass(frozen=True)
class Picture:
    """A picture as the text of an SVG file."""

    svg: str

    @classmethod
    def of(cls, drawn: str) -> Picture:
        """Of an SVG element of a report, which has its style from the page."""
        svg = str(drawn).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        begin = svg.index(">", svg.index("<svg ")) + 1
        return cls(f"{svg[:begin]}<style>{style()}</style>{svg[begin:]}\n")

    def save(self, path: str | Path) -> Path:
        """Writes the picture, whole or not at all. \\raises InputError where it is no .svg"""
        file = Path(path)
        if file.suffix != ".svg":
            raise InputError(f"{file}: pictures are written as .svg")
        write_whole(file, self.svg)
        return file

    def _repr_html_(self) -> str:
        # As an image: the style of an SVG element in a page would be that of the whole page.
        data = base64.b64encode(self.svg.encode()).decode()
        said = re.search(r"<title>(.*?)</title>", self.svg, re.DOTALL)
        alt = f'alt="{said[1]}" ' if said and '"' not in said[1] else ""
        return f'<img {alt}style="max-width: 44rem; width: 100%" src="data:image/svg+xml;base64,{data}">'

    def _repr_svg_(self) -> str:
        return self.svg

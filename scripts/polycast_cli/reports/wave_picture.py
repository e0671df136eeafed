# SPDX-License-Identifier: Apache-2.0
"""The wave around the first difference between RTL and core, as SVG: the pins of one output port of a wave file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pywellen
from markupsafe import Markup

from polycast_cli.reports.markup import escape
from polycast_cli.results import Folder, Point

#: Cycles before the first one that differs, and after: runs go on for a moment.
BEFORE, AFTER = 19, 4
#: Width of a cycle and height of a line, in pixels; room for names on the left.
CELL, LINE, NAMES = 28, 15, 132
#: Pins in the order of rows, as in waves.
PINS = ("valid", "head", "tail", "vc", "data", "header", "credit", "credit_vc", "error")
DIFFERENCE = re.compile(r"^(?P<chip>\S+) in cycle (?P<cycle>\d+): (?P<pin>.+?) of port (?P<port>\d+): ")
#: Pins by their names in messages.
MESSAGE_PINS = {"flit_valid": "valid", "flit_head": "head", "flit_tail": "tail", "flit_data": "data", "flit_vc": "vc",
                "flit_header": "header", "error bits": "error"}  # fmt: skip


@dataclass
class Row:
    """A pin: its values in each cycle, of the chip and of the core."""

    name: str
    bits: int
    own: list[int]
    core: list[int]

    @property
    def differs(self) -> bool:
        return self.own != self.core


@dataclass
class WavePicture:
    """A picture with its words and its numbers."""

    id: str
    caption: str
    svg: Markup
    columns: list[str]
    values: list[list[str]]


@dataclass
class Words:
    """What a picture says to those who do not see it."""

    id: str
    title: str
    description: str


class Signals:
    """Values of a wave file by full name."""

    def __init__(self, path: Path) -> None:
        self._vars = {
            re.sub(r"\s*\[\d+:\d+\]$", "", var.full_name): var for var in pywellen.Waveform(str(path)).all_vars()
        }

    def __contains__(self, name: str) -> bool:
        return name in self._vars

    def bits(self, name: str) -> int:
        return int(self._vars[name].bitwidth)

    def value(self, name: str, cycle: int) -> int:
        value = self._vars[name].signal.value_at(cycle)
        return 0 if value is None else int(value, 2) if isinstance(value, str) else int(value)

    def text(self, name: str, cycle: int) -> str:
        size = self.bits(name) // 8
        return self.value(name, cycle).to_bytes(size, "big").replace(b"\0", b"").decode("ascii", "replace")


def hexadecimal(value: int, bits: int) -> str:
    return f"{value:0{(bits + 3) // 4}x}"


def step_line(values: list[int], top: float) -> str:
    """The path of a wire."""
    high, low = top + 2, top + LINE - 2
    parts = []
    for index, value in enumerate(values):
        y = high if value else low
        parts.append(f"{'M' if not parts else 'L'}{NAMES + index * CELL} {y}")
        parts.append(f"L{NAMES + (index + 1) * CELL} {y}")
    return " ".join(parts)


def boxes(texts: list[str], top: float, style: str) -> list[str]:
    """Equal neighbours as one box with its text; nothing as a line."""
    parts = []
    start = 0
    for index in range(1, len(texts) + 1):
        if index < len(texts) and texts[index] == texts[start]:
            continue
        left, right, text = NAMES + start * CELL, NAMES + index * CELL, texts[start]
        middle, high, low = top + LINE / 2, top + 1, top + LINE - 1
        if not text:
            parts.append(f'<path class="wire {style}" d="M{left} {middle}L{right} {middle}"/>')
        else:
            room = max(1, int((right - left - 8) / 6.2))
            shown = text if len(text) <= room else text[: room - 1] + "…" if room > 2 else ""
            parts.append(
                f'<path class="box {style}" d="M{left} {middle}L{left + 3} {high}L{right - 3} {high}L{right} {middle}'
                f'L{right - 3} {low}L{left + 3} {low}Z"><title>{escape(text)}</title></path>'
            )
            parts.append(f'<text class="in" x="{(left + right) / 2}" y="{top + LINE - 4}">{escape(shown)}</text>')
        start = index
    return parts


def rows_of(signals: Signals, scope: str, port: str, cycles: range) -> list[Row]:
    rows = []
    for pin in PINS:
        side = "error" if pin == "error" else f"out.{pin}"
        own, core = f"{scope}.{port}.{side}", f"{scope}.core.{port}.{side}"
        if own in signals and core in signals:
            rows.append(
                Row(pin, signals.bits(own), *([signals.value(name, c) for c in cycles] for name in (own, core)))
            )
    return rows


def guards(rows: list[Row], row: Row, values: list[int], core: bool) -> list[str]:
    """Texts of a vector; nothing in cycles in which its pins mean nothing."""
    if row.name == "error":
        return [hexadecimal(v, row.bits) if v else "" for v in values]
    by_name = {one.name: one for one in rows}
    guard = by_name[{"credit_vc": "credit", "header": "head"}.get(row.name, "valid")]
    means = guard.core if core else guard.own
    return [hexadecimal(v, row.bits) if m else "" for v, m in zip(values, means, strict=True)]


def draw(rows: list[Row], labels: list[str], cycles: range, at: int, pin: str, words: Words) -> Markup:
    """Axis on top; below the packet, then each pin twice: own and core."""
    width = NAMES + len(cycles) * CELL + 8
    top, gap = 42, 9
    height = top + LINE + gap + sum(2 * LINE + gap for _ in rows) + 4
    x = NAMES + cycles.index(at) * CELL
    parts = [
        f'<svg class="wave" viewBox="0 0 {width} {height}" role="img"',
        f' aria-labelledby="{words.id}-title {words.id}-desc">',
        f'<title id="{words.id}-title">{escape(words.title)}</title>',
        f'<desc id="{words.id}-desc">{escape(words.description)}</desc>',
        f'<rect class="first" x="{x}" y="24" width="{CELL}" height="{height - 26}"/>',
        '<g class="axis">',
    ]
    for index, cycle in enumerate(cycles):
        left = NAMES + index * CELL
        parts.append(f'<line x1="{left}" x2="{left}" y1="34" y2="{height - 4}"/>')
        if cycle % 4 == 0 and abs(cycle - at) > 2:
            parts.append(f'<text x="{left + CELL / 2}" y="16">{cycle}</text>')
    parts.append(
        f'</g><text class="at" x="{x + CELL / 2}" y="16">{at}</text><text class="name" x="0" y="16">cycle</text>'
    )
    y = float(top)
    parts.append(f'<text class="name" x="0" y="{y + 12}">packet</text>')
    parts += boxes(labels, y, "packet")
    y += LINE + gap
    for row in rows:
        wrong = row.differs
        if wrong:
            parts.append(f'<rect class="wrong" x="0" y="{y - 3}" width="{width}" height="{2 * LINE + 6}"/>')
            parts.append(f'<rect class="wrong here" x="{x}" y="{y - 3}" width="{CELL}" height="{2 * LINE + 6}"/>')
        emphasis = " bad" if row.name == pin else ""
        parts.append(f'<text class="name{emphasis}" x="0" y="{y + 12}">{row.name}</text>')
        for values, who, style in ((row.own, "own RTL", "own"), (row.core, "core", "core")):
            parts.append(f'<text class="who {style}" x="{NAMES - 8}" y="{y + 12}">{who}</text>')
            if row.bits == 1:
                parts.append(f'<path class="wire {style}" d="{step_line(values, y)}"/>')
            else:
                parts += boxes(guards(rows, row, values, style == "core"), y, style)
            y += LINE
        y += gap
    parts.append("</svg>")
    return Markup("".join(parts))


def table_of(rows: list[Row], labels: list[str], cycles: range) -> tuple[list[str], list[list[str]]]:
    """The same as numbers: a line for each cycle."""
    columns = ["cycle", "packet"]
    for row in rows:
        columns += [f"{row.name}, own RTL", f"{row.name}, core"]
    values = []
    for index, cycle in enumerate(cycles):
        line = [str(cycle), labels[index]]
        for row in rows:
            line += [hexadecimal(row.own[index], row.bits), hexadecimal(row.core[index], row.bits)]
        values.append(line)
    return columns, values


def wave_picture(folder: Folder, point: Point) -> WavePicture | None:
    """A picture for RTL that differs from the core; None for other failures, and where the wave file is gone."""
    found = DIFFERENCE.match(point.diagnosis)
    path = folder.path / point.wave
    if found is None or found["chip"] != point.suspect or path.suffix not in (".fst", ".vcd") or not path.is_file():
        return None
    at, port, pin = int(found["cycle"]), f"port{found['port']}", MESSAGE_PINS.get(found["pin"], found["pin"])
    cycles = range(max(0, at - BEFORE), at + AFTER + 1)
    signals = Signals(path)
    scope = f"{wave_name(point.topology.name)}.{wave_name(point.suspect)}"
    rows = rows_of(signals, scope, port, cycles)
    if not rows:
        return None
    labels = [signals.text(f"{scope}.{port}.out.packet.label", cycle) for cycle in cycles]
    when = f"cycles {cycles[0]:,} to {cycles[-1]:,}"
    caption = f"Output port {found['port']} of {point.suspect} in {when}: own RTL and core"
    told = f"Up to cycle {at - 1} both are the same. In cycle {at} {point.diagnosis[found.end('cycle') + 2 :]}."
    columns, values = table_of(rows, labels, cycles)
    name = "wave-" + re.sub(r"[^\w-]", "-", point.id)
    svg = draw(rows, labels, cycles, at, pin, Words(name, caption, told))
    return WavePicture(name, caption, svg, columns, values)


def wave_name(name: str) -> str:
    """A name as scopes have it."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)

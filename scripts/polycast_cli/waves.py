# SPDX-License-Identifier: Apache-2.0
"""`waves`: the wave files of a run and the GTKWave save files that go with them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from polycast_cli.common import UserError, ensure, out, shown, size_text
from polycast_cli.results import Folder, newest, one_named
from polycast_cli.terminal import table


@dataclass
class Wave:
    """A wave file, its save file where there is one, and the chips in it."""

    path: Path
    save: Path | None
    chips: list[str]

    @property
    def size(self) -> str:
        return size_text(self.path.stat().st_size)


#: A signal in a save file, "network.chip.port3..." with or without an alias before it; the second name is the chip.
CHIP = re.compile(r"^(?:\+\{[^}]*\} )?[^\s.@*\[-][^\s.]*\.([^\s.]+)\.", re.MULTILINE)


def natural(name: str) -> list[int | str]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def ranges(names: list[str]) -> list[str]:
    """switch0 switch1 switch2 switch5 as switch0..2 switch5."""
    runs: list[tuple[str, int, int]] = []
    rest: list[str] = []
    for name in names:
        match = re.fullmatch(r"(.*?)(\d+)", name)
        if match is None:
            rest.append(name)
        elif runs and runs[-1][0] == match[1] and runs[-1][2] + 1 == int(match[2]):
            runs[-1] = (match[1], runs[-1][1], int(match[2]))
        else:
            runs.append((match[1], int(match[2]), int(match[2])))
    return [f"{stem}{low}..{high}" if high > low else f"{stem}{low}" for stem, low, high in runs] + rest


def waves_in(folder: Path) -> list[Wave]:
    waves = []
    for path in sorted((folder / "waves").glob("*")):
        if path.suffix not in (".fst", ".vcd"):
            continue
        save = next((file for file in (path.with_suffix(".gtkw"), Path(f"{path}.gtkw")) if file.is_file()), None)
        chips = set(CHIP.findall(save.read_text())) if save else set()
        waves.append(Wave(path, save, ranges(sorted(chips, key=natural))))
    return waves


def chosen(result: Path | None) -> Path:
    return Folder(result).path if result is not None else newest(holding="waves").path


def list_waves(result: Path | None) -> None:
    folder = chosen(result)
    waves = waves_in(folder)
    if not waves:
        raise UserError(f"{shown(folder)}: no waves; run the scenario with --waves")
    rows = table("wave", "size", "save file", "chips", left=("wave", "save file", "chips"))
    for wave in waves:
        rows.add_row(shown(wave.path), wave.size, wave.save.name if wave.save else "–", " ".join(wave.chips))
    out.print(rows)


def open_wave(result: Path | None, name: str) -> int:
    """Opens the one wave whose file name contains `name` ("" if there is only one)."""
    folder = chosen(result)
    waves = {wave.path: wave for wave in waves_in(folder)}
    wave = waves[one_named(name, waves, "--open", "wave")]
    ensure("view")
    command = ["gtkwave", str(wave.path), *([str(wave.save)] if wave.save else [])]
    return subprocess.run(command, check=False).returncode

# SPDX-License-Identifier: Apache-2.0
"""The cell libraries, and the timing analyser, as set-up has unpacked them (group cost); they are installed nowhere."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from polycast_cli.common import STATE, UserError
from polycast_cli.cost.liberty import Cells, parse
from polycast_cli.reading import proposal

UNPACKED = STATE / "cells"


@dataclass(frozen=True)
class Library:
    """A library of Oklahoma State University, as qflow has it."""

    name: str
    #: In words.
    process: str
    file: str
    #: Of the file that the numbers of the pages come from.
    sha256: str

    @property
    def path(self) -> Path:
        path = UNPACKED / "usr/share/qflow/tech" / self.name / self.file
        if not path.is_file():
            raise UserError(f"the cell library {self.name} is not there: run scripts/setup.sh cost")
        return path

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def cells(self) -> Cells:
        return Cells(parse(self.text))

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


LIBRARIES = {
    library.name: library
    for library in (
        Library(
            "osu018",
            "0.18 um, 1.8 V",
            "osu018_stdcells.lib",
            "86f79b2000f1ac46715a9f6dfd5f5a596906418e9ee8a8611077bbaaad3de4e9",
        ),
        Library(
            "osu035",
            "0.35 um, 3.3 V",
            "osu035_stdcells.lib",
            "69e9f25ed20af1ad1af21f1ffbd6f16220f5e01a70b28777e52d4f69e2bc258d",
        ),
        Library(
            "osu050",
            "0.50 um, 5 V",
            "osu05_stdcells.lib",
            "5096e5797b9af90fbaf020adeddda95713c916b3f7de9ecabc8043ecc73a092a",
        ),
    )
}


def library_of(name: str) -> Library:
    """\\raises UserError where there is none of this name"""
    if name not in LIBRARIES:
        raise UserError(f"--library {name}: there is no such cell library{proposal(name, LIBRARIES)}")
    return LIBRARIES[name]


@cache
def timing_analyser() -> Path:
    """OpenSTA's program."""
    path = UNPACKED / "usr/bin/sta"
    if not path.is_file():
        raise UserError("OpenSTA is not there: run scripts/setup.sh cost")
    return path


def environment() -> dict[str, str]:
    """Variables of a process of it."""
    folders = sorted({path.parent for path in UNPACKED.glob("usr/lib/*/lib*.so*")})
    paths = os.pathsep.join(map(str, folders))
    return os.environ | {
        "LD_LIBRARY_PATH": paths,
        "TCL_LIBRARY": str(UNPACKED / "usr/share/tcltk/tcl8.6"),
        "LC_ALL": "C",
    }

# SPDX-License-Identifier: Apache-2.0
"""Maps a design to the cells of a library with Yosys and ABC. The hierarchy stays, so that blocks can be counted."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from polycast_cli.common import Failure, UserError, say
from polycast_cli.cost.designs import PREFIX, Design, sources
from polycast_cli.cost.libraries import Library
from polycast_cli.cost.tools import run_tool

#: What `synth` does, without its sharing of operators and memory ports by SAT, which takes minutes for 16 ports.
#: Registers stay outside of memories, so that they are counted as what they are.
COARSE = (
    "proc; opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; opt_clean; alumacc; opt",
    "memory_collect; opt_clean",
    "opt -fast -full; techmap; opt -fast",
)
#: Each module is made for speed by itself: what drives its inputs, and what its outputs drive (fF).
CONSTRAINTS = "set_driving_cell BUFX2\nset_load 100\n"
#: Picoseconds that ABC is to reach: it cannot, and so makes everything as fast as it can.
AIM = 1
MEMORY = "$mem_v2"


@cache
def version() -> str:
    """Of Yosys. \\raises UserError where it is not there"""
    try:
        return subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.strip()
    except OSError:
        raise UserError("yosys is not there: run scripts/setup.sh cost") from None


def script(design: Design, values: Mapping[str, int], library: Library, mapped: bool, folder: Path) -> str:
    """For Yosys; `mapped`: memories become flip-flops and multiplexers."""
    files = " ".join(map(str, sources(design)))
    chosen = " ".join(f"-set {design.parameter(name).verilog} {value}" for name, value in values.items())
    steps = [
        f"read_verilog -sv {files}",
        *([f"chparam {chosen} {design.module}"] if chosen else []),
        f"hierarchy -check -top {design.module}",
        *COARSE[:2],
        *(["memory_map; opt -fast -full"] if mapped else []),
        COARSE[2],
        f"dfflibmap -liberty {library.path}",
        f"abc -liberty {library.path} -constr {folder / 'constraints'} -D {AIM}",
        "opt_clean",
        f"write_json {folder / 'netlist.json'}",
    ]
    return "; ".join(steps)


def synthesise(design: Design, values: Mapping[str, int], library: Library, mapped: bool, folder: Path) -> Netlist:
    """\\raises Failure where Yosys refuses the design, as it does parameters of blocks that cannot be"""
    version()
    (folder / "constraints").write_text(CONSTRAINTS)
    said = " ".join(f"{name}={value}" for name, value in values.items())
    what = f"Yosys on {design.name} {said}".strip()
    told = run_tool(["yosys", "-q", "-p", script(design, values, library, mapped, folder)], what)
    for line in sorted({line for line in told.splitlines() if "Warning: " in line}):
        say(f"warning: {what}: {line.partition('Warning: ')[2]}")
    text = (folder / "netlist.json").read_text()
    return Netlist(design.module, json.loads(text)["modules"], library)


@dataclass(frozen=True)
class Memory:
    """A memory of a module: bits that no cell of the library holds."""

    words: int
    width: int
    reads: int
    writes: int

    @property
    def bits(self) -> int:
        return self.words * self.width

    @property
    def name(self) -> str:
        return f"{PREFIX}memory_{self.words}x{self.width}_r{self.reads}_w{self.writes}"


def memory_of(cell: Mapping[str, Any]) -> Memory:
    names = ("SIZE", "WIDTH", "RD_PORTS", "WR_PORTS")
    return Memory(*(int(str(cell["parameters"][name]), 2) for name in names))


def plain(name: str) -> str:
    """What stands in the sources: "$paramod$12ab\\polycast_fifo" and "$paramod\\polycast_fifo\\Width=32'101" are
    "polycast_fifo"."""
    return next((part for part in re.split(r"\\", name) if part.startswith(PREFIX)), name)


@dataclass(frozen=True)
class Block:
    """All instances of one module, without what is in the modules below it."""

    name: str
    instances: int
    area: float
    cells: int
    flip_flops: int
    memory_bits: int


class Netlist:
    """A mapped design, as Yosys writes it."""

    def __init__(self, top: str, modules: dict[str, Any], library: Library) -> None:
        """\\raises Failure where a cell is left that the library does not have"""
        self.modules = {
            name: module for name, module in modules.items() if not int(module["attributes"].get("blackbox", "0"), 2)
        }
        self.top = next(
            name for name, module in self.modules.items() if plain(name) == top and "top" in module["attributes"]
        )
        self.cells = library.cells
        for name, cell in self.each_cell():
            kind = cell["type"]
            if kind not in self.modules and kind not in self.cells.areas and kind != MEMORY:
                raise Failure(f"{plain(name)}: the library {library.name} has no cell for {kind}")
            if kind in self.cells.latches:
                raise Failure(f"{plain(name)}: there is a latch")

    def each_cell(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, module in self.modules.items():
            for cell in module["cells"].values():
                yield name, cell

    def instances(self) -> Counter[str]:
        """Module -> how often it is in the design."""
        counts: Counter[str] = Counter()

        def count(name: str, times: int) -> None:
            counts[name] += times
            inside = Counter(cell["type"] for cell in self.modules[name]["cells"].values())
            for kind, number in inside.items():
                if kind in self.modules:
                    count(kind, times * number)

        count(self.top, 1)
        return counts

    def blocks(self) -> list[Block]:
        """By the names of their modules, the largest first."""
        made: dict[str, Block] = {}
        for name, times in self.instances().items():
            area, cells, flip_flops, bits = 0.0, 0, 0, 0
            for cell in self.modules[name]["cells"].values():
                kind = cell["type"]
                if kind == MEMORY:
                    bits += memory_of(cell).bits
                elif kind not in self.modules:
                    area += self.cells.areas[kind]
                    cells += 1
                    flip_flops += kind in self.cells.flip_flops
            word = plain(name).removeprefix(PREFIX)
            old = made.get(word, Block(word, 0, 0.0, 0, 0, 0))
            made[word] = Block(
                word,
                old.instances + times,
                old.area + times * area,
                old.cells + times * cells,
                old.flip_flops + times * flip_flops,
                old.memory_bits + times * bits,
            )
        return sorted(made.values(), key=lambda block: (-block.area, block.name))

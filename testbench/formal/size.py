#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cells, flip-flops and memory bits of the chips by Yosys, as the tables in their READMEs.

size.py             writes the tables (all rows, some minutes); size.py --chip router only one of them
size.py --check     compares the first rows with the pages, and reads the RTL with other parameters; any warning fails

Generic gates, hierarchy kept, memories not mapped to flip-flops. Environment: POLYCAST_RTL another RTL folder.
Exit status: 0 well, 1 out of date or warnings, 2 Yosys failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tool

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RTL = Path(os.environ.get("POLYCAST_RTL", ROOT / "rtl"))
# Seconds for one run of Yosys.
TIME_LIMIT = 1800
FLIP_FLOP = re.compile(r"\$_\w*DFF")
BEGIN = "<!-- begin size: written by testbench/formal/size.py -->"
END = "<!-- end size -->"
# What `synth` does, without its sharing of operators and memory ports by SAT (minutes for 16 ports) and its memory_map.
SYNTHESIS = (
    "opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; opt_clean; alumacc; opt",
    "memory_dff; memory_collect; opt_clean",
    "opt -fast -full; techmap; opt -fast; abc -fast; opt -fast",
)
COUNTS = "| logic cells | flip-flops | memory bits | memory read ports |\n"


@dataclass
class Chip:
    """A chip and the table of its page: what tells its rows apart, the smallest first."""

    name: str
    columns: str
    rows: list[dict[str, int]]
    # Parameters that take the other branches of the RTL; only read and elaborated.
    read: list[dict[str, int]]
    # Where the module at the top is not called as the folder, and folders that it needs besides.
    module: str = ""
    others: tuple[str, ...] = ()
    # Modules whose share of the cells is a column of its own: its name, and an expression for theirs.
    part: tuple[str, str] | None = None
    # Tops for simulation; only read and elaborated, with the parameters of `read`.
    simulated: tuple[str, ...] = ()

    @property
    def top(self) -> str:
        return f"polycast_{self.module or self.name}"

    @property
    def page(self) -> Path:
        return ROOT / f"rtl/{self.name}/README.md"

    @property
    def head(self) -> str:
        counts = COUNTS.replace("| flip-flops", f"| of them {self.part[0]} | flip-flops") if self.part else COUNTS
        return self.columns + counts + "|---" * ((self.columns + counts).count("|") - 1) + "|\n"


CHIPS = {
    "switch": Chip(
        "switch",
        "| ports | read ports ",
        [{"NumPorts": n, "ReadPorts": r} for n in (4, 8, 16) for r in (1, 2, n)],
        [
            {
                "NumPorts": 2,
                "FlitBytes": 4,
                "ChunkFlits": 1,
                "NumChunks": 2,
                "MaxHosts": 1,
                "MaxSwitches": 1,
                "HeaderStops": 1,
            },
            {"NumPorts": 3, "HeaderFree": 1, "ReadPorts": 2, "XbarStages": 2, "MaxHosts": 40, "HeaderPorts": 16},
            {"NumPorts": 33, "NumChunks": 4, "ReadPorts": 1, "HeaderPorts": 40, "HeaderStops": 255},
        ],
    ),
    "router": Chip(
        "router",
        "| ports | virtual channels | copies | nodes in the table | choice ",
        [
            {"NumPorts": p, "NumVcs": v, "Copies": c, "MaxNodes": n, "Adaptive": a}
            for p, v, c, n, a in (
                *((5, v, c, 0, 0) for v in (1, 2, 4) for c in (0, 1)),
                (8, 2, 0, 32, 0),
                (8, 2, 0, 32, 1),
            )
        ],
        [
            {"NumPorts": 3, "NumVcs": 1, "VcFlits": 1, "FlitBytes": 2, "HeaderFree": 1, "Dimensions": 1, "Radix": 2},
            {"NumPorts": 8, "NumVcs": 3, "VcFlits": 9, "FlitBytes": 5, "Dimensions": 3, "Radix": 3, "MaxNodes": 40},
            {"NumPorts": 5, "NumVcs": 1, "VcFlits": 3, "FlitBytes": 5, "Dimensions": 1, "MaxNodes": 8, "Adaptive": 1},
            {"NumPorts": 4, "NumVcs": 16, "Dimensions": 1, "Radix": 1024, "XbarStages": 2, "Copies": 0},
        ],
    ),
    "vl_switch": Chip(
        "vl_switch",
        "| ports | lanes | tables of VL arbitration ",
        [
            {"NumPorts": p, "NumVls": v, "Weighted": w}
            for p, v, w in ((2, 1, 0), (4, 1, 0), (4, 2, 0), (4, 2, 1), (4, 4, 0), (8, 1, 0), (8, 2, 0))
        ],
        [
            {"NumPorts": 2, "NumVls": 1, "FlitBytes": 1, "ChunkFlits": 1, "NumChunks": 2, "MaxLids": 2, "MaxGroups": 0},
            {"NumPorts": 3, "NumVls": 3, "HeaderFree": 1, "ReadPorts": 2, "XbarStages": 2, "Weighted": 1},
        ],
        others=("router", "switch"),
    ),
    "coding": Chip(
        "coding",
        "| flit bytes | header free | contexts | slots ",
        [
            {"FlitBytes": f, "HeaderFree": h, "NumContexts": c, "NumSlots": s}
            for f, h, c, s in ((8, 0, 4, 16), (16, 0, 4, 16), (16, 0, 16, 64), (16, 0, 16, 256), (16, 1, 16, 64))
        ],
        [
            {"NumVcs": 1, "FlitBytes": 1, "VcFlits": 13, "NumContexts": 1, "NumSlots": 2, "NumIndices": 2},
            {"NumVcs": 3, "FlitBytes": 2, "HeaderFree": 1, "SlotFlits": 1, "NumContexts": 3, "MaxLatency": 0},
        ],
    ),
    "broadcast": Chip(
        "broadcast",
        "| ports | dimensions | packets | flits of a packet ",
        [
            {"NumPorts": p, "Dimensions": d, "NumSlots": s, "SlotFlits": f}
            for p, d, s, f in (
                (5, 2, 8, 1),
                (5, 2, 8, 4),
                (5, 2, 16, 1),
                (5, 2, 32, 1),
                (7, 2, 8, 1),
                (7, 3, 8, 1),
                (7, 2, 32, 8),
            )
        ],
        [
            {"NumPorts": 4, "Dimensions": 1, "HeaderFree": 1, "HeaderPinBits": 512, "NumSlots": 1, "InjectFlits": 1},
        ],
        module="broadcast_unit",
        others=("router",),
    ),
    "link": Chip(
        "link",
        "| flit bytes | flits of a frame | ring flits | window frames ",
        [
            {"FlitBytes": b, "FrameFlits": max(1, 128 // b), "RingFlits": w * max(1, 128 // b), "WindowFrames": w}
            for b in (1, 4, 16, 32, 64)
            for w in (16, 64, 256)
        ],
        [
            {"NumVcs": 3, "FlitBytes": 5, "HeaderBytes": 7, "FrameFlits": 3, "SeqBits": 6, "RingFlits": 10},
            {"NumVcs": 16, "FlitBytes": 4, "Beside": 1, "FrameFlits": 1, "WindowFrames": 4, "SeqBits": 3},
        ],
        module="link_end",
        part=("CRC", r"polycast_(link_(frame|set)_crc|crc_bytes)\b"),
        simulated=("polycast_cable",),
    ),
    "stream": Chip(
        "stream",
        "| flit bytes | virtual channels | flits of a chunk | chunks ",
        [
            {"FlitBytes": b, "NumVcs": v, "ChunkFlits": f, "NumChunks": n}
            for b, v, f, n in ((1, 1, 8, 8), (16, 1, 8, 8), (16, 2, 1, 8), (16, 4, 1, 8), (64, 1, 4, 8))
        ],
        [
            {"FlitBytes": 3, "HeaderBits": 40, "NumVcs": 3, "ChunkFlits": 3, "NumChunks": 1},
            {"NumVcs": 16, "ChunkFlits": 1, "NumChunks": 2},
        ],
        module="stream_port",
    ),
}


def sources(chip: str = "switch", *others: str) -> list[Path]:
    """The RTL in the order of the FuseSoC core file, so that that list is checked too."""
    folders = "|".join(("common", *others, chip))
    names = re.findall(rf"^\s+- ((?:{folders})/\S+\.sv)$", (RTL / "polycast.core").read_text(), re.MULTILINE)
    return [RTL / name for name in names]


def yosys(script: list[str], log: Path) -> list[str]:
    """Runs a script; returns the warnings of Yosys."""
    code = tool.run(["yosys", "-q", "-p", "; ".join(script)], log, TIME_LIMIT)
    text = log.read_text()
    if code != 0:
        print(text[-3000:], file=sys.stderr)
        raise SystemExit(2)
    return sorted({line for line in text.splitlines() if "Warning: " in line})


def statistics(path: Path) -> dict[str, Any]:
    """The sums over the whole design. Yosys 0.23 prints the hierarchy as text into its JSON: only that part is read."""
    found = re.search(r'"design": (\{.*\n {6}\})', path.read_text(), re.DOTALL)
    if found is None:
        raise SystemExit(f"{path}: no sums over the design")
    return json.loads(found[1])


def modules(path: Path) -> dict[str, dict[str, int]]:
    """Cells by type of each module, those of the modules inside by their names."""
    found = re.search(r'"modules": (\{.*?\n {3}\})', path.read_text(), re.DOTALL)
    if found is None:
        raise SystemExit(f"{path}: no modules")
    return {name: module["num_cells_by_type"] for name, module in json.loads(found[1]).items()}


def is_logic(cell: str) -> bool:
    return cell.startswith("$_") and not FLIP_FLOP.match(cell)


def cells_of(top: str, all_modules: dict[str, dict[str, int]], part: str) -> int:
    """Logic cells in the modules below `top` whose names fit `part`; what is in such a module counts with it."""

    def count(name: str, inside: bool) -> int:
        inside = inside or re.search(part, name) is not None
        total = 0
        for cell, number in all_modules[name].items():
            if cell in all_modules:
                total += number * count(cell, inside)
            elif inside and is_logic(cell):
                total += number
        return total

    return count(next(name for name in all_modules if re.search(rf"\b{top}\b", name)), False)


def chosen(parameters: dict[str, int]) -> str:
    return " ".join(f"-set {name} {value}" for name, value in parameters.items())


def read(chip: Chip) -> list[str]:
    """Warnings of Yosys while it elaborates the RTL with the parameters that are only read."""
    warnings: list[str] = []
    for top in (chip.top, *chip.simulated):
        for parameters in chip.read:
            script = [f"read_verilog -sv {' '.join(map(str, sources(chip.name, *chip.others)))}"]
            script += [f"chparam {chosen(parameters)} {top}"]
            script += [f"hierarchy -check -top {top}", "proc", "check -assert"]
            with tempfile.TemporaryDirectory(prefix="polycast-size-") as folder:
                warnings += yosys(script, Path(folder, "log"))
    return warnings


def measure(chip: Chip, parameters: dict[str, int]) -> tuple[str, list[str]]:
    """A row of the table, and warnings."""
    with tempfile.TemporaryDirectory(prefix="polycast-size-") as folder:
        before, after = Path(folder, "before.json"), Path(folder, "after.json")
        warnings = yosys(
            [
                f"read_verilog -sv {' '.join(map(str, sources(chip.name, *chip.others)))}",
                f"chparam {chosen(parameters)} {chip.top}",
                f"hierarchy -check -top {chip.top}",
                "proc",
                "opt_clean",
                f"tee -q -o {before} stat -json",
                *SYNTHESIS,
                f"tee -q -o {after} stat -json",
            ],
            Path(folder, "log"),
        )
        memory = statistics(before)
        mapped = statistics(after)["num_cells_by_type"]
        of_part = cells_of(chip.top, modules(after), chip.part[1]) if chip.part else 0
    flip_flops = sum(count for name, count in mapped.items() if FLIP_FLOP.match(name))
    cells = sum(count for name, count in mapped.items() if is_logic(name))
    latches = [name for name in mapped if "LATCH" in name]
    warnings += [f"latches in {parameters}: {name}" for name in latches]
    bits, reads = memory["num_memory_bits"], memory["num_cells_by_type"]["$memrd"]
    label = " | ".join(str(value) for value in parameters.values())
    share = f" {of_part:,} ({of_part / cells:.0%}) |" if chip.part else ""
    return f"| {label} | {cells:,} |{share} {flip_flops:,} | {bits:,} | {reads:,} |", warnings


def table(chip: Chip, check: bool) -> bool:
    """Writes the table of a chip, or checks its first row. False, with a message, if it is old or on warnings."""
    rows: list[str] = []
    warnings = read(chip) if check else []
    for parameters in chip.rows[: 1 if check else None]:
        row, found = measure(chip, parameters)
        rows.append(row)
        warnings += found
        print(row, flush=True)
    for warning in sorted(set(warnings)):
        print(warning, file=sys.stderr)
    text = chip.page.read_text()
    if check:
        missing = [row for row in rows if row not in text]
        for row in missing:
            print(f"not in {chip.page.relative_to(ROOT)}, run testbench/formal/size.py: {row}", file=sys.stderr)
        return not missing and not warnings
    block = f"{BEGIN}\n{chip.head}" + "\n".join(rows) + f"\n{END}"
    chip.page.write_text(re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: block, text, flags=re.DOTALL))
    return not warnings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", action="append", choices=tuple(CHIPS), help="all without any")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    tool.end_with_tools()
    good = [table(CHIPS[name], arguments.check) for name in arguments.chip or CHIPS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

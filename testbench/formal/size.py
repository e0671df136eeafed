#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cells, flip-flops and memory bits of polycast_switch by Yosys, as the table in rtl/switch/README.md.

size.py             writes the table (all rows, some minutes)
size.py --check     compares its first row with the page, and reads the RTL with other parameters; any warning fails

Generic gates, hierarchy kept, memories not mapped to flip-flops. Environment: POLYCAST_RTL another RTL folder.
Exit status: 0 well, 1 out of date or warnings, 2 Yosys failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RTL = Path(os.environ.get("POLYCAST_RTL", ROOT / "rtl"))
PAGE = ROOT / "rtl/switch/README.md"
TOP = "polycast_switch"
PORTS = (4, 8, 16)
FLIP_FLOP = re.compile(r"\$_\w*DFF")
BEGIN = "<!-- begin size: written by testbench/formal/size.py -->"
END = "<!-- end size -->"
# Parameters that take the other branches of the RTL; only read and elaborated.
READ = (
    {"NumPorts": 2, "FlitBytes": 4, "ChunkFlits": 1, "NumChunks": 2, "MaxHosts": 1, "MaxSwitches": 1, "HeaderStops": 1},
    {"NumPorts": 3, "HeaderFree": 1, "ReadPorts": 2, "XbarStages": 2, "MaxHosts": 40, "HeaderPorts": 16},
    {"NumPorts": 33, "NumChunks": 4, "ReadPorts": 1, "HeaderPorts": 40, "HeaderStops": 255},
)
# What `synth` does, without its sharing of operators and memory ports by SAT (minutes for 16 ports) and its memory_map.
SYNTHESIS = (
    "opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; opt_clean; alumacc; opt",
    "memory_dff; memory_collect; opt_clean",
    "opt -fast -full; techmap; opt -fast; abc -fast; opt -fast",
)
HEAD = "| ports | read ports | logic cells | flip-flops | memory bits | memory read ports |\n" + "|---" * 6 + "|\n"


def sources() -> list[Path]:
    """The RTL in the order of the FuseSoC core file, so that that list is checked too."""
    names = re.findall(r"^\s+- ((?:common|switch)/\S+\.sv)$", (RTL / "polycast.core").read_text(), re.MULTILINE)
    return [RTL / name for name in names]


def yosys(script: list[str], log: Path) -> list[str]:
    """Runs a script; returns the warnings of Yosys."""
    with log.open("w") as stream:
        command = ["yosys", "-q", "-p", "; ".join(script)]
        code = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, check=False).returncode
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


def read() -> list[str]:
    """Warnings of Yosys while it elaborates the RTL with the parameters in READ."""
    warnings: list[str] = []
    for parameters in READ:
        chosen = " ".join(f"-set {name} {value}" for name, value in parameters.items())
        script = [f"read_verilog -sv {' '.join(map(str, sources()))}", f"chparam {chosen} {TOP}"]
        script += [f"hierarchy -check -top {TOP}", "proc", "check -assert"]
        with tempfile.TemporaryDirectory(prefix="polycast-size-") as folder:
            warnings += yosys(script, Path(folder, "log"))
    return warnings


def measure(ports: int, read_ports: int) -> tuple[str, list[str]]:
    """A row of the table, and warnings."""
    with tempfile.TemporaryDirectory(prefix="polycast-size-") as folder:
        before, after = Path(folder, "before.json"), Path(folder, "after.json")
        warnings = yosys(
            [
                f"read_verilog -sv {' '.join(map(str, sources()))}",
                f"chparam -set NumPorts {ports} -set ReadPorts {read_ports} {TOP}",
                f"hierarchy -check -top {TOP}",
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
    flip_flops = sum(count for name, count in mapped.items() if FLIP_FLOP.match(name))
    cells = sum(count for name, count in mapped.items() if name.startswith("$_") and not FLIP_FLOP.match(name))
    latches = [name for name in mapped if "LATCH" in name]
    warnings += [f"latches in {ports} ports, {read_ports} read ports: {name}" for name in latches]
    bits, reads = memory["num_memory_bits"], memory["num_cells_by_type"]["$memrd"]
    return f"| {ports} | {read_ports} | {cells:,} | {flip_flops:,} | {bits:,} | {reads:,} |", warnings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    table: list[str] = []
    warnings = read() if check else []
    for ports, read_ports in [(n, r) for n in PORTS for r in (1, 2, n)][: 1 if check else None]:
        row, found = measure(ports, read_ports)
        table.append(row)
        warnings += found
        print(row, flush=True)
    for warning in sorted(set(warnings)):
        print(warning, file=sys.stderr)
    page = PAGE.read_text()
    if check:
        missing = [row for row in table if row not in page]
        for row in missing:
            print(f"not in {PAGE.relative_to(ROOT)}, run testbench/formal/size.py: {row}", file=sys.stderr)
        return 1 if missing or warnings else 0
    block = f"{BEGIN}\n{HEAD}" + "\n".join(table) + f"\n{END}"
    PAGE.write_text(re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: block, page, flags=re.DOTALL))
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())

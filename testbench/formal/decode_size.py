#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to read each kind of header: cells by Yosys, as the table in rtl/switch/README.md.

decode_size.py             writes the table (some minutes)
decode_size.py --check     compares its first rows with the page; any warning fails

The kind of the packets is fixed, so that what serves the other kinds falls away.
Environment and exit status: see size.py.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import size
import tool

PAGE = size.CHIPS["switch"].page
BEGIN = "<!-- begin decode size: written by testbench/formal/decode_size.py -->"
END = "<!-- end decode size -->"
COMMON, TRANSPORT = 10, 28  # bytes: common header; transport header and check word behind a free header
KINDS = {"unicast": 0, "tree": 1, "SSR": 2, "path": 3}
HEAD = (
    "| header | ports | hosts | stops | bytes | capture | decode | rewriting | flip-flops | queue bits | list, free |\n"
    + "|---" * 11
    + "|\n"
)


@dataclass(frozen=True)
class Case:
    """A row: the kind of header, and what its length depends on."""

    kind: str
    ports: int = 8
    hosts: int = 32
    stops: int = 8

    @property
    def stop_bytes(self) -> int:
        return 2 + self.ports // 8

    @property
    def header_bytes(self) -> int:
        behind = {
            "unicast": 3,
            "tree": (self.hosts + 7) // 8,
            "SSR": self.stop_bytes,
            "path": 2 + self.stops * self.stop_bytes,
        }
        return COMMON + behind[self.kind]

    @property
    def view_bits(self) -> int:
        return 16 + self.ports + 4

    @property
    def queue_bits(self) -> int:
        """Of an entry of the header queue, if there were no other kinds: short, kind, up bit, field."""
        field = {"unicast": 24, "tree": self.hosts}
        return 1 + 4 + 1 + field.get(self.kind, self.view_bits)


CASES = (
    Case("unicast"),
    *(Case("tree", hosts=hosts) for hosts in (32, 64, 128, 256, 1024)),
    *(Case("tree", ports=16, hosts=hosts) for hosts in (32, 64, 128, 256, 1024)),
    *(Case("SSR", ports=ports) for ports in (8, 16, 32, 64)),
    *(Case("path", ports=8, stops=stops) for stops in (2, 4, 8, 16, 64)),
    *(Case("path", ports=ports, stops=8) for ports in (16, 32, 64)),
)


def cells(module: str, parameters: dict[str, int], ties: dict[str, str]) -> tuple[int, int, list[str]]:
    """Logic cells and flip-flops of a module by itself, with wires tied to constants, and warnings."""
    with tempfile.TemporaryDirectory(prefix="polycast-size-") as folder:
        result = Path(folder, "result.json")
        chosen = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
        tied = [f"delete -input w:{wire}; connect -nomap -set {wire} {value}" for wire, value in ties.items()]
        warnings = size.yosys(
            [
                f"read_verilog -sv {' '.join(map(str, size.sources()))}",
                f"hierarchy -check -top {module}{chosen}",
                "proc",
                "flatten",
                f"rename -top {module}; cd {module}",
                *tied,
                "opt -full",
                *size.SYNTHESIS,
                f"tee -q -o {result} stat -json",
            ],
            Path(folder, "log"),
        )
        found = size.statistics(result)["num_cells_by_type"]
    flip_flops = sum(count for name, count in found.items() if size.FLIP_FLOP.match(name))
    logic = sum(count for name, count in found.items() if name.startswith("$_") and not size.FLIP_FLOP.match(name))
    return logic, flip_flops, warnings


def measure(case: Case) -> tuple[str, list[str]]:
    """A row of the table, and warnings."""
    kind = f"4'd{KINDS[case.kind]}"
    host_bits = max(24, case.hosts)
    words = (case.hosts + 31) // 32 * 32
    shape = {"HeaderPorts": case.ports, "HeaderStops": case.stops}
    bits = 5 + max(host_bits, case.view_bits)
    capture = cells(
        "polycast_header_capture",
        # Of a chip without a table of sources: who asks for a source keeps it, too.
        {"NumPorts": case.ports, "MaxHosts": case.hosts, "HeaderBits": bits, "AsksSource": 0, **shape},
        {"gen_in_flits.kind": kind, "header_i": "1'b0", "foreign_i": "1'b0"},
    )
    decode = cells(
        "polycast_route_decode",
        {"NumPorts": case.ports, "MaxHosts": case.hosts, "FieldBits": host_bits, "WordBits": words},
        {"kind_i": kind},
    )
    rewrite = cells(
        "polycast_header_rewrite",
        {"MaxHosts": case.hosts},
        {"mask_i": "1'b1" if case.kind == "tree" else "1'b0"} | ({} if case.kind == "path" else {"advance_i": "1'b0"}),
    )
    warnings = capture[2] + decode[2] + rewrite[2]
    free = "-"
    if case.kind in ("SSR", "path"):
        path = "1'b1" if case.kind == "path" else "1'b0"
        picked = cells("polycast_stop_list", shape, {"path_i": path})
        viewed = cells("polycast_stop_view", {"NumPorts": case.ports, **shape}, {"path_i": path})
        warnings += picked[2] + viewed[2]
        free = f"{picked[0] + viewed[0]:,}"
    hosts = f"{case.hosts:,}" if case.kind == "tree" else "-"
    stops = f"{case.stops}" if case.kind == "path" else "-"
    return (
        f"| {case.kind} | {case.ports} | {hosts} | {stops} | {case.header_bytes} | {capture[0]:,} | {decode[0]:,} | "
        f"{rewrite[0]:,} | {capture[1]:,} | {case.queue_bits:,} | {free} |",
        warnings,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    tool.end_with_tools()
    # One of each kind, the smallest.
    cases = [next(case for case in CASES if case.kind == kind) for kind in KINDS] if check else list(CASES)
    table: list[str] = []
    warnings: list[str] = []
    for case in cases:
        row, found = measure(case)
        table.append(row)
        warnings += found
        print(row, flush=True)
    for warning in sorted(set(warnings)):
        print(warning, file=sys.stderr)
    page = PAGE.read_text()
    if check:
        missing = [row for row in table if row not in page]
        for row in missing:
            print(f"not in {PAGE.name}, run testbench/formal/decode_size.py: {row}", file=sys.stderr)
        return 1 if missing or warnings else 0
    block = f"{BEGIN}\n{HEAD}" + "\n".join(table) + f"\n{END}"
    PAGE.write_text(re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: block, page, flags=re.DOTALL))
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a flit-hop with cachegrind, and fails where they are more than the bound.

Two runs of different length, so that what is done once does not count. Exit status: 0 within the bounds,
1 above one."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys

#: Workload, cycles of the short and of the long run, instructions of a flit-hop measured (g++ 12, Release), bound.
WORKLOADS = (
    ("w1", 1000, 3000, 550, 602),
    ("w4", 200, 600, 482, 528),
    ("w6", 1000, 3000, 459, 505),
)


def run(valgrind: str, program: str, workload: str, cycles: int) -> tuple[int, int]:
    """Instructions and flit-hops."""
    command = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]
    done = subprocess.run([*command, workload, str(cycles)], capture_output=True, text=True, check=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if found is None:
        sys.exit(f"cachegrind says no number of instructions:\n{done.stderr}")
    return int(found[1].replace(",", "")), int(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    status = 0
    for workload, short, long, measured, bound in WORKLOADS:
        first = run(options.valgrind, options.program, workload, short)
        second = run(options.valgrind, options.program, workload, long)
        count = (second[0] - first[0]) / (second[1] - first[1])
        print(f"{workload}: {count:.0f} instructions per flit-hop; measured before: {measured}, bound: {bound}")
        if count > bound:
            print(f"{workload}: more than the bound; find what has become slower, or raise the bound with a reason")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())

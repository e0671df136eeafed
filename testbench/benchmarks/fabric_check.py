# SPDX-License-Identifier: Apache-2.0
"""Times of `fabric check` beside ibdmchk on the same files, in one run, as a table for testbench/measurements.md.

`PYTHONPATH=scripts .polycast/python/bin/python testbench/benchmarks/fabric_check.py [--large]`; `--large` takes 1.3 GB
of disk.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polycast_cli.common import ROOT
from polycast_cli.fabric.tools import environment, program

SIMULATOR = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build" / "release")) / "bin" / "polycast-sim"
ADAPTER = re.compile(r"\{ CA .*?NodeGUID:(\w+) .*?\} LID:(\w+) PN:")
LAUNCHER = """
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass
class Run:
    seconds: list[float]
    memory: int

    def text(self) -> str:
        median = statistics.median(self.seconds)
        return f"{median:.2f} s ({min(self.seconds):.2f} to {max(self.seconds):.2f}), {self.memory / 1e6:.0f} MB"


def once(command: Sequence[str | Path], folder: Path, variables: dict[str, str] | None) -> tuple[float, int]:
    """Seconds of processor and bytes of memory."""
    # A process of its own starts it, as the most memory of a process counts what it was forked from.
    asked = [sys.executable, "-S", "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(asked, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) * 1024


def measure(folder: Path, repetitions: int, theirs: bool) -> tuple[Run, Run | None]:
    """Both programs in turn."""
    ours = [SIMULATOR, "fabric", "check", *sorted(folder.iterdir()), "--json", "-"]
    found = subprocess.run(ours, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-1000:] + found.stderr
    options: list[str | Path] = ["-s", folder / "opensm-subnet.lst", "-f", folder / "opensm.fdbs", "-m", os.devnull]
    if (folder / "psl").is_file():
        options += ["-c", folder / "psl"]
    runs: tuple[list[tuple[float, int]], list[tuple[float, int]]] = ([], [])
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(repetitions):
            runs[0].append(once(ours, folder, None))
            if theirs:
                runs[1].append(once([program("ibdmchk"), *options], Path(scratch), environment()))
    made = [Run([one[0] for one in part], max((one[1] for one in part), default=0)) for part in runs]
    return made[0], made[1] if theirs else None


def tables(folder: Path, levels: int) -> Path:
    """A folded Clos network of 36-port switches, routed."""
    net, made = folder / f"clos{levels}.net", folder / f"tables{levels}"
    generate = ["topology", "--generate", "folded_clos", "--ports", "36", "--levels", str(levels), "--save", net]
    for command in (generate, ["fabric", "tables", net, "--engine", "dmodk", "--out", made]):
        subprocess.run([SIMULATOR, *command], check=True, stdout=subprocess.DEVNULL)
    (made / "opensm-lfts.dump").unlink()
    return made


def write_path_sls(folder: Path) -> None:
    """Of all pairs, four of them."""
    text = (folder / "opensm-subnet.lst").read_text()
    ends = sorted({(int(guid, 16), int(lid, 16)) for guid, lid in ADAPTER.findall(text)})
    rows = [
        f"0x{guid:x} {lid} {(a + b) % 4}\n" for a, (guid, _) in enumerate(ends) for b, (_, lid) in enumerate(ends)
        if a != b
    ]  # fmt: skip
    (folder / "psl").write_text("".join(rows))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repetitions", type=int, default=5)
    arguments.add_argument("--large", action="store_true", help="also 11,664 hosts, which ibdmchk is not asked about")
    options = arguments.parse_args()
    print("| | fabric check | ibdmchk | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = tables(Path(scratch), 2)
        cases = [("648 hosts, 54 switches, 419,256 pairs", folder, True)]
        began = time.monotonic()
        for name, where, theirs in cases:
            show(name, *measure(where, options.repetitions, theirs))
        write_path_sls(folder)
        show("the same with path SLs of all pairs, four", *measure(folder, options.repetitions, True))
        if options.large:
            large = tables(Path(scratch), 3)
            show("11,664 hosts, 1,620 switches, 136,037,232 pairs", *measure(large, options.repetitions, False))
        print(f"\n{time.monotonic() - began:.0f} s in all")


def show(name: str, ours: Run, theirs: Run | None) -> None:
    ratio = "" if theirs is None else f"{statistics.median(ours.seconds) / statistics.median(theirs.seconds):.2f}"
    print(f"| {name} | {ours.text()} | {theirs.text() if theirs else ''} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Builds a chip with Verilator and runs its cocotb tests: seed 0, then a new one.

    python testbench/cocotb/run.py switch
    python testbench/cocotb/run.py router --test every_error_is_reported --waves
    COCOTB_RANDOM_SEED=1234 python testbench/cocotb/run.py switch --own-rtl my_rtl

Exit status: 0 all passed, 1 a test failed, 2 the chip does not build.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import sys
from pathlib import Path
from sysconfig import get_path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RTL = ROOT / "rtl"
SEED = "COCOTB_RANDOM_SEED"
COVERAGE = "POLYCAST_COVERAGE_DATA"

#: Verilator's makefile as a compiler cache likes it: no precompiled header (one of nothing takes its place), and what
#: runs once only is not optimised.
NOTHING = "nothing.h"
MAKE = (
    f"OBJCACHE=ccache OPT_FAST=-O1 OPT_GLOBAL=-O1 VM_PARALLEL_BUILDS=1 VK_PCH_H={NOTHING} VK_PCH_I_FAST= VK_PCH_I_SLOW="
)


#: The parameters that a chip is tested with; its tests are in NAME_tests.py.
CHIPS = {
    "switch": {"NumPorts": 4, "FlitBytes": 2, "ChunkFlits": 4, "NumChunks": 8, "MaxHosts": 13, "MaxSwitches": 5,
               "ReadPorts": 3, "HeaderStops": 3},
    "router": {"NumPorts": 6, "NumVcs": 3, "VcFlits": 10, "FlitBytes": 4, "Dimensions": 2, "Radix": 3},
    "vl_switch": {"NumPorts": 5, "NumVls": 3, "FlitBytes": 4, "ChunkFlits": 4, "NumChunks": 12, "MaxLids": 24,
                  "MaxGroups": 6, "ReadPorts": 3, "Weighted": 1},
    "stream_port": {"FlitBytes": 4, "HeaderBits": 24, "NumVcs": 3, "ChunkFlits": 2, "NumChunks": 6},
    "cable": {"NumVcs": 2, "FlitBytes": 4, "FrameFlits": 8, "RingFlits": 256, "WindowFrames": 16, "Delay": 7},
}  # fmt: skip


def sources_of(name: str, list_name: str = "sources") -> list[Path]:
    """The list that all builds of the chip use."""
    text = (RTL / "model" / "sources.cmake").read_text()
    lists = dict(re.findall(r"set\((\w+)([^)]*)\)", text))

    def expand(entry: str) -> list[Path]:
        if inner := re.fullmatch(r"\$\{(\w+)\}", entry):
            return [path for part in lists[inner[1]].split() for path in expand(part)]
        return [RTL / entry]

    return [path for entry in lists.get(f"polycast_{name}_{list_name}", "").split() for path in expand(entry)]


def with_own(sources: list[Path], own: Path) -> list[Path]:
    """Files of `own` take the place of ours of the same name; packages are read first, others last: rtl/own.md."""
    mine = {path.name: path for path in sorted((*own.glob("*.sv"), *own.glob("*.v")))}
    replaced = [mine.pop(path.name, path) for path in sources]
    packages = [path for name, path in mine.items() if name.endswith("_pkg.sv")]
    return [*packages, *replaced, *(path for path in mine.values() if path not in packages)]


def forget_other_environments(folder: Path) -> None:
    """Verilator and make keep paths of cocotb's sources, which another Python environment has elsewhere."""
    environment = str(Path(sys.prefix).resolve())
    mark = folder / "environment.txt"
    if not mark.exists() or mark.read_text() != environment:
        for pattern in ("V*", "*.d", "*.o"):
            for path in folder.glob(pattern):
                path.unlink()
    mark.write_text(environment)


def build(name: str, folder: Path, own: Path | None) -> object:
    """Verilates the chip into `folder`; returns cocotb's runner. \\raises SystemExit where it does not build"""
    from cocotb_tools.runner import get_runner

    folder.mkdir(parents=True, exist_ok=True)
    forget_other_environments(folder)
    (folder / NOTHING).touch()
    # cocotb makes every signal of the chip accessible, which is slow; its tests need the pins of the top.
    pins = folder / "pins.vlt"
    pins.write_text(f'`verilator_config\npublic_flat_rw -module "polycast_{name}" -port "*"\n')
    options = ["--assert", "--trace-fst", "-Wno-fatal", "--no-timing", "-O3", "--x-assign", "fast", "--x-initial"]
    options += ["fast", "--unroll-count", "4", "--no-public-flat-rw", "--public-params"]
    sources = sources_of(name)
    if own:
        sources = with_own(sources, own)
        options.append(f"+incdir+{own}")
    if COVERAGE in os.environ:
        options += ["--coverage-line", "--coverage-toggle", "--coverage-user"]
        sources += sources_of(name, "pin_covers") + ([] if own else sources_of(name, "covers"))
    runner = get_runner("verilator")
    log = folder / "build.log"
    try:
        runner.build(
            sources=[RTL / "model" / "verilate.vlt", pins, *sources],
            hdl_toplevel=f"polycast_{name}",
            parameters=CHIPS[name],
            build_args=options,
            build_dir=folder,
            timescale=("1ns", "1ps"),
            waves=True,
            log_file=log,
        )
    except RuntimeError:
        sys.stderr.write("".join(log.read_text(errors="replace").splitlines(True)[-30:]))
        sys.stderr.write(f"error: the {name} does not build, see {log}\n")
        raise SystemExit(2) from None
    return runner


def failures_in(results: Path) -> list[str]:
    """Names of the tests that failed; an empty one where none ran."""
    try:
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return [""]
    bad = [case for case in cases if any(case.find(word) is not None for word in ("failure", "error"))]
    return [case.get("name", "") for case in bad] if cases else [""]


def simulate(runner: object, name: str, folder: Path, seed: int, test: str | None, wave: Path | None) -> list[str]:
    """Runs the tests, or one. \\returns the names of those that failed; an empty name where the run broke off"""
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    arguments = []
    if wave:
        arguments += ["--trace", "--trace-file", str(wave)]
    if COVERAGE in os.environ:
        run = f"{os.getpid()}-{seed}-{wave.stem if wave else 'all'}"
        data = Path(os.environ[COVERAGE]) / f"cocotb_{name}-{run}.dat"
        arguments += ["--coverage-per-instance", f"+verilator+coverage+file+{data}"]
    try:
        runner.test(  # type: ignore[attr-defined]
            hdl_toplevel=f"polycast_{name}",
            test_module=f"{name}_tests",
            test_filter=f"{re.escape(test)}$" if test else None,
            seed=seed,
            build_dir=folder,
            test_dir=folder,
            test_args=arguments,
            results_xml=str(results),
        )
    except (RuntimeError, SystemExit):
        return failures_in(results) or [""]
    return failures_in(results)


def replay(name: str, seed: int, test: str, own: Path | None) -> str:
    options = (f" --test {test}" if test else "") + (f" --own-rtl {own}" if own else "")
    return f"{SEED}={seed} {shown(Path(sys.executable))} testbench/cocotb/run.py {name}{options} --waves"


def shown(path: Path) -> Path:
    """As one types it in the checkout."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chip", choices=list(CHIPS))
    parser.add_argument("--test", metavar="NAME", help="only this test")
    parser.add_argument("--waves", action="store_true", help="record a wave in any case; else where a test fails")
    parser.add_argument("--own-rtl", metavar="DIR", type=Path, help="sources that take the place of ours, rtl/own.md")
    parser.add_argument("--build", metavar="DIR", type=Path, help="folder of the build and the waves")
    given = parser.parse_args()
    own = given.own_rtl.resolve() if given.own_rtl else None
    if own and not own.is_dir():
        parser.error(f"--own-rtl {given.own_rtl}: there is no such folder")
    names = re.findall(r"@cocotb.test\(\)\nasync def (\w+)", (HERE / f"{given.chip}_tests.py").read_text())
    if given.test and given.test not in names:
        parser.error(f"--test {given.test}: there is no such test; there are {', '.join(names)}")
    kind = ("own-" if own else "") + ("coverage-" if COVERAGE in os.environ else "")
    folder = (given.build or ROOT / "build" / "cocotb" / f"{kind}{given.chip}").resolve()
    verilator = os.environ.setdefault("VERILATOR_ROOT", str(Path(get_path("purelib")) / "verilator"))
    os.environ["PATH"] = f"{verilator}/bin{os.pathsep}{os.environ['PATH']}"
    os.environ["MAKEFLAGS"] = MAKE
    sys.path += [str(ROOT / "scripts")]  # the simulation finds its modules where we do
    runner = build(given.chip, folder, own)
    seeds = [int(os.environ[SEED])] if SEED in os.environ else [0, random.SystemRandom().randrange(1, 1 << 31)]
    failed = False
    for seed in seeds:
        print(f"{given.chip}: seed {seed}", flush=True)
        wave = folder / f"{given.test or given.chip}-{seed}.fst" if given.waves else None
        failures = simulate(runner, given.chip, folder, seed, given.test, wave)
        if wave:
            shutil.copy(HERE / f"{given.chip}.gtkw", wave.with_suffix(".gtkw"))
            print(f"wave: {shown(wave)}", flush=True)
        for test in failures:
            failed = True
            shot = wave or folder / f"{test or given.chip}-{seed}.fst"
            if wave is None:
                # The same again, this time with a wave of this test alone.
                simulate(runner, given.chip, folder, seed, test or given.test, shot)
                shutil.copy(HERE / f"{given.chip}.gtkw", shot.with_suffix(".gtkw"))
            print(f"failed: {test or 'the simulation'}, wave: {shown(shot)}", flush=True)
            print(f"repeat: {replay(given.chip, seed, test or given.test or '', own)}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

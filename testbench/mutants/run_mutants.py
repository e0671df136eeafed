# SPDX-License-Identifier: Apache-2.0
"""Plants a fault of mutants.yaml or units.yaml in a copy of its file, builds what depends on it, expects the bench or
the unit tests to fail; or expects the bench to pass with the unchanged sources.

Exit status: 0 as expected, 1 the fault survived, or the unchanged sources failed."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

# Configurations and cycles of a run: enough for every fault with room to spare, see `found after` in the output.
CORE_RUN = ["--configurations", "1500", "--cycles", "800", "--seed", "0", "--per-set", "2"]
CORE_RUN += ["--most-ports", "64"]
RTL_RUN = ["--configurations", "150", "--cycles", "800", "--seed", "0"]
# Seconds of a comparison, and of building a model of the RTL before it.
TIME_LIMIT = 400
BUILD_LIMIT = 1500
# Seconds of unit tests.
UNIT_LIMIT = 40
CORE_PAIRS = {
    "switch": "core-golden",
    "router": "router-core-golden",
    "coding": "coding-core-golden",
    "broadcast": "broadcast-core-golden",
    "link": "link-core-golden",
    "vl": "vl-switch-core-golden",
}
RTL_PAIRS = {
    "switch": "core-rtl",
    "router": "router-core-rtl",
    "coding": "coding-core-rtl",
    "broadcast": "broadcast-core-rtl",
    "link": "link-core-rtl",
    "vl": "vl-switch-core-rtl",
}


#: Link ends with codes, of the ring or the counters, are compared while bits flip.
LINK_CODES = re.compile(r"link_end_\w*_[gk][12]_")


def rtl_pair(model_set: str) -> str:
    return "link-upset-core-rtl" if LINK_CODES.match(model_set) else RTL_PAIRS[chip_of(model_set)]


def chip_of(name: str) -> str:
    """The chip that a parameter set or a source of a core is of: their names begin with it."""
    return name.partition("_")[0]


@dataclass
class Mutant:
    kind: str
    name: str
    file: str
    text: str
    by: str
    model_set: str
    compiled: list[str]  # what the change is compiled in
    tests: str = ""  # filter of the unit tests that must find it


@dataclass
class Verdict:
    found: bool
    words: str
    hangs: bool = False  # ran into the time limit


def place(root: Path, mutant: Mutant) -> tuple[re.Pattern[str], str]:
    """What finds the text of a fault in its file, once, and the file."""
    source = (root / mutant.file).read_text()
    # Any white space stands for any: lines may be broken elsewhere.
    found = re.compile(r"\s+".join(map(re.escape, re.split(r"(?<=\S)\s+(?=\S)", mutant.text))))
    count = len(found.findall(source))
    if count != 1:
        raise ValueError(
            f"{mutant.kind} {mutant.name}: its text stands {count} times in {mutant.file}, not once: "
            "adapt the list of mutants"
        )
    return found, source


def check(root: Path, mutants: list[Mutant]) -> int:
    """Whether every fault could be made."""
    status = 0
    for mutant in mutants:
        try:
            place(root, mutant)
        except (OSError, ValueError) as error:
            print(error)
            status = 1
    return status


class Workshop:
    """Where changed copies are built. The sources themselves are never touched."""

    def __init__(self, arguments: argparse.Namespace, sets: dict[str, str]) -> None:
        self.root: Path = arguments.root
        self.folder: Path = arguments.folder
        self.arguments = arguments
        self.sets = sets
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def changed(self, mutant: Mutant) -> str:
        found, source = place(self.root, mutant)
        return found.sub(lambda _: mutant.by, source)

    def core(self, mutant: Mutant | None, chip: str) -> Verdict:
        """Compiles what the change is in; the linker takes the rest from the library, and prefers this."""
        name = mutant.name if mutant else f"unchanged_{chip}"
        place = self.folder / f"core_{name}"
        place.mkdir()
        objects: list[str] = []
        if mutant:
            changed = place / mutant.file
            changed.parent.mkdir(parents=True)
            changed.write_text(self.changed(mutant))
            folders = ["-I", place, "-I", self.root]  # a changed header is found first
            for number, file in enumerate(mutant.compiled):
                source = changed if file == mutant.file else self.root / file
                objects.append(str(place / f"changed{number}.o"))
                self.build(
                    [*self.arguments.compiler.split(), "-std=c++20", "-O1", *folders, "-c", source, "-o", objects[-1]]
                )
        program = place / "bench"
        self.build(
            [
                *self.arguments.linker.split(),
                *objects,
                *self.arguments.bench_objects.split(":"),
                *self.arguments.libraries.split(":"),
                "-o",
                program,
            ]
        )
        return self.run([program, "--pair", CORE_PAIRS[chip], *CORE_RUN], os.environ)

    def rtl(self, mutant: Mutant | None, model_set: str = "") -> Verdict:
        """A folder with a changed copy of the RTL; its models have other names, and a cache of their own."""
        name = mutant.name if mutant else f"unchanged_{model_set}"
        place = self.folder / f"rtl_{name}"
        shutil.copytree(self.root / "rtl", place / "rtl")
        if mutant:
            (place / mutant.file).write_text(self.changed(mutant))
        environment = dict(os.environ, POLYCAST_MODEL_CACHE=str(place / "models"))
        chosen = self.sets[mutant.model_set if mutant else model_set]
        command = [self.arguments.soak, "--pair", rtl_pair(chosen), "--set", chosen]
        command += ["--own-rtl", place / "rtl", "--optimize", "-O0", "--waves", ""]
        # The shortest run builds the model, so that the clock of the comparison does not run meanwhile.
        if self.run([*command, "--configurations", "1", "--cycles", "1"], environment, BUILD_LIMIT).hangs:
            raise RuntimeError(f"the model of {name} is not built after {BUILD_LIMIT} s")
        return self.run([*command, *RTL_RUN], environment)

    def unit(self, mutant: Mutant) -> Verdict:
        """Links the objects of a program of unit tests anew. Those of the firmware are among them, the rest is in
        libraries: the changed file comes before them."""
        place = self.folder / mutant.name
        changed = place / mutant.file
        changed.parent.mkdir(parents=True)
        changed.write_text(self.changed(mutant))
        source = changed
        if mutant.compiled:  # a header is looked for beside what includes it: copies of all find the changed one
            source = place / mutant.compiled[0]
            beside = (self.root / mutant.file).parent.glob("*.h")
            for file in (self.root / mutant.compiled[0], *beside):
                if file.name != changed.name:
                    shutil.copy(file, changed.parent)
        fresh, program = place / "changed.o", place / "tests"
        firmware = source.suffix == ".c"
        name = "firmware_test" if firmware else "hw_unit_test"
        objects = (self.arguments.unit_objects / f"{name}.txt").read_text().splitlines()
        taken = [one for one in objects if one.endswith(".o")]  # a precompiled header is none
        kept = [one for one in taken if not (firmware and one.endswith(f"/{source.name}.o"))]
        folders = ["-I", self.root, "-I", self.root / "firmware", "-I", self.root / "hw/ni/abi"]
        standard = "-std=c11" if firmware else "-std=c++20"
        compiler = self.arguments.c_compiler if firmware else self.arguments.compiler
        self.build([*compiler.split(), standard, "-O1", *folders, "-c", source, "-o", fresh])
        libraries = self.arguments.unit_libraries.split(":")
        self.build([*self.arguments.linker.split(), fresh, *kept, *libraries, "-o", program])
        return self.run([program, f"--gtest_filter={mutant.tests}"], os.environ, UNIT_LIMIT)

    def build(self, command: list[str | Path]) -> None:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"cannot be built: {' '.join(str(part) for part in command)}\n{done.stderr}")

    def run(
        self,
        command: list[str | Path],
        environment: dict[str, str] | os._Environ[str],
        limit: int = TIME_LIMIT,
    ) -> Verdict:
        try:
            done = subprocess.run(
                [str(part) for part in command],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return Verdict(True, f"hangs: no end after {limit} s", hangs=True)
        if done.returncode < 0:
            return Verdict(True, f"ended by signal {-done.returncode}")
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit status {done.returncode}: {done.stdout[-400:]}{done.stderr}")
        lines = done.stdout.splitlines()
        if "[==========] Running 0 tests" in done.stdout:
            raise RuntimeError(f"no test has such a name: {command[-1]}")
        failed = [line.split()[3] for line in lines if line.startswith("[  FAILED  ]")]
        if failed:
            return Verdict(True, f"found by {failed[0]}")
        first = next((line for line in lines if line.startswith("first difference")), "")
        runs = sum(line.endswith((": same", ": DIFFERENT")) for line in lines)
        last = next((line for line in lines if line.startswith("no difference")), done.stdout[-200:].strip())
        return Verdict(done.returncode == 1, f"run {runs}, {first}" if first else last)


def tests(data: dict[str, Any], units: list[dict[str, str]]) -> dict[str, Mutant | str]:
    """By name: a fault, or the chip or the parameter set with which the unchanged sources run."""
    found: dict[str, Mutant | str] = {f"core.{chip}.unchanged": chip for chip in CORE_PAIRS}
    found |= {f"rtl.{chip_of(text)}.unchanged_{name}": name for name, text in data["sets"].items()}
    for kind in ("core", "rtl"):
        for entry in data[kind]:
            model_set = entry.get("set", "inline")
            compiled = entry.get("compiled", [entry["file"]])
            mutant = Mutant(kind, entry["name"], entry["file"], entry["text"], entry["by"], model_set, compiled)
            chip = chip_of(data["sets"][model_set] if kind == "rtl" else Path(mutant.file).name)
            name = f"{kind}.{chip}.{mutant.name}"
            if name in found:
                raise ValueError(f"mutants.yaml: two faults are called {name}")
            found[name] = mutant
    for entry in units:
        mutant = Mutant(
            "unit",
            entry["name"],
            entry["file"],
            entry["text"],
            entry["by"],
            "",
            entry.get("compiled", []),
            entry["tests"],
        )
        name = f"unit.{Path(mutant.file).parent.name}.{mutant.name}"
        if name in found:
            raise ValueError(f"units.yaml: two faults are called {name}")
        found[name] = mutant
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("test", help="name of a test; list: prints all names; check: can each be made")
    parser.add_argument("--root", type=Path, help="checkout")
    parser.add_argument("--folder", type=Path, help="scratch folder, made anew")
    parser.add_argument("--soak", type=Path, help="polycast-soak")
    parser.add_argument("--compiler", help="C++ compiler, with its launcher")
    parser.add_argument("--linker", help="the same without launcher")
    parser.add_argument("--bench-objects", help="objects of the bench of the core, separated by colons")
    parser.add_argument("--libraries", help="libraries it is linked with, separated by colons")
    parser.add_argument("--c-compiler", help="C compiler, with its launcher")
    parser.add_argument("--unit-objects", type=Path, help="folder with lists of the objects of unit tests")
    parser.add_argument("--unit-libraries", help="libraries these are linked with, separated by colons")
    arguments = parser.parse_args()

    data, units = (
        yaml.safe_load(Path(__file__).with_name(name).read_text()) for name in ("mutants.yaml", "units.yaml")
    )
    all_tests = tests(data, units)
    if arguments.test == "list":
        print("\n".join(all_tests))
        return 0
    if arguments.test == "check":
        return check(arguments.root, [each for each in all_tests.values() if isinstance(each, Mutant)])
    kind, chip, _ = arguments.test.split(".")
    test = all_tests[arguments.test]
    mutant = test if isinstance(test, Mutant) else None
    workshop = Workshop(arguments, data["sets"])
    started = time.monotonic()
    if kind == "unit":
        assert mutant is not None
        verdict = workshop.unit(mutant)
    else:
        verdict = workshop.core(mutant, chip) if kind == "core" else workshop.rtl(mutant, "" if mutant else str(test))
    good = verdict.found == (mutant is not None)
    state = ("found" if verdict.found else "SURVIVED") if mutant else ("FAILED" if verdict.found else "passed")
    print(f"{arguments.test}: {state}; {verdict.words}; {time.monotonic() - started:.0f} s")
    shutil.rmtree(arguments.folder, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the formal proofs of proofs.toml with Yosys, yosys-smtbmc and z3; README.md says how a proof is written.

prove.py --list                      one line per test: name of the proof, then `proof` or the name of a mutant
prove.py PROOF                       every step of a proof: must pass
prove.py PROOF --mutant NAME         the proof on a broken copy of the RTL: must end in a counterexample
prove.py --all                       everything, with a table of times

Environment: POLYCAST_RTL another RTL folder, POLYCAST_FORMAL_LIMIT seconds for one run of a tool (600).
Exit status: 0 as expected, 1 not as expected, 2 the tools could not do their work.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tool

HERE = Path(__file__).resolve().parent
RTL = Path(os.environ.get("POLYCAST_RTL", HERE.parents[1] / "rtl"))
PACKAGE = "common/polycast_pkg.sv"
TOP = "harness"
# Seconds for one run of a tool.
TIME_LIMIT = int(os.environ.get("POLYCAST_FORMAL_LIMIT", "600"))

PROBE = re.compile(
    r'\(\*\s*probe\s*=\s*"(?P<path>[^"]+)"(?:\s*,\s*words\s*=\s*"(?P<words>[^"]+)")?'
    r'(?:\s*,\s*only\s*=\s*"(?P<only>[^"]+)")?\s*\*\)\s*'
    r"wire\s+(?:logic\s+)?(?:\[[^;]*\]\s*)?(?P<name>\w+)\s*;"
)
FAILED_ASSERTION = re.compile(r"Assert failed in \S+: (\S+)")
COVER = re.compile(
    r'  attribute \\src "(?P<place>[^"]+)"\n  cell \$cover (?P<name>\S+)\n'
    r"    connect \\A (?P<condition>.+)\n    connect \\EN (?P<enable>.+)\n  end\n"
)
# A cover statement as the assertion that it is never reached.
NEVER = r"""  wire $never
  cell $not $never_not
    parameter \A_SIGNED 0
    parameter \A_WIDTH 1
    parameter \Y_WIDTH 1
    connect \A {condition}
    connect \Y $never
  end
  cell $assert {name}
    connect \A $never
    connect \EN {enable}
  end
"""


class ToolError(Exception):
    """Yosys or smtbmc could not do their work: neither a proof nor a counterexample."""


@dataclass(frozen=True)
class Mutant:
    """A seeded fault: the text `find`, which occurs once in `file` (any white space for any), becomes `replace`."""

    name: str
    file: str
    find: str
    replace: str


@dataclass(frozen=True)
class Step:
    """One run of a tool to `depth` cycles. `mode`: bmc, induction (smtbmc); sat (BMC), sat_induction, cover (Yosys)."""

    mode: str
    depth: int


@dataclass(frozen=True)
class Proof:
    """A harness with its parameters, the modules it needs, signals that have any value instead of their own, the steps
    that prove it and the mutants that it catches."""

    name: str
    harness: str
    sources: tuple[str, ...]
    parameters: dict[str, int]
    cuts: tuple[str, ...]
    steps: tuple[Step, ...]
    mutants: tuple[Mutant, ...]

    @property
    def depth(self) -> int:
        return max(step.depth for step in self.steps if "induction" not in step.mode)


def load(path: Path = HERE / "proofs.toml") -> dict[str, Proof]:
    """Reads proofs.toml; a variant inherits everything from its proof and changes parameters, steps and mutants.
    Sources that are the name of a proof above are those of that proof."""
    proofs: dict[str, Proof] = {}
    for entry in tomllib.loads(path.read_text())["proof"]:
        sources = entry["sources"]
        if isinstance(sources, str):
            if sources not in proofs:
                raise SystemExit(f"{path.name}: {entry['name']} has the sources of {sources}, no proof above it")
            sources = proofs[sources].sources
        for variant in [{}, *entry.get("variant", [])]:
            merged: dict[str, Any] = entry | ({"mutant": []} if variant else {}) | variant
            proof = Proof(
                name=merged["name"],
                harness=entry["harness"],
                sources=tuple(sources),
                parameters=entry.get("parameters", {}) | variant.get("parameters", {}),
                cuts=tuple(entry.get("cut", ())),
                steps=tuple(Step(**step) for step in merged["step"]),
                mutants=tuple(Mutant(**mutant) for mutant in merged.get("mutant", [])),
            )
            if proof.name in proofs:
                raise SystemExit(f"{path.name}: two proofs are called {proof.name}")
            proofs[proof.name] = proof
    return proofs


def probes(proof: Proof) -> list[str]:
    """Yosys commands that drive the probe wires of the harness from the inside of the module under proof."""

    def number(text: str) -> int:
        return int(eval(text, {"__builtins__": {}}, dict(proof.parameters)))  # text of our own harness

    commands = []
    for match in PROBE.finditer((HERE / proof.harness).read_text()):
        path = match["path"]
        if match["only"] and not number(match["only"]):
            continue
        if match["words"]:
            words = number(match["words"])
            value = ",".join(f"\\{path}[{word}]" for word in reversed(range(words)))
        else:
            value = f"\\{path}"
        commands.append(f"connect -set \\{match['name']} {value}")
    return commands


def cpu_seconds() -> float:
    """Processor time of all tools so far: on a busy machine elapsed time would say little."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def call(command: list[str], log: Path, allowed: tuple[int, ...] = (0,)) -> tuple[int, str]:
    try:
        code = tool.run(command, log, TIME_LIMIT)
    except TimeoutError as error:
        raise ToolError(error) from None
    text = log.read_text()
    if code not in allowed:
        raise ToolError(f"{command[0]} failed:\n{text[-3000:]}")
    return code, text


def elaborate(proof: Proof, rtl: Path, work: Path) -> Path:
    """Writes the harness with all it instantiates as SMT2 and RTLIL. Memories become registers, for probes."""
    sources = " ".join(str(rtl / name) for name in (PACKAGE, *proof.sources))
    parameters = "".join(f" -set {name} {value}" for name, value in proof.parameters.items())
    smt2 = work / f"{proof.name}.smt2"
    script = [
        f"read_verilog -sv {sources}",
        f"read_verilog -sv -formal -I{HERE} {HERE / proof.harness}",
        f"chparam{parameters} {TOP}" if parameters else "",
        f"hierarchy -check -top {TOP}",
        f"rename -top {TOP}",
        "proc",
        "flatten",
        "memory -nordff",
        *(f"select -assert-any w:{signal}\ncutpoint w:{signal}" for signal in proof.cuts),
        *probes(proof),
        "opt_clean",
        "async2sync",
        "opt -fast",
        "dffunmap",
        f"write_smt2 -wires {smt2}",
        "opt -full",
        "design -save all",
        "chformal -cover -remove",
        f"write_rtlil {smt2.with_suffix('.il')}",
        "design -load all",
        "chformal -assert -remove",
        f"write_rtlil {smt2.with_suffix('.cover.il')}",
    ]
    path = work / f"{proof.name}.ys"
    path.write_text("\n".join(script) + "\n")
    # A name that is not declared must not become a one-bit wire.
    call(["yosys", "-q", "-e", "implicitly declared", "-s", str(path)], work / f"{proof.name}.yosys.log")
    return smt2


def solve(step: Step, smt2: Path, work: Path) -> tuple[bool, str]:
    """Runs one step; returns whether it passed, and what failed if it did not."""
    option = {"bmc": [], "induction": ["-i", "--noincr"]}[step.mode]
    trace = work / f"{smt2.stem}.{step.mode}.vcd"
    command = ["yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", *option, "--dump-vcd", str(trace)]
    command += ["-t", str(step.depth), str(smt2)]
    code, text = call(command, work / f"{smt2.stem}.{step.mode}.log", (0, 1))
    if code == 0 and "Status: PASSED" in text:
        return True, ""
    where = sorted(set(FAILED_ASSERTION.findall(text)))
    if not where:
        raise ToolError(f"yosys-smtbmc said neither passed nor which assertion failed:\n{text[-3000:]}")
    return False, f"{' '.join(Path(place).name for place in where)} (trace: {trace})"


def satisfy(depth: int, design: Path, work: Path) -> tuple[bool, str]:
    """BMC by the SAT solver of Yosys: much faster than z3 where many registers are mixed, but it names no assertion."""
    trace = work / f"{design.stem}.sat.vcd"
    option = f"-verify -prove-asserts -set-assumes -tempinduct -tempinduct-baseonly -maxsteps {depth} -dump_vcd {trace}"
    log = work / f"{design.stem}.sat.log"
    code, text = call(["yosys", "-p", f"read_rtlil {design}; sat {option} {TOP}"], log, (0, 1))
    if code == 0 and f"proved base case for {depth} steps: SUCCESS!" in text:
        return True, ""
    if "proof did fail" not in text:
        raise ToolError(f"sat neither proved nor refuted:\n{text[-3000:]}")
    return False, f"cycle {re.findall(r'base case ([0-9]+)', text)[-1]} (trace: {trace})"


def induce(depth: int, design: Path, work: Path) -> tuple[bool, str]:
    """From any `depth` cycles in which the assertions hold, by the SAT solver of Yosys; and BMC to that depth."""
    trace = work / f"{design.stem}.sat_induction.vcd"
    option = f"-prove-asserts -set-assumes -tempinduct -maxsteps {depth} -dump_vcd {trace}"
    log = work / f"{design.stem}.sat_induction.log"
    _, text = call(["yosys", "-p", f"read_rtlil {design}; sat {option} {TOP}"], log)
    if "Induction step proven: SUCCESS!" in text:
        return True, ""
    if "proof failed" not in text and "proof did fail" not in text:
        raise ToolError(f"sat neither proved nor refuted:\n{text[-3000:]}")
    return False, f"(trace: {trace})"


def reach(depth: int, design: Path, work: Path) -> tuple[bool, str]:
    """Whether each cover statement is reached: a proof whose assumptions allow nothing would not reach any."""
    text = design.read_text()
    covers = list(COVER.finditer(text))
    if len(covers) != text.count("cell $cover ") or not covers:
        raise ToolError(f"{design.name}: {len(covers)} of {text.count('cell $cover ')} cover statements understood")
    unreached = []
    for number, cover in enumerate(covers):
        one = work / f"{design.stem}.{number}.il"
        never = NEVER.format(**cover.groupdict())
        one.write_text(COVER.sub(lambda found, this=cover, by=never: by if found[0] == this[0] else "", text))
        if satisfy(depth, one, work)[0]:
            unreached.append(Path(cover["place"]).name)
    return not unreached, f"not reached: {' '.join(unreached)}"


def mutate(mutant: Mutant, work: Path) -> Path:
    """Copies the RTL and breaks the copy."""
    rtl = work / "rtl"
    shutil.copytree(RTL, rtl, dirs_exist_ok=True)
    path = rtl / mutant.file
    text = path.read_text()
    found = re.compile(r"\s+".join(map(re.escape, re.split(r"(?<=\S)\s+(?=\S)", mutant.find))))
    count = len(found.findall(text))
    if count != 1:
        raise ToolError(f"mutant {mutant.name}: {mutant.find!r} occurs {count} times in {mutant.file}")
    path.write_text(found.sub(lambda _: mutant.replace, text))
    return rtl


def run_step(step: Step, smt2: Path, work: Path) -> tuple[bool, str]:
    if step.mode == "sat":
        return satisfy(step.depth, smt2.with_suffix(".il"), work)
    if step.mode == "sat_induction":
        return induce(step.depth, smt2.with_suffix(".il"), work)
    if step.mode == "cover":
        return reach(step.depth, smt2.with_suffix(".cover.il"), work)
    return solve(step, smt2, work)


def prove(proof: Proof, work: Path) -> bool:
    smt2 = elaborate(proof, RTL, work)
    good = True
    for step in proof.steps:
        begin = cpu_seconds()
        passed, why = run_step(step, smt2, work)
        seconds = cpu_seconds() - begin
        print(f"{proof.name}: {step.mode} {step.depth}: {'passed' if passed else 'FAILED ' + why}, {seconds:.1f} s CPU")
        good = good and passed
    return good


def kill(proof: Proof, mutant: Mutant, work: Path) -> bool:
    """Whether a counterexample from reset is found: an induction that fails would say nothing."""
    smt2 = elaborate(proof, mutate(mutant, work), work)
    begin = cpu_seconds()
    passed, why = satisfy(proof.depth, smt2.with_suffix(".il"), work)
    seconds = cpu_seconds() - begin
    print(f"{proof.name}: mutant {mutant.name}: {'NOT caught' if passed else 'caught at ' + why}, {seconds:.1f} s CPU")
    return not passed


def run(proof: Proof, mutant: Mutant | None, work: Path | None) -> bool:
    if work is not None:
        work.mkdir(parents=True, exist_ok=True)
        return kill(proof, mutant, work) if mutant else prove(proof, work)
    with tempfile.TemporaryDirectory(prefix="polycast-formal-") as folder:
        return kill(proof, mutant, Path(folder)) if mutant else prove(proof, Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proof", nargs="?")
    parser.add_argument("--mutant")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--work", type=Path, help="folder that keeps logs and traces; default: none are kept")
    arguments = parser.parse_args()
    tool.end_with_tools()
    proofs = load()
    if arguments.list:
        for proof in proofs.values():
            print(proof.name, "proof")
            for mutant in proof.mutants:
                print(proof.name, mutant.name)
        return 0
    if not arguments.all and arguments.proof not in proofs:
        print(f"no such proof: {arguments.proof}; there are: {' '.join(proofs)}", file=sys.stderr)
        return 2
    chosen = list(proofs.values()) if arguments.all else [proofs[arguments.proof]]
    good = True
    try:
        for proof in chosen:
            mutants: list[Mutant | None] = [None, *proof.mutants] if arguments.all else [None]
            if arguments.mutant:
                mutants = [mutant for mutant in proof.mutants if mutant.name == arguments.mutant]
                if not mutants:
                    raise ToolError(f"{proof.name} has no mutant {arguments.mutant}")
            for mutant in mutants:
                folder = arguments.work / proof.name / (mutant.name if mutant else "proof") if arguments.work else None
                good = run(proof, mutant, folder) and good
    except ToolError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

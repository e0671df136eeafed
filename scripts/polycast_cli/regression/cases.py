# SPDX-License-Identifier: Apache-2.0
"""What a plan comes to: cases, each with a name that stays the same from run to run."""

from __future__ import annotations

import ast
import datetime
import itertools
import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polycast_cli.build import environment
from polycast_cli.campaigns.plan import Expectation, Part, files_of
from polycast_cli.campaigns.plan import load_plan as load_campaign
from polycast_cli.common import Failure, UserError, flow, set_options
from polycast_cli.located import Location, Source
from polycast_cli.reading import proposal
from polycast_cli.regression.plan import Plan, Requirement, Test

#: Seconds of a test of which ctest knows none: most are short.
UNKNOWN_COST = 0.1

#: Keys of scenarios whose values are files, which are relative to the plan.
PATHS = ("network.own_rtl", "network.partition", "network.topology.path", "ni.firmware", "rails.matrix")


@dataclass(frozen=True)
class CTest:
    """A test of the build tree; `number` is how ctest is asked for it."""

    name: str
    number: int
    cost: float


@dataclass
class Case:
    name: str
    kind: str
    test: Test
    requirements: list[str] = field(default_factory=list)
    seed: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # of a scenario
    replay: str = ""  # of lockstep: the line
    path: Path | None = None  # scenario, campaign, RTL folder or Python file
    part: Part | None = None  # of a campaign
    beside: tuple[Path, ...] = ()  # files that `path` names
    ctest: CTest | None = None


def list_ctests(build: Path) -> list[CTest]:
    """A program that is not built yet stands for its tests, whose names nobody knows.

    \\raises Failure where `build` has no tests"""
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    try:
        found = json.loads(done.stdout)["tests"]
    except (ValueError, KeyError):
        raise Failure(f"ctest cannot list the tests of {build}: {done.stderr.strip()[-500:]}") from None
    costs = read_costs(build / "Testing" / "Temporary" / "CTestCostData.txt")
    return [CTest(test["name"], number, costs.get(test["name"], UNKNOWN_COST)) for number, test in enumerate(found, 1)]


def read_costs(path: Path) -> dict[str, float]:
    """Seconds by name, as ctest kept them."""
    costs = {}
    try:
        for line in path.read_text(errors="replace").splitlines():
            parts = line.rsplit(" ", 2)
            if len(parts) == 3:
                costs[parts[0]] = float(parts[2])
    except (OSError, ValueError):
        return costs
    return costs


def expand(plan: Plan, source: Source, ctests: Sequence[CTest], seed: int, most_seeds: int | None) -> list[Case]:
    """Every case once, with all requirements that name it. \\raises UserError where a test matches nothing"""
    cases: dict[str, Case] = {}
    for index, requirement in enumerate(plan.requirements):
        for number, test in enumerate(requirement.tests):
            where: Location = ("requirements", index, "tests", number)
            for case in cases_of(test, source, where, ctests, seed, most_seeds):
                known = cases.setdefault(case.name, case)
                if requirement.id not in known.requirements:
                    known.requirements.append(requirement.id)
    return list(cases.values())


def cases_of(
    test: Test, source: Source, where: Location, ctests: Sequence[CTest], seed: int, most_seeds: int | None
) -> Iterator[Case]:
    folder = source.path.resolve().parent
    match test.kind:
        case "ctest" | "formal" | "cocotb":
            yield from matching(test, source, where, ctests)
        case "pytest":
            assert test.pytest is not None
            file, _, function = test.pytest.partition("::")
            check_function(folder / file, function, source, (*where, "pytest"))
            yield Case(f"pytest {test.pytest}", "pytest", test, path=folder / file)
        case "lockstep":
            yield from lockstep_cases(test, folder, seed, most_seeds)
        case "scenario":
            yield from scenario_cases(test, folder, seed, most_seeds)
        case "campaign":
            yield from campaign_cases(test, source, where, seed, most_seeds)


def matching(test: Test, source: Source, where: Location, ctests: Sequence[CTest]) -> Iterator[Case]:
    kind = test.kind
    expression = getattr(test, kind)
    prefix = "" if kind == "ctest" else f"{kind}."
    among = [found for found in ctests if found.name.startswith(prefix)]
    chosen = [found for found in among if re.search(expression, found.name.removeprefix(prefix))]
    if not chosen:
        stems = sorted({found.name.removeprefix(prefix).split(".")[0] for found in among})
        name = re.sub(r"[^\w.]", "", expression).split(".")[0]
        hint = proposal(name, stems) if stems else f"; there are no {kind} tests"
        raise source.error((*where, kind), f"no {kind} test matches '{expression}'{hint[:300]}")
    for found in chosen:
        yield Case(found.name, kind, test, ctest=found)


def check_function(file: Path, function: str, source: Source, where: Location) -> None:
    try:
        tree = ast.parse(file.read_text())
    except (OSError, SyntaxError) as error:
        raise source.error(where, f"{file.name} is no Python file: {error}") from None
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    if (function and function not in names) or not names:
        what = f"no test '{function}'" if function else "no test"
        hint = proposal(function, names) if names else ""
        raise source.error(where, f"there is {what} in {file.name}{hint}")


def seeds_of(test: Test, seed: int, most: int | None) -> list[int]:
    """0 always, then the run's own seed and those behind it; or as listed."""
    if isinstance(test.seeds, list):
        return test.seeds
    count = test.seeds if most is None else most
    return [0, *range(seed, seed + count - 1)]


def lockstep_cases(test: Test, folder: Path, seed: int, most: int | None) -> Iterator[Case]:
    rtl = (folder / test.own_rtl).resolve() if test.own_rtl else None
    stem = f"lockstep {test.lockstep}" + (f" own_rtl={test.own_rtl}" if test.own_rtl else "")
    for line in test.replay:
        yield Case(f"{stem} {line}", "lockstep", test, replay=line, path=rtl)
    for number in [] if test.replay else seeds_of(test, seed, most):
        name = f"{stem} {test.configurations}x{test.cycles} seed={number}"
        yield Case(name, "lockstep", test, seed=number, path=rtl)


def scenario_cases(test: Test, folder: Path, seed: int, most: int | None) -> Iterator[Case]:
    path = (folder / str(test.scenario)).resolve()
    for values in itertools.product(*test.grid.values()):
        place = dict(zip(test.grid, values, strict=True))
        words = "".join(f" {key}={flow(value)}" for key, value in (test.set | place).items())
        settings = {key: at(value, folder) if key in PATHS else value for key, value in (test.set | place).items()}
        for number in seeds_of(test, seed, most):
            name = f"scenario {test.scenario}{words} seed={number}"
            yield Case(name, "scenario", test, seed=number, settings=settings, path=path)


def campaign_cases(test: Test, source: Source, where: Location, seed: int, most: int | None) -> Iterator[Case]:
    """A case is a variant of which something is expected, and that of all its classes together."""
    path = source.path.resolve().parent / str(test.campaign)
    plan = load_campaign(path)
    try:
        Part(classes=test.classes).of(plan)
    except UserError as error:
        raise source.error((*where, "classes"), str(error).removeprefix("--class ")) from None
    words = f" {test.faults} faults" if test.faults else ""
    words += f" of {', '.join(test.classes)}" if test.classes else ""
    beside = tuple(files_of(path.parent / plan.scenario))
    tested = [name for name, variant in plan.variants.items() if variant.expect != Expectation.NOTHING]
    if not tested:
        raise source.error((*where, "campaign"), f"no variant of {plan.name} has 'expect: safe' or 'expect: seen'")
    for variant in tested:
        for number in seeds_of(test, seed, most):
            name = f"campaign {test.campaign} {variant}{words} seed={number}"
            part = Part(test.faults, number, tuple(test.classes), (variant,))
            yield Case(name, "campaign", test, seed=number, path=path, part=part, beside=beside)


def at(value: Any, folder: Path) -> Any:
    """A file of the plan, where it is one."""
    return str((folder / value).resolve()) if isinstance(value, str) and (folder / value).exists() else value


def options(settings: dict[str, Any], seed: int | None) -> list[str]:
    pairs = [f"{key}={flow(value)}" for key, value in settings.items()]
    pairs += [] if seed is None else [f"seed={seed}"]
    return set_options(pairs)


def chosen(plan: Plan, cases: Sequence[Case], tags: Sequence[str], only: Sequence[str]) -> list[Case]:
    """Those of the requirements in `only`, with one of the `tags`; all without."""
    by_id: dict[str, Requirement] = {requirement.id: requirement for requirement in plan.requirements}
    found = []
    for case in cases:
        of = [by_id[name] for name in case.requirements if not only or name in only]
        wearing = {*case.test.tags, *(tag for requirement in of for tag in requirement.tags)}
        if of and (not tags or wearing & set(tags)):
            found.append(case)
    return found


def tags_of(plan: Plan) -> list[str]:
    found = {tag for requirement in plan.requirements for tag in requirement.tags}
    return sorted(found | {tag for item in plan.requirements for test in item.tests for tag in test.tags})


def today() -> datetime.date:
    return datetime.datetime.now(tz=datetime.UTC).date()


#: Folders whose files decide what tests find, besides programs; those of Python do so for tests in it.
SOURCES = ("firmware", "hw", "rtl", "testbench", "tlm")
PYTHON = ("scripts", "testbench/python")


def stamp(folders: Sequence[Path]) -> str:
    """Changes when a file in the folders does, or one that is given itself. Pages do not count."""
    words = []
    for top in folders:
        for folder, folders_in, files in os.walk(top) if top.is_dir() else [(str(top.parent), [], [top.name])]:
            folders_in[:] = sorted(name for name in folders_in if name not in ("__pycache__", "python"))
            for name in sorted(files):
                if not name.endswith(".md"):
                    status = (Path(folder) / name).lstat()
                    words.append(f"{folder}/{name} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(words)

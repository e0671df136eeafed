# SPDX-License-Identifier: Apache-2.0
"""Tiers of the tests: testbench/tiers.yaml names tests that there are, and each test has one tier."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from polycast_cli.common import ROOT, UserError
from polycast_cli.testing import Selection
from polycast_cli.tiers import RELEASE, TIERS, expressions, load
from simulation import BUILD

BUILDS = load()
# A program that is not built yet stands for its tests, which only its tier runs.
NOT_BUILT = "_NOT_BUILT"


@pytest.fixture(scope="session")
def ctests() -> dict[str, list[str]]:
    """Labels of the tests of the build by name."""
    command = ["ctest", "--test-dir", BUILD, "--show-only=json-v1"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(text)["tests"]
    names = [test["name"] for test in found]
    assert [name for name, times in Counter(names).items() if times > 1] == []
    properties = [{item["name"]: item["value"] for item in test["properties"]} for test in found]
    return {name: values.get("LABELS", []) for name, values in zip(names, properties, strict=True)}


@pytest.fixture(scope="session")
def pytests() -> list[str]:
    command = [sys.executable, "-m", "pytest", "-c", "scripts/pyproject.toml", "--rootdir", ROOT, "testbench/python"]
    done = subprocess.run([*command, "-q", "--collect-only"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line.removeprefix("testbench/python/") for line in done.stdout.splitlines() if "::" in line]


def test_every_ctest_is_in_one_tier(ctests: dict[str, list[str]]) -> None:
    tiers = {name: [label for label in labels if label in TIERS] for name, labels in ctests.items()}
    wrong = {name: found for name, found in tiers.items() if len(found) != 1 and not name.endswith(NOT_BUILT)}
    assert wrong == {}
    assert {found[0] for found in tiers.values() if found} == set(TIERS)


def test_every_pattern_of_pytest_names_a_test(pytests: list[str]) -> None:
    patterns = [name for rule in BUILDS[RELEASE].rules for name in rule.pytest]
    assert [name for name in patterns if not any(re.match(expressions([name]), test) for test in pytests)] == []


def test_every_pattern_of_ctest_names_a_test(ctests: dict[str, list[str]]) -> None:
    """Sanitizers have fuzzers in addition, which other builds do not have."""
    programs = set(re.findall(r"polycast_discover_tests\((\w+)", cmake_files()))
    fuzzers = [f"fuzz.{name}{run}" for name in fuzzer_names() for run in ("", ".long")]
    known = [*ctests, *fuzzers, *programs]
    unknown = []
    for build in BUILDS.values():
        for name in (name for rule in build.rules for name in rule.ctest):
            program, _, case = name.partition(":")
            if case and program in programs and f"{program}{NOT_BUILT}" in ctests:
                continue
            if not any(re.match(expressions([case or name]), test) for test in known):
                unknown.append(name)
    assert unknown == []


def cmake_files() -> str:
    return "".join(path.read_text() for path in (ROOT / "testbench").rglob("CMakeLists.txt"))


def fuzzer_names() -> list[str]:
    return [path.name for path in (ROOT / "testbench" / "fuzz" / "corpus").iterdir()]


def test_tests_are_added_by_the_functions_that_know_the_tiers() -> None:
    assert re.findall(r"^\s*(?:add_test|gtest_discover_tests)\(.*", cmake_files(), re.MULTILINE) == []


@pytest.mark.parametrize(
    ("selection", "runs"),
    [
        (Selection(), {"release": ["default"]}),
        (Selection(["switch"]), {"release": ["default", "extended"]}),
        (Selection(tiers=TIERS[:-1]), {"release": ["default", "extended"], "asan": ["extended"]}),
        (Selection(tiers=["nightly"]), {"release": ["nightly"], "asan": ["nightly"], "tsan": ["nightly"]}),
        (Selection(preset="asan"), {"asan": ["extended"]}),
        (Selection(preset="debug"), {"debug": ["default"]}),
        (Selection(preset="tsan", tiers=["nightly"]), {"tsan": ["nightly"]}),
    ],
)
def test_what_a_selection_runs(selection: Selection, runs: dict[str, list[str]]) -> None:
    assert selection.runs() == runs


def file_with(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "tiers.yaml"
    file.write_text(text)
    return file


def test_patterns(tmp_path: Path) -> None:
    rule = "{tier: extended, ctest: [slow, 'a.b*', 'unit:s.*'], pytest: [test_x.py, 'test_y.py::test_1']}"
    text = f"release: [{{tier: default, ctest: [a.bb]}}, {rule}]\n"
    build = load(file_with(tmp_path, text))["release"]
    ctest = {
        "slow": "extended",
        "slow:any.case": "extended",
        "slower": "default",
        "a.bc": "extended",
        "a.bb": "default",
        "axb": "default",
    }
    ctest |= {"unit:s.one": "extended", "unit:t.one": "default", "unit": "default"}
    assert {name: build.tier("ctest", name) for name in ctest} == ctest
    pytests = {"test_x.py::test_1": "extended", "test_y.py::test_1[a]": "extended", "test_y.py::test_12": "default"}
    assert {name: build.tier("pytest", name) for name in pytests} == pytests


def test_cmake_finds_the_same_tiers(tmp_path: Path) -> None:
    text = """
release:
  - {tier: default, ctest: [slow.one]}
  - {tier: extended, ctest: ['slow*', 'a.b*', 'unit:s.*']}
  - {tier: nightly, ctest: ['x.*[1+2]', a.bc]}
tsan: [{tier: nightly, ctest: ['unit:s.*', whole]}, {tier: extended, ctest: [unit:t.c]}]
"""
    for kind, build in load(file_with(tmp_path, text)).items():
        script = tmp_path / f"{kind}.cmake"
        names = [
            "slow",
            "slow.one",
            "slow:s.c",
            "other",
            "a.b",
            "a.bc",
            "ab",
            "unit:s.c",
            "unit:t.c",
            "x.y[1+2]",
            "x.y1+2",
            "whole:s.c",
        ]
        asked = "".join(f'polycast_tier(tier "{name}")\nmessage("{name} ${{tier}}")\n' for name in names)
        programs = "".join(
            f'polycast_program_tier(tier {name})\nmessage("{name} ${{tier}}")\n' for name in PROGRAMS[kind]
        )
        script.write_text(f"cmake_policy(VERSION 3.25)\n{build.cmake()}{asked}{programs}")
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
        wanted = [f"{name} {build.tier('ctest', name)}" for name in names]
        wanted += [f"{name} {tier}" for name, tier in PROGRAMS[kind].items()]
        assert done.stderr.splitlines() == wanted


#: A program of which only some tests have a tier is built for them where the others do not run.
PROGRAMS = {
    "release": {"slow": "extended", "unit": "default", "other": "default"},
    "tsan": {"unit": "extended", "whole": "nightly", "other": ""},
}


def test_a_tier_that_there_is_not_is_refused(tmp_path: Path) -> None:
    for rule in ("{tier: weekly, ctest: [slow]}", "{tier: default, gtest: [slow]}"):
        with pytest.raises(ValueError, match="release: a rule has a tier"):
            load(file_with(tmp_path, f"release: [{rule}]\n"))


def test_nothing_to_run_is_said() -> None:
    from polycast_cli.testing import run_tests

    with pytest.raises(UserError, match="nothing to run"):
        run_tests(Selection(preset="asan", tiers=["default"]), 1, True, True)

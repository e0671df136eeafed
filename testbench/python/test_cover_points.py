# SPDX-License-Identifier: Apache-2.0
"""Cover points fit the chips that they are bound to, and what the cocotb tests build is what all others build."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from polycast_cli.common import ROOT

CHIPS = ["switch", "router", "coding", "broadcast_router"]


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    """testbench/cocotb/run.py."""
    spec = importlib.util.spec_from_file_location("cocotb_run", ROOT / "testbench" / "cocotb" / "run.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lint(verilator: Path, sources: list[Path], chip: str, *options: str) -> str:
    command = ["perl", verilator / "bin" / "verilator", "--lint-only", "-Wall", "--assert", *options]
    command += ["--timescale", "1ns/1ps", "--top-module", f"polycast_{chip}", *sources]
    env = os.environ | {"VERILATOR_ROOT": str(verilator)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("chip", CHIPS)
def test_cover_points_fit_their_chips(builder: ModuleType, verilator: Path, chip: str) -> None:
    covers = builder.sources_of(chip, "pin_covers") + builder.sources_of(chip, "covers")
    assert covers
    said = lint(verilator, [*builder.sources_of(chip), *covers], chip, "--coverage-user")
    assert "%Error" not in said and "%Warning" not in said, said


@pytest.mark.parametrize("parameters", ["-GCheckRoute=1", "-GHeaderFree=1", "-GHeaderFree=1 -GCheckRoute=1"])
def test_coding_units_are_lint_clean(builder: ModuleType, verilator: Path, parameters: str) -> None:
    said = lint(verilator, builder.sources_of("coding"), "coding", *parameters.split())
    assert "%Error" not in said and "%Warning" not in said, said


@pytest.mark.parametrize("sources", [0, 40])
@pytest.mark.parametrize("chip", ["switch", "router", "vl_switch"])
def test_tables_of_sources_are_lint_clean(builder: ModuleType, verilator: Path, chip: str, sources: int) -> None:
    said = lint(verilator, builder.sources_of(chip), chip, f"-GMaxSources={sources}")
    assert "%Error" not in said and "%Warning" not in said, said


@pytest.mark.parametrize("top", ["link_end", "cable"])
def test_link_ends_and_cables_are_lint_clean(builder: ModuleType, verilator: Path, top: str) -> None:
    """Their counters count what their pins show: they have no cover points."""
    for parameters in ("", "-GNumVcs=16 -GFlitBytes=4 -GBeside=1 -GFrameFlits=1 -GHeaderBytes=9 -GSeqBits=6"):
        said = lint(verilator, builder.sources_of(top), top, *parameters.split())
        assert "%Error" not in said and "%Warning" not in said, said


def test_streams_are_lint_clean(builder: ModuleType, verilator: Path) -> None:
    for parameters in ("", "-GNumVcs=3 -GChunkFlits=1 -GFlitBytes=4 -GHeaderBits=40", "-GChunkFlits=3 -GNumChunks=1"):
        said = lint(verilator, builder.sources_of("stream_port"), "stream_port", *parameters.split())
        assert "%Error" not in said and "%Warning" not in said, said


def test_all_cover_points_are_in_some_build(builder: ModuleType) -> None:
    listed = {path for chip in CHIPS for name in ("pin_covers", "covers") for path in builder.sources_of(chip, name)}
    assert listed == set((ROOT / "rtl" / "cover").glob("*.sv"))


def test_own_sources_take_the_place_of_ours(builder: ModuleType, tmp_path: Path) -> None:
    for name in ("polycast_rr_arbiter.sv", "my_pkg.sv", "my_block.v"):
        (tmp_path / name).touch()
    ours = builder.sources_of("switch")
    mixed = builder.with_own(ours, tmp_path)
    assert len(mixed) == len(ours) + 2
    assert mixed[0] == tmp_path / "my_pkg.sv"
    assert mixed[-1] == tmp_path / "my_block.v"
    place = [path.name for path in ours].index("polycast_rr_arbiter.sv")
    assert mixed[1 + place] == tmp_path / "polycast_rr_arbiter.sv"

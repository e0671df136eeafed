# SPDX-License-Identifier: Apache-2.0
"""Coverage: what several runs counted is merged to the right numbers, waived with reasons, and shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixture_browser import Browser, browser
from polycast_cli.common import Failure, UserError
from polycast_cli.regression import coverage, coverage_data
from polycast_cli.regression.coverage import FileSummary, Hole, Measure, Summary, merge

__all__ = ["browser"]

#: Way 1 takes one branch, way 2 the other, neither one none; nothing ever takes both.
MODULE = """\
module tiny (
  input  wire logic       clk_i,
  input  wire logic [1:0] way_i,
  output logic      [1:0] count_o
);
  always_ff @(posedge clk_i) begin
    if (way_i[0]) begin
      count_o <= 2'd1;
    end else if (way_i[1]) begin
      count_o <= 2'd2;
    end
  end
  for (genvar b = 0; b < 2; b++) begin : gen_bit
    Way: cover property (@(posedge clk_i) way_i[b]);
  end
  Both: cover property (@(posedge clk_i) way_i == '1);
endmodule
"""
BENCH = """\
#include "Vtiny.h"
#include "verilated_cov.h"
int main(int, char** argv) {
    VerilatedContext context;
    Vtiny top{&context};
    for (const char* way = argv[1]; *way != 0; ++way) {
        top.way_i = *way - '0';
        for (const int clock : {0, 1}) {
            top.clk_i = clock;
            top.eval();
        }
    }
    context.coveragep()->forcePerInstance(true);
    context.coveragep()->write(argv[2]);
}
"""
FIRST, SECOND = 9, 10  # lines of the second branch
NO_WAIVERS = "waivers: []\n"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory, verilator: Path) -> Path:
    """Folder of the module and its simulator."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.sv").write_text(MODULE)
    (folder / "bench.cpp").write_text(BENCH)
    options = ["--coverage-line", "--coverage-toggle", "--coverage-user", "--no-timing", "--timescale", "1ns/1ps"]
    command = ["perl", verilator / "bin" / "verilator", "--cc", "--exe", *options, "--Mdir", "obj", folder / "tiny.sv"]
    make = "OBJCACHE=ccache OPT_FAST=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0"
    env = os.environ | {"VERILATOR_ROOT": str(verilator), "MAKEFLAGS": make}
    python = f"PYTHON3={sys.executable}"  # the makefile has a name that not every machine knows
    for step in ([*command, "bench.cpp"], ["make", "-C", "obj", "-f", "Vtiny.mk", python]):
        done = subprocess.run(step, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def waivers(tmp_path: Path) -> Path:
    path = tmp_path / "waivers.yaml"
    path.write_text(NO_WAIVERS)
    return path


def counted(tiny: Path, ways: str, name: str) -> Path:
    """Data of a run that takes these ways, one a cycle."""
    data = tiny / f"{name}.dat"
    subprocess.run([tiny / "obj" / "Vtiny", ways, data], check=True)
    return data


def only(summary: Summary) -> FileSummary:
    assert len(summary.files) == 1
    return summary.files[0]


def test_a_hit_of_either_run_is_a_hit_of_both(tiny: Path, tmp_path: Path, waivers: Path) -> None:
    first, second = counted(tiny, "0101", "first"), counted(tiny, "0200", "second")
    one = only(merge(None, [first], tmp_path / "one", waivers))
    other = only(merge(None, [second], tmp_path / "other", waivers))
    both = only(merge(None, [second, first], tmp_path / "both", waivers))

    # Lines: the block, the first `if` with its line, the second with its.
    assert [(file.lines.hit, file.lines.total) for file in (one, other, both)] == [(3, 5), (3, 5), (5, 5)]
    assert {hole.line for hole in one.holes if hole.kind == "line"} == {FIRST, SECOND}
    # Bits of clk_i, way_i and count_o, each both ways; count_o never goes back.
    assert both.toggles == Measure(hit=8, total=10)
    assert Hole("toggle", 4, "count_o[1:0] 1->0") in both.holes
    assert Hole("toggle", 3, "way_i[1] 0->1") in one.holes
    assert Hole("toggle", 3, "way_i[0] 0->1") in other.holes
    # Cover points: each turn of a generate loop by itself, cycles of both runs.
    assert one.counts == {"Both": 0, "gen_bit[0].Way": 2, "gen_bit[1].Way": 0}
    assert both.counts == {"Both": 0, "gen_bit[0].Way": 2, "gen_bit[1].Way": 1}
    assert [hole.name for hole in both.holes if hole.kind == "point"] == ["Both"]


def test_what_is_written(tiny: Path, tmp_path: Path, waivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [counted(tiny, "0101", "first"), counted(tiny, "0200", "second")]
    target = tmp_path / "coverage"
    target.mkdir()
    (target / "old").touch()
    monkeypatch.chdir(tmp_path)  # relative paths are those of the user
    summary = merge(None, runs, Path("coverage"), waivers)
    assert not (target / "old").exists()
    lines = (target / "coverage.info").read_text().splitlines()
    assert f"DA:{SECOND},1" in lines
    assert "LF:7" in lines and "LH:6" in lines  # with the lines of both cover points
    numbers = json.loads((target / "summary.json").read_text())
    assert numbers["totals"]["rtl"]["points"] == {"hit": 2, "total": 3, "waived": 0, "share": 0.666667}
    assert numbers["files"][0]["cover_points"]["gen_bit[1].Way"] == 1
    page = summary.page.read_text()
    assert "80.00 %" in page and "gen_bit[1].Way" in page
    assert (target / "source" / only(summary).source_page).is_file()
    assert ("RTL toggles", "80.00 % (8 of 10)") in summary.rows()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_is_for_everyone(tiny: Path, tmp_path: Path, waivers: Path, browser: Browser, colours: str) -> None:
    page = merge(None, [counted(tiny, "0101", "first")], tmp_path / "coverage", waivers).page
    with browser.screen(colours=colours):
        browser.open(page)
        browser.script("document.querySelectorAll('details').forEach(item => { item.open = true })")
        assert browser.violations() == []
        assert browser.violations(["color-contrast"]) == []
        assert browser.complaints() == []
    with browser.screen(width=390):
        assert browser.script("return document.documentElement.scrollWidth") <= 390


def test_waivers_take_holes_and_nothing_else(tiny: Path, tmp_path: Path, waivers: Path) -> None:
    waivers.write_text(
        "waivers:\n"
        "  - {file: '*/tiny.sv', kinds: [toggle], name: '^count_o.*1->0', reason: it never goes back}\n"
        "  - {file: '*/tiny.sv', text: 'way_i\\[1\\]', kinds: [line], reason: these lines are hit anyway}\n"
    )
    runs = [counted(tiny, "0101", "first"), counted(tiny, "0200", "second")]
    summary = merge(None, runs, tmp_path / "coverage", waivers)
    file = only(summary)
    assert file.toggles == Measure(hit=8, total=10, waived=2)
    assert file.toggles.share == 1.0
    assert file.lines == Measure(hit=5, total=5)
    assert [waiver["used"] for waiver in summary.waivers] == [2, 0]
    assert "it never goes back" in summary.page.read_text()
    assert [hole.kind for hole in file.holes] == ["point"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("waivers: [{file: a.sv}]", "reason"),
        ("waivers: [{file: a.sv, reason: it cannot be reached, kind: line}]", "kind"),
        ("waivers: [{file: a.sv, reason: it cannot be reached, text: '('}]", "regular expression"),
    ],
)
def test_bad_waivers_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "waivers.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        merge(None, [], tmp_path / "coverage", path)


def test_parameter_sets_and_instances_of_a_module_are_one() -> None:
    def point(kind: str, page: str, name: str, hierarchy: str, count: int) -> str:
        pairs = {"f": "a.sv", "l": "5", "n": "3", "t": kind, "page": f"v_{kind}/{page}", "o": name, "h": hierarchy}
        return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in pairs.items()) + f"' {count}"

    lines = [
        point("toggle", "fifo__D2", "count[0]:0->1", "TOP.a.i_x", 3),
        point("toggle", "fifo__D9", "count[0]:0->1", "TOP.a.i_y", 0),
        point("toggle", "fifo__D9", "count[3]:0->1", "TOP.a.i_y", 0),
        point("user", "cover__N2", "Held", "TOP.a.i_cover.gen_vc__BRA__1__KET____DOT__Held", 2),
        point("user", "cover__N4", "Held", "TOP.b.gen_in__BRA__0__KET__.i_cover.gen_vc__BRA__1__KET____DOT__Held", 5),
    ]
    counts: coverage_data.Counts = {}
    coverage_data.add_verilator(counts, lines)
    assert counts["a.sv"].toggles == {(5, "count[0]:0->1"): 3, (5, "count[3]:0->1"): 0}
    assert counts["a.sv"].points == {(5, "gen_vc[1].Held"): 7}


CPP = """\
int main(int count, char**) {
    if (count > 1) {
        return 0;
    }
    count += 1;
    return count - 2;
}
"""


def test_cpp_is_in_the_same_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waivers: Path) -> None:
    """Two runs of a program, each of which takes one way; and that only what is built for users counts."""
    root = tmp_path.resolve()
    for module in (coverage, coverage_data):
        monkeypatch.setattr(module, "ROOT", root)
    for folder in ("hw", "testbench"):
        (root / folder).mkdir()
        (root / folder / f"{folder}.cpp").write_text(CPP)
        build = ["g++", "--coverage", "-O0", "-c", f"{folder}/{folder}.cpp", "-o", f"build/{folder}.o"]
        (root / "build").mkdir(exist_ok=True)
        subprocess.run(build, cwd=root, check=True)
        link = ["g++", "--coverage", f"build/{folder}.o", "-o", f"build/{folder}"]
        subprocess.run(link, cwd=root, check=True)
        subprocess.run([f"build/{folder}"], cwd=root, check=True)
    one = only(merge(root / "build", [], root / "one", waivers))
    assert one.path == "hw/hw.cpp"
    assert [hole.line for hole in one.holes if hole.kind == "line"] == [3]
    subprocess.run(["build/hw", "argument"], cwd=root, check=True)
    both = only(merge(root / "build", [], root / "both", waivers))
    assert both.lines == Measure(hit=5, total=5)
    assert both.branches == Measure(hit=2, total=2)
    assert ("C++ lines", "100.00 % (5 of 5)") in merge(root / "build", [], root / "again", waivers).rows()


def test_nothing_counted_is_a_failure(tmp_path: Path, waivers: Path) -> None:
    (tmp_path / "build").mkdir()
    with pytest.raises(Failure, match="nothing was counted"):
        merge(tmp_path / "build", [], tmp_path / "coverage", waivers)
    assert not (tmp_path / "coverage").exists()
    assert not list(tmp_path.glob(".coverage*"))

# SPDX-License-Identifier: Apache-2.0
"""The command cost: what is refused, what is counted, and what is kept."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fixture_command import Command, command
from polycast_cli.common import ROOT, Failure, Status, UserError
from polycast_cli.cost import comparisons, designs, liberty, measure, synthesis, timing
from polycast_cli.cost.designs import design_of, grid, split, values_of
from polycast_cli.cost.libraries import LIBRARIES, library_of
from polycast_cli.cost.measure import Cost, Task
from polycast_cli.cost.synthesis import Memory, Netlist

__all__ = ["command"]

SMALL = """
/* a library */
library (small) {
  time_unit : "1ns";
  lu_table_template(t2x2) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition;
    index_1 ("1, 2"); index_2 ("1, 2"); }
  cell (NAND2X1) { area : 4; pin(A) { direction : input; capacitance : 0.5; }
    pin(Y) { direction : output; timing() { related_pin : "A";
      cell_rise(t2x2) { index_1 ("0, 2"); index_2 ("0, 4"); values ("1, 2", \\
        "3, 4"); }
      cell_fall(t2x2) { index_1 ("0, 2"); index_2 ("0, 4"); values ("0, 0", "0, 9"); } } } }
  cell (DFF) { area : 10; ff (Q, QN) { next_state : "D"; clocked_on : "C"; } }
  cell (LAT) { area : 7; latch (Q, QN) { enable : "E"; } }
}
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing has been measured before; the folder in which measurements are kept."""
    monkeypatch.setattr(measure, "KEPT", tmp_path / "kept")
    return tmp_path / "kept"


def measured(name: str, *settings: str, library: str = "osu018", mapped: bool = False) -> Cost:
    design = design_of(name)
    (values,) = grid(design, split(settings))
    return measure.measure(Task(design, values, library_of(library), mapped))


def test_a_library_is_read() -> None:
    cells = liberty.Cells(liberty.parse(SMALL))
    assert cells.areas == {"NAND2X1": 4, "DFF": 10, "LAT": 7}
    assert (cells.flip_flops, cells.latches, cells.gate) == ({"DFF"}, {"LAT"}, 4)
    assert cells.delay("NAND2X1", "Y", "A", 0, 0) == 1
    assert cells.delay("NAND2X1", "Y", "A", 1, 2) == pytest.approx(2.5)  # rise (1 + 2 + 3 + 4) / 4
    assert cells.delay("NAND2X1", "Y", "A", 2, 4) == 9


@pytest.mark.parametrize("text", ["", "library (a) {", "library (a) { cell (b) {}", "nonsense", "}"])
def test_what_is_no_library_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="no cell library"):
        liberty.parse(text)


@pytest.mark.parametrize("name", LIBRARIES)
def test_libraries_are_those_of_the_page(name: str) -> None:
    library = library_of(name)
    assert library.digest == library.sha256
    assert library.cells.areas["DFFPOSX1"] > library.cells.gate
    times = library.cells.times
    assert 0 < times.select < times.clock_to_q + times.setup
    # osu050 has one entry that is wrong by a factor of ten, for a clock with a slew.
    assert 0 < times.setup < 2 * times.clock_to_q


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a chip, such as router, or a block"),
        (("rooter",), "did you mean 'router'"),
        (("polycast_cable",), "there is no such chip or block"),
        (("zzz",), "switch, router, vl_switch, coding, broadcast, link_end"),
        (("router", "--library", "osu18"), "did you mean 'osu018'"),
        (("router", "-s", "prots=5"), "did you mean 'ports'"),
        (("router", "-s", "ports"), "expected KEY=VALUE"),
        (("router", "-s", "ports=x"), "'x' is no whole number"),
        (("router", "-s", "ports=5..2"), "'5..2' is no whole number"),
        (("router", "-s", "ports=40"), "router takes 2..32"),
        (("router", "-s", "ports=5,33"), "router takes 2..32"),
        (("router", "-s", "ports=32"), "2..64, not 128"),
        (("router", "-s", "flit_bytes=1"), "a buffer of 8 flits does not hold a header of 13"),
        (("router", "-s", "adaptive=1"), "needs a route table"),
        (("switch", "-s", "ports=4", "-s", "read_ports=8"), "read ports must be 1..ports, not 8"),
        (("switch", "-s", "max_hosts=20000"), "1..16384"),
        (("broadcast", "-s", "ports=4"), "more than 2 x dimensions ports"),
        (("link_end", "-s", "window=100", "-s", "sequence_bits=5"), "half the sequence numbers"),
        (("rr_arbiter", "-s", "NumReq=1"), "rr_arbiter takes 2 or more: Requesters, 2 or more"),
        (("fifo", "-s", "Width=0"), "fifo takes 1 or more"),
        (("router", "link_end", "-s", "ports=4"), "for router alone write -s router.ports="),
        (("router", "-s", "switch.ports=4"), "switch is not asked for"),
        (("router", "-s", "ports=2..32", "-s", "flit_bytes=13..64", "-s", "copies=0"), "more than 1,000"),
        (("router", "--compare", "cding"), "did you mean 'coding'"),
        (("switch", "--compare", "replication"), "no form without replication"),
        (("switch", "--compare", "coding"), "cost router --compare coding"),
        (("fifo", "--compare", "link"), "fifo has no ports with links"),
        (("router", "--compare", "replication", "-s", "copies=1"), "it is what --compare replication compares"),
        (("router", "--compare", "coding", "-s", "ports=16", "-s", "vcs=2"), "one that copies has at most 16 ports"),
    ],
)
def test_bad_input_is_refused_before_anything_is_measured(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(measure, "measure", lambda task: pytest.fail(f"{task.name} is measured"))
    monkeypatch.setattr(measure, "kept", lambda task: pytest.fail(f"{task.name} is looked up"))
    status, out, errors = command("cost", *words)
    assert (status, out) == (Status.BAD_INPUT, "")
    assert errors.startswith("error: ") and errors.count("\n") == 1
    assert said in errors


def test_values() -> None:
    assert values_of("a", "4") == [4]
    assert values_of("a", "[2, 4,2]") == [2, 4]
    assert values_of("a", "2..4,0x10") == [2, 3, 4, 16]
    assert values_of("a", "true,no") == [1, 0]
    router = design_of("polycast_router")
    assert grid(router, split(["ports=3,5", "NumVcs=1"])) == [{"ports": 3, "vcs": 1}, {"ports": 5, "vcs": 1}]
    assert grid(router, split(["router.vcs=2", "link_end.vcs=1"]), [design_of("link_end")]) == [{"vcs": 2}]


def test_every_chip_and_every_module_that_is_no_package_can_be_asked_for() -> None:
    listed = {path.stem for path in designs.listed().values() if "\nmodule " in path.read_text()}
    assert {design.module for design in designs.designs().values()} == listed - {"polycast_cable"}
    for design in designs.designs().values():
        files = designs.sources(design)
        assert files[-1] == designs.listed()[design.module] or design.module in {path.stem for path in files}
        for name in (each.verilog for each in design.parameters):
            assert re.search(rf"\bparameter\b.*\b{name}\b", designs.listed()[design.module].read_text()), name


def test_a_list_of_everything(command: Command) -> None:
    status, out, _ = command("cost", "--list")
    assert status == 0
    assert all(word in out for word in ("vc_flits", "rr_arbiter", "NumReq", "osu050", "the VL switch"))


def test_the_area_is_what_yosys_adds_up(fresh: Path, tmp_path: Path) -> None:
    """By `stat -liberty`, on a block with blocks in it, one of them four times."""
    design, library = design_of("protected_counter"), library_of("osu035")
    script = synthesis.script(design, {"Protection": 2}, library, False, tmp_path)
    (tmp_path / "constraints").write_text(synthesis.CONSTRAINTS)
    done = subprocess.run(
        ["yosys", "-p", f"{script}; stat -liberty {library.path}"], capture_output=True, text=True, check=True
    )
    found = measured("protected_counter", "Protection=2", library="osu035")
    assert found.area_um2 == pytest.approx(float(re.findall(r"Chip area for top module.*: ([\d.]+)", done.stdout)[-1]))
    counted = re.findall(r"^ +(DFF\w+) +(\d+)$", done.stdout.partition("=== design hierarchy ===")[2], re.MULTILINE)
    assert found.flip_flops == sum(int(number) for _, number in counted) > 0
    assert found.gates == pytest.approx(found.area_um2 / library.cells.areas["NAND2X1"])
    assert sum(block.area_um2 for block in found.blocks) == pytest.approx(found.area_um2)


def test_memory_bits_become_as_many_flip_flops(fresh: Path) -> None:
    apart, mapped = measured("fifo", "Width=5", "Depth=8"), measured("fifo", "Width=5", "Depth=8", mapped=True)
    assert (apart.memory_bits, mapped.memory_bits) == (40, 0)
    assert mapped.flip_flops == apart.flip_flops + 40
    assert mapped.area_um2 > apart.area_um2 + 40 * library_of("osu018").cells.areas["DFFPOSX1"]
    assert (apart.memories, mapped.memories) == ("apart", "flip-flops")


def test_a_chain_of_registers_takes_one_register_and_a_set_up(fresh: Path) -> None:
    """By the library's tables: the clock is ideal, and a register drives the pin of the next one."""
    cells = library_of("osu018").cells
    found = measured("pipe", "Width=1", "Stages=3")
    assert (found.cells, found.memory_bits) >= (3, 0)
    assert found.path_ns is not None
    assert cells.times.clock_to_q / 2 < found.path_ns < 2 * (cells.times.clock_to_q + cells.times.setup)


def test_reads_of_memories_take_longer_the_more_words_there_are(fresh: Path) -> None:
    """By a multiplexer for each bit of the address."""
    times = library_of("osu018").cells.times
    path = {
        depth: timing.arc("RA0_0", "combinational", ("cell_rise", "cell_fall"), bits * times.select)
        for depth, bits in ((4, 2), (64, 6), (65, 7))
    }
    for depth, arc in path.items():
        assert arc in timing.cell_text(Memory(depth, 1, 1, 1), times).replace(
            f'related_pin : "{" ".join(f"RA0_{bit}" for bit in range((depth - 1).bit_length()))}"',
            'related_pin : "RA0_0"',
        )
    # The same design, but for the words behind its outputs: data wait for the read.
    few, many = (measured("flit_memory", "FlitBytes=1", f"NumFlits={number}") for number in (4, 256))
    assert many.path_ns is not None and few.path_ns is not None
    assert many.path_ns - few.path_ns > 4 * times.select
    assert many.memory_bits == 64 * few.memory_bits


def test_a_cell_that_the_library_lacks_is_an_error() -> None:
    def module(kind: str) -> dict[str, object]:
        return {"attributes": {"top": "1"}, "ports": {}, "cells": {"c": {"type": kind}}}

    for kind, said in (("$_ALDFF_PP_", "no cell for"), ("LATCH", "there is a latch")):
        with pytest.raises(Failure, match=said):
            Netlist("polycast_x", {"polycast_x": module(kind)}, library_of("osu018"))
    assert Netlist("polycast_x", {"polycast_x": module("INVX1")}, library_of("osu018")).blocks()[0].cells == 1


@pytest.mark.parametrize(
    "said", ["", "Error: x.lib, 3 no\nEND OF REPORT", "Warning: no timing arcs\nEND OF REPORT", "slack 3"]
)
def test_nothing_that_the_timing_analyser_says_is_passed_over(said: str) -> None:
    module = {"attributes": {"top": "1"}, "ports": {}, "cells": {}}
    netlist = Netlist("polycast_x", {"polycast_x": module}, library_of("osu018"))
    with pytest.raises(Failure, match="OpenSTA on polycast_x"):
        timing.read(said, netlist)
    assert timing.read("No paths found.\nEND OF REPORT", netlist) is None


def test_what_yosys_says_is_passed_on(command: Command, fresh: Path) -> None:
    """A table of fewer words than the string has bits: only the module knows that it cannot be."""
    status, _, errors = command("cost", "route_decode", "-s", "WordBits=16")
    assert status == Status.OK
    assert "warning: Yosys on route_decode WordBits=16: " in errors


def test_what_yosys_refuses_is_one_error(command: Command, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "COARSE", ("proc; no_such_pass", "", ""))
    status, out, errors = command("cost", "rr_pick")
    assert (status, out) == (Status.FAILED, "")
    assert "error: Yosys on rr_pick failed (exit status 1)" in errors and "no_such_pass" in errors
    assert not fresh.exists()


def test_results_are_kept_until_the_sources_change(
    command: Command, fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ("cost", "rr_pick", "-s", "NumReq=2,4", "-o", "made", "-j", "1")
    status, first, _ = command(*words)
    assert (status, len(list(fresh.iterdir()))) == (0, 2)
    runs: list[str] = []
    real = measure.measure
    monkeypatch.setattr(measure, "measure", lambda task: runs.append(task.name) or real(task))
    assert command(*words)[1] == first
    assert runs == []
    # A kept file that is damaged is as good as none.
    next(fresh.iterdir()).write_text("{")
    assert command(*words)[1] == first
    assert len(runs) == 1
    copy = tmp_path / "rtl"
    copy.mkdir()
    changed = copy / "polycast_rr_pick.sv"
    changed.write_text(designs.listed()["polycast_rr_pick"].read_text() + "// changed\n")
    monkeypatch.setattr(measure, "sources", lambda _: [changed])
    assert command(*words)[1] == first
    assert runs[1:] == ["rr_pick NumReq=2", "rr_pick NumReq=4"]


def test_values_that_are_the_defaults_name_the_same_design() -> None:
    design, library = design_of("router"), library_of("osu018")
    assert Task(design, {"ports": 5, "vcs": 4}, library).key == Task(design, {}, library).key
    others = [
        Task(design, {"ports": 4}, library),
        Task(design, {}, library_of("osu035")),
        Task(design, {}, library, True),
    ]
    assert len({task.key for task in (*others, Task(design, {}, library))}) == 4


def test_files_that_the_command_writes(command: Command, fresh: Path, tmp_path: Path) -> None:
    status, out, _ = command("cost", "rr_pick", "coordinates", "-s", "rr_pick.NumReq=2,4,8", "-o", "made")
    assert status == 0
    assert "ratios between designs count, not absolute figures" in out and "Memories are black boxes" in out
    with (tmp_path / "made/cost.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    costs = [Cost.model_validate(each) for each in json.loads((tmp_path / "made/cost.json").read_text())]
    assert [row["design"] for row in rows] == ["rr_pick"] * 3 + ["coordinates"]
    assert [row["NumReq"] for row in rows] == ["2", "4", "8", ""]
    assert [float(row["area_um2"]) for row in rows] == [round(cost.area_um2, 1) for cost in costs]
    assert costs[0].area_um2 < costs[1].area_um2 < costs[2].area_um2
    assert [float(row["megahertz"]) for row in rows] == [round(1000 / float(row["path_ns"]), 2) for row in rows]
    for name in ("area.svg", "frequency.svg"):
        tree = ElementTree.parse(tmp_path / "made" / name)
        knots = [each for each in tree.iter() if each.get("class", "").startswith("knot") and each.get("cx")]
        assert len(knots) == 3 + 1, name  # and one in the legend
    # One design after several: no picture of the others stays.
    assert command("cost", "rr_pick", "-o", "made")[0] == 0
    assert {path.name for path in (tmp_path / "made").iterdir()} == {"cost.csv", "cost.json", "blocks.svg"}
    assert "rr_pick" in (tmp_path / "made/blocks.svg").read_text()


def test_comparisons_add_what_they_say() -> None:
    router = design_of("router")
    without, with_ = comparisons.sides("replication", router, {"vcs": 2})
    assert [part.values for side in (without, with_) for part in side.parts] == [
        {"vcs": 2, "copies": 0},
        {"vcs": 2, "copies": 1},
    ]
    without, with_ = comparisons.sides("coding", router, {"vcs": 2, "flit_bytes": 8})
    assert [(part.design.name, part.values.get("ports")) for part in with_.parts] == [("router", 6), ("coding", None)]
    assert with_.parts[1].values == {"vcs": 2, "vc_flits": 8, "flit_bytes": 8, "header_free": 0}
    without, with_ = comparisons.sides("link", design_of("vl_switch"), {"ports": 4, "vls": 3})
    assert without.parts == with_.parts[:1]
    assert (with_.parts[1].count, with_.parts[1].values["vcs"], with_.parts[1].values["frame"]) == (4, 3, 32)
    one = Cost(
        design="a", module="a", library="osu018", parameters={}, memories="apart", area_um2=10, gates=1, cells=1,
        flip_flops=2, memory_bits=3, path_ns=4.0, path_from="", path_to="", blocks=[],
    )  # fmt: skip
    two = one.model_copy(update={"area_um2": 100, "gates": 10, "path_ns": None})
    total = comparisons.sum_of(with_, [two, one])
    assert (total.area_um2, total.gates, total.flip_flops, total.memory_bits) == (140, 14, 10, 15)
    assert (total.path_ns, total.megahertz) == (4.0, 250.0)


def test_a_comparison_shows_both_sides(
    command: Command, monkeypatch: pytest.MonkeyPatch, fresh: Path, tmp_path: Path
) -> None:
    """With invented areas: 100 for each port of a router, 10 for a link end."""

    def invented(task: Task) -> Cost:
        area = 10.0 if task.design.name == "link_end" else 100.0 * task.values["ports"]
        return Cost(
            design=task.design.name, module="", library="osu018", parameters=dict(task.values), memories="apart",
            area_um2=area, gates=area, cells=1, flip_flops=1, memory_bits=1, path_ns=2.0, path_from="", path_to="",
            blocks=[],
        )  # fmt: skip

    monkeypatch.setattr(measure, "measure", invented)
    status, out, errors = command("cost", "router", "--compare", "link", "-s", "ports=3,4", "-s", "vcs=1", "-o", "made")
    assert status == 0, errors
    with (tmp_path / "made/cost.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["ports"], row["area_um2_without"], row["area_um2_with"], row["area_ratio"]) for row in rows] == [
        ("3", "300.0", "330.0", "1.1"),
        ("4", "400.0", "440.0", "1.1"),
    ]
    assert re.search(r"router +3 +0.300 +0.330 +1.10 +500 +500 +1 +4 +1 +4", out)
    assert "with vcs" not in (tmp_path / "made/area.svg").read_text()


def processes_with(word: str) -> list[str]:
    """Command lines; /proc has them whole."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in found if word in line]


def test_an_interrupted_command_leaves_no_tool_behind(tmp_path: Path) -> None:
    """Neither Yosys nor its ABC; what had been measured before is kept."""
    program = "from pathlib import Path; from polycast_cli import main; from polycast_cli.cost import measure\n"
    program += f"measure.KEPT = Path({str(tmp_path / 'kept')!r}); main.main()"
    words = ["cost", "rr_pick", "router", "-o", str(tmp_path / "made"), "-j", "1"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "TMPDIR": str(tmp_path / "scratch")}
    (tmp_path / "scratch").mkdir()
    process = subprocess.Popen([sys.executable, "-c", program, *words], env=env, stderr=subprocess.DEVNULL)
    try:
        # Yosys works in the folder of the second design as soon as the first one is kept.
        while not (list((tmp_path / "kept").glob("*.json")) and processes_with(f"{tmp_path}/scratch/")):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == Status.INTERRUPTED
        assert processes_with(f"{tmp_path}/scratch/") == []
    finally:
        process.kill()
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert not (tmp_path / "made").exists()

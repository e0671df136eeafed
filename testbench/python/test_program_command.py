# SPDX-License-Identifier: Apache-2.0
"""The command `program`: schedules described, checked, converted, and run on the LogGOPS model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from polycast_cli.common import ROOT
from simulation import said, sim

DATA = ROOT / "testbench" / "data" / "programs"
GOAL, BAD, MSCCL = DATA / "goal", DATA / "bad", DATA / "msccl"
B = ("--loggops", "L=11,o=7,g=5,G=3,O=2,S=10")


def test_run_prints_the_latest_finish_its_rank_and_the_sum() -> None:
    assert "finish: 221649 at rank 3; sum over ranks 3540168\n" in said("program", "run", GOAL / "stencil_4x4.goal")
    text = said("program", "run", GOAL / "allreduce_ring_8.bin", *B)
    assert "loggops: L 11, o 7, o_receive 7, g 5, G 3, O 2, S 10\n" in text
    assert "finish: 9175166 at rank 0; sum over ranks 73401328\n" in text


def test_run_writes_all_finish_times(tmp_path: Path) -> None:
    said("program", "run", GOAL / "pingpong.goal", *B, "--json", tmp_path / "found.json")
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["fidelity"] == "loggops"
    assert found["outcome"] == "complete"
    assert found["finish"] == {"time": 6044, "rank": 0, "sum": 11071}
    assert found["ranks_finish"] == [6044, 5027]
    assert json.loads(said("program", "run", GOAL / "pingpong.goal", "--json", "-"))["messages"] == 2


def test_a_run_that_is_stuck_says_why() -> None:
    text = sim("program", "run", BAD / "stolen.goal", status=1).stdout
    assert "stuck: 1 operation waits for ever" in text
    assert "rank 0 line 5 'b: recv 8b from 1' waits for a message from rank 1 with tag 7" in text


@pytest.mark.parametrize("name", ["circular", "head_to_head", "left_over", "length"])
def test_what_the_check_finds_is_refused_by_run(name: str) -> None:
    found = sim("program", "check", BAD / f"{name}.goal", status=1).stdout
    refused = said("program", "run", BAD / f"{name}.goal", status=2)
    assert found.removeprefix(f"{BAD}/{name}.goal: ").strip() in refused


def test_eager_sends_head_to_head_are_good() -> None:
    assert "good" in said("program", "check", BAD / "head_to_head.goal", "--eager", "69 KiB")
    assert "finish: " in said("program", "run", BAD / "head_to_head.goal", "--loggops", "S=70000")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cycle.goal", ":7:1: rank 0 has a cycle of dependencies: 'a' (line 4) waits for 'b' (line 5), which"),
        ("put.goal", ":4:1: unknown operation 'put', one of LogGOPSim2 for Portals"),
        ("order.goal", ":4:23: 'tag' comes too late"),
        ("cut.bin", ": rank 0 (byte 14): its part ends at byte 802, the file at byte 700"),
    ],
)
def test_bad_files_are_refused_with_their_place(name: str, words: str) -> None:
    for command in ("show", "check", "run"):
        assert f"{BAD / name}{words}" in said("program", command, BAD / name, status=2)


def test_both_forms_of_a_schedule_are_converted_into_each_other(tmp_path: Path) -> None:
    text, binary = tmp_path / "made.goal", tmp_path / "made.bin"
    said("program", "convert", GOAL / "random_2.bin", text)
    said("program", "convert", text, binary)
    assert binary.read_bytes() == (GOAL / "random_2.bin").read_bytes()
    said("program", "convert", GOAL / "random_2.goal", tmp_path / "other", "--to", "goal_binary")
    assert (tmp_path / "other").read_bytes() == binary.read_bytes()
    said("program", "convert", BAD / "cut.bin", tmp_path / "none.goal", status=2)
    assert not (tmp_path / "none.goal").exists()


def test_show_counts() -> None:
    text = said("program", "show", GOAL / "allreduce_ring_8.goal")
    assert "8 ranks, 224 operations" in text
    assert "longest chain of messages 14" in text
    found = json.loads(said("program", "show", GOAL / "gather_any_9.goal", "--json", "-"))
    assert found["from_any"] == 8
    assert found["kinds"]["calc"] == 9


def test_options_are_refused_with_what_is_known() -> None:
    file = GOAL / "pingpong.goal"
    assert "known: L, o, o_receive" in said("program", "run", file, "--loggops", "l=3", status=2)
    assert "expected a whole number, found '-3'" in said("program", "run", file, "--loggops", "L=-3", status=2)
    assert "one of one, hosts" in said("program", "run", file, "--nics", "two", status=2)
    assert "did you mean 'goal'?" in said("program", "show", file, "--format", "gaol", status=2)
    for eager in ("many", "3 flit", "0.5", "1025 GiB", "3 KX"):
        assert "--eager: expected a whole number of bytes" in said("program", "check", file, "--eager", eager, status=2)
    assert "does not begin with the number 4223" in said("program", "show", file, "--format", "goal_binary", status=2)


def test_a_matrix_of_htsim_is_described_run_and_converted(tmp_path: Path) -> None:
    matrix = tmp_path / "made.cm"
    matrix.write_text("Nodes 3\nConnections 2\n0->1 start 0 size 3000\n0->2 start 70000 size 100 prio 2\n")
    text = said("program", "show", matrix, "--piece", "1000 B")
    assert "4 send, 4 receive, 1 calc" in text
    assert "unit of times             1 ps" in text
    assert "prio is ignored" in sim("program", "check", matrix).stderr
    assert json.loads(said("program", "run", matrix, "--unit", "4 ns", "--json", "-"))["unit_ps"] == 4000
    matrix.write_text("Nodes 3\nConnections 1\n0->3 start 0 size 3000\n")
    assert f"{matrix}:3:4: the destination is 0 to 2" in said("program", "run", matrix, status=2)


def test_a_converted_program_takes_the_time_that_it_took(tmp_path: Path) -> None:
    """GOAL counts nanoseconds and says so nowhere; matrices count picoseconds."""
    matrix, made = tmp_path / "made.cm", tmp_path / "made.goal"

    def finish(file: Path, unit: int, *options: str) -> int:
        """In picoseconds, where messages take no time: that of the calculations."""
        free = ("--loggops", "L=0,o=0,g=0,G=0")
        found = json.loads(said("program", "run", file, *free, *options, "--json", "-"))
        assert found["unit_ps"] == unit
        return found["finish"]["time"] * unit

    matrix.write_text("Nodes 2\nConnections 1\n0->1 start 70000 size 100\n")
    assert finish(matrix, 1) == 70_000
    said("program", "convert", matrix, made)
    assert "calc 70 cpu 1" in made.read_text()
    assert finish(made, 1000) == 70_000
    for form in ("goal", "goal_binary"):
        said("program", "convert", matrix, tmp_path / form, "--to", form, "--unit", "4 ns")
        assert finish(tmp_path / form, 1000) == 280_000_000
    matrix.write_text("Nodes 2\nConnections 1\n0->1 start 70500 size 100\n")
    made.unlink()
    text = said("program", "convert", matrix, made, status=2)
    assert "rank 0 line 3 'start 70500: calc 70500' takes 70500 x 1 ps, no whole number of times 1000 ps" in text
    assert "'--to-unit \"500 ps\"'" in text
    assert not made.exists()
    said("program", "convert", matrix, made, "--to-unit", "500 ps")
    assert "calc 141 cpu 1" in made.read_text()
    assert finish(made, 500, "--unit", "500 ps") == 70_500


def test_results_of_an_algorithm_are_compared_with_its_collective() -> None:
    told = ("--size", "1 MiB", "--type", "bf16", "--reduction", "max")
    text = said("program", "run", MSCCL / "allreduce_2.xml", *told, "--slice", "32 KiB")
    assert "results: all 1048576 elements are those of allreduce of 524288 bf16, in place" in text
    # Whole chunks are sent head to head, and wait for their receives.
    assert "circular wait" in said("program", "run", MSCCL / "allreduce_2.xml", *told, status=2)
    wrong = sim("program", "run", BAD / "no_reduction.xml", "--json", "-", status=1).stdout
    assert json.loads(wrong)["wrong_results"] == 4
    wrong = sim("program", "run", BAD / "no_reduction.xml", status=1).stdout
    assert "results: 4 of 4 elements are wrong for allreduce of 2 f32, in place; the first: rank 0 element 0:" in wrong


def test_races_are_problems_unless_they_are_allowed() -> None:
    found = sim("program", "check", BAD / "race.xml", status=1).stdout
    assert found.count("race: ") == 4
    assert "race: " in said("program", "run", BAD / "race.xml", status=2)
    assert "good" in said("program", "check", BAD / "race.xml", "--races", "allow")
    assert "finish: " in sim("program", "run", BAD / "race.xml", "--races", "allow", status=None).stdout
    assert "did you mean 'allow'?" in said("program", "check", BAD / "race.xml", "--races", "alow", status=2)


def test_sizes_of_algorithms_are_verified(tmp_path: Path) -> None:
    file = MSCCL / "allreduce_2.xml"
    assert "a size of 804 bytes does not make 2 chunks" in said("program", "show", file, "--size", "804 B", status=2)
    assert "12 send" in said("program", "show", file, "--size", "40 B", "--slice", "8 B")
    assert "--unit: expected a time of 1 ps to 1 s" in said("program", "show", file, "--unit", "0.5 ps", status=2)
    assert "computes                  allreduce of 2 f32, in place" in said("program", "show", file)
    assert "cannot hold places in buffers" in said("program", "convert", file, tmp_path / "x.goal", status=2)
    assert "steps that wait for each other" in said("program", "check", BAD / "circular.xml", status=2)

# SPDX-License-Identifier: Apache-2.0
"""Programs on the reference machine in scenarios, repetitions, the critical path through networks, and operations."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from simulation import files, refused, said, simulate
from test_program_runs import PROGRAM, SWITCH, loads, point

B = "loggops: {L: 11, o: 7, g: 5, G: 3, O: 2, S: 10}"
#: Parts of `network`.
FINE = {"bus", "ni_send", "link", "link_wait", "ni_receive"}


def on_loggops(name: str, more: str = "", folder: str = "goal") -> str:
    return loads(name, f", machine: loggops{more}", folder)


def table(out: Path, name: str, run: str = "") -> list[dict[str, str]]:
    with (out / "tables" / f"{name}.csv").open() as stream:
        return [row for row in csv.DictReader(stream) if run in row["point"]]


def collective(text: str) -> str:
    return f"workload=[{{name: c, kind: collective, {text}}}]"


@pytest.mark.parametrize(
    ("name", "parameters", "time", "rank", "total"),
    [
        ("stencil_4x4", "", 221649, 3, 3540168),
        ("stencil_4x4", B, 139773, 15, 2223048),
        ("allreduce_doubling_12", "", 98192, 0, 1060048),
        ("gather_any_9", B, 8127, 0, 34970),
    ],
)
def test_the_reference_machine_gives_its_known_values(
    name: str, parameters: str, time: int, rank: int, total: int, tmp_path: Path
) -> None:
    """Times are in ns; a cycle takes 5."""
    simulate(PROGRAM, tmp_path / "out", on_loggops(f"{name}.goal", f", {parameters}" if parameters else ""))
    run = point(tmp_path / "out")
    assert run["program"]["fidelity"] == "loggops"
    finish = run["program"]["finish"]
    assert (finish["time"], finish["rank"], finish["sum"]) == (time, rank, total)
    assert finish["cycles"] == -(-time // 5)
    assert finish["seconds"] == pytest.approx(time * 1e-9, rel=1e-12)
    rows = table(tmp_path / "out", "ranks", "irregular-1/")
    assert max(int(row["finish"]) for row in rows) == finish["cycles"]
    assert run["check"]["messages"]["delivered"] == run["program"]["operations"]["send"] == run["program"]["messages"]


def test_the_unit_counts_on_the_reference_machine(tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", on_loggops("pingpong.goal", ", unit: 10 ns"))
    finish = point(tmp_path / "out")["program"]["finish"]
    assert (finish["time"], finish["cycles"]) == (22988, 2 * 22988)
    assert finish["seconds"] == pytest.approx(22988e-8)


def test_ideal_hosts_make_no_difference_to_it(tmp_path: Path) -> None:
    mesh = "network.topology={kind: mesh, radix: 4, dimensions: 2}"
    for name, settings in (("switches", ()), ("routers", (mesh,)), ("ideal", (mesh, "host.model=ideal"))):
        simulate(PROGRAM, tmp_path / name, on_loggops("pingpong.goal"), *settings)
        assert point(tmp_path / name)["program"]["finish"]["time"] == 22988
    assert "or 'machine: loggops'" in refused(PROGRAM, loads("pingpong.goal"), mesh, "host.model=ideal")


def test_a_long_file_is_mapped_and_copied_as_it_was(tmp_path: Path) -> None:
    """It takes no more memory than its operations, and the results hold what was run."""
    ranks, operations = 4, 60_000
    source = tmp_path / "long.bin"
    text = f"num_ranks {ranks}\n" + "".join(
        f"rank {rank} {{\n" + "calc 5\n" * operations + "}\n" for rank in range(ranks)
    )
    (tmp_path / "long.goal").write_text(text)
    said("program", "convert", tmp_path / "long.goal", source)
    bytes_of = source.read_bytes()
    assert len(bytes_of) > 4 << 20
    load = f"workload=[{{name: app, kind: program, path: {source}, machine: loggops}}]"
    simulate(PROGRAM, tmp_path / "out", load)
    assert (tmp_path / "out" / "programs" / "app" / "long.bin").read_bytes() == bytes_of
    source.unlink()
    simulate(tmp_path / "out" / "scenario.yaml", tmp_path / "again")
    assert files(tmp_path / "out") == files(tmp_path / "again")


def test_it_says_where_it_is_stuck(tmp_path: Path) -> None:
    done = simulate(PROGRAM, tmp_path / "out", on_loggops("stolen.goal", folder="bad"), status=1)
    assert "rank 0 line 5 'b: recv 8b from 1' waits for a message from rank 1 with tag 7" in done.stderr
    run = point(tmp_path / "out")
    assert run["outcome"] == "stuck"
    assert run["program"]["open"] == 1
    assert run["check"]["messages"]["missing"] == 1


def test_results_without_data_are_those_of_the_interpreter(tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", on_loggops("no_reduction.xml", folder="bad"), status=1)
    assert point(tmp_path / "out")["program"]["wrong_results"] > 0


def test_both_machines_beside_each_other_and_sweeps_of_parameters(tmp_path: Path) -> None:
    both = (
        "[{name: model, kind: collective, algorithm: ring, size: 1 KiB},"
        " {name: fast, kind: collective, algorithm: [ring, doubling], size: [1 KiB, 64 KiB], machine: loggops}]"
    )
    simulate(PROGRAM, tmp_path / "out", *SWITCH, f"workload={both}")
    runs = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    assert [run["program"]["fidelity"] for run in runs] == ["model", *["loggops"] * 4]
    assert all(run["passed"] and run["program"]["wrong_results"] == 0 for run in runs)
    simulate(PROGRAM, tmp_path / "more", *SWITCH, on_loggops("pingpong.goal", ", loggops: {L: 3500}"))
    # A latency for each of its two messages.
    assert point(tmp_path / "more")["program"]["finish"]["time"] == 22988 + 2 * 1000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((on_loggops("pingpong.goal", ", eager: 1 KiB"),), "eager"),
        ((on_loggops("pingpong.goal", ", placement: random"),), "placement"),
        ((on_loggops("pingpong.goal", ", critical_path: network"),), "critical_path"),
        ((loads("pingpong.goal", ", loggops: {L: 3}"),), "loggops"),
        ((on_loggops("pingpong.goal", ", loggops: {l: 3}"),), "loggops"),
        ((on_loggops("pingpong.goal", ", loggops: {L: 268435457}"),), "loggops.L"),
        ((on_loggops("pingpong.goal"), "network.fidelity=tlm"), "runs programs without any"),
        ((on_loggops("pingpong.goal"), "trace.packets=true"), "'trace.packets' is about chips"),
        ((on_loggops("head_to_head.goal", ", loggops: {S: 100}", folder="bad"),), "circular wait"),
        ((loads("pingpong.goal", ", repeat: 3"),), "repeat"),
        ((collective("algorithm: ring, repeat: 0"),), "repeat"),
    ],
)
def test_refusals(settings: tuple[str, ...], words: str) -> None:
    assert words in refused(PROGRAM, *settings)


@pytest.mark.parametrize("machine", ["model", "loggops"])
def test_repetitions_are_counted_after_the_warmup(machine: str, tmp_path: Path) -> None:
    text = f"algorithm: ring, size: 16 KiB, inplace: true, repeat: 3, warmup: 2, machine: {machine}"
    simulate(PROGRAM, tmp_path / "out", *SWITCH, collective(text))
    run = point(tmp_path / "out")
    (one,) = run["program"]["collectives"]
    counted = one["repetitions"][2:]
    assert len(counted) == 3
    assert (one["repeat"], one["warmup"]) == (3, 2)
    assert (one["cycles_min"], one["cycles_max"]) == (min(counted), max(counted))
    assert one["cycles"] == pytest.approx(sum(counted) / 3, abs=1)
    assert one["algbw"] == pytest.approx(16384 / one["seconds"])
    assert one["busbw"] == pytest.approx(one["algbw"] * 2 * 7 / 8)
    # Barriers between cost time, and are no part of a repetition.
    assert sum(one["repetitions"]) < run["program"]["finish"]["cycles"]
    assert run["program"]["wrong_results"] == 0


def test_a_repetition_takes_as_long_as_the_collective_alone(tmp_path: Path) -> None:
    for repeat in (1, 3):
        simulate(PROGRAM, tmp_path / str(repeat), *SWITCH, collective(f"algorithm: doubling, repeat: {repeat}"))
    (alone,), (many,) = (point(tmp_path / str(n))["program"]["collectives"] for n in (1, 3))
    assert alone["cycles"] == point(tmp_path / "1")["program"]["finish"]["cycles"]
    assert many["repetitions"][0] == alone["cycles"]
    assert "repetitions" not in alone


def segments(out: Path, run: str) -> list[dict[str, str]]:
    return table(out, "critical_path", run)


def test_the_critical_path_goes_through_the_network(tmp_path: Path) -> None:
    """The same path: only what was `network` is told in parts, without a gap."""
    one = "network.topology.instances=1"
    fine = "workload.stencil.critical_path=network"
    simulate(PROGRAM, tmp_path / "coarse", one)
    simulate(PROGRAM, tmp_path / "fine", one, fine)
    simulate(PROGRAM, tmp_path / "threads", one, fine, "network.threads=2")
    coarse, path = (segments(tmp_path / name, "stencil") for name in ("coarse", "fine"))
    assert path == segments(tmp_path / "threads", "stencil")
    assert [int(row["from"]) for row in path] == [0, *(int(row["to"]) for row in path[:-1])]
    assert path[-1]["to"] == coarse[-1]["to"]

    def cycles(rows: list[dict[str, str]], names: set[str]) -> int:
        return sum(int(row["to"]) - int(row["from"]) for row in rows if row["what"] in names)

    assert cycles(path, FINE) == cycles(coarse, {"network"}) > 0
    for what in {row["what"] for row in coarse} - {"network"}:
        assert cycles(path, {what}) == cycles(coarse, {what})
    assert {row["what"] for row in path} >= FINE - {"link_wait"}
    assert all(row["place"] for row in path)
    found = point(tmp_path / "fine")["program"]["critical_path"]
    assert sum(found["by"].values()) == int(path[-1]["to"])
    assert found["interfaces"][0]["cycles"] >= found["interfaces"][-1]["cycles"] > 0
    assert found["links"]


def test_the_parts_of_one_message_are_those_of_the_closed_form(tmp_path: Path) -> None:
    """T(128) = 4,323: t_hs, t_ns, t_nr and t_hr of 1,000 each, and 323 on buses, wires and in the switch."""
    (tmp_path / "one.goal").write_text(
        "num_ranks 2\nrank 0 {\ns: send 128b to 1\n}\nrank 1 {\nr: recv 128b from 0\n}\n"
    )
    load = f"workload=[{{name: app, kind: program, path: {tmp_path / 'one.goal'}, critical_path: network}}]"
    simulate(PROGRAM, tmp_path / "out", *SWITCH, load, "packet.header=free")
    by = point(tmp_path / "out")["program"]["critical_path"]["by"]
    assert sum(by.values()) == 4323
    assert {what: by[what] for what in ("t_hs", "ni_send", "ni_receive", "t_hr")} == dict.fromkeys(
        ("t_hs", "ni_send", "ni_receive", "t_hr"), 1000
    )
    assert set(by) == {"t_hs", "ni_send", "ni_receive", "t_hr", "bus", "link"}
    links = [row["place"] for row in segments(tmp_path / "out", "app") if row["what"] == "link"]
    assert links == ["host0", "switch0:1"]


def test_a_message_waits_for_the_link_behind_another(tmp_path: Path) -> None:
    """Seven ranks send to one at once, and its interface takes no time: the port to it is what they wait for."""
    lines = ["num_ranks 8", "rank 0 {", *(f"r{i}: recv 4096b from {i}" for i in range(1, 8)), "}"]
    for i in range(1, 8):
        lines += [f"rank {i} {{", "s: send 4096b to 0", "}"]
    (tmp_path / "incast.goal").write_text("\n".join(lines) + "\n")
    fast = [f"host.ni_{name}=1 cycle" for name in ("send", "receive")]
    load = f"workload=[{{name: app, kind: program, path: {tmp_path / 'incast.goal'}, critical_path: network}}]"
    simulate(PROGRAM, tmp_path / "out", *SWITCH, load, "host.receive_overhead=0 cycle", *fast)
    waits = [row for row in segments(tmp_path / "out", "app") if row["what"] == "link_wait"]
    assert any(row["place"] == "switch0:0" and "send 4096b to 0" in row["behind"] for row in waits)


def test_why_says_what_an_operation_waited_for(cli: Cli, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", *SWITCH, loads("stencil_4x4.goal"), "network.topology.hosts=16",
             "network.topology.switches=4")  # fmt: skip
    found = cli("why", tmp_path / "out", "--operation", "rank 3 operation 5", "--json")
    steps: list[dict[str, Any]] = json.loads(found.stdout)
    row = next(r for r in table(tmp_path / "out", "operations") if (r["rank"], r["operation"]) == ("3", "5"))
    assert [step["from"] for step in steps] == [0, *(step["to"] for step in steps[:-1])]
    assert steps[-1]["to"] == int(row["end"])
    text = cli("why", tmp_path / "out", "--operation", "rank 3 operation 5").stdout
    assert "irregular-1/app: rank 3 line" in text
    for words, answer in (
        ("rank 99 l1", "no rank 99"),
        ("rank 3 nowhere", "rank 3 has no such operation"),
        ("l17", "expected 'rank 3 l17'"),
    ):
        wrong = cli("why", tmp_path / "out", "--operation", words)
        assert wrong.returncode == 2
        assert answer in wrong.stderr
    both = cli("why", tmp_path / "out", "--operation", "rank 3 operation 5", "--critical")
    assert both.returncode == 2


def test_why_finds_operations_by_what_formats_call_them(cli: Cli, tmp_path: Path) -> None:
    """Thread blocks and steps of MSCCL, each of which may be several operations; nodes of Chakra."""
    size = ", size: 1 MiB, slice: 32 KiB, eager: 64 KiB"
    simulate(PROGRAM, tmp_path / "xml", *SWITCH, loads("allreduce_2.xml", size, "msccl"))

    def why(run: str, words: str) -> str:
        found = cli("why", tmp_path / run, "--operation", words)
        assert found.returncode == 0, found.stderr
        return found.stdout

    text = why("xml", "rank 0 tb 0 step 1")
    assert "rank 0 line 6 'tb 0 step 1: " in text
    assert "the first of " in text
    other = text.split("the others: 'rank 0 operation ")[1].split("'")[0]
    again = why("xml", f"rank 0 operation {other}")
    assert "'tb 0 step 1: " in again
    assert "the first of" not in again
    simulate(PROGRAM, tmp_path / "et", *SWITCH, loads("step", "", "chakra"))
    for words in ("node 7 'nccl:all_reduce'", "node 7"):
        assert "rank 1 operation 7 'node 7 'nccl:all_reduce': none'" in why("et", f"rank 1 {words}")
    assert "rank 1 operation 4 'node 4 'backward': calc 3000'" in why("et", "rank 1 node 4")


def test_operations_are_kept_as_asked(cli: Cli, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "none", *SWITCH, loads("pingpong.goal", ", timeline: none"))
    assert not (tmp_path / "none" / "tables" / "operations.csv").exists()
    assert "timeline=all" in cli("why", tmp_path / "none", "--operation", "rank 0 line 3").stderr
    simulate(PROGRAM, tmp_path / "some", *SWITCH, on_loggops("pingpong.goal"))
    rows = table(tmp_path / "some", "operations")
    assert len(rows) == 4
    assert max(int(row["end"]) for row in rows) == point(tmp_path / "some")["program"]["finish"]["cycles"]


def test_timelines_have_tracks_for_ranks(cli: Cli, tmp_path: Path) -> None:
    simulate(PROGRAM, tmp_path / "out", *SWITCH, loads("pingpong.goal"), "trace.packets=true")
    done = cli("packets", tmp_path / "out", "-o", tmp_path / "time.json.gz")
    assert done.returncode == 0, done.stderr
    with gzip.open(tmp_path / "time.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    ranks = {event["pid"] for event in events if event.get("args", {}).get("name", "") in ("rank 0", "rank 1")}
    assert len(ranks) == 2
    drawn = [event for event in events if event["ph"] == "X" and event["pid"] in ranks]
    assert len(drawn) == 4
    packets = [event for event in events if event["ph"] == "X" and event["pid"] not in ranks]
    assert min(event["ts"] for event in drawn) < min(event["ts"] for event in packets)

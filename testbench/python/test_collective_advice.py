# SPDX-License-Identifier: Apache-2.0
"""Algorithms of collectives on a network of one's own: `advise --collective`, `algorithm: auto`, `program fit`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from fixture_command import Command, command
from polycast_cli.common import ROOT, Status, UserError
from polycast_cli.studies import collectives, collectives_study
from polycast_cli.studies.collectives import Advice, Row
from polycast_cli.studies.network import Network
from simulation import SIMULATOR

__all__ = ["command"]

SWITCH = """\
name: mine
network: {topology: {kind: irregular, switches: 1, ports: 8, hosts: 8, instances: 1}}
packet: {header: free}
"""
NCCL = ROOT / "testbench" / "data" / "nccl"


@pytest.fixture
def switch(tmp_path: Path) -> Path:
    path = tmp_path / "switch.yaml"
    path.write_text(SWITCH + "workload: [{name: w, kind: unicast}]\n")
    return path


def test_a_switch_is_measured_and_its_collectives_predicted_exactly(command: Command, switch: Path) -> None:
    words = ["advise", str(switch), "--collective", "allreduce,barrier", "--sizes", "128 B,2 KiB"]
    status, out, _ = command(*words, "--simulate", "all", "--json")
    assert status == Status.OK
    (found,) = json.loads(out)
    ways = [(row["bytes"], row["way"]) for row in found["calibration"]["lengths"]]
    assert ways == [(1, 2006), (128, 2323), (256, 3323), (2048, 17323)]
    assert found["calibration"]["shared"]
    allreduce, barrier = found["collectives"]
    short = allreduce["sizes"][0]
    assert short["predicted"]["doubling"] == short["simulated"]["doubling"] == 3 * 4323
    assert set(short["simulated"]) == set(short["predicted"])
    assert barrier["sizes"][0]["predicted"]["dissemination"] == 3 * 4006
    assert allreduce["summary"]["regret"]["worst"] >= 0


def test_a_table_chooses_for_auto(command: Command, switch: Path, tmp_path: Path) -> None:
    words = ["advise", str(switch), "--collective", "allreduce", "--sizes", "64B..4KiB", "--simulate", "none"]
    status, out, _ = command(*words, "-o", "table.yaml")
    assert status == Status.OK
    assert "predicted winner" in out
    table = yaml.safe_load((tmp_path / "table.yaml").read_text())
    assert table["ranks"] == 8
    (tmp_path / "table.yaml").write_text("ranks: 8\nallreduce: [{from: 64, algorithm: ring}]\n")
    scenario = tmp_path / "auto.yaml"
    scenario.write_text(
        SWITCH + "workload:\n"
        "  - {name: t, kind: collective, algorithm: auto, table: table.yaml, size: 128 B}\n"
        "  - {name: p, kind: collective, algorithm: [auto, doubling], size: 128 B}\n"
    )
    done = subprocess.run([SIMULATOR, "run", scenario, "--out", "out", "--progress", "none"], cwd=tmp_path, check=False)
    assert done.returncode == 0
    points = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
    by_table, predicted, named = (point["program"]["collectives"][0] for point in points)
    assert by_table["algorithm"] == "ring"
    assert by_table["chosen"] == {"by": "table.yaml", "predicted_cycles": None}
    assert predicted["chosen"]["by"] == "prediction"
    assert predicted["chosen"]["predicted_cycles"] == predicted["cycles"]
    assert "chosen" not in named
    # The results say again what ran: the copy of the table is beside them.
    again = subprocess.run(
        [SIMULATOR, "run", "out/scenario.yaml", "--out", "again", "--progress", "none"], cwd=tmp_path, check=False
    )
    assert again.returncode == 0


def test_auto_takes_the_same_at_every_fidelity(tmp_path: Path) -> None:
    scenario = tmp_path / "auto.yaml"
    scenario.write_text(SWITCH + "workload: [{name: w, kind: collective, collective: all_to_all, algorithm: auto}]\n")
    for fidelity in ("core", "tlm"):
        words = ["run", scenario, "-s", f"network.fidelity={fidelity}", "--out", fidelity, "--progress", "none"]
        assert subprocess.run([SIMULATOR, *words], cwd=tmp_path, check=False).returncode == 0
    results = [(tmp_path / fidelity / "results.json").read_bytes() for fidelity in ("core", "tlm")]
    assert results[0] == results[1]
    assert json.loads(results[0])["points"][0]["program"]["collectives"][0]["algorithm"] == "direct"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("ranks: 4\nallreduce: [{from: 64, algorithm: ring}]\n", "the table is for 4 ranks, and the collective has 8"),
        ("ranks: 8\nbarrier: [{from: 1, algorithm: tree}]\n", "the table has no 'allreduce'"),
        ("ranks: 8\nallreduce: [{from: 64, algorithm: rings}]\n", "'allreduce' has no algorithm 'rings'"),
        ("ranks: 8\nallreduce: [{algorithm: ring}]\n", "'from' is missing"),
        ("ranks: 8\nall_reduce: []\n", "there is no collective 'all_reduce'"),
        ("ranks: 8\nallreduce: [{from: 9, algorithm: ring}, {from: 9, algorithm: ring}]\n", "sizes have to rise"),
        ("ranks: x\n", "expected a whole number"),
    ],
)
def test_tables_that_do_not_fit(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "table.yaml").write_text(table)
    scenario = tmp_path / "auto.yaml"
    scenario.write_text(
        SWITCH + "workload: [{name: t, kind: collective, algorithm: auto, table: table.yaml, size: 128 B}]\n"
    )
    done = subprocess.run([SIMULATOR, "check", scenario], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == Status.BAD_INPUT
    assert said in done.stderr
    assert "table.yaml:" in done.stderr


def test_bad_questions(command: Command, switch: Path) -> None:
    for words, said in (
        (["--collective", "allreduces"], "there is no collective 'allreduces'"),
        (["--collective", "allreduce", "--sizes", "64 X"], "--sizes: expected a size"),
        (["--collective", "allreduce", "--sizes", "4KiB..64B"], "goes down"),
        (["--collective", "allreduce", "--sizes", "65 B"], "no whole number of elements"),
        (["--collective", "allreduce", "--degree", "3"], "are about multicasts"),
        (["--ranks", "3"], "about --collective"),
        (["--collective", "allreduce", "--ranks", "9"], "9 ranks"),
    ):
        status, _, err = command("advise", str(switch), *words)
        assert (status, said in err) == (Status.BAD_INPUT, True), (words, err)


def test_regret_is_of_the_predicted_winner() -> None:
    row = Row("n", "allreduce", 64, {"ring": 90, "doubling": 100, "one_shot": 300}, {"ring": 120, "doubling": 100})
    assert (row.choice, row.winner) == ("ring", "doubling")
    assert row.regret == pytest.approx(0.2)
    assert row.errors() == [pytest.approx(-0.25), pytest.approx(0)]
    found = collectives.summary([row, Row("n", "allreduce", 64, {"ring": 90})])
    assert found is not None
    assert (found.count, found.regret_worst) == (1, pytest.approx(0.2))
    advice = Advice("n", 8, {}, {"allreduce": []}, [row, Row("n", "allreduce", 256, {"ring": 90})])
    assert yaml.safe_load(collectives.table_text(advice))["allreduce"] == [
        {"from": 64, "algorithm": "doubling"},
        {"from": 256, "algorithm": "ring"},
    ]


def broadcast(size: int, **times: int) -> Row:
    ordered = dict(sorted(times.items(), key=lambda one: one[1]))
    return Row("s", "broadcast", size, ordered, dict(times), frozenset({"worm", "ni"}))


def test_what_multicasts_gain_over_messages() -> None:
    row = broadcast(64, worm=10, ni=20, binomial=35, linear=40)
    assert (row.plain, row.gain) == ("binomial", 3.5)
    assert broadcast(64, worm=10, binomial=9).gain is None
    row.simulated.pop("binomial")
    assert row.plain == "linear"
    near = collectives.Question(Path(), Network("s", {}, []), "broadcast", "64B").wanted(
        Row(
            "s",
            "broadcast",
            64,
            {"worm": 10, "ni": 14, "path": 16, "binomial": 35},
            {},
            frozenset({"worm", "ni", "path"}),
        )
    )
    assert near == ["worm", "ni", "binomial"]
    good = [Advice("s", 8, {}, {}, [broadcast(64, worm=10, binomial=25), broadcast(256, worm=10, ni=9, binomial=27)])]
    assert collectives_study.copies({"s": good}) == collectives_study.Judged(
        collectives_study.copies({"s": good}).claim,
        "holds",
        "times as fast: s: 64 B 2.50 (worm for binomial), 256 B 3.00 (ni for binomial)",
    )
    assert collectives_study.worm(good).verdict == "fails"
    assert (
        collectives_study.copies({"s": [Advice("s", 8, {}, {}, [broadcast(64, worm=10, linear=9)])]}).verdict == "fails"
    )
    assert collectives_study.busbw(good).verdict == "not run"


def test_verdicts_follow_the_numbers() -> None:
    def allreduce(size: int, ring: int, doubling: int, halving: int) -> Row:
        times = {"ring": ring, "doubling": doubling, "halving_doubling": halving}
        return Row("s", "allreduce", size, dict(sorted(times.items(), key=lambda one: one[1])), times)

    rows = [allreduce(64, 90, 10, 20), allreduce(65536, 80, 100, 90)]
    advice = [Advice("s", 8, {}, {}, rows)]
    assert collectives_study.allreduce_winners(advice).verdict == "holds"
    assert collectives_study.halving(advice).verdict == "fails"
    assert collectives_study.prediction(advice).verdict == "holds"
    rows[0].simulated["ring"] = 5
    assert collectives_study.allreduce_winners(advice).verdict == "fails"
    assert collectives_study.prediction(advice).verdict == "fails"
    assert collectives_study.bruck(advice).verdict == "not run"
    assert len(collectives_study.beyond_aim({"s": advice})) == 1


def fitted(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SIMULATOR, "program", "fit", *words], capture_output=True, text=True, check=False)


def test_a_machine_of_two_sizes_is_near_at_the_others() -> None:
    file = str(NCCL / "allgather_all_pairs.csv")
    done = fitted(file, "--collective", "allgather", "--algorithm", "direct", "--at", "1 KiB,256 MiB", "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["worst_error"] < 0.25
    assert [row["used"] for row in found["sizes"]] == [True, False, False, False, True]
    for row in found["sizes"]:
        if row["used"]:
            assert row["fitted_us"] == pytest.approx(row["measured_us"], rel=0.02)


def test_measurements_that_are_refused(tmp_path: Path) -> None:
    good = (NCCL / "allgather_ring.csv").read_text()
    words = ["--collective", "allgather", "--algorithm", "ring", "--at"]
    for text, at, said in (
        (good.replace("busbw", "bus"), "1 KiB,1 MiB", "not the columns of nccl-tests"),
        (good.replace("34.94", "fast"), "1 KiB,1 MiB", "time: expected a number above 0"),
        (good.replace(",0\n", "\n"), "1 KiB,1 MiB", "expected 9 fields, found 8"),
        (good, "1 KiB,3 MiB", "no row of 3 MiB"),
        (good, "1 KiB", "takes two sizes"),
        (good, "1 KiB,1 KiB", "names a size twice"),
    ):
        (tmp_path / "m.csv").write_text(text)
        done = fitted(str(tmp_path / "m.csv"), *words, at)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    done = fitted(str(NCCL / "allgather_ring.csv"), *words, "1 KiB,1 MiB", "--link", "1 GB/s")
    assert "reduces nothing" in done.stderr


def test_a_study_refuses_folders_and_networks_that_it_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(UserError, match="something other than this study"):
        collectives_study.reproduce(tmp_path, "quick", [], None, "release")
    with pytest.raises(UserError, match="known: switch8"):
        collectives_study.reproduce(tmp_path, "quick", ["switch9"], None, "release")

# SPDX-License-Identifier: Apache-2.0
"""RTL of the user's own in a network: in place of ours, compared with the core, and what is said when it differs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
import pywellen
from polycast_cli.common import ROOT
from polycast_cli.regression.execute import saying
from polycast_cli.reports.report import write_report
from polycast_cli.reports.wave_picture import wave_picture
from polycast_cli.results import Folder
from simulation import SCENARIOS, SIMULATOR, points, run_of, sim, simulate

SCENARIO = SCENARIOS / "own_rtl.yaml"
#: A run of the scenario, however it ends: out, *settings.
run = partial(simulate, SCENARIO, status=None)
DIFFERENCE = re.compile(r"switch1 in cycle (\d+): \w+ of port \d: core (\w+), own RTL (\w+)")


def test_our_own_sources_make_no_difference(tmp_path: Path) -> None:
    """A folder with a copy of our top and a module that nobody uses: compared in every cycle, results as the core's."""
    mine = tmp_path / "mine"
    mine.mkdir()
    shutil.copy(ROOT / "rtl" / "switch" / "polycast_switch.sv", mine)
    (mine / "extra.sv").write_text(
        "module extra (input wire logic a_i, output logic b_o);\n  assign b_o = a_i;\nendmodule\n"
    )
    done = run(tmp_path / "own", f"network.own_rtl={mine}", "measurement.window=20000 cycle")
    assert done.returncode == 0, done.stderr
    core = run(tmp_path / "core", "network.chips={}", "network.own_rtl=none", "measurement.window=20000 cycle")
    assert core.returncode == 0, core.stderr
    for name in ("results.json", "tables/links.csv"):
        assert (tmp_path / "own" / name).read_bytes() == (tmp_path / "core" / name).read_bytes()


def test_a_broken_arbiter_is_found_shown_and_repeated(tmp_path: Path) -> None:
    out = tmp_path / "broken"
    done = run(out)
    assert done.returncode == 1
    found = DIFFERENCE.search(done.stderr)
    assert found is not None, done.stderr
    assert found[2] != found[3]
    failed = points(out)[0]
    assert failed.outcome == "broken"
    assert failed.suspect == "switch1"
    assert found[0] in failed.diagnosis
    assert not failed.saturated, "it ended before anybody could tell"
    assert "keep up" not in done.stdout + done.stderr
    assert (out / failed.wave).is_file()
    assert (out / failed.wave).with_suffix(".gtkw").is_file()
    replay = run_of(out).replay["irregular-1/load"]
    again = sim(*replay, "--out", tmp_path / "again", "--progress", "none", status=1)
    assert found[0] in again.stderr
    assert list((tmp_path / "again" / "waves").glob("*load.fst"))
    page = write_report(out).read_text()
    assert "fidelity core but for 1 own" in page
    assert found[0] in page
    assert failed.wave in page
    assert "scripts/polycast run " in page
    assert "trace.chips=[switch1]" in page
    picture_shows(out, found[0])


def test_the_header_field_and_both_packets_are_named(tmp_path: Path) -> None:
    done = run(tmp_path / "x")
    words = re.search(r": header field (\w+): core (\d+), own RTL (\d+) \((.*)\)", done.stderr)
    assert words is not None, done.stderr
    field, core, own, packets = words.groups()
    assert field == "source"
    both = re.fullmatch(r"core: packet \d+ of host (\d+), own RTL: packet \d+ of host (\d+)", packets)
    assert both is not None, packets
    assert both.groups() == (core, own)


def test_at_most_five_errors_of_a_kind_are_shown(tmp_path: Path) -> None:
    done = run(tmp_path / "x", "network.topology.instances=12", "measurement.window=20000 cycle")
    failed = [point for point in points(tmp_path / "x") if point.outcome == "broken"]
    assert len(failed) > 6
    assert len(DIFFERENCE.findall(done.stderr)) == 5
    assert done.stderr.count(": again: ") == 5
    assert f"… and {len(failed) - 5} more: own RTL differs from the core" in done.stderr
    assert len(run_of(tmp_path / "x").replay) == len(failed), "all are kept"


def test_a_copy_of_all_our_sources_takes_their_place(tmp_path: Path) -> None:
    """Folders in the folder, with sources of other chips, and the broken arbiter among them."""
    shutil.copytree(ROOT / "rtl", tmp_path / "mine")
    broken = ROOT / "testbench/own_rtl/polycast_rr_arbiter.sv"
    shutil.copy(broken, tmp_path / "mine/common")
    done = run(tmp_path / "x", f"network.own_rtl={tmp_path / 'mine'}")
    assert DIFFERENCE.search(done.stderr) is not None, done.stderr
    shutil.copy(ROOT / "rtl/common/polycast_rr_arbiter.sv", tmp_path / "mine/common")
    assert run(tmp_path / "y", f"network.own_rtl={tmp_path / 'mine'}").returncode == 0


def test_soak_compares_own_rtl_and_its_line_replays_it(tmp_path: Path) -> None:
    one = "switch_p4_f1_c10x8_h8_r4_x0_s8_l3x8_free"
    some = ("--set", one, "--configurations", "20", "--cycles", "2000", "--seed", "0")
    own = shutil.copytree(ROOT / "testbench/own_rtl", tmp_path / "my rtl")

    def soak(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = (SIMULATOR.with_name("polycast-soak"), *words, "--optimize", "-O0", "--waves", "")
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    found = soak("--pair", "core-rtl", "--own-rtl", own, *some)
    assert found.returncode == 1, found.stdout + found.stderr
    line = next(line for line in found.stdout.splitlines() if line.startswith("replay: "))
    words = shlex.split(line)[2:]
    assert words[words.index("--own-rtl") + 1] == str(own)
    again = soak(*words)
    assert again.returncode == 1
    assert first_difference(again.stdout) == first_difference(found.stdout)
    assert soak(*words[: words.index("--own-rtl")], *words[words.index("--own-rtl") + 2 :]).returncode == 0, "ours"
    assert soak("--own-rtl", tmp_path / "nowhere").returncode == 2


def first_difference(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("first difference in cycle "))


def picture_shows(out: Path, difference: str) -> None:
    """The picture in the report: pins of the chip and of the core are those of the diagnosis, equal up to its cycle."""
    folder = Folder(out)
    (failed,) = folder.results().points
    picture = wave_picture(folder, failed)
    assert picture is not None
    found = re.fullmatch(r"switch1 in cycle (\d+): flit_(\w+) of port (\d): core (\w+), own RTL (\w+)", difference)
    assert found is not None, difference
    cycle, pin, port, core, own = found.groups()
    lines = [dict(zip(picture.columns, line, strict=True)) for line in picture.values]
    before = [line for line in lines if int(line["cycle"]) < int(cycle)]
    first = lines[len(before)]
    assert len(before) >= 16
    assert len(lines) > len(before) + 1, "and what comes of it"
    assert (first["cycle"], first[f"{pin}, core"], first[f"{pin}, own RTL"]) == (cycle, core, own)
    pins = [name.removesuffix(", core") for name in picture.columns if name.endswith(", core")]
    assert {"valid", "head", "tail", "data", "credit"} <= set(pins)
    assert all(line[f"{one}, core"] == line[f"{one}, own RTL"] for line in before for one in pins)
    assert f"Output port {port} of switch1" in picture.caption
    assert picture.svg in (out / "report.html").read_text()
    assert "<title " in picture.svg
    assert f"In cycle {cycle} flit_{pin} of port {port}: core {core}, own RTL {own}: header field" in picture.svg
    signals = {var.full_name: var.signal for var in pywellen.Waveform(str(out / failed.wave)).all_vars()}
    differs = next(signal for name, signal in signals.items() if ".switch1.differs" in name)
    assert differs.value_at(int(cycle) - 1) == 0
    assert differs.value_at(int(cycle)) >> int(port) & 1
    save = (out / failed.wave).with_suffix(".gtkw").read_text()
    assert "\n@800200\n-switch1 beside the core\n" in save, "open"
    assert f".switch1.core.port{port}.out.{pin}" in save
    assert f" {cycle}\n" in save.split("[treeopen]")[0], "the marker is at the first difference"
    start, zoom = re.findall(r"\[timestart\] (\d+)|^\*(\S+) ", save, re.MULTILINE)
    shown = 5 * 2 ** -float(zoom[1])
    assert int(start[0]) + shown / 2 == pytest.approx(int(cycle), abs=0.51), "in the middle"
    assert 16 <= shown <= 20, "data can be read"
    beside = save.split("-switch1 beside the core\n")[1]
    assert set(re.findall(r"\{port(\d)", beside)) == {port}, "no port that does not differ yet"
    assert "errors" not in beside, "there are none"


def test_beside_systemc_modules_it_is_found_in_the_same_cycle(tmp_path: Path) -> None:
    done = run(tmp_path / "core")
    mixed = run(tmp_path / "mixed", "network.fidelity=tlm")
    assert done.returncode == mixed.returncode == 1, mixed.stderr
    assert DIFFERENCE.search(mixed.stderr)[0] == DIFFERENCE.search(done.stderr)[0]  # type: ignore[index]
    failed = points(tmp_path / "mixed")[0]
    assert failed.suspect == "switch1"
    assert (tmp_path / "mixed" / failed.wave).is_file()


def test_without_the_comparison_the_scoreboard_decides(tmp_path: Path) -> None:
    """An unfair arbiter loses nothing."""
    done = run(tmp_path / "x", "network.compare=false", "measurement.window=20000 cycle")
    assert done.returncode == 0, done.stderr
    counts = points(tmp_path / "x")[0].check
    assert counts.delivered == counts.expected > 0


def test_assertions_end_the_run_unless_the_scenario_leaves_them_out(tmp_path: Path) -> None:
    """Our arbiter with an assertion that fails at the first grant."""
    mine = tmp_path / "mine"
    mine.mkdir()
    text = (ROOT / "rtl/common/polycast_rr_arbiter.sv").read_text()
    wrong = '  NoGrant: assert property (@(posedge clk_i) gnt_o == \'0) else $error("it grants");\nendmodule'
    (mine / "polycast_rr_arbiter.sv").write_text(text.replace("endmodule", wrong))
    own = (f"network.own_rtl={mine}", "measurement.window=20000 cycle")
    done = run(tmp_path / "checked", *own)
    assert done.returncode == 1
    assert re.search(r"polycast_rr_arbiter.sv:\d+: Assertion failed in \S+NoGrant: it grants", done.stderr), done.stderr
    done = run(tmp_path / "unchecked", *own, "network.rtl_assertions=false")
    assert done.returncode == 0, done.stderr
    core = run(tmp_path / "core", "network.chips={}", "network.own_rtl=none", "measurement.window=20000 cycle")
    assert core.returncode == 0, core.stderr
    assert (tmp_path / "unchecked/results.json").read_bytes() == (tmp_path / "core/results.json").read_bytes()


def starving(folder: Path) -> Path:
    """Our arbiter with a pointer that never moves: the lowest request always wins."""
    folder.mkdir()
    text = (ROOT / "rtl/common/polycast_rr_arbiter.sv").read_text()
    moves = "(!fixed_i && req_i != '0) ? behind : mask_q;"
    assert moves in text
    (folder / "polycast_rr_arbiter.sv").write_text(text.replace(moves, "fixed_i ? behind & mask_q : mask_q;"))
    return folder


def test_expectations_find_a_starving_arbiter_that_nothing_is_compared_with(tmp_path: Path) -> None:
    own = (f"network.own_rtl={starving(tmp_path / 'mine')}", "network.fidelity=own", "network.compare=false")
    assert run(tmp_path / "unnoticed", *own).returncode == 0
    expected = ("workload.load.expect.wait=4000", "workload.load.expect.fairness=0.92")
    core = run(tmp_path / "core", "network.own_rtl=none", "network.chips={}", *expected)
    assert core.returncode == 0, core.stderr
    assert [one.met for one in points(tmp_path / "core")[0].expectations] == [True, True]
    out = tmp_path / "starving"
    done = run(out, *own, *expected)
    assert done.returncode == 1
    failed = points(out)[0]
    assert (failed.outcome, failed.passed, failed.check.delivered) == ("saturated", False, failed.check.expected)
    wait, fairness = failed.expectations
    assert (wait.key, wait.limit, wait.met) == ("wait", 4000, False)
    assert (fairness.key, fairness.limit, fairness.met) == ("fairness", 0.92, False)
    assert wait.value > 4000
    assert fairness.value < 0.92
    page = write_report(out).read_text()
    for one in (wait, fairness):
        assert f"error: irregular-1/load: {one.text}" in done.stderr
        assert one.text.replace("'", "&#39;") in page
    assert saying(failed) == f"{wait.text}; {fairness.text}", "in regress and its junit.xml"
    assert "2 expectations not met" in page
    assert not failed.wave, "no cycle is the wrong one"
    sim(*run_of(out).replay["irregular-1/load"], "--out", tmp_path / "again", "--progress", "none", status=1)


def test_the_bound_on_latency_is_that_of_the_table(tmp_path: Path) -> None:
    core = ("network.own_rtl=none", "network.chips={}", "measurement.window=20000 cycle", "measurement.saturated=drain")
    assert run(tmp_path / "free", *core).returncode == 0
    longest = int(points(tmp_path / "free")[0].latency.max or 0)
    assert run(tmp_path / "at", *core, f"workload.load.expect.latency={longest}").returncode == 0
    done = run(tmp_path / "below", *core, f"workload.load.expect.latency={longest - 1}")
    assert done.returncode == 1
    assert f"the longest latency is {longest} cycles, of message " in done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("workload.load.rate=single", "workload.load.expect.wait=9"), "'workload[0].expect.wait' needs a rate"),
        (("workload.load.expect.fairness=1.5",), "'workload[0].expect.fairness' must be 0..1, not 1.5"),
        (("workload.load.expect.latancy=9",), "unknown key 'latancy' in 'workload[0].expect'; did you mean 'latency'?"),
        (
            ("network.topology={kind: mesh}", "host={model: ideal}", "workload=[{name: a, kind: unicast, rate: 0.1, "
             "expect: {wait: 9}}]"),
            "'workload[0].expect' has no meaning with 'host.model: ideal'",
        ),
    ],
)  # fmt: skip
def test_expectations_without_a_meaning_are_refused(tmp_path: Path, settings: tuple[str, ...], message: str) -> None:
    done = run(tmp_path / "x", "network.own_rtl=none", "network.chips={}", *settings)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("network.own_rtl=none",), "the fidelity 'own' needs a folder with SystemVerilog"),
        (("network.chips={}",), "no switch or router has the fidelity 'own'"),
        (("network.own_rtl=/nowhere/at/all",), "there is no folder '/nowhere/at/all'"),
        (("network.own_rtl=.",), "there is no SystemVerilog (.sv, .v) in"),
    ],
)
def test_what_is_refused(tmp_path: Path, settings: tuple[str, ...], message: str) -> None:
    done = subprocess.run(
        [SIMULATOR, "run", SCENARIO, *(p for s in settings for p in ("-s", s)), "--out", tmp_path / "x"],
        capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert not (tmp_path / "x").exists()


def test_sources_that_do_not_compile(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "polycast_switch.sv").write_text("module polycast_switch; this is no SystemVerilog\n")
    done = run(tmp_path / "x", f"network.own_rtl={mine}")
    assert done.returncode == 2
    log = re.search(r"see (\S+\.log)", done.stderr)
    assert log is not None, done.stderr
    assert str(mine) in done.stderr
    assert "polycast_switch.sv:1:" in Path(log[1]).read_text()
    assert not (tmp_path / "x").exists()

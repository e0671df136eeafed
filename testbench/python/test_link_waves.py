# SPDX-License-Identifier: Apache-2.0
"""Cables in waves, triggers, packet logs and `why`: the same for every fidelity, any threads, and what tables say."""

from __future__ import annotations

import csv
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import pywellen
from polycast_cli.packets.links import cause_of, fault_text, lost_on
from polycast_cli.packets.log import PacketLog
from polycast_cli.packets.why import journey
from simulation import SCENARIOS, files, points, refused, run_of, simulate
from test_ranks import on_ranks

Cli = Callable[..., subprocess.CompletedProcess[str]]
#: Four switches of four ports, eight hosts.
SCENARIO = SCENARIOS / "own_rtl.yaml"
LAYER = (
    "network.link.layer=retry",
    "network.own_rtl=none",
    "network.chips={}",
    "measurement.window=3000",
)
FAULTS = (
    "faults.links=[{link: all, rate: 2e-5}, {link: 'switch0:0', rate: 5e-4}]",
    "faults.events=[{at: 1500, link: 'switch0:1', what: dead, until: 1600, oneway: true}]",
)
WIRE = "switch0:0"


def faults_of(out: Path, link: str | None = None) -> list[dict[str, str]]:
    """Those that begin, in the order of cycles."""
    rows = csv.DictReader((out / "tables" / "faults.csv").open())
    return [row for row in rows if row["effect"] not in ("nothing", "ended") and link in (None, row["link"])]


def cables(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "tables" / "link_layer.csv").open()))


def recorded(tmp_path: Path, name: str, *settings: str, options: tuple[str, ...] = ()) -> dict[str, bytes]:
    out = tmp_path / name
    simulate(SCENARIO, out, *LAYER, *FAULTS, *settings, options=options)
    return files(out)


def test_waves_and_logs_are_the_same_everywhere(tmp_path: Path) -> None:
    """Bytes of a log depend on pages that SQLite reuses, so its rows are compared."""
    recording = ("trace.chips=all", "trace.to=2000 cycle", "trace.packets=true")
    core = recorded(tmp_path, "core", *recording)
    waves = [name for name in core if name.startswith("waves/")]
    assert len(waves) >= 2
    others = {
        "tlm": recorded(tmp_path, "tlm", *recording, "network.fidelity=tlm"),
        "threads": recorded(tmp_path, "threads", *recording, "network.threads=2"),
        "cables": recorded(tmp_path, "cables", *recording, "network.chips={'switch0:0': rtl, 'switch2:3': tlm}"),
    }
    on_ranks(2, SCENARIO, tmp_path / "ranks", *LAYER, *FAULTS, *recording, status=0)
    others["ranks"] = files(tmp_path / "ranks")
    for name, other in others.items():
        assert other.keys() == core.keys()
        for file, content in core.items():
            if not file.endswith(".sqlite"):
                assert other[file] == content, (name, file)
        for log in (tmp_path / "core" / "packets").glob("*.sqlite"):
            assert dumped(tmp_path / name / "packets" / log.name) == dumped(log), name


def test_all_chips_in_rtl_show_the_same(tmp_path: Path) -> None:
    recording = ("trace.chips=[switch0, 'switch0:0']", "trace.to=2000 cycle")
    assert recorded(tmp_path, "core", *recording) == recorded(tmp_path, "rtl", *recording, "network.fidelity=rtl")


def dumped(log: Path) -> list[str]:
    with sqlite3.connect(log) as database:
        return list(database.iterdump())


def test_a_wave_shows_a_fault_its_nack_and_the_replay(tmp_path: Path) -> None:
    out = tmp_path / "x"
    recorded(tmp_path, "x", options=("--trigger", f"fault:{WIRE}", f"--waves={WIRE}"))
    first = int(faults_of(out, WIRE)[0]["cycle"])
    (cost,) = run_of(out).traces
    assert cost.trigger is not None
    assert (cost.trigger.event, cost.trigger.cycle) == (
        f"a fault of the wire from {WIRE}",
        first,
    )
    assert (cost.start, cost.to) == (max(first - 200, 0), first + 50)
    wave = pywellen.Waveform(str(next((out / "waves").glob("*.fst"))))
    signals = {var.full_name: var.signal for var in wave.all_vars()}

    def value(name: str, cycle: int) -> object:
        return signals[f"irregular-1.switch0_0.{name}"].value_at(cycle)

    assert [value("end1.in.fault", cycle) for cycle in (first - 1, first, first + 1)] == [0, 1, 0], "a flip"
    assert value("end0.in.fault", first) == 0
    save = next((out / "waves").glob("*.gtkw")).read_text()
    assert f" {first}\n" in save, "the marker is at the event"
    assert f"-{WIRE} end1" in save


@pytest.mark.parametrize(
    "setting",
    ["network.fidelity=tlm", "network.chips={'switch0:0': rtl}", "network.threads=2"],
)
def test_triggers_fire_alike(setting: str, tmp_path: Path) -> None:
    options = ("--trigger", "fault", "--waves=host3")
    assert recorded(tmp_path, "core", options=options) == recorded(tmp_path, "x", setting, options=options)
    (cost,) = run_of(tmp_path / "core").traces
    assert cost.trigger is not None
    assert cost.trigger.cycle == int(faults_of(tmp_path / "core")[0]["cycle"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            (*LAYER, "trace.trigger.event=fault"),
            ["no faults to wait for", "section 'faults'"],
        ),
        (
            (
                *LAYER,
                *FAULTS,
                "trace.trigger.event=fault",
                "trace.trigger.chip='switch0:9'",
            ),
            ["no cable leads away"],
        ),
        (
            (*LAYER, *FAULTS, "trace.trigger.event=fault", "trace.trigger.packet=3"),
            ["packet", "no meaning"],
        ),
        (
            (*LAYER, "trace.chips=['switch0:9']"),
            ["no cable with the lower end 'switch0:9'", "did you mean"],
        ),
        ((*LAYER[1:], "trace.chips=['switch0:0']"), ["there is no switch 'switch0:0'"]),
    ],
)
def test_what_is_not_there_is_refused(settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(SCENARIO, *settings)
    for word in words:
        assert word in said, said


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("logged") / "x"
    simulate(SCENARIO, out, *LAYER, *FAULTS, options=("--packets",))
    return out


def log_of(out: Path) -> PacketLog:
    return PacketLog(next((out / "packets").glob("*.sqlite")))


def test_a_log_has_the_replays_and_faults_of_the_tables(logged: Path) -> None:
    log = log_of(logged)
    names = {chip.name: chip.number for chip in log.chips}
    database = sqlite3.connect(log.path)
    total = 0
    for row in cables(logged):
        end = 0 if row["end"] == row["cable"] else 1
        replays = log.replays(names[row["cable"]], end, 0, log.cycles)
        total += len(replays)
        assert len(replays) == int(row["llr_tx_replay"]), row["end"]
        causes = Counter(replay.cause for replay in replays)
        assert causes["timer"] == int(row["timeouts"])
        assert sum(replay.last - replay.first + 1 for replay in replays) == int(row["tx_cycles_replay"])
    assert total > 3
    kept = database.execute("select cycle, name, end, what, effect, detail from faults join chips on chip = cable")
    ports = {(row["cable"], 0 if row["end"] == row["cable"] else 1): row["end"] for row in cables(logged)}
    found = sorted((cycle, ports[name, end], *rest) for cycle, name, end, *rest in kept)
    rows = csv.DictReader((logged / "tables" / "faults.csv").open())
    assert found == sorted(
        (int(row["cycle"]), row["link"], row["what"], row["effect"], int(row["detail"])) for row in rows
    )


def test_packets_that_waited_for_a_replay(logged: Path) -> None:
    """Counted from the passages again."""
    log = log_of(logged)
    for cable in log.links:
        for end in (0, 1):
            way = log.into[cable, end]
            came = {
                p.packet: p.head for p in log.all_passages(0, log.cycles) if (p.chip, p.port) == (way.chip, way.port)
            }
            left = [p for p in log.all_passages(0, log.cycles) if (p.chip, p.port) == (cable, 1 - end)]
            for replay in log.replays(cable, end, 0, log.cycles):
                late = [p for p in left if p.head >= replay.first and came[p.packet] <= replay.last]
                assert replay.packets == len(late)


def test_why_names_the_replay_and_its_fault(logged: Path, cli: Cli) -> None:
    log = log_of(logged)
    waited = 0
    for passage in log.all_passages(0, log.cycles):
        if not log.is_cable(passage.chip):
            continue
        way = log.into[passage.chip, 1 - passage.port]
        came = [p for p in log.passages(passage.packet) if (p.chip, p.port) == (way.chip, way.port)]
        link = log.links[passage.chip]
        least = link.wire + min(passage.flits, link.frame) + link.trailer + 2
        assert passage.head - came[0].head >= least
        waited += passage.head - came[0].head > least
    assert waited > 10
    replay = max(
        (one for cable in log.links for end in (0, 1) for one in log.replays(cable, end, 0, log.cycles)),
        key=lambda one: one.packets,
    )
    fault = cause_of(log, replay)
    assert fault is not None
    late = [
        p for p in log.all_passages(replay.first, log.cycles)
        if (p.chip, p.port) == (replay.cable, 1 - replay.end) and p.head >= replay.first
    ]  # fmt: skip
    found = journey(log, log.packet(late[0].packet))
    assert sum(part.cycles for part in found.parts) == found.cycles
    where = f"cable {log.chips[replay.cable].name}"
    (part,) = [part for part in found.parts if "replay on the link in cycle" in part.what and part.where == where]
    assert fault_text(fault) in part.what
    said = cli("why", logged, "--packet", str(late[0].packet)).stdout
    assert "replay on the link" in said


def test_why_says_where_a_packet_was_lost(tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "x"
    check = ("network.link.layer=check", *LAYER[1:], *FAULTS)
    simulate(SCENARIO, out, *check, options=("--packets",), status=1)
    assert not points(out)[0].passed
    log = log_of(out)
    lost = cut = 0
    for passage in log.all_passages(0, log.cycles):
        way = log.cables[passage.chip, passage.port]
        if not log.is_cable(way.to_chip):
            continue
        behind = [p for p in log.passages(passage.packet) if (p.chip, p.port) == (way.to_chip, 1 - way.to_port)]
        if not behind and passage.tail + 100 < log.cycles:
            lost += 1
            assert "after" in str(lost_on(log, passage)), passage
            done = cli("why", out, "--packet", str(passage.packet))
            assert done.returncode == 2
            said = done.stderr
            assert f"lost on cable {log.chips[way.to_chip].name}, after" in " ".join(said.split())
        if behind and behind[0].flits < passage.flits:
            cut += 1
            notes = journey(log, log.packet(passage.packet)).notes
            assert any(f"{behind[0].flits} of its {passage.flits} flits came out" in note for note in notes)
    assert lost > 0
    assert cut > 0


def test_cables_without_a_layer_are_in_the_log(tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "x"
    lose = "faults.events=[{what: lose, link: 'switch0:3', at: 600 cycle}]"
    none = ("network.link.layer=none", *LAYER[1:], "network.link.delay=3", lose, "faults.verdict=reported")
    simulate(SCENARIO, out, *none, options=("--packets",), status=None)
    log = log_of(out)
    (cable,) = log.links
    assert (log.links[cable].wire, log.links[cable].frame) == (3, 0)
    through = [p for p in log.all_passages(0, log.cycles) if p.chip == cable]
    assert through
    for passage in through[:5]:
        found = journey(log, log.packet(passage.packet))
        assert sum(part.cycles for part in found.parts) == found.cycles
        (link,) = [p for p in found.parts if p.where == f"cable {log.chips[cable].name}" and p.moving]
        assert (link.what, link.cycles) == ("link", 3)


def test_a_run_that_is_stuck_names_the_links_that_were_down(tmp_path: Path) -> None:
    out = tmp_path / "x"
    dead = "faults.events=[{at: 1000, link: all, what: dead, until: 30000}]"
    single = (
        "network.topology.instances=1",
        "network.link.layer=retry",
        "network.link.replay_count=1",
    )
    simulate(
        SCENARIOS / "first_light.yaml",
        out,
        *single,
        dead,
        "watchdog.patience=2000 cycle",
        status=1,
    )
    point = points(out)[0]
    assert point.outcome == "stuck"
    assert re.search(r"; the link from switch\d+:\d+ was down \(signal\)", point.diagnosis)

# SPDX-License-Identifier: Apache-2.0
"""Stored bits of switches, routers and interfaces flip: the same for every fidelity and any number of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from simulation import files, refused, simulate
from test_link_faults import LIGHT, MESH, ONE, faults, raw


def upset(memory: str, index: int = 0, bit: int = 0, *, chip: str = "switch0", at: int = 1500) -> str:
    return f"{{at: {at}, what: upset, chip: {chip}, memory: {memory}, index: {index}, bit: {bit}}}"


def events(*which: str) -> str:
    return f"faults.events=[{', '.join(which)}]"


#: Of every memory of a switch of 8 ports for 16 hosts, with buffers of 640 flits of one byte.
ALL = events(
    *(upset("buffer", 640 * (i % 8) + i, i % 8, at=1500 + 3 * i, chip=f"switch{i % 4}") for i in range(40)),
    *(upset("routes", i, i % 8, at=1501 + 3 * i) for i in range(20)),
    *(upset("reach", i % 9, i % 16, at=1502 + 3 * i) for i in range(10)),
    *(upset("credits", i % 8, i, at=1700 + i, chip="switch3") for i in range(8)),
)


#: In files of these names is when a stuck run ended: a core that waits for a credit sleeps, RTL is stepped on.
OF_THE_END = ("results.json", "tables/links.csv", "tables/points.csv", "tables/ports.csv")
#: Calls of functions are known of the simulated processor only.
OF_THE_SIMULATOR = "tables/functions.csv"


def found(folder: Path) -> tuple[dict[str, bytes], list[list[Any]]]:
    """What came of the faults, whenever the run ended."""
    kept = {
        name: text
        for name, text in files(folder).items()
        if name not in (*OF_THE_END, OF_THE_SIMULATOR) and not name.startswith("waves/")
    }
    keys = ("outcome", "passed", "check", "injected", "faults")
    return kept, [[point.get(key) for key in keys] for point in raw(folder)]


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
def test_upsets_are_the_same(setting: str, tmp_path: Path) -> None:
    simulate(LIGHT, tmp_path / "core", ONE, ALL, status=None)
    simulate(LIGHT, tmp_path / "other", ONE, ALL, setting, status=None)
    assert raw(tmp_path / "core"), "the faults are not refused"
    read = found if setting.endswith("rtl") else files
    assert read(tmp_path / "core") == read(tmp_path / "other")


def test_results_name_what_flipped(tmp_path: Path) -> None:
    simulate(
        LIGHT,
        tmp_path / "out",
        ONE,
        events(upset("routes", 7, 3), upset("buffer", 5, 6, at=1400)),
        status=None,
    )
    injected = raw(tmp_path / "out")[0]["injected"]
    assert injected["kinds"] == {"upset": 2}
    assert [(each["cycle"], each["link"], each["detail"]) for each in injected["first"]] == [
        (1400, "switch0.buffer", 5 * 2**32 + 6),
        (1500, "switch0.routes", 7 * 2**32 + 3),
    ]
    rows = [row for row in faults(tmp_path / "out") if row["point"] == "irregular-1/tree"]
    assert [(row["cycle"], row["link"]) for row in rows] == [
        ("1400", "switch0.buffer"),
        ("1500", "switch0.routes"),
    ]


def test_a_flit_that_flips_is_told(tmp_path: Path) -> None:
    many = ((1500 + 13 * i, f"switch{i % 8}", i * 997 % 5120) for i in range(1000))
    every = events(*(upset("buffer", index, 0, chip=chip, at=at) for at, chip, index in many))
    simulate(LIGHT, tmp_path / "out", ONE, "packet.check=payload", every, status=1)
    assert any(not point["passed"] for point in raw(tmp_path / "out"))
    assert all(point["injected"]["count"] > 100 for point in raw(tmp_path / "out"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            (ONE, events(upset("buffer", chip="switch99"))),
            ["there is no switch or router 'switch99'", "did you mean"],
        ),
        (
            (ONE, events(upset("buffer", chip="host3"))),
            ["'host3' is no switch or router", "take a switch or router"],
        ),
        ((ONE, events(upset("bufer"))), ["did you mean 'buffer'"]),
        (
            (ONE, events(upset("buffer", 5120))),
            ["'buffer' of 'switch0' has 5120 words", "take 0..5119"],
        ),
        (
            (ONE, events(upset("buffer", 0, 8))),
            ["a word of 'buffer' has 8 bits, not bit 8", "take 0..7"],
        ),
        ((ONE, events(upset("credits", 8))), ["has 8 words", "take 0..7"]),
        ((ONE, events(upset("credits", 0, 16))), ["has 16 bits", "take 0..15"]),
        ((ONE, events(upset("reach", 9))), ["has 9 words", "take 0..8"]),
        ((ONE, events(upset("routes", 0, 8))), ["has 8 bits", "take 0..7"]),
        ((ONE, events(upset("routes", 4000))), ["has", "so none has the index 4000"]),
        (
            (ONE, events(upset("buffer"), upset("credits"))),
            ["two bits of one chip flip in cycle 1500", "another cycle"],
        ),
        (
            (ONE, events(upset("buffer")), "host.model=ideal"),
            ["a memory in a switch or router, and here are none"],
        ),
    ],
)
def test_upsets_that_cannot_be_are_refused(settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(LIGHT, *settings)
    for word in words:
        assert word in said, said


TABLES = "router.routing=table"
#: Packets that go round are noticed soon.
FEW = (
    TABLES,
    "workload=[{name: pairs, kind: unicast, pattern: each_to_each, message: 300 B}, "
    "{name: interfaces, kind: multicast, scheme: ni, degree: 15, message: 1024 B}]",
    "watchdog.patience=2000",
)
#: Of every memory of routers of 5 ports with 4 virtual channels.
OF_ROUTERS = events(
    *(upset("buffer", 37 * i % 160, 5 * i % 128, at=600 + 3 * i, chip=f"router{i % 16}") for i in range(200)),
    *(upset("routes", 3 * i % 16, i % 5, at=601 + 30 * i, chip=f"router{i}") for i in range(12)),
    *(upset("credits", i, i % 4, at=602 + 30 * i, chip=f"router{i + 4}") for i in range(12)),
)


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
def test_upsets_of_routers_are_the_same(setting: str, tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "core", *FEW, OF_ROUTERS, status=None)
    simulate(MESH, tmp_path / "other", *FEW, OF_ROUTERS, setting, status=None)
    assert all(point["injected"]["count"] > 200 for point in raw(tmp_path / "core"))
    read = found if setting.endswith("rtl") else files
    assert read(tmp_path / "core") == read(tmp_path / "other")


def test_results_name_what_flipped_in_a_router(tmp_path: Path) -> None:
    flips = events(upset("routes", 7, 3, chip="router9", at=900), upset("credits", 19, 14, chip="router10", at=800))
    simulate(MESH, tmp_path / "out", *FEW, flips, status=None)
    injected = raw(tmp_path / "out")[0]["injected"]
    assert injected["kinds"] == {"upset": 2}
    assert [(each["cycle"], each["link"], each["detail"]) for each in injected["first"]] == [
        (800, "router10.credits", 19 * 2**32 + 14),
        (900, "router9.routes", 7 * 2**32 + 3),
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((events(upset("buffer", chip="router99")),), ["there is no switch or router 'router99'", "did you mean"]),
        ((events(upset("buffer", chip="host3")),), ["'host3' is no switch or router"]),
        ((events(upset("reach", chip="router5")),), ["'router5' has no memory 'reach'"]),
        ((events(upset("routes", chip="router5")),), ["'router5' has no memory 'routes'"]),
        ((TABLES, events(upset("routes", 16, chip="router5"))), ["has 16 words", "take 0..15"]),
        ((TABLES, events(upset("routes", 15, 5, chip="router5"))), ["has 5 bits, not bit 5", "take 0..4"]),
        ((events(upset("credits", 20, chip="router5")),), ["has 20 words", "take 0..19"]),
        ((events(upset("credits", 0, 16, chip="router5")),), ["has 16 bits", "take 0..15"]),
        ((events(upset("buffer", 0, 128, chip="router5")),), ["has 128 bits", "take 0..127"]),
        (
            (events(upset("buffer", chip="router5"), upset("credits", chip="router5")),),
            ["two bits of one chip flip in cycle 1500"],
        ),
    ],
)
def test_upsets_of_routers_that_cannot_be_are_refused(settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(MESH, *settings)
    for word in words:
        assert word in said, said


def test_a_packet_that_a_route_sends_round_ends_the_run(tmp_path: Path) -> None:
    # To node 4 router 5 then goes up, and router 6 sends back what comes: for ever.
    flip = events(upset("routes", 4, 0, chip="router5", at=1))
    simulate(MESH, tmp_path / "out", *FEW, flip, status=1)
    assert raw(tmp_path / "out")[0]["outcome"] == "stuck"


def of_hosts(memory: str, count: int, words: int, *, every: int = 7, begin: int = 1000) -> list[str]:
    """Bits all over the memories of eight hosts, but no word that firmware keeps in a slot for itself."""
    kept = range(12, 16)
    slot = 48
    places = [i * 6007 % words for i in range(count)]
    return [
        upset(memory, word if word % slot not in kept else word + 8, i % 32, chip=f"host{i % 8}", at=begin + every * i)
        for i, word in enumerate(places)
    ]


def found_in_any_order(folder: Path) -> object:
    kept, points = found(folder)
    return kept, [
        [sorted(each) if index == len(point) - 1 else each for index, each in enumerate(point)] for point in points
    ]


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
def test_upsets_of_packets_are_the_same(setting: str, tmp_path: Path) -> None:
    flips = events(*of_hosts("packets", 300, 480))
    simulate(LIGHT, tmp_path / "core", ONE, flips, status=None)
    simulate(LIGHT, tmp_path / "other", ONE, flips, setting, status=None)
    assert all(point["injected"]["count"] > 100 for point in raw(tmp_path / "core"))
    # Modules of SystemC take their turns within a cycle in another order than chips of the engine: so what is said of
    # one cycle has another order, and all else is the same.
    compare = {"network.threads=2": files, "network.fidelity=rtl": found, "network.fidelity=tlm": found_in_any_order}
    read = compare[setting]
    assert read(tmp_path / "core") == read(tmp_path / "other")


#: Hosts begin when all processors have booted: these clear their memory for 200,000 cycles.
BEGIN = {"native": 0, "iss": 200_000, "rtl": 200_000}


@pytest.mark.parametrize("memory", ["packets", "firmware"])
def test_simulator_and_rtl_of_the_processor_see_the_same(memory: str, tmp_path: Path) -> None:
    words = {"packets": 480, "firmware": 30_000}[memory]
    flips = events(*of_hosts(memory, 300, words, begin=BEGIN["iss"] + 900))
    few = ("network.topology={instances: 1, switches: 3, ports: 6, hosts: 8}", "workload[*].degree=7", flips)
    simulate(LIGHT, tmp_path / "iss", *few, "ni.processor=iss", status=None)
    simulate(LIGHT, tmp_path / "rtl", *few, "ni.processor=rtl", status=None)
    assert all(point["injected"]["count"] > 100 for point in raw(tmp_path / "iss"))
    assert found(tmp_path / "iss") == found(tmp_path / "rtl")


SAFE = "protect.packets=secded"


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
@pytest.mark.parametrize("code", ["parity", "secded"])
def test_codes_of_packets_are_the_same(code: str, setting: str, tmp_path: Path) -> None:
    # With parity interfaces go down, and are started anew.
    restarts = ("ni.watchdog=20000", "ni.restart=1000") if code == "parity" else ()
    flips = (events(*of_hosts("packets", 300, 480)), f"protect.packets={code}", *restarts)
    simulate(LIGHT, tmp_path / "core", ONE, *flips, status=None)
    simulate(LIGHT, tmp_path / "other", ONE, *flips, setting, status=None)
    assert all(point["injected"]["count"] > 100 for point in raw(tmp_path / "core"))
    compare = {"network.threads=2": files, "network.fidelity=rtl": found, "network.fidelity=tlm": found_in_any_order}
    # Where a code corrects there is nothing to say of a cycle.
    read = files if code == "secded" and setting.endswith("tlm") else compare[setting]
    assert read(tmp_path / "core") == read(tmp_path / "other")


@pytest.mark.parametrize("processor", ["native", "iss"])
def test_a_code_of_packets_corrects_what_fails_without(processor: str, tmp_path: Path) -> None:
    flips = (events(*of_hosts("packets", 300, 480, begin=BEGIN[processor] + 1000)), f"ni.processor={processor}")
    simulate(LIGHT, tmp_path / "none", ONE, *flips, status=1)
    simulate(LIGHT, tmp_path / "secded", ONE, *flips, SAFE)
    quiet = simulate_quiet(tmp_path / "quiet", f"ni.processor={processor}")
    for point, still in zip(raw(tmp_path / "secded"), quiet, strict=True):
        assert point["injected"]["corrected"] > 0
        assert point["latency"] == still["latency"], "corrections take no time"


def simulate_quiet(folder: Path, *settings: str) -> list[dict[str, Any]]:
    simulate(LIGHT, folder, ONE, *settings)
    return raw(folder)


def test_simulator_and_rtl_of_the_processor_see_the_same_codes(tmp_path: Path) -> None:
    flips = events(*of_hosts("packets", 300, 480, begin=BEGIN["iss"] + 900))
    few = ("network.topology={instances: 1, switches: 3, ports: 6, hosts: 8}", "workload[*].degree=7", flips, SAFE)
    simulate(LIGHT, tmp_path / "iss", *few, "ni.processor=iss")
    simulate(LIGHT, tmp_path / "rtl", *few, "ni.processor=rtl")
    assert sum(point["injected"].get("corrected", 0) for point in raw(tmp_path / "iss")) > 0
    assert found(tmp_path / "iss") == found(tmp_path / "rtl")


@pytest.mark.parametrize("processor", ["native", "iss"])
def test_what_a_code_of_packets_cannot_correct_is_told(processor: str, tmp_path: Path) -> None:
    # Two bits of a word: without a watchdog the run fails by the reason of PANIC, with one the host hears that its
    # interface hung.
    pairs = [
        upset("packets", 48 * slot + 20, bit, chip=f"host{host}", at=BEGIN[processor] + 1200 + 150 * step + bit)
        for step in range(20)
        for host in range(8)
        for slot in range(3)
        for bit in (3, 9)
    ]
    flips = (events(*pairs), SAFE, f"ni.processor={processor}")
    simulate(LIGHT, tmp_path / "dead", ONE, *flips, status=1)
    assert any("1536" in text or "0x600" in text for text in map(str, raw(tmp_path / "dead")))
    simulate(LIGHT, tmp_path / "anew", ONE, *flips, "ni.watchdog=20000", "ni.restart=1000", status=1)
    assert any(point["interfaces"]["restarts"] > 0 for point in raw(tmp_path / "anew"))


FIRMWARE = "protect.firmware=secded"


def of_firmware(begin: int) -> str:
    """Flips in all of the data, and in the end of the stack: which words of the data are read changes with firmware."""
    end = 49_152
    stack = [upset("firmware", end - 1 - i, i % 32, chip=f"host{i % 8}", at=begin + 3 + 21 * i) for i in range(96)]
    return events(*of_hosts("firmware", 300, 30_000, begin=begin), *stack)


def test_a_code_of_data_memory_corrects_what_firmware_reads(tmp_path: Path) -> None:
    flips = (of_firmware(BEGIN["iss"] + 1000), "ni.processor=iss")
    simulate(LIGHT, tmp_path / "secded", ONE, *flips, FIRMWARE)
    for point, still in zip(raw(tmp_path / "secded"), simulate_quiet(tmp_path / "quiet", flips[1]), strict=True):
        assert point["injected"]["corrected"] > 0
        assert point["latency"] == still["latency"], "corrections take no time"


@pytest.mark.parametrize("code", ["parity", "secded"])
def test_simulator_and_rtl_of_the_processor_have_the_same_codes(code: str, tmp_path: Path) -> None:
    flips = of_firmware(BEGIN["iss"] + 900)
    few = ("network.topology={instances: 1, switches: 3, ports: 6, hosts: 8}", "workload[*].degree=7", flips)
    restarts = ("ni.watchdog=20000", "ni.restart=1000") if code == "parity" else ()
    of = (*few, f"protect.firmware={code}", *restarts)
    simulate(LIGHT, tmp_path / "iss", *of, "ni.processor=iss", status=None)
    simulate(LIGHT, tmp_path / "rtl", *of, "ni.processor=rtl", status=None)
    points = raw(tmp_path / "iss")
    if code == "secded":
        assert sum(point["injected"].get("corrected", 0) for point in points) > 0
    else:
        assert any(point["interfaces"]["restarts"] > 0 for point in points)
    assert found(tmp_path / "iss") == found(tmp_path / "rtl")


def test_results_name_what_flipped_in_an_interface(tmp_path: Path) -> None:
    flips = events(upset("packets", 20, 3, chip="host9", at=900), upset("firmware", 40_000, 14, chip="host10", at=800))
    simulate(LIGHT, tmp_path / "out", ONE, "ni.processor=iss", flips, status=None)
    injected = raw(tmp_path / "out")[0]["injected"]
    assert injected["kinds"] == {"upset": 2}
    assert [(each["cycle"], each["link"], each["detail"]) for each in injected["first"]] == [
        (800, "host10.firmware", 40_000 * 2**32 + 14),
        (900, "host9.packets", 20 * 2**32 + 3),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_run_with_wild_firmware_ends(seed: int, tmp_path: Path) -> None:
    # Bits everywhere in what firmware has in use, at once: it traps, stands still or goes round.
    flips = [
        upset(
            "firmware", (seed * 7919 + i * 61) % 30_000, (seed + i) % 32, chip=f"host{i % 32}", at=BEGIN["iss"] + 2500
        )
        for i in range(1500)
    ]
    simulate(LIGHT, tmp_path / "out", ONE, "ni.processor=iss", events(*flips), "watchdog.patience=2000", status=1)
    assert {point["outcome"] for point in raw(tmp_path / "out")} <= {"stuck", "failed"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            (events(upset("firmware", chip="host3")),),
            ["'host3' is 'native', whose data memory is the simulator's own", "'ni.processor: iss' or 'rtl'"],
        ),
        (
            (events(upset("firmware", chip="host3")), "ni.processor=iss", "ni.hosts={host3: native}"),
            ["'host3' is 'native'"],
        ),
        (
            (events(upset("packets", 48 + 12, chip="host3")),),
            ["word 60 is one that firmware keeps in a slot for itself", "'ni.processor: iss' or 'rtl' for 'host3'"],
        ),
        ((events(upset("packets", chip="host99")),), ["there is no host 'host99'", "did you mean"]),
        ((events(upset("packets", chip="switch1")),), ["there is no host 'switch1'"]),
        ((events(upset("packets", 16_777_215, chip="host3")),), ["words, so none has the index 16777215", "take 0.."]),
        (
            (events(upset("firmware", 49_152, chip="host3")), "ni.processor=iss"),
            ["'firmware' of 'host3' has 49152 words", "take 0..49151"],
        ),
        ((events(upset("packets", 0, 32, chip="host3")),), ["a word has 32 bits, not bit 32", "take 0..31"]),
        ((events(upset("packets", chip="host3")), "host.model=ideal"), ["one of an interface, and here are none"]),
        ((events(upset("packets", 0, 39, chip="host3")), SAFE), ["a word has 39 bits, not bit 39", "take 0..38"]),
        ((SAFE, "host.model=ideal"), ["ideal hosts have no packet memory", "'host.model: interface'"]),
    ],
)
def test_upsets_of_interfaces_that_cannot_be_are_refused(settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(LIGHT, *settings)
    for word in words:
        assert word in said, said


@pytest.mark.parametrize("flip", [upset("credits", 0, 15, at=1), upset("packets", 20, chip="host0", at=1)])
def test_time_outs_are_measured_without_upsets(flip: str, tmp_path: Path) -> None:
    few = ("workload=[{name: pairs, kind: unicast, pattern: uniform, message: 1 KiB, reliable: true}]", ONE)
    simulate(LIGHT, tmp_path / "without", *few)
    simulate(LIGHT, tmp_path / "with", *few, events(flip), status=None)
    timeouts = [[point["reliable"]["timeout"] for point in raw(tmp_path / out)] for out in ("without", "with")]
    assert timeouts[0] == timeouts[1]


CODES = ("protect={buffers: secded, routes: secded, credits: secded}",)


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
def test_codes_are_the_same(setting: str, tmp_path: Path) -> None:
    # With parity the runs are stuck.
    mixed = CODES[0] if setting.endswith("rtl") else "protect={buffers: secded, routes: parity, credits: parity}"
    simulate(LIGHT, tmp_path / "core", ONE, ALL, mixed, status=None)
    simulate(LIGHT, tmp_path / "other", ONE, ALL, mixed, setting, status=None)
    assert raw(tmp_path / "core"), "the faults are not refused"
    assert files(tmp_path / "core") == files(tmp_path / "other")


def test_codes_correct_what_fails_without(tmp_path: Path) -> None:
    simulate(LIGHT, tmp_path / "none", ONE, ALL, status=1)
    simulate(LIGHT, tmp_path / "secded", ONE, ALL, *CODES)
    assert all(point["injected"]["corrected"] > 0 for point in raw(tmp_path / "secded"))
    assert all("corrected" not in point["injected"] for point in raw(tmp_path / "none"))


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
@pytest.mark.parametrize("code", ["parity", "secded"])
def test_codes_of_routers_are_the_same(code: str, setting: str, tmp_path: Path) -> None:
    codes = f"protect={{buffers: {code}, routes: {code}, credits: {code}}}"
    simulate(MESH, tmp_path / "core", *FEW, OF_ROUTERS, codes, status=None)
    simulate(MESH, tmp_path / "other", *FEW, OF_ROUTERS, codes, setting, status=None)
    assert all(point["injected"]["count"] > 200 for point in raw(tmp_path / "core"))
    read = found if setting.endswith("rtl") and code == "parity" else files
    assert read(tmp_path / "core") == read(tmp_path / "other")


def test_codes_of_routers_correct_what_fails_without(tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "none", *FEW[:2], OF_ROUTERS, status=1)
    simulate(MESH, tmp_path / "secded", *FEW[:2], OF_ROUTERS, *CODES)
    assert all(point["injected"]["corrected"] > 0 for point in raw(tmp_path / "secded"))


@pytest.mark.parametrize(
    ("scenario", "settings", "words"),
    [
        (
            LIGHT,
            ("protect.rings=secded",),
            ["no link ends that have rings", "take 'network.link.layer: retry'"],
        ),
        (
            LIGHT,
            ("protect.counters=parity", "host.model=ideal"),
            ["no link ends that have counters"],
        ),
        (LIGHT, ("protect.buffers=ecc",), ["none, parity, secded"]),
        (LIGHT, (FIRMWARE,), ["no processor with a data memory of its own", "'ni.processor: iss' or 'rtl'"]),
        (
            MESH,
            ("protect.routes=secded",),
            ["by dimension order have no table of routes", "'router.routing: table'"],
        ),
        (
            MESH,
            ("protect.credits=secded", "host.model=ideal"),
            ["memories of chips with ideal hosts have no codes yet", "replicating switches or routers"],
        ),
        (
            MESH,
            (TABLES, CODES[0], events(upset("buffer", 0, 156, chip="router5"))),
            ["has 156 bits, not bit 156", "take 0..155"],
        ),
        (
            MESH,
            (TABLES, CODES[0], events(upset("routes", 0, 12, chip="router5"))),
            ["has 12 bits, not bit 12"],
        ),
        (
            MESH,
            (CODES[0], TABLES, events(upset("credits", 0, 23, chip="router5"))),
            ["has 23 bits, not bit 23"],
        ),
    ],
)
def test_codes_that_cannot_be_are_refused(scenario: Path, settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(scenario, *settings)
    for word in words:
        assert word in said, said

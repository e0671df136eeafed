# SPDX-License-Identifier: Apache-2.0
"""Stored bits of switches and routers flip: the same for every fidelity and any number of threads."""

from __future__ import annotations

from pathlib import Path

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
OF_THE_END = ("results.json", "tables/links.csv", "tables/points.csv")


def found(folder: Path) -> object:
    """What came of the faults, whenever the run ended."""
    kept = {
        name: text for name, text in files(folder).items() if name not in OF_THE_END and not name.startswith("waves/")
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
#: Of every memory of routers of 5 ports with 4 virtual channels.
OF_ROUTERS = events(
    *(upset("buffer", 37 * i % 160, 5 * i % 128, at=600 + 3 * i, chip=f"router{i % 16}") for i in range(200)),
    *(upset("routes", 3 * i % 16, i % 5, at=601 + 30 * i, chip=f"router{i}") for i in range(12)),
    *(upset("credits", i, i % 4, at=602 + 30 * i, chip=f"router{i + 4}") for i in range(12)),
)


@pytest.mark.parametrize("setting", ["network.fidelity=tlm", "network.threads=2", "network.fidelity=rtl"])
def test_upsets_of_routers_are_the_same(setting: str, tmp_path: Path) -> None:
    simulate(MESH, tmp_path / "core", TABLES, OF_ROUTERS, status=None)
    simulate(MESH, tmp_path / "other", TABLES, OF_ROUTERS, setting, status=None)
    assert all(point["injected"]["count"] > 200 for point in raw(tmp_path / "core"))
    read = found if setting.endswith("rtl") else files
    assert read(tmp_path / "core") == read(tmp_path / "other")


def test_results_name_what_flipped_in_a_router(tmp_path: Path) -> None:
    flips = events(upset("routes", 7, 3, chip="router9", at=900), upset("credits", 19, 14, chip="router10", at=800))
    simulate(MESH, tmp_path / "out", TABLES, flips, status=None)
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


@pytest.mark.parametrize(
    ("scenario", "settings", "words"),
    [
        (
            LIGHT,
            ("protect.rings=secded",),
            ["memories of link ends have no codes yet", "leave it out"],
        ),
        (
            LIGHT,
            ("protect.counters=parity",),
            ["memories of link ends have no codes yet"],
        ),
        (LIGHT, ("protect.buffers=ecc",), ["none, parity, secded"]),
        (
            MESH,
            ("protect.routes=secded",),
            ["memories of routers have no codes yet", "replicating switches"],
        ),
        (
            LIGHT,
            ("protect.credits=secded", "host.model=ideal"),
            ["memories of switches with ideal hosts"],
        ),
    ],
)
def test_codes_that_cannot_be_are_refused(scenario: Path, settings: tuple[str, ...], words: list[str]) -> None:
    said = refused(scenario, *settings)
    for word in words:
        assert word in said, said

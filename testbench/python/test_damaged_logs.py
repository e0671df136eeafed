# SPDX-License-Identifier: Apache-2.0
"""Damaged packet logs are read, or refused with one line. Repeat one damage with POLYCAST_DAMAGE=KIND:SEED."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from polycast_cli.common import UserError, out
from polycast_cli.packets.log import PacketLog
from polycast_cli.packets.show import find_packet, show_slowest, show_why
from polycast_cli.packets.timeline import write_timeline
from test_packets import make_log

Cli = Callable[..., subprocess.CompletedProcess[str]]
#: Of each kind.
DAMAGES = 150
TABLES = ("network", "chips", "cables", "packets", "passages")
VALUES = (None, -1, 0, 1, 7, 2**31, 2**62, -(2**63), 0.5, "", "text", b"\xff\x00")


def whole_log(path: Path) -> None:
    """Three packets that wait for each other."""
    passages = [
        passage
        for number, (host, start) in enumerate(((0, 8), (1, 10), (0, 20)))
        for passage in (
            (number, host, 0, 0, start, start + 9, 10),
            (number, 3, 2, 0, start + 3 * (number + 1), start + 13 * (number + 1), 10),
            (number, 4, 1, 0, start + 15 * (number + 1), start + 25 * (number + 1), 10),
        )
    ]
    make_log(path, [(0, 1), (1, 2), (0, 1)], passages).database.close()


def damage_bytes(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 2, 10, 100))):
        # Most of a small database is empty: damage what is not.
        places = [place for place, byte in enumerate(data) if byte]
        place = chance.choice(places) + chance.choice((0, 0, 1))
        if place < len(data):
            data[place] = chance.randrange(256)
    path.write_bytes(data)


def damage_length(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    begin, end = sorted(chance.randrange(len(data)) for _ in range(2))
    path.write_bytes(chance.choice((data[:end], data[:begin] + data[end:], data[:end] + data[begin:])))


def damage_cell(path: Path, chance: random.Random) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        table = chance.choice(TABLES)
        columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
        rows = [row[0] for row in database.execute(f"select rowid from {table}")]
        for _ in range(chance.choice((1, 1, 3))):
            change = f"update {table} set {chance.choice(columns)} = ? where rowid = ?"
            database.execute(change, (chance.choice(VALUES), chance.choice(rows)))
        database.commit()


def damage_table(path: Path, chance: random.Random) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        table = chance.choice(TABLES)
        columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
        rows = [row[0] for row in database.execute(f"select rowid from {table}")]
        changes = (
            f"drop table {table}",
            f"delete from {table}",
            f"delete from {table} where rowid = {chance.choice(rows)}",
            f"insert into {table} select * from {table}",
            f"alter table {table} drop column {chance.choice(columns)}",
            f"alter table {table} add column more",
        )
        database.execute(chance.choice(changes))
        database.commit()


KINDS = {"bytes": damage_bytes, "length": damage_length, "cell": damage_cell, "table": damage_table}


def refusal(work: Callable[[], object]) -> str:
    try:
        with contextlib.redirect_stdout(io.StringIO()), out.capture():
            work()
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_is_read_or_refused_with_one_line(tmp_path: Path, kind: str) -> None:
    whole_log(tmp_path / "whole.sqlite")
    only, _, one = os.environ.get("POLYCAST_DAMAGE", "").partition(":")
    if only not in ("", kind):
        pytest.skip("another kind is asked for")
    refused = 0
    for seed in [int(one)] if one else range(DAMAGES):
        path = tmp_path / "log.sqlite"
        path.write_bytes((tmp_path / "whole.sqlite").read_bytes())
        KINDS[kind](path, random.Random(f"{kind}{seed}"))
        for work in (
            lambda path=path: show_slowest(PacketLog(path), 10),
            lambda path=path: [show_why(log := PacketLog(path), find_packet(log, f"{n}"), None, False) for n in (0, 1)],
            lambda path=path: write_timeline(PacketLog(path), tmp_path / "x.json", 0, 1000, None, 1.0),
        ):
            try:
                message = refusal(work)
            except Exception as error:
                raise AssertionError(f"POLYCAST_DAMAGE={kind}:{seed}") from error
            assert "\n" not in message, f"POLYCAST_DAMAGE={kind}:{seed}"
            refused += message != ""
    assert one or DAMAGES / 20 < refused <= 3 * DAMAGES, "damage is seen, if not always"


def test_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    whole_log(tmp_path / "log.sqlite")
    with contextlib.closing(sqlite3.connect(tmp_path / "log.sqlite")) as database:
        database.execute("update passages set chip = 9 where packet = 1")
        database.commit()
    done = cli("why", "log.sqlite")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "log.sqlite: a damaged packet log: there is a Passage(head=10, tail=19, packet=1, chip=9" in done.stderr


@pytest.mark.parametrize("number", ["99999999999999999999999", "\u00b2", "3#99999999999999999999999", "\u0663#1"])
def test_numbers_that_no_log_has(cli: Cli, tmp_path: Path, number: str) -> None:
    whole_log(tmp_path / "log.sqlite")
    done = cli("why", "log.sqlite", "--packet", number)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert cli("packets", "log.sqlite", "--to", "9" * 30, "-o", "all.json").returncode == 0

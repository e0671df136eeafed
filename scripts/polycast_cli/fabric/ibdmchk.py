# SPDX-License-Identifier: Apache-2.0
"""Runs ibdmchk, the checker of ibutils, and reads what it prints."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from polycast_cli.common import Failure, UserError
from polycast_cli.fabric.files import Kind, slvl_of
from polycast_cli.fabric.tools import environment, program

#: Options by kind of file; the first two have to be there.
OPTIONS = {Kind.SUBNET: "-s", Kind.UNICAST: "-f", Kind.MULTICAST: "-m", Kind.PATH_SL: "-c", Kind.SL2VL: "-d"}
#: Seconds that it may take; it takes 0.4 for 648 hosts.
LIMIT = 600

CABLES = "CA to CA : LFT ROUTE HOP HISTOGRAM"
DLIDS = "NUM DLIDS HISTOGRAM"
LOOPS, FREE = "credit loops in routing", "no credit loops found"


@dataclass
class Verdict:
    """What ibdmchk finds. Pairs are those of adapters; hops are cables, those of the adapters included."""

    pairs: int | None = None
    cables: dict[int, int] = field(default_factory=dict)
    #: Destination LIDs of a port of a switch that leads to a switch -> ports; ports without any are left out.
    ports: dict[int, int] = field(default_factory=dict)
    #: Number of switches and of adapters of a group, by its LID.
    groups: dict[int, tuple[int, int]] = field(default_factory=dict)
    loop: bool | None = None
    #: Why it stopped before the end.
    stopped: str | None = None
    #: Its other complaints: paths that lead nowhere and the like.
    errors: list[str] = field(default_factory=list)


def table_of(text: str, title: str) -> dict[int, int]:
    """The rows of two numbers behind a title."""
    part = text.partition(title)[2].split("\n-----", 1)[0]
    return {int(row[1]): int(row[2]) for row in re.finditer(r"^ +(\d+) +(\d+) *$", part, re.MULTILINE)}


def read(text: str) -> Verdict:
    """What is said in its output."""
    made = Verdict(cables=table_of(text, CABLES), ports=table_of(text, DLIDS))
    made.ports.pop(0, None)
    if scanned := re.search(r"Scanned:(\d+) CA to CA paths", text):
        made.pairs = int(scanned[1])
    for group in re.finditer(r"Multicast Group:0x([0-9A-Fa-f]+) has:(\d+) switches and:(\d+) HCAs", text):
        made.groups[int(group[1], 16)] = (int(group[2]), int(group[3]))
    made.errors = [line for line in re.findall(r"^-E- (.*)", text, re.MULTILINE) if line != LOOPS]
    if LOOPS in text or FREE in text:
        made.loop = LOOPS in text
    else:
        made.stopped = made.errors[-1] if made.errors else "it ended without a verdict"
    return made


def check(texts: dict[Kind, str], lmc: int = 0, multicast: bool = True) -> Verdict:
    """Its verdict on the files. `multicast`: whether credit loops of multicast count, too (-M).

    \\raises UserError where it lacks a file that it needs, Failure where it takes too long
    """
    texts = dict(texts)
    if Kind.SL2VL not in texts and Kind.SL2VL_DUMP in texts:
        texts[Kind.SL2VL] = slvl_of(texts[Kind.SL2VL_DUMP])
    for kind in (Kind.SUBNET, Kind.UNICAST):
        if kind not in texts:
            raise UserError(f"ibdmchk needs {kind}: add the file, or leave out --against")
    texts.setdefault(Kind.MULTICAST, "")
    with tempfile.TemporaryDirectory(prefix="polycast-") as folder:
        command = [str(program("ibdmchk")), "-l", str(lmc), *(["-M"] if multicast else [])]
        for kind, option in OPTIONS.items():
            if kind in texts:
                path = Path(folder) / kind.name
                path.write_text(texts[kind], errors="surrogateescape")
                command += [option, str(path)]
        try:
            done = subprocess.run(
                command, env=environment(), cwd=folder, capture_output=True, check=False, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"ibdmchk has not ended after {LIMIT} s") from None
    # Its exit status says nothing: it is the same with and without loops, and it often crashes at its end.
    return read(done.stdout.decode(errors="replace"))

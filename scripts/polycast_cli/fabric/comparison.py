# SPDX-License-Identifier: Apache-2.0
"""The verdict on a fabric beside that of ibdmchk."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polycast_cli.fabric import ibdmchk
from polycast_cli.fabric.files import Kind
from polycast_cli.fabric.verdict import Verdict


@dataclass
class Row:
    """One thing that both find."""

    what: str
    ours: str
    theirs: str
    #: Why the two differ by construction, or cannot be compared; empty if they have to agree.
    because: str = ""

    @property
    def differs(self) -> bool:
        return self.ours != self.theirs and not self.because


def histogram(counts: dict[int, int]) -> str:
    return " ".join(f"{value}:{count}" for value, count in sorted(counts.items())) or "none"


def loop_word(loop: bool) -> str:
    return "loop" if loop else "none"


def why_not(texts: dict[Kind, str], ours: Verdict, theirs: ibdmchk.Verdict) -> str:
    """Why pairs and their ways are not the same for it by construction; empty where they are."""
    if ours.lmc and theirs.stopped and "Min Hops" in theirs.stopped:
        return "ibdmchk stops with LMC above 0 if switches have one LID each"
    if re.search(r"\{ Rt(-SM)? ", texts[Kind.SUBNET]):
        return "ibdmchk does not know routers"
    if ours.reached < ours.pairs:
        return "ibdmchk leaves pairs out that lose their packets"
    return ""


def without_verdict(ours: Verdict, theirs: ibdmchk.Verdict) -> str:
    """Why it does not look for loops; empty where that is not known."""
    said = " ".join(theirs.errors)
    if ours.reached < ours.pairs:
        return "ibdmchk stops where a pair loses its packets"
    if "unassigned" in said:
        return "ibdmchk stops where a pair has no path SL; here it has SL 0"
    if any(group.missed or group.duplicates or group.loop for group in ours.groups) or "group" in said.lower():
        return "ibdmchk stops where a group is not one tree"
    return ""


def multicast_because(ours: bool, theirs: bool) -> str:
    """ibdmchk takes less and more than what groups do."""
    if theirs and not ours:
        return "ibdmchk takes every two ports of a group's switch, whether a member's packet goes that way or not"
    if ours and not theirs:
        return "ibdmchk does not begin at loops that only groups reach, and gives groups SL 0"
    return ""


def compare(ours: Verdict, texts: dict[Kind, str]) -> list[Row]:
    """\\raises UserError where ibdmchk lacks a file"""
    theirs = ibdmchk.check(texts, ours.lmc, multicast=False)
    because = why_not(texts, ours, theirs)
    made = [
        Row("pairs", str(ours.reached), "–" if theirs.pairs is None else str(theirs.pairs), because),
        Row("cables: pairs", histogram(ours.cables), histogram(theirs.cables), because),
        Row("LIDs: ports", histogram(ours.balance.histogram), histogram(theirs.ports), because),
    ]
    loop = bool(ours.credit.unicast.cycle)
    if theirs.loop is None:
        stopped = because or without_verdict(ours, theirs)
        return [*made, Row("unicast loop", loop_word(loop), f"stopped: {theirs.stopped}", stopped)]
    made.append(Row("unicast loop", loop_word(loop), loop_word(theirs.loop)))
    if ours.groups:
        with_groups = ibdmchk.check(texts, ours.lmc)
        loop, their_loop = bool(ours.credit.all.cycle), bool(with_groups.loop)
        made.append(
            Row("loop with groups", loop_word(loop), loop_word(their_loop), multicast_because(loop, their_loop))
        )
    return made

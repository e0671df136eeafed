# SPDX-License-Identifier: Apache-2.0
"""Counts of a class and variant, with confidence intervals, and times until faults were noticed and cured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Fault:
    """What came of a fault. `noticed`, `recovery`: cycles from the fault on; None: nobody noticed, nothing was late."""

    number: int
    run: str
    place: str
    at: int
    events: str
    outcome: str
    same: bool
    noticed: int | None
    recovery: int | None
    cycles: int
    slowdown: float
    diagnosis: str

    @property
    def bad(self) -> bool:
        return self.outcome in ("silent", "hung", "broken")


#: In the order in which they are shown; `same` is a part of masked.
OUTCOMES = {
    "silent": "wrong, late without order, or missing, and nobody was told",
    "hung": "the run did not end",
    "broken": "a model ended the run by an assertion",
    "reported": "something is missing, or may be, and sender or receiver was told",
    "end_to_end": "all is there; interfaces sent something again, or asked who lacks it",
    "by_link": "all is there; a link, or the code of a memory, repaired it",
    "masked": "all is there, and nothing had to be repaired",
}


def interval(count: int, of: int) -> tuple[float, float]:
    """Share, Clopper and Pearson's exact interval at 95 %; where there is none or all, one-sided."""
    if of == 0:
        return 0.0, 1.0
    tail = (1 - CONFIDENCE) / (1 if count in (0, of) else 2)
    low = float(stats.beta.ppf(tail, count, of - count + 1)) if count else 0.0
    high = float(stats.beta.ppf(1 - tail, count + 1, of - count)) if count < of else 1.0
    return low, high


#: Flips of wires: what the check words of frames (CRC-32C) and ordered sets (CRC-16) are for; hw/chips/link/link.md.
FLIPS = ("bit1", "bit2", "bit6", "burst32", "burst64")
#: Shares of random errors that such a check word misses.
MISSED = {"frame": 2.0**-32, "ordered set": 2.0**-16}


@dataclass(frozen=True)
class Residual:
    """Flips of wires of a variant that nothing noticed and that passed silently."""

    variant: str
    faults: int
    undetected: int

    @classmethod
    def of(cls, variant: str, faults: Mapping[str, Sequence[Fault]]) -> Residual:
        """`faults`: by class."""
        flips = [fault for kind in FLIPS for fault in faults.get(kind, ())]
        missed = sum(fault.outcome == "silent" and fault.noticed is None for fault in flips)
        return cls(variant, len(flips), missed)

    def interval(self) -> tuple[float, float]:
        return interval(self.undetected, self.faults)

    @property
    def contradicts(self) -> bool:
        """Whether more are missed than even ordered sets explain, each flip being one of a set."""
        return self.interval()[0] > MISSED["ordered set"]


@dataclass(frozen=True)
class Times:
    count: int
    median: float
    most_of: float  # 99 %
    longest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Times | None:
        if not values:
            return None
        return cls(len(values), *(float(each) for each in np.percentile(values, [50, 99])), float(max(values)))


@dataclass(frozen=True)
class Row:
    """A class of faults on a variant; `why_none` says why it has none."""

    variant: str
    kind: str
    faults: int
    counts: dict[str, int]
    same: int
    noticed: Times | None
    recovery: Times | None
    slowdown: Times | None
    population: int
    why_none: str | None = None

    @classmethod
    def of(cls, variant: str, kind: str, faults: Sequence[Fault], population: int, why_none: str | None) -> Row:
        counts = Counter(fault.outcome for fault in faults)
        return cls(
            variant,
            kind,
            len(faults),
            {outcome: counts[outcome] for outcome in OUTCOMES},
            sum(fault.same for fault in faults),
            Times.of([fault.noticed for fault in faults if fault.noticed is not None]),
            Times.of([fault.recovery for fault in faults if fault.recovery is not None]),
            Times.of([fault.slowdown for fault in faults if fault.outcome not in ("hung", "broken")]),
            population,
            why_none,
        )

    def share(self, outcome: str) -> float:
        return self.counts[outcome] / self.faults if self.faults else 0.0

    def interval(self, outcome: str) -> tuple[float, float]:
        return interval(self.counts[outcome], self.faults)

    @property
    def unsafe(self) -> int:
        return self.counts["silent"] + self.counts["hung"] + self.counts["broken"]

# SPDX-License-Identifier: Apache-2.0
"""Whether two means differ: estimates for what simulations give, and a correction for many of them.

- Independent messages: Student's t over the differences where both runs have the same messages (common random numbers,
  which belong together), else Welch's t.
- Under load latencies follow each other, so that messages are not independent: the same over means of batches, each
  with the weight of its messages. Batches may still follow each other: their autocorrelation, corrected for its bias
  (Kendall, Biometrika 41, 1954), makes them count as fewer, as in a first-order autoregression.
- Accepted throughput below saturation: the spread of the arrivals in batches.
- Only an interval: the normal distribution, with the error that makes it a 95 % interval, which is never too small.
- One value without an interval, as deterministic simulations give: equal or different, and no more to say.

p-values of many comparisons are adjusted by Holm (Scand. J. Statistics 6, 1979).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Vector = NDArray[np.float64]

#: Batches of which less is known than their interval says.
FEWEST_BATCHES = 5
HALF_OF_95 = float(stats.norm.ppf(0.975))


class Method(StrEnum):
    """How a difference is judged, in the words of the report."""

    PAIRED = "same messages, paired t"
    WELCH = "messages, Welch's t"
    PAIRED_BATCHES = "same traffic, batches, paired t"
    BATCHES = "batches, Welch's t"
    NETWORKS = "over networks, paired t"
    ARRIVALS = "arrivals in batches, Welch's t"
    INTERVALS = "intervals"
    EXACT = "one value each"


@dataclass
class Sample:
    """What is known of a mean: values with weights, where there are some, or half the width of its interval."""

    mean: float
    values: Sequence[float] = ()
    weights: Sequence[float] = ()
    #: What each value belongs to; two samples with the same keys are compared pair by pair.
    keys: Sequence[Hashable] = ()
    #: Whether values follow each other in time.
    series: bool = False
    #: Whether values are arrivals, scaled to the mean.
    arrivals: bool = False
    half: float | None = None


@dataclass(frozen=True)
class Difference:
    """B - A, with its 95 % interval and p-value where there are; `p` is None for values without spread."""

    value: float
    low: float
    high: float
    p: float | None
    method: Method


@dataclass(frozen=True)
class Mean:
    value: float
    error: float
    freedom: float


def weighted_mean(values: Sequence[float], weights: Sequence[float] = (), series: bool = False) -> Mean:
    """Its standard error by linearisation (the mean is a ratio where weights differ); at least two values."""
    x = np.asarray(values, dtype=float)
    w = np.asarray(weights, dtype=float) if len(weights) else np.ones(len(x))
    mean = float(np.average(x, weights=w))
    deviations = w / w.sum() * (x - mean)
    count = len(x)
    r = autocorrelation(deviations) if series else 0.0
    inflation = (1 + r) / (1 - r)
    error = math.sqrt(count / (count - 1) * float(deviations @ deviations) * inflation)
    return Mean(mean, error, max(count / inflation, 2.0) - 1)


def autocorrelation(deviations: Vector) -> float:
    """Correlation of neighbours, without its bias; negative values would only make errors smaller and count as none."""
    square, count = float(deviations @ deviations), len(deviations)
    if square == 0:
        return 0.0
    biased = float(deviations[1:] @ deviations[:-1]) / square
    return min(max((count * biased + 1) / (count - 3), 0.0), 0.95)


def judged(value: float, error: float, freedom: float, method: Method) -> Difference:
    if error == 0:
        # Every pair differs by the same amount.
        return Difference(value, value, value, 0.0 if value else 1.0, method)
    half = float(stats.t.ppf(0.975, freedom)) * error
    return Difference(value, value - half, value + half, float(2 * stats.t.sf(abs(value) / error, freedom)), method)


def paired(a: Sample, b: Sample) -> Difference:
    differences = [y - x for x, y in zip(a.values, b.values, strict=True)]
    found = weighted_mean(differences, a.weights, a.series)
    return judged(found.value, found.error, found.freedom, Method.PAIRED_BATCHES if a.series else Method.PAIRED)


def welch(a: Sample, b: Sample) -> Difference:
    first, second = (weighted_mean(one.values, one.weights, one.series) for one in (a, b))
    squares = first.error**2, second.error**2
    parts = squares[0] ** 2 / first.freedom + squares[1] ** 2 / second.freedom
    freedom = sum(squares) ** 2 / parts if parts else first.freedom + second.freedom
    method = Method.ARRIVALS if a.arrivals else Method.BATCHES if a.series else Method.WELCH
    return judged(second.value - first.value, math.sqrt(sum(squares)), freedom, method)


def difference(a: Sample, b: Sample) -> Difference:
    """The best that can be said of B - A."""
    fewest = FEWEST_BATCHES if a.series or b.series else 2
    if min(len(a.values), len(b.values)) >= fewest:
        same = a.keys and a.keys == b.keys and list(a.weights) == list(b.weights)
        return paired(a, b) if same else welch(a, b)
    change = b.mean - a.mean
    if a.half is not None and b.half is not None:
        error = math.hypot(a.half, b.half) / HALF_OF_95
        return judged(change, error, math.inf, Method.INTERVALS)
    return Difference(change, change, change, None, Method.EXACT)


def over_networks(a: Sequence[float], b: Sequence[float]) -> Difference | None:
    """Compares one workload on several networks, each network a pair; None for fewer than two."""
    if len(a) < 2:
        return None
    networks = range(len(a))
    found = paired(Sample(0, a, keys=networks), Sample(0, b, keys=networks))
    return replace(found, method=Method.NETWORKS)


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the same order."""
    adjusted = [0.0] * len(ps)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[index]))
        adjusted[index] = highest
    return adjusted

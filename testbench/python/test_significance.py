# SPDX-License-Identifier: Apache-2.0
"""Whether means differ: by the book where values are independent, and without crying wolf where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from polycast_cli.reports.significance import Method, Sample, difference, holm, over_networks, weighted_mean
from scipy import stats

RANDOM = np.random.default_rng(11)
A, B = RANDOM.normal(100, 5, 30), RANDOM.normal(103, 9, 30)


def sample(values: np.ndarray, **options: object) -> Sample:
    return Sample(float(np.mean(values)), list(values), **options)  # type: ignore[arg-type]


def test_other_messages_by_welch() -> None:
    found = difference(sample(A), sample(B[:20]))
    book = stats.ttest_ind(B[:20], A, equal_var=False)
    assert found.method == Method.WELCH
    assert found.p == pytest.approx(book.pvalue)
    interval = book.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_the_same_messages_in_pairs() -> None:
    found = difference(sample(A, keys=range(30)), sample(B, keys=range(30)))
    book = stats.ttest_rel(B, A)
    assert found.method == Method.PAIRED
    assert found.p == pytest.approx(book.pvalue)
    interval = book.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_pairs_find_what_welch_does_not() -> None:
    slower = A + RANDOM.normal(0.5, 0.2, 30)
    pairs = difference(sample(A, keys=range(30)), sample(slower, keys=range(30)))
    apart = difference(sample(A), sample(slower))
    assert pairs.p is not None and apart.p is not None
    assert pairs.p < 0.001 < 0.3 < apart.p


def test_a_constant_shift_is_certain_and_none_is_equal() -> None:
    found = difference(sample(A, keys=range(30)), sample(A + 2.0, keys=range(30)))
    assert found.p == pytest.approx(0, abs=1e-12)
    assert found.value == pytest.approx(2)
    assert difference(sample(A, keys=range(30)), sample(A, keys=range(30))).p == 1


def test_one_value_each_has_no_p() -> None:
    found = difference(Sample(10), Sample(12))
    assert (found.value, found.p, found.method) == (2, None, Method.EXACT)


def test_intervals_alone_are_enough() -> None:
    near, far = difference(Sample(10, half=1), Sample(11, half=1)), difference(Sample(10, half=1), Sample(13, half=1))
    assert near.method == Method.INTERVALS
    assert near.p is not None and far.p is not None
    assert far.p < 0.001 < 0.05 < near.p
    assert far.high - far.value == pytest.approx(2**0.5)


def test_weights_count_messages() -> None:
    """The mean of batches is that of their messages."""
    messages = RANDOM.exponential(1, 100)
    parts = np.split(messages, [5, 30, 50, 90])
    found = weighted_mean([float(part.mean()) for part in parts], [len(part) for part in parts])
    assert found.value == pytest.approx(messages.mean())


def follower(length: int, r: float) -> np.ndarray:
    """A first-order autoregression, as batches near saturation are."""
    steps = RANDOM.normal(0, 1, length)
    values = np.empty(length)
    values[0] = steps[0] / (1 - r * r) ** 0.5
    for i in range(1, length):
        values[i] = r * values[i - 1] + steps[i]
    return values


@pytest.mark.parametrize(("length", "r"), [(10, 0.0), (20, 0.3), (20, 0.8), (40, 0.5)])
def test_batches_that_follow_each_other_do_not_cry_wolf(length: int, r: float) -> None:
    """Of 400 comparisons of the same with the same about 20 may be significant; plain t finds far more."""
    cried = naive = 0
    for _ in range(400):
        a, b = follower(length, r), follower(length, r)
        found = difference(sample(a, series=True), sample(b, series=True))
        cried += found.p is not None and found.p < 0.05
        naive += stats.ttest_ind(a, b, equal_var=False).pvalue < 0.05
    assert cried < 36
    assert naive > 1.7 * cried or not r


def test_a_true_difference_under_load_is_found() -> None:
    found = [difference(sample(follower(20, 0.3), series=True), sample(follower(20, 0.3) + 2, series=True)).p
             for _ in range(100)]  # fmt: skip
    assert sum(p is not None and p < 0.05 for p in found) > 85


def test_networks_are_pairs() -> None:
    found = over_networks([10, 20, 30], [11, 21.5, 31])
    assert found is not None
    assert found.p == pytest.approx(stats.ttest_rel([11, 21.5, 31], [10, 20, 30]).pvalue)
    assert over_networks([10], [11]) is None


def test_holm() -> None:
    """The example of Holm's method in R's manual of p.adjust: steps down, and never below an earlier one."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []

# SPDX-License-Identifier: Apache-2.0
"""Means with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special  # scipy.stats takes a second longer to import


@dataclass(frozen=True)
class Estimate:
    """Mean of independent values; `half` is half the width of its 95 % confidence interval, None for fewer than two."""

    mean: float
    half: float | None
    count: int

    @property
    def low(self) -> float:
        return self.mean - (self.half or 0.0)

    @property
    def high(self) -> float:
        return self.mean + (self.half or 0.0)


def estimate(values: Sequence[float]) -> Estimate:
    """Student's t over `values`, of which there is at least one."""
    count = len(values)
    mean = float(np.mean(values))
    if count < 2:
        return Estimate(mean, None, count)
    error = float(np.std(values, ddof=1) / np.sqrt(count))
    return Estimate(mean, float(special.stdtrit(count - 1, 0.975)) * error, count)

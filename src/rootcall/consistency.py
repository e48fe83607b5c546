"""How sure a rate is, and how reliable an agent is over several rollouts of the same task.

Owns the Wilson interval, pass^k and pass@k. The figures come from counts alone; which rollouts count (infrastructure
failures leave the denominator) is decided where they are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

__all__ = ["mean_pass_hat_k", "pass_at_k", "pass_hat_k", "wilson"]


def wilson(passed: int, scored: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of a rate as `(low, high)`, both within 0 and 1.

    Args:
        passed: how many passed.
        scored: out of how many; 0 has no interval, so None comes back.
        confidence: the share of intervals that hold the true rate, for independent units. Units of one trace are not
            quite independent, so the true interval is somewhat wider.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.

    >>> low, high = wilson(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    if scored <= 0:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = passed / scored
    middle = (rate + z * z / (2 * scored)) / (1 + z * z / scored)
    half = z * math.sqrt(rate * (1 - rate) / scored + z * z / (4 * scored * scored)) / (1 + z * z / scored)
    # At 0 and 1 one end is exact; rounding must not push it out of the range.
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    high = 1.0 if passed == scored else min(1.0, middle + half)
    return low, high


def pass_hat_k(rollouts: int, passed: int, k: int) -> float | None:
    """Return pass^k of one task: the chance that k rollouts drawn without replacement all pass, C(c,k) / C(n,k).

    None when there are fewer than k rollouts: it cannot be known then, and p^k would be biased.

    >>> pass_hat_k(4, 3, 2)
    0.5
    """
    if k < 1 or rollouts < k:
        return None
    return math.comb(passed, k) / math.comb(rollouts, k)


def pass_at_k(rollouts: int, passed: int, k: int) -> float | None:
    """Return pass@k of one task: the chance that at least one of k rollouts passes, 1 - C(n-c,k) / C(n,k).

    None when there are fewer than k rollouts.

    >>> pass_at_k(4, 1, 2)
    0.5
    """
    if k < 1 or rollouts < k:
        return None
    return 1 - math.comb(rollouts - passed, k) / math.comb(rollouts, k)


def mean_pass_hat_k(tasks: Iterable[tuple[int, int]], k: int) -> tuple[float | None, int]:
    """Return the mean of pass^k over tasks given as `(rollouts, passed)`, and how many tasks had enough rollouts.

    Tasks with fewer than k rollouts are left out; without any other task the mean is None.
    """
    values = [v for n, c in tasks if (v := pass_hat_k(n, c, k)) is not None]
    return (math.fsum(values) / len(values) if values else None), len(values)

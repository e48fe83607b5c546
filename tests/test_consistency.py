"""Intervals and pass^k against values worked out by hand and by scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.consistency import mean_pass_hat_k, pass_at_k, pass_hat_k, wilson


@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    # scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
    [
        (9, 10, 0.5958, 0.9821),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 2, 0.0945, 0.9055),
        (50, 1000, 0.0381, 0.0653),
    ],
)
def test_wilson_agrees_with_scipy(passed: int, scored: int, low: float, high: float) -> None:
    found = wilson(passed, scored)
    assert found is not None
    assert found == pytest.approx((low, high), abs=1e-4)


def test_nothing_scored_has_no_interval() -> None:
    assert wilson(0, 0) is None


def test_more_confidence_is_a_wider_interval() -> None:
    narrow, wide = wilson(5, 10, 0.8), wilson(5, 10, 0.99)
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    passed, scored = counts
    found = wilson(passed, scored)
    assert found is not None
    low, high = found
    assert 0 <= low <= passed / scored <= high <= 1


def test_pass_hat_k_is_drawn_without_replacement_not_a_power() -> None:
    assert pass_hat_k(4, 3, 2) == 0.5
    assert pass_hat_k(4, 3, 2) != 0.75**2
    assert pass_hat_k(4, 1, 2) == 0.0
    assert pass_hat_k(4, 4, 4) == 1.0


@pytest.mark.parametrize("k", [0, -1, 5])
def test_too_few_rollouts_leave_it_undefined(k: int) -> None:
    assert pass_hat_k(4, 4, k) is None
    assert pass_at_k(4, 4, k) is None


def test_pass_at_k_is_the_chance_of_any() -> None:
    assert pass_at_k(4, 1, 2) == 0.5
    assert pass_at_k(4, 0, 2) == 0.0
    assert pass_at_k(4, 3, 2) == 1.0


def test_the_mean_is_over_tasks_with_enough_rollouts() -> None:
    assert mean_pass_hat_k([(4, 4), (4, 2), (1, 1)], 2) == ((1 + 1 / 6) / 2, 2)
    assert mean_pass_hat_k([(1, 1)], 2) == (None, 0)


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_hat_k_never_exceeds_pass_at_k(counts: tuple[int, int, int]) -> None:
    hat, at = pass_hat_k(*counts), pass_at_k(*counts)
    assert hat is not None
    assert at is not None
    assert 0 <= hat <= at + 1e-12 <= 1 + 1e-12

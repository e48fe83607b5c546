"""Assignments between two lists by weight: the best of all, and the best that keeps the order of both. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["align", "assign"]

_MOST = 300_000
"""Cells that `align` looks at; beyond them it gives up, since no gold of that length is written by hand."""


def align(weights: Sequence[Sequence[float]], groups: Sequence[Sequence[int]]) -> dict[int, int] | None:
    """Return the assignment row → column of greatest weight in which later rows never stand in earlier groups.

    Columns of one group have no order among themselves; a weight of 0 is no pair. None when the lists are too long.
    """
    n = len(weights)
    if n * n * max(len(groups), 1) > _MOST:
        return None
    best: list[tuple[float, dict[int, int]]] = [(0.0, {})] * (n + 1)
    for group in groups:
        longer = list(best)
        for start in range(n):
            total, pairs = best[start]
            for end in range(start + 1, n + 1):
                gain, added = _within(weights, start, end, group)
                if total + gain > longer[end][0]:
                    longer[end] = total + gain, {**pairs, **added}
        for end in range(1, n + 1):  # a row may stay without a column
            if longer[end - 1][0] > longer[end][0]:
                longer[end] = longer[end - 1]
        best = longer
    return best[n][1]


def _within(
    weights: Sequence[Sequence[float]], start: int, end: int, group: Sequence[int]
) -> tuple[float, dict[int, int]]:
    """The best pairs between the rows from start to end and the columns of one group."""
    if len(group) == 1:
        row = max(range(start, end), key=lambda i: weights[i][group[0]])
        gain = weights[row][group[0]]
        return (gain, {row: group[0]}) if gain > 0 else (0.0, {})
    inside = assign([[weights[i][j] for j in group] for i in range(start, end)])
    pairs = {start + i: group[j] for i, j in inside.items() if weights[start + i][group[j]] > 0}
    return sum(weights[i][j] for i, j in pairs.items()), pairs


def assign(weights: Sequence[Sequence[float]]) -> dict[int, int]:
    """Return the assignment row → column of maximum total weight, each row and column used at most once.

    The Hungarian method with potentials, O(n²·m). An empty matrix gives no pairs. Rows beyond the number of columns
    stay unassigned.
    """
    n = len(weights)
    m = len(weights[0]) if n else 0
    if not n or not m:
        return {}
    if n > m:
        flipped = assign([[weights[i][j] for i in range(n)] for j in range(m)])
        return {i: j for j, i in flipped.items()}
    row_potential, column_potential = [0.0] * (n + 1), [0.0] * (m + 1)
    owner = [0] * (m + 1)
    for i in range(1, n + 1):
        _augment(weights, i, row_potential, column_potential, owner)
    return {owner[j] - 1: j - 1 for j in range(1, m + 1) if owner[j]}


def _augment(weights: Sequence[Sequence[float]], row: int, u: list[float], v: list[float], owner: list[int]) -> None:
    m = len(v) - 1
    slack, back, done = [float("inf")] * (m + 1), [0] * (m + 1), [False] * (m + 1)
    owner[0], column = row, 0
    while owner[column]:
        done[column] = True
        i, delta, following = owner[column], float("inf"), 0
        for j in range(1, m + 1):
            if done[j]:
                continue
            reduced = -weights[i - 1][j - 1] - u[i] - v[j]
            if reduced < slack[j]:
                slack[j], back[j] = reduced, column
            if slack[j] < delta:
                delta, following = slack[j], j
        for j in range(m + 1):
            if done[j]:
                u[owner[j]] += delta
                v[j] -= delta
            else:
                slack[j] -= delta
        column = following
    while column:
        owner[column] = owner[back[column]]
        column = back[column]

"""Growth by pivots alone against growth by every entry."""

import casadi as ca
import numpy as np

from motionbase.compile.linear import BROKEN, GROWTH_ALARM, factorize
from motionbase.compile.linear.pivot_watch import growth_by_pivots


def both(sizes: list[float], n: int = 8) -> list[tuple[float, float]]:
    """(by pivots, by entries) where the first pivot is as large as told; the order is chosen where it is 1."""
    rng = np.random.default_rng(3)
    numbers = rng.uniform(-0.2, 0.2, (n, n)) + np.eye(n)
    numbers[0, 2:] = numbers[2:, 0] = 0.0  # fewest entries: eliminated first
    small = ca.SX.sym("small")
    A = ca.sparsify(ca.SX(ca.DM(numbers)))
    A[0, 0] = small
    factors = factorize(A, [np.where(np.eye(n) * (np.arange(n) == 0), 1.0, numbers)])
    assert factors.pivots[0].rows == (0,)
    monitor = ca.Function("monitor", [small], [growth_by_pivots(factors), factors.growth])
    return [tuple(float(x) for x in monitor(size)) for size in sizes]  # type: ignore[misc]


def test_a_vanishing_pivot_raises_both_alike() -> None:
    """Products of entries stay as in the samples here, so the estimate is within sqrt(steps) of the maximum."""
    for by_pivots, by_entries in both([1.0, 1e-3, 1e-6, 1e-9]):
        assert by_entries / 2 < by_pivots < by_entries * np.sqrt(8.0)
    assert both([1e-9])[0][0] > GROWTH_ALARM > both([1e-2])[0][0]


def test_a_division_by_zero_is_broken() -> None:
    assert both([0.0])[0][0] == BROKEN
    assert both([np.nan])[0][0] == BROKEN

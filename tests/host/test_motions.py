"""Motion between samples: polynomials that the interpolation must reproduce, and ends."""

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.host.format import AT_REST, Kind
from motionbase.host.motions import Series
from motionbase.host.preview import TIMES, is_preview


def poses(t: Array) -> Array:
    """A polynomial of degree five for every axis: the quintic between samples is exact."""
    c = np.array([[0.1 * (k + 1) * (-1) ** (k + j) / (j + 1) for j in range(6)] for k in range(6)])
    powers = np.arange(6)
    parts = []
    for order in range(3):
        factor = np.prod([powers - i for i in range(order)], axis=0) if order else np.ones(6)
        parts.append((t[:, None] ** np.maximum(powers - order, 0) * factor) @ c.T)
    return np.concatenate(parts, axis=1)


def test_a_pose_between_samples_is_consistent_in_three_derivatives() -> None:
    t: Array = np.array([0.0, 0.3, 0.5, 1.1])
    series = Series(Kind.POSE, t + 7.0, poses(t))
    for now in np.linspace(0, 1.1, 37):
        assert series.row(float(now)) == pytest.approx(poses(np.array([now], dtype=np.float64))[0].tolist(), abs=1e-11)


def test_a_vehicle_between_samples() -> None:
    rows = np.array([AT_REST, AT_REST, AT_REST], dtype=float)
    rows[:, 0], rows[:, 11], rows[:, 12] = [0.0, 1.0, 4.0], [3.1, -3.1, -3.0], [1, 1, 0]
    series = Series(Kind.VEHICLE, np.array([0.0, 0.1, 0.2]), rows)
    found = series.row(0.05)
    assert found is not None and found[0] == pytest.approx(0.5)
    assert abs(found[11]) == pytest.approx(np.pi, abs=1e-9)  # through 180 degrees, not back through zero
    assert [series.row(t)[12] for t in (0.05, 0.15)] == [1.0, 1.0]  # type: ignore[index]
    assert series.row(0.2) == pytest.approx(rows[2].tolist())


def test_what_comes_is_what_will_be_told() -> None:
    t: Array = np.array([0.0, 0.07, 0.3, 0.5, 1.1, 3.0])
    rows = np.outer(t**2, np.linspace(0.5, 2.0, 13))
    for loop in (False, True):
        series = Series(Kind.VEHICLE, t, rows, loop=loop)
        for now in (0.0, 0.21, 0.9, 2.5, 3.0):
            ahead = series.ahead(now)
            assert is_preview(ahead) and [row[0] for row in ahead] == list(TIMES)
            for tau, *told in ahead:
                later = series.row(now + tau if loop else min(now + tau, 3.0))
                assert later is not None and told == pytest.approx(later[:6])
    assert Series(Kind.POSE, t, np.outer(t, np.ones(18))).ahead(0.0) == ()


def test_ends_and_loops() -> None:
    t: Array = 0.1 * np.arange(5, dtype=np.float64)
    once, again = Series(Kind.POSE, t, poses(t)), Series(Kind.POSE, t, poses(t), loop=True)
    assert once.row(-0.01) is None and once.row(0.41) is None
    assert once.is_over(0.4) and not once.is_over(0.3) and once.duration == pytest.approx(0.4)
    assert again.row(0.85) == pytest.approx(once.row(0.05)) and not again.is_over(1e9) and again.duration == np.inf


def test_motions_that_cannot_be_played() -> None:
    t, rows = np.array([0.0, 0.1, 0.2]), np.zeros((3, 18))
    rows[1, 3] = np.nan
    with pytest.raises(UsageError, match=r"no finite numbers at 0\.1 s"):
        Series(Kind.POSE, t, rows)
    for bad in (t[:1], np.array([0.0, 0.0, 0.1])):
        with pytest.raises(UsageError, match="ascending times"):
            Series(Kind.POSE, bad, np.zeros((len(bad), 18)))

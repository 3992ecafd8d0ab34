"""Motion over time, of a file, a manoeuvre or another base, as rows at any instant."""

from __future__ import annotations

from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.host.format import Kind, Rows
from motionbase.host.preview import TIMES

ATTITUDE = slice(9, 12)  # roll, pitch, yaw in a row of a vehicle
ANGLES = slice(3, 6)  # in each part of a row of a pose
ROUNDING_S = 1e-9


class Motion(Protocol):
    """Rows of a kind over time; `close` lets go of what it reads.

    Attributes:
        kind: of the rows
        duration: [s]; infinite for what has no end
    """

    kind: Kind
    duration: float

    def row(self, t: float) -> tuple[float, ...] | None:
        """At so many seconds after the begin; None if nothing is known then."""

    def ahead(self, t: float) -> Rows:
        """What comes after this instant, as rows of `host.preview`; () if nobody knows."""

    def is_over(self, t: float) -> bool:
        """Whether nothing comes after this instant."""

    def close(self) -> None: ...


@final
class Series:
    """Samples at any times, with what lies between them.

    A vehicle's motion is linear between samples. A pose is the quintic through positions, velocities and accelerations
    of its two neighbours, so that the three stay consistent.

    Args:
        t: (n,) ascending [s]; the first is taken as 0
        rows: (n, m) of the kind
        loop: begins again at its end
    """

    def __init__(self, kind: Kind, t: Array, rows: Array, *, loop: bool = False) -> None:
        if len(t) < 2 or not np.all(np.diff(t) > 0):
            raise UsageError(f"a motion needs two samples or more at ascending times; this one has {len(t)}")
        if not np.isfinite(rows).all():
            k = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise UsageError(f"the motion has no finite numbers at {t[k]:g} s; choose another part of it")
        self.kind, self._t, self._loop = kind, t - t[0], loop
        self._rows = np.array(rows, dtype=np.float64)
        part = ATTITUDE if kind is Kind.VEHICLE else ANGLES
        self._rows[:, part] = np.unwrap(self._rows[:, part], axis=0)
        self._end = float(self._t[-1])
        self.duration = np.inf if loop else self._end

    def row(self, t: float) -> tuple[float, ...] | None:
        """At so many seconds after the begin."""
        if t < 0 or (t > self._end + ROUNDING_S and not self._loop):
            return None
        t = t % self._end if self._loop else min(t, self._end)
        k = min(int(np.searchsorted(self._t, t, "right")), len(self._t) - 1)
        t_0, t_1 = self._t[k - 1], self._t[k]
        before, after, x = self._rows[k - 1], self._rows[k], (t - t_0) / (t_1 - t_0)
        made = _between(before, after, x) if self.kind is Kind.VEHICLE else _quintic(before, after, x, t_1 - t_0)
        return tuple(made.tolist())

    def ahead(self, t: float) -> Rows:
        """Of a vehicle; after the end it goes on as at the end."""
        if self.kind is not Kind.VEHICLE:
            return ()
        at = t + np.array(TIMES)
        at = at % self._end if self._loop else np.minimum(at, self._end)
        k = np.minimum(np.searchsorted(self._t, at, "right"), len(self._t) - 1)
        x = (at - self._t[k - 1]) / (self._t[k] - self._t[k - 1])
        before, after = self._rows[k - 1, :6], self._rows[k, :6]
        return tuple(map(tuple, np.column_stack([TIMES, before + x[:, None] * (after - before)]).tolist()))

    def is_over(self, t: float) -> bool:
        """Whether the last sample lies behind."""
        return not self._loop and t >= self._end - ROUNDING_S

    def close(self) -> None:
        """Nothing is open."""


def _between(before: Array, after: Array, x: float) -> Array:
    made: Array = before + x * (after - before)
    made[ATTITUDE] = np.remainder(made[ATTITUDE] + np.pi, 2 * np.pi) - np.pi
    made[-1] = before[-1] if x < 1 else after[-1]  # on the ground or not
    return made


def _quintic(before: Array, after: Array, x: float, h: float) -> Array:
    """Position, velocity and acceleration at x of the way from one instant to the next, h later."""
    p_0, v_0, a_0 = before[:6], before[6:12] * h, before[12:] * h * h
    p_1, v_1, a_1 = after[:6], after[6:12] * h, after[12:] * h * h
    d, v, a = p_1 - p_0 - v_0 - a_0 / 2, v_1 - v_0 - a_0, a_1 - a_0  # what the parabola of the first misses
    c_3, c_4, c_5 = 10 * d - 4 * v + a / 2, -15 * d + 7 * v - a, 6 * d - 3 * v + a / 2
    p = p_0 + x * (v_0 + x * (a_0 / 2 + x * (c_3 + x * (c_4 + x * c_5))))
    p_dot = v_0 + x * (a_0 + x * (3 * c_3 + x * (4 * c_4 + x * 5 * c_5)))
    p_ddot = a_0 + x * (6 * c_3 + x * (12 * c_4 + x * 20 * c_5))
    return np.concatenate((p, p_dot / h, p_ddot / h**2))

"""Cross-fade between two motions of a vehicle, so that a cut in the scene is not felt as a jump."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

from motionbase.record.vehicle import G
from motionbase.worlds.felt import to_vehicle, turning

F, OMEGA, ALPHA, ANGLES = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)


@final
class Fade:
    """From a constant row to a continuing motion, within a time [s].

    Roll and pitch turn from one attitude to the other, at rates consistent with that. The heading has no such rate,
    because it cannot be felt.

    Attributes:
        begin: the constant row
    """

    def __init__(self, row: Sequence[float], seconds: float) -> None:
        self.begin, self._seconds, self._age = tuple(row), seconds, 0.0

    def step(self, dt: float) -> bool:
        """Advance by a period [s]; False at the end."""
        self._age += dt
        return self._age < self._seconds

    def row(self, row: Sequence[float]) -> tuple[float, ...]:
        """The row to use, given that of the continuing motion."""
        T = self._seconds
        x = min(1.0, self._age / T)
        s = x * x * x * (10 - 15 * x + 6 * x * x)
        s1, s2 = 30 * x * x * (1 - x) ** 2 / T, 60 * x * (1 - x) * (1 - 2 * x) / T**2
        old, new = self.begin, row
        way = tuple(b - a for a, b in zip(old[ANGLES], new[ANGLES], strict=True))
        angles = tuple(a + s * d for a, d in zip(old[ANGLES], way, strict=True))
        seen = (s1 * way[0], s1 * way[1], 0.0), (s2 * way[0], s2 * way[1], 0.0)
        omega, alpha = turning(angles, *seen)
        f = tuple(
            g + (1 - s) * (a - ga) + s * (b - gb)
            for g, a, ga, b, gb in zip(_up(angles), old[F], _up(old[ANGLES]), new[F], _up(new[ANGLES]), strict=True)
        )
        w = tuple(o + (1 - s) * a + s * b for o, a, b in zip(omega, old[OMEGA], new[OMEGA], strict=True))
        w1 = tuple(
            o + (1 - s) * a + s * b + s1 * (wb - wa)
            for o, a, b, wa, wb in zip(alpha, old[ALPHA], new[ALPHA], old[OMEGA], new[OMEGA], strict=True)
        )
        return (*f, *w, *w1, *angles, new[12])


def turned(row: Sequence[float], like: Sequence[float]) -> tuple[float, ...]:
    """A row with its heading changed by whole turns, to within half a turn of another's."""
    yaw = row[11] + 2 * math.pi * round((like[11] - row[11]) / (2 * math.pi))
    return (*row[:11], yaw, row[12])


def _up(angles: Sequence[float]) -> tuple[float, float, float]:
    """Specific force at rest in this attitude."""
    return to_vehicle(angles, (0.0, 0.0, G))

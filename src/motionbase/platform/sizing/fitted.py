"""Velocities and accelerations of sampled positions: a least-squares cubic through the samples around each instant.

Savitzky and Golay (1964), for samples at any times. At least five samples are used; more of them smooth noise, and
attenuate motion that is faster than the window.
"""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError

LEAST, ORDER = 5, 3
BLOCK = 1024  # instants at once


def fitted(t: Array, x: Array, window: float = 0.0) -> tuple[Array, Array, Array]:
    """(n, m) positions, velocities and accelerations of (n, m) samples at (n,) times [s].

    Args:
        window: time span around an instant [s]; at least five samples
    """
    n = len(t)
    steps = np.diff(t)
    if n < LEAST:
        raise PlatformError(f"a manoeuvre has {n} moments, at least {LEAST} are wanted to tell accelerations")
    if not np.all(steps > 0):
        k = int(np.flatnonzero(steps <= 0)[0])
        raise PlatformError(
            f"time goes from {t[k]:g} to {t[k + 1]:g} s at record {k + 2}, it must go on; take one piece of it "
            "(motionbase split)"
        )
    count = min(n, max(LEAST, 2 * int(0.5 * window / float(np.median(steps))) + 1))
    start = np.clip(np.arange(n) - count // 2, 0, n - count)
    made = np.empty((3, *x.shape))
    for k in range(0, n, BLOCK):
        rows = slice(k, k + BLOCK)
        places = start[rows, None] + np.arange(count)
        tau = t[places] - t[rows, None]
        scale = np.abs(tau).max(axis=1)[:, None]
        V = (tau / scale)[..., None] ** np.arange(ORDER + 1)
        Vt = np.swapaxes(V, 1, 2)
        c = np.linalg.solve(Vt @ V, Vt @ x[places])
        made[0, rows], made[1, rows], made[2, rows] = c[:, 0], c[:, 1] / scale, 2 * c[:, 2] / scale**2
    return made[0], made[1], made[2]

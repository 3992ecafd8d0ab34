"""Makes rows from a simulator's numbers in our axes: bounds, gravity, angular acceleration, the way to the head.

Every format converts its own axes and units first. Here each number is a Python float: for a dozen of them, arrays
would take longer than the arithmetic.
"""

from __future__ import annotations

from math import cos, remainder, sin, tau
from typing import final

from motionbase.host.format import Frame, Options, Status
from motionbase.record.vehicle import VEHICLE, G

LARGEST_ACCELERATION = 1000.0  # [m/s^2], some 100 g: a frame with more is refused
FASTEST_TURN = 100.0  # [rad/s], 16 revolutions per second: a frame with more is refused
LARGEST_ANGLE = 1000.0  # [rad]: some simulators count revolutions
LARGEST_ALPHA = 200.0  # [rad/s^2]: larger values are clipped, since they are differences, or impacts
LONGEST_GAP = 0.25  # [s] between frames: after a longer one derivatives start again from zero
SHORTEST_STEP = 1e-3  # [s] between stamps: differences over less are not taken
MEAN_OF = 20  # frames without stamps, whose mean period is taken
NAMES = tuple(channel.name.removeprefix("vehicle_") for channel in VEHICLE[:-1])

_A2, _W2, _P2 = LARGEST_ACCELERATION**2, FASTEST_TURN**2, LARGEST_ANGLE**2
_new = tuple.__new__  # a named tuple without its own constructor, which takes twice as long


@final
class Motion:
    """Makes the rows of one host.

    Args:
        options: of the person
        gravity: whether the accelerations that come here are specific force, unless the person says otherwise
    """

    __slots__ = (
        "_alpha", "_clock", "_count", "_d1", "_d2", "_kinematic", "_last", "_lever", "_omega", "_period", "_signs",
    )  # fmt: skip

    def __init__(self, options: Options, *, gravity: bool) -> None:
        self._kinematic = not (gravity if options.gravity is None else options.gravity)
        self._lever = options.lever if any(options.lever) else None
        self._signs = tuple(-1.0 if name in options.flip else 1.0 for name in NAMES) if options.flip else None
        self._clock = options.clock
        self._count, self._period = 0, 0.0
        self._last: float | None = None
        self._omega = self._d1 = self._d2 = self._alpha = (0.0, 0.0, 0.0)

    def frame(
        self,
        stamp: float | None,
        a: tuple[float, float, float],
        omega: tuple[float, float, float],
        roll: float,
        pitch: float,
        yaw: float,
        on_ground: float,
        alpha: tuple[float, float, float] | None = None,
        sequence: int | None = None,
        run: int = 0,
    ) -> Frame | None:
        """A frame from the motion at the format's point; None if a number is not finite or not plausible.

        Args:
            stamp: the host's time [s]; None if it tells none
            a: acceleration or specific force in axes of the vehicle [m/s^2]
            omega: angular rate in axes of the vehicle [rad/s]
            roll, pitch, yaw: ZYX [rad]
            on_ground: 1 on the ground, 0 in the air
            alpha: angular acceleration in axes of the vehicle [rad/s^2]; None makes it from differences of omega
        """
        x, y, z = a
        p, q, r = omega
        if self._signs is not None:
            s = self._signs
            x, y, z, p, q, r, roll, pitch, yaw = (
                s[0] * x, s[1] * y, s[2] * z, s[3] * p, s[4] * q, s[5] * r, s[9] * roll, s[10] * pitch, s[11] * yaw
            )  # fmt: skip
            alpha = None if alpha is None else (s[6] * alpha[0], s[7] * alpha[1], s[8] * alpha[2])
        # a comparison with NaN is false, so these find it as well
        if not (x * x + y * y + z * z <= _A2 and p * p + q * q + r * r <= _W2):
            return None
        if not roll * roll + pitch * pitch + yaw * yaw <= _P2:
            return None
        if self._kinematic:  # the specific force is the acceleration less gravity, which points down
            c = G * cos(pitch)
            x -= G * sin(pitch)
            y += sin(roll) * c
            z += cos(roll) * c
        u, v, w = self._derivative(stamp, p, q, r) if alpha is None else alpha
        if not (-LARGEST_ALPHA <= u <= LARGEST_ALPHA and -LARGEST_ALPHA <= v <= LARGEST_ALPHA
                and -LARGEST_ALPHA <= w <= LARGEST_ALPHA):  # fmt: skip
            if not u * u + v * v + w * w < float("inf"):
                return None
            u, v, w = _clipped(u), _clipped(v), _clipped(w)
        if self._lever is not None:  # rigid body: f + alpha x l + omega x (omega x l)
            lx, ly, lz = self._lever
            along = p * lx + q * ly + r * lz
            square = p * p + q * q + r * r
            x += v * lz - w * ly + p * along - lx * square
            y += w * lx - u * lz + q * along - ly * square
            z += u * ly - v * lx + r * along - lz * square
            if not x * x + y * y + z * z <= _A2:
                return None
        row = (x, y, z, p, q, r, u, v, w, roll, pitch, remainder(yaw, tau), on_ground)
        return _new(Frame, (row, sequence, stamp, run, None, None))

    def _derivative(self, stamp: float | None, p: float, q: float, r: float) -> tuple[float, float, float]:
        """Angular acceleration: the median of the last three differences, so that a single wrong frame is not felt."""
        last = self._last
        t = self._last = self._clock() if stamp is None else stamp
        step = -1.0 if last is None else t - last
        again = not 0.0 <= step <= LONGEST_GAP
        if stamp is None and last is not None:
            step = self._mean_step(step)
        if again:
            self._omega = (p, q, r)
            self._d1 = self._d2 = self._alpha = (0.0, 0.0, 0.0)
            return self._alpha
        if step < SHORTEST_STEP:
            if stamp is not None:
                self._last = last
            return self._alpha
        p0, q0, r0 = self._omega
        u, v, w = now = (p - p0) / step, (q - q0) / step, (r - r0) / step
        u1, v1, w1 = self._d1
        u2, v2, w2 = self._d2
        self._alpha = (
            u1 if u <= u1 <= u2 or u2 <= u1 <= u else u2 if u <= u2 <= u1 or u1 <= u2 <= u else u,
            v1 if v <= v1 <= v2 or v2 <= v1 <= v else v2 if v <= v2 <= v1 or v1 <= v2 <= v else v,
            w1 if w <= w1 <= w2 or w2 <= w1 <= w else w2 if w <= w2 <= w1 or w1 <= w2 <= w else w,
        )
        self._omega, self._d1, self._d2 = (p, q, r), now, self._d1
        return self._alpha

    def _mean_step(self, step: float) -> float:
        """Frames arrive in bursts, also after a gap; their mean period is that of the simulation."""
        self._count = min(self._count + 1, MEAN_OF)
        self._period += (min(max(step, 0.0), LONGEST_GAP) - self._period) / self._count
        return self._period if self._count == MEAN_OF else max(self._period, step)


def _clipped(x: float) -> float:
    return min(max(x, -LARGEST_ALPHA), LARGEST_ALPHA)


class Silent:
    """Simulators ask for no answer."""

    __slots__ = ()

    def answer(self, frame: Frame, status: Status) -> bytes | None:
        """Nothing."""
        return None

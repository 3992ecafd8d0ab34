"""Hosts that tell the axes of the vehicle as vectors in their world, with y up: rates are differences of the axes."""

from __future__ import annotations

from math import asin, atan2
from typing import final

from motionbase.host.format import Frame, Options
from motionbase.host.telemetry.motion import LARGEST_ACCELERATION, LONGEST_GAP, SHORTEST_STEP, Motion

Vector = tuple[float, float, float]
_A2 = LARGEST_ACCELERATION**2
_REST = (0.0, 0.0, 0.0)


@final
class Oriented:
    """Makes the rows of one host.

    Args:
        options: of the person
        gravity: as in `Motion`
    """

    __slots__ = ("_a", "_left", "_motion", "_omega", "_stamp", "_up", "_velocity")

    def __init__(self, options: Options, *, gravity: bool) -> None:
        self._motion = Motion(options, gravity=gravity)
        self._stamp: float | None = None
        self._left = self._up = self._velocity = self._omega = self._a = _REST

    def frame(
        self,
        stamp: float,
        forward: Vector,
        left: Vector,
        up: Vector,
        velocity: Vector,
        a: Vector | None = None,
        sequence: int | None = None,
    ) -> Frame | None:
        """A frame of axes and velocity in a right-handed world; None if a number is not finite or not plausible.

        Args:
            stamp: the host's time [s]
            forward, left, up: axes of the vehicle, unit vectors
            velocity: [m/s]; its differences are the acceleration
            a: acceleration in the world [m/s^2], if the host tells it
        """
        fx, fy, fz = forward
        lx, ly, lz = left
        ux, uy, uz = up
        vx, vy, vz = velocity
        if not (
            0.9 < fx * fx + fy * fy + fz * fz < 1.1
            and 0.9 < lx * lx + ly * ly + lz * lz < 1.1
            and -0.1 < fx * lx + fy * ly + fz * lz < 0.1
            and 0.9 < ux * ux + uy * uy + uz * uz < 1.1
            and 0.0 <= stamp < 1e9
            and vx * vx + vy * vy + vz * vz < 1e8
        ):
            return None
        step = stamp - self._stamp if self._stamp is not None else -1.0
        if SHORTEST_STEP <= step <= LONGEST_GAP:
            sx, sy, sz = self._left
            tx, ty, tz = self._up
            rise = fx * tx + fy * ty + fz * tz  # of the nose
            omega = (
                (lx * tx + ly * ty + lz * tz) / step,  # the left side rises
                -rise / step,
                (fx * sx + fy * sy + fz * sz) / step,  # the nose turns left
            )
            if a is None:
                wx, wy, wz = self._velocity
                a = ((vx - wx) / step, (vy - wy) / step, (vz - wz) / step)
                if a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > _A2:  # the vehicle was put somewhere else
                    a, omega = _REST, _REST
            self._keep(stamp, left, up, velocity, omega, a)
        elif 0.0 <= step < SHORTEST_STEP:
            omega, a = self._omega, self._a if a is None else a
        else:
            omega, a = _REST, _REST if a is None else a
            self._keep(stamp, left, up, velocity, omega, a)
        x, y, z = a
        return self._motion.frame(
            stamp,
            (x * fx + y * fy + z * fz, x * lx + y * ly + z * lz, x * ux + y * uy + z * uz),
            omega,
            atan2(ly, uy),
            -asin(-1.0 if fy < -1.0 else 1.0 if fy > 1.0 else fy),
            atan2(fx, fz),
            1.0,
            None,
            sequence,
        )

    def _keep(self, stamp: float, left: Vector, up: Vector, velocity: Vector, omega: Vector, a: Vector) -> None:
        self._stamp, self._left, self._up = stamp, left, up
        self._velocity, self._omega, self._a = velocity, omega, a

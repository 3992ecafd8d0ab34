"""From the steering control to the rack: with assistance, less lock and a lower rate at speed."""

from __future__ import annotations

import math
from typing import final

from motionbase.record.vehicle import G
from motionbase.worlds.drive.car import Car

SPARE = 1.15  # lateral acceleration that full steering asks for, over that of the grip; illustrative
SLIP_ANGLE = 0.11  # [rad] of the front tyres at their largest force, added to the angle of the bend; illustrative
RATE, RATE_FAST = 1.3, 0.35  # [rad/s] of the front wheels, at rest and at FAST
FAST = 30.0  # [m/s]
HAND_S = 0.05  # time constant of the hand


def lock_at(car: Car, speed: float) -> float:
    """Angle of the front wheels at full steering and a speed [m/s]: that of the tightest bend that grip allows."""
    v = max(abs(speed), 1.0)
    return min(car.steering.lock, math.atan(SPARE * car.tyre.grip_y * G * car.wheelbase / v**2) + SLIP_ANGLE)


@final
class Rack:
    """Angle that the rack sets for the front wheels.

    Args:
        assisted: whether lock and rate depend on speed; otherwise only the lock of the car limits it
    """

    def __init__(self, car: Car, assisted: bool = True) -> None:
        self._car, self._assisted = car, assisted
        self.angle = self.rate = 0.0

    def step(self, steer: float, speed: float, dt: float) -> tuple[float, float]:
        """Angle at the start of a step and its rate during it; the control is -1 to 1, positive left."""
        lock = lock_at(self._car, speed) if self._assisted else self._car.steering.lock
        fast = min(1.0, abs(speed) / FAST)
        most = RATE + (RATE_FAST - RATE) * fast if self._assisted else 2 * RATE
        begin = self.angle
        self.rate = max(-most, min(most, (steer * lock - begin) / (HAND_S + dt)))
        self.angle = begin + self.rate * dt
        return begin, self.rate

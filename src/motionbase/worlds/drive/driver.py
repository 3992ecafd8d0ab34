"""Scripted drivers: they look ahead along the road, steer to a line on it and hold a speed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.drive.roads import CONE_COUNT, CONE_DISTANCE, SLALOM, Road
from motionbase.worlds.drive.simulation import Simulation
from motionbase.worlds.drive.steer import lock_at
from motionbase.worlds.drive.surface import Foot, Surface

LOOKS, LOOKS_S = 5.0, 0.55  # distance to the point steered to [m], and more with speed [s]
SIDEWAYS, SLOWING, FASTEST = 4.2, 3.0, 27.0  # limits of the driver [m/s^2, m/s^2, m/s]; illustrative
WEAVE, WEAVE_SPEED = 2.3, 11.0  # offset beside the cones [m], speed [m/s]
ROUGH_SPEED, BUMP_SPEED, TOUR_SPEED = 13.0, 7.0, 21.0  # [m/s]
STANDS_S = 3.0  # pause after an emergency stop [s]
ASTRAY = 6.0  # speed beside the road, or while turning round [m/s]

Controls = tuple[float, float, float, float]


def speeds(surface: Surface, fastest: float = FASTEST) -> Array:
    """Speed at every sample of a road, such that bends can be taken and braking ahead of them is in time."""
    road, share = surface.road, min(1.0, surface.grip)
    rows = road.course.samples
    v = np.minimum(np.sqrt(share * SIDEWAYS / np.maximum(np.abs(rows[:, 4]), 1e-6)), fastest)
    for begin, end, speed in slow_parts(road):
        there = (rows[:, 0] >= begin) & (rows[:, 0] <= end)
        v[there] = np.minimum(v[there], speed)
    step, n = rows[1, 0], len(v)
    if not road.course.closed:
        v[-1] = 0.0
    for k in range(2 * n - 1, -1, -1) if road.course.closed else range(n - 2, -1, -1):
        v[k % n] = min(v[k % n], math.sqrt(v[(k + 1) % n] ** 2 + 2 * share * SLOWING * step))
    return v


def slow_parts(road: Road) -> list[tuple[float, float, float]]:
    """Sections to be driven slowly: begin, end [m], speed [m/s]."""
    rough = [(*road.rough, ROUGH_SPEED)] if road.rough[1] > road.rough[0] else []
    return rough + [(b.s - 6, b.s + 5, BUMP_SPEED) for b in road.bumps]


@final
class Driver:
    """Steers a car along a road.

    Args:
        line: distance along the road [m] -> offset from its centre line, to the left [m]
        speed: wanted at each sample of the road [m/s]
    """

    def __init__(self, car: Simulation, line: Callable[[float], float], speed: Array) -> None:
        self._car, self._line, self._speed = car, line, speed
        self._road = car.surface.road
        self._extra = 0.0

    @property
    def foot(self) -> Foot:
        """Position of the car along and across the road."""
        return self._car.foot

    @property
    def speed(self) -> float:
        """Forward speed of the car [m/s]."""
        return float(self._car.v[3])

    @property
    def _looks_away(self) -> bool:
        """Whether the car does not point along the road."""
        return math.cos(self._car.angles[2] - self._road.course.at(self.foot.s)[2]) < 0.3

    def steer(self) -> float:
        """Steering for the arc to a point ahead on the line, with a correction for understeer."""
        car, course = self._car, self._road.course
        v = max(self.speed, 0.0)
        ahead = LOOKS + LOOKS_S * v
        s = self.foot.s + ahead
        x, y, heading = course.at(s)
        offset = self._line(s % course.length if course.closed else s)
        dx = x - math.sin(heading) * offset - float(car.q[0])
        dy = y + math.cos(heading) * offset - float(car.q[1])
        yaw = car.angles[2]
        left, forward = math.cos(yaw) * dy - math.sin(yaw) * dx, math.cos(yaw) * dx + math.sin(yaw) * dy
        if forward < 0.3 * abs(left):  # the point is beside or behind the car: turn as tightly as possible
            return math.copysign(1.0, left)
        curvature = 2 * left / max(left * left + forward * forward, 1.0)
        angle = math.atan(car.car.wheelbase * curvature) + 0.0025 * v * v * curvature
        return max(-1.0, min(1.0, angle / lock_at(car.car, v)))

    def pedals(self, most: float = math.inf) -> tuple[float, float]:
        """Throttle and brake for the wanted speed."""
        rows = len(self._speed)
        step = self._road.course.rows[1][0]
        k = int((self.foot.s + 0.4 * max(self.speed, 0.0)) / step)
        wanted = min(float(self._speed[k % rows if self._road.course.closed else min(k, rows - 1)]), most)
        if abs(self.foot.across) > self._road.course.width / 2 + 1 or self._looks_away:
            wanted = min(wanted, ASTRAY)
        by = wanted - self.speed
        self._extra = max(-0.1, min(0.35, self._extra + 0.0008 * max(-1.0, min(1.0, by))))
        if by < -0.8:
            return 0.0, min(0.7, 0.09 * (-by - 0.4))
        return max(0.0, min(1.0, 0.12 * by + self._extra + 0.06)), 0.0


def middle(s: float) -> float:
    """The centre line."""
    return 0.0


def between_cones(s: float) -> float:
    """A slalom beside the cones of the circuit."""
    u = s - SLALOM
    if not -CONE_DISTANCE < u < CONE_COUNT * CONE_DISTANCE:
        return 0.0
    fade = max(0.0, min(1.0, 1 + u / CONE_DISTANCE, CONE_COUNT - u / CONE_DISTANCE))
    return WEAVE * fade * math.cos(math.pi * u / CONE_DISTANCE)


def weaving(s: float) -> float:
    """A slalom everywhere."""
    return 0.8 * WEAVE * math.sin(math.pi * s / CONE_DISTANCE)


def lap(car: Simulation) -> Callable[[float], Controls]:
    """Round and round, briskly."""
    return _along(Driver(car, middle, speeds(car.surface)))


def slalom(car: Simulation) -> Callable[[float], Controls]:
    """Weave along the whole road."""
    return _along(
        Driver(car, weaving, speeds(car.surface, fastest=WEAVE_SPEED * math.sqrt(min(1.0, car.surface.grip))))
    )


def _along(driver: Driver) -> Callable[[float], Controls]:
    def drive(t: float) -> Controls:
        return (driver.steer(), *driver.pedals(), 0.0)

    return drive


def brake(car: Simulation, fast: float = 25.0) -> Callable[[float], Controls]:
    """Up to 90 km/h or as fast as the road allows, an emergency stop, and again."""
    driver = Driver(car, middle, speeds(car.surface, fastest=fast))
    stop, since, slow = False, 0.0, 0.0

    def drive(t: float) -> Controls:
        nonlocal stop, since, slow
        if not stop and (driver.speed > 0.97 * fast or (driver.speed > 12.0 and t - since > 14.0)):
            stop, since = True, t
        if stop:
            if driver.speed > 0.2:
                slow = t
            if t - slow > STANDS_S:
                stop, since = False, t
            return driver.steer() if driver.speed > 1.0 else 0.0, 0.0, 1.0, 0.0
        return (driver.steer(), *driver.pedals(), 0.0)

    return drive


def tour(car: Simulation) -> Callable[[float], Controls]:
    """A minute with a start, slalom, bends, a rough road, bumps and an emergency stop; then laps.

    On a road without cones it is a lap.
    """
    road = car.surface.road
    if not road.cones:
        return lap(car)
    driver = Driver(car, between_cones, speeds(car.surface, fastest=TOUR_SPEED))
    straight = road.course.begin("brake")
    stops, stood, is_over = False, math.inf, False

    def drive(t: float) -> Controls:
        nonlocal stops, stood, is_over
        s, v = driver.foot.s, driver.speed
        on_straight = straight + 40.0 < s < straight + 200.0
        if not is_over and on_straight and (v > TOUR_SPEED - 1.5 or s > straight + 110.0):
            stops = True
        if stops:
            stood = min(stood, t) if v < 0.2 else math.inf
            is_over = t - stood > STANDS_S
            stops = not is_over
            return driver.steer() if v > 1.0 else 0.0, 0.0, 1.0, 0.0
        cones = SLALOM - 35 < s < SLALOM + CONE_COUNT * CONE_DISTANCE
        weave = WEAVE_SPEED * math.sqrt(min(1.0, car.surface.grip))
        return (driver.steer(), *driver.pedals(weave if cones else math.inf), 0.0)

    return drive

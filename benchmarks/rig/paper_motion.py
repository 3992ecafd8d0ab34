"""The motion of the published wave rider, for benchmarks and pictures: its boat on its wave, as lengths of six legs.

The boat drifts, as the published one, which only keeps to its floor. Heave, roll and pitch go to the platform, at the
largest common scale at which no leg leaves its working range or needs more than `SPEED` of the valves' speed.
"""

import functools

import numpy as np

from motionbase.actuators.onoff import SPEED as VALVE_SPEED
from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_platform
from motionbase.worlds.seed.world import DT, SeedWorld, drift

PLATFORM = load_platform("odu")
RATE = 60.0  # [1/s] frames of the host; illustrative
SPEED = 0.8  # of the valves' speed
HALVINGS = 8  # of the interval in which the scale is searched


@functools.cache
def boat(seconds: float) -> tuple[Array, float]:
    """(n, 6) lengths of the legs [m] at RATE, and the scale of the motion."""
    world, rows = SeedWorld(), []
    for _ in range(round(seconds / DT)):
        world.step(drift(world.t))
        rows.append((0.0, 0.0, world.motion.p[2], *world.motion.angles[:2], 0.0))
    at = np.arange(round(seconds * RATE)) / RATE
    times = DT * np.arange(1, len(rows) + 1)
    dof = np.column_stack([np.interp(at, times, column) for column in np.array(rows).T])
    least, most = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if _possible(_lengths(middle * dof)) else (least, middle)
    return _lengths(least * dof), least


def _lengths(dof: Array) -> Array:
    kinematics = kinematics_of(PLATFORM)
    pose, inverse = compile(kinematics.pose_of_dof), compile(kinematics.inverse)
    return np.array([inverse(*pose(row))[0] for row in dof])


def _possible(l: Array) -> bool:
    stroke = PLATFORM.stroke
    speed = np.abs(np.diff(l, axis=0)).max() * RATE
    return bool(l.min() > stroke.l_min and l.max() < stroke.l_max and speed < SPEED * VALVE_SPEED)


def sine(seconds: float, frequency: float = 0.25, amplitude: float = 0.06) -> Array:
    """(n, 6) lengths: a sine, each leg a radian behind the one before [m]."""
    t = np.arange(round(seconds * RATE)) / RATE
    middle = 0.5 * (PLATFORM.stroke.hard_min + PLATFORM.stroke.hard_max)
    return middle + amplitude * np.sin(2 * np.pi * frequency * t[:, None] + np.arange(6))

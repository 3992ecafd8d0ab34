"""Recordings in closed form: a motion as sums of sines, and the forces and pressures that belong to it exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.identify.signals import AXIS_NAMES, Signals, Stretch
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.platform.sizing.forces import LegMotion, Motion

SIMONA, EMOTION = load_platform("simona"), load_platform("emotion-1500")
BAND = ((0.13, 0.41, 0.83), (0.17, 0.37, 0.91), (0.11, 0.47, 0.79), (0.19, 0.53, 0.97), (0.15, 0.43, 0.89),
        (0.12, 0.59, 0.73))  # fmt: skip
"""Frequencies of each axis [Hz]."""
REACH = (0.10, 0.10, 0.08, 0.05, 0.05, 0.06)
"""Amplitudes [m, rad]: of each tone, over its number."""


def heavier(platform: Hexapod, mass: float = 1.15) -> Hexapod:
    """The same with another load, off centre and with products of inertia."""
    xx, yy, zz, *_ = (1.1 * x for x in platform.payload.inertia)
    payload = replace(
        platform.payload,
        mass=mass * platform.payload.mass,
        com=(0.06, -0.04, 0.3),
        inertia=(xx, yy, zz, 30.0, -20.0, 15.0),
    )
    return replace(platform, payload=payload)


def motion(platform: Hexapod, t: Array, scale: float = 1.0) -> LegMotion:
    """All axes at once, with exact velocities and accelerations."""
    x, v, a = np.zeros((3, len(t), 6))
    for axis, (frequencies, reach) in enumerate(zip(BAND, REACH, strict=True)):
        for k, f in enumerate(frequencies, start=1):
            w, phase, size = 2 * np.pi * f, 0.7 * axis + k, scale * reach / k
            x[:, axis] += size * np.sin(w * t + phase)
            v[:, axis] += size * w * np.cos(w * t + phase)
            a[:, axis] -= size * w * w * np.sin(w * t + phase)
    return LegMotion(platform, Motion.of_dof(platform, x, v, a))


def signals(t: Array, **columns: Array) -> Signals:
    """One stretch, with every tick of the law."""
    return Signals(float(t[1] - t[0]), (Stretch(t, columns),), every_tick=True)


def named(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns by the names of a record's channels."""
    found = {}
    for base, x in columns.items():
        if x.ndim == 1:
            found[base] = x
        elif x.shape[1] == 6:
            found |= {f"leg{k + 1}_{base}": x[:, k] for k in range(6)}
        else:
            found |= {f"{base}_{axis}": x[:, k] for k, axis in enumerate(AXIS_NAMES)}
    return found


def whole(platform: Hexapod, t: Array, noise: float = 1.0, seed: int = 0) -> dict[str, Array]:
    """Lengths, forces and pressures of a hydraulic platform with its friction, in drive, with noise of good sensors."""
    at, actuator, rng = motion(platform, t), platform.actuator, np.random.default_rng(seed)
    assert isinstance(actuator, HydraulicActuator)
    law = actuator.friction

    def noisy(x: Array, level: float) -> Array:
        return np.asarray(x + noise * level * rng.normal(size=x.shape))

    f, v = at.forces(), at.l_dot
    friction = np.sign(v) * (law.coulomb + (law.static - law.coulomb) * np.exp(-((v / law.stribeck) ** 2)))
    p_rod = np.full_like(f, 4e6)
    p_cap = (f + friction + law.sigma2 * v + actuator.area_rod * p_rod) / actuator.area_cap
    return {
        "state": np.full(len(t), 5.0), "fault": np.zeros(len(t)),
        "l_meas": noisy(at.lengths, 8e-6), "f_meas": noisy(f, 10.0),
        "p_cap": noisy(p_cap, 5e3), "p_rod": noisy(p_rod, 5e3),
    }  # fmt: skip

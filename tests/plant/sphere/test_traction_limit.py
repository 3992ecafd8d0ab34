"""The largest spin-up of the preset, 350 degrees/s^2 to 35 degrees/s, in the direction that the wheels like least."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Compiled, compile
from motionbase.plant.sphere.plant import SpherePlant
from motionbase.platform.atlas.analysis import analyse
from tests.plant.sphere.cases import PRESET, turn_of

SUDDEN = (-0.746, -0.641, -0.180), (-0.224, -0.799, 0.184, 0.527)  # axis and orientation, found among 450
RAMPED = (-0.220, 0.936, -0.273), (0.381, -0.317, 0.758, 0.425)


@cache
def stepper() -> tuple[SpherePlant, Compiled]:
    plant = SpherePlant(PRESET)
    return plant, compile(plant.step)


def largest_sliding(case: tuple[Any, Any], ramp: float, friction: float = 1.0, preload: float = 1.0) -> float:
    """In the spin-up [m/s]; torques are those that the sphere needs for it, losses of the last tick included.

    Args:
        ramp: in which the acceleration is reached, and left again [s]
    """
    (plant, step), I, limits = stepper(), PRESET.sphere.inertia_matrix, PRESET.limits
    axis, Q = np.array(case[0]) / np.linalg.norm(case[0]), case[1]
    arm, gear, J = plant.motion.contacts.arm, PRESET.wheels[0].gear, PRESET.wheels[0].axle_inertia
    given, state = plant.quiet, plant.at_rest(Q, preload)
    given["friction_scale"][:], given["preload_scale"][:] = friction, preload
    names, besides, worst = [p.name for p in plant.step.outputs], np.zeros(3), 0.0
    duration = limits.velocity / limits.acceleration + ramp
    for t in plant.dt * (np.arange(round(duration / plant.dt)) + 0.5):
        share = min(1.0, t / ramp, (duration - t) / ramp) if ramp else 1.0
        alpha, turn, omega = share * limits.acceleration * axis, turn_of(state["Q_WS"]), state["omega_S"]
        M = turn.apply(I @ turn.inv().apply(alpha) + np.cross(omega, I @ omega)) - besides
        given["tau_motor"] = (np.linalg.solve(PRESET.J_tau, M) + J * PRESET.J_omega @ alpha) / gear
        found = dict(zip(names, step(**state, **given), strict=True))
        state = {name: found[after] for name, after in plant.feedback.items()}
        besides = found["M_sphere"] - PRESET.J_tau @ (found["f_contact"] * arm)
        worst = max(worst, float(np.abs(found["slip"]).max()))
    assert np.linalg.norm(state["omega_S"]) == pytest.approx(limits.velocity, rel=0.1)
    return worst


def test_the_drive_unloads_its_own_wheels() -> None:
    """The static analysis finds the preload enough; in dynamics the drive's forces push the sphere off some wheels.

    At once the spin-up needs 1.14 times the friction or 1.21 times the preload, over 50 ms 1.00 and 1.01.
    """
    assert analyse(PRESET).normal_is_enough
    assert largest_sliding(SUDDEN, 0.0) > 1e-3
    assert largest_sliding(SUDDEN, 0.0, friction=1.12) > 1e-6 > largest_sliding(SUDDEN, 0.0, friction=1.16)
    assert largest_sliding(SUDDEN, 0.0, preload=1.18) > 1e-6 > largest_sliding(SUDDEN, 0.0, preload=1.23)
    assert largest_sliding(RAMPED, 0.05, friction=0.98) > 1e-6 > largest_sliding(RAMPED, 0.05, friction=1.03)
    assert largest_sliding(RAMPED, 0.05, preload=0.97) > 1e-6 > largest_sliding(RAMPED, 0.05, preload=1.04)

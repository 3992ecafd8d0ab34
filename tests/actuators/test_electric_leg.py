"""The electric leg with the ports of a hydraulic one: the same step, a command that is remembered, power that fails."""

from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import POWER_LEAST, electric_leg_step, electric_step
from motionbase.actuators.example import SCREW, STROKE
from motionbase.actuators.leg import leg_step
from motionbase.compile import compile

STEP = compile(electric_leg_step(SCREW, STROKE))
MOVING: dict[str, Any] = {"h": 5e-4, "l": 2.6, "l_next": 2.60005, "l_dot_next": 0.11}
X = np.array([0.1, 3e3, 2e3, 0.3, -1e-5])


def stepped(u: float = 0.4, p_supply: float = 1.0, abort: float = 0.0) -> tuple[np.ndarray, float]:
    x, f = STEP(x=X, u=u, p_supply=p_supply, p_return=0.0, abort=abort, **MOVING)
    return np.asarray(x), float(f)


@pytest.mark.parametrize("abort", [0.0, 1.0])
def test_with_power_it_is_the_plain_step(abort: float) -> None:
    x, f = stepped(abort=abort)
    x_plain, f_plain, _ = compile(electric_step(SCREW, STROKE))(x=X[1:], u=0.4, abort=abort, **MOVING)
    np.testing.assert_array_equal(x[1:], x_plain)
    assert f == f_plain and x[0] == 0.4


def test_ports_are_those_of_a_hydraulic_leg() -> None:
    from motionbase.actuators.example import LEG

    ours, other = electric_leg_step(SCREW, STROKE, h=5e-4), leg_step(LEG, STROKE, h=5e-4)
    assert [(p.name, p.dims) for p in ours.inputs] == [(p.name, p.dims) for p in other.inputs]
    assert [(p.name, p.dims) for p in ours.outputs] == [(p.name, p.dims) for p in other.outputs[:2]]


def test_the_command_is_remembered_within_its_limits() -> None:
    assert [stepped(u)[0][0] for u in (-0.3, 1.7, -9.0)] == [-0.3, 1.0, -1.0]


@pytest.mark.parametrize("p_supply", [0.0, 0.99 * POWER_LEAST, -1.0, np.nan])
def test_without_power_the_brake_closes(p_supply: float) -> None:
    np.testing.assert_array_equal(stepped(p_supply=p_supply)[0], stepped(p_supply=p_supply, abort=1.0)[0])


def test_less_power_is_less_force() -> None:
    """A command far from the speed asks for all there is: the lag leads towards that part of the largest force."""
    whole, part = stepped(u=1.0)[0][1], stepped(u=1.0, p_supply=0.75)[0][1]
    s = MOVING["h"] / SCREW.torque_lag
    left = 1 / (1 + s * (1 + s / 2))
    assert whole == pytest.approx(SCREW.force_max + (X[1] - SCREW.force_max) * left, rel=1e-12)
    assert part == pytest.approx(0.75 * SCREW.force_max + (X[1] - 0.75 * SCREW.force_max) * left, rel=1e-12)

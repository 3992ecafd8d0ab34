"""Limits in use: tuned ones in ordinary states, the platform's where a motion must end."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Kernel, Port
from motionbase.control.bounds import LEAST, Allowed, Limits, chase_of, limits_in
from motionbase.control.law import ControlLaw
from motionbase.control.states import BRISK
from motionbase.platform.load import load_platform
from motionbase.record.states import State
from tests.control.named import Named

LAW = ControlLaw(load_platform("simona"))
BOUNDS = Named(
    Kernel(
        "bounds",
        (Allowed.port("allowed"), Port("move_least", (), "s"), Port("state")),
        (Limits.port("limits"),),
        partial(limits_in, LAW.platform),
    )
)
NAMES = (*(p.name for p in Allowed.layout.ports), "move_least")
DESIGNED: dict[str, Any] = {name: LAW.parameters.find(name).start_values for name in NAMES}
DESIGNED["move_least"] = float(DESIGNED["move_least"][0])


def in_use(state: State, **tuned: Any) -> dict[str, np.ndarray]:
    values = BOUNDS(**DESIGNED | tuned, state=float(state))
    return {p.name: Limits.layout.part(values, p.name) for p in Limits.layout.ports}


@pytest.mark.parametrize("state", list(State))
def test_a_stop_has_the_limits_of_the_platform_whatever_is_tuned(state: State) -> None:
    fifths = {name: 0.2 * DESIGNED[name] for name in ("dof_velocity", "dof_acceleration", "dof_chase")}
    fifths |= {name: 0.2 * DESIGNED[name] for name in ("leg_velocity", "leg_acceleration")}
    made, designed = in_use(state, **fifths, move_least=5.0), in_use(state)
    for name in ("velocity", "acceleration", "chase"):
        np.testing.assert_allclose(made[name], (1.0 if state in BRISK else 0.2) * designed[name], rtol=1e-15)
    assert made["least"] == (LEAST if state in BRISK else 5.0)
    limits = LAW.platform.limits
    np.testing.assert_array_equal(designed["velocity"], [*limits.velocity, *[limits.leg_velocity] * 6])
    np.testing.assert_array_equal(designed["acceleration"], [*limits.acceleration, *[limits.leg_acceleration] * 6])
    np.testing.assert_array_equal(designed["chase"], chase_of(LAW.platform))


def test_a_chase_never_asks_for_more_than_the_acceleration() -> None:
    """A limiter that chased faster than it may accelerate would overshoot its target."""
    tight = 0.2 * DESIGNED["dof_acceleration"]
    np.testing.assert_array_equal(in_use(State.DRIVE, dof_acceleration=tight)["chase"], tight)

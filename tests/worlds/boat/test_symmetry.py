"""A boat's motion does not depend on the direction of the world's axes, and port is the mirror image of starboard."""

import functools
import math

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.worlds.boat.sailing import Sailing
from motionbase.worlds.boat.step import Body
from motionbase.worlds.boat.vessel import load_vessel
from motionbase.worlds.felt import quaternion
from motionbase.worlds.sea.choice import chosen_sea
from motionbase.worlds.sea.waves import Waves

STEPS, H = 1000, 0.01
MIRRORED = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])  # of rates and velocities in axes of the vessel


@functools.cache
def sailed(turned: float = 0.0, side: float = 1.0) -> tuple[Array, Array]:
    """Places and velocities of a launch that winds through a rough sea, in axes that are turned and mirrored with it.

    Args:
        turned: angle by which sea, start and heading are turned [rad]
        side: -1 mirrors them, with the rudder
    """
    vessel = load_vessel("launch")
    sea = chosen_sea({"sea": 4.0, "direction": 150.0}).waves(vessel.length / 2)
    waves = Waves(sea.amplitude, sea.omega, side * sea.direction + turned, sea.phase)
    R = np.array([[math.cos(turned), -math.sin(turned)], [math.sin(turned), math.cos(turned)]])
    boat, at = Sailing(vessel, waves, h=H), vessel.statics.upright
    start = {"p_W": [*(R @ [30.0, -12.0 * side]), at.height], "Q_WB": quaternion((0.0, at.trim, turned))}
    boat.reset(boat.start(3.0, **start))
    rows = []
    for n in range(STEPS):
        boat.step(0.9, 0.4 * side * math.sin(n * H))
        rows.append(boat.body.copy())
    table = np.array(rows)
    p, V = Body.layout.part(table, "p_W"), Body.layout.part(table, "V")
    place = np.column_stack([p[:, :2] @ R * [1.0, side], p[:, 2]])
    return place, V * (MIRRORED if side < 0 else 1.0)


@pytest.mark.parametrize("turned", [0.7, -2.4])
def test_motion_does_not_depend_on_the_axes_of_the_world(turned: float) -> None:
    """Rounding apart."""
    for found, wanted in zip(sailed(turned), sailed(), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_port_is_the_mirror_image_of_starboard() -> None:
    """1 cm after 10 s: the caps at transom and stem have one diagonal each, the only asymmetry of the hull."""
    for found, wanted in zip(sailed(side=-1.0), sailed(), strict=True):
        np.testing.assert_allclose(found, wanted, atol=0.01)
    assert np.ptp(sailed()[0][:, 1]) > 1.0 and np.abs(sailed()[1][:, 0]).max() > 0.1  # there is something to mirror

"""Level flight of a whole helicopter: balances in closed form, and the same flight by the model in free flight."""

import math
from functools import cache

import numpy as np
import pytest

from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.trim.level_flight import FreeTrim, airframe_loads, blades_mass, free_trim, needed_airframe
from motionbase.rotor.trim.trim import EXACT, thrust_scale
from tests.rotor.trim.trimmed import compact, march

G = 9.81


@cache
def helicopter() -> RotorModel:
    return rotor_model("puma_compact", free=True)


@cache
def level(airspeed: float) -> FreeTrim:
    return free_trim(compact(), helicopter(), airspeed, march())


@pytest.mark.long("compiles a rotor")
@pytest.mark.parametrize("airspeed", [0.0, 50.0])
def test_forces_and_moments_vanish(airspeed: float) -> None:
    found = level(airspeed)
    scale = thrust_scale(compact()) * np.repeat([1.0, compact().planform.radius], 3)
    assert np.abs(found.residual / scale).max() < 2 * EXACT
    mass = needed_airframe(helicopter()).mass + blades_mass(helicopter())
    mean = found.revolution.loads[..., 0].mean(axis=0)
    # of all forces only drag has a part along the vertical that is not the rotor's, as it is not isotropic
    if airspeed == 0:
        sideways = math.hypot(mean[0], mean[1] - found.tail)
        assert math.hypot(sideways, mean[2]) == pytest.approx(mass * G, rel=1e-6)


@pytest.mark.long("compiles a rotor")
def test_the_tail_balances_the_torque() -> None:
    """In hover about the shaft: torque, tail thrust times its arm, and weight's part while the body rolls."""
    found, airframe = level(0.0), needed_airframe(helicopter())
    up_y = math.sin(found.roll)
    weight = airframe.mass * G * airframe.com[0] * -up_y
    assert found.tail * -airframe.tail_at[0] == pytest.approx(found.power / compact().speed - weight, rel=1e-6)
    assert found.roll < 0  # thrust to the left holds the tail rotor's push, so the left side hangs low


@pytest.mark.long("compiles a rotor")
def test_loads_of_the_airframe_are_those_of_its_parts() -> None:
    """Half density V^2 area backwards at 40 m/s, all weight down, thrust to the right at the tail."""
    airframe, density = needed_airframe(helicopter()), helicopter().planform.density
    found = airframe_loads(helicopter(), 40.0, 0.0, 0.0, 1000.0)
    drag = 0.5 * density * 40.0**2 * airframe.drag_area[0]
    weight = (airframe.mass + blades_mass(helicopter())) * G
    np.testing.assert_allclose(found[:3], [-drag, -1000.0, -weight], rtol=1e-9)
    pitch = -drag * airframe.drag_at[2] + airframe.mass * G * airframe.com[0]
    np.testing.assert_allclose(found[4:], [pitch, -1000.0 * airframe.tail_at[0]], rtol=1e-9)


@pytest.mark.long("compiles a rotor")
def test_the_shaft_tilts_forward_as_speed_rises_and_power_has_its_bucket() -> None:
    hover, cruise = level(0.0), level(50.0)
    assert cruise.shaft_angle < hover.shaft_angle - 0.02
    assert cruise.power < hover.power


@pytest.mark.long("compiles a rotor")
def test_the_helicopter_in_free_flight_stays_there() -> None:
    """Blades that start unconed push it about in the first second; then its rotor has the loads of the trim.

    Speeds that it gained meanwhile, of 0.3 m/s and 0.02 rad/s beside 7 m/s of inflow and 28 rad/s, and the weight of
    blades along the shaft, explain up to 1 %.
    """
    found = level(0.0)
    flown = Flying.of(found.flying).fly(360, found.settings)
    loads = flown.loads[-90:].mean(axis=0)
    mean = found.revolution.loads[..., 0].mean(axis=0)
    assert loads[2] == pytest.approx(mean[2], rel=0.01)
    assert loads[5] == pytest.approx(mean[5], rel=0.02)
    np.testing.assert_allclose(loads[:2], mean[:2], atol=0.005 * mean[2])


@pytest.mark.long("compiles a rotor")
def test_flights_that_cannot_be_are_refused() -> None:
    with pytest.raises(SimulationError, match="level flight of .* kg at 100 m/s was not found; .* N are left"):
        free_trim(compact(), helicopter(), 100.0, march())
    with pytest.raises(ModelError, match="stands in a wind tunnel; a model in free flight is wanted"):
        free_trim(compact(), compact(), 10.0, march())
    for airspeed in (-10.0, math.nan):
        with pytest.raises(ModelError, match=f"airspeed is {airspeed:g} m/s, it must be 0 or more"):
            free_trim(compact(), helicopter(), airspeed, march())

"""The gimballed proprotor: its counts of equations, its thrust by strip theory, its gimbal and swashplate in flight."""

import math

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.network.parts import Own
from motionbase.multibody.network.start import numeric_residual
from motionbase.rotor.blades.planform import Planform, load_planform
from motionbase.rotor.blades.stations import gauss, tip_factor
from motionbase.rotor.flight.flying import Flown, Flying
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.models.proprotor import HUB, MAST, PYLON

# the seed's Table 2
COUNTS = {
    "tiltrotor": 131,
    "tiltrotor_wing": 139,
    "tiltrotor_assembled": 151,
    "tiltrotor_wing_assembled": 159,
}


@pytest.mark.parametrize("name", COUNTS)
def test_equations_are_those_of_the_table(name: str) -> None:
    """And no row depends on others at the start."""
    network = rotor_model(name).network()
    assert network.equations == COUNTS[name]
    network.check_rows()


@pytest.mark.parametrize("name", COUNTS)
def test_start_meets_every_constraint(name: str) -> None:
    """Turning, with the pylon between its two ends: rows that hold positions are at rounding."""
    network = rotor_model(name, conversion=60.0).network()
    state, assembly = network.start(), network.network.assembly
    places = network.places(network.start_q, network.start_v)
    r = numeric_residual(assembly, places, (state.own, state.own_dot, state.kept), network._inputs())
    rows = [assembly.node_starts[-1] + k for k, kind in enumerate(assembly.kinds) if kind is Own.HOLONOMIC]
    assert np.abs(r[rows]).max() < 1e-12
    assert all(np.all(np.isfinite(x)) for x in (state.nodes, state.own, state.own_dot))


def test_shaft_points_where_the_conversion_says() -> None:
    """Ahead in aeroplane mode, up in helicopter mode; y is left in both."""
    for angle, axis in ((0.0, (1, 0, 0)), (90.0, (0, 0, 1)), (30.0, (math.cos(math.pi / 6), 0, 0.5))):
        R = np.asarray(rotor_model("tiltrotor", conversion=angle).model.joints[0].orientation)
        np.testing.assert_allclose(R[:, 2], axis, atol=1e-15)
        np.testing.assert_allclose(R[:, 1], (0, 1, 0), atol=1e-15)
        assert np.linalg.det(R) == pytest.approx(1.0)


def test_bad_proprotors_are_refused() -> None:
    """With what would work."""
    with pytest.raises(ModelError, match="proprotor: conversion is 180 deg, it must be from -10 to 110"):
        rotor_model("tiltrotor", conversion=180.0)
    with pytest.raises(ModelError, match="gimbal is 'cardan', it must be 'element', 'assembled' or 'locked'"):
        rotor_model("tiltrotor", gimbal="cardan")
    with pytest.raises(ModelError, match="gimballed hub, which flies in a wind tunnel alone"):
        rotor_model("tiltrotor", free=True)


# ---- flights -------------------------------------------------------------------------------------------------------


def strip(rotor: Planform, collective: float, airspeed: float, points: int) -> tuple[float, float]:
    """(thrust [N], torque of the air [N m]) of axial flight with uniform induced flow, T = 2 rho A (V + v) v."""
    r, width = gauss(rotor.root, rotor.radius, points)
    pitch, chord = collective + rotor.twist_at(r), rotor.chord_at(r)
    lifting = np.array([tip_factor(rotor, float(x)) for x in r])

    def loads(induced: float) -> tuple[float, float]:
        through, past = airspeed + induced, rotor.speed * r
        speed, inflow = np.hypot(past, through), np.arctan2(through, past)
        cl, cd, _ = rotor.airfoil.at(pitch - inflow, speed / rotor.sound).T
        scale = rotor.blades * 0.5 * rotor.density * speed**2 * chord * width
        lift, drag = scale * lifting * cl, scale * cd
        return (
            float(np.sum(lift * np.cos(inflow) - drag * np.sin(inflow))),
            -float(np.sum(r * (lift * np.sin(inflow) + drag * np.cos(inflow)))),
        )

    disk = rotor.density * math.pi * rotor.radius**2
    low, high = -5.0, 30.0
    for _ in range(60):
        v = 0.5 * (low + high)
        low, high = (v, high) if loads(v)[0] > 2 * disk * (airspeed + v) * v else (low, v)
    return loads(v)


def steady(name: str, steps: int, step: float = 1e-3, conversion: float = 0.0, **settings: float) -> Flown:
    """The last 200 steps of a flight in which the settings come in over a quarter of a second."""
    rotor = rotor_model(name, conversion=conversion)
    flying, start = Flying.of(rotor, step), rotor.start_settings()

    def ramp(t: float) -> dict[str, float]:
        part = min(1.0, 4 * t)
        return {key: start[key] + part * (value - start[key]) for key, value in settings.items()}

    flying.fly(steps - 200, ramp)
    return flying.fly(200, settings)


@pytest.mark.long("compiles rotors")
@pytest.mark.parametrize("conversion, degrees, airspeed", [(90.0, 8.0, 0.0), (90.0, 12.0, 0.0), (0.0, 38.5, 60.0)])
def test_thrust_is_that_of_strip_theory(conversion: float, degrees: float, airspeed: float) -> None:
    """With the same stations; at 0.25 ms the speed of a turning blade is right to 3e-5, its thrust far from stall and
    windmilling to 1e-3 (sixteen times that at 1 ms), and links have the pitch that is asked for."""
    settings = {"collective": math.radians(degrees), "airspeed": airspeed}
    flown = steady("tiltrotor", 6000, 2.5e-4, conversion, **settings)
    thrust, torque = strip(load_planform("tiltrotor"), math.radians(degrees), airspeed, 4)
    assert flown.loads[-1, 2] == pytest.approx(thrust, rel=1e-3)
    assert flown.loads[-1, 5] == pytest.approx(torque, rel=1e-3)
    level = rotor_model("tiltrotor", conversion=conversion).controls[0].start
    np.testing.assert_allclose(flown.angles("pitch")[-1] + level, math.radians(degrees), atol=1e-4)


def _R(nodes: Array) -> Array:
    """(n, 3, 3) orientation of nodes."""
    w, x, y, z = nodes[:, 3:7].T
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]  # fmt: skip
    return np.moveaxis(np.array(rows), -1, 0)


@pytest.mark.long("compiles rotors")
@pytest.mark.parametrize("name", ["tiltrotor", "tiltrotor_assembled"])
def test_gimbal_keeps_the_speed_of_a_tilted_hub(name: str) -> None:
    """A hub whose axis stands still in space turns at the mast's speed about it at any azimuth (a Cardan joint's would
    vary by tan(tilt)^2, 3e-3 here); cyclic pitch times sin psi tilts it back, a quarter of a turn later."""
    cyclic = math.radians(3.0)
    flown = steady(name, 3000, conversion=90.0, collective=math.radians(10.0), cyclic_sin=cyclic)
    model = flown.flying.rotor.model
    hub, mast, pylon = (flown.nodes[:, model.index[part]] for part in (HUB, MAST, PYLON))
    axis = _R(hub)[:, :, 2]
    tilt = np.arccos(np.clip(np.sum(axis * _R(pylon)[:, :, 2], axis=1), -1, 1))
    assert tilt.min() > math.radians(1.5)
    along = np.sum(hub[:, 10:13] * axis, axis=1)
    assert np.ptp(axis, axis=0).max() < 1e-6  # it stands still
    speed = flown.flying.rotor.speed
    np.testing.assert_allclose(along, speed, rtol=1e-8)
    np.testing.assert_allclose(mast[:, 12], speed, rtol=1e-9)
    assert axis[-1, 0] < -math.sin(math.radians(1.5))  # backwards
    assert abs(axis[-1, 1]) < abs(axis[-1, 0])


@pytest.mark.long("compiles four rotors")
def test_variants_fly_alike() -> None:
    """Both gimbals are the same joint: loads differ by what the corrections of a step leave; the wing bends."""
    settings = {"collective": math.radians(38.0), "airspeed": 60.0, "cyclic_cos": 0.02}
    for wing in ("", "_wing"):
        one, other = (steady(f"tiltrotor{wing}{gimbal}", 800, **settings) for gimbal in ("", "_assembled"))
        np.testing.assert_allclose(one.loads, other.loads, atol=1e-6 * np.abs(one.loads).max())
        assert one.flying.state["worst"][1] == 0.0

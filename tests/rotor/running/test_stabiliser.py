"""The stabiliser: poles of its loops on the masses they are made for, signs, and the pitch of a tail rotor."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.errors import ModelError
from motionbase.rotor.elements.airframe import FUSELAGE
from motionbase.rotor.inflow.hover import hover
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.running.helicopter import ABOUT, KEPT, controls_of, flight_of, hovering, motion
from motionbase.rotor.running.stabiliser import DAMPING, INTEGRAL, PITCH, Loop, Stabiliser
from motionbase.rotor.running.tail import collective_for, tail_of, told

SET_POINTS = {"collective": 0.2, "cyclic_cos": 0.0, "cyclic_sin": 0.0, "tail": 3e3, "pitch_set": 0.0, "roll_set": 0.0,
              "heading_set": 0.0, "climb_set": 0.0, "stabilised": 1.0}  # fmt: skip


@pytest.fixture(scope="module")
def puma() -> RotorModel:
    return rotor_model("puma", free=True)


def corrected(puma: RotorModel, seen: dict[str, float], **settings: float) -> dict[str, float]:
    """What acts, of a helicopter that is seen so, from a hover without integrals."""
    given = {name: ca.SX(value) for name, value in {**SET_POINTS, **settings}.items()}
    level = {one.name: ca.SX(seen.get(one.name, 0.0)) for one in ABOUT}
    acts, _ = Stabiliser.of(puma).correct(given, level, ca.SX.zeros(KEPT), 2.5e-3)
    return {name: float(ca.DM(ca.evalf(value))) for name, value in acts.items()}


def test_a_loop_has_the_poles_that_it_is_made_for(puma: RotorModel) -> None:
    """On a mass that its control accelerates: (s^2 + 2 zeta omega s + omega^2) s + integral, as designed."""
    loop, inertia = Stabiliser.of(puma).pitch, 1.0
    control = loop.p / PITCH**2  # that makes an acceleration of one
    poles = np.roots([inertia, loop.d / control, loop.p / control, loop.i / control])
    wanted = np.roots([1.0, 2 * DAMPING * PITCH, PITCH**2, INTEGRAL * PITCH**3])
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(wanted), rtol=1e-12)
    assert poles.real.max() < -0.2


def test_an_integral_stops_at_its_bound_and_stays_without_the_law() -> None:
    loop = Loop(1.0, 0.0, 10.0, 0.5)
    added, after = loop(ca.SX(1.0), ca.SX(0.0), ca.SX(0.4), ca.SX(1.0), 0.1)
    assert float(ca.DM(ca.evalf(added))) == 1.4 and float(ca.DM(ca.evalf(after))) == 0.5
    added, after = loop(ca.SX(1.0), ca.SX(0.0), ca.SX(0.4), ca.SX(0.0), 0.1)
    assert float(ca.DM(ca.evalf(added))) == 0.4 and float(ca.DM(ca.evalf(after))) == 0.4


@pytest.mark.parametrize(
    ("seen", "control", "sign"),
    [
        ({"pitch": 0.1}, "cyclic_sin", -1),  # nose too high: less pitch on the advancing side
        ({"pitch_rate": 0.1}, "cyclic_sin", -1),
        ({"roll": 0.1}, "cyclic_cos", 1),  # right side too low: more pitch over the tail
        ({"roll_rate": 0.1}, "cyclic_cos", 1),
        ({"yaw": 0.1}, "tail", -1),  # nose too far to the left: less thrust to the right at the tail
        ({"yaw_rate": 0.1}, "tail", -1),
        ({"climb": 1.0}, "collective", -1),
    ],
)
def test_every_deviation_is_answered_by_its_control(
    puma: RotorModel, seen: dict[str, float], control: str, sign: int
) -> None:
    before, after = corrected(puma, {}), corrected(puma, seen)
    assert np.sign(after[control] - before[control]) == sign
    assert {name for name in after if after[name] != before[name]} == {control}
    assert corrected(puma, seen, stabilised=0.0) == before


def test_a_heading_is_reached_the_short_way(puma: RotorModel) -> None:
    short = corrected(puma, {"yaw": 3.0}, heading_set=-3.0)["tail"] - SET_POINTS["tail"]
    assert short == pytest.approx(corrected(puma, {"yaw": 6.0 - 2 * np.pi})["tail"] - SET_POINTS["tail"], rel=1e-12)


def test_attitude_speeds_and_the_air_at_the_tail_are_those_of_the_start() -> None:
    velocity, gust, omega = np.array([30.0, 2.0, 1.0]), np.array([1.0, -4.0, 0.5]), np.array([0.3, -0.2, 0.5])
    rotor = rotor_model("puma", free=True).flying_at(velocity.tolist(), pitch=-0.1, roll=0.2)
    settings = [*np.zeros(len(controls_of(rotor))), *gust]
    assert rotor.q0 is not None and rotor.airframe is not None and len(flight_of(rotor)) == 3
    v = rotor.v0.copy()
    v[rotor.model.v_slices[rotor.model.index[FUSELAGE]][0]][:3] = omega
    given = ca.SX(rotor.q0), ca.SX(v), ca.SX(settings)
    numbers = np.array(ca.DM(ca.evalf(motion(rotor)(*given)))).ravel()
    seen = dict(zip((one.name for one in ABOUT), numbers.tolist(), strict=True))
    assert seen["pitch"] == pytest.approx(0.1) and seen["roll"] == pytest.approx(0.2) and seen["yaw"] == 0.0
    assert [seen[name] for name in ("forward", "leftward", "climb")] == pytest.approx([30.0, 2.0, 1.0])
    assert [seen[f"{name}_rate"] for name in ("roll", "pitch", "yaw")] == [0.3, 0.2, 0.5]  # nose-up is against y
    R = Rotation.from_euler("YX", [-0.1, 0.2]).as_matrix()  # nose-up by 0.1, then right side down by 0.2
    air = R.T @ (gust - velocity) - np.cross(omega, rotor.airframe.tail_at)
    # axes of the tail rotor: x forward, y upwards and z to the right in the airframe
    flow = [seen[f"tail_flow_{axis}"] for axis in "xyz"]
    assert flow == pytest.approx([air[0], air[2], -air[1]], rel=1e-12)


def test_a_hover_carries_the_weight(puma: RotorModel) -> None:
    collective, torque = hovering(puma)
    found = hover(puma.planform, collective)
    assert found.thrust == pytest.approx(puma.weight, rel=1e-6) and found.torque == torque


@pytest.mark.parametrize("thrust", [1e3, 3e3, -2e3])
def test_a_tail_rotor_gets_the_pitch_for_a_thrust(thrust: float) -> None:
    """The closed form leaves out tip loss, root cutout and drag, which take about a tenth (`hover` has them)."""
    planform = tail_of("puma").planform
    collective = float(ca.DM(ca.evalf(collective_for(planform, ca.SX(thrust), ca.SX(0.0)))))
    assert hover(planform, collective).thrust == pytest.approx(thrust, rel=0.15)


def test_a_rotor_that_is_told_its_air() -> None:
    rotor = told(tail_of("puma"))
    assert [one.name for one in rotor.controls] == ["collective", "flow_x", "flow_y", "flow_z"] and not rotor.flight
    given = rotor.given({"collective": 0.1, "flow_x": 1.0, "flow_y": 2.0, "flow_z": 3.0})
    assert np.array(ca.DM(given["air_wind"])).ravel().tolist() == [1.0, 2.0, 3.0] and given["pitch_cos"] == 0.0
    with pytest.raises(ModelError, match="'caradonna_tung' has no tail rotor"):
        tail_of("caradonna_tung")
    with pytest.raises(ModelError, match="a stabiliser needs an airframe"):
        Stabiliser.of(rotor_model("puma"))

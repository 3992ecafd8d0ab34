"""Trim by Newton's method: targets met, hover in closed form, periodicity, known runs, targets out of reach."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.flight.harmonics import harmonics
from motionbase.rotor.flight.march import SAMPLES, March
from motionbase.rotor.flight.steady_loads import SteadyLoads, steady_loads
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.trim.level_flight import blades_mass
from motionbase.rotor.trim.pilot import held_law
from motionbase.rotor.trim.trim import EXACT, SETTLED, Target, control_jacobian, steady, thrust_scale, trim
from tests.rotor.trim.trimmed import FORWARD, HOVER, SLOW, compact, march, trimmed

LONG = pytest.mark.long("trims a rotor")


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(HOVER, id="hover", marks=LONG),
        pytest.param(SLOW, id="slow", marks=LONG),
        pytest.param(FORWARD, id="flight 123", marks=LONG),
    ],
)
def test_targets_are_met_in_a_periodic_motion(target: Target) -> None:
    found = trimmed(target)
    scale = np.array([thrust_scale(compact()), 1.0, 1.0])
    # twice what Newton's method stops at: the rotor has settled a little more since
    assert np.abs((found.measured - target.measured) / scale).max() < 2 * EXACT
    assert found.periodicity < SETTLED
    assert found.revolution.psi.shape == (SAMPLES, 4, 1)


@pytest.mark.long("trims a rotor")
def test_a_revolution_is_ninety_steps_exactly() -> None:
    """The step is fitted to how the integrator turns the shaft; of 2 pi, 90 steps miss rounding."""
    seen = march().revolutions(2)
    before, after = seen.of(slice(None, SAMPLES)), seen.of(slice(SAMPLES, None))
    apart = (after.psi - before.psi + math.pi) % math.tau - math.pi
    assert np.abs(apart).max() < 1e-11
    assert march().step == pytest.approx(math.tau / compact().speed / SAMPLES, rel=1e-3)


@pytest.mark.long("trims a rotor")
def test_hover_needs_no_cyclic_pitch() -> None:
    found = trimmed(HOVER)
    assert np.abs(found.controls[1:]).max() < 2 * EXACT and found.controls[0] > 0
    # all blades do the same at every azimuth, so that nothing varies over a revolution
    assert np.ptp(found.revolution.flap) < 10 * SETTLED
    lateral = np.abs(found.mean_loads[[0, 1, 3, 4]]).max()
    assert lateral < 1e-6 * HOVER.thrust


@pytest.mark.long("trims a rotor")
def test_thrust_of_hover_is_that_of_momentum_theory() -> None:
    """T = 2 rho A v^2 of the uniform inflow that the rotor has, once it has settled."""
    found, at = trimmed(HOVER), compact().planform
    v = float(found.revolution.induced[:, 0].mean())
    thrust = 2 * at.density * math.pi * at.radius**2 * v**2
    assert thrust == pytest.approx(found.measured[0], rel=1e-6)


@pytest.mark.long("trims a rotor")
def test_coning_balances_lift_and_centrifugal_force() -> None:
    """Moments about the flap hinge: that of lift balances centrifugal force and weight.

    Lift acts somewhere between 0.70 and 0.78 of the radius, which gives the tolerance.
    """
    found, blade = trimmed(HOVER), compact().planform.blade
    assert blade is not None and blade.flap is not None
    hinge, piece = blade.flap.at, blade.rigid(blade.flap.at)
    e, arm, m = hinge, float(piece.com[0]) - hinge, piece.mass
    inertia = float(piece.inertia[1, 1]) + m * arm**2
    speed, beta = compact().speed, float(found.revolution.flap.mean())
    centrifugal = speed**2 * (inertia * math.cos(beta) * math.sin(beta) + m * arm * e * math.sin(beta))
    lift = found.measured[0] / 4
    centre = (centrifugal + m * 9.81 * arm) / lift + hinge
    assert 0.70 < centre / compact().planform.radius < 0.78


@pytest.mark.long("trims a rotor")
def test_thrust_rises_with_collective() -> None:
    thrusts = []
    march().fly_by([held_law(compact())])
    march().reach([[0.0, 0.0]])
    for degrees in (2.0, 5.0, 8.0, 11.0):
        thrusts.append(steady(march(), np.radians([[degrees, 0.0, 0.0]]))[0].measured[0, 0])
    assert np.all(np.diff(thrusts) > 0)


@pytest.mark.long("trims a rotor")
def test_trimming_to_a_known_run_returns_its_controls() -> None:
    controls, flight = np.radians([[9.0, 1.2, -3.0]]), [[40.0, math.radians(-3.0)]]
    march().fly_by([held_law(compact())])
    march().reach(flight)
    seen = steady(march(), controls)[0].measured[0]
    found = trim(compact(), Target(*seen.tolist(), *flight[0]), march())
    # errors of the targets over the smallest singular value of the derivative
    scaled = found.jacobian / np.array([[thrust_scale(compact())], [1.0], [1.0]])
    least = np.linalg.svd(scaled, compute_uv=False)[-1]
    np.testing.assert_allclose(found.controls, controls[0], atol=4 * EXACT / least)


@pytest.mark.long("trims a rotor")
def test_derivatives_are_those_of_differences() -> None:
    """Broyden's updates move the matrix only along the steps taken; the last ones were small."""
    found = trimmed(SLOW)
    march().fly_by([held_law(compact())])
    march().reach([SLOW.flight])
    J = control_jacobian(march(), found.controls[None])[1][0]
    scale = np.array([[thrust_scale(compact())], [1.0], [1.0]])
    np.testing.assert_allclose(found.jacobian / scale, J / scale, atol=0.1 * np.abs(J / scale).max())


@pytest.mark.long("trims a rotor")
def test_a_rotor_flown_with_the_controls_has_the_loads() -> None:
    """`Flying` takes another step, 4e-4 longer or shorter, of a method of second order."""
    found = trimmed(SLOW)
    flying = Flying.of(compact())
    flying.fly(270, lambda t: {**found.settings, "airspeed": SLOW.airspeed * min(1.0, t / 0.5)})
    flown = flying.fly(25 * 90, found.settings)
    mean = harmonics(flown.loads[:, 2], flown.azimuth[:, 0], 5, 2).mean
    assert float(mean) == pytest.approx(SLOW.thrust, rel=1e-3)


def settled_loads(target: Target) -> SteadyLoads:
    trim(compact(), target, march())
    return steady_loads(march(), 5)


@pytest.mark.long("trims a rotor")
def test_loads_on_the_hub_have_harmonics_of_the_number_of_blades() -> None:
    """Opposite blades are alike: no odd harmonic. The scissors of the swashplate make a second."""
    loads = settled_loads(FORWARD)
    amplitude = dict(zip([name for name, _ in loads.names], loads.amplitude.T, strict=True))
    for name in ("hub F_z", "air F_z"):
        assert amplitude[name][::2].max() < 1e-6 * amplitude[name][3]
        assert amplitude[name][3] > 5 * amplitude[name][1]
    assert amplitude["flap"][0] == pytest.approx(math.degrees(math.hypot(*FORWARD.measured[1:])), rel=0.05)


@pytest.mark.long("trims a rotor")
def test_hinges_let_little_moment_pass() -> None:
    """Air moments of the fourth harmonic turn about the flap hinges; shear at 0.289 m passes, and lag damping."""
    loads = settled_loads(FORWARD)
    amplitude = dict(zip([name for name, _ in loads.names], loads.amplitude[3], strict=True))
    assert amplitude["hub M_x"] < 0.05 * amplitude["air M_x"]
    assert amplitude["hub M_y"] < 0.05 * amplitude["air M_y"]


@pytest.mark.long("trims a rotor")
def test_the_hub_carries_air_loads_and_weight_on_average() -> None:
    """Rates of what repeats itself vanish on average; angular momentum's are of second order in a step of 4 degrees."""
    loads = settled_loads(FORWARD)
    facts = loads.facts
    mean = {name: float(facts[name]["mean"]) for name, _ in loads.names}  # type: ignore[arg-type]
    for axis in ("F_x", "F_y"):
        assert mean[f"hub {axis}"] == pytest.approx(mean[f"air {axis}"], abs=1e-6 * FORWARD.thrust)
    weight = 9.81 * blades_mass(compact())
    assert mean["hub F_z"] == pytest.approx(FORWARD.thrust - weight, rel=1e-6)
    for axis in ("M_x", "M_y", "M_z"):
        assert mean[f"hub {axis}"] == pytest.approx(mean[f"air {axis}"], abs=5e-3 * abs(mean["air M_z"]))


@pytest.mark.long("trims a rotor")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"thrust": 150_000.0}, "thrust 150,000 N .* at 67.7 m/s was not reached; the nearest"),
        ({"flap_cos": math.radians(20.0)}, "20.00 cos .* was not reached"),
    ],
)
def test_targets_out_of_reach_give_one_sentence(change: dict[str, Any], words: str) -> None:
    with pytest.raises(SimulationError, match=words) as caught:
        trim(compact(), replace(FORWARD, **change), march())
    assert "\n" not in str(caught.value)
    assert trim(compact(), HOVER, march()).measured[0] == pytest.approx(HOVER.thrust)  # the march still works


def test_bad_input_is_refused() -> None:
    with pytest.raises(ModelError, match="trim: thrust is nan"):
        Target(math.nan)
    with pytest.raises(ModelError, match="airspeed is -3"):
        Target(1e4, airspeed=-3.0)


@pytest.mark.long("compiles a rotor")
def test_what_a_rotor_cannot_march_is_refused() -> None:
    with pytest.raises(ModelError, match="3 lanes are wanted, it can march on 1 or 8"):
        March.of(compact(), 3)
    with pytest.raises(ModelError, match="'puma_compact_free' has no setting 'airspeed'; trim is for rotors"):
        March.of(rotor_model("puma_compact", free=True))
    with pytest.raises(ModelError, match="airspeed is 300 m/s, it must be between 0 and 104.9"):
        march().reach([[300.0, 0.0]])
    with pytest.raises(ModelError, match="shaft_angle is nan rad"):
        march().reach([[10.0, math.nan]])

"""The pilot: its law on plants with known answers, in the loop against Newton's method, and on lanes."""

import math

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.rotor.flight.march import LANES, SAMPLES
from motionbase.rotor.trim.pilot import Pilot, PilotLaw, held_law, pilot_kernel
from motionbase.rotor.trim.trim import Target, control_jacobian, fly_to_trim, trims
from tests.rotor.trim.trimmed import FORWARD, SLOW, compact, lanes, march, trimmed

H = 2.5e-3
PSI = 0.3 + math.pi / 2 * np.arange(4)
JACOBIAN = np.array([[5e5, 1e4, 2e5], [0.5, 0.1, 1.1], [-0.1, -1.0, 0.2]])  # about that of a rotor [N/rad, -]


def flying(law: dict[str, np.ndarray], state: np.ndarray, steps: int, jacobian: np.ndarray) -> np.ndarray:
    """States of a pilot over a plant that follows its controls at once, on blades that turn."""
    kernel, states = compile(pilot_kernel(4)), []
    for k in range(steps):
        thrust, cos, sin = jacobian @ state[:3]
        psi = PSI + 28.0 * H * k
        flap = 0.07 + cos * np.cos(psi) + sin * np.sin(psi)
        out = kernel(h=H, state=state, thrust=thrust, flap=flap, psi=psi, law=PilotLaw.layout.vector(law))
        state = np.array(out)
        states.append(state)
    return np.array(states)


def test_estimates_follow_as_first_order_filters_do() -> None:
    """From zero to a constant y in y (1 - exp(-t / tau)); harmonics of four blades have no ripple."""
    law = held_law(compact()) | {"constants": Pilot().constants}
    controls = np.array([0.1, 0.02, -0.05])
    states = flying(law, np.array([*controls, 0.0, 0.0, 0.0]), 400, JACOBIAN)
    t = H * np.arange(1, 401)
    expected = (1 - np.exp(-t[:, None] / Pilot().constants)) * (JACOBIAN @ controls)
    np.testing.assert_allclose(states[:, 3:], expected, rtol=1e-9)
    assert (states[:, :3] == controls).all()  # gains are zero


def test_the_loop_has_the_poles_of_its_design() -> None:
    """Integral action of 1 / (2 tau) on a filter: s^2 tau^2 + s tau + 1/2 = 0, an overshoot of exp(-pi) of the step."""
    pilot, target = Pilot(0.5, 0.5), np.array([5e4, 0.01, -0.02])
    start = np.zeros(6)
    law = pilot.law(compact(), target, JACOBIAN) | {"rate": np.full(3, 10.0), "least": np.full(3, -9.0)}
    states = flying(law, start, 4000, JACOBIAN)
    seen = states[:, :3] @ JACOBIAN.T / target
    t = H * np.arange(1, 4001)
    # y = 1 - exp(-t / 2 tau) cos(t / 2 tau): of the plant before the filter; its error is that of a step of Euler's
    s = t / (2 * 0.5)
    np.testing.assert_allclose(seen[:, 0], 1 - np.exp(-s) * np.cos(s), atol=2 * H)
    np.testing.assert_allclose(seen[-1], 1.0, atol=1e-3)


def test_controls_keep_their_bounds_and_rates() -> None:
    law = Pilot(0.3, 0.3).law(compact(), np.array([1e6, 0.0, 0.0]), JACOBIAN)
    states = flying(law, np.zeros(6), 2000, JACOBIAN)
    most, rate = law["most"], law["rate"]
    assert states[-1, 0] == most[0] and (np.abs(states[:, 1:3]) <= most[1:]).all()
    assert np.abs(np.diff(states[:, :3], axis=0)).max() <= rate[0] * H * (1 + 1e-9)


@pytest.mark.long("compiles rotors for one lane and for eight")
@pytest.mark.parametrize("target", [SLOW, FORWARD], ids=["slow", "flight 123"])
def test_pilot_and_newton_agree(target: Target) -> None:
    """After 8 s with filters of 0.31 s the pilot's error has decayed by exp(-8 / 0.62), to 2e-6 of some degrees."""
    exact = trimmed(target)
    away = exact.controls + np.radians([-1.0, 0.5, 0.7])
    flown = fly_to_trim(march(), [target], 8.0, Pilot(flap_constant=0.31), start=away[None])
    found = flown.trims[0]
    np.testing.assert_allclose(found.controls, exact.controls, atol=math.radians(2e-3))
    np.testing.assert_allclose(found.measured, exact.measured, rtol=2e-5, atol=1e-5)
    assert len(flown.history.t) % SAMPLES == 0 and np.all(np.diff(flown.history.t) > 0)
    np.testing.assert_allclose(np.degrees(flown.history.controls[0, :, 0] - away), 0.0, atol=0.05)


@pytest.mark.long("trims a rotor")
def test_derivatives_have_the_signs_of_a_rotor() -> None:
    """Thrust follows collective; cyclic pitch tilts the disk a quarter of a revolution later."""
    march().fly_by([held_law(compact())])
    march().reach([SLOW.flight])
    J = control_jacobian(march(), trimmed(SLOW).controls[None])[1][0]
    assert J[0, 0] > 0
    assert -1.2 < J[1, 2] < -0.8 and 0.8 < J[2, 1] < 1.2


@pytest.mark.long("compiles rotors for one lane and for eight")
def test_lanes_are_single_runs_to_the_bit() -> None:
    """Eight flights, each with its own pilot, and two of them again alone, from where they were."""
    many, one = lanes(), march()
    many.fly_by([Pilot().law(compact(), np.array([4e4 + 1e3 * k, 0.0, 0.0]), JACOBIAN) for k in range(LANES)])
    many.set_controls(np.radians([[9.0 + 0.3 * k, 0.1 * k, -0.4 * k] for k in range(LANES)]))
    many.reach([[3.0 * k, math.radians(-0.5 * k)] for k in range(LANES)])
    begin, laws = dict(many.state), many.law
    together = many.revolutions(2)
    assert many.step == one.step
    for k in (0, 5):
        one.state, one.law = {name: x[..., k : k + 1] for name, x in begin.items()}, laws[:, k : k + 1]
        one.flight = many.flight[k : k + 1]
        alone = one.revolutions(2)
        for name in ("loads", "induced", "psi", "flap", "lag", "pitch", "controls", "estimate"):
            assert (getattr(alone, name)[..., 0] == getattr(together, name)[..., k]).all(), name
        assert all((one.state[name][..., 0] == many.state[name][..., k]).all() for name in begin if name != "worst")


@pytest.mark.long("compiles rotors for one lane and for eight")
def test_a_sweep_on_lanes_finds_the_trims_of_one() -> None:
    targets = [Target(45_000.0, airspeed=V, shaft_angle=-0.0006 * V) for V in np.linspace(0.0, 60.0, 3)]
    found = trims(compact(), [*targets, SLOW], lanes())
    assert len(found) == 4
    np.testing.assert_allclose(found[3].controls, trimmed(SLOW).controls, atol=2e-6)  # both stop at 1e-7
    power = [-one.mean_loads[5] for one in found[:3]]
    assert power[1] < power[0] and power[1] < power[2]  # the bucket of the power curve


@pytest.mark.long("compiles a rotor")
def test_bad_pilots_are_refused() -> None:
    with pytest.raises(ModelError, match="pilot: flap_constant is 0, must be positive"):
        Pilot(flap_constant=0.0)
    with pytest.raises(ModelError, match="duration is -1 s, it must be positive"):
        fly_to_trim(march(), [SLOW], -1.0)
    with pytest.raises(ModelError, match="2 targets for 1 lanes"):
        fly_to_trim(march(), [SLOW, SLOW], 1.0)

"""The handoff: a payload between two arms, welds that are switched, what is conserved, and servos that hold."""

from functools import cache

import numpy as np

from motionbase.compile import compile
from motionbase.multibody.manipulator import Driven, JointServo, seen_inertia
from motionbase.multibody.manipulator.paths import JointSamples
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.handoff import (
    SRMS_JOINTS,
    SRMS_LIMITS,
    SSRMS_JOINTS,
    SSRMS_LIMITS,
    srms_arm,
    ssrms_arm,
)
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from tests.multibody.mechanisms import Array, numbers

H = 1e-3
EXAMPLE = MODELS["handoff"]
NAMES = ("srms_grapple_active", "ssrms_grapple_active")


@cache
def loops() -> Loops:
    model = EXAMPLE.build()
    return Loops(model, H, around=q_of(model, EXAMPLE.q0))


def start() -> Array:
    return q_of(loops().model, EXAMPLE.q0)


def momenta(q: Array, v: Array) -> Array:
    """Linear, and angular about the centre of mass and the world's origin."""
    return np.concatenate([numbers(x) for x in Outputs(loops().tree).momenta.function(q, v)])


def test_the_start_closes_both_loops_to_rounding_within_limits() -> None:
    """Lengths of 25 m: a few roundings of 4e-15."""
    q = start()
    residuals = loops().residuals.function(q, np.zeros(loops().model.nv))
    assert max(np.abs(numbers(r)).max() for r in residuals) < 2e-14
    for arm, limits in ((srms_arm(loops().model), SRMS_LIMITS), (ssrms_arm(loops().model), SSRMS_LIMITS)):
        lower, upper, _ = limits.columns
        own = q[list(arm.at_q)]
        assert np.all((own > lower) & (own < upper))


def test_every_setting_of_the_grapples_is_regular() -> None:
    """25 speeds; twelve rows hold while both grapples do, none of them redundant."""
    assert loops().model.nv == 25
    assert loops().excluded == () and loops().redundant == ()
    assert [p.name for p in loops().switch_ports] == list(NAMES)


def test_the_chain_stays_closed_in_a_brisk_swing() -> None:
    """2 s by RK4 at 1 kHz, a joint above 1 rad/s. Measured: 6e-10 m, 7e-11 rad, energy 2e-10, momentum 5e-10."""
    run = simulate(loops(), 2.0, H, q0=EXAMPLE.q0, v0=EXAMPLE.v0)
    rates = np.abs([run.column(f"v.{name}") for name in (*SRMS_JOINTS, *SSRMS_JOINTS)])
    assert rates.max(axis=0).min() > 0.5
    assert rates[: len(SRMS_JOINTS)].max() > 0.1  # the Shuttle's arm is shaken, too
    rows = compile(loops().residuals).map(q=run.q, v=run.v)
    for weld in ("srms_grapple", "ssrms_grapple"):
        assert np.abs(rows[f"{weld}_residual"]).max() < 1e-8
    assert run.energy_drift < 2e-9
    first, last = momenta(run.q[0], run.v[0]), momenta(run.q[-1], run.v[-1])
    np.testing.assert_allclose(last, first, atol=1e-8 * np.abs(first).max())


def test_grappling_conserves_momentum_and_loses_energy() -> None:
    """The Station's arm drifts into the fixture of a payload that the other arm holds: Carnot's theorem."""
    q, model = start(), loops().model
    rough = np.random.default_rng(3).uniform(-0.02, 0.02, model.nv)
    v = numbers(loops().capture.function(q, rough, 1.0, 0.0)[0])  # on the Shuttle's weld alone
    rates = [numbers(loops().residuals.function(q, v)[k]) for k in (1, 3)]
    assert np.abs(rates[0]).max() < 1e-14 and np.abs(rates[1]).max() > 0.01
    v_plus, P = (numbers(x) for x in loops().capture.function(q, v, 1.0, 1.0))
    before, after = momenta(q, v), momenta(q, v_plus)
    np.testing.assert_allclose(after, before, atol=1e-12 * np.abs(before).max())
    kinetic = [float(Outputs(loops().tree).energies.function(q, x)[0]) for x in (v, v_plus)]
    M, jump = numbers(loops().tree.mass_matrix.function(q)), v - v_plus
    np.testing.assert_allclose(kinetic[0] - kinetic[1], 0.5 * jump @ M @ jump, rtol=1e-9)
    assert kinetic[0] > kinetic[1] and np.linalg.norm(P[6:9]) > 1.0
    assert max(np.abs(numbers(loops().residuals.function(q, v_plus)[k])).max() for k in (1, 3)) < 1e-13


def test_release_hands_the_payload_over() -> None:
    """One arm at a time: the one that let go leaves, the other keeps hold; momentum stays with the whole."""
    model = loops().model
    v0 = v_of(model, {"payload": (0.0, 0.0, 0.01, 0.0, 0.03, 0.0)})
    for held, free, active in (("srms", "ssrms", (1.0, 0.0)), ("ssrms", "srms", (0.0, 1.0))):
        inputs = dict(zip(NAMES, active, strict=True))
        run = simulate(loops(), 1.0, H, q0=EXAMPLE.q0, start=(None, v0), inputs=inputs, every=50)
        rows = compile(loops().residuals).map(q=run.q, v=run.v)
        assert np.abs(rows[f"{held}_grapple_residual"]).max() < 1e-10
        assert np.abs(rows[f"{free}_grapple_residual"][-1]).max() > 1e-3
        first, last = momenta(run.q[0], run.v[0]), momenta(run.q[-1], run.v[-1])
        np.testing.assert_allclose(last, first, atol=1e-10 * np.abs(first).max())


def test_servos_bring_both_arms_to_rest() -> None:
    """Both hold, joints are displaced by the loop's own swing: critically damped at 2 rad/s, gone after 8 s."""
    plant = loops()
    servo = JointServo(plant, (*SRMS_JOINTS, *SSRMS_JOINTS), frequency=2.0)
    swing = {name: 0.01 * rate for name, rate in EXAMPLE.v0.items()}  # type: ignore[operator]
    v = numbers(plant.velocity_projection().function(start(), v_of(plant.model, swing), 1.0, 1.0))
    own, steps = start()[servo.places[0]], round(8.0 / H)
    still = JointSamples(np.tile(own, (steps, 1)), np.zeros((steps, own.size)), np.zeros((steps, own.size)))
    run = Driven(plant, servo).run(still, H, start(), v, inputs={"inertia": seen_inertia(servo, start())}, every=100)
    away = np.abs(run.q[:, servo.places[0]] - own).max(axis=1)
    assert away.max() > 1e-3 and away[-1] < 1e-5 * away.max()  # (1 + 16) exp(-16) is 2e-6
    assert np.abs(run.v[-1, servo.places[1]]).max() < 1e-6  # the stack drifts on, with the momentum it had

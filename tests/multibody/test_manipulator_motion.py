"""Arms: timing, paths, inverse kinematics, servos, and what is refused."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.errors import ModelError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.joints import Spherical
from motionbase.multibody.manipulator import (
    Arm,
    ComputedTorque,
    Driven,
    JointPath,
    JointServo,
    Limits,
    LinePath,
    ResolvedRate,
    Timing,
    follow,
    inverse_kinematics,
    quickest,
    seen_inertia,
)
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.classics import two_link
from motionbase.multibody.models.handoff import SRMS_LIMITS, SSRMS_LIMITS
from motionbase.multibody.models.manipulators import srms, srms_on_orbiter
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs
from tests.multibody.arms import BENT, TIP, pose, shuttle, station
from tests.multibody.mechanisms import numbers

# ---- timing and paths ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timing", [Timing(3.0), Timing(3.0, "trapezoid", 0.2), Timing(3.0, "trapezoid", 0.5)])
def test_timing_is_the_integral_of_its_rates(timing: Timing) -> None:
    """By the trapezoidal rule over 3000 steps of 1 ms: 1e-6."""
    t = ca.SX.sym("t")
    at = ca.Function("at", [t], list(timing.at(t)))
    times = np.linspace(0.0, 3.0, 3001)
    s, s_dot, s_ddot = (numbers(x) for x in at.map(times.size)(times[None]))
    assert (s[0], s[-1], s_dot[0], s_dot[-1]) == pytest.approx((0, 1, 0, 0), abs=1e-14)
    for whole, rate, tolerance in ((s, s_dot, 1e-6), (s_dot, s_ddot, 2e-3)):  # acceleration jumps: a step's worth
        summed = np.concatenate([[0.0], np.cumsum(0.5e-3 * (rate[1:] + rate[:-1]))])
        np.testing.assert_allclose(whole, summed, atol=tolerance)
    before, after = at(-1.0), at(4.0)
    assert [float(x) for x in (*before, *after)] == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("kind", ["quintic", "trapezoid"])
@pytest.mark.parametrize("acceleration", [0.02, 5.0])
def test_quickest_keeps_every_limit_and_reaches_one(kind: Any, acceleration: float) -> None:
    distance, rate = np.array([1.0, -0.4, 0.0]), np.array([0.5, 0.1, 0.1])
    most = np.full(3, acceleration)
    timing = quickest(distance, rate, most, kind)
    x = JointPath(np.zeros(3), distance, timing).sampled(np.linspace(0, timing.duration, 4001))
    v, a = np.abs(x.v).max(axis=0), np.abs(x.a).max(axis=0)
    assert np.all(v <= rate * (1 + 1e-9)) and np.all(a <= most * (1 + 1e-9))
    assert max((v / rate).max(), (a / most).max()) == pytest.approx(1.0, abs=1e-5)  # samples miss the peak by so much
    np.testing.assert_allclose(x.q[-1], distance, atol=1e-14)


# ---- inverse kinematics --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("arm", "limits"), [(shuttle, SRMS_LIMITS), (station, SSRMS_LIMITS)])
def test_inverse_kinematics_finds_reachable_poses(arm: Any, limits: Limits) -> None:
    arm = arm(limits)
    lower, upper, _ = limits.columns
    rng = np.random.default_rng(7)
    for _ in range(6):
        p, Q = pose(arm, rng.uniform(np.maximum(lower, -2.5), np.minimum(upper, 2.5)))
        found = inverse_kinematics(arm, p, Q)
        assert found.converged and found.tries <= 24
        again_p, again_Q = pose(arm, found.q)
        np.testing.assert_allclose(again_p, p, atol=2e-9)
        np.testing.assert_allclose(abs(again_Q @ Q), 1.0, atol=1e-12)
        assert np.all((found.q >= lower) & (found.q <= upper))


def test_a_pose_out_of_reach_is_reported() -> None:
    """The arm stretches towards it: what is missing is the distance less the reach."""
    found = inverse_kinematics(shuttle(SRMS_LIMITS), (30.0, 0.0, -0.822), (1, 0, 0, 0), tries=3)
    assert not found.converged and found.tries == 3
    assert found.position_error > 14.0


# ---- servos --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", [False, True])
def test_computed_torque_follows_to_the_error_of_held_references(free: bool) -> None:
    """References are held over a step: an error of order h^2 a quarter of it at half the step."""
    model = srms_on_orbiter(payload=False) if free else srms()
    tree = Tree(model)
    servo = ComputedTorque(tree, shuttle().joints, frequency=2.0)
    driven, at = Driven(tree, servo), list(servo.places[0])
    path = JointPath(BENT, BENT + [0.5, -0.3, 0.6, -0.4, 0.3, 0.8], Timing(4.0))
    q0 = np.concatenate([model.neutral[: model.nq - 6], BENT])
    errors = []
    for h in (0.02, 0.01):
        steps = round(4.0 / h)
        run = driven.run(path.sampled((np.arange(steps) + 0.5) * h), h, q0)
        errors.append(np.abs(run.q[:, at] - path.sampled(run.t).q).max())
    assert errors[0] < 2e-5 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    if free:
        momenta = Outputs(tree).momenta.function(run.q[-1], run.v[-1])
        assert np.abs(run.q[-1][:3]).max() > 1e-3  # the base gives way
        np.testing.assert_allclose(numbers(momenta[0]), 0.0, atol=1e-5)  # RK4, of 1e2 N s exchanged


def test_seen_inertia_of_a_fixed_arm_is_its_mass_matrix() -> None:
    """With every joint driven and nothing else free."""
    tree = Tree(srms())
    servo = JointServo(tree, shuttle().joints)
    np.testing.assert_allclose(
        seen_inertia(servo, BENT), numbers(tree.mass_matrix.function(BENT)), rtol=1e-6, atol=1e-3
    )


def test_joint_servo_keeps_torque_limits() -> None:
    tree = Tree(srms())
    servo = JointServo(tree, shuttle().joints, torque_limit=[10.0] * 6)
    tau = servo.kernel.function(BENT, np.ones(6), np.zeros(6), np.zeros(6), np.zeros(6), 1e3 * np.eye(6))
    np.testing.assert_array_equal(np.abs(numbers(tau)), 10.0)


# ---- the page ------------------------------------------------------------------------------------------------------


def test_python_on_the_page_runs() -> None:
    """All blocks in order; a comment behind a print is what it prints."""
    text = (Path(__file__).parents[2] / "docs" / "manipulators.md").read_text()
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    promised = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert promised and printed.getvalue().splitlines() == promised


# ---- errors --------------------------------------------------------------------------------------------------------


def ball_model() -> Model:
    joint = Joint("ball", GROUND, "stick", Spherical())
    return Model("ball", (Body("stick", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1), {"tip": (1.0, 0, 0)}),), (joint,))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Arm(srms(), "hand"), "body 'hand' not found"),
        (lambda: Arm(srms(), "wrist", "thumb"), "no point 'thumb'"),
        (lambda: Arm(srms(), *TIP, base="nowhere"), "body 'nowhere' not found"),
        (lambda: Arm(srms(), "shoulder", base="wrist"), "does not carry the tip"),
        (lambda: Arm(srms(), *TIP, joints=("knee",)), "joint 'knee' does not move the tip"),
        (lambda: Arm(srms(), "base"), "no joint moves"),
        (lambda: Arm(ball_model(), "stick", "tip"), "joint 'ball' has 3 axes"),
        (lambda: shuttle(SSRMS_LIMITS), "one for each of"),
        (lambda: shuttle(Limits([1.0] * 6, [0.0] * 6, [1.0] * 6)), "the first must be smaller"),
        (lambda: shuttle(Limits([0.0] * 6, [1.0] * 6, [0.0] * 6)), "it must be positive"),
        (lambda: shuttle().generalised_jacobian, "is not free"),
        (lambda: ResolvedRate(shuttle(), task=("vx", "up")), "task has 'up'"),
        (lambda: ResolvedRate(Arm(two_link(), "fore", "tip")), "6 rows for 2 joints"),
        (lambda: ResolvedRate(shuttle(), posture=1.0), "needs finite limits"),
        (lambda: ComputedTorque(Tree(MODELS["four_bar"].build()), ("j_crank",)), "has closures"),
        (lambda: JointServo(Tree(srms()), ("knee",)), "joint 'knee' not found"),
        (lambda: JointServo(Tree(srms()), ("mount",)), "joint 'mount' has no axis 0"),
        (lambda: seen_inertia(JointServo(Tree(srms()), ("wrist_roll",)), BENT, {"snare": 1.0}), "no input 'snare'"),
        (lambda: JointServo(Tree(srms()), ("wrist_roll",), torque_limit=[1.0, 2.0]), "torque limits"),
    ],
)
def test_wrong_parts_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Timing(0.0), "duration is 0.0 s"),
        (lambda: Timing(1.0, "cubic"), "kind is 'cubic'"),  # type: ignore[arg-type]
        (lambda: Timing(1.0, "trapezoid", 0.7), "ramp is 0.7"),
        (lambda: quickest([0.0], [1.0], [1.0]), "every distance is zero"),
        (lambda: quickest([1.0], [1.0, 2.0], [1.0]), "must have one length"),
        (lambda: JointPath([0.0], [1.0, 2.0], Timing(1.0)), "joint path"),
        (lambda: LinePath([0, 0], [1, 0, 0, 0], [0, 0, 1], [1, 0, 0, 0], Timing(1.0)), "three finite numbers"),
        (lambda: inverse_kinematics(shuttle(), [0, 0, 1], [0, 0, 0, 0]), "a unit quaternion"),
        (lambda: follow(ResolvedRate(shuttle()), _line(), BENT, 0.0), "dt is 0.0"),
        (lambda: follow(ResolvedRate(shuttle()), _line(), BENT, 0.1, gain=20.0), "overshoot"),
        (lambda: _driven().run(JointPath([0.0], [1.0], Timing(1.0)).sampled([0.5]), 0.01, BENT), "q_ref has shape"),
        (lambda: _driven().run(_still(), 0.01, BENT), "the servo needs 'inertia'"),
        (lambda: _driven().run(_still(), 0.01, BENT, inputs={"inertia": np.eye(6), "wind": 1.0}), "no input wind"),
    ],
)
def test_wrong_requests_are_refused(make: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        make()


def _line() -> LinePath:
    return LinePath([0, 0, 1], [1, 0, 0, 0], [0, 0, 2], [1, 0, 0, 0], Timing(1.0))


def _driven() -> Driven:
    tree = Tree(srms())
    return Driven(tree, JointServo(tree, shuttle().joints))


def _still() -> Any:
    return JointPath(BENT, BENT + 0.1, Timing(1.0)).sampled([0.5])

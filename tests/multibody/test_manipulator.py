"""Arms: kinematics against Pinocchio and closed forms, and resolved rates."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest

from motionbase.compile import compile
from motionbase.multibody import Model
from motionbase.multibody.manipulator import (
    Arm,
    Limits,
    LinePath,
    ResolvedRate,
    Timing,
    follow,
    inverse_kinematics,
)
from motionbase.multibody.manipulator.poses import conjugate, quaternion_of, rotation_vector
from motionbase.multibody.models.classics import two_link
from motionbase.multibody.models.handoff import SRMS_LIMITS, SSRMS_LIMITS
from motionbase.multibody.models.manipulators import srms, srms_on_orbiter, ssrms
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs
from motionbase.spatial import R_quaternion, quaternion_product, quaternion_rotation_vector
from tests.multibody.arms import BENT, TIP, pose, shuttle, station, value
from tests.multibody.mechanisms import numbers
from tests.multibody.test_against_pinocchio import in_pinocchio, orders

# ---- kinematics ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [srms, ssrms, lambda: srms_on_orbiter(payload=False)])
def test_kinematics_against_pinocchio(build: Callable[[], Model]) -> None:
    """Pose, Jacobian and J_dot v of the tip in world axes; 1e-12 of lengths of 15 m: roundings."""
    model = build()
    arm = Arm(model, *TIP, joints=tuple(j.name for j in model.joints if j.motion.nv == 1))
    rng = np.random.default_rng(1)
    q, v = np.array(model.neutral), rng.uniform(-1, 1, model.nv)
    q[-arm.n :] = rng.uniform(-1, 1, arm.n)
    if model.nq > arm.n:
        q[:7] = [1.0, -2.0, 3.0, *(Q := rng.standard_normal(4)) / np.linalg.norm(Q)]
    built, places = in_pinocchio(model)
    point = pin.SE3(np.eye(3), np.array(model.body(TIP[0]).points[TIP[1]]))
    frame = built.addFrame(pin.Frame("tip", places["wrist_roll"][-1], 0, point, pin.FrameType.OP_FRAME))
    data = built.createData()
    q_order, v_order = orders(model, built, places)
    q_pin, v_pin = np.empty(built.nq), np.empty(built.nv)
    q_pin[q_order], v_pin[v_order] = q, v
    pin.forwardKinematics(built, data, q_pin, v_pin, np.zeros(built.nv))
    pin.updateFramePlacements(built, data)
    J = pin.computeFrameJacobian(built, data, q_pin, frame, pin.LOCAL_WORLD_ALIGNED)[:, v_order][:, list(arm.at_v)]
    bias = pin.getFrameClassicalAcceleration(built, data, frame, pin.LOCAL_WORLD_ALIGNED)
    p, Q = pose(arm, q)
    np.testing.assert_allclose(p, data.oMf[frame].translation, atol=1e-12)
    np.testing.assert_allclose(np.array(R_quaternion(ca.DM(Q))), data.oMf[frame].rotation, atol=1e-14)
    np.testing.assert_allclose(numbers(arm.jacobian.function(q)), np.vstack([J[3:], J[:3]]), atol=1e-12)
    expected = np.concatenate([bias.angular, bias.linear])
    np.testing.assert_allclose(numbers(arm.jacobian_rate.function(q, v)), expected, atol=1e-11)


def test_jacobian_and_its_rate_by_differences() -> None:
    """Central differences with 1e-5: second order, 1e-10 times lengths and a rounding of 1e-16 / 1e-5."""
    arm, h = station(), 1e-5
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-1, 1, 7), rng.uniform(-1, 1, 7)
    ahead, behind = q + h * v, q - h * v
    (p1, Q1), (p0, Q0) = pose(arm, ahead), pose(arm, behind)
    turn = value(rotation_vector(quaternion_product(ca.DM(Q1), conjugate(ca.DM(Q0)))))
    J = numbers(arm.jacobian.function(q))
    np.testing.assert_allclose(J @ v, np.concatenate([turn, p1 - p0]) / (2 * h), atol=1e-8)
    J_dot = (numbers(arm.jacobian.function(ahead)) - numbers(arm.jacobian.function(behind))) / (2 * h)
    np.testing.assert_allclose(numbers(arm.jacobian_rate.function(q, v)), J_dot @ v, atol=1e-8)


def test_planar_arm_against_its_closed_form() -> None:
    """Two links in the x-z plane: tip, Jacobian, J_dot v, and manipulability l1 l2 |sin q2|."""
    l1, l2 = 1.0, 0.8
    arm = Arm(two_link(l1, l2), "fore", "tip")
    law = ResolvedRate(arm, length=1.0, task=("vx", "vz"))
    for q1, q2, w1, w2 in np.random.default_rng(0).uniform(-2, 2, (5, 4)):
        c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
        q, v = np.array([q1, q2]), np.array([w1, w2])
        np.testing.assert_allclose(pose(arm, q)[0], [l1 * c1 + l2 * c12, 0, l1 * s1 + l2 * s12], atol=1e-14)
        J = np.array([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])
        np.testing.assert_allclose(numbers(arm.jacobian.function(q))[[3, 5]], J, atol=1e-14)
        bias = -l1 * w1**2 * np.array([c1, s1]) - l2 * (w1 + w2) ** 2 * np.array([c12, s12])
        np.testing.assert_allclose(numbers(arm.jacobian_rate.function(q, v))[[3, 5]], bias, atol=1e-13)
        *_, sigma, volume = map(float, law.kernel.function(q, np.zeros(6))[1:])
        # J J' carries a floor of 1e-10 on its diagonal
        assert volume == pytest.approx(l1 * l2 * abs(np.sin(q2)), rel=1e-7)
        smallest = np.linalg.svd(J)[1][-1]
        assert sigma <= smallest * (1 + 1e-7) and smallest <= np.sqrt(2) * sigma * (1 + 1e-7)


def test_base_does_not_matter_to_what_is_seen_from_it() -> None:
    """In the orbiter's frame the arm is the arm on the ground, moved to its mount, wherever the orbiter flies."""
    model = srms_on_orbiter()
    arm, alone = Arm(model, *TIP, base="orbiter"), shuttle()
    q = np.concatenate([[3.0, 1.0, -2.0, 0.5, 0.5, -0.5, 0.5], BENT])
    v = np.concatenate([[0.3, -0.1, 0.2, 1.0, 2.0, 3.0], BENT])
    assert arm.joints == alone.joints
    np.testing.assert_allclose(pose(arm, q)[0], pose(alone, BENT)[0] + [8.0, -2.5, 1.5], atol=1e-13)
    np.testing.assert_allclose(numbers(arm.jacobian.function(q)), numbers(alone.jacobian.function(BENT)), atol=1e-13)
    seen, on_ground = arm.jacobian_rate.function(q, v), alone.jacobian_rate.function(BENT, BENT)
    np.testing.assert_allclose(numbers(seen), numbers(on_ground), atol=1e-13)


def test_generalised_jacobian_is_the_motion_without_momentum() -> None:
    """With the base's speeds that make both momenta vanish, the tip moves as J_star says."""
    model = srms_on_orbiter()
    arm = Arm(model, *TIP, base="orbiter")
    q = np.concatenate([[1.0, 0.0, 2.0, 0.5, 0.5, -0.5, 0.5], BENT])
    rates = np.array([0.3, -0.2, 0.4, 0.1, -0.5, 0.2])
    momenta = Outputs(Tree(model)).momenta.function
    columns = [np.concatenate([numbers(x) for x in momenta(q, e)[:2]]) for e in np.eye(model.nv)]
    P = np.array(columns).T
    v = np.concatenate([-np.linalg.solve(P[:, :6], P[:, 6:] @ rates), rates])
    np.testing.assert_allclose(P @ v, 0.0, atol=1e-9)  # of momenta of 1e5
    points = Outputs(Tree(model)).points({"tip": TIP}).function(q, v, np.zeros(model.nv))
    J_star = numbers(arm.generalised_jacobian.function(q))
    np.testing.assert_allclose(J_star @ rates, numbers(points[1]), atol=1e-12)
    assert np.abs(J_star[3:] - numbers(arm.jacobian.function(q))[3:]).max() > 0.1  # the reaction is no small thing


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 3.0, np.pi])
def test_rotation_vector_and_quaternion_of_a_matrix(angle: float) -> None:
    """Round trips; near half a turn the axis' sign is free."""
    theta = angle * np.array([0.36, -0.48, 0.8])
    Q = quaternion_rotation_vector(ca.DM(theta))
    np.testing.assert_allclose(value(rotation_vector(Q)), theta, rtol=1e-12, atol=1e-15)
    again = value(quaternion_of(R_quaternion(Q)))
    np.testing.assert_allclose(np.abs(again @ value(Q)), 1.0, atol=1e-14)


# ---- resolved rates ------------------------------------------------------------------------------------------------


def test_speeds_give_the_twist_and_keep_its_direction_within_limits() -> None:
    """Where nothing is damped: J v = scale twist, to the floor of 1e-10 over sigma^2, and no joint above its rate."""
    law = ResolvedRate(station(SSRMS_LIMITS))
    law_kernel, jacobian = compile(law.kernel), compile(law.arm.jacobian)
    rng = np.random.default_rng(5)
    rate = SSRMS_LIMITS.columns[2]
    slowed = undamped = 0
    for _ in range(60):
        q, twist = rng.uniform(-2, 2, 7), rng.uniform(-0.3, 0.3, 6)
        v, scale, damping, _, _ = law_kernel(q=q, twist=twist)
        assert np.all(np.abs(v) <= rate * (1 + 1e-12))
        slowed += float(scale) < 1.0
        if float(damping) == 0.0:
            undamped += 1
            np.testing.assert_allclose(jacobian(q=q) @ v, scale * twist, atol=1e-6)
            if float(scale) < 1.0:
                np.testing.assert_allclose(np.max(np.abs(v) / rate), 1.0, rtol=1e-12)  # no slower than needed
    assert slowed > 10 and undamped > 30


def test_a_stretched_elbow_is_passed_with_bounded_rates() -> None:
    """Out of reach and back: rates within limits where the plain inverse exceeds all of them several times.

    Errors: 0.1 mm while sigma is above its threshold on the way out (Euler steps of 10 ms: h/2 |J_dot v| / gain), the
    missing way of the unreachable end plus 0.3 m at most, and 1 mm after the return.
    """
    limits = Limits([-10.0] * 6, [10.0] * 6, SRMS_LIMITS.rate)
    law = ResolvedRate(shuttle(limits))
    q = np.array([0.0, 0.6, -0.7, 0.1, 0.0, 0.0])
    p, Q = pose(law.arm, q)
    shoulder = np.array([0.0, 0.0, -0.822])
    out = (p - shoulder) / np.linalg.norm(p - shoulder)
    beyond = 1.0  # [m] along the line, of which the arm has less left
    away = follow(law, LinePath(p, Q, p + beyond * out, Q, Timing(60.0)), q, 0.01)
    rate = limits.columns[2]
    assert away.path_time[-1] >= 60.0 * (1 - 1e-12) and not away.finished  # the path ran out, the tip is not there
    assert away.damping.max() > 0.0 and away.sigma.min() < 0.02
    assert np.all(np.abs(away.v) <= rate * (1 + 1e-12))
    regular = np.cumsum(away.damping > 0) == 0
    assert regular.sum() > 1000 and away.position_error[regular].max() < 1e-4
    assert away.position_error.max() < 0.6
    J = numbers(law.arm.jacobian.function(away.q[int(np.argmin(away.sigma))]))
    wanted = np.concatenate([np.zeros(3), 0.02 * out])
    assert np.abs(np.linalg.solve(J, wanted)).max() > 3 * rate.max()  # without damping
    end_p, end_Q = pose(law.arm, away.q[-1])
    back = follow(law, LinePath(end_p, end_Q, p, Q, Timing(60.0)), away.q[-1], 0.01)
    assert back.finished and np.all(np.abs(back.v) <= rate * (1 + 1e-12))
    assert back.position_error[-1] < 1e-3 and back.damping[-1] == 0.0


def test_limits_slow_the_path_but_the_tip_stays_on_it() -> None:
    """A line asked for in a third of the time that the rates allow."""
    law = ResolvedRate(station(SSRMS_LIMITS))
    q = np.array([0.3, 0.2, 0.6, -1.2, 0.4, 0.3, -0.2])
    p, Q = pose(law.arm, q)
    Q_end = value(quaternion_product(ca.DM(Q), quaternion_rotation_vector(ca.DM([0.2, 0.1, -0.3]))))
    line = LinePath(p, Q, p + [-1.5, 1.0, 0.5], Q_end, Timing(2.0, "trapezoid"))
    done = follow(law, line, q, 0.01, extra=10.0)
    assert done.finished and done.t[-1] > 5.0 and done.scale.min() < 0.5
    assert np.all(np.abs(done.v) <= SSRMS_LIMITS.columns[2] * (1 + 1e-12))
    assert done.position_error.max() < 5e-3 and done.angle_error.max() < 5e-4  # Euler steps of 10 ms at 4 deg/s
    assert not follow(law, line, q, 0.01, extra=0.0).finished


def test_posture_uses_the_joints_that_are_left() -> None:
    """A joint near its limit is drawn back while the tip keeps its pose."""
    limits = Limits([-1.0] * 7, [1.5] * 7, [0.07] * 7)
    q = np.array([0.43, -0.21, 0.65, -0.44, 1.27, -0.06, -0.66])
    arm = station(limits)
    p, Q = pose(arm, q)
    stay = LinePath(p, Q, p, Q, Timing(40.0))
    moved, still = (follow(ResolvedRate(arm, posture=k), stay, q, 0.02) for k in (0.5, 0.0))
    np.testing.assert_allclose(still.q[-1], q, atol=1e-12)
    cost = [np.sum(((x - 0.25) / 1.25) ** 4) for x in (q, moved.q[-1])]
    assert cost[1] < 0.9 * cost[0]
    assert moved.position_error.max() < 1e-3 and moved.angle_error.max() < 1e-4  # Euler steps
    lower, upper, _ = limits.columns
    assert np.all((moved.q > lower) & (moved.q < upper))


def test_joints_without_limits_are_not_slowed() -> None:
    """Infinite limits are none: the law gives what it gives without."""
    endless = Limits([-np.inf] * 6, [np.inf] * 6, [np.inf] * 6)
    twist = np.array([1.0, 0.0, 2.0, 5.0, 0.0, -5.0])
    limited, free = (ResolvedRate(shuttle(x)).kernel.function(BENT, twist) for x in (endless, None))
    np.testing.assert_array_equal(numbers(limited[0]), numbers(free[0]))
    p, Q = pose(shuttle(), BENT)
    assert inverse_kinematics(shuttle(endless), p, Q, tries=8).converged


def test_a_joint_stops_before_its_limit() -> None:
    """The line would take the elbow beyond; it does not, and that is reported."""
    q = BENT.copy()
    limits = Limits([-3.0, 0.0, -1.3, -2.0, -2.0, -7.0], [3.0, 2.5, 0.0, 2.0, 2.0, 7.0], [0.1] * 6)
    arm = shuttle(limits)
    p, Q = pose(arm, q)
    done = follow(ResolvedRate(arm), LinePath(p, Q, p + [-6.0, 0.0, 0.0], Q, Timing(60.0)), q, 0.02)
    assert not done.finished and done.scale[-1] < 1e-3
    assert -1.3 <= done.q[:, 2].min() < -1.29


def test_the_law_gives_the_same_bits_interpreted() -> None:
    """Away from and at a singular place; also finite derivatives there, for those who linearise."""
    law = ResolvedRate(station(SSRMS_LIMITS), posture=0.1)
    compiled, interpreted = compile(law.kernel), compile(law.kernel, "python")
    slope = ca.Function(
        "slope",
        law.kernel.trace.symbols,
        [ca.jacobian(ca.vertcat(*law.kernel.trace.expressions), s) for s in law.kernel.trace.symbols],
    )
    for q in (np.linspace(-0.5, 0.7, 7), np.zeros(7)):
        twist = np.array([0.01, -0.02, 0.03, 0.1, 0.2, -0.1])
        for a, b in zip(compiled(q=q, twist=twist), interpreted(q=q, twist=twist), strict=True):
            np.testing.assert_array_equal(a, b)
        assert all(np.all(np.isfinite(numbers(d))) for d in slope(q, twist))

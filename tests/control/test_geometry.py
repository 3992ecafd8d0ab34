"""Kinematics as the law uses it: derivatives, round trip, forces by virtual work, modes."""

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.compile import compile
from motionbase.control.geometry import (
    G,
    carried,
    demands_of,
    felt_of,
    force_of,
    forward_of,
    inverse_of,
    leg_ratios,
    modal_masses,
    pose_down,
)
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.leg_motion import turning
from motionbase.platform.load import load_platform

SIMONA = load_platform("simona")
INVERSE, FORWARD, FORCE = compile(inverse_of(SIMONA)), compile(forward_of(SIMONA)), compile(force_of(SIMONA))
RNG = np.random.default_rng(8)


def motion_at(t: float) -> np.ndarray:
    """(6, 3) of six sines, exact derivatives."""
    w, phase, size = np.arange(1.0, 7.0) * 0.8, np.arange(6.0), np.array([0.2, 0.2, 0.15, 0.15, 0.15, 0.2])
    s, c = np.sin(w * t + phase), np.cos(w * t + phase)
    return np.stack([size * s, size * w * c, -size * w**2 * s], axis=1)


def test_leg_rates_and_accelerations_are_derivatives() -> None:
    """Central differences over 0.2 ms: h^2/6 of the third derivative, below 1e-6."""
    h = 1e-4
    for t in (0.3, 1.1, 2.7):
        early, now, late = (INVERSE(motion_at(t + k * h)) for k in (-1, 0, 1))
        np.testing.assert_allclose((late - early)[:, :2] / (2 * h), now[:, 1:], atol=1e-6)


def test_forward_gives_back_the_pose() -> None:
    for t in (0.0, 0.9, 2.2):
        pose = motion_at(t)[:, 0]
        got, converged = FORWARD(INVERSE(motion_at(t))[:, 0], pose + 0.01)
        assert converged == 1.0
        np.testing.assert_allclose(got, pose, atol=1e-5)  # lengths fit to 1 um, condition below 5
        again, _ = FORWARD(INVERSE(motion_at(t))[:, 0], got)
        np.testing.assert_allclose(again, pose, atol=1e-5)


def test_down_pose_has_the_down_length() -> None:
    down = pose_down(SIMONA)
    legs = INVERSE(np.column_stack([down, np.zeros((6, 2))]))
    np.testing.assert_allclose(legs[:, 0], SIMONA.l_down, atol=1e-12)
    np.testing.assert_allclose(down[2], -0.69, atol=1e-4)  # the published down position


def test_forces_do_the_work_of_gravity_and_kinetic_energy() -> None:
    """Power of the legs = rate of the energy of payload and rods; the energy is computed here from its definition."""
    mass, centre, inertia = carried(SIMONA)
    kinematics = Kinematics(SIMONA)
    pose = compile(kinematics.pose_of_dof)

    def energy(t: float) -> float:
        h, m = 1e-6, motion_at(t)
        frames = []
        for k in (-1, 0, 1):
            p, Q = pose(motion_at(t + k * h)[:, 0])
            w, x, y, z = Q
            R = np.array([
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ])  # fmt: skip
            frames.append((p, R))
        R = frames[1][1]
        S = (frames[2][1] - frames[0][1]) / (2 * h) @ R.T
        omega = np.array([S[2, 1], S[0, 2], S[1, 0]])
        I, c, v = R @ inertia @ R.T, R @ centre, m[:3, 1]
        kinetic = 0.5 * mass * v @ v + mass * v @ np.cross(omega, c) + 0.5 * omega @ I @ omega
        return float(kinetic + mass * G * (frames[1][0] + c)[2])

    for t in (0.4, 1.3, 2.9):
        h = 1e-4
        power = float(FORCE(motion_at(t)) @ INVERSE(motion_at(t))[:, 1])
        np.testing.assert_allclose(power, (energy(t + h) - energy(t - h)) / (2 * h), rtol=1e-5, atol=0.05)  # of 1e3 W


def test_weight_at_rest() -> None:
    """The vertical parts of the leg forces carry the mass."""
    f = FORCE(np.zeros((6, 3)))
    u = np.asarray(SIMONA.joints) + SIMONA.p_neutral - np.asarray(SIMONA.base)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    np.testing.assert_allclose(f @ u, [0, 0, carried(SIMONA)[0] * G], atol=1e-8)


def test_modal_masses_are_those_of_the_mass_matrix() -> None:
    """Their product is det M / det(J)^2, whatever the basis."""
    mass, centre, inertia = carried(SIMONA)
    masses = modal_masses(SIMONA)
    c = np.array([[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]])
    M = np.block([[inertia, mass * c], [mass * c.T, mass * np.eye(3)]])
    p, Q = compile(Kinematics(SIMONA).pose_of_dof)(np.zeros(6))
    J = compile(Kinematics(SIMONA).jacobian)(p, Q)
    np.testing.assert_allclose(np.prod(masses), np.linalg.det(M) / np.linalg.det(J) ** 2, rtol=1e-10)
    assert masses[0] == masses.max()


def felt(motion: np.ndarray, true: np.ndarray) -> dict[str, np.ndarray]:
    """What perfect sensors of the platform read in the motion `true` (6, 3), seen from `motion`."""
    R = Rotation.from_euler("ZYX", true[[5, 4, 3], 0])
    _, alpha = (np.asarray(ca.evalf(x)).ravel() for x in turning(ca.SX(true)))
    return {"motion": motion, "acc": R.inv().apply(true[:3, 2] + [0, 0, G]), "alpha": R.inv().apply(alpha)}


def test_platform_sensors_feel_the_legs_accelerate() -> None:
    """On the motion that is asked for, exactly; with other accelerations too, since they act through J alone."""
    motion = motion_at(0.7)
    other = motion + np.column_stack([np.zeros((6, 2)), RNG.normal(size=6)])
    for true in (motion, other):
        l_ddot, _ = compile(felt_of(SIMONA))(**felt(motion, true))
        np.testing.assert_allclose(l_ddot, INVERSE(true)[:, 2], atol=1e-12)


def test_platform_sensors_feel_the_legs_push() -> None:
    """What the force of another acceleration is beyond that of the motion asked for; 1e-9 of 10 kN is rounding."""
    motion = motion_at(0.7)
    true = motion + np.column_stack([np.zeros((6, 2)), RNG.normal(size=6)])
    _, f_beyond = compile(felt_of(SIMONA))(**felt(motion, true))
    np.testing.assert_allclose(f_beyond, FORCE(motion=true) - FORCE(motion=motion), atol=1e-5)


@pytest.mark.parametrize("acc", [0.0, np.nan])
def test_no_accelerometer_feels_no_push(acc: float) -> None:
    read = felt(motion_at(0.7), motion_at(0.7)) | {"acc": np.full(3, acc)}
    assert compile(felt_of(SIMONA))(**read)[1].tolist() == [0.0] * 6


def test_leg_ratios_are_the_largest_leg_rates() -> None:
    """Of a unit rate in one degree of freedom at neutral."""
    for k in range(6):
        motion = np.zeros((6, 3))
        motion[k, 1] = 1.0
        np.testing.assert_allclose(leg_ratios(SIMONA)[k], np.abs(INVERSE(motion)[:, 1]).max(), rtol=1e-12)


def test_all_at_once_are_the_same_bits() -> None:
    motion = np.random.default_rng(3).uniform(-0.2, 0.2, (6, 3))
    read = felt(motion, motion)
    legs, f_ff, *feels = compile(demands_of(SIMONA))(**read)
    np.testing.assert_array_equal(legs, INVERSE(motion=motion))
    np.testing.assert_array_equal(f_ff, FORCE(motion=motion))
    np.testing.assert_array_equal(feels, compile(felt_of(SIMONA))(**read))

"""A sphere that no wheel drives: free rotation, a pendulum, Pinocchio, Newton's third law."""

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from tests.plant.sphere.cases import G, kinetic, momenta, moved, plant_of, sphere_on, turn_of

FREE: dict[str, Any] = {"friction_scale": np.zeros(3)}
COM = (0.03, -0.05, -0.1)


def test_torque_free_rotation_keeps_momentum_and_energy_to_second_order() -> None:
    """Momentum is off by 1.5e-9 and energy by 3.6e-13 in 2 s at 0.5 ms; both orders are 2.0."""
    atlas, start = sphere_on(), {"omega_S": np.array([1.2, 0.4, -0.7])}
    momentum, energy = [], []
    for k in (4, 2, 1):
        run = moved(atlas, 4000 // k, 5e-4 * k, start=start, **FREE)
        L, T = momenta(atlas, run)[1], kinetic(atlas, run)
        momentum.append(np.abs(L - L[0]).max() / np.linalg.norm(L[0]))
        energy.append(np.abs(T - T[0]).max() / T[0])
    assert momentum[-1] < 2e-9 and energy[-1] < 5e-13
    np.testing.assert_allclose(np.diff(np.log2(momentum)), -2, atol=0.01)
    np.testing.assert_allclose(np.diff(np.log2(energy)), -2, atol=0.1)  # rounding: 1e-14


def test_small_swings_are_those_of_a_pendulum() -> None:
    """With its support's springs it is a system of two masses; its lower frequency is near sqrt(m g c / I)."""
    c = 0.1
    atlas = sphere_on(com=(0.0, 0.0, -c), inertia=900.0)
    plant, m, I = plant_of(atlas), atlas.sphere.mass, 900.0
    at = plant.motion.contacts
    K = np.diag([float(at.stiffness @ at.outward[:, 1] ** 2), m * G * c])
    M = np.array([[m, m * c], [m * c, I]])
    expected = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.min())
    assert expected == pytest.approx(np.sqrt(m * G * c / I), rel=1e-4)
    angle = 1e-3
    start = {"Q_WS": np.array([np.cos(angle / 2), np.sin(angle / 2), 0, 0])}
    run = moved(atlas, 30_000, start=start, **FREE)
    roll = turn_of(run["Q_WS"]).as_rotvec()[:, 0]
    down = np.flatnonzero((roll[:-1] > 0) & (roll[1:] <= 0))
    crossing = down + roll[down] / (roll[down] - roll[down + 1])
    period = 5e-4 * np.diff(crossing).mean()
    assert 2 * np.pi / period == pytest.approx(
        expected, rel=2e-6
    )  # the swing's amplitude: angle^2 / 16; the step: 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_those_of_pinocchio(seed: int) -> None:
    """A free body with its centre of mass off the centre, under the plant's own normal forces and a moving support."""
    rng, h = np.random.default_rng(seed), 1e-6
    atlas = sphere_on(com=COM)
    s = atlas.sphere
    start = {
        "Q_WS": (Q := turn_of(rng.standard_normal(4))).as_quat(scalar_first=True),
        "omega_S": rng.standard_normal(3),
        "v_C": 0.1 * rng.standard_normal(3),
        "d_C": 1e-4 * rng.standard_normal(3),
    }
    a_stage = 3 * rng.standard_normal(3)
    run = moved(atlas, 1, h, start=start, a_stage=a_stage, **FREE)
    N = np.concatenate([run["N_wheel"][0], run["N_passive"][0]])
    assert (N > 0).any()
    push = -plant_of(atlas).motion.contacts.outward.T @ N

    model = pin.Model()
    c = np.asarray(s.com)
    about_com = s.inertia_matrix - s.mass * (c @ c * np.eye(3) - np.outer(c, c))
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "sphere")
    model.appendBodyToJoint(joint, pin.Inertia(s.mass, c, about_com), pin.SE3.Identity())
    model.gravity.linear = np.array([0, 0, -G]) - a_stage
    q = np.concatenate([start["d_C"], Q.as_quat()])
    v = np.concatenate([Q.inv().apply(start["v_C"]), start["omega_S"]])
    wrench = [pin.Force.Zero(), pin.Force(Q.inv().apply(push), np.zeros(3))]
    a = pin.aba(model, model.createData(), q, v, np.zeros(6), wrench)
    linear = Q.apply(a[:3] + np.cross(v[3:], v[:3]))  # theirs is the rate of components in moving axes

    # a step of 1e-6 s is off by 1e-6 of the rates, and differences of velocities round to 1e-16 / 1e-6
    np.testing.assert_allclose((run["omega_S"][1] - run["omega_S"][0]) / h, a[3:], rtol=0, atol=1e-4 * abs(a[3:]).max())
    np.testing.assert_allclose((run["v_C"][1] - run["v_C"][0]) / h, linear, rtol=0, atol=1e-4 * abs(linear).max())


def test_the_stage_feels_what_the_sphere_gains() -> None:
    """Newton's third law over a driven second: impulses on the stage, with weight, are momenta of the sphere."""
    atlas, dt, ticks = sphere_on(com=COM, lossy=True), 5e-4, 2000
    t = dt * np.arange(ticks)[:, None]
    tau = 12 * np.sin(2 * np.pi * np.array([1.0, 1.4, 0.7]) * t + [0, 1, 2])
    a_stage = 2 * np.sin(2 * np.pi * np.array([0.8, 1.1, 0.9]) * t)
    run = moved(atlas, ticks, dt, ripple=True, tau_motor=tau, a_stage=a_stage)
    p, L = momenta(atlas, run)
    np.testing.assert_allclose(p[-1] - p[0], -dt * run["load_stage"][:, 3:].sum(axis=0), rtol=0, atol=1e-4)
    # weight and the support's acceleration act at the centre of mass, in the middle of every step
    com = turn_of(run["Q_WS"]).apply(COM) + run["d_C"]
    falling = atlas.sphere.mass * (np.array([0, 0, -G]) - a_stage)
    gained = dt * (np.cross(0.5 * (com[1:] + com[:-1]), falling) - run["load_stage"][:, :3]).sum(axis=0)
    scale = dt * np.abs(run["load_stage"][:, :3]).sum()
    np.testing.assert_allclose(L[-1] - L[0], gained, rtol=0, atol=1e-7 * scale)  # 1e-8 by the middle of every step


def test_all_moments_on_the_sphere_turn_it() -> None:
    atlas, dt = sphere_on(com=COM, lossy=True), 5e-4
    run = moved(atlas, 400, dt, ripple=True, tau_motor=np.array([9.0, -4.0, 2.0]))
    mean = 0.5 * (run["omega_S"][1:] + run["omega_S"][:-1])
    I = atlas.sphere.inertia_matrix
    rate = (run["omega_S"][1:] - run["omega_S"][:-1]) / dt @ I + np.cross(mean, mean @ I)
    expected = turn_of(run["Q_WS"][1:]).apply(rate)
    # the plant's axes are those of mid-step, and its second pass leaves h^2 of the gyroscopic terms
    np.testing.assert_allclose(run["M_sphere"], expected, rtol=0, atol=2e-3 * np.abs(expected).max())

"""Built-in models: closed forms, conservation, and honest labels."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.multibody.elements import JointSpring
from motionbase.multibody.models import MODELS, manipulators
from motionbase.multibody.models.classics import G, top, two_link
from motionbase.multibody.names import coordinates, q_of, speeds, v_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs


@pytest.mark.parametrize("name", MODELS)
def test_entry(name: str) -> None:
    example = MODELS[name]
    model = example.build()
    assert model.name == name and example.about and example.source
    assert not example.about.endswith(".") and len(example.about) < 80
    q, v = q_of(model, example.q0), v_of(model, example.v0)
    assert np.any(q != model.neutral) or np.any(v) or name == "bricard"  # which falls from its neutral pose
    assert len(coordinates(model)) == model.nq and len(speeds(model)) == model.nv
    if "ours" in example.source or "of this project" in example.source:
        assert example.illustrative


def test_two_link_against_craigs_closed_form() -> None:
    """Craig, Introduction to Robotics: M(q) q_ddot + V(q, q_dot) + G(q) = tau."""
    l1, l2, m1, m2, g = 1.0, 0.8, 4.0, 3.0, -G[2]
    forward = compile(Tree(two_link(l1, l2, m1, m2)).forward_dynamics)
    rng = np.random.default_rng(0)
    for _ in range(20):
        (q1, q2), (w1, w2), tau = rng.uniform(-3, 3, (3, 2))
        c1, c2, s2, c12 = np.cos(q1), np.cos(q2), np.sin(q2), np.cos(q1 + q2)
        m12 = l2**2 * m2 + l1 * l2 * m2 * c2
        M = np.array([[l2**2 * m2 + 2 * l1 * l2 * m2 * c2 + l1**2 * (m1 + m2), m12], [m12, l2**2 * m2]])
        V = np.array([-m2 * l1 * l2 * s2 * (w2**2 + 2 * w1 * w2), m2 * l1 * l2 * s2 * w1**2])
        weight = np.array([m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1, m2 * l2 * g * c12])
        expected = np.linalg.solve(M, tau - V - weight)
        found = forward(q=np.array([q1, q2]), v=np.array([w1, w2]), tau=tau)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


# tilt measured: rk4 2.4e-7, dopri5 8e-8, rodas3 9.6e-5 [rad], at a spin of 0.05 rad a step
@pytest.mark.parametrize(("method", "error"), [("rk4", 1e-6), ("dopri5", 2e-7), ("rodas3", 2e-4)])
def test_top_precesses_steadily(method: str, error: float) -> None:
    """Goldstein 5.7: m g l = rate (I3 w3 - I1 rate cos(tilt)), I1 about the tip; the slow root of it."""
    m, l, I3, transverse, tilt, spin = 0.5, 0.1, 5e-4, 8e-4, np.radians(25.0), 250.0
    I1 = transverse + m * l**2
    a, b, c = I1 * np.cos(tilt), -I3 * spin, -G[2] * m * l
    rate = (-b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    q0, v0 = {"tip": (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)}, {"tip": (0, rate * np.sin(tilt), spin)}
    x = simulate(top(m, l, I3, transverse), 1.0, 2e-4, method=method, every=50, q0=q0, v0=v0)
    w, i, j, k = x.q.T
    axis = np.stack([2 * (i * k + w * j), 2 * (j * k - w * i), 1 - 2 * (i**2 + j**2)], axis=1)
    np.testing.assert_allclose(np.arccos(axis[:, 2]), tilt, atol=error)
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    np.testing.assert_allclose(turned - turned[0], rate * x.t, atol=20 * error)


def test_masses_of_the_arms() -> None:
    """Sums of the published tables."""
    assert sum(link.mass for link in manipulators.SRMS) == pytest.approx(421.76)
    assert sum(link.mass for link in manipulators.SSRMS) == pytest.approx(1505.32)


def test_arms_reach_as_published() -> None:
    """Stretched out, the SRMS is 15.3 m from shoulder pitch to its tip."""
    reach = sum(link.at[0] for link in manipulators.SRMS[3:]) + 0.6604
    assert reach == pytest.approx(15.3166)


def test_free_flying_arm_conserves_energy_and_momentum() -> None:
    """Joint rates from 0.5 rad/s, base tumbling at 0.1 rad/s, 1 kHz, RK4; springs keep the wrist from whipping.

    Measured: energy 1.4e-11, angular momentum 2.4e-12, linear 1.2e-10 (it is small: the base hardly moves).
    """
    q0 = {"shoulder_pitch": 0.6, "elbow_pitch": -1.2, "wrist_pitch": 0.4}
    stiffness = {"shoulder_yaw": 2e4, "shoulder_pitch": 2e4, "elbow_pitch": 6e3, "wrist_pitch": 150.0}
    stiffness |= {"wrist_yaw": 100.0, "wrist_roll": 4.0}
    springs = tuple(JointSpring(f"{name}_spring", name, k, q0.get(name, 0.0)) for name, k in stiffness.items())
    model = replace(manipulators.srms_on_orbiter(payload=False), elements=springs)
    v0 = {**dict.fromkeys(stiffness, 0.5), "flight.wx": 0.06, "flight.wy": -0.05, "flight.wz": 0.06}
    x = simulate(model, 10.0, 1e-3, q0=q0, v0=v0, every=20)
    assert x.energy_drift < 1e-9
    momenta = compile(Outputs(Tree(model)).momenta).map(q=x.q, v=x.v)
    for name, drift in (("linear", 1e-9), ("angular", 1e-10), ("angular_W", 1e-10)):
        rows = momenta[name]
        assert np.abs(rows - rows[0]).max() < drift * np.abs(rows).max()

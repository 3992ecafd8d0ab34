"""Gravity gradient in the orbit's frame: Hill's equations, libration, lumped masses, Jacobi's integral."""

import math
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import modes
from motionbase.multibody.elements import GravityGradient, JointSpring
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.mechanisms import numbers

N = 1.1e-3  # [rad/s], a low orbit
ORBIT = GravityGradient("orbit", N)
NONE = (0.0, 0.0, 0.0)
MOMENTS = (90.0, 100.0, 40.0)  # roll, pitch, yaw [kg m^2]: a stable attitude, the long axis up


def satellite(*bodies_on_it: tuple[Body, Joint], inertia: Any = MOMENTS, mass: float = 50.0) -> Model:
    bodies = (Body("sat", mass, inertia=inertia), *(b for b, _ in bodies_on_it))
    joints = (Joint("flight", GROUND, "sat", Free()), *(j for _, j in bodies_on_it))
    return Model("sat", bodies, joints, NONE, (ORBIT,))


def test_a_mass_moves_as_clohessy_and_wiltshire_say() -> None:
    """x forward, z up: the closed form of Hill's equations over one orbit; RK4 at n h = 0.01 is right to 1e-9 of it."""
    x0, y0, z0, vx, vy, vz = 30.0, -20.0, 15.0, 0.01, 0.02, -0.03
    period = 2 * math.pi / N
    q0, v0 = [x0, y0, z0, 1, 0, 0, 0], [0, 0, 0, vx, vy, vz]
    # unit inertia of a sphere: its attitude in the frame has no torque and keeps to it
    run = simulate(satellite(inertia=(1.0, 1.0, 1.0)), period, 10.0, q0=q0, v0=v0)
    s, c, t = np.sin(N * run.t), np.cos(N * run.t), run.t
    x = x0 + (4 * s - 3 * N * t) / N * vx + 6 * (s - N * t) * z0 + 2 * (c - 1) / N * vz
    z = (4 - 3 * c) * z0 + s / N * vz + 2 * (1 - c) / N * vx
    y = c * y0 + s / N * vy
    expected = np.stack([x, y, z], axis=1)
    np.testing.assert_allclose(run.q[:, :3], expected, atol=1e-8 * np.abs(expected).max())


def test_libration_frequencies() -> None:
    """Pitch n sqrt(3 (Ir - Iy) / Ip); roll and yaw from Hughes' quartic. The linearisation is exact: 1e-6 is rounding.

    With k1 = (Ip - Iy) / Ir and k3 = (Ip - Ir) / Iy: s^4 + (1 + 3 k1 + k1 k3) n^2 s^2 + 4 k1 k3 n^4 = 0.
    """
    Ir, Ip, Iy = MOMENTS
    pitch = math.sqrt(3 * (Ir - Iy) / Ip)
    k1, k3 = (Ip - Iy) / Ir, (Ip - Ir) / Iy
    b, c = 1 + 3 * k1 + k1 * k3, 4 * k1 * k3
    roll_yaw = [math.sqrt((b + sign * math.sqrt(b * b - 4 * c)) / 2) for sign in (1, -1)]
    # frequencies of the orbit itself (1, of the translation) are there too
    found = modes(satellite(), [0, 0, 0, 1, 0, 0, 0]).frequencies * 2 * math.pi / N
    for expected in (pitch, *roll_yaw):
        assert np.abs(found - expected).min() < 1e-6 * expected


def test_pitch_period_in_motion() -> None:
    """5 mrad of pitch come back after 2 pi / omega_p; the period of so small a swing is 1.6e-6 longer, 1e-5 is left."""
    Ir, Ip, Iy = MOMENTS
    period = 2 * math.pi / (N * math.sqrt(3 * (Ir - Iy) / Ip))
    half = 2.5e-3
    run = simulate(satellite(), period, period / 1000, q0={"flight": [0, 0, 0, math.cos(half), 0, math.sin(half), 0]})
    np.testing.assert_allclose(run.q[-1], run.q[0], atol=1e-5 * half)
    assert run.column("q.flight.qy")[500] == pytest.approx(-math.sin(half), rel=1e-5)
    assert run.energy_drift < 1e-10


def test_one_body_is_its_masses() -> None:
    """The wrench on a body is the sum of the forces on point masses that make it up, in any attitude and motion."""
    rng = np.random.default_rng(5)
    m, s = rng.uniform(1.0, 3.0, 7), rng.uniform(-1.0, 1.0, (7, 3))
    com = m @ s / m.sum()
    I = sum(k * (r @ r * np.eye(3) - np.outer(r, r)) for k, r in zip(m, s - com, strict=True))
    whole = Model("w", (Body("a", m.sum(), com, I.tolist()),), (Joint("j", GROUND, "a", Free()),), NONE, (ORBIT,))
    lumps = [(Body(f"m{k}", m[k]), Joint(f"w{k}", "sat", f"m{k}", fixed(), tuple(s[k]))) for k in range(7)]
    split = satellite(*lumps, inertia=NONE, mass=0.0)
    for _ in range(5):
        Q = rng.standard_normal(4)
        q, v = np.concatenate([rng.uniform(-9, 9, 3), Q / np.linalg.norm(Q)]), rng.uniform(-1, 1, 6) * 1e-2
        a, b = (numbers(Tree(x).element_force.function(q, v)) for x in (whole, split))
        np.testing.assert_allclose(a, b, atol=1e-13 * np.abs(b).max())


def test_jacobi_integral_with_an_arm() -> None:
    """Kinetic energy in the frame plus the element's potential stays while an arm swings; RK4 at 0.5 s leaves 9e-10."""
    boom = Body("boom", 20.0, (1.0, 0, 0), (0.1, 8.0, 8.0))
    base = satellite((boom, Joint("hinge", "sat", "boom", revolute((0.0, 1.0, 0.0)), (0.5, 0.2, 0.0))))
    model = Model("s", base.bodies, base.joints, NONE, (ORBIT, JointSpring("spring", "hinge", 0.05)))
    run = simulate(model, 4000.0, 0.5, q0={"hinge": 0.4}, v0={"flight.wx": 2e-3, "flight.vx": 0.01})
    assert np.ptp(run.column("q.hinge")) > 0.3
    assert run.energy_drift < 5e-9


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: GravityGradient("o", 0.0), "rate is 0 rad/s, it must be positive"),
        (lambda: GravityGradient("o", math.nan), "rate is nan"),
        (lambda: GravityGradient("o", N, up=NONE), "gravity gradient 'o': up: axis"),
        (lambda: GravityGradient("o", N, normal=(0, 1, 1)), "up and normal must be at right angles"),
    ],
)
def test_bad_orbits(make: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        make()


def test_orbits_that_do_not_fit_the_model() -> None:
    body, joint = Body("sat", 1.0, inertia=MOMENTS), Joint("flight", GROUND, "sat", Free())
    with pytest.raises(ModelError, match=r"the model's gravity is \(0.0, 0.0, -9.81\) m/s\^2, it must be zero"):
        Model("m", (body,), (joint,), elements=(ORBIT,))
    with pytest.raises(ModelError, match="'other' is another one; the world follows one orbit"):
        Model("m", (body,), (joint,), NONE, (ORBIT, GravityGradient("other", 2 * N)))

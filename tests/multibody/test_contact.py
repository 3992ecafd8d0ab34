"""Contact: restitution against its closed form, Hertz' time of contact, momentum, energy, friction."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gamma

from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import AbstractElement, PlaneContact, SphereContact
from motionbase.multibody.joints import Free, prismatic
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs
from tests.multibody.mechanisms import numbers

X = (1.0, 0.0, 0.0)
NONE = (0.0, 0.0, 0.0)


def restitution(cv: float) -> float:
    """The root e of c v (1 + e) = log((1 + c v) / (1 - c e v))."""
    return float(brentq(lambda e: cv * (1 + e) - math.log((1 + cv) / (1 - cv * e)), 1e-9, min(1.0, 0.9999999 / cv)))


def on_a_rail(contact: AbstractElement, m: tuple[float, float] = (2.0, 3.0)) -> Model:
    bodies = Body("a", m[0]), Body("b", m[1])
    joints = Joint("ra", GROUND, "a", prismatic(X)), Joint("rb", GROUND, "b", prismatic(X))
    return Model("rail", bodies, joints, NONE, (contact,))


def flying(*contacts: AbstractElement) -> Model:
    bodies = (
        Body("a", 20.0, (0.1, 0.0, 0.05), (3.0, 4.0, 5.0), {"nose": (0.6, 0.1, 0.0)}),
        Body("b", 35.0, (0.0, -0.1, 0.0), (6.0, 5.0, 4.0), {"face": (-0.5, 0.0, 0.1)}),
    )
    joints = Joint("fa", GROUND, "a", Free()), Joint("fb", GROUND, "b", Free())
    return Model("pair", bodies, joints, NONE, contacts)


# The force begins as d^p, so RK4 loses order at the touch: measured 2.4e-8, 2.4e-11 and 1.3e-13; ten times and more.
@pytest.mark.parametrize(("exponent", "error"), [(1.0, 3e-7), (1.5, 1e-9), (2.0, 1e-11)])
@pytest.mark.parametrize("cv", [0.2, 1.5])
@pytest.mark.parametrize("kind", ["spheres", "plane"])
def test_restitution(kind: str, cv: float, exponent: float, error: float) -> None:
    """Independent of stiffness, exponent and masses; both bodies move."""
    closing = 0.8
    law = {"stiffness": 4e4, "exponent": exponent, "damping": cv / closing}
    spheres = SphereContact("touch", "a", 0.2, body_b="b", radius_b=0.3, **law)  # type: ignore[arg-type]
    plane = PlaneContact("touch", "a", radius=0.2, body_b="b", point_b=(-0.3, 0, 0), normal=(-1, 0, 0), **law)  # type: ignore[arg-type]
    model = on_a_rail(spheres if kind == "spheres" else plane)
    run = simulate(model, 0.6, 1e-5, q0=[0.0, 0.51], v0=[0.5, -0.3], every=100)
    parting = run.v[-1, 1] - run.v[-1, 0]
    assert parting / closing == pytest.approx(restitution(cv), abs=error)
    np.testing.assert_allclose(run.v @ [2.0, 3.0], 2.0 * 0.5 - 3.0 * 0.3, atol=1e-14)
    E = run.total_energy
    assert np.diff(E).max() < 1e-12 * E[0] and E[-1] < E[0]


def test_hertz_time_of_contact() -> None:
    """2 d_max / v times B(2/5, 1/2) * 2/5 (Johnson, Contact Mechanics, 11.2); samples every 10 us resolve 1e-5 s."""
    m, k, v = 2.0 * 3.0 / 5.0, 5e5, 0.5
    deepest = (5 * m * v**2 / (4 * k)) ** 0.4
    expected = 2 * deepest / v * 0.4 * math.sqrt(math.pi) * gamma(0.4) / gamma(0.9)
    run = simulate(on_a_rail(SphereContact("t", "a", 0.2, k, body_b="b")), 0.06, 1e-5, q0=[0, 0.21], v0=[v, 0.0])
    d = 0.2 - (run.q[:, 1] - run.q[:, 0])
    assert d.max() == pytest.approx(deepest, rel=1e-6)
    assert np.count_nonzero(d > 0) * 1e-5 == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(
    "contact",
    [
        SphereContact("t", "a", 0.15, 3e4, "nose", "b", "face", 0.2, damping=0.5, friction=0.3),
        PlaneContact("t", "a", 3e4, 0.15, "nose", "b", "face", (-1.0, 0.1, 0.2), damping=0.5, friction=0.3),
    ],
    ids=["spheres", "plane"],
)
def test_oblique_impact_keeps_momentum_and_never_gains_energy(contact: AbstractElement) -> None:
    """Spinning bodies, off centre, with friction. At 0.1 ms RK4's error is below the rounding of 20 000 steps: measured
    4e-12 of the momenta; energy rises between samples by 6e-11 where friction passes through rest."""
    model = flying(contact)
    q0 = {"fb.x": 1.5, "fb.y": 0.1}
    v0 = {"fa.vx": 0.6, "fa.wz": 0.1, "fb.wx": 0.5, "fb.wy": -0.2, "fb.vx": -0.2}
    run = simulate(model, 2.0, 1e-4, q0=q0, v0=v0)
    momenta = compile(Outputs(Tree(model)).momenta).map(q=run.q, v=run.v)
    for rows in (momenta["linear"], momenta["angular"]):
        assert np.abs(rows - rows[0]).max() < 2e-11 * np.abs(rows).max()
    E = run.total_energy
    assert E[-1] < 0.97 * E[0]
    assert np.diff(E).max() < 3e-10 * E[0]


def test_wrenches_are_equal_and_opposite() -> None:
    """At any place and speed, to rounding: no net force, and no net moment about the world's origin."""
    contact = PlaneContact("t", "a", 3e4, 0.15, "nose", "b", "face", (-1.0, 0.1, 0.2), damping=0.5, friction=0.3)
    spheres = SphereContact("s", "a", 0.5, 3e4, "nose", "b", "face", 0.5, damping=0.5, friction=0.3)
    rng = np.random.default_rng(0)
    for element in (contact, spheres):
        tree, touched = Tree(flying(element)), 0
        for _ in range(20):
            Q = rng.standard_normal((2, 4))
            Q /= np.linalg.norm(Q, axis=1)[:, None]
            q = np.concatenate([rng.uniform(-0.3, 0.3, 3), Q[0], rng.uniform(-0.3, 0.3, 3), Q[1]])
            tau = numbers(tree.element_force.function(q, rng.uniform(-1, 1, 12)))
            total = np.zeros(6)
            for at_q, at_v in ((0, 0), (7, 6)):
                p, R = q[at_q : at_q + 3], _R(q[at_q + 3 : at_q + 7])
                moment, force = R @ tau[at_v : at_v + 3], R @ tau[at_v + 3 : at_v + 6]
                total += np.concatenate([moment + np.cross(p, force), force])
            np.testing.assert_allclose(total, 0.0, atol=1e-12 * max(1.0, np.abs(tau).max()))
            touched += bool(np.abs(tau).max())
        assert touched > 3


def _R(Q: Any) -> Any:
    w, u = Q[0], Q[1:]
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def test_friction_stops_a_block() -> None:
    """On the ground under gravity, v0 / (mu g) seconds less the last bit below v_s: 1 % of the way."""
    mu, g, v0, m, k = 0.4, 9.81, 1.0, 2.0, 1e5
    slide = PlaneContact("floor", "block", k, friction=mu, v_s=1e-4, exponent=1.0, damping=1.0)
    body, joint = Body("block", m, inertia=(1e3, 1e3, 1e3)), Joint("fly", GROUND, "block", Free())
    model = Model("block", (body,), (joint,), (0.0, 0.0, -g), (slide,))
    run = simulate(model, 0.4, 1e-4, q0={"fly.z": -m * g / k}, v0={"fly.vx": v0}, every=10)
    stop = v0 / (mu * g)
    assert run.q[-1, 0] == pytest.approx(v0 * stop / 2, rel=0.01)
    moving = run.t < 0.9 * stop
    np.testing.assert_allclose(run.column("v.fly.vx")[moving], v0 - mu * g * run.t[moving], atol=1e-3)
    assert abs(run.column("v.fly.vx")[-1]) < 1e-4


def test_apart_nothing_acts() -> None:
    model = flying(SphereContact("t", "a", 0.15, 3e4, "nose", "b", "face", 0.2, damping=0.5, friction=0.3))
    q = [0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 1, 0, 0, 0]
    np.testing.assert_array_equal(numbers(Tree(model).element_force.function(q, np.ones(12))), 0.0)
    onto = on_a_rail(SphereContact("t", "a", 0.2, 1e3, body_b="b"))  # one centre: no direction
    np.testing.assert_array_equal(numbers(Tree(onto).element_force.function([0.0, 0.0], [1.0, 0.0])), 0.0)


def test_stiff_methods_can_differentiate_it() -> None:
    """The derivative at and before the touch is a number, so rodas3 comes to the closed form as well: 2e-7 off."""
    model = on_a_rail(SphereContact("t", "a", 0.2, 4e4, body_b="b", radius_b=0.3, damping=0.25))
    run = simulate(model, 0.6, 1e-4, method="rodas3", q0=[0.0, 0.5], v0=[0.5, -0.3], every=100)
    assert (run.v[-1, 1] - run.v[-1, 0]) / 0.8 == pytest.approx(restitution(0.2), abs=2e-6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SphereContact("s", "a", 0.0, 1e3, body_b="b"), "both radii are 0"),
        (lambda: SphereContact("s", "a", -1.0, 1e3, body_b="b"), "radius_a is -1 m, it must be at least 0"),
        (lambda: SphereContact("s", "a", 0.1, 1e3, body_b="a"), "both surfaces are on 'a'"),
        (lambda: SphereContact("s", "a", 0.1, 0.0, body_b="b"), "stiffness is 0 .*must be positive"),
        (lambda: SphereContact("s", "a", 0.1, 1e3, body_b="b", exponent=0.5), "exponent is 0.5 .*at least 1"),
        (lambda: SphereContact("s", "a", 0.1, 1e3, "nos", "b"), "body 'a' has no point 'nos'; points: nose"),
        (lambda: PlaneContact("p", "a", 1e3, -0.1), "radius is -0.1 m"),
        (lambda: PlaneContact("p", "a", 1e3, body_b="a"), "both surfaces are on 'a'"),
        (lambda: PlaneContact("p", "a", 1e3, normal=NONE), "plane contact 'p': normal: axis"),
        (lambda: PlaneContact("p", "a", 1e3, damping=-1.0), "damping is -1 s/m, it must be at least 0"),
        (lambda: PlaneContact("p", "a", 1e3, friction=math.nan), "friction is nan"),
        (lambda: PlaneContact("p", "c", 1e3), "plane contact 'p': body 'c' not found; bodies: a, b, ground"),
    ],
)
def test_bad_contacts(make: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        flying(make())

"""Free flight by momentum: the same motion, and momentum kept to rounding."""

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody import Body, Joint, Model
from motionbase.multibody.elements import JointSpring, PointForce
from motionbase.multibody.integrators import METHODS
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.model import GROUND
from motionbase.multibody.models import MODELS
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.flight import Flight
from motionbase.multibody.tree.outputs import Outputs
from tests.tier import some_of


def satellite(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Model:
    """A body with two arms, one of them on a spring."""
    bodies = (
        Body("hub", 40.0, (0.1, 0.0, 0.05), (8.0, 9.0, 7.0), points={"nozzle": (0.3, 0.2, -0.4)}),
        Body("left", 5.0, (0.5, 0.0, 0.0), (0.1, 0.6, 0.6)),
        Body("right", 8.0, (0.4, 0.1, 0.0), (0.2, 0.7, 0.7)),
    )
    joints = (
        Joint("flight", GROUND, "hub", Free()),
        Joint("l", "hub", "left", revolute((0.0, 0.0, 1.0)), (0.4, 0.3, 0.0)),
        Joint("r", "hub", "right", revolute((0.0, 1.0, 0.0)), (0.4, -0.3, 0.0)),
    )
    elements = (JointSpring("spring", "r", 30.0), PointForce("thrust", "hub", "nozzle"))
    return Model("satellite", bodies, joints, gravity, elements=elements)


Q0 = {"l": 0.3, "r": -0.5}
V0 = {"flight.wx": 0.4, "flight.vz": 0.2, "l": 3.0, "r": -2.0}


def test_momentum_and_speeds_are_inverse() -> None:
    flight = Flight(Tree(satellite()))
    rng = np.random.default_rng(2)
    q = rng.standard_normal(flight.model.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    v = rng.standard_normal(flight.model.nv)
    u = compile(flight.momenta)(q=q, v=v)
    np.testing.assert_allclose(compile(flight.speeds)(q=q, u=u), v, rtol=0, atol=1e-13)  # six equations, condition 100
    momenta = compile(Outputs(flight.tree).momenta)(q=q, v=v)
    np.testing.assert_allclose(u[:6], np.concatenate([momenta[2], momenta[0]]), rtol=1e-13)


def test_rate_of_momentum_is_what_speeds_give() -> None:
    """u_dot against the chain rule on u(q, v), with weight, thrust, spring and a wrench on the base."""
    flight = Flight(Tree(satellite((0.0, 0.0, -9.81))))
    tree, rng = flight.tree, np.random.default_rng(3)
    q = rng.standard_normal(9)
    q[3:7] /= np.linalg.norm(q[3:7])
    v, tau, force = rng.standard_normal(8), rng.standard_normal(8), rng.standard_normal(3)
    v_dot = compile(tree.forward_dynamics)(q, v, tau, force)
    momenta = compile(flight.momenta)
    u = momenta(q=q, v=v)
    u_dot = compile(flight.forward_dynamics)(q, u, tau, force)
    h = 1e-6
    run = simulate(tree, h, h, q0=q, v0=v, inputs={"tau": tau, "thrust_force": force})
    later = momenta(q=run.q[-1], v=run.v[-1])
    # a forward difference of 1 us: off by h times the second derivative, a few hundred here
    np.testing.assert_allclose((later - u) / h, u_dot, atol=2e-3)
    np.testing.assert_allclose(u_dot[6:], v_dot[6:], rtol=1e-11)


@pytest.mark.parametrize("method", some_of(METHODS, 3))
def test_kept_to_rounding_by_every_method(method: str) -> None:
    tree = Tree(satellite())
    dt = 1e-3 if method == "euler" else 1e-2
    kernel = compile(Outputs(tree).momenta)
    drift = {}
    systems: dict[str, Tree | Flight] = {"speeds": tree, "momentum": Flight(tree)}
    for name, system in systems.items():
        run = simulate(system, 2.0, dt, method=method, q0=Q0, v0=V0)
        total = kernel.map(q=run.q, v=run.v)
        change = [np.abs(total[k] - total[k][0]).max() / np.linalg.norm(total[k][0]) for k in ("linear", "angular_W")]
        drift[name] = max(change)
    assert drift["momentum"] < 1e-13  # a few hundred roundings of numbers ten times larger than the sum
    assert drift["speeds"] > 100 * drift["momentum"]


def test_same_motion_as_by_speeds() -> None:
    tree = Tree(satellite((0.0, 0.0, -9.81)))
    thrust = {"thrust_force": lambda t: (2.0 * np.sin(3 * t), 1.0, 0.0)}
    a, b = (simulate(s, 1.0, 1e-3, inputs=thrust, q0=Q0, v0=V0) for s in (tree, Flight(tree)))
    # both are RK4 with errors of order h^4 = 1e-12 times derivatives of some hundreds
    np.testing.assert_allclose(a.q[-1], b.q[-1], atol=1e-9)
    np.testing.assert_allclose(a.v[-1], b.v[-1], atol=1e-9)


def test_refused_where_something_else_holds_it() -> None:
    with pytest.raises(ModelError, match="only where one free joint joins it to the ground"):
        Flight(Tree(MODELS["srms"].build()))

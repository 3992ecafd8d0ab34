"""Equilibria against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import equilibrium, modes
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import JointSpring, PointSpring
from motionbase.multibody.joints import Free, revolute, universal
from motionbase.multibody.models.classics import pendulum, top
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.mechanisms import four_bar, four_bar_angles

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
G = 9.80665
NONE = (0.0, 0.0, 0.0)
CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.7  # lengths of the four-bar [m]


def hanging_chain(n: int, l: float, span: float) -> Model:
    """Bars with point masses at their ends, hung up at both ends; in the x-z plane."""
    bodies = tuple(Body(f"b{k}", 1.0, (l, 0, 0), points={"end": (l, 0, 0)}) for k in range(n))
    joints = tuple(
        Joint(f"j{k}", GROUND if k == 0 else f"b{k - 1}", f"b{k}", revolute(Y), NONE if k == 0 else "end")
        for k in range(n)
    )
    hook = PointClosure("hook", f"b{n - 1}", "end", GROUND, (span, 0, 0))
    return Model("chain", bodies, joints, (0, 0, -G), closures=(hook,))


def test_hanging_chain_is_a_string_polygon() -> None:
    """Horizontal force is the same in all links, and tan(slope) rises by the same step from link to link."""
    n = 6
    model = hanging_chain(n, 0.5, 2.0)
    guess = np.full(n, -0.3)
    guess[0] = 1.0
    rest = equilibrium(model, guess)
    slopes = np.tan(np.cumsum(rest.q))
    np.testing.assert_allclose(np.diff(slopes, 2), 0, atol=1e-8)
    np.testing.assert_allclose(slopes, -slopes[::-1], atol=1e-8)
    assert slopes[0] > 0 and rest.force < 1e-8 and rest.closure < 1e-10 and rest.steps < 60
    found = modes(model, rest.q)
    assert set(found.kinds) == {"oscillation"} and len(found) == n - 2


def test_four_bar_with_spring_balances() -> None:
    """The work of gravity and spring along the crank's turn, from the closed-form angles, is zero at rest."""
    spring = PointSpring("spring", "crank", "tip", GROUND, (BASE, 0.0, 0.0), 200.0, length=0.3)
    model = four_bar(elements=(spring,))
    rest = equilibrium(model, four_bar_angles(1.0))

    def energy(crank: float) -> float:
        _, coupler, rocker = four_bar_angles(crank)
        tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
        middle = tip[1] + COUPLER / 2 * np.sin(crank + coupler)
        weight = 9.81 * (1.0 * tip[1] / 2 + 2.0 * middle + 1.5 * ROCKER / 2 * np.sin(rocker))
        return float(weight + 100.0 * (np.hypot(tip[0] - BASE, tip[1]) - 0.3) ** 2)

    h = 1e-4
    crank = rest.q[0]
    slope = (energy(crank + h) - energy(crank - h)) / (2 * h)
    curve = (energy(crank + h) - 2 * energy(crank) + energy(crank - h)) / h**2
    assert abs(slope) < 1e-5 * curve
    found = modes(model, rest.q)
    at = found.linear
    assert len(found) == 1 and at.n == 1
    tangent = at.basis / at.basis[0]
    mass = float((tangent.T @ np.array(Tree(model).mass_matrix.function(rest.q)) @ tangent).item())
    np.testing.assert_allclose(found.frequencies[0], np.sqrt(curve / mass) / (2 * np.pi), rtol=1e-5)


def test_equilibrium_searches_and_inputs() -> None:
    np.testing.assert_allclose(equilibrium(pendulum(), [np.pi / 2]).q, 0, atol=1e-12)
    np.testing.assert_allclose(equilibrium(pendulum(), [3.0], search="nearest").q, np.pi, atol=1e-12)
    held = equilibrium(pendulum(0.75, 2.0), inputs={"tau": [2.0 * G * 0.75 / 2]})
    np.testing.assert_allclose(held.q, np.pi / 6, atol=1e-12)
    turned = equilibrium(top(), {"tip": [0.9, 0.3, 0.2, 0.1]})
    R_zz = 1 - 2 * (turned.q[1] ** 2 + turned.q[2] ** 2)
    np.testing.assert_allclose(R_zz, -1, atol=1e-12)
    with pytest.raises(ModelError, match="'pivot' is still|no equilibrium"):
        equilibrium(pendulum(0.75, 2.0), inputs={"tau": [2.1 * G * 0.75]})
    falling = Model("falling", (Body("b", 2.0, inertia=(1, 1, 1)),), (Joint("fly", GROUND, "b", Free()),))
    with pytest.raises(ModelError, match=r"no equilibrium found .* 'fly.z' is still -19.6"):
        equilibrium(falling)
    with pytest.raises(ModelError, match="no coordinates near the guess meet the closures; hook"):
        equilibrium(hanging_chain(3, 0.5, 2.0))
    with pytest.raises(ModelError, match="no input 'torque'"):
        equilibrium(pendulum(), inputs={"torque": 1.0})
    with pytest.raises(ModelError, match="search is 'best'"):
        equilibrium(pendulum(), search="best")  # type: ignore[arg-type]


def test_search_for_a_stable_place_leaves_saddles() -> None:
    """From a plane of symmetry, a ball joint's weight could stop at the top of its circle; it must not."""
    upright = Model("up", (Body("b", 1.0, (0, 0, 0.5), (0.1, 0.1, 0.1)),), (Joint("u", GROUND, "b", universal(X, Y)),))
    hook = replace(upright, elements=(JointSpring("k", "u", 100.0, rest=0.0),))  # holds one axis only
    rest = equilibrium(hook, {"u": [0.2, 0.0]})
    assert set(modes(hook, rest.q).kinds) == {"oscillation"}
    stays = equilibrium(hook, {"u": [0.0, 0.0]})  # in balance itself: it is what was asked for
    np.testing.assert_array_equal(stays.q, 0)
    assert modes(hook, stays.q).kinds == ("growth", "oscillation")

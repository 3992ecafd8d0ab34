"""Mechanisms with published or closed-form answers: Andrews' squeezer, four-bars in a row, Bricard, the governor."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motionbase.errors import ModelError
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.loops import bricard, flyball_governor, n_four_bar, upright
from motionbase.multibody.models.squeezer import REFERENCE, andrews
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.loops import Loops


def example(name: str, seconds: float, dt: float, **more: Any) -> Trajectory:
    found = MODELS[name]
    return simulate(found.build(), seconds, dt, q0=found.q0, v0=found.v0, **more)


# ---- Andrews' squeezer ---------------------------------------------------------------------------------------------


def squeezed(dt: float, engine: Any) -> np.ndarray:
    """Angles at 30 ms less the reference [rad]."""
    found = example("andrews", 0.03, dt, engine=engine)
    return np.array([found.column(f"q.{name}")[-1] - value for name, value in REFERENCE.items()])


def test_the_squeezer_in_the_tree() -> None:
    """RK4 at 10 and 5 us: 5.7e-8 and 6.0e-9 rad; fourth order would leave 4e-9, the gains of the closures the rest."""
    coarse, fine = (np.abs(squeezed(dt, "tree")).max() for dt in (1e-5, 5e-6))
    assert fine < 2e-8 and coarse / fine > 7.0


@pytest.mark.long("9,000 steps of 125 equations")
def test_the_squeezer_in_the_network() -> None:
    """At 10 and 5 us 8.4e-5 and 2.1e-5 rad: second order. Extrapolated (Richardson), 2.4e-7."""
    coarse, fine = squeezed(1e-5, "network"), squeezed(5e-6, "network")
    assert np.log2(np.abs(coarse).max() / np.abs(fine).max()) == pytest.approx(2.0, abs=0.1)
    assert np.abs((4 * fine - coarse) / 3).max() < 1e-6


def test_the_squeezer_starts_closed() -> None:
    """Published start values meet the loops to 16 digits, and the first acceleration is the published one.

    14222.4 and -10666.8 rad/s^2 of K1 and K2 (Hairer & Wanner), the others stand still.
    """
    loops = Loops(andrews(), 1e-5)
    q = np.array([MODELS["andrews"].q0[joint.name] for joint in andrews().joints])
    a = np.array(loops.forward_dynamics.function(q, np.zeros(7), np.zeros(7))[0]).ravel()
    np.testing.assert_allclose(a, [14222.44391995411, -10666.83293996558, 0, 0, 0, 0, 0], rtol=1e-9, atol=1e-4)


# ---- four-bars in a row --------------------------------------------------------------------------------------------


@cache
def tip_of_parallel_cranks(loops: int, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the first tip: all cranks parallel are one pendulum.

    ((N + 1) / 3 + N) angle_ddot = -g cos(angle) ((N + 1) / 2 + N)
    """
    ratio = ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    made = solve_ivp(
        lambda _, y: [y[1], -ratio * 9.81 * np.cos(y[0])], (0, seconds), [np.pi / 2, -1], rtol=1e-12, atol=1e-13
    )
    angle, rate = made.y[:, -1]
    return np.array([np.cos(angle), np.sin(angle)]), rate * np.array([-np.sin(angle), np.cos(angle)])


def test_the_pendulum_gives_the_published_reference() -> None:
    """B0 at t = 10 s, six digits printed."""
    p, v = tip_of_parallel_cranks(2, 10.0)
    np.testing.assert_allclose([*p, *v], [0.328457, 0.944519, 1.42305, -0.494867], rtol=0, atol=3e-6)


# Second order of the network: 1.4e-5 rad at 0.5 ms. The tree's RK4 leaves 3e-10. Both pass flat, singular positions.
@pytest.mark.parametrize(("engine", "dt", "error"), [("tree", 1e-3, 1e-8), ("network", 5e-4, 3e-5)])
@pytest.mark.parametrize("loops", [2, pytest.param(5, marks=pytest.mark.long("compiles 11 bodies"))])
def test_four_bars_pass_singular_positions(engine: Any, dt: float, error: float, loops: int) -> None:
    q0, v0 = upright(loops)
    found = simulate(n_four_bar(loops), 10.0, dt, engine=engine, q0=q0, v0=v0)
    p, v = tip_of_parallel_cranks(loops, 10.0)
    angle, rate = found.column("q.j_crank0"), found.column("v.j_crank0")
    assert np.sum(np.diff(np.floor(angle / np.pi)) != 0) > 5  # flat, again and again
    np.testing.assert_allclose([np.cos(angle[-1]), np.sin(angle[-1])], p, rtol=0, atol=error)
    np.testing.assert_allclose(
        [-rate[-1] * np.sin(angle[-1]), rate[-1] * np.cos(angle[-1])], v, rtol=0, atol=10 * error
    )
    cranks = np.array([found.column(f"q.j_crank{k}") for k in range(loops + 1)])
    assert np.ptp(cranks, axis=0).max() < 1e-8  # no crank takes another branch


@pytest.mark.parametrize("loops", [0, 1.5, True])
def test_the_number_of_loops_is_checked(loops: Any) -> None:
    with pytest.raises(ModelError, match="a whole number from 1 is wanted"):
        n_four_bar(loops)


# ---- Bricard -------------------------------------------------------------------------------------------------------


def test_bricard_has_one_row_too_many_and_it_is_named() -> None:
    """Five hinges of freedom and five rows: it would stand still, if one of them did not follow from the others."""
    found = Loops(bricard(), 1e-3).redundant
    assert len(found) == 1 and found[0].row.startswith("hinge6.")


BOTH = ["tree", pytest.param("network", marks=pytest.mark.long("compared with the tree elsewhere"))]


@pytest.mark.parametrize("engine", BOTH)
def test_bricard_keeps_its_symmetry(engine: Any) -> None:
    """Hinges 1, 3, 5 turn alike and so do 2 and 4; between the two angles there is one equation of the loop.

    For twists of a right angle it is cos a + cos b + cos a cos b = 0, with angles that are right in the cube.
    """
    found = example("bricard", 2.0, 2e-3, engine=engine)
    a, b = np.pi / 2 - found.q[:, 0], np.pi / 2 - found.q[:, 1]
    assert np.ptp(a) > 1.0
    assert np.abs(found.q[:, [2, 4]] - found.q[:, [0]]).max() < 1e-8
    assert np.abs(found.q[:, 3] - found.q[:, 1]).max() < 1e-8
    assert np.abs(np.cos(a) + np.cos(b) + np.cos(a) * np.cos(b)).max() < 1e-8


# ---- the governor --------------------------------------------------------------------------------------------------


def test_the_governor_keeps_its_angular_momentum() -> None:
    """Springs act within, and the bearing of the shaft is free: spin times the moment of inertia at the rods' angle."""
    found = example("flyball_governor", 1.0, 1e-3, engine="network")
    bodies = {body.name: body for body in flyball_governor().bodies}
    rod = bodies["left_rod"]
    J = np.array(rod.inertia)
    down = found.column("q.left")
    arm = 0.05 + rod.com[0] * np.cos(down)
    about_axis = J[0, 0] * np.sin(down) ** 2 + J[2, 2] * np.cos(down) ** 2 + rod.mass * arm**2
    rest = np.array(bodies["shaft"].inertia)[2, 2] + np.array(bodies["slider"].inertia)[2, 2]
    momentum = found.column("v.spin") * (2 * about_axis + rest)
    assert np.abs(found.column("q.left") - found.column("q.right")).max() < 1e-12
    # of second order in the step, over a spin that changes by more than a third
    assert np.ptp(found.column("v.spin")) > 1.0
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-3)

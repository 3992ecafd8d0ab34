"""Closed chains in space: accelerations stay right far from the places at which pivots were looked at."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import WeldClosure
from motionbase.multibody.joints import revolute
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.watch import SimulationWarning
from tests.tier import some_of

H = 1e-3


def spatial_loop(seed: int, n: int) -> tuple[Model, np.ndarray, np.ndarray]:
    """A closed chain of n hinges in any directions, with a start and speeds; illustrative numbers."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i in range(n):
        points = {"t": tuple(rng.normal(size=3) * 0.5)}
        com = tuple(rng.normal(size=3) * 0.2)
        bodies.append(Body(f"b{i}", rng.uniform(0.5, 3.0), com, (0.1, 0.12, 0.15), points=points))
        parent, place = (f"b{i - 1}", "t") if i else (GROUND, (0.0, 0.0, 0.0))
        joints.append(Joint(f"j{i}", parent, f"b{i}", revolute(tuple(rng.normal(size=3))), place))
    model, q0 = Model("loop", tuple(bodies), tuple(joints)), rng.normal(size=n)
    at = Tree(model).state(ca.SX(ca.DM(q0)), ca.SX(n, 1)).point(f"b{n - 1}", "t")
    U, _, V = np.linalg.svd(np.array(ca.DM(at.R)))
    orientation: Any = tuple(map(tuple, U @ V))
    end: Any = tuple(np.array(ca.DM(at.p)).ravel())
    weld = WeldClosure("w", f"b{n - 1}", "t", GROUND, end, orientation=orientation)
    return replace(model, closures=(weld,)), q0, rng.normal(size=n) * 2.0


def dense_accelerations(loops: Loops, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v_dot of each row by numpy's pivoted solve of the whole system, and its condition."""
    model, tree = loops.model, Tree(replace(loops.model, closures=()))
    x, y = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    e = model.closures[0].equations(loops.tree.state(x, y))
    K_err, D_err = loops.gains(model.closures[0].name)
    parts = ca.Function("parts", [x, y], [e.J, -e.bias - D_err * e.rate - K_err * e.residual])
    found, conditions = [], []
    for one, speed in zip(q, v, strict=True):
        J, sigma = (np.array(a) for a in parts(one, speed))
        M, G = (np.array(a) for a in (tree.mass_matrix.function(one), tree.bias_force.function(one, speed)))
        A = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        found.append(np.linalg.solve(A, np.vstack([G, sigma])).ravel()[: model.nv])
        conditions.append(np.linalg.cond(A))
    return np.array(found), np.array(conditions)


@pytest.mark.parametrize(("seed", "n"), some_of([(1, 8), (6, 9), (2, 8), (3, 8), (4, 8), (5, 8)], 1))
def test_accelerations_of_spatial_loops_are_those_of_a_pivoted_solve(seed: int, n: int) -> None:
    """Wherever motion leads: with pairs of rows and speeds as pivots, such runs cross places where these vanish.

    An unpivoted solve in a definite order loses what the system's condition loses, as numpy's does: 100 eps times it.
    """
    model, q0, v0 = spatial_loop(seed, n)
    loops = Loops(model, H, around=q0)
    run = simulate(loops, 10.0, H, q0=q0, start=(None, v0), every=20)
    forward = loops.forward_dynamics.function.map(len(run.q))
    ours = np.array(forward(run.q.T, run.v.T, np.zeros_like(run.v.T))[0]).T
    theirs, condition = dense_accelerations(loops, run.q, run.v)
    error = np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max(axis=1)
    assert np.all(error < 1e-9)
    assert np.all(error < 100 * np.finfo(float).eps * condition)


def test_sparse_pivots_that_vanish_are_reported() -> None:
    """The same chain with pivots that are good at a few places only: the run says where it cannot be trusted."""
    model, q0, v0 = spatial_loop(1, 8)
    loops = Loops(model, H, around=q0, pivots="sparse")
    with pytest.warns(SimulationWarning, match="not solved soundly .* use pivots='safe'"):
        simulate(loops, 7.0, H, q0=q0, start=(None, v0), every=2)

"""Closures away from the places that were looked at: pivots, singular places, half turns, taking hold in a run."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import equilibrium
from motionbase.multibody.closures import DistanceClosure, PointClosure, WeldClosure
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs

H = 1e-3
HINGE = revolute((0, 1, 0))


def bar(name: str, length: float = 1.0, **points: float) -> Body:
    """Along x, with points on it."""
    inertia = (0.001, length**2 / 12, length**2 / 12)
    where = {"tip": (length, 0.0, 0.0), **{k: (x, 0.0, 0.0) for k, x in points.items()}}
    return Body(name, 1.0, (length / 2, 0, 0), inertia, points=where)


def parallelogram() -> Model:
    """Cranks of 1 m, 2 m apart."""
    return Model(
        "parallelogram",
        (bar("left"), bar("coupler", 2.0), bar("right")),
        (
            Joint("j1", GROUND, "left", HINGE),
            Joint("jc", "left", "coupler", HINGE, "tip"),
            Joint("j2", GROUND, "right", HINGE, (2.0, 0.0, 0.0)),
        ),
        gravity=(0.0, 0.0, 0.0),
        closures=(PointClosure("pin", "coupler", "tip", "right", "tip"),),
    )


def double_parallelogram() -> Model:
    """Three cranks on one coupler: four rows in the plane, one of which follows from the others."""
    return Model(
        "double",
        (bar("c1"), bar("coupler", 2.0, mid=1.0), bar("c2"), bar("c3")),
        (
            Joint("j1", GROUND, "c1", HINGE),
            Joint("jc", "c1", "coupler", HINGE, "tip"),
            Joint("j2", GROUND, "c2", HINGE, (1.0, 0.0, 0.0)),
            Joint("j3", GROUND, "c3", HINGE, (2.0, 0.0, 0.0)),
        ),
        closures=(PointClosure("p2", "coupler", "mid", "c2", "tip"), PointClosure("p3", "coupler", "tip", "c3", "tip")),
    )


@pytest.mark.parametrize("a", [-2.7, -0.9, 0.3, 0.6, 0.7, 1.2, 2.4, 3.0])
def test_redundant_rows_are_judged_where_the_start_is(a: float) -> None:
    """A start that meets the closures is taken as it is, and one row is dropped, not none."""
    q0 = [a, -a, a, a]
    run = simulate(double_parallelogram(), 0.05, H, q0=q0)
    np.testing.assert_array_equal(run.q[0], q0)
    # it swings as a whole: coordinates a, -a, a, a; RK4 at 1 ms leaves 1e-9
    np.testing.assert_allclose(run.q, run.q[:, :1] * [1, -1, 1, 1], atol=1e-8)
    rows = Loops(double_parallelogram(), H, around=q0)
    assert len(rows.redundant) == 3  # two rows out of the plane, and one in it


def test_singular_places_are_named() -> None:
    """Flat at the start, flat on the way, and flat as the only place there is."""
    with pytest.raises(SimulationError, match=r"dependent at the start \(pin.*redundancy='regularise'"):
        simulate(parallelogram(), 0.1, H, q0=[0, 0, 0])
    # turning at 2 rad/s from 1 rad below, step 500 begins at the flat place to rounding
    turning: dict[str, Any] = {"q0": [-1, 1, -1], "v0": [2.0, -2.0, 2.0]}
    with pytest.raises(
        SimulationError, match=r"at t = 0.5 s the closures are dependent \(pin.*redundancy='regularise'"
    ):
        simulate(parallelogram(), 1.0, H, **turning)
    run = simulate(parallelogram(), 1.0, H, redundancy="regularise", **turning)
    np.testing.assert_allclose(run.v[-1], [2.0, -2.0, 2.0], atol=1e-5)  # no gravity: it turns on
    straight = replace(
        parallelogram(),
        bodies=(bar("left"), bar("coupler"), bar("right")),
        joints=(*parallelogram().joints[:2], Joint("j2", GROUND, "right", HINGE, (3.0, 0.0, 0.0))),
    )
    straight = replace(straight, closures=(PointClosure("pin", "coupler", "tip", "right", (-1.0, 0.0, 0.0)),))
    with pytest.raises(ModelError, match=r"dependent at this place \(pin.*redundancy='regularise'"):
        simulate(straight, 0.1, H, q0=[0, 0, 0])


def test_a_start_that_no_place_meets_names_the_row_and_the_miss() -> None:
    far = replace(parallelogram(), closures=(PointClosure("pin", "coupler", "tip", GROUND, (9.0, 0.0, 0.0)),))
    with pytest.raises(ModelError, match=r"misses pin\.x by"):
        simulate(far, 0.1, H, q0=[0.3, 0.2, 0.1])


def free_pair(**weld: Any) -> Model:
    """Two free bodies whose points can be held together."""
    return Model(
        "pair",
        (
            Body("a", 2.0, inertia=(1.0, 2.0, 3.0), points={"p": (1.0, 0, 0)}),
            Body("b", 5.0, (0.1, 0, 0), (3.0, 1.0, 2.5), points={"p": (-1.0, 0, 0)}),
        ),
        (Joint("fa", GROUND, "a", Free()), Joint("fb", GROUND, "b", Free(), (2.0, 0, 0))),
        gravity=(0.0, 0.0, 0.0),
        closures=(WeldClosure("w", "a", "p", "b", "p", **weld),),
    )


@pytest.mark.parametrize("Q", [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0, 0.8]])
def test_a_weld_half_a_turn_off_is_not_met(Q: list[float]) -> None:
    """Twice the vector part of the quaternion is 2 there; a start is turned until the frames agree."""
    model = Model(
        "held",
        (Body("a", 1.0, inertia=(1.0, 1.0, 1.0)),),
        (Joint("f", GROUND, "a", Free()),),
        gravity=(0.0, 0.0, 0.0),
        closures=(WeldClosure("w", "a"),),
    )
    loops = Loops(model, H)
    q = np.array([0.0, 0, 0, *Q])
    residual = np.array(loops.residuals.function(q, np.zeros(6))[0]).ravel()
    np.testing.assert_allclose(np.abs(residual[3:]), 2 * np.abs(Q[1:]), atol=1e-15)
    for found in (simulate(model, 0.01, H, start=(q, None)).q[0], equilibrium(model, q).q):
        np.testing.assert_allclose(np.abs(found[3:]), [1, 0, 0, 0], atol=1e-9)
    small = np.array([0.0, 0, 0, np.cos(5e-4), 0, np.sin(5e-4), 0])  # 1 mrad
    residual = np.array(loops.residuals.function(small, np.zeros(6))[0]).ravel()
    np.testing.assert_allclose(residual[3:], [0, 1e-3, 0], atol=1e-10)  # the angle, but for its cube over 24


def test_points_in_one_place_are_refused_by_name() -> None:
    """A rod needs a direction, which a distance of zero does not have."""
    model = Model(
        "rod",
        (Body("a", 1.0, inertia=(1.0, 1.0, 1.0)),),
        (Joint("f", GROUND, "a", Free()),),
        closures=(DistanceClosure("d", "a", distance=0.5),),
    )
    with pytest.raises(SimulationError, match=r"closure 'd' has no direction at the start"):
        simulate(model, 0.1, H)
    with pytest.raises(ModelError, match="two points of a distance closure must be apart"):
        equilibrium(model)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_closure_that_takes_hold_in_a_run_captures(method: str) -> None:
    """Speeds jump as `capture` says: momentum stays, and energy is what it leaves, whatever rows are kept."""
    loops = Loops(free_pair(switchable=True), H)
    v0 = 0.3 * np.array([0.3, -0.2, 0.1, 0.4, 0.1, 0.2, -0.1, 0.2, 0.3, -0.2, 0.1, 0.3])
    active = np.array([0.0] * 3 + [1.0] * 97)
    run, free = (
        simulate(loops, n * H, H, v0=v0, inputs={"w_active": x}, method=method, every=k)
        for n, x, k in ((100, active, 2), (3, np.zeros(3), 1))
    )
    q, v = free.q[-1], free.v[-1]  # open by 0.5 mm by then, less than the largest gap
    v_plus = compile(loops.capture)(q=q, v=v, w_active=1.0)[0]
    M = np.array(loops.tree.mass_matrix.function(q))
    # 1 ms later; the correction, which closes half a millimetre, adds 1e-4 by then and less than 1 % in the end
    np.testing.assert_allclose(run.energy["kinetic"][2], 0.5 * v_plus @ M @ v_plus, rtol=1e-3)
    momenta = compile(Outputs(loops.tree).momenta).map(q=run.q, v=run.v)
    assert np.ptp(momenta["linear"], axis=0).max() < 1e-10
    assert np.ptp(momenta["angular_W"], axis=0).max() < 1e-4  # the weld's force has an arm while it closes the gap
    assert run.energy["kinetic"][0] > 1.2 * run.energy["kinetic"][-1]


def test_a_closure_cannot_take_hold_across_a_gap() -> None:
    """Its correction would throw the bodies together."""
    loops = Loops(free_pair(switchable=True), H)
    q0 = free_pair().neutral
    q0[0] = -0.55
    with pytest.raises(
        SimulationError, match=r"closure 'w' takes hold at t = 0.05 s while w\.x is -0.55 m or rad open"
    ):
        simulate(loops, 0.1, H, q0=q0, inputs={"w_active": np.repeat([0.0, 1.0], 50)})

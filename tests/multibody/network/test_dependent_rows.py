"""Redundant and inconsistent constraints, and singular places: named in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.closed import Start
from motionbase.multibody.closures import AbstractClosure, PointClosure, RevoluteClosure, WeldClosure
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import fixed, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.simulate import simulate

ROUND = (0.1, 0.1, 0.1)


def bar(name: str, length: float) -> Body:
    return Body(name, 1.0, com=(length / 2, 0.0, 0.0), inertia=ROUND, points={"tip": (length, 0.0, 0.0)})


def parallelogram() -> Model:
    """Where all bars are in line it may go on as a parallelogram or crosswise: a singular place."""
    bodies = bar("crank", 0.5), bar("coupler", 1.0), bar("rocker", 0.5)
    joints = (
        Joint("j_crank", GROUND, "crank", revolute()),
        Joint("j_coupler", "crank", "coupler", revolute(), "tip"),
        Joint("j_rocker", GROUND, "rocker", revolute(), (1.0, 0.0, 0.0)),
    )
    loop = PointClosure("loop", "coupler", "tip", "rocker", "tip")
    return Model("parallelogram", bodies, joints, (0.0, 0.0, 0.0), closures=(loop,))


def door(*closures: AbstractClosure) -> Model:
    """On one hinge, and whatever closures add; a clamped box beside it."""
    bodies = Body("door", 1.0, com=(0.5, 0.0, 0.0), inertia=ROUND), Body("box", 1.0, inertia=ROUND)
    joints = Joint("hinge", GROUND, "door", revolute()), Joint("clamp", GROUND, "box", fixed())
    return Model("door", bodies, joints, closures=closures)


def test_redundant_rows_of_a_plane_four_bar_are_named() -> None:
    model = MODELS["four_bar"].build()
    q, v, dropped = assembled(model, Start(np.array(q_of(model, {"j_crank": 0.5})), np.zeros(model.nv)), 1e-3)
    with pytest.raises(ModelError, match=r"at the start j_crank\.z, .*loop\.z depend on each other; .*\(dropped\)"):
        _ = Network(model, 1e-3, q, v).program
    assert dropped == ("loop.z",)
    Network(model, 1e-3, q, v, dropped=dropped).check_rows()


def test_a_second_hinge_and_a_second_clamp_are_named_and_left_out_by_simulate() -> None:
    hinge = RevoluteClosure("second", "door", (0.0, 0.0, 1.0), GROUND, (0.0, 0.0, 1.0))
    clamp = WeldClosure("again", "box")
    for closure, rows in ((hinge, r"hinge\.x, .*second\.tilt_2"), (clamp, r"clamp\.x, .*again\.turn_z")):
        with pytest.raises(ModelError, match=f"at the start {rows} depend on each other"):
            Network(door(closure), 1e-3).check_rows()
    run = simulate(door(hinge, clamp), 0.05, 1e-3, engine="network", v0={"hinge": 1.0})
    np.testing.assert_allclose(run.q[-1], [0.05], atol=1e-9)  # turns freely about z, which gravity does not resist


def test_constraints_that_contradict_each_other_are_named() -> None:
    clamp = WeldClosure("again", "box", (0.0, 0.0, 0.0), GROUND, (0.1, 0.0, 0.0))
    with pytest.raises(ModelError, match=r"cannot be met; .*misses again\.x by 0\.1"):
        simulate(door(clamp), 0.05, 1e-3, engine="network")


def test_nothing_to_move_is_told() -> None:
    model = Model("still", (Body("box", 1.0, inertia=ROUND),), (Joint("clamp", GROUND, "box", fixed()),))
    with pytest.raises(ModelError, match="no joint moves"):
        simulate(model, 0.05, 1e-3, engine="network")


def test_a_singular_place_on_the_way_is_reported_with_its_joints() -> None:
    a, w = 0.3, -5.0
    start = {"j_crank": a, "j_coupler": -a, "j_rocker": a}, {"j_crank": w, "j_coupler": -w, "j_rocker": w}
    sentence = r"was not solved .*near there j_crank\.x, j_coupler\.x, j_rocker\.x, loop\.x depend on each other"
    with pytest.raises(SimulationError, match=sentence) as told:
        simulate(parallelogram(), 0.2, 1e-3, engine="network", q0=start[0], v0=start[1])
    assert "t = 0.059 s and 0.06 s" in str(told.value)  # the crank is in line at a / -w = 0.06 s


def test_a_singular_start_is_refused() -> None:
    with pytest.raises(ModelError, match=r"loop\.x.*singular place"):
        Network(parallelogram(), 1e-3, dropped=("loop.z",)).check_rows()

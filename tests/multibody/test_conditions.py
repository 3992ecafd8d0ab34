"""Every closure between two bodies: rates and biases by differentiation, virtual work, and both engines alike."""

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closed import Start, closed_start
from motionbase.multibody.closures import (
    AbstractPlaceClosure,
    AxisClosure,
    CylindricalClosure,
    DistanceClosure,
    GimbalClosure,
    ImposedAngleClosure,
    ImposedPositionClosure,
    ImposedSpeedClosure,
    InLineClosure,
    InPlaneClosure,
    OrientationClosure,
    PlanarClosure,
    PointClosure,
    PrismaticClosure,
    RevoluteClosure,
    UniversalClosure,
    WeldClosure,
)
from motionbase.multibody.joints import Free, universal
from motionbase.multibody.network.engine import Network
from motionbase.multibody.tree.coordinates import coordinate_rates
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from tests.multibody.mechanisms import accelerations, network_accelerations

ENDS = ("load", (0.1, -0.2, 0.3), "rod", "tip")
TURN = ((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6))
SLANT = (0.6, 0.0, 0.8)
EXACT: list[AbstractPlaceClosure] = [
    DistanceClosure("c", *ENDS, distance=0.7),
    AxisClosure("c", "load", SLANT, "rod", (0.0, 0.6, 0.8)),
    InLineClosure("c", *ENDS, SLANT),
    InPlaneClosure("c", *ENDS, SLANT),
    CylindricalClosure("c", *ENDS, SLANT, (0.0, 0.6, 0.8)),
    PlanarClosure("c", *ENDS, SLANT, (0.0, 0.6, 0.8)),
    GimbalClosure("c", *ENDS, SLANT, TURN),
    ImposedPositionClosure("c", *ENDS, SLANT),
    ImposedAngleClosure("c", *ENDS, SLANT, TURN),
]
WHERE_MET: list[AbstractPlaceClosure] = [  # their rate is that of the residual where they are met alone
    PointClosure("c", *ENDS),
    RevoluteClosure("c", *ENDS, SLANT, (1.0, 0.0, 0.0)),
    UniversalClosure("c", *ENDS, SLANT, (0.0, 1.0, 0.0), 1.1),
    OrientationClosure("c", *ENDS, TURN),
    PrismaticClosure("c", *ENDS, SLANT, TURN),
    WeldClosure("c", *ENDS, TURN),
]
SPEEDS: list[AbstractPlaceClosure] = [
    ImposedSpeedClosure("c", *ENDS, SLANT),
    ImposedSpeedClosure("c", *ENDS, SLANT, "turn"),
]
ALL = [*EXACT, *WHERE_MET, *SPEEDS]


def name_of(closure: AbstractPlaceClosure) -> str:
    return f"{type(closure).__name__.removesuffix('Closure')}{getattr(closure, 'motion', '')}"


def held(closure: AbstractPlaceClosure) -> Model:
    """A rod on a universal joint, and a load that the closure alone holds."""
    rod = Body("rod", 2.0, (0.4, 0.1, 0.0), (0.1, 0.3, 0.35), points={"tip": (0.9, 0.0, 0.1)})
    load = Body("load", 3.0, (0.1, -0.2, 0.3), (0.4, 0.5, 0.6))
    joints = Joint("root", GROUND, "rod", universal()), Joint("flies", GROUND, "load", Free())
    return Model("held", (rod, load), joints, closures=(closure,))


def random_state(model: Model, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, model.nq), rng.uniform(-2, 2, model.nv)
    q[-4:] /= np.linalg.norm(q[-4:])
    return q, v


@pytest.mark.parametrize("closure", [*EXACT, *SPEEDS], ids=name_of)
def test_rate_and_bias_by_differentiation(closure: AbstractPlaceClosure) -> None:
    """Along the motion and anywhere, met or not: rate = d residual / dt, J v_dot + bias = d rate / dt; to rounding."""
    model = held(closure)
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    state = Tree(model).state(q, v)
    own = closure.equations(state)
    q_dot = coordinate_rates(model, q, v)
    exact = [ca.jtimes(own.residual, q, q_dot), ca.jtimes(own.rate, q, q_dot), ca.jacobian(own.rate, v)]
    found = ca.Function("rows", [q, v], [own.rate, own.bias, own.J, *exact])
    for seed in range(3):
        rate, bias, J, rate_exact, bias_exact, J_exact = (np.array(x) for x in found(*random_state(model, seed)))
        np.testing.assert_allclose(rate, rate_exact, rtol=0, atol=1e-12)
        np.testing.assert_allclose(bias, bias_exact, rtol=0, atol=1e-11)
        np.testing.assert_allclose(J, J_exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("closure", ALL, ids=name_of)
def test_wrenches_do_the_work_of_the_rows(closure: AbstractPlaceClosure) -> None:
    """J' F is what the wrenches on both bodies do along the speeds, also where a point has slid away."""
    model = held(closure)
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    F = ca.SX.sym("F", len(closure.rows))
    state = Tree(model).state(q, v)
    own = closure.equations(state)
    G = sum((state.point(w.body, w.point).J.T @ w.value for w in closure.wrenches(own, F)), ca.SX(model.nv, 1))
    difference = ca.Function("difference", [q, v, F], [G - own.J.T @ F])
    forces = np.arange(1.0, len(closure.rows) + 1)
    assert np.abs(np.array(difference(*random_state(model, 3), forces))).max() < 1e-12


@cache
def started(at: int) -> tuple[Model, Loops, Any, Any, dict[str, Any]]:
    """A closure of `ALL` with a start that meets it and its inputs."""
    model = held(ALL[at])
    values = dict(zip([p.name for p in ALL[at].inputs], [0.3, -0.7, 1.9], strict=False))
    q, v = random_state(model, 5)
    loops = Loops(model, 1e-3, around=q, drives=values)
    inputs = {name: np.asarray(x) for name, x in values.items()}
    return model, loops, *closed_start(loops, Start(q, v), inputs), inputs


@pytest.mark.parametrize("at", range(len(ALL)), ids=lambda k: name_of(ALL[k]))
def test_both_engines_start_alike(at: int) -> None:
    """Accelerations of the centres of mass and all multipliers, with gravity and moving inputs.

    The network takes the second rate of its rows by a difference over 1e-5 s: 1e-16 / 1e-5 of rounding and 1e-10 of
    curvature leave 1e-9 of accelerations of order 10.
    """
    model, loops, q, v, inputs = started(at)
    tau = np.arange(model.nv) - 3.0
    v_dot, F = (np.array(x).ravel() for x in loops.forward_dynamics.function(q, v, tau, *inputs.values()))
    # correction terms of the tree vanish where the closure is met
    network = Network(model, 1e-3, q, v, inputs={"tau": tau, **inputs})
    np.testing.assert_allclose(network_accelerations(network), accelerations(model, q, v, v_dot), rtol=0, atol=1e-7)
    start = network.start()
    own = dict(zip(network.network.assembly.names[-len(start.own) :], start.own, strict=True))
    np.testing.assert_allclose([own[f"c.{row}"] for row in ALL[at].rows], F, rtol=0, atol=1e-6)

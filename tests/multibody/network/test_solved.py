"""Steps that count as solved: judged by forces of before where these grow beyond reason, each step for itself."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, compile
from motionbase.errors import SimulationError
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.elements import JointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.network.solved import MOST_GROWTH, SOLVED, is_solved, numbers_solved

H = 1e-3


def runaway() -> Network:
    """A slider that a spring pushes away, with a stiffness at which the first step's equation is nearly singular.

    The step is the trapezoidal rule: 1 - k (h / 2)^2 is a millionth, so that 4 N become 8e6 N in a step.
    """
    stiffness = -(1.0 - 1e-6) / (H / 2) ** 2
    model = Model(
        "runaway",
        (Body("slider", 1.0, inertia=(1.0, 1.0, 1.0)),),
        (Joint("rail", GROUND, "slider", prismatic((1.0, 0.0, 0.0))),),
        (0.0, 0.0, 0.0),
        elements=(JointSpring("push", "rail", stiffness),),
    )
    return Network(model, H, np.array([1e-6]), iterations=1)


def test_a_state_that_diverges_is_not_solved() -> None:
    """Four millinewtons are out of balance; beside the forces of the new state they would pass."""
    network = runaway()
    held = {port.name: np.zeros(port.dims) for port in network.network.ports}
    with pytest.raises(SimulationError, match=r"between t = 0 s and 0\.001 s was not solved \(residual 0\.004\)"):
        run_network(RunJob(network, 1, held, {}))


def test_each_step_is_judged_for_itself() -> None:
    """Two jumps of a torque in one native call: forces grow a thousandfold in it, but not in a step."""
    arm = Body("arm", 1.0, com=(1.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    network = Network(Model("arm", (arm,), (Joint("pivot", GROUND, "arm", revolute()),), (0.0, 0.0, 0.0)), H)
    tau = np.zeros((5000, 1))
    tau[150:153], tau[153:185, 0] = 60.0, 2000.0 * 0.7 ** np.arange(32)
    run = run_network(RunJob(network, len(tau), {}, {"tau": tau}))
    assert run.residual > SOLVED * MOST_GROWTH  # of the call's first forces, which are none: at least 1
    impulse = tau.sum() * H
    turn = impulse / 1.1 * H  # [rad] in a step; the method is of second order in it
    assert run.v[-1, 0] == pytest.approx(impulse / 1.1, rel=turn**2)


def test_code_and_numbers_judge_alike() -> None:
    rng = np.random.default_rng(1)
    ports = [Port(name, shape) for k in "ab" for name, shape in ((f"one_{k}", (2, 25)), (f"own_{k}", 3))]

    def expr(residual: ca.SX, one: ca.SX, own: ca.SX, one_next: ca.SX, own_next: ca.SX) -> ca.SX:
        return ca.SX(is_solved(residual, {"one": one, "own_one": own}, {"one": one_next, "own_one": own_next}))

    judge = compile(Kernel("judge", (Port("residual"), *ports), (Port("solved"),), expr))
    found = set()
    for growth in (0.1, 1.0, 50.0, 1e4, np.nan, np.inf):
        for relative in (1e-9, 1e-7, 1e-5, 1e-2):
            one, own = 10 * rng.normal(size=(2, 25)), 10 * rng.normal(size=3)
            size = max(np.abs(one[:, -6:]).max(), np.abs(own).max())
            states = {"one": one, "own_one": own}, {"one": growth * one, "own_one": growth * own}
            wanted = bool(relative < SOLVED * min(max(growth * size, 1.0), MOST_GROWTH * size) / size)
            wanted = wanted and np.isfinite(growth)
            assert numbers_solved(relative * size, *states) == wanted
            assert bool(judge(relative * size, *states[0].values(), *states[1].values())) == wanted
            found.add(wanted)
    assert found == {True, False}

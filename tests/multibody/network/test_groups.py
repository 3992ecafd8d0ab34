"""Loops over parts of one kind: what a program computes is what the routines say, with constants folded in."""

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.compare import compare
from motionbase.multibody.elements import JointDamper, JointSpring
from motionbase.multibody.joints import revolute
from motionbase.multibody.models.robot import servo_robot
from motionbase.multibody.network.engine import Network, places_of_nodes
from motionbase.multibody.network.groups import OwnValues
from motionbase.multibody.network.nodes import Momentum, Place
from motionbase.multibody.network.start import numeric_residual


def skew(turn: float = 0.0) -> Model:
    """Two links on axes along no body's; `turn` [rad] of the second joint about the vertical."""
    c, s = np.cos(turn), np.sin(turn)
    orientation = ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))
    bodies = (
        Body("upper", 3.0, (0.1, 0.2, -0.3), (0.2, 0.3, 0.25)),
        Body("lower", 2.0, (0.3, -0.1, 0.2), (0.1, 0.15, 0.12)),
    )
    joints = (
        Joint("shoulder", GROUND, "upper", revolute((0.48, 0.6, 0.64))),
        Joint("elbow", "upper", "lower", revolute((0.6, -0.8, 0.0)), (0.2, 0.1, -0.6), orientation),
    )
    springs = JointSpring("spring", "elbow", 20.0, 0.3), JointDamper("damper", "elbow", 0.5)
    return Model("skew", bodies, joints, (0.0, 0.0, -9.81), springs)


def test_hinges_along_any_axis_agree_with_the_tree() -> None:
    """Second order; what is left after Richardson's extrapolation is of the fourth, as for other arms."""
    found = compare(skew(0.7), 1.0, 1e-3, q0={"shoulder": 0.4}, v0={"elbow": 2.0})
    assert found.difference < 1e-7, str(found)
    assert 1.9 < found.order < 2.1


@pytest.mark.parametrize("model", [servo_robot(friction=True, axes=3), skew(0.7)], ids=["robot", "skew"])
def test_programs_compute_what_the_routines_say(model: Model) -> None:
    """Residual and Jacobian by loops with constants folded in, against CasADi's functions part by part: rounding."""
    rng = np.random.default_rng(1)
    network = Network(model, 1e-3, model.neutral + 0.3, 0.5 * np.ones(model.nv), ground_node=True)
    assembly, begin = network.network.assembly, network.start()
    c, n = 7e-4, len(assembly.bodies)
    places, inputs = places_of_nodes(begin.nodes), rng.standard_normal(len(assembly.inputs))
    numbers = begin.own + 1e-4 * rng.standard_normal(begin.own.shape), begin.own_dot, begin.kept
    momenta = rng.standard_normal((n, Momentum.layout.size))
    values = OwnValues(*(ca.SX(ca.DM(x)) for x in numbers))
    at, p = Place.of(ca.SX(ca.DM(places)), n), Momentum.of(ca.SX(ca.DM(momenta)), n)
    given = ca.SX(c), at, p, values, ca.SX(ca.DM(inputs))
    J = assembly.jacobian(*given)
    wanted = assembly.numeric_jacobian(c, places, numbers, inputs, momenta)
    scale = np.abs(wanted).max(axis=1, keepdims=True)
    np.testing.assert_allclose(np.array(ca.DM(ca.evalf(J))) / scale, wanted / scale, atol=1e-14)
    still = Momentum.of(ca.SX(n, Momentum.layout.size), n)
    alone = assembly.residual(ca.SX(c), at, still, values, ca.SX(ca.DM(inputs)))
    found = np.array(ca.DM(ca.evalf(alone))).ravel()[assembly.node_starts[-1] :]
    parts = numeric_residual(assembly, places, numbers, inputs, c)[assembly.node_starts[-1] :]
    np.testing.assert_allclose(found, parts, atol=1e-14 * max(1.0, np.abs(parts).max()))


def test_markers_along_the_bodies_axes_leave_few_entries() -> None:
    """More than half of the entries of the robot's parts are zero for any motion; of hinges on odd axes few are."""

    def zeros(model: Model) -> float:
        groups = Network(model, 5e-4).network.assembly.groups
        return float(np.mean(np.concatenate([group.constants("jacobian").ravel() for group in groups]) == 0.0))

    assert zeros(servo_robot(axes=3)) > 0.5 and zeros(skew(0.7)) < 0.3


def test_groups_on_the_same_nodes_share_a_loop() -> None:
    """Joints, servos and friction of the robot go through one loop for the Jacobian, and one in a correction."""
    program = Network(servo_robot(friction=True, axes=3), 5e-4, iterations=2, jacobians=1, ground_node=True).program
    loops = [unit.name for unit in program.routine.callees() if unit.name.endswith("called")]
    assert len(loops) == 3  # Jacobian, correction, kept angles
    assert compile(program).library is not None

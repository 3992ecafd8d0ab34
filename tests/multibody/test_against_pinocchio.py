"""Mass matrix, bias force and accelerations of random trees against Pinocchio: an engine of its own, in C++."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from motionbase.multibody import GROUND, Joint, Model
from motionbase.multibody.joints import Axes, Free, Spherical, Turn
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.random_models import random_model, random_state
from tests.tier import some_of

KINDS = ["revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "fixed"]


def in_pinocchio(model: Model) -> tuple[Any, dict[str, list[int]]]:
    """The model joint by joint; joints of several steps become chains with massless bodies between."""
    built = pin.Model()
    built.gravity.linear = np.array(model.gravity)
    parents: dict[str, tuple[int, Any]] = {"ground": (0, pin.SE3.Identity())}
    places: dict[str, list[int]] = {}
    for joint in depth_first(model, GROUND):  # Pinocchio wants a body's whole subtree in a row
        body = model.body(joint.child)
        parent, offset = parents[joint.parent]
        at = offset * pin.SE3(np.array(joint.orientation), np.array(joint.position, dtype=float))
        ids = []
        if isinstance(joint.motion, Axes):
            for n, step in enumerate(joint.motion.steps):
                axis = np.array(step.axis)
                kind = (
                    pin.JointModelRevoluteUnaligned(axis)
                    if isinstance(step, Turn)
                    else pin.JointModelPrismaticUnaligned(axis)
                )
                parent = built.addJoint(parent, kind, at, f"{joint.name}_{n}")
                at = pin.SE3.Identity()
                ids.append(parent)
        else:
            kind = pin.JointModelSpherical() if isinstance(joint.motion, Spherical) else pin.JointModelFreeFlyer()
            parent = built.addJoint(parent, kind, at, joint.name)
            at = pin.SE3.Identity()
            ids.append(parent)
        # a fixed joint leaves the frame where the parent's joint is, at the offset `at`
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        built.appendBodyToJoint(parent, inertia, at)
        parents[body.name] = (parent, at)
        places[joint.name] = ids
    return built, places


def depth_first(model: Model, body: str) -> Iterator[Joint]:
    for joint in model.joints:
        if joint.parent == body:
            yield joint
            yield from depth_first(model, joint.child)


def orders(model: Model, built: Any, places: dict[str, list[int]]) -> tuple[list[int], list[int]]:
    """For each of our q and v, its place in Pinocchio's (quaternions xyzw, linear before angular)."""
    q_order: list[int] = []
    v_order: list[int] = []
    for joint in model.joints:
        for number in places[joint.name]:
            q0, v0 = built.joints[number].idx_q, built.joints[number].idx_v
            if isinstance(joint.motion, Free):
                q_order += [q0, q0 + 1, q0 + 2, q0 + 6, q0 + 3, q0 + 4, q0 + 5]
                v_order += [v0 + 3, v0 + 4, v0 + 5, v0, v0 + 1, v0 + 2]
            elif isinstance(joint.motion, Spherical):
                q_order += [q0 + 3, q0, q0 + 1, q0 + 2]
                v_order += [v0, v0 + 1, v0 + 2]
            else:
                q_order.append(q0)
                v_order.append(v0)
    return q_order, v_order


@pytest.mark.parametrize("seed", some_of(range(24), 9))
def test_random_trees(seed: int) -> None:
    """1e-9 relative to the largest entry: roundings of 1e-16 times the condition of random trees (below 1e5)."""
    model = random_model(seed, bodies=2 + seed % 9, kinds=KINDS, free_base=seed % 2 == 0)
    if model.nv == 0:
        pytest.skip("every joint came out fixed")
    q, v, tau = random_state(model, seed)
    built, places = in_pinocchio(model)
    data = built.createData()
    q_order, v_order = orders(model, built, places)
    q_pin, v_pin, tau_pin = np.empty(built.nq), np.empty(built.nv), np.empty(built.nv)
    q_pin[q_order], v_pin[v_order], tau_pin[v_order] = q, v, tau

    tree = Tree(model)
    M = pin.crba(built, data, q_pin)
    M = np.triu(M) + np.triu(M, 1).T
    close(tree.mass_matrix.function(q), M[np.ix_(v_order, v_order)])
    close(tree.bias_force.function(q, v), -pin.nonLinearEffects(built, data, q_pin, v_pin)[v_order])
    close(tree.forward_dynamics.function(q, v, tau), pin.aba(built, data, q_pin, v_pin, tau_pin)[v_order])


def close(ours: Any, theirs: Any) -> None:
    """Evaluated by CasADi: that compiled code gives the same is the compiler's own test."""
    ours = np.array(ours).reshape(theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())

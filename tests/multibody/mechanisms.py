"""Small mechanisms and a plain RK4 loop, shared by the tests of closures, elements and outputs."""

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import AbstractClosure, PointClosure
from motionbase.multibody.elements import AbstractElement, JointDamper, JointSpring
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.models.mechanisms import BASE, COUPLER, CRANK, ROCKER, bar
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.tree.coordinates import coordinate_rates
from motionbase.multibody.tree.dynamics import Tree

Array = NDArray[np.float64]
G = 9.81
DOWN = (0.0, -G, 0.0)  # planar mechanisms lie in x, y


def four_bar(closure: AbstractClosure | None = None, elements: tuple[AbstractElement, ...] = ()) -> Model:
    """Crank and rocker on the ground, coupler on the crank, closed at the rocker's tip."""
    bodies = bar("crank", CRANK, 1.0), bar("coupler", COUPLER, 2.0), bar("rocker", ROCKER, 1.5)
    joints = (
        Joint("j_crank", GROUND, "crank", revolute()),
        Joint("j_coupler", "crank", "coupler", revolute(), "tip"),
        Joint("j_rocker", GROUND, "rocker", revolute(), (BASE, 0.0, 0.0)),
    )
    loop = closure or PointClosure("loop", "coupler", "tip", "rocker", "tip")
    return Model("four_bar", bodies, joints, DOWN, elements, (loop,))


def four_bar_angles(crank: float) -> Array:
    """Joint coordinates for a crank angle: coupler's and rocker's circles meet above the ground link."""
    tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
    d = np.array([BASE, 0.0]) - tip
    l = float(np.hypot(*d))
    along = (COUPLER**2 - ROCKER**2 + l**2) / (2 * l)
    up = np.sqrt(COUPLER**2 - along**2)
    meet = tip + along * d / l + up * np.array([-d[1], d[0]]) / l
    coupler = np.arctan2(*(meet - tip)[::-1]) - crank
    rocker = np.arctan2(meet[1], meet[0] - BASE)
    return np.array([crank, coupler, rocker])


def slider_crank(r: float, l: float) -> Model:
    """Crank, rod on its tip, and a slider along x, closed by a point."""
    bodies = bar("crank", r, 1.0), bar("rod", l, 2.0), Body("slider", 3.0, inertia=(0.1, 0.1, 0.1))
    joints = (
        Joint("j_crank", GROUND, "crank", revolute()),
        Joint("j_rod", "crank", "rod", revolute(), "tip"),
        Joint("j_slider", GROUND, "slider", prismatic((1.0, 0.0, 0.0))),
    )
    return Model("slider_crank", bodies, joints, DOWN, closures=(PointClosure("pin", "rod", "tip", "slider"),))


def numbers(values: Any) -> Array:
    return np.array(values).squeeze()


def motion(model: Model, forward: Kernel, q0: Any, v0: Any, h: float, steps: int, *held: Any) -> tuple[Array, Array]:
    """RK4 over the kernel's CasADi function: q (steps, nq) and v (steps, nv); `held` is tau and the other inputs."""
    qs, vs = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    rate = ca.Function("rate", [qs, vs], [coordinate_rates(model, qs, vs)])
    q, v = ca.MX.sym("q", model.nq), ca.MX.sym("v", model.nv)
    inputs = [ca.DM(np.atleast_1d(x)) for x in held]

    def slope(q: Any, v: Any) -> tuple[Any, Any]:
        return rate(q, v), forward.function.call([q, v, *inputs])[0]

    k1 = slope(q, v)
    k2 = slope(q + h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = slope(q + h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = slope(q + h * k3[0], v + h * k3[1])
    after = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip((q, v), k1, k2, k3, k4, strict=True)]
    step = ca.Function("step", [ca.vertcat(q, v)], [ca.vertcat(*after)])
    x = np.array(step.mapaccum(steps)(np.concatenate([q0, v0]))).T
    return x[:, : model.nq], x[:, model.nq :]


def accelerations(model: Model, q: Any, v: Any, v_dot: Any) -> Array:
    """(bodies, 3) of the centres of mass, in world axes, from the tree's speeds and their rates."""
    qs, vs = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    state = Tree(model).state(qs, vs)
    points = [state.point(body.name, body.com) for body in model.bodies]
    rows = ca.horzcat(*((p.J @ ca.DM(v_dot) + p.acceleration)[3:] for p in points))
    return np.array(ca.Function("a", [qs, vs], [rows])(q, v)).T


def network_accelerations(network: Network) -> Array:
    """The same from the start of a network."""
    nodes = network.start().nodes[: len(network.model.bodies)]
    mass = np.array([body.mass for body in network.model.bodies])
    return np.asarray(np.array([Node.layout.part(row, "beta_dot") for row in nodes]) / mass[:, None])


def chain_of_masses(n: int, m: float, k: float, c: float = 0.0, held: bool = True) -> Model:
    """Masses on a line with springs (and dampers) between neighbours, held at the first or not at all."""
    bodies = tuple(Body(f"m{i}", m, inertia=(0.1, 0.1, 0.1)) for i in range(n))
    joints = tuple(
        Joint(f"s{i}", GROUND if i == 0 else f"m{i - 1}", f"m{i}", prismatic((1.0, 0.0, 0.0)), (float(i > 0), 0.0, 0.0))
        for i in range(n)
    )
    springs = [JointSpring(f"k{i}", f"s{i}", k) for i in range(0 if held else 1, n)]
    dampers = [JointDamper(f"c{i}", f"s{i}", c) for i in range(0 if held else 1, n)] if c else []
    return Model("masses", bodies, joints, (0.0, 0.0, 0.0), (*springs, *dampers))

"""Closed loops against closed forms, equivalent open mechanisms, statics, Pinocchio and MuJoCo."""

from typing import Any

import casadi as ca
import mujoco
import numpy as np
import pinocchio as pin
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import (
    AbstractPlaceClosure,
    AxisClosure,
    DistanceClosure,
    PointClosure,
    RevoluteClosure,
    WeldClosure,
)
from motionbase.multibody.joints import Free, Spherical, revolute, universal
from motionbase.multibody.models.mechanisms import BASE, CRANK, ROCKER, bar
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.multibody.tree.state import TreeState
from tests.multibody.mechanisms import DOWN, G, four_bar, four_bar_angles, motion, numbers, slider_crank
from tests.multibody.random_models import random_model, random_state
from tests.multibody.test_against_pinocchio import in_pinocchio, orders
from tests.tier import some_of

H = 1e-3


def test_four_bar_position_against_circles() -> None:
    """From a guess 0.05 rad off; a Newton step squares the error, so four end at rounding."""
    model = four_bar()
    loops = Loops(model, H, around=four_bar_angles(0.5))
    project = loops.position_projection(iterations=4).function
    for crank in np.linspace(0, 2 * np.pi, 13):
        found, shift = project(four_bar_angles(crank) + [0.05, -0.03, 0.04])
        q = numbers(found)
        np.testing.assert_allclose(q, four_bar_angles(q[0]), atol=1e-11)
        assert float(shift) < 1e-6


def test_four_bar_follows_the_circles_in_motion() -> None:
    """Links at up to 17 rad/s for 2 s, in which the crank turns right round; RK4 at 1 kHz."""
    model = four_bar()
    loops = Loops(model, H, around=four_bar_angles(0.5))
    q0 = four_bar_angles(0.5)
    v0 = numbers(loops.velocity_projection().function(q0, [5.0, 0.0, 0.0]))
    q, v = motion(model, loops.forward_dynamics, q0, v0, H, 2000, [0.0] * 3)
    assert np.ptp(q[:, 0]) > 2 * np.pi
    expected = np.array([four_bar_angles(crank) for crank in q[:, 0]])
    error = np.angle(np.exp(1j * (q - expected)))
    assert np.abs(error).max() < 5e-8  # 9e-9 measured
    energies = Outputs(loops.tree).energies.function
    E = np.array([sum(map(float, energies(a, b))) for a, b in zip(q[::50], v[::50], strict=True)])
    assert np.ptp(E) / np.abs(E).max() < 1e-7  # 2e-8 measured


def test_slider_crank_accelerations() -> None:
    """x = r cos t + sqrt(l^2 - r^2 sin^2 t), differentiated twice."""
    r, l = 0.2, 0.7
    loops = Loops(slider_crank(r, l), H, around=[0.4, -0.5, 0.85])
    t, w, alpha = ca.SX.sym("t"), ca.SX.sym("w"), ca.SX.sym("alpha")
    x = r * ca.cos(t) + ca.sqrt(l**2 - (r * ca.sin(t)) ** 2)
    phi = -ca.asin(r / l * ca.sin(t)) - t  # rod relative to crank
    places = ca.vertcat(t, phi, x)
    speeds = ca.jtimes(places, t, w)
    accelerations = ca.jtimes(speeds, ca.vertcat(t, w), ca.vertcat(w, alpha))
    closed_form = ca.Function("closed_form", [t, w, alpha], [places, speeds, accelerations])
    for angle, rate in [(0.3, 5.0), (2.0, -8.0), (4.0, 11.0)]:
        q, v, _ = (numbers(z) for z in closed_form(angle, rate, 0))
        v_dot = numbers(loops.forward_dynamics.function(q, v, [1.0, 0.0, -4.0])[0])
        expected = numbers(closed_form(angle, rate, v_dot[0])[2])
        np.testing.assert_allclose(v_dot, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        # virtual power with the one freedom: M_red alpha + ... = tau, so the crank's power balance must hold
        residual, rate_of = loops.residuals.function(q, v)
        assert np.abs(numbers(residual)).max() < 1e-12 and np.abs(numbers(rate_of)).max() < 1e-12


def rod_and_payload(joint: Any, closure: AbstractPlaceClosure | None) -> Model:
    """A universal-jointed rod that carries a payload, by a joint or by a closure on a payload that flies."""
    rod = Body("rod", 2.0, (0.4, 0.1, 0.0), (0.1, 0.3, 0.35), points={"tip": (0.9, 0.0, 0.1)})
    load = Body("load", 3.0, (0.1, -0.2, 0.3), (0.4, 0.5, 0.6))
    root = Joint("root", GROUND, "rod", universal())
    if closure is None:
        return Model("open", (rod, load), (root, Joint("carry", "rod", "load", joint, "tip")))
    flies = Joint("flies", GROUND, "load", Free())
    return Model("closed", (rod, load), (root, flies), closures=(closure,))


@pytest.mark.parametrize(
    ("joint", "closure"),
    [
        (revolute((0.0, 1.0, 0.0)), RevoluteClosure("c", "load", (0, 0, 0), "rod", "tip", (0, 1, 0), (0, 1, 0))),
        (Spherical(), PointClosure("c", "load", (0, 0, 0), "rod", "tip")),
        (revolute((0.0, 1.0, 0.0)), RevoluteClosure("c", "rod", "tip", "load", (0, 0, 0), (0, 1, 0), (0, 1, 0))),
    ],
    ids=["revolute", "point", "revolute, ends exchanged"],
)
def test_closed_loop_is_the_open_mechanism(joint: Any, closure: AbstractPlaceClosure) -> None:
    """The same mechanism as a chain: accelerations of both bodies agree, and the reaction is the joint's load."""
    chain, closed = rod_and_payload(joint, None), rod_and_payload(joint, closure)
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, chain.nq), rng.uniform(-2, 2, chain.nv)
    if isinstance(joint, Spherical):
        q[2:] /= np.linalg.norm(q[2:])
    tau = np.zeros(chain.nv)
    tau[:2] = [3.0, -2.0]
    v_dot = numbers(Tree(chain).forward_dynamics.function(q, v, tau))
    at = numbers_of_load(chain, q, v)
    q_closed = np.concatenate([q[:2], at["p"], at["Q"]])
    v_closed = np.concatenate([v[:2], at["V"]])
    loops = Loops(closed, H, around=q_closed)
    forward = loops.forward_dynamics.function
    got = numbers(forward(q_closed, v_closed, np.concatenate([tau[:2], np.zeros(6)]))[0])
    np.testing.assert_allclose(got[:2], v_dot[:2], rtol=0, atol=1e-9)
    # the reaction, in world axes at the payload's origin, against the load of the chain's joint
    load = numbers(Outputs(Tree(chain)).joint_loads.function(q, v, v_dot)[1])
    reaction = numbers(loops.reactions.function(q_closed, v_closed, np.concatenate([tau[:2], np.zeros(6)])))
    sign = 1.0 if closure.body_a == "load" else -1.0
    expected = np.concatenate([at["R"] @ load[:3], at["R"] @ load[3:]])
    np.testing.assert_allclose(sign * reaction, expected, rtol=0, atol=1e-8)


def numbers_of_load(model: Model, q: Any, v: Any) -> dict[str, Any]:
    """Place, orientation and body velocity of the payload."""
    qs, vs = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    own = TreeState.of(model, qs, vs).motions[model.index["load"]]
    p, R, V = (numbers(x) for x in ca.Function("load", [qs, vs], [own.T_Wb.p, own.T_Wb.R, own.V])(q, v))
    Q = pin.Quaternion(R)
    return {"p": p, "R": R, "V": V, "Q": np.array([Q.w, Q.x, Q.y, Q.z])}


def test_spherical_pendulum_on_a_rod() -> None:
    """A distance closure: a = g - (g . u + |v|^2 / l) u, rod force m (g . u + |v|^2 / l) pulls."""
    l, m = 1.3, 2.0
    body = Body("bob", m, inertia=(0.01, 0.01, 0.01))
    model = Model(
        "pendulum",
        (body,),
        (Joint("flies", GROUND, "bob", Free()),),
        closures=(DistanceClosure("rod", "bob", distance=l),),
    )
    u = np.array([0.6, 0.0, -0.8])
    velocity = np.cross(u, [0.3, 1.0, -2.0])
    q = np.concatenate([l * u, [1.0, 0.0, 0.0, 0.0]])
    v = np.concatenate([[0.2, -0.1, 0.4], velocity])  # at no rotation body and world axes agree
    v_dot, F = Loops(model, H, around=q).forward_dynamics.function(q, v, np.zeros(6))
    g = np.array(model.gravity)
    pull = g @ u + velocity @ velocity / l
    a_W = numbers(v_dot)[3:] + np.cross(v[:3], velocity)  # speeds are in the body frame
    np.testing.assert_allclose(a_W, g - pull * u, atol=1e-12)
    np.testing.assert_allclose(float(F), -m * pull, atol=1e-12)


def test_error_decays_critically_damped() -> None:
    """From an offset e0 at rest: e = e0 (1 + w t) exp(-w t), with w = 1 / (20 h) by default and as asked otherwise."""
    body = Body("box", 2.0, inertia=(0.1, 0.2, 0.25))
    closure = WeldClosure("weld", "box", point_b=(0.1, -0.2, 0.3))
    model = Model("held", (body,), (Joint("flies", GROUND, "box", Free()),), closures=(closure,))
    q0, v0 = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), np.zeros(6)
    assert Loops(model, 0.01).gains("weld") == pytest.approx((25.0, 10.0))
    omega, h = 10.0, 2e-3
    loops = Loops(model, h, corrections={"weld": omega})
    q, _ = motion(model, loops.forward_dynamics, q0, v0, h, 200, np.zeros(6))
    t = h * np.arange(1, 201)
    expected = np.array([[-0.1, 0.2, -0.3]]) * ((1 + omega * t) * np.exp(-omega * t))[:, None]
    np.testing.assert_allclose(q[:, :3] - [0.1, -0.2, 0.3], expected, atol=1e-7)  # RK4 at w h = 0.02


def test_arch_thrust() -> None:
    """Two equal bars lean on each other: thrust w b / (2 h) at the top, no vertical force there; w at each foot."""
    b, top, mass = 0.6, 0.8, 3.0
    bodies = bar("left", 1.0, mass), bar("right", 1.0, mass)
    joints = (
        Joint("foot_l", GROUND, "left", revolute()),
        Joint("foot_r", GROUND, "right", revolute(), (2 * b, 0.0, 0.0)),
    )
    closure = PointClosure("apex", "left", "tip", "right", "tip")
    model = Model("arch", bodies, joints, DOWN, closures=(closure,))
    q = np.array([np.arctan2(top, b), np.pi - np.arctan2(top, b)])
    # nothing can move (two freedoms, two independent rows), so accelerations are zero
    loops = Loops(model, H, around=q)
    v_dot, F = loops.forward_dynamics.function(q, [0, 0], [0, 0])
    np.testing.assert_allclose(numbers(v_dot), 0.0, atol=1e-10)  # residuals of 1e-16 times K_err
    w, thrust = mass * G, mass * G * b / (2 * top)
    reaction = numbers(loops.reactions.function(q, [0, 0], [0, 0]))
    np.testing.assert_allclose(reaction, [0, 0, 0, -thrust, 0, 0], atol=1e-10)
    loads = Outputs(loops.tree).joint_loads.function(q, [0, 0], v_dot, F)
    for angle, load, push in zip(q, loads, (thrust, -thrust), strict=True):
        c, s = np.cos(angle), np.sin(angle)
        in_world = np.array([[c, -s], [s, c]]) @ numbers(load)[3:5]
        np.testing.assert_allclose(in_world, [push, w], atol=1e-10)


def test_hanging_weld_carries_the_weight() -> None:
    """Force m g up, and the moment that holds the centre of mass beside the point."""
    body = Body("box", 4.0, (0.2, 0.1, -0.3), (0.3, 0.3, 0.3), points={"lug": (0.0, 0.5, 0.0)})
    closure = WeldClosure("lug", "box", "lug", GROUND, (1.0, 2.0, 3.0))
    model = Model("hung", (body,), (Joint("flies", GROUND, "box", Free()),), closures=(closure,))
    q = np.array([1.0, 1.5, 3.0, 1.0, 0.0, 0.0, 0.0])
    loops = Loops(model, H, around=q)
    np.testing.assert_allclose(numbers(loops.forward_dynamics.function(q, [0] * 6, [0] * 6)[0]), 0.0, atol=1e-12)
    weight = np.array([0.0, 0.0, 4.0 * G])
    arm = np.array([0.2, 0.1, -0.3]) - [0.0, 0.5, 0.0]
    reaction = numbers(loops.reactions.function(q, [0] * 6, [0] * 6))
    np.testing.assert_allclose(reaction, [*np.cross(arm, weight), *weight], atol=1e-10)


def test_planar_loop_on_a_base_that_turns() -> None:
    """The dropped row turns with the loop: the mechanism on a table is held whichever way the table faces."""
    bodies = bar("crank", CRANK, 1.0), bar("coupler", 0.8, 2.0), bar("rocker", ROCKER, 1.5)
    table = Body("table", 5.0, inertia=(0.5, 0.6, 0.7))
    joints = (
        Joint("flies", GROUND, "table", Free()),
        Joint("j_crank", "table", "crank", revolute()),
        Joint("j_coupler", "crank", "coupler", revolute(), "tip"),
        Joint("j_rocker", "table", "rocker", revolute(), (BASE, 0.0, 0.0)),
    )
    closure = PointClosure("loop", "coupler", "tip", "rocker", "tip")
    model = Model("on_table", (table, *bodies), joints, closures=(closure,))
    angles = four_bar_angles(0.5)
    loops = Loops(model, H, around=[0, 0, 0, 1, 0, 0, 0, *angles])
    assert [r.row for r in loops.redundant] == ["loop.z"]
    q = np.array([0, 0, 0, np.sqrt(0.5), np.sqrt(0.5), 0, 0, *angles])  # lying on its side
    v = numbers(loops.velocity_projection().function(q, [0.5, -1.0, 2.0, 0, 0, 0, 3.0, 0, 0]))
    growth, residual = loops.monitors.function(q, v, np.zeros(9))
    assert float(growth) < 10 and float(residual) < 1e-14
    q1, _ = motion(model, loops.forward_dynamics, q, v, H, 300, np.zeros(9))
    assert np.abs(numbers(loops.residuals.function(q1[-1], v)[0])).max() < 1e-9


def test_redundant_rows_are_named_and_dropped() -> None:
    """A hinge closes a planar loop once too often in three rows; the motion is that of the point closure."""
    hinge = RevoluteClosure("hinge", "coupler", "tip", "rocker", "tip")
    q, tau = four_bar_angles(0.7), [0.4, 0.0, -0.2]
    plain = Loops(four_bar(), H, around=q)
    loops = Loops(four_bar(hinge), H, around=q)
    assert {r.row for r in loops.redundant} == {"hinge.z", "hinge.tilt_1", "hinge.tilt_2"}
    v = numbers(plain.velocity_projection().function(q, [2.0, 0.0, 0.0]))
    expected = numbers(plain.forward_dynamics.function(q, v, tau)[0])
    np.testing.assert_allclose(numbers(loops.forward_dynamics.function(q, v, tau)[0]), expected, rtol=1e-10)
    # epsilon 1e-9 yields by that share of the acceleration
    soft = Loops(four_bar(hinge), H, around=q, redundancy="regularise")
    np.testing.assert_allclose(numbers(soft.forward_dynamics.function(q, v, tau)[0]), expected, rtol=1e-7)
    with pytest.raises(ModelError, match=r"hinge\.z is met whatever the coordinates; hinge\.tilt_1"):
        _ = Loops(four_bar(hinge), H, around=q, redundancy="raise").forward_dynamics.function


def test_a_row_that_follows_from_another_closure_is_named() -> None:
    """The same point twice: held once, or shared."""
    model = four_bar()
    twice = Model(
        "twice",
        model.bodies,
        model.joints,
        model.gravity,
        closures=(*model.closures, PointClosure("again", "rocker", "tip", "coupler", "tip")),
    )
    q = four_bar_angles(0.7)
    loops = Loops(twice, H, around=q)
    dependent = {r.row: r.depends_on for r in loops.redundant}
    assert set(dependent) == {"loop.z", "again.x", "again.y", "again.z"}
    assert dependent["again.x"] == ("loop.x", "loop.y")
    expected = Loops(model, H, around=q).forward_dynamics.function(q, [0] * 3, [0] * 3)
    got = loops.forward_dynamics.function(q, [0] * 3, [0] * 3)
    np.testing.assert_allclose(numbers(got[0]), numbers(expected[0]), rtol=1e-10)
    soft = Loops(twice, H, around=q, redundancy="regularise").reactions.function(q, [0] * 3, [0] * 3)
    full = numbers(Loops(model, H, around=q).reactions.function(q, [0] * 3, [0] * 3))
    shared = numbers(soft[0]) - numbers(soft[1])  # on the coupler: body a of the one, body b of the other
    np.testing.assert_allclose(shared, full, atol=1e-6 * np.abs(full).max())
    assert np.linalg.norm(numbers(soft[1])) > 0.1 * np.linalg.norm(full)


KINDS = ["revolute", "universal", "cylindrical", "spherical"]


@pytest.mark.parametrize("seed", some_of(range(8), 3))
@pytest.mark.parametrize("kind", ["point", "weld"])
def test_random_trees_with_a_loop_against_pinocchio(seed: int, kind: str) -> None:
    """1e-8 of the largest acceleration: rounding times the condition of J M^-1 J' (below 1e6)."""
    model = random_model(seed, 7, KINDS, free_base=seed % 2 == 0)
    q, v, tau = random_state(model, seed)
    built, places = in_pinocchio(model)
    ends = [f"b{k}" for k in (3 + seed % 3, 6)]
    carriers = {j.child: j.name for j in model.joints}
    qs = ca.SX.sym("q", model.nq)
    state = TreeState.of(model, qs, ca.SX(model.nv, 1))
    point_a = (0.1, 0.2, -0.3)
    a, b = state.point(ends[0], point_a), state.point(ends[1])
    p_a, R_a, p_b, R_b = (numbers(x) for x in ca.Function("ends", [qs], [a.p, a.R, b.p, b.R])(q))
    point_b, R_ba = R_b.T @ (p_a - p_b), R_b.T @ R_a
    closure: AbstractPlaceClosure = (
        PointClosure("loop", ends[0], point_a, ends[1], tuple(point_b))
        if kind == "point"
        else WeldClosure("loop", ends[0], point_a, ends[1], tuple(point_b), R_ba.tolist())
    )
    closed = Model("closed", model.bodies, model.joints, model.gravity, closures=(closure,))
    loops = Loops(closed, H, around=q)
    v = numbers(loops.velocity_projection().function(q, v))
    v_dot, F = loops.forward_dynamics.function(q, v, tau)

    q_order, v_order = orders(model, built, places)
    q_pin, v_pin, tau_pin = np.empty(built.nq), np.empty(built.nv), np.empty(built.nv)
    q_pin[q_order], v_pin[v_order], tau_pin[v_order] = q, v, tau
    ids = [places[carriers[e]][-1] for e in ends]
    contact = pin.ContactType.CONTACT_3D if kind == "point" else pin.ContactType.CONTACT_6D
    frames = pin.SE3(np.eye(3), np.array(point_a)), pin.SE3(R_ba if kind == "weld" else np.eye(3), point_b)
    constraint = pin.RigidConstraintModel(contact, built, ids[0], frames[0], ids[1], frames[1], pin.LOCAL)
    data, held = built.createData(), constraint.createData()
    pin.initConstraintDynamics(built, data, [constraint], [held])
    # some loops have too few joints for all rows: we drop rows, Pinocchio iterates with a proximal term
    settings = pin.ProximalSettings(1e-13, 1e-13, 1e-8 if loops.redundant else 0.0, 100)
    theirs = pin.constraintDynamics(built, data, q_pin, v_pin, tau_pin, [constraint], [held], settings)[v_order]
    np.testing.assert_allclose(numbers(v_dot), theirs, rtol=0, atol=1e-8 * np.abs(theirs).max())


def test_axis_closure_keeps_a_spinning_top_upright() -> None:
    """Two rows hold the axis; what is left is spin about it, untouched by gravity, and free flight."""
    model = Model(
        "top",
        (Body("top", 2.0, inertia=(0.2, 0.2, 0.3)),),
        (Joint("flies", GROUND, "top", Free()),),
        closures=(AxisClosure("upright", "top"),),
    )
    loops = Loops(model, H)
    assert loops.redundant == ()
    v_dot, F = loops.forward_dynamics.function(model.neutral, [0, 0, 7.0, 1.0, 0, 0], [0.5, -0.4, 0.6, 0, 0, 0])
    # speeds are in the body frame: the linear ones also turn
    np.testing.assert_allclose(numbers(v_dot), [0, 0, 2.0, 0, -7.0, -G], atol=1e-12)
    reaction = numbers(loops.reactions.function(model.neutral, [0] * 6, [0.5, -0.4, 0.6, 0, 0, 0]))
    np.testing.assert_allclose(reaction, [-0.5, 0.4, 0, 0, 0, 0], atol=1e-12)


def test_four_bar_motion_against_mujoco() -> None:
    """MuJoCo holds loops by stiff springs (time constant 2 steps of 0.1 ms): its motion is ours to 1e-4 rad."""

    def link(name: str, at: str, length: float, mass: float, inside: str = "") -> str:
        J = mass * length**2 / 12
        return (
            f'<body name="{name}" pos="{at}"><joint axis="0 0 1"/><inertial pos="{length / 2} 0 0" mass="{mass}" '
            f'diaginertia="{1e-3 * J} {J} {J}"/><site name="{name}_tip" pos="{length} 0 0"/>{inside}</body>'
        )

    coupler = link("coupler", f"{CRANK} 0 0", 0.8, 2.0)
    xml = (
        f'<mujoco><compiler angle="radian"/><option timestep="1e-4" integrator="RK4" gravity="0 {-G} 0"/><worldbody>'
        f"{link('crank', '0 0 0', CRANK, 1.0, coupler)}{link('rocker', f'{BASE} 0 0', ROCKER, 1.5)}</worldbody>"
        '<equality><connect site1="coupler_tip" site2="rocker_tip" solref="2e-4 1" solimp="0.9999 0.9999 1e-3"/>'
        "</equality></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(theirs)
    q0 = four_bar_angles(0.5)
    loops = Loops(four_bar(), H, around=q0)
    v0 = numbers(loops.velocity_projection().function(q0, [3.0, 0.0, 0.0]))
    data.qpos[:], data.qvel[:] = q0, v0
    for _ in range(5000):
        mujoco.mj_step(theirs, data)
    q, _ = motion(loops.model, loops.forward_dynamics, q0, v0, H, 500, [0.0] * 3)
    assert np.abs(q[-1] - q0).max() > 1.0
    np.testing.assert_allclose(q[-1], data.qpos, atol=1e-4)

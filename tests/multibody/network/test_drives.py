"""Rotors, gears, stops, contacts and cylinders in redundant coordinates, against minimal ones and other methods."""

import functools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from motionbase.actuators.cylinder import HydraulicCylinder
from motionbase.actuators.example import LEG, STROKE
from motionbase.actuators.single_leg import single_leg_rates
from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import CouplingClosure
from motionbase.multibody.elements import (
    JointDamper,
    JointFriction,
    JointLimit,
    Motor,
    PlaneContact,
    SphereContact,
)
from motionbase.multibody.joints import Free, Spherical, cylindrical, prismatic, revolute, universal
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.run import NetworkRun, RunJob, run_network
from motionbase.multibody.simulate import simulate

Array = NDArray[np.float64]


def bar(name: str) -> Body:
    return Body(name, 2.0, (0.5, 0, 0), (0.001, 0.17, 0.17), points={"tip": (1.0, 0, 0)})


def arm(**more: Any) -> Model:
    """Two bars that swing."""
    joints = (
        Joint("shoulder", GROUND, "upper", revolute((0, 1, 0))),
        Joint("elbow", "upper", "lower", revolute((0, 1, 0)), "tip"),
    )
    return Model("arm", (bar("upper"), bar("lower")), joints, **more)


def single(motion: Any, *elements: Any) -> Model:
    return Model("single", (bar("bar"),), (Joint("joint", GROUND, "bar", motion, (0, 0, 0.3)),), elements=elements)


MODELS: dict[str, tuple[Model, dict[str, Any]]] = {
    "rotors": (arm(elements=(Motor("m", "shoulder", 50.0, 1e-3), Motor("n", "elbow", -30.0, 2e-3))), {}),
    "rotors that slide and turn": (
        single(cylindrical((0, 0.6, 0.8)), Motor("m", "joint", 20.0, 1e-3), Motor("n", "joint", 40.0, 1e-3, axis=1)),
        {},
    ),
    "rotors of a universal joint": (
        single(universal((1, 0, 0), (0, 1, 0)), Motor("m", "joint", 20.0, 1e-3, 1), JointDamper("d", "joint", 0.1)),
        {"v0": [1.0, 0.0]},
    ),
    "rotor and damper of a ball joint": (
        single(Spherical(), JointDamper("d", "joint", 0.3, axis=1), Motor("m", "joint", 10.0, 1e-3, axis=2)),
        {"v0": [0.3, 0.1, 1.0]},
    ),
    "dampers in flight": (
        single(Free(), *(JointDamper(f"d{k}", "joint", 0.5 + 0.1 * k, axis=k) for k in range(6))),
        {"v0": [1.0, -2.0, 0.5, 0.3, 0.2, 0.1]},
    ),
    "gear": (arm(closures=(CouplingClosure("gear", "elbow", "shoulder", -2.0, 0.3),)), {"q0": {"shoulder": 0.1}}),
    "stop": (arm(elements=(JointLimit("stop", "elbow", -0.5, 0.5, 500.0, 5.0, 0.05),)), {}),
    "tanh friction": (arm(elements=(JointFriction("f", "shoulder", 0.1, 1.0, 0.02),)), {}),
    "sphere on plane": (
        single(
            prismatic((0, 0.6, 0.8)),
            PlaneContact("floor", "bar", 1e4, 0.2, point_a="tip", damping=0.2, friction=0.3, v_s=0.1),
        ),
        {},
    ),
    "spheres": (
        arm(elements=(SphereContact("ball", "lower", 0.1, 2e4, "tip", GROUND, (1.2, 0, -1.2), 0.3, damping=0.3),)),
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_tree_and_network_agree_to_second_order(name: str) -> None:
    """The difference falls by 4 with half the step; the tree's Runge-Kutta of 0.1 ms is exact beside it.

    Where something touches, the factor also depends on where in a step that is: 3 to 5.
    """
    model, start = MODELS[name]
    inputs = {f"{e.name}_torque": 0.2 for e in model.elements if isinstance(e, Motor)} or None
    tree = simulate(model, 0.8, 1e-4, inputs=inputs, every=200, **start)
    differences = []
    for dt in (1e-3, 5e-4):
        network = simulate(model, 0.8, dt, inputs=inputs, every=round(0.02 / dt), engine="network", **start)
        differences.append(np.abs(network.q - tree.q).max())
    assert np.abs(tree.q - tree.q[0]).max() > 0.1  # it moves
    assert differences[1] < 1e-4
    touches = name in ("stop", "sphere on plane", "spheres")
    assert differences[0] / differences[1] == pytest.approx(4.0, abs=1.0 if touches else 0.2)


def test_a_gear_goes_on_after_many_turns() -> None:
    """A wheel at 20 rad/s and one geared to it 3 : 1 with an offset, on axes at right angles; the row always holds."""
    wheel = Body("wheel", 1.0, inertia=(0.1, 0.1, 0.1)), Body("pinion", 1.0, inertia=(0.02, 0.02, 0.02))
    joints = (
        Joint("slow", GROUND, "wheel", revolute((0, 0, 1))),
        Joint("fast", GROUND, "pinion", revolute((1, 0, 0)), (0.5, 0, 0)),
    )
    model = Model("train", wheel, joints, (0, 0, 0), closures=(CouplingClosure("gear", "fast", "slow", -3.0, 0.4),))
    network = Network(model, 2e-3, np.array([0.0, 0.4]), np.array([20.0, -60.0]))
    run = run_network(RunJob(network, 1000, held(model), {}))
    # 6.4 turns, and 19 of the pinion; its parameters 2 tan(angle / 2) of 0.12 rad a step are off by angle^2 / 12
    np.testing.assert_allclose(run.q[:, 0], 20.0 * run.t, rtol=0.12**2 / 12)
    assert run.miss < 1e-9


def test_a_geared_rotor_has_the_inertia_it_should() -> None:
    """A slide of m with a motor N, J under a constant torque T of the motor: x = N T t^2 / 2 (m + N^2 J)."""
    motor = Motor("motor", "rail", 10.0, 2e-3)
    model = Model(
        "slide", (Body("cart", 0.3, inertia=(1, 1, 1)),), (Joint("rail", GROUND, "cart", prismatic((1, 0, 0))),),
        elements=(motor,),
    )  # fmt: skip
    network = Network(model, 1e-2)
    assert network.equations == 12 + 5 + 1
    run = run_network(RunJob(network, 200, {**held(model), "motor_torque": np.array(0.5)}, {}))
    # methods of second order are exact for a parabola
    np.testing.assert_allclose(run.q[:, 0], 0.5 * 10.0 * 0.5 / (0.3 + 0.2) * run.t**2, atol=1e-12)
    assert run.own[-1, -1] == pytest.approx(0.2 * run.v[-1, 0], rel=1e-12)  # the rotor's momentum


def held(model: Model) -> dict[str, Array]:
    return {"tau": np.zeros(model.nv)}


# ---- cylinders -----------------------------------------------------------------------------------------------------

LOAD, P_ROD = 2000.0, 8e6
P_CAP = (LOAD * 9.81 + LEG.area_rod * P_ROD) / LEG.area_cap


def lift(body_a: str = GROUND, body_b: str = "load") -> Model:
    """A load on a vertical guide over a leg of 2.7 m, in balance."""
    joint = Joint("guide", GROUND, "load", prismatic((0, 0, 1)), (0, 0, 2.7))
    cylinder = HydraulicCylinder("leg", body_a, body_b, LEG, STROKE, P_CAP, P_ROD)
    return Model("lift", (Body("load", LOAD, inertia=(1, 1, 1)),), (joint,), elements=(cylinder,))


def command(t: Any) -> Any:
    return 0.3 * np.sin(4 * np.pi * t)


@functools.cache
def leg_by_radau() -> Array:
    """(7,) state, length and speed after 0.2 s, by the leg's rates in another integrator."""
    rates = compile(single_leg_rates(LEG, STROKE))

    def slope(t: float, y: Array) -> Array:
        given = {"p_supply": LEG.p_supply, "p_return": LEG.p_return, "abort": 0.0}
        x_dot, l_ddot, _ = rates(
            m=LOAD, f_load=-9.81 * LOAD, x=np.ascontiguousarray(y[:5]), l=y[5], l_dot=y[6], u=command(t), **given
        )
        return np.concatenate([x_dot, [y[6], l_ddot]])

    made = solve_ivp(slope, (0, 0.2), [0, 0, P_CAP, P_ROD, 0, 2.7, 0], "Radau", rtol=1e-7, atol=1e-10, max_step=5e-3)
    return np.asarray(made.y[:, -1])


@pytest.mark.parametrize("ends", [(GROUND, "load"), ("load", GROUND)])
def test_a_cylinder_lifts_as_its_own_rates_say(ends: tuple[str, str]) -> None:
    """Second order in place and pressures; at 0.5 ms the load is within 1 um after 0.2 s."""
    expected, errors = leg_by_radau(), []
    for h in (1e-3, 5e-4):
        run = lifted(h, *ends)
        sizes = [state.size for state in lift().elements[0].states]  # type: ignore[attr-defined]
        x = run.own[-1, -5:] * sizes
        ours = np.array([2.7 + run.q[-1, 0], run.v[-1, 0], x[2] / 1e7, x[3] / 1e7])
        errors.append(np.abs(ours - [*expected[5:], expected[2] / 1e7, expected[3] / 1e7]))
    assert errors[1][0] < 1e-6
    assert errors[0].max() / errors[1].max() == pytest.approx(4.0, rel=0.2)


def lifted(h: float, *ends: str) -> NetworkRun:
    steps = round(0.2 / h)
    network = Network(lift(*ends), h)
    assert network.equations == 12 + 5 + 5
    u = command((np.arange(steps) + 1) * h)
    return run_network(RunJob(network, steps, {"tau": np.zeros(1), "leg_abort": np.zeros(())}, {"leg_u": u}))


def test_the_tree_refuses_a_cylinder() -> None:
    with pytest.raises(ModelError, match=r"HydraulicCylinder 'leg' has states of its own.*engine=\"network\""):
        simulate(lift(), 0.01)


def test_bad_cylinders() -> None:
    with pytest.raises(ModelError, match="cylinder 'leg': both ends are on 'load'"):
        lift("load", "load")
    with pytest.raises(ModelError, match="cylinder 'leg': body 'loda' not found"):
        lift(GROUND, "loda")
    with pytest.raises(ModelError, match="cylinder 'leg': p_cap is -1 Pa"):
        HydraulicCylinder("leg", GROUND, "load", LEG, STROKE, -1.0, P_ROD)

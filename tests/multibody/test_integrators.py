"""Integrators: tables that prove themselves, the order of every method, quaternions, lanes, stiffness, step control."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ellipk

from motionbase.compile import compile, scan
from motionbase.errors import ModelError, MotionBaseError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import JointDamper, JointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.integrators import (
    DOPRI5,
    METHODS,
    RK4,
    RODAS3,
    AbstractMethod,
    Adaptive,
    Rosenbrock,
    RungeKutta,
    SemiImplicitEuler,
    System,
)
from motionbase.multibody.integrators.tableau import TableauError, rooted_trees
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.models.classics import pendulum, top, two_link
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree

Array = NDArray[np.float64]
FIXED: list[AbstractMethod] = [SemiImplicitEuler(), RungeKutta(RK4), RungeKutta(DOPRI5), Rosenbrock(RODAS3)]


def flyer() -> Model:
    """An unsymmetrical body that flies, with a swinging arm, under gravity."""
    bodies = (
        Body("hull", 2.0, (0.1, 0.0, -0.05), (0.2, 0.3, 0.4)),
        Body("arm", 0.5, (0.3, 0.0, 0.1), (0.01, 0.03, 0.02)),
    )
    joints = Joint("flight", GROUND, "hull", Free()), Joint("hinge", "hull", "arm", revolute((0, 1, 0)), (0.2, 0.1, 0))
    return Model("flyer", bodies, joints)


CASES: dict[str, tuple[Model, dict[str, Any], dict[str, Any]]] = {
    "two_link": (two_link(), {"shoulder": 0.4, "elbow": 0.8}, {"elbow": 1.0}),
    "top": (top(), {"tip": (0.9, 0.3, -0.2, 0.1)}, {"tip": (1.0, -2.0, 12.0)}),
    "flyer": (flyer(), {"hinge": 0.5}, {"flight": (1.0, -2.0, 1.5, 0.3, 0.0, 1.0), "hinge": 2.0}),
}


# ---- tables --------------------------------------------------------------------------------------------------------


def test_number_of_rooted_trees() -> None:
    """Cayley: 1, 1, 2, 4, 9, 20, 48."""
    assert [len(list(rooted_trees(n))) for n in range(1, 8)] == [1, 1, 2, 4, 9, 20, 48]


@pytest.mark.parametrize(
    ("tableau", "change", "said"),
    [
        (RK4, {"b": (1 / 6, 1 / 3, 1 / 3, 0.17)}, "weights b have order 0, they are said to have 4"),
        (RK4, {"c": (0.0, 0.5, 0.4, 1.0)}, "rows of a sum to"),
        (RK4, {"order": 5}, "have order 4, they are said to have 5"),
        (RK4, {"a": ((0.5,), (0.5,))}, "a must have rows of 1 to 3 numbers"),
        (DOPRI5, {"order_hat": 5}, "b_hat have order 4"),
        (RODAS3, {"gamma": 0.4}, "nodes are"),
        (RODAS3, {"m": (2.0, 0.0, 1.0, 0.5)}, "weights m have order"),
        (RODAS3, {"L_stable": False}, "at infinity"),
    ],
)
def test_a_wrong_digit_is_found(tableau: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(TableauError, match=said):
        replace(tableau, **change)


# ---- accuracy ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "error"),  # measured with 1000 steps: 3.4e-5, 4.8e-10, 4.1e-13, 3.1e-7, 3.1e-7
    [("euler", 1e-4), ("rk4", 1e-9), ("dopri5", 1e-11), ("rodas3", 1e-6), ("rodas3_adaptive", 1e-6)],
)
def test_pendulum_returns_after_its_elliptic_period(method: str, error: float) -> None:
    """Period 4 sqrt(l/g) K(sin²(q0/2)) is exact at any amplitude."""
    l, g, q0 = 0.75, 9.80665, 2.0
    period = 4 * np.sqrt(l / g) * ellipk(np.sin(q0 / 2) ** 2)
    x = simulate(pendulum(l), period, period / 1000, method=method, q0={"pivot": q0})
    np.testing.assert_allclose([x.q[-1, 0], x.v[-1, 0]], [q0, 0.0], atol=error)
    assert x.t[-1] == pytest.approx(period, rel=1e-12)


def runner(model: Model, method: AbstractMethod, q: Array, v: Array, duration: float) -> Callable[[int], Array]:
    """The end of the motion for a number of steps."""
    system = System(model, Tree(model).forward_dynamics)
    loop = scan(method.step(system), {"q": "q_next", "v": "v_next"})

    def run(steps: int) -> Array:
        out = loop(steps, h=duration / steps, q=q, v=v, tau=np.zeros(model.nv))
        return np.concatenate([out["q"], out["v"]])

    return run


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", FIXED, ids=lambda m: m.name)
def test_order_of_convergence(method: AbstractMethod, case: str) -> None:
    """Slope of log error over log h where halving still helps, against a fine run of order 5; quaternions included."""
    model, q0, v0 = CASES[case]
    q, v, duration = q_of(model, q0), v_of(model, v0), 0.5
    exact = runner(model, RungeKutta(DOPRI5), q, v, duration)(5120)
    run = runner(model, method, q, v, duration)
    counts = np.array([40, 80, 160, 320, 640]) * (10 if method.order == 1 else 1)
    errors = np.array([np.abs(run(int(n)) - exact).max() for n in counts])
    slopes = -np.diff(np.log2(errors))[errors[1:] > 2e-12]  # below, roundings of 5120 steps count
    assert slopes[-1] == pytest.approx(method.order, abs=0.35)


def test_quaternions_stay_unit() -> None:
    """100 000 steps; without the Newton step the roundings add up to 1e-12."""
    model, q0, v0 = CASES["top"]
    x = simulate(model, 100.0, 1e-3, method="euler", q0=q0, v0=v0, every=1000)
    assert np.abs(np.linalg.norm(x.q, axis=1) - 1).max() < 1e-15 * 4


@pytest.mark.parametrize("method", [*FIXED, METHODS["dopri5"]], ids=lambda m: type(m).__name__ + m.name)
def test_lanes_give_the_same_bits(method: AbstractMethod | Adaptive) -> None:
    model, _, _ = CASES["flyer"]
    system = System(model, Tree(model).forward_dynamics)
    unit = method.attempt(system) if isinstance(method, Adaptive) else method.step(system)
    scalar, wide = compile(unit), compile(unit, lanes=4)
    rng = np.random.default_rng(3)
    inputs = {p.name: rng.uniform(0.01, 0.5, (*p.array_shape, 4)) for p in unit.inputs}
    inputs["q"][3:7] /= np.linalg.norm(inputs["q"][3:7], axis=0)
    together = wide(**inputs)
    for lane in range(4):
        alone = scalar(**{name: np.ascontiguousarray(x[..., lane]) for name, x in inputs.items()})
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_array_equal(a, b[..., lane])


# ---- stiffness and step control ------------------------------------------------------------------------------------


def stiff() -> Model:
    """The two-link arm with a spring and damper at the elbow that decay a thousand times within a step of 10 ms."""
    elements = JointSpring("spring", "elbow", 1e7), JointDamper("damper", "elbow", 1e6)
    return replace(two_link(), elements=elements)


def test_implicit_method_takes_long_steps_where_explicit_ones_cannot() -> None:
    q0 = {"shoulder": 0.3}
    with pytest.raises(SimulationError, match="became infinite before t = .* try a smaller dt"):
        simulate(stiff(), 1.0, 1e-2, method="rk4", q0=q0)
    x = simulate(stiff(), 1.0, 1e-2, method="rodas3", q0=q0)
    # with the elbow held, the arm is a rigid pendulum: its energy is its own, and the elbow gives by tau / k = 1e-5
    assert np.abs(x.column("q.elbow")).max() < 1e-4
    assert x.energy_drift < 1e-3
    rigid = replace(two_link(), joints=(two_link().joints[0], replace(two_link().joints[1], motion=fixed())))
    y = simulate(rigid, 1.0, 1e-2, method="rk4", q0=q0)
    np.testing.assert_allclose(x.column("q.shoulder"), y.column("q.shoulder"), atol=1e-3)


def test_flexible_boom_falls_alike_with_long_implicit_and_short_explicit_steps() -> None:
    """Four bending modes, clamped 3 to 109 Hz: RK4 runs away at 10 ms, rodas3 does not (1.7e-6 rad, 1.2e-5 m off)."""
    modes = beam(5.0, 10.0, EI_y=2e5, bending=(0, 4), damping=0.01)
    boom = Model("boom", (Body("boom", modes=modes),), (Joint("pivot", GROUND, "boom", revolute((0, 1, 0))),))
    with pytest.raises(SimulationError, match="became infinite"):
        simulate(boom, 2.0, 1e-2, method="rk4")
    x, y = simulate(boom, 2.0, 1e-4, method="rk4", every=100), simulate(boom, 2.0, 1e-2, method="rodas3")
    np.testing.assert_allclose(x.q[-1], y.q[-1], atol=5e-5)
    assert [name for name, _ in x.q_names] == ["pivot", *(f"boom.mode{k}" for k in (1, 2, 3, 4))]


@pytest.mark.parametrize("base", [RungeKutta(DOPRI5), Rosenbrock(RODAS3)], ids=lambda m: m.name)
def test_tighter_tolerance_smaller_error_more_steps(base: Any) -> None:
    model, q0, v0 = CASES["two_link"]
    exact = simulate(model, 2.0, 1e-4, q0=q0, v0=v0, every=20000).q[-1]
    runs = [simulate(model, 2.0, 1.0, method=Adaptive(base, r, r / 10), q0=q0, v0=v0) for r in (1e-4, 1e-6, 1e-8)]
    errors = [np.abs(x.q[-1] - exact).max() for x in runs]
    assert errors[0] > 5 * errors[1] > 25 * errors[2]
    assert runs[0].steps < runs[1].steps < runs[2].steps
    assert [len(x.t) for x in runs] == [3, 3, 3]


def test_adaptive_samples_do_not_depend_on_how_often_they_are_taken() -> None:
    model, q0, v0 = CASES["flyer"]
    few, many = (simulate(model, 1.0, dt, method="dopri5", q0=q0, v0=v0) for dt in (0.5, 0.01))
    np.testing.assert_allclose(few.q[1], many.q[50], atol=1e-7)
    np.testing.assert_allclose(few.q[2], many.q[100], atol=1e-7)


def test_adaptive_gives_up_with_a_sentence() -> None:
    """A torque that grows without bound."""
    with pytest.raises(SimulationError, match="cannot be followed beyond t = "):
        simulate(pendulum(), 1.0, 0.1, method="dopri5", inputs=lambda t: [1e300 if t > 0.5 else 0.0])


def test_loop_is_closed_at_the_start_and_stays_closed() -> None:
    """A four-bar linkage started a little open: the start moves onto the closure (later 8e-9 and 2e-7 m off)."""
    links = [Body(f"bar{k}", 1.0, (0.5, 0, 0), (0.0, 0.1, 0.1), {"end": (1.0, 0.0, 0.0)}) for k in range(3)]
    pin = revolute((0, 1, 0))
    joints = [
        Joint("pin0", GROUND, "bar0", pin),
        *(Joint(f"pin{k}", f"bar{k - 1}", f"bar{k}", pin, "end") for k in (1, 2)),
    ]
    closed = PointClosure("closed", "bar2", "end", GROUND, (1.5, 0.0, 0.0))
    model = Model("four_bar", tuple(links), tuple(joints), closures=(closed,))
    q0 = {"pin0": -1.3, "pin1": 1.3, "pin2": 1.4}
    for method, gap, drift in (("rk4", 1e-7, 1e-6), ("rodas3", 1e-6, 1e-4)):
        x = simulate(model, 2.0, 1e-3, method=method, start=(q0, None), every=50)
        angles = -np.cumsum(x.q, axis=1)  # turning about y takes x towards -z
        ends = np.stack([np.cos(angles).sum(axis=1), np.sin(angles).sum(axis=1)], axis=1)
        assert np.abs(ends - [1.5, 0.0]).max() < gap
        assert x.energy_drift < drift
    with pytest.raises(ModelError, match="the closures cannot be met"):
        far = replace(model, closures=(replace(closed, point_b=(3.5, 0.0, 0.0)),))
        simulate(far, 1.0, start=(q0, None))


# ---- inputs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_inputs_as_constant_rows_and_function(method: str) -> None:
    """A rotor under torque: v = integral of tau / J; the midpoint rule is exact for a torque linear in time."""
    rotor = Model(
        "rotor", (Body("disc", 1.0, (0, 0, 0), (0.1, 0.1, 0.2)),), (Joint("axle", GROUND, "disc", revolute()),)
    )
    x = simulate(rotor, 2.0, 0.01, method=method, inputs=[0.4])
    np.testing.assert_allclose(x.v[:, 0], 2.0 * x.t, atol=1e-12)
    x = simulate(rotor, 2.0, 0.01, method=method, inputs={"tau": lambda t: [0.4 * t]}, every=2)
    np.testing.assert_allclose(x.v[:, 0], x.t**2, atol=1e-12)
    x = simulate(rotor, 2.0, 0.01, method=method, inputs={"tau": np.full((200, 1), 0.4)})
    np.testing.assert_allclose(x.v[:, 0], 2.0 * x.t, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"duration": -1.0}, "duration is -1.0 s"),
        ({"dt": float("nan")}, "dt is nan s"),
        ({"dt": 5.0}, "longer than the duration"),
        ({"every": 0}, "every is 0"),
        ({"duration": 1e9}, "more than 2 GB"),
        ({"method": "rk5"}, "no method 'rk5'; methods: euler, rk4"),
        ({"inputs": {"torque": 1.0}}, "has no input 'torque'; inputs: tau"),
        ({"inputs": [1.0, 2.0]}, "input 'tau' has shape"),
        ({"q0": {"pivt": 1.0}}, "did you mean 'pivot'"),
        ({"q0": [1.0, 2.0]}, "2 numbers given"),
        ({"q0": {"pivot": (1.0, 2.0)}}, "'pivot' has 1 coordinates, 2 numbers given"),
        ({"v0": {"pivot": float("inf")}}, "must be finite"),
    ],
)
def test_bad_calls_are_one_sentence(options: dict[str, Any], said: str) -> None:
    with pytest.raises(MotionBaseError, match=said):
        simulate(pendulum(), **{"duration": 1.0, **options})

"""Joints that stick: known answers of the elastoplastic law, stick-slip, slopes, and convergence at reversals."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from motionbase.compile import compile
from motionbase.compile.linear import BROKEN
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import AbstractElement, JointSpring, Stiction
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.loaders.toml import load_toml
from motionbase.multibody.models.robot import KP, Q_REF, SIGMA0, servo_robot
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.run import NetworkRun, RunJob, run_network
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree

Array = NDArray[np.float64]
# the companion example of LuGre's paper, with MBDyn's stiffness
C, S, V_S, SIGMA = 1.0, 1.5, 1e-3, (1e5, float(np.sqrt(1e5)), 0.4)
KAPPA = 0.71


def block(mass: float, *elements: AbstractElement, gravity: tuple[float, float, float] = (0, 0, 0)) -> Model:
    """On a straight guide along x."""
    body = Body("block", mass, inertia=(0.1 * mass,) * 3)
    return Model("block", (body,), (Joint("guide", GROUND, "block", prismatic((1, 0, 0))),), gravity, elements)


@functools.cache
def rubbing(mass: float = 1.0, spring: float = 0.0) -> Model:
    springs = (JointSpring("spring", "guide", spring),) if spring else ()
    return block(mass, *springs, Stiction("rub", "guide", C, S, V_S, *SIGMA, KAPPA))


def pushed(model: Model, h: float, force: Array, v0: float = 0.0) -> NetworkRun:
    """Under a force at the end of each step."""
    network = Network(model, h, None, np.array([v0]))
    return run_network(RunJob(network, len(force), {}, {"tau": np.reshape(force, (-1, 1))}))


def times(h: float, duration: float) -> Array:
    return (np.arange(round(duration / h), dtype=np.float64) + 1) * h


@pytest.mark.parametrize(("v", "expected"), [(1e-4, 1.49506), (1e-3, 1.18434), (1e-2, 1.00400), (0.1, 1.04000)])
def test_steady_forces(v: float, expected: float) -> None:
    """Known to five decimals. From rest to v, then 45 steady deflections of a mass too large for friction to slow."""
    mass, h = 1e6 / v, 60 * 1.5e-5 / v / 400
    for sign in (1, -1):
        force = np.where(np.arange(400) < 100, sign * mass * v / (100.5 * h), 0.0)  # half of the first step's at t = 0
        run = pushed(rubbing(mass), h, force)
        assert run.v[-1, 0] == pytest.approx(sign * v, rel=2e-5)
        friction = SIGMA[0] * run.own[-1, -1] + SIGMA[2] * run.v[-1, 0]
        assert friction == pytest.approx(sign * expected, abs=6e-6)


def test_no_drift_below_break_away() -> None:
    """Known: x = 4.4 um at 6 s and |drift| < 0.02 um/s under 0.5 N + 0.3 N sin(20 pi t), where LuGre's law creeps."""
    t = times(1e-3, 6.0)
    run = pushed(rubbing(), 1e-3, 0.5 * np.minimum(t, 1) + np.where(t > 1, 0.3 * np.sin(20 * np.pi * t), 0))
    assert run.q[-1, 0] == pytest.approx(4.4e-6, abs=0.1e-6)
    assert abs(run.q[-1, 0] - run.q[2000, 0]) / 4 < 0.02e-6
    # below break-away the bristle is as far as the block: both are integrated by one formula, so but for rounding
    assert np.abs(run.q[:, 0] - run.own[:, -1]).max() < 1e-18
    assert run.residual < 1e-12


def test_unloading_slope_is_that_of_the_bristle() -> None:
    """Up to 1.3 N, beyond break-away at 1.065 N, and back: unloading follows sigma0, loading does not."""
    t = times(1e-3, 4.0)
    force = np.interp(t, [0, 1, 2, 3, 4], [0, 1.3, 1.3, 0.2, 0.2])
    run = pushed(rubbing(), 1e-3, force)
    x = run.q[:, 0]
    # at 2 s and 4 s the block stands; oscillations of 316 rad/s are gone by then
    assert (1.3 - 0.2) / (x[2000] - x[4000]) == pytest.approx(SIGMA[0], rel=1e-9)
    assert 1.3 / x[2000] < 0.99 * SIGMA[0]


def stick_slip(t: float, y: Array) -> list[float]:
    """The same law written anew, with the published sine: (x, v, z) of a kilogram pulled by 2 N/m at 0.1 m/s."""
    x, v, z = y
    f_s = C + (S - C) * np.exp(-((v / V_S) ** 2))
    along = (-1 if v < 0 else 1) * z * SIGMA[0] / f_s
    sine = 0.5 * np.sin(np.pi * (along - (1 + KAPPA) / 2) / (1 - KAPPA)) + 0.5
    alpha = 0.0 if along <= KAPPA else 1.0 if along >= 1 else sine
    z_dot = v * (1 - alpha * along)
    return [v, 2.0 * (0.1 * t - x) - (SIGMA[0] * z + SIGMA[1] * z_dot + SIGMA[2] * v), z_dot]


def test_stick_slip_period_against_radau() -> None:
    """Crossings of 0.05 m/s: the error at h is 4 times that at h / 2, and 1e-4 s of the period of 6.4 s at 1 ms."""

    def crossing(t: float, y: Array) -> float:
        return float(y[1] - 0.05)

    made = solve_ivp(stick_slip, (0, 17), [0, 0, 0], "Radau", events=crossing, rtol=1e-9, atol=1e-12, max_step=0.05)
    expected = made.t_events[0]  # slip begins and ends: first, first, second, second
    errors = []
    for h in (2e-3, 1e-3):
        run = pushed(rubbing(spring=2.0), h, 0.2 * times(h, 17.0))
        v = run.v[:, 0]
        at = np.flatnonzero((v[1:] > 0.05) != (v[:-1] > 0.05))
        crossings = run.t[at] + h * (0.05 - v[at]) / (v[at + 1] - v[at])
        errors.append((crossings[2] - crossings[0]) - (expected[2] - expected[0]))
    assert expected[2] - expected[0] == pytest.approx(6.39693, abs=1e-5)
    assert abs(errors[1]) < 1.5e-4 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_energy_is_only_dissipated() -> None:
    """Of block, spring and bristle together, step by step, through eight reversals until it sticks."""
    run = pushed(rubbing(spring=50.0), 5e-4, np.zeros(6000), 2.0)
    x, v, z = run.q[:, 0], run.v[:, 0], run.own[:, -1]
    energy = 0.5 * v**2 + 25.0 * x**2 + 0.5 * SIGMA[0] * z**2
    assert np.diff(energy).max() < 1e-14 * energy[0]
    assert np.sum(np.diff(np.sign(v)) != 0) > 5 and energy[-1] < 0.05 * energy[0]


@pytest.mark.parametrize("slope", [0.3, 0.45, 0.6])
def test_a_block_on_a_slope_under_its_own_weight(slope: float) -> None:
    """Coefficients 0.5 and 0.4: it holds at 0.3 and 0.45 without creep for 10 s, and slides at 0.6 by Coulomb's law."""
    angle = np.arctan(slope)
    g_along, g_across = 9.81 * np.sin(angle), 9.81 * np.cos(angle)
    rub = Stiction("rub", "guide", 0.4, 0.5, 1e-3, 1e5, 300.0, radius=1.0, preload=0.0)
    run = pushed(block(2.0, rub, gravity=(g_along, 0, -g_across)), 2e-3, np.zeros(5000))
    x, v = run.q[:, 0], run.v[:, 0]
    if slope < 0.5:
        assert abs(x[-1] - x[1000]) < 1e-15  # [m] from 2 s to 10 s: rounding of 5e-6 m
        assert 1e5 * run.own[-1, -1] == pytest.approx(slope, rel=1e-12)  # friction over the load
    else:
        assert (v[-1] - v[1000]) / 8.0 == pytest.approx(g_along - 0.4 * g_across, rel=1e-9)


def test_friction_of_a_journal_under_load() -> None:
    """A wheel on a pin of radius r: the moment is r mu times the pin's force, its weight, whatever the angle."""
    wheel = Body("wheel", 10.0, inertia=(0.2, 0.2, 0.4))
    rub = Stiction("pin", "hub", 0.1, 0.1, 1e-2, 1e4, 100.0, radius=0.03, preload=0.0)
    model = Model("wheel", (wheel,), (Joint("hub", GROUND, "wheel", revolute((0, 1, 0))),), elements=(rub,))
    run = run_network(RunJob(Network(model, 1e-3, None, np.array([5.0])), 1000, {"tau": np.zeros(1)}, {}))
    slowing = (run.v[200, 0] - run.v[1000, 0]) / 0.8
    assert slowing == pytest.approx(0.03 * 0.1 * 98.1 / 0.2, rel=1e-6)


@pytest.mark.parametrize("frequency", [2.0, 7.0, 50.0])
def test_reversals_converge(frequency: float) -> None:
    """A light joint pushed to and fro by up to 40 times its friction, sticking and slipping within one step."""
    h, t = 5e-4, times(5e-4, 1.0)
    law = Stiction("rub", "pin", 5.0, 7.5, 0.01, 1e5, float(np.sqrt(1e5)))
    model = Model(
        "light",
        (Body("arm", 1.0, inertia=(0.2, 0.2, 0.2)),),
        (Joint("pin", GROUND, "arm", revolute((0, 0, 1))),),
        (0, 0, 0),
        (law,),
    )
    run = pushed(model, h, 4.0 * frequency * np.sign(np.sin(2 * np.pi * frequency * t)))
    assert run.residual < 1e-6  # [N m] before the last correction


def test_a_step_that_breaks_down_says_so() -> None:
    """A maximum passes over what is not a number; the residual must not be zero then."""
    network = Network(rubbing(), 1e-3)
    state = {**network.start().ports(), "worst": np.zeros(2)}
    state["own_one"] = np.full_like(state["own_one"], np.nan)
    out = compile(network.program)(weights=network.method.start().row(1e-3), tau=np.zeros(1), **state)
    told = {port.name: value for port, value in zip(network.program.outputs, out, strict=True)}
    assert told["residual"] == BROKEN and told["worst_next"][0] == BROKEN


def test_equations_of_the_robot() -> None:
    """114 as the paper counts them: 6 x 12 + 6 x 5, and the ground's node with its clamp; 120 with friction."""
    assert Network(servo_robot(friction=False), 5e-4, ground_node=True).equations == 114
    assert Network(servo_robot(friction=True), 5e-4, ground_node=True).equations == 120


@pytest.mark.parametrize("axes", [2, pytest.param(6, marks=pytest.mark.long("compiles 120 equations"))])
def test_the_robot_settles(axes: int) -> None:
    """It ends at rest with the bristles carrying what servos and weight leave, which is below the static level."""
    model = servo_robot(friction=True, axes=axes)
    run = run_network(RunJob(Network(model, 5e-4, ground_node=True), 20_000, {"tau": np.zeros(axes)}, {}))
    assert np.abs(run.v[-1]).max() < 1e-5
    assert run.miss < 1e-9
    z = run.own[-1, -axes:]
    weight = compile(Tree(servo_robot(friction=False, axes=axes)).bias_force)(q=run.q[-1], v=np.zeros(axes))
    left = np.array(KP[:axes]) * (np.array(Q_REF[:axes]) - run.q[-1]) + np.ravel(weight)
    np.testing.assert_allclose(SIGMA0 * z, left, atol=0.05)  # [N m] of slow oscillations at 1e-5 rad/s


def test_the_tree_refuses_in_one_sentence() -> None:
    with pytest.raises(ModelError, match=r"Stiction 'rub' has states of its own.*use engine=\"network\""):
        simulate(rubbing(), 0.1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"coulomb": 0.0}, "stiction 'rub': coulomb is 0 N m or N, it must be positive"),
        ({"static": 0.5}, "stiction 'rub': static 0.5 N m or N is below coulomb 1 N m or N"),
        ({"kappa": 1.0}, "stiction 'rub': kappa is 1, it must be below 1"),
        ({"radius": -1.0}, "stiction 'rub': radius is -1 m, it must be at least 0"),
    ],
)
def test_bad_numbers(wrong: dict[str, float], said: str) -> None:
    good: dict[str, Any] = {"coulomb": 1.0, "static": 1.5, "stribeck": 1e-3, "sigma0": 1e5}
    with pytest.raises(ModelError, match=said):
        Stiction("rub", "guide", **{**good, **wrong})


def test_a_ball_joint_has_no_axis_to_rub_on() -> None:
    from motionbase.multibody.joints import Spherical

    with pytest.raises(ModelError, match="quaternion"):
        Model(
            "ball",
            (Body("b", 1.0, inertia=(1, 1, 1)),),
            (Joint("j", GROUND, "b", Spherical()),),
            elements=(Stiction("rub", "j", 1.0, 1.0, 1e-2, 1e4),),
        )


def test_a_file_with_stiction(tmp_path: Path) -> None:
    file = tmp_path / "block.toml"
    file.write_text(
        "[bodies.block]\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n"
        '[joints.guide]\ntype = "prismatic"\nparent = "ground"\nchild = "block"\naxis = [1, 0, 0]\n'
        '[elements.rub]\ntype = "stiction"\njoint = "guide"\ncoulomb = 1.0\nstatic = 1.5\n'
        "stribeck = 1e-3\nsigma0 = 1e5\n"
    )
    assert load_toml(file).elements == (Stiction("rub", "guide", 1.0, 1.5, 1e-3, 1e5),)

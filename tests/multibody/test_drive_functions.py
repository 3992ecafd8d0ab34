"""Drives: their values and rates, in both engines, by adaptive steps, in files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.closures import ImposedAngleClosure, ImposedPositionClosure, ImposedSpeedClosure
from motionbase.multibody.drives import (
    AbstractDrive,
    Constant,
    Cosine,
    Input,
    Product,
    Ramp,
    Sine,
    Step,
    Sum,
    Table,
)
from motionbase.multibody.elements import Motor, PointForce
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.loaders.toml import load_toml
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import MS, AdaptiveMultistep
from motionbase.multibody.simulate import simulate

NONE = (0.0, 0.0, 0.0)
X = (1.0, 0.0, 0.0)
ENGINES = pytest.mark.parametrize("engine", ["tree", "network"])
KINDS: list[tuple[AbstractDrive, list[tuple[float, float]]]] = [
    (Constant(3.0), [(0.0, 3.0), (9.0, 3.0)]),
    (Ramp(2.0, start=1.0, duration=0.5, initial=-1.0), [(0.5, -1.0), (1.25, -0.5), (4.0, 0.0)]),
    (Step(3.0, initial=1.0, start=1.0, duration=2.0), [(0.0, 1.0), (2.0, 2.0), (3.5, 3.0)]),
    (Step(3.0, start=1.0), [(0.999, 0.0), (1.0, 3.0)]),
    (Sine(2.0, np.pi, start=1.0, cycles=0.75), [(0.0, 0.0), (1.5, 2.0), (2.0, 0.0), (2.5, -2.0), (7.0, -2.0)]),
    (Cosine(2.0, np.pi, start=1.0, cycles=0.5, initial=1.0), [(0.5, 1.0), (1.5, 3.0), (2.0, 5.0), (7.0, 5.0)]),
    (Table((0.0, 1.0, 3.0), (1.0, 2.0, -2.0)), [(-1.0, 1.0), (0.5, 1.5), (2.0, 0.0), (5.0, -2.0)]),
    (Sine(2.0, 1.0) * Ramp(1.0) + 0.5, [(0.0, 0.5), (0.5 * np.pi, np.pi + 0.5)]),
]


@pytest.mark.parametrize(("drive", "expected"), KINDS)
def test_values(drive: AbstractDrive, expected: list[tuple[float, float]]) -> None:
    for t, value in expected:
        assert drive(t) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("drive", [drive for drive, _ in KINDS])
def test_rates_are_derivatives(drive: AbstractDrive) -> None:
    """Against central differences away from corners: h^2 / 6 of the third rate, and rounding over h."""
    h = 1e-4
    for t in (0.37, 1.21, 1.73, 2.6):
        difference = (drive(t + h) - drive(t - h)) / (2 * h)
        assert drive.rate()(t) == pytest.approx(difference, abs=3e-7)
        second = (drive.rate()(t + h) - drive.rate()(t - h)) / (2 * h)
        assert drive.rate(2)(t) == pytest.approx(second, abs=3e-6)


def test_a_smooth_step_begins_and_ends_at_rest() -> None:
    drive = Step(2.0, start=1.0, duration=0.5)
    for order in (1, 2):
        assert [drive.rate(order)(t) for t in (1.0, 1.5)] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_cubic_table_is_the_clamped_spline() -> None:
    """Against SciPy's, to rounding; level and held beyond its ends."""
    interpolate = pytest.importorskip("scipy.interpolate")
    x, y = (0.0, 0.4, 1.0, 1.3, 2.0), (1.0, 0.2, -0.5, 1.5, 1.0)
    drive, other = Table(x, y, "cubic"), interpolate.CubicSpline(x, y, bc_type="clamped")
    for t in np.linspace(0.0, 1.999, 41):
        assert drive(t) == pytest.approx(float(other(t)), abs=1e-12)
        assert drive.rate()(t) == pytest.approx(float(other(t, 1)), abs=1e-11)
    assert drive(-1.0) == 1.0 and drive(5.0) == pytest.approx(1.0, abs=1e-12) and drive.rate()(5.0) == 0.0


# ---- in models -----------------------------------------------------------------------------------------------------


def cart(**more: object) -> Model:
    body = Body("cart", 2.0, NONE, (0.1, 0.1, 0.1))
    return Model("cart", (body,), (Joint("rail", GROUND, "cart", prismatic(X)),), NONE, **more)  # type: ignore[arg-type]


@ENGINES
def test_a_force_by_a_drive(engine: str) -> None:
    """x'' = (4 / m) sin(w t): x = (4 / m) (t / w - sin(w t) / w^2); the step's error is of second order, h^2 / 12."""
    w = 3.0
    model = cart(elements=(PointForce("push", "cart"),), drives={"push_force": (Sine(4.0, w), 0.0, Constant(1.0))})
    run = simulate(model, 2.0, 1e-3, engine=engine)  # type: ignore[arg-type]
    expected = 2.0 * (run.t / w - np.sin(w * run.t) / w**2)
    np.testing.assert_allclose(run.q[:, 0], expected, atol=3e-6)


@ENGINES
@pytest.mark.parametrize("kind", ["position", "speed"])
def test_an_imposed_motion_by_a_drive(engine: str, kind: str) -> None:
    """Where a closure says, at the ends of the steps; its speed is integrated, to second order."""
    law = Step(0.6, start=0.2, duration=2.0)
    if kind == "position":
        closure = ImposedPositionClosure("slide", "cart", axis=X)
        model = cart(closures=(closure,), drives={"slide_position": law})
    else:
        model = cart(closures=(ImposedSpeedClosure("slide", "cart", axis=X),), drives={"slide_speed": law.rate()})
    run = simulate(model, 3.0, 1e-3, engine=engine)  # type: ignore[arg-type]
    expected = np.array([law(t) for t in run.t])
    exact = engine == "network" and kind == "position"
    np.testing.assert_allclose(run.q[:, 0], expected, atol=1e-12 if exact else 2e-5)


def crank() -> Model:
    """A disc whose angle is imposed, and a pendulum on it."""
    disc = Body("disc", 1.0, NONE, (0.01, 0.01, 0.02), {"pin": (0.2, 0.0, 0.0)})
    rod = Body("rod", 0.5, (0.15, 0.0, 0.0), (0.001, 0.004, 0.004))
    axis = (0.0, 1.0, 0.0)
    joints = Joint("shaft", GROUND, "disc", revolute(axis)), Joint("pin", "disc", "rod", revolute(axis), "pin")
    closure = ImposedAngleClosure("crank", "disc", axis=axis)
    return Model("crank", (disc, rod), joints, closures=(closure,), drives={"crank_angle": Step(2.0, duration=1.0)})


@pytest.mark.long("compiles in both engines")
def test_both_engines_agree_on_a_driven_crank() -> None:
    """The tree holds inputs over a step, and integrates the imposed acceleration: second order as the network."""
    tree = simulate(crank(), 2.0, 2.5e-4)
    net = simulate(crank(), 2.0, 2.5e-4, engine="network")
    assert np.abs(net.q - tree.q).max() < 2e-5
    np.testing.assert_allclose(net.q[:, 0], [Step(2.0, duration=1.0)(t) for t in net.t], atol=1e-12)


def test_adaptive_steps_know_the_time() -> None:
    """They are shorter than the samples: an input that is known at samples alone would be refused."""
    fine = simulate(crank(), 1.0, 1e-3, every=100, engine="network")
    run = simulate(crank(), 1.0, 0.1, engine="network", method=AdaptiveMultistep(MS, 1e-7))
    assert run.steps > 30
    np.testing.assert_allclose(run.q[:, 0], fine.q[:, 0], atol=1e-9)
    np.testing.assert_allclose(run.q[:, 1], fine.q[:, 1], atol=1e-4)  # steps of some 5 ms
    with pytest.raises(SimulationError, match="crank_angle is known at whole steps only"):
        simulate(
            crank(), 1.0, 0.1, engine="network", method="ms_adaptive",
            inputs={"crank_angle": np.zeros(10), "crank_speed": 0.0, "crank_acceleration": 0.0},
        )  # fmt: skip


def test_a_step_of_the_network_takes_the_time() -> None:
    of = Network(crank(), 1e-3)
    assert [port.name for port in of.network.ports] == ["tau", "t"]
    given: dict[str, Any] = {
        "weights": of.method.start().row(1e-3), **of.start().ports(), "worst": np.zeros(2),
        "tau": np.zeros(2), "t": 0.5,
    }  # fmt: skip
    native, python = compile(of.program)(**given), compile(of.program, "python")(**given)
    for a, b in zip(native, python, strict=True):
        assert np.array_equal(a, b)


@ENGINES
def test_an_input_that_drives_read(engine: str) -> None:
    """A throttle scales a motor and a force; as a constant, and as a function of time."""
    elements = Motor("motor", "rail", ratio=2.0), PointForce("push", "cart")
    drives = {
        "motor_torque": Product((Input("throttle"), 3.0)),
        "push_force": (Sum((Input("throttle"), 1.0)), 0.0, 0.0),
    }
    model = cart(elements=elements, drives=drives)
    run = simulate(model, 1.0, 1e-3, engine=engine, inputs={"throttle": 0.5})  # type: ignore[arg-type]
    force = 2.0 * 3.0 * 0.5 + 1.5
    np.testing.assert_allclose(run.q[:, 0], 0.5 * force / 2.0 * run.t**2, atol=1e-9)
    run = simulate(model, 1.0, 1e-3, engine=engine, inputs={"throttle": lambda t: t})  # type: ignore[arg-type]
    np.testing.assert_allclose(run.q[:, 0], (7.0 * run.t**3 / 6.0 + 0.5 * run.t**2) / 2.0, atol=1e-6)


@ENGINES
def test_what_a_user_gives_replaces_a_drive(engine: str) -> None:
    model = cart(elements=(PointForce("push", "cart"),), drives={"push_force": (Sine(4.0, 3.0), 0.0, 0.0)})
    run = simulate(model, 1.0, 1e-3, engine=engine, inputs={"push_force": (2.0, 0.0, 0.0)})  # type: ignore[arg-type]
    np.testing.assert_allclose(run.q[-1, 0], 0.5, atol=1e-9)


def test_a_drive_given_as_an_input_has_exact_rates() -> None:
    """The tree needs speed and acceleration of an imposed position; differences would have corners wrong."""
    law = Ramp(0.4, start=0.5, duration=0.5)
    model = cart(closures=(ImposedPositionClosure("slide", "cart", axis=X),))
    run = simulate(model, 1.5, 1e-3, engine="network", inputs={"slide_position": law})
    np.testing.assert_allclose(run.q[:, 0], [law(t) for t in run.t], atol=1e-12)


# ---- files and errors ----------------------------------------------------------------------------------------------

FILE = """
[bodies.cart]
mass = 2.0
[joints.rail]
type = "prismatic"
parent = "ground"
child = "cart"
axis = [1, 0, 0]
[elements.push]
type = "point_force"
body = "cart"
[drives]
push_force = [{ type = "sum", parts = [{ type = "sine", amplitude = 4, omega = 3 }, 1.5] }, 0, 0]
[drives.tau]
type = "product"
parts = [{ type = "input", name = "throttle" }, { type = "table", times = [0, 1], values = [0, 2] }]
"""


def test_drives_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cart.toml"
    file.write_text(FILE)
    drives = load_toml(file).drives
    throttle = Product((Input("throttle"), Table((0.0, 1.0), (0.0, 2.0))))
    assert drives == {
        "push_force": (Sum((Sine(4.0, 3.0), Constant(1.5))), Constant(0.0), Constant(0.0)), "tau": (throttle,),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('type = "sine", amplitude = 4, ', 'type = "sine", ', "drive 'push_force': no amplitude; a sine needs it"),
        ('"sine"', '"saw"', "no type 'saw'; types: constant, ramp, step, sine"),
        ("omega = 3", "omega = -3", "sine drive: omega is -3 rad/s, it must be positive"),
        ("times = [0, 1]", "times = [1, 0]", "table drive: times must rise"),
        ("push_force", "pull_force", "drive 'pull_force': there is no such input; inputs: tau, push_force"),
        ("}, 0, 0]", "}, 0]", "drive 'push_force' has 2 parts, input 'push_force' has 3"),
        ("1.5]", '"much"]', "a number, a table with a type, or a list of those is wanted"),
        ('name = "throttle"', 'name = "push_force"', "an input of the model is called 'push_force' already"),
    ],
)
def test_bad_drives_in_a_file_are_named_with_their_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "cart.toml"
    file.write_text(FILE.replace(old, new))
    with pytest.raises(ModelError, match=r"cart.toml, line \d+: ") as caught:
        load_toml(file)
    assert said in str(caught.value)


def test_other_bad_drives_are_refused() -> None:
    with pytest.raises(ModelError, match="drives are 3, drives by name of an input are wanted"):
        cart(drives=3)
    with pytest.raises(ModelError, match="drive 'tau' is 'x', a drive or a number is wanted"):
        cart(drives={"tau": "x"})
    with pytest.raises(ModelError, match="reads the input 'lever', whose rates closure 'slide' would need"):
        cart(closures=(ImposedPositionClosure("slide", "cart", axis=X),), drives={"slide_position": Input("lever")})
    with pytest.raises(SimulationError, match="input 'lever', which drives read, must be a number or a function"):
        simulate(cart(drives={"tau": Input("lever")}), 1.0, 0.1, inputs={"lever": np.zeros(10)})

"""An electric leg: speed loop, limits, brake, order of its step."""

from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.actuators.electric import STATE, ElectricState, electric_rates, electric_step
from motionbase.actuators.example import FRICTION, SCREW, STROKE
from motionbase.compile import Kernel, Port, compile, compose, scan
from motionbase.compile.scans import Scan
from motionbase.errors import ModelError
from motionbase.spatial.rotations import Expr
from tests.actuators.legs import GRAVITY

MASS = 400.0
TOTAL = MASS + SCREW.reflected_mass
TICK = 2e-3


@cache
def stepper() -> Scan:
    """Kick, drift, leg, kick with the rotor's inertia in the mass."""
    inputs = (Port("h", (), "s"), Port("l", (), "m"), Port("l_dot", (), "m/s"), Port("l_ddot", (), "m/s^2"))
    outputs = (Port("l_next", (), "m"), Port("l_dot_next", (), "m/s"), Port("half", (), "m/s"))

    def drift(h: Expr, l: Expr, l_dot: Expr, l_ddot: Expr) -> tuple[Expr, ...]:
        half = l_dot + 0.5 * h * l_ddot
        return l + h * half, half + 0.5 * h * l_ddot, half

    def kick(h: Expr, half: Expr, f: Expr) -> tuple[Expr, Expr]:
        a = (f - MASS * GRAVITY) / TOTAL
        return half + 0.5 * h * a, a

    whole = compose(
        "screw_leg",
        Kernel("drift", inputs, outputs, drift),
        electric_step(SCREW, STROKE),
        Kernel(
            "kick",
            (inputs[0], outputs[2], Port("f", (), "N")),
            (Port("v_new", (), "m/s"), Port("a_new", (), "m/s^2")),
            kick,
        ),
    )
    feedback = {"x": "x_next", "l": "l_next", "l_dot": "v_new", "l_ddot": "a_new"}
    return scan(whole, feedback, per_step=["u", "abort"], record=["x_next", "l_next", "v_new", "power"])


@cache
def reference() -> Scan:
    rates = electric_rates(SCREW, STROKE)

    def expr(h: Expr, x: ElectricState, l: Expr, l_dot: Expr, u: Expr, abort: Expr) -> Any:
        def slope(s: Expr) -> Expr:
            x_dot, f, _ = rates.function(s[:4], s[4], s[5], u, abort)
            return ca.vertcat(x_dot, s[5], (f - MASS * GRAVITY) / TOTAL)

        s = ca.vertcat(x.column, l, l_dot)
        k1 = slope(s)
        s = s + h * slope(s + 0.5 * h * k1)
        return ElectricState.of(s[:4]), s[4], s[5]

    outputs = (replace(STATE, name="x_next"), Port("l_next", (), "m"), Port("v_new", (), "m/s"))
    kernel = Kernel("screw_reference", (Port("h", (), "s"), *rates.inputs), outputs, expr)
    feedback = {"x": "x_next", "l": "l_next", "l_dot": "v_new"}
    return scan(kernel, feedback, per_step=["u", "abort"], record=list(feedback.values()))


def motion(
    run: Scan, u: NDArray[np.float64], h: float, abort: NDArray[np.float64] | None = None
) -> dict[str, NDArray[np.float64]]:
    each = round(TICK / h)
    hold = MASS * GRAVITY
    values: dict[str, Any] = {"x": np.array([hold, hold, 0.0, 0.0]), "l": 2.6, "l_dot": 0.0}
    if run is stepper():
        values["l_ddot"] = 0.0
    stopped = np.repeat(np.zeros(len(u)) if abort is None else abort, each)
    return run(each * len(u), every=each, h=h, u=np.repeat(u, each), abort=stopped, **values)


def test_speed_follows_the_command() -> None:
    """The integral leaves no error against gravity and friction."""
    rows = motion(stepper(), np.full(400, 0.3), 5e-4)
    assert rows["v_new"][-1] == pytest.approx(0.3 * SCREW.v_max, rel=1e-3)
    assert SCREW.v_max == pytest.approx(300 * 0.02 / (2 * np.pi))
    # power is load and friction at that speed
    force = MASS * GRAVITY + FRICTION.coulomb + FRICTION.sigma2 * rows["v_new"][-1]
    assert rows["power"][-1] == pytest.approx(force * rows["v_new"][-1], rel=5e-3)


def test_order_and_accuracy_of_the_step() -> None:
    """Second order while sliding one way; through reversals still well within a tenth of a millimetre."""
    t = TICK * np.arange(150)
    u = 0.05 + 0.02 * np.sin(2 * np.pi * 3 * t)  # within the limit of force, whose switching is of first order
    exact = motion(reference(), u, 2e-6)["l_next"]
    errors = [np.sqrt(np.mean((motion(stepper(), u, h)["l_next"] - exact) ** 2)) for h in (5e-4, 2.5e-4, 1.25e-4)]
    assert np.all(np.log2(np.array(errors[:-1]) / np.array(errors[1:])) > 1.7), errors
    u = 0.2 * np.sin(2 * np.pi * 3 * t)
    assert np.max(np.abs(motion(stepper(), u, 5e-4)["l_next"] - motion(reference(), u, 2e-6)["l_next"])) < 1e-5


def test_force_is_limited_and_falls_with_speed() -> None:
    rates = compile(electric_rates(SCREW, STROKE))

    def limit(l_dot: float, u: float) -> float:
        x_dot = rates(x=np.zeros(4), l=2.6, l_dot=l_dot, u=u, abort=0.0)[0]
        return float(x_dot[0] * SCREW.torque_lag)

    base = SCREW.speed_base / SCREW.ratio
    assert limit(0.0, 1.0) == pytest.approx(SCREW.force_max)
    assert limit(base, -1.0) == pytest.approx(-SCREW.force_max)  # braking has all of it
    stiff = replace(SCREW, speed_bandwidth=1e4)  # asks for more than there is at any error
    at_half = compile(electric_rates(stiff, STROKE))
    for sign in (1.0, -1.0):
        x_dot = at_half(x=np.zeros(4), l=2.6, l_dot=sign * 0.5 * (base + SCREW.v_max), u=sign, abort=0.0)[0]
        assert x_dot[0] * SCREW.torque_lag == pytest.approx(sign * 0.5 * SCREW.force_max, rel=1e-12)


def test_integral_does_not_wind_up() -> None:
    """After a second of full force the leg answers a reversed command as fast as at first."""
    u = np.where(np.arange(700) < 300, 1.0, -0.2)
    rows = motion(stepper(), u, 5e-4)
    assert np.max(np.abs(rows["x_next"][:, 1])) < 1.5 * SCREW.force_max


def test_abort_brakes_and_holds() -> None:
    """The brake closes in brake_time, stops the mass, and then holds it: the elastoplastic law does not creep."""
    abort = np.where(np.arange(1000) < 200, 0.0, 1.0)
    rows = motion(stepper(), np.full(1000, -0.4), 5e-4, abort)
    assert rows["v_new"][199] == pytest.approx(-0.4 * SCREW.v_max, rel=1e-2)
    assert rows["x_next"][200 + round(SCREW.brake_time / TICK), 2] == 1.0
    assert abs(rows["v_new"][-1]) < 1e-6
    assert abs(rows["l_next"][-1] - rows["l_next"][-300]) < 1e-7
    assert abs(rows["x_next"][-1, 0]) < 1e-6 * SCREW.force_max  # the motor is off
    assert abs(rows["x_next"][300, 1]) < 1e-6 * SCREW.force_max  # and 0.2 s, 20 time constants, forget the integral


def test_wrong_parameters() -> None:
    with pytest.raises(ModelError, match="speed_base 400 rad/s must be below speed_max 300 rad/s"):
        replace(SCREW, speed_base=400.0)
    with pytest.raises(ModelError, match="lead is 0 m, it must be positive"):
        replace(SCREW, lead=0.0)

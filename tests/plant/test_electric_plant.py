"""A plant with electric legs: rest, accuracy, what faults do to drives, and what its sensors read."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.compile import Scan, compile, scan
from motionbase.plant.motion import STATE, Motion, next_of
from motionbase.plant.plant import Plant
from motionbase.platform.load import load_platform
from motionbase.platform.sensors import Sensors

Array = np.ndarray
TICK = 5e-4
HEXAPOD = load_platform("emotion-1500")
ROWS = ("valve_cmd", "valve_fault", "seized", "p_supply", "abort")
assert isinstance(HEXAPOD.actuator, ElectricActuator)
DRIVE = HEXAPOD.actuator


@cache
def plant() -> Plant:
    return Plant(HEXAPOD, Sensors.perfect())


@cache
def plant_run() -> Scan:
    record = ["l", "l_dot", "f", "legs_next", "p_cap", "p_rod", "valve_meas", "f_meas", "acc"]
    return scan(plant().step, plant().feedback, per_step=list(ROWS), record=record)


def ran(ticks: int, l: float | None = None, braked: bool = False, **rows: Any) -> dict[str, Array]:
    quiet = plant().quiet
    given: dict[str, Any] = {
        name: np.broadcast_to(np.asarray(rows.get(name, quiet[name]), float), (ticks, *np.shape(quiet[name])))
        for name in ROWS
    }
    rest = {name: value for name, value in quiet.items() if name not in ROWS}
    out: dict[str, Array] = plant_run()(ticks, **plant().at_rest(l, braked), **rest, **given)
    return out


def of_leg(leg: int, value: float) -> Array:
    return np.asarray(value * np.eye(6)[leg])


# ---- rest and accuracy ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("braked", [False, True])
def test_motors_or_brakes_hold_the_weight(braked: bool) -> None:
    out = ran(2000, 1.7, braked, abort=float(braked))
    np.testing.assert_allclose(out["l"], 1.7, atol=1e-9)  # of 1e-10 m is the pose that was solved for
    motors = out["legs_next"][-1, :, 1]
    if braked:
        np.testing.assert_array_equal(motors, 0.0)
    else:  # vertically the six together carry payload, rods and a part of the cylinders
        vertical = motors @ (lengths_up(1.7) / 1.7)
        carried = 9.80665 * (HEXAPOD.payload.mass + 6 * HEXAPOD.rod.mass)
        assert carried < vertical < carried + 9.80665 * 6 * HEXAPOD.cylinder.mass


def lengths_up(l: float) -> Array:
    """(6,) height of each leg at rest [m]."""
    p = plant().at_rest(l)["p_W"]
    return np.asarray(p[2] + np.asarray(HEXAPOD.joints)[:, 2] - np.asarray(HEXAPOD.base)[:, 2])


def test_brakes_take_the_weight_over_from_the_motors() -> None:
    """The bristles of the closed brake bend by weight over stiffness, and nothing slips."""
    out = ran(2000, 1.7, abort=1.0)
    sag = 1.7 - out["l"][-1]
    weight = ran(1, 1.7)["f"][-1]
    np.testing.assert_allclose(sag, weight / DRIVE.friction.sigma0, rtol=1e-3)
    assert np.abs(out["l_dot"][-200:]).max() < 1e-4


def test_half_a_millisecond_is_second_order() -> None:
    """Against 125 parts of a tick; speeds of a sine with reversals of friction, neighbours against each other."""
    motion = Motion(HEXAPOD)
    run = scan(motion.step, {p.name: next_of(p).name for p in STATE}, per_step=["u"], record=["l"])
    t = np.arange(800) * TICK
    commands = 0.1 * np.sin(4 * np.pi * t[:, None] + np.arange(6))
    held: dict[str, Any] = {"p_supply": 1.0, "p_return": 0.0, "abort": 0.0, "f_brake": np.zeros(6)}

    def moved(parts: int) -> Array:
        u = np.repeat(commands, parts, axis=0)
        return run(len(u), every=parts, h=TICK / parts, u=u, load_P=np.zeros(6), **motion.at_rest(), **held)["l"]

    exact = moved(125)
    errors = [float(np.abs(moved(parts) - exact).max()) for parts in (1, 2, 4)]
    assert errors[0] < 1e-4
    assert errors[1] < 0.5 * errors[0] and errors[2] < 0.5 * errors[1], errors


# ---- faults --------------------------------------------------------------------------------------------------------


def test_faults_of_a_drive() -> None:
    n = 800
    late = np.arange(n)[:, None] >= n // 2
    u = np.where(late, -0.1, 0.2) * np.ones(6)
    for code, wanted in ((1.0, 0.2), (2.0, 1.0), (3.0, -1.0), (4.0, 0.1)):
        out = ran(n, valve_cmd=u, valve_fault=late * of_leg(2, code))
        assert np.all(out["legs_next"][n // 2 + 1 :, 2, 0] == wanted), code  # stuck: at its last command
        assert np.all(out["legs_next"][n // 2 + 1 :, 0, 0] == -0.1)
        if code == 1.0:  # and the speed loop keeps that speed, while the others turn round
            assert out["l_dot"][-1, 2] == pytest.approx(0.2 * DRIVE.v_max, rel=0.02)


def test_a_seized_leg_stays() -> None:
    n = 500
    out = ran(n, valve_cmd=np.full(6, 0.1), seized=(np.arange(n)[:, None] >= 200) * of_leg(3, 1.0))
    assert abs(out["l"][199, 3] - out["l"][0, 3]) > 0.005
    # the motor still pushes with all it has: 16 kN on 20 MN/m are 0.8 mm
    assert np.abs(out["l"][260:, 3] - out["l"][199, 3]).max() < 2e-3
    assert abs(out["l"][-1, 0] - out["l"][199, 0]) > 0.005  # the others go on


def test_lost_power_stops_and_holds() -> None:
    n = 2000
    power = np.where(np.arange(n) < 400, 1.0, 0.0)
    out = ran(n, valve_cmd=np.full(6, 0.2), p_supply=power)
    assert out["l_dot"][399].min() > 0.19 * DRIVE.v_max
    assert np.abs(out["l_dot"][-200:]).max() < 1e-5 and np.all(out["legs_next"][-1, :, 3] == 1.0)
    # stopped before the brakes have closed: less than the way at full speed in that time
    assert np.abs(out["l"][-1] - out["l"][399]).max() < 0.2 * DRIVE.v_max * DRIVE.brake_time


def test_what_sensors_read() -> None:
    out = ran(400, valve_cmd=np.full(6, 0.1))
    np.testing.assert_array_equal(out["p_cap"], 0.0)
    np.testing.assert_array_equal(out["p_rod"], 0.0)
    np.testing.assert_array_equal(out["f_meas"], out["legs_next"][:, :, 1])
    np.testing.assert_allclose(out["valve_meas"], out["l_dot"] / DRIVE.v_max, rtol=1e-15, atol=1e-18)
    noisy = Plant(HEXAPOD)
    p_cap = scan(noisy.step, noisy.feedback, record=["p_cap"])(50, **noisy.at_rest(), **noisy.quiet)["p_cap"]
    np.testing.assert_array_equal(p_cap, 0.0)  # there is no sensor, so there is no noise


@pytest.mark.parametrize("seed", range(3))
def test_no_command_and_no_fault_gives_NaN(seed: int) -> None:
    """Five seconds of anything: jumps of full speed, NaN among the commands, every fault, power and brakes."""
    rng, n = np.random.default_rng(seed), 10_000
    u = np.repeat(rng.uniform(-1.5, 1.5, (n // 200, 6)), 200, axis=0)
    u[rng.random((n, 6)) < 1e-3] = np.nan
    drives = np.repeat(rng.integers(0, 5, (n // 1000, 6)), 1000, axis=0)
    seized = np.repeat(rng.random((n // 2500, 6)) < 0.1, 2500, axis=0)
    power = np.repeat(rng.choice([1.0, 0.7, 0.0, np.nan], n // 500, p=[0.7, 0.1, 0.1, 0.1]), 500)
    brake = np.repeat(rng.random(n // 500) < 0.1, 500)
    out = ran(n, valve_cmd=u, valve_fault=drives, seized=seized, p_supply=power, abort=brake)
    for name in ("l", "l_dot", "legs_next", "acc", "f"):
        assert np.all(np.isfinite(out[name])), name
    assert out["l"].min() > HEXAPOD.stroke.hard_min - 0.03 and out["l"].max() < HEXAPOD.stroke.hard_max + 0.03


def test_lanes_equal_scalar() -> None:
    """Strict code gives the same bits on every lane as alone."""
    x, quiet = plant().at_rest(), plant().quiet
    alone = compile(plant().step)(**x, **quiet)
    wide = {k: np.repeat(np.asarray(v, float)[..., None], 4, -1) for k, v in {**x, **quiet}.items()}
    four = compile(plant().step, lanes=4)(**wide)
    for one, all_four in zip(alone, four, strict=True):
        np.testing.assert_array_equal(np.asarray(all_four)[..., 2], one)

"""The plant: accuracy of its step, rest, virtual work, faults and sensors."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Scan, compile, scan
from motionbase.errors import PlatformError
from motionbase.plant.motion import STATE, Motion, next_of
from motionbase.plant.plant import Plant
from motionbase.plant.sensors import bell
from motionbase.platform.load import load_platform
from motionbase.platform.sensors import Sensor, Sensors

Array = np.ndarray
TICK = 5e-4
MOTION_FEEDBACK = {p.name: next_of(p).name for p in STATE}


@cache
def motion() -> Motion:
    return Motion(load_platform("simona"))


@cache
def motion_run() -> Scan:
    return scan(motion().step, MOTION_FEEDBACK, per_step=["u"], record=["l", "legs_next", "f"])


@cache
def plant(perfect: bool = True) -> Plant:
    return Plant(load_platform("simona"), Sensors.perfect() if perfect else Sensors())


@cache
def plant_run() -> Scan:
    record = ["l", "l_dot", "l_meas", "legs_next", "acc", "omega", "f"]
    return scan(
        plant().step, plant().feedback, per_step=["valve_cmd", "valve_fault", "seized", "sensor_fault"], record=record
    )


def moved(commands: Array, parts: int) -> dict[str, Array]:
    """Rows at the end of every tick, each tick in so many equal steps."""
    a = motion().actuator
    held: dict[str, Any] = {"p_supply": a.p_supply, "p_return": a.p_return, "abort": 0.0}
    held |= {"f_brake": np.zeros(6), "load_P": np.zeros(6)}
    u = np.repeat(commands, parts, axis=0)
    out: dict[str, Array] = motion_run()(len(u), every=parts, h=TICK / parts, u=u, **motion().at_rest(), **held)
    return out


def ticks(seconds: float) -> Array:
    return np.arange(round(seconds / TICK)) * TICK


DRIVES = {
    "up into the cushions": np.ones((2000, 6)),
    "down into the cushions": -np.ones((2000, 6)),
    "friction reversal": 0.1 * np.sin(4 * np.pi * ticks(1.0)[:, None] + np.arange(6)),
    "steps": np.where(np.arange(6) % 2 == 0, 0.7, -0.7)
    * np.where((ticks(0.8) * 10).astype(int) % 2 == 0, 1, -1)[:, None],
}


@pytest.mark.parametrize("name", DRIVES)
def test_half_a_millisecond_is_as_good_as_microseconds(name: str) -> None:
    """0.1 mm and 1 % of supply, and second order: a half of the step has about a quarter of the error."""
    reference, supply = moved(DRIVES[name], 125), motion().actuator.p_supply
    errors = []
    for parts in (1, 2):
        run = moved(DRIVES[name], parts)
        length = np.abs(run["l"] - reference["l"]).max()
        pressure = np.abs(run["legs_next"][:, :, 2:4] - reference["legs_next"][:, :, 2:4]).max() / supply
        errors.append((length, pressure))
    assert errors[0][0] < 1e-4 and errors[0][1] < 1e-2
    assert errors[1][0] < 0.6 * errors[0][0]


def test_weight_is_held_at_rest() -> None:
    """Without leakage and with overlapped valves nothing moves; the pressures carry the weight exactly."""
    h = load_platform("simona")
    assert isinstance(h.actuator, HydraulicActuator)
    tight = replace(h.actuator, leakage_internal=0.0, leakage_external=0.0, lap=0.02)
    still = Motion(replace(h, actuator=tight))
    run = scan(still.step, MOTION_FEEDBACK, record=["l", "f"])
    held: dict[str, Any] = {"p_supply": tight.p_supply, "p_return": tight.p_return, "abort": 0.0}
    zeros: dict[str, Any] = {"u": np.zeros(6), "f_brake": np.zeros(6), "load_P": np.zeros(6)}
    out = run(4000, h=TICK, **still.at_rest(2.5), **held, **zeros)
    np.testing.assert_allclose(out["l"], 2.5, atol=1e-9)
    # six legs carry payload, rods and part of the cylinders
    vertical = [f * (2.39 / 2.7061) for f in out["f"][-1]]
    assert sum(vertical) > 9.8 * (h.payload.mass + 6 * h.rod.mass)


def test_rest_and_step_need_no_tree() -> None:
    """Its 24 speeds and 18 closures took most of the time to a start from the object cache."""
    fresh = Motion(replace(load_platform("simona"), name="fresh"))  # others share what they know of a platform
    fresh.at_rest()
    _ = fresh.step.routine
    assert not {"model", "loops"} & fresh.mechanism.__dict__.keys()


def test_no_pose_has_such_legs() -> None:
    with pytest.raises(PlatformError, match="no pose has six legs of 0.5 m"):
        motion().at_rest(0.5)


# ---- faults --------------------------------------------------------------------------------------------------------


def faulty(seconds: float, **rows: Array) -> dict[str, Array]:
    n = round(seconds / TICK)
    inputs: dict[str, Any] = {k: np.zeros((n, 6)) for k in ("valve_cmd", "valve_fault", "seized", "sensor_fault")}
    inputs.update(rows)
    rest = {k: v for k, v in plant().quiet.items() if k not in inputs}
    out: dict[str, Array] = plant_run()(n, **inputs, **plant().at_rest(), **rest)
    return out


def code(n: int, leg: int, value: float) -> Array:
    rows = np.zeros((n, 6))
    rows[:, leg] = value
    return rows


def test_valve_faults() -> None:
    n = 400
    u = np.full((n, 6), 0.2)
    healthy = faulty(n * TICK, valve_cmd=u)
    for value, expected in ((2.0, 1.0), (3.0, -1.0), (4.0, -0.2)):
        out = faulty(n * TICK, valve_cmd=u, valve_fault=code(n, 2, value))
        assert out["legs_next"][-1, 2, 0] == pytest.approx(expected, abs=1e-3)
        assert out["legs_next"][-1, 0, 0] == pytest.approx(0.2, abs=1e-3)
    late = code(n, 2, 1.0)
    late[: n // 2] = 0.0
    out = faulty(n * TICK, valve_cmd=np.where(np.arange(n)[:, None] < n // 2, 0.2, -0.5) * np.ones(6), valve_fault=late)
    assert out["legs_next"][-1, 2, 0] == pytest.approx(0.2, abs=1e-2)  # stuck where it was
    assert out["legs_next"][-1, 1, 0] == pytest.approx(-0.5, abs=1e-3)
    assert np.all(np.isfinite(healthy["l"]))


def test_a_seized_leg_stays() -> None:
    n = 600
    seized = code(n, 3, 1.0)
    seized[:200] = 0.0
    out = faulty(n * TICK, valve_cmd=np.full((n, 6), 0.15), seized=seized)
    at = out["l"][199, 3]
    assert abs(out["l"][199, 3] - out["l"][0, 3]) > 0.005
    assert np.abs(out["l"][260:, 3] - at).max() < 2e-3  # its oil still pushes: 20 kN on 20 MN/m are a millimetre
    assert abs(out["l"][-1, 0] - out["l"][199, 0]) > 0.005  # the others go on


def test_length_sensor_faults() -> None:
    n = 200
    u = np.full((n, 6), 0.2)
    faults = np.zeros((n, 6))
    faults[100:, :3] = (1.0, 2.0, 3.0)
    rest = {k: v for k, v in plant().quiet.items() if k not in ("valve_cmd", "valve_fault", "seized", "sensor_fault")}
    rest["sensor_offset"] = np.full(6, 0.03)
    zero = np.zeros((n, 6))
    out = plant_run()(n, valve_cmd=u, valve_fault=zero, seized=zero, sensor_fault=faults, **plant().at_rest(), **rest)
    l, read = out["l"], out["l_meas"]
    np.testing.assert_array_equal(read[:100], l[:100])
    assert np.all(read[100:, 0] == 0.0)
    assert np.all(read[100:, 1] == read[99, 1])
    np.testing.assert_allclose(read[100:, 2], l[100:, 2] + 0.03, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(read[:, 3:], l[:, 3:])


@pytest.mark.parametrize("seed", range(4))
def test_no_command_and_no_fault_gives_NaN(seed: int) -> None:
    """Five seconds of anything: jumps at full authority, NaN among the commands, every fault."""
    rng, n = np.random.default_rng(seed), 10_000
    u = np.repeat(rng.uniform(-1.5, 1.5, (n // 200, 6)), 200, axis=0)
    u[rng.random((n, 6)) < 1e-3] = np.nan
    valve = np.repeat(rng.integers(0, 5, (n // 1000, 6)), 1000, axis=0).astype(float)
    seized = np.repeat(rng.random((n // 2500, 6)) < 0.1, 2500, axis=0).astype(float)
    out = faulty(n * TICK, valve_cmd=u, valve_fault=valve, seized=seized)
    for name in ("l", "l_dot", "legs_next", "acc", "f"):
        assert np.all(np.isfinite(out[name])), name
    stroke = plant().hexapod.stroke
    assert out["l"].min() > stroke.hard_min - 0.03 and out["l"].max() < stroke.hard_max + 0.03
    # absolute pressure: anti-cavitation keeps the oil whole, but may open a tick late where a leg rebounds from a stop
    below = np.any(out["legs_next"][:, :, 2:4] < 0.0, axis=(1, 2))
    assert not np.any(below[1:] & below[:-1])


# ---- sensors -------------------------------------------------------------------------------------------------------


def test_accelerometers_feel_gravity_at_rest() -> None:
    out = faulty(0.05)
    np.testing.assert_allclose(out["acc"][-1], [0, 0, 9.80665], atol=0.2)  # leakage starts a swing on the oil


def test_noise_has_the_deviation_it_is_said_to_have() -> None:
    noisy = plant(perfect=False)
    run = scan(noisy.step, noisy.feedback, record=["l", "l_meas", "p_cap", "legs_next"])
    out = run(4000, **noisy.at_rest(), **noisy.quiet)
    error = out["l_meas"] - out["l"]
    wanted = np.hypot(noisy.fitted.position.noise, noisy.fitted.position.quantum / np.sqrt(12))
    assert error.std() == pytest.approx(wanted, rel=0.1)
    steps = out["l_meas"] / noisy.fitted.position.quantum
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    assert (out["p_cap"] - out["legs_next"][:, :, 2]).std() == pytest.approx(5e3, rel=0.05)
    again = run(4000, **noisy.at_rest(), **noisy.quiet)
    np.testing.assert_array_equal(again["l_meas"], out["l_meas"])  # the same seed, the same noise
    other = run(4000, **noisy.at_rest(), **{**noisy.quiet, "seed": 1.0})
    assert np.any(other["l_meas"] != out["l_meas"])


def test_bell_is_bell_shaped() -> None:
    uniform = np.floor(np.random.default_rng(0).random(200_000) * 2**52) / 2**52
    numbers = np.array(bell(uniform)).ravel()
    assert abs(numbers.mean()) < 0.01 and numbers.std() == pytest.approx(1.0, abs=0.01)
    assert (numbers**4).mean() == pytest.approx(2.7, abs=0.03)  # the sum of four uniform numbers; 3 for a normal one


def test_sensor_that_cannot_be() -> None:
    with pytest.raises(PlatformError, match="noise is -1"):
        Sensor(noise=-1.0)


def test_lanes_equal_scalar() -> None:
    """Strict code gives the same bits on every lane as alone."""
    x, quiet = plant().at_rest(), plant().quiet
    alone = compile(plant().step)(**x, **quiet)
    wide = {k: np.repeat(np.asarray(v, float)[..., None], 4, -1) for k, v in {**x, **quiet}.items()}
    four = compile(plant().step, lanes=4)(**wide)
    for one, all_four in zip(alone, four, strict=True):
        np.testing.assert_array_equal(np.asarray(all_four)[..., 2], one)

"""Sensors that read late: what was true some ticks ago, between ticks in proportion, and nothing extra if none is."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.compile import Port, Program, scan
from motionbase.errors import PlatformError
from motionbase.plant.legs import LegKind
from motionbase.plant.motion import LEG_OUTPUTS, STATE, Body, LegMotion, next_of
from motionbase.plant.plant import PLANT_STATE, Plant
from motionbase.plant.sensors import HELD, KINDS, MEASURED, NUMBERS, SENSOR_FAULTS, Lag, Sensing, SensorFaults
from motionbase.platform.load import load_platform
from motionbase.platform.mechanism import STANDARD_GRAVITY
from motionbase.platform.sensors import LONGEST_DELAY, Sensor, Sensors

Array = NDArray[np.float64]
TICK, N = 5e-4, 300
PERFECT = Sensors.perfect()
MIXED = dict(zip(dict.fromkeys(KINDS), (1.0, 3.0, 0.25, 2.5, 1.75, 4.0, 0.5, 0.0), strict=True))  # kind -> ticks


@cache
def plant(sensors: Sensors) -> Plant:
    return Plant(load_platform("simona"), sensors)


@cache
def truth() -> dict[str, Array]:
    """Numbers for every input of the sensors, a row a tick, with nothing special about them."""
    rng = np.random.default_rng(3)
    sizes = {"p_W": (3,), "Q_WP": (4,), "V_P": (6,), "V_dot_P": (6,), "legs": (6, 5), "l": (6,), "l_dot": (6,)}
    rows = {name: rng.standard_normal((N, *size)) for name, size in {**sizes, "l_ddot": (6,), "f": (6,)}.items()}
    rows["Q_WP"] /= np.linalg.norm(rows["Q_WP"], axis=1)[:, None]
    return {**rows, "uniform": rng.random((N, NUMBERS))}


def measurement(sensors: Sensors, kind: LegKind, gravity: tuple[float, float, float], lag: Lag) -> Program:
    """The sensors alone."""

    def expr(*values: Any) -> Any:
        body, (l, l_dot, l_ddot, f), (uniform, fault, offset, *rest) = values[:5], values[5:9], values[9:]
        legs = LegMotion(l, l_dot, l_ddot, f, np.zeros((6, 3)))
        sensing = Sensing(sensors, kind, gravity, lag)
        readings, *held = sensing.read(Body(*body), legs, uniform, SensorFaults(fault, offset), *rest)
        return *(getattr(readings, p.name) for p in MEASURED), *held

    extra = Port("uniform", NUMBERS), *SENSOR_FAULTS, Port("l_last", 6, "m"), HELD, *lag.ports
    outputs = (*MEASURED, next_of(HELD), *(next_of(p) for p in lag.ports))
    return Program("measurement", (*STATE, *LEG_OUTPUTS[:4], *extra), outputs, expr)


def read(sensors: Sensors) -> dict[str, Array]:
    """Readings of all that, the sensors alone; the history starts as zeros."""
    lag = Lag.of(sensors, TICK)
    kernel = measurement(sensors, plant(PERFECT).motion.kind, STANDARD_GRAVITY, lag)
    feedback = {"l_last": "l_meas", "held": "held_next", **{p.name: f"{p.name}_next" for p in lag.ports}}
    record = [p.name for p in MEASURED if p.name != "l_meas"]
    run = scan(kernel, feedback, per_step=list(truth()), record=["l_meas", *record])
    held: dict[str, Any] = {"sensor_fault": np.zeros(6), "sensor_offset": np.zeros(6), "l_last": np.zeros(6)}
    held["held"] = np.zeros((6, 6))
    held |= truth() | {p.name: np.zeros(p.dims) for p in lag.ports}
    out: dict[str, Array] = run(N, **held)
    return out


def ago(values: Array, ticks: float) -> Array:
    """What was true so many ticks before each row; zero before the first."""
    k = int(ticks)
    padded = np.vstack([np.zeros((k + 1, values.shape[1])), values])
    near, far = padded[1 : 1 + len(values)], padded[: len(values)]
    return near if ticks == k else (1 - (ticks - k)) * near + (ticks - k) * far


@pytest.mark.parametrize("delays", [MIXED, dict.fromkeys(MIXED, 2.0), {**dict.fromkeys(MIXED, 0.0), "force": 7.5}])
def test_every_kind_is_as_late_as_said(delays: dict[str, float]) -> None:
    late = Sensors(**{kind: Sensor(delay=ticks * TICK) for kind, ticks in delays.items()})
    (history,) = Lag.of(late, TICK).ports
    width = sum(p.size for p, kind in zip(MEASURED, KINDS, strict=True) if delays[kind])
    assert history.dims == (int(np.ceil(max(delays.values()))), width)
    found, at_once = read(late), read(PERFECT)
    for port, kind in zip(MEASURED, KINDS, strict=True):
        wanted = ago(at_once[port.name], delays[kind])
        np.testing.assert_array_equal(found[port.name], wanted, err_msg=port.name)


def test_noise_and_steps_are_those_of_the_reading() -> None:
    """A late sensor still reads on its own grid, with a number of its own every tick."""
    position = Sensor(noise=5e-6, quantum=2e-5, delay=1.3 * TICK)
    found = read(replace(PERFECT, position=position))["l_meas"]
    np.testing.assert_allclose(found / position.quantum, np.round(found / position.quantum), atol=1e-6)
    error = found - ago(truth()["l"], 1.3)
    wanted = np.hypot(position.noise, position.quantum / np.sqrt(12))
    assert error.std() == pytest.approx(wanted, rel=0.1)  # 1800 numbers: 2 % of deviation


def test_in_the_plant_and_from_rest() -> None:
    """Length and force 4 ticks late; before the start the platform was at rest."""
    late = Sensor(delay=4 * TICK)
    of = plant(replace(PERFECT, position=late, force=late))
    run = scan(of.step, of.feedback, record=["l", "l_meas", "l_dot", "l_dot_meas", "f", "f_meas"])
    start = of.at_rest(2.5)
    out = run(N, **start, **{**of.quiet, "valve_cmd": np.linspace(-0.2, 0.3, 6)})
    for name, read_as in (("l", "l_meas"), ("f", "f_meas")):
        np.testing.assert_array_equal(out[read_as][4:], out[name][:-4])
    np.testing.assert_array_equal(out["l_dot_meas"], out["l_dot"])
    np.testing.assert_array_equal(out["l_meas"][:4], np.tile(start["l_read"], (4, 1)))
    held = out["f_meas"][:4]
    assert np.ptp(held) < 1e-6 and held.min() > 5e3  # six legs alike carry the weight
    assert np.ptp(out["l"][-1]) > 0.01  # it moves


def test_nothing_extra_without_delay() -> None:
    usual = plant(Sensors())
    assert usual.lag.ports == () and set(usual.at_rest()) == {p.name for p in PLANT_STATE}
    assert not any(getattr(Sensors(), kind).delay for kind in KINDS)
    kernel = measurement(Sensors(), usual.motion.kind, STANDARD_GRAVITY, usual.lag)
    assert [p.name for p in kernel.outputs] == [
        *(p.name for p in MEASURED),
        "held_next",
    ] and "sensed" not in kernel.inputs[-1].name


def test_whole_ticks_in_spite_of_rounding() -> None:
    delays = [k * 1e-3 for k in range(1, 51)]
    ticks = [Lag.of(replace(PERFECT, rate=Sensor(delay=d)), TICK).ticks[-1] for d in delays]
    assert ticks == [2.0 * k for k in range(1, 51)]


@pytest.mark.parametrize(
    ("delay", "said"), [(-1e-3, "delay is -0.001"), (0.2, "at most 0.1 s"), (np.nan, "delay is nan")]
)
def test_delays_that_cannot_be(delay: float, said: str) -> None:
    assert LONGEST_DELAY == 0.1
    with pytest.raises(PlatformError, match=said):
        Sensor(delay=delay)

"""The closed loop: the automatic operator, tracking, faults, the record, and the same bits by every way of running."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Scan, scan
from motionbase.control.ports import channels
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.plant.plant import Plant
from motionbase.platform.load import load_platform
from motionbase.platform.sensors import Sensors
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop

Array = np.ndarray
NAMES = tuple(c.name for c in hexapod_schema().channels)
ROWS = ("settings", "settings_version", "asked", "estop", "reset", "supply", "valve_fault", "seized", "sensor_fault",
        "sensor_offset")  # fmt: skip
# nothing that moves the legs looks at these so much that one would be 2 mm off
HARMLESS = (FaultKind.ACCELERATION_FROZEN, FaultKind.ACCELERATION_OFFSET, FaultKind.PRESSURE_FROZEN,
            FaultKind.FORCE_LOST, FaultKind.FORCE_FROZEN)  # fmt: skip
RECORDED = ("state", "fault", "abort", "l", "l_dot", "cmd", "pose_meas", "legs_cmd", "valve_cmd", "record", "f")


@cache
def loop() -> ClosedLoop:
    return ClosedLoop.of(load_platform("simona"), NAMES)


@cache
def run() -> Scan:
    return scan(loop().program, loop().feedback, per_step=list(ROWS), record=list(RECORDED))


def ran(seconds: float, every: int = 2, **rows: Any) -> dict[str, Array]:
    """From rest, down; rows of inputs where they are given, one a tick."""
    n = round(seconds / loop().dt)
    quiet = loop().quiet_inputs() | {"mode": np.array(1.0)}
    inputs: dict[str, Any] = {name: np.repeat(np.asarray(quiet[name])[None], n, axis=0) for name in ROWS}
    for name, values in rows.items():
        inputs[name] = np.broadcast_to(np.asarray(values, dtype=np.float64), inputs[name].shape).copy()
    held = {name: value for name, value in quiet.items() if name not in ROWS}
    out: dict[str, Array] = run()(n, every=every, **loop().at_rest(), **held, **inputs)
    return out


def generators(*cards: Generator) -> dict[str, Any]:
    return {"settings": GeneratorSet(cards).values, "settings_version": 1.0}


HEAVE = Generator(True, "dof", ("heave",), "sine", 0.2, 0.5, fade_in=2.0, fade_out=2.0)  # type: ignore[arg-type]


def states(out: dict[str, Array]) -> list[State]:
    values = out["state"]
    return [State(int(values[0])), *(State(int(b)) for a, b in zip(values, values[1:], strict=False) if a != b)]


def test_automatic_operator_rises_and_drives() -> None:
    out = ran(9.0)
    assert states(out)[-4:] == [State.RISING, State.STANDBY, State.ENGAGING, State.DRIVE]
    assert not out["fault"].any()
    np.testing.assert_allclose(out["l"][-1], loop().plant.hexapod.l_neutral, atol=1e-3)
    assert np.abs(out["l_dot"]).max() < 0.5  # it rises gently


def test_heave_sine_is_tracked() -> None:
    """0.5 Hz and 0.2 m on the nonlinear model: amplitude within 1 %, phase within 2 degrees."""
    out = ran(24.0, **generators(HEAVE))
    t = np.arange(len(out["state"])) * 2 * loop().dt
    late, w = t > 16.0, 2 * np.pi * 0.5
    columns = np.column_stack([np.cos(w * t[late]), np.sin(w * t[late]), np.ones(late.sum())])

    def amplitude(y: Array) -> complex:
        c = np.linalg.lstsq(columns, y[late], rcond=None)[0]
        return complex(c[0], -c[1])

    asked, got = amplitude(out["cmd"][:, 2, 0]), amplitude(out["pose_meas"][:, 2])
    assert abs(asked) == pytest.approx(0.2, rel=1e-6)
    assert abs(got / asked) == pytest.approx(1.0, abs=0.01)
    assert abs(np.degrees(np.angle(got / asked))) < 2.0
    assert not out["fault"].any()


def test_new_generator_settings_are_taken_by_a_cycle() -> None:
    """The operator of the seed: settings that change lead through settling back to drive."""
    n = round(16.0 / loop().dt)
    version = np.where(np.arange(n) < 9.0 / loop().dt, 1.0, 2.0)
    out = ran(16.0, settings=GeneratorSet((HEAVE,)).values, settings_version=version)
    seen = states(out)
    drives = [k for k, s in enumerate(seen) if s is State.DRIVE]
    assert len(drives) == 2 and State.SETTLING in seen[drives[0] : drives[1]]


def test_emergency_stop_ends_down_and_quiet() -> None:
    n = round(30.0 / loop().dt)
    estop = np.where(np.arange(n) < 12.0 / loop().dt, 0.0, 1.0)
    out = ran(30.0, estop=estop, **generators(HEAVE))
    assert states(out)[-2:] == [State.ABORT, State.OFF]
    assert np.abs(out["valve_cmd"][-1]).max() == 0.0
    hexapod = loop().plant.hexapod  # with its valves closed it sinks slowly by leakage, into the cushions
    assert np.all(out["l"][-1] < hexapod.l_down + 1e-3) and np.all(out["l"][-1] > hexapod.stroke.hard_min)
    assert np.abs(out["l_dot"][-200:]).max() < 0.01


@pytest.mark.parametrize("kind", [k for k in FaultKind if k is not FaultKind.HOST_DROPOUT])
def test_every_fault_stays_finite_and_ends_quiet(kind: FaultKind) -> None:
    """Out of a heave of full speed; down, or held where it is, and in the end nothing moves."""
    seconds = 20.0
    n = round(seconds / loop().dt)
    event = FaultEvent(kind, 11.0, 2 if kind.of_a_leg else None)
    rows = FaultPlan((event,)).rows(n, loop().dt)
    used: dict[str, Any] = {name: rows[name] for name in ROWS if name in rows}
    out = ran(seconds, **generators(HEAVE), **used)
    for name in RECORDED:
        assert np.all(np.isfinite(out[name])), name
    end = State(int(out["state"][-1]))
    if kind in HARMLESS:
        assert end is State.DRIVE and np.abs(out["l"][-1] - out["legs_cmd"][-1, :, 0]).max() < 2e-3
        return
    assert out["fault"][-1] != 0, end
    assert end in (State.OFF, State.HELD, State.ABORT)
    stroke = loop().plant.hexapod.stroke
    assert out["l"].min() > stroke.hard_min - 0.03 and out["l"].max() < stroke.hard_max + 0.03


def test_the_record_is_what_the_loop_knows() -> None:
    assert set(channels()) <= set(NAMES), "every channel that the law owns can be recorded"
    out, at = ran(9.0), hexapod_schema().index
    row = out["record"][-1]
    assert row[at["state"]] == out["state"][-1]
    np.testing.assert_array_equal(row[[at[f"leg{k}_valve_cmd"] for k in range(1, 7)]], out["valve_cmd"][-1])
    np.testing.assert_array_equal(row[[at[f"cmd_{d}"] for d in ("surge", "sway", "heave")]], out["cmd"][-1, :3, 0])
    measured = row[[at[f"leg{k}_l_meas"] for k in range(1, 7)]]
    np.testing.assert_allclose(measured, out["l"][-1], atol=2e-4)
    assert row[at["p_supply"]] == loop().plant.motion.actuator.p_supply
    assert row[at["acc_z"]] == pytest.approx(9.8, abs=0.3)


def test_same_bits_with_and_without_a_record() -> None:
    hexapod = load_platform("simona")
    bare = ClosedLoop(loop().law, Plant(hexapod, Sensors()))
    quiet = bare.quiet_inputs() | {"mode": np.array(1.0)}
    out = scan(bare.program, bare.feedback)(4000, **bare.at_rest(), **quiet)
    with_record = scan(loop().program, loop().feedback)(
        4000, **loop().at_rest(), **loop().quiet_inputs() | {"mode": 1.0}
    )
    np.testing.assert_array_equal(out["legs"], with_record["legs"])

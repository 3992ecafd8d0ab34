"""The closed loop of a platform with electric legs: rise, tracking, faults, brakes, and exported C of the same bits."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.control.ports import OUTPUTS
from motionbase.plant.fault_plan import OF_OIL, FaultEvent, FaultKind, FaultPlan
from motionbase.plant.motion import LEG_OUTPUTS
from motionbase.plant.sensors import MEASURED
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.states import Request, State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.export import control_border
from motionbase.system.runs import Run, Runner, Scenario
from tests.system.export_driver import build_driver, compiler, driven

Array = np.ndarray
HEXAPOD = load_platform("emotion-1500")
assert isinstance(HEXAPOD.actuator, ElectricActuator)
DRIVE = HEXAPOD.actuator
HEAVE = Generator(True, "dof", ("heave",), "sine", 0.15, 0.5, fade_in=2.0, fade_out=2.0)  # type: ignore[arg-type]
SCENARIO: dict[str, Any] = {"settings": GeneratorSet((HEAVE,)).values, "version": 1}
KEPT = (
    *(p.name for p in (*OUTPUTS, *LEG_OUTPUTS)), *(f"{p.name}_next" for p in MEASURED), "x_next", "legs_next",
)  # fmt: skip
CHECKED = ("l", "l_dot", "f", "F_joint", "valve_cmd", "legs_next", "x_next")


@cache
def loop() -> ClosedLoop:
    return ClosedLoop.of(HEXAPOD)


@cache
def runner() -> Runner:
    return Runner(loop(), KEPT)


@cache
def lead() -> Run:
    """From down into the sine, at 14 s in the middle of its way up."""
    return runner().run(Scenario(**SCENARIO), 14.0)


def states(run: Run) -> list[State]:
    values = run["state"]
    return [State(int(values[0])), *(State(int(b)) for a, b in zip(values, values[1:], strict=False) if a != b)]


def test_it_rises_to_neutral_and_drives() -> None:
    run = lead()
    assert states(run) == [State.DOWN, State.RISING, State.STANDBY, State.ENGAGING, State.DRIVE]
    assert not run["fault"].any()
    standing = run["state"] == State.STANDBY
    np.testing.assert_allclose(run["l"][standing][-1], HEXAPOD.l_neutral, atol=1e-4)
    # brakes are closed while it is down, and open when it rises
    assert np.all(run["abort"] == (run["state"] == State.DOWN))
    rising = np.flatnonzero(run["state"] == State.RISING)
    brake = run["legs_next"][rising, :, 3]
    assert np.all(brake[round(DRIVE.brake_time / loop().dt) + 1 :] == 0.0)
    # the weight goes over from brake to motor by less than the bending of the brake's bristles
    jump = np.abs(run["l"] - run["legs_cmd"][:, :, 0])[rising[:200]].max()
    assert jump < np.abs(run["f"][0]).max() / DRIVE.friction.sigma0


def test_heave_sine_is_tracked() -> None:
    """Half a hertz: amplitude within 0.1 %, phase within 0.1 degrees, no leg more than half a millimetre off."""
    run = runner().run(Scenario(**SCENARIO), 4.0, lead().end)
    t, w = run.t, 2 * math.pi * 0.5
    columns = np.column_stack([np.cos(w * t), np.sin(w * t), np.ones(len(t))])

    def amplitude(y: Array) -> complex:
        c = np.linalg.lstsq(columns, y, rcond=None)[0]
        return complex(c[0], -c[1])

    # the motion at the start of a tick is that at the end of the one before
    asked, got = amplitude(run["cmd"][:, 2, 0]), amplitude(run["pose_meas"][:, 2])
    assert abs(asked) == pytest.approx(0.15, rel=1e-6)
    assert abs(got / asked) == pytest.approx(1.0, abs=1e-3)
    assert abs(math.degrees(np.angle(got / asked))) < 0.1
    assert np.abs(run["legs_cmd"][1:, :, 0] - run["l"][:-1]).max() < 5e-4
    assert not run["fault"].any()


def assert_sound(run: Run) -> None:
    for name in CHECKED:
        finite = np.isfinite(run[name])
        if name == "x_next":
            finite[:, loop().law.state.starts["generator_stop"]] = True  # infinite until the drive is told to stop
        assert finite.all(), name
    stroke = HEXAPOD.stroke
    assert run["l"].min() > stroke.hard_min - 0.01 and run["l"].max() < stroke.hard_max + 0.01


def test_emergency_stop_ends_down_and_braked() -> None:
    run = runner().run(Scenario(**SCENARIO, estop_at=14.0), 12.0, lead().end)
    assert_sound(run)
    assert states(run)[-2:] == [State.ABORT, State.OFF]
    assert np.all(run["valve_cmd"][-1] == 0.0) and run["abort"][-1] == 1.0
    assert np.all(run["legs_next"][-1, :, 3] == 1.0)
    np.testing.assert_allclose(run["l"][-1], HEXAPOD.l_down, atol=2e-3)
    assert np.abs(run["l_dot"][-400:]).max() < 1e-5
    met = run["l"] <= HEXAPOD.stroke.hard_min  # its lower ends are its place to rest on: gently
    assert np.abs(run["l_dot"][met]).max() < 0.05


HARMLESS = (FaultKind.ACCELERATION_FROZEN, FaultKind.ACCELERATION_OFFSET, FaultKind.FORCE_LOST, FaultKind.FORCE_FROZEN)
FAULTY = [k for k in FaultKind if k is not FaultKind.HOST_DROPOUT and k not in (*OF_OIL, *HARMLESS)]


@pytest.mark.parametrize("kind", FAULTY)
def test_every_fault_ends_held_by_the_brakes(kind: FaultKind) -> None:
    """Twenty seconds out of a heave of full speed."""
    event = FaultEvent(kind, 14.0, 2 if kind.of_a_leg else None)
    run = runner().run(Scenario(**SCENARIO, faults=FaultPlan((event,))), 20.0, lead().end, every=4)
    assert_sound(run)
    assert run["fault"][-1] != Fault.NONE
    assert states(run)[-1] in (State.OFF, State.HELD)
    assert np.abs(run["l_dot"][-500:]).max() < 1e-4
    assert np.all(run["legs_next"][-1, :, 3] == 1.0)


def test_lost_power_is_called_so() -> None:
    event = FaultEvent(FaultKind.SUPPLY_LOST, 14.0)
    run = runner().run(Scenario(**SCENARIO, faults=FaultPlan((event,))), 1.0, lead().end)
    assert Fault(int(run["fault"][-1])) is Fault.SUPPLY


@pytest.mark.skipif(not compiler(), reason="no C compiler")
def test_exported_law_has_the_same_bits(tmp_path: Path) -> None:
    """The first seconds of the lead, every tick: down, then rising as the brakes open."""
    run, n, start, border = lead(), 4000, loop().at_rest(), control_border(loop())
    rows = {p.name: np.concatenate([start[p.name][None], run[f"{p.name}_next"][: n - 1]]) for p in MEASURED}
    held = loop().quiet_inputs() | Scenario(**SCENARIO).held() | {"p_supply": 1.0, "p_return": 0.0}
    rows |= {p.name: np.broadcast_to(held[p.name], (n, *p.dims)) for p in border.groups["inputs"] if p.name in held}
    asked = np.where(run["state"][:n] == State.DOWN, Request.DOWN, Request.STANDBY)
    rows["request"] = asked.astype(np.float64)  # as the automatic operator does
    build_driver(border, tmp_path)
    made, _ = driven(border, rows, tmp_path)
    assert {p.name for p in OUTPUTS} <= made.keys()
    for output, values in made.items():
        wanted = run[output][:n].reshape(n, -1)
        differ = np.flatnonzero(values.view(np.uint64) != np.ascontiguousarray(wanted).view(np.uint64))
        assert not differ.size, f"{output}: {differ.size} numbers differ, the first at {differ[0]}"
    assert np.abs(run["l"][n - 1] - run["l"][0]).max() > 0.01

"""The law's monitors on rigs whose sensors are biased, late or missing, and whose valves are slow: no false alarm."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault, WarningBit
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.lane_runs import LANES, LaneRunner
from motionbase.system.runs import Scenario
from tests.tier import some_of

RATE = math.pi  # [rad/s] of the motions
AXES = (4, 2, 0, 3, 5, 1, 4, 4)  # of each lane
AMPLITUDE = (0.1, 0.1, 0.1, 0.12, 0.12, 0.12)


def sensing(hexapod: Hexapod, **changes: dict[str, float]) -> Hexapod:
    made: dict[str, Any] = {kind: replace(getattr(hexapod.sensors, kind), **new) for kind, new in changes.items()}
    return replace(hexapod, sensors=replace(hexapod.sensors, **made))


def ran(hexapod: Hexapod, plans: Sequence[FaultPlan] = (FaultPlan(),) * LANES) -> dict[str, np.ndarray]:
    """20 s from down: the first fault, the last state, the largest force, all warnings, a number for each lane."""

    def scenario(axis: int, plan: FaultPlan) -> Scenario:
        def host(t: float) -> np.ndarray:
            s, c = math.sin(RATE * t), math.cos(RATE * t)
            frame = np.zeros((3, 6))
            frame[:, axis] = AMPLITUDE[axis] * np.array([s, RATE * c, -(RATE**2) * s])
            return frame

        return Scenario(host=host, faults=plan)

    fault, force, warned = np.zeros(LANES), np.zeros(LANES), np.zeros(LANES, dtype=int)
    runner = LaneRunner(ClosedLoop.of(hexapod), ("state", "fault", "f", "warning"))
    for piece in runner.pieces([scenario(a, p) for a, p in zip(AXES, plans, strict=True)], 20.0, length=1.0):
        fault = np.where(fault == 0, piece.rows["fault"].max(axis=0), fault)
        force = np.maximum(force, np.abs(piece.rows["f"]).max(axis=(0, 1)))
        warned |= piece.rows["warning"].astype(int).max(axis=0)
    return {"fault": fault, "state": piece.rows["state"][-1], "force": force, "warned": warned}


SIMONA, ELECTRIC = load_platform("simona"), load_platform("emotion-1500")
assert isinstance(SIMONA.actuator, HydraulicActuator)
UNUSUAL = {
    "slow valve, biased and late spool": sensing(
        replace(SIMONA, actuator=replace(SIMONA.actuator, valve_rate=20.0)), spool={"bias": 0.02, "delay": 0.008}
    ),
    "biased drive, all 2 ms late": sensing(
        ELECTRIC,
        spool={"bias": 0.01, "delay": 0.002},
        **{k: {"delay": 0.002} for k in ("position", "velocity", "force")},
    ),
}


@pytest.mark.parametrize("name", some_of(UNUSUAL, 1))
def test_what_a_platform_says_of_its_sensors_is_no_fault(name: str) -> None:
    """Such rigs drove before; a bias of 2 %, a delay of 8 ms or a valve at half the usual speed is theirs for good."""
    found = ran(UNUSUAL[name])
    assert not found["fault"].any() and set(found["state"]) == {float(State.DRIVE)}


def test_without_gyros_a_length_that_fails_is_still_replaced_by_its_rate() -> None:
    """Gyros that read 0 are told as a warning in lanes that turn; 21 of 30 such cases drove the leg away before.

    Lanes 1, 2 and 5 do not turn. The last one has lost both sensors of a leg.
    """
    deaf = sensing(SIMONA, rate={"quantum": 100.0})
    kinds = (None, FaultKind.SENSOR_FROZEN, FaultKind.SENSOR_OFFSET, FaultKind.SENSOR_FROZEN, FaultKind.SENSOR_OFFSET,
             FaultKind.SENSOR_LOST, FaultKind.SENSOR_FROZEN)  # fmt: skip
    plans = [FaultPlan(() if kind is None else (FaultEvent(kind, 12.1, 1),)) for kind in kinds]
    blind = FaultEvent(FaultKind.SENSOR_LOST, 12.1, 1), FaultEvent(FaultKind.RATE_OFFSET, 12.1, 1, value=9.0)
    found = ran(deaf, [*plans, FaultPlan(blind)])
    turns = np.array([axis > 2 for axis in AXES])
    np.testing.assert_array_equal((found["warned"] & WarningBit.GYROS_WRONG) > 0, turns)
    assert [Fault(int(f)) for f in found["fault"]] == [Fault.NONE, *6 * [Fault.MEASUREMENT], Fault.BLIND]
    assert found["state"][0] == State.DRIVE and found["state"][7] == State.HELD
    assert set(found["state"][1:7]) <= {float(State.OFF), float(State.ABORT)}
    assert found["force"][:7].max() < 20e3  # healthy: 17 kN; the runaways were at 20 to 26 kN

"""Every stop of a rig is an event with its reason, its tick and what was measured; so is the end of it."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.rig import LegState, RigFault, StopCause, rigged_schema
from motionbase.recording.changes import AT_ONCE
from motionbase.recording.happened import events_of
from motionbase.recording.journal import RecordWatch
from motionbase.recording.open import open_recording
from tests.recording.files import write_mcap

SCHEMA = rigged_schema(hexapod_schema())
PLACE = SCHEMA.index
DT = 1e-3


def records(count: int = 1000) -> Array:
    """Legs at 1.10 to 1.15 m that are asked for 10 mm more, without a fault, ready."""
    rows = np.zeros((count, len(SCHEMA.channels)))
    rows[:, 0], rows[:, PLACE["tick"]] = np.arange(count) * DT, 2 * np.arange(count)
    for leg in range(1, 7):
        rows[:, PLACE[f"leg{leg}_rig_l"]] = 1.09 + 0.01 * leg
        rows[:, PLACE[f"leg{leg}_l_cmd"]] = 1.10 + 0.01 * leg
        rows[:, PLACE[f"leg{leg}_rig_state"]] = LegState.READY
    return rows


def put(
    rows: Array, name: str, values: float, legs: tuple[int, ...] = (1, 2, 3, 4, 5, 6), at: slice = slice(0)
) -> None:
    for leg in legs:
        rows[at, PLACE[f"leg{leg}_{name}"]] = values


def told(rows: Array, size: int = 1000) -> list[tuple[int, str, str, bool]]:
    """Events of the rig, in blocks of any size."""
    watch, found = RecordWatch(SCHEMA), list[tuple[int, str, str, bool]]()
    for at in range(0, len(rows), size):
        found += [(at + f.k, f.kind, f.text, f.is_bad) for f in watch.find(rows[at : at + size])]
    return [one for one in found if one[2] not in ("state off", "mode host")]


def stopped() -> Array:
    """Leg 3 is silent from record 400, a bystander's stop from 500, and all is reset at 800."""
    rows = records()
    put(rows, "rig_fault", RigFault.SILENT_LEG, (3,), slice(400, 800))
    put(rows, "rig_code", 0x8130, (3,), slice(400, 800))
    put(rows, "rig_fault", RigFault.EMERGENCY_STOP, (1, 2, 4, 5, 6), slice(500, 800))
    put(rows, "rig_state", LegState.FAULT, at=slice(500, 800))
    rows[500:800, PLACE["rig_stop"]] = StopCause.SPEED
    return rows


IN_RUN = [
    (0, "state", "all legs ready", False),
    (
        400, "fault", "leg 3 stopped: silent leg, a drive or a sensor does not answer (code 0x8130); "
        "measured 1.1200 m, asked for 1.1300 m", True,
    ),
    (
        500, "fault", "legs 1, 2, 4, 5 and 6 stopped: emergency stop, somebody asked for a stop; measured 1.1000 "
        "1.1100 1.1300 1.1400 1.1500 m, asked for 1.1100 1.1200 1.1400 1.1500 1.1600 m", True,
    ),
    (
        500, "fault", "the rig was stopped: the overseer reads a leg that is faster than it may be; measured "
        "1.1000 1.1100 1.1200 1.1300 1.1400 1.1500 m, asked for 1.1100 1.1200 1.1300 1.1400 1.1500 1.1600 m", True,
    ),
    (800, "fault", "all legs: no fault any more", False),
    (800, "fault", "nobody asks the rig to stop any more", False),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 7, 400, 1000])
def test_a_stop_tells_its_reason_and_what_was_measured(size: int) -> None:
    assert told(stopped(), size) == IN_RUN


def test_it_stands_in_a_recording_with_its_tick(tmp_path: Path) -> None:
    """Made without events, as older recorders and exports do it."""
    path = tmp_path / "run.mcap"
    write_mcap(path, SCHEMA, stopped(), events=())
    with open_recording(path) as found:
        events = [e for e in events_of(found) if e.text not in ("state off", "mode host")]
    assert [(e.tick, e.kind, e.text, e.is_bad) for e in events] == [(2 * k, *rest) for k, *rest in IN_RUN]


def test_codes_of_devices_are_written_as_their_makers_do() -> None:
    rows = records(30)
    for at, code in ((10, -200284.0), (20, 0x80)):
        put(rows, "rig_fault", RigFault.DEVICE, (6,), slice(at, at + 5))
        put(rows, "rig_code", code, (6,), slice(at, at + 5))
    assert [text.split("(")[1].split(")")[0] for *_, text, is_bad in told(rows) if is_bad] == [
        "code -200284", "code 0x0080",
    ]  # fmt: skip


def test_legs_that_do_the_same_are_told_once() -> None:
    """Homing that begins leg by leg: while they differ, nothing is said of all legs."""
    rows = records(100)
    put(rows, "rig_state", LegState.UNHOMED, at=slice(0, 10))
    for leg in range(1, 7):
        put(rows, "rig_state", LegState.HOMING, (leg,), slice(10 + leg, 40 + 2 * leg))
    assert [(k, text) for k, _, text, _ in told(rows)] == [
        (0, "all legs unhomed"), (10, "all legs ready"), (16, "all legs homing"), (52, "all legs ready"),
    ]  # fmt: skip


def test_the_power_unit_is_told() -> None:
    rows = records(10)
    rows[4:8, PLACE["power_fault"]] = RigFault.TEMPERATURE
    assert told(rows)[1:] == [
        (4, "fault", "power unit: temperature, motor, drive or oil is too hot", True),
        (8, "fault", "power unit: no fault any more", False),
    ]


def test_numbers_that_are_no_codes_are_passed_over() -> None:
    rows = records(10)
    put(rows, "rig_fault", np.nan, (2,), slice(3, 4))
    put(rows, "rig_fault", 99.0, (2,), slice(4, 5))
    put(rows, "rig_state", -1.0, at=slice(5, 6))
    rows[6, PLACE["rig_stop"]] = 1e300
    assert [k for k, *_ in told(rows)] == [0]


def test_a_fault_that_flickers_is_bounded() -> None:
    rows = records(1000)
    rows[:, PLACE["leg1_rig_fault"]] = np.arange(1000) % 2 * RigFault.SENSOR
    found = told(rows, 100)
    assert len(found) <= AT_ONCE + 4 and sum("more times" in text for *_, text, _ in found) <= 2

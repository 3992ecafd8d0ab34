"""Electric platforms speak of motors and drives: one place decides, and no word of oil is left where people read."""

import re
from pathlib import Path

import pytest

from motionbase.cli.sizing import _cells
from motionbase.control.law import ControlLaw
from motionbase.plant.fault_plan import OF_OIL, FaultKind, load_faults
from motionbase.platform.load import PRESETS, load_platform
from motionbase.record.faults import Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Schema
from motionbase.record.sphere import sphere_schema
from motionbase.record.states import State
from motionbase.record.words import TEXTS, named, told
from motionbase.recording.open import open_recording
from motionbase.system.fault_cases import Moment, Outcome, Swing
from motionbase.system.loads import Allowables, case_row

OIL = re.compile("valve|spool|pressure|hydraul|oil spring", re.IGNORECASE)
DRIVES = re.compile("drive of|drive's|drives|motor", re.IGNORECASE)


def test_faults_of_electric_legs() -> None:
    for fault in Fault:
        name = named(fault.name.lower(), electric=True)
        assert not OIL.search(told(fault.sentence, electric=True)), fault
        assert not OIL.search(name) or fault is Fault.PRESSURE  # which they cannot have
    assert told(Fault.VALVE.sentence, True) == "the drive of a leg does not do what it was told"
    assert told(Fault.SUPPLY.sentence, True) == "the power of the drives is too low"
    assert named("valve", True) == "drive" and named("supply", True) == "power" and named("estop", True) == "estop"


def test_faults_of_hydraulic_legs_and_of_legs_unknown() -> None:
    for fault in Fault:
        assert fault is Fault.GUARD_SPHERE or not DRIVES.search(told(fault.sentence, electric=False)), fault
        assert told(fault.sentence, None) == fault.sentence and named(fault.name, False) == fault.name


def test_kinds_of_faults() -> None:
    names = {named(kind.name.lower(), electric=True) for kind in FaultKind}
    assert len(names) == len(FaultKind) and {"drive_stuck", "speed_lost", "power_lost"} <= names
    for kind in FaultKind:
        if kind not in OF_OIL:
            assert not OIL.search(told(kind.value, electric=True)), kind


def test_a_plan_of_faults_takes_the_words_of_either_kind(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    for name in ("valve_stuck", "drive_stuck"):
        path.write_text(f'[[fault]]\nkind = "{name}"\nleg = 3\nat = 1.0\n')
        (event,) = load_faults(path).events
        assert event.kind is FaultKind.VALVE_STUCK


@pytest.mark.parametrize("schema", [hexapod_schema(True), sphere_schema(3, True)], ids=["hexapod", "atlas"])
def test_records_of_electric_platforms(schema: Schema) -> None:
    """What console and recordings show: the same channels at the same places, in other words."""
    oil = hexapod_schema()
    for electric, channel in zip(schema.channels, oil.channels, strict=False):
        assert electric.name == channel.name
        assert not OIL.search(electric.description) and not OIL.search(electric.group), electric
        for code in electric.codes or ():
            assert not OIL.search(code) or code.startswith("pressure: "), code
    fault = schema.channels[schema.place("fault")]
    assert fault.meaning(float(Fault.VALVE)) == "drive: the drive of a leg does not do what it was told"
    assert schema.channels[schema.place("p_supply")].unit == "-"


@pytest.mark.parametrize("electric", [False, True])
def test_a_csv_file_of_a_platform_is_read_back_in_its_words(electric: bool, tmp_path: Path) -> None:
    schema = hexapod_schema(electric)
    path = tmp_path / "run.csv"
    row = ["0.5"] * len(schema.channels)
    path.write_text(",".join(f"{c.name} [{c.unit}]" for c in schema.channels) + "\n" + ",".join(row) + "\n")
    with open_recording(path) as recording:
        assert recording.schema == schema


@pytest.mark.parametrize("name", [name for name in PRESETS if load_platform(name).electric])
def test_parameters_of_electric_platforms(name: str) -> None:
    for field in ControlLaw(load_platform(name)).parameters.ports:
        assert not OIL.search(field.description), field.name


def test_tables_of_loads() -> None:
    moment = Moment(FaultKind.VALVE_HARD_OUT, 2, Swing("fast heave", "heave", 0.0, 0.1), 0.0)
    case = Outcome(moment, 2e4, 3e4, 12.0, 3.0, None, None, 0.01, Fault.VALVE, 0.03, State.HELD, None)
    allowed = Allowables(8e4, 8e4, True)
    for electric, fault, found in ((True, "drive_hard_out", "drive"), (False, "valve_hard_out", "valve")):
        row, cells = case_row(case, allowed, electric), _cells(case, [case], allowed, electric)
        assert (row["fault"], row["found"], row["end"]) == (fault, found, "held")
        assert cells[0] == fault and found in cells


def test_every_text_is_written_somewhere() -> None:
    """A text that is reworded in its place must be reworded here as well."""
    source = Path(__file__).resolve().parents[2] / "src" / "motionbase"
    written = " ".join(p.read_text() for p in source.rglob("*.py") if p.name != "words.py")
    assert [text for text in TEXTS if text not in written] == []

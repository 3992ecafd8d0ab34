"""Faults from files and in time."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan, load_faults

TEXT = """
[[fault]]
kind = "valve_hard_out"
leg = 3
at = 2.0

[[fault]]
kind = "supply_lost"
at = 1.0
until = 1.5
value = 0.3

[[fault]]
kind = "sensor_offset"
leg = 1
at = 0.5
value = 0.01

[[fault]]
kind = "host_dropout"
at = 1.2
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "faults.toml"
    path.write_text(text)
    return path


def test_a_plan_from_a_file(tmp_path: Path) -> None:
    plan = load_faults(written(tmp_path, TEXT))
    assert [e.kind for e in plan.events][0] is FaultKind.VALVE_HARD_OUT
    before, during, after = (plan.inputs(t) for t in (0.1, 1.3, 3.0))
    assert all(not np.any(before[k]) for k in ("valve_fault", "seized", "sensor_fault")) and before["supply"] == 1
    assert during["supply"] == 0.3 and during["host"] == 0 and during["sensor_offset"][0] == 0.01
    assert after["valve_fault"].tolist() == [0, 0, 2, 0, 0, 0] and after["supply"] == 1


def test_rows_change_on_the_tick(tmp_path: Path) -> None:
    plan, dt = load_faults(written(tmp_path, TEXT)), 5e-4
    rows = plan.rows(5000, dt)
    assert rows["valve_fault"].shape == (5000, 6) and rows["supply"].shape == (5000,)
    assert np.flatnonzero(rows["valve_fault"][:, 2])[0] == 4000
    supply = np.flatnonzero(rows["supply"] < 1)
    assert (supply[0], supply[-1]) == (2000, 2999)
    for tick in (0, 999, 1000, 2399, 2400, 4999):
        for name, value in plan.inputs((tick + 0.5) * dt).items():
            np.testing.assert_array_equal(rows[name][tick], value)


def test_no_faults() -> None:
    rows = FaultPlan().rows(10, 1e-3)
    assert rows["seized"].shape == (10, 6) and not rows["seized"].any() and rows["host"].all()


def test_a_kind_has_a_usual_value() -> None:
    assert FaultEvent(FaultKind.SENSOR_OFFSET, 0.0, 1).strength == 0.02
    assert FaultEvent(FaultKind.SUPPLY_LOST, 0.0).strength == 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[fault]]\nkind = "valve_stuck"\nat = 1.0\n', "line 1: .*leg is None, it must be 1 to 6"),
        ('[[fault]]\nkind = "valve_stuck"\nleg = 7\nat = 1.0\n', "line 3: .*leg is 7"),
        ('[[fault]]\nkind = "valve_stuck"\nleg = "a"\nat = 1.0\n', "line 3: .*a whole number from 1 to 6"),
        ('[[fault]]\nkind = "boom"\nat = 1.0\n', "line 2: .*is 'boom', one of valve_stuck, "),
        ('[[fault]]\nkind = "supply_lost"\nleg = 2\nat = 1.0\n', "the fault is not one of a leg"),
        ('[[fault]]\nkind = "supply_lost"\nat = 2.0\nuntil = 1.0\n', "times must rise"),
        ('[[fault]]\nkind = "supply_lost"\nat = -1.0\n', "times must rise"),
        ('[[fault]]\nkind = "supply_lost"\nat = "soon"\n', "line 3: .*a finite number"),
        ('[[fault]]\nkind = "supply_lost"\n', "needs the key 'at'"),
        ('[[fault]]\nkind = "supply_lost"\nat = 1\nwhen = 2\n', "line 4: .*no key 'when'"),
        ('[[fault]]\nkind="supply_lost"\nat=1\n[[fault]]\nkind="x"\nat=1\n', "line 5: .*'x'"),
        ('[[fault]]\nkind="supply_lost"\nat=1\nvalue = -3\n', "line 4: .*value is -3.0, it must be 0 to 1.2 times"),
        ('[[fault]]\nkind="supply_lost"\nat=1\nvalue = 1e9\n', "line 4: .*value is 1000000000.0, it must be 0"),
        ("fault = 3\n", "a list of tables"),
        ("other = 3\n", "no key 'other'"),
        ("[[fault", "not TOML"),
    ],
)
def test_bad_files_get_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=message):
        load_faults(written(tmp_path, text))


def test_sensors_of_a_leg_fail_each_by_itself() -> None:
    events = (
        FaultEvent(FaultKind.RATE_FROZEN, 1.0, 2),
        FaultEvent(FaultKind.SENSOR_LOST, 1.0, 2),
        FaultEvent(FaultKind.RATE_LOST, 2.0, 2),  # of the same sensor: the later one counts
        FaultEvent(FaultKind.SPOOL_FROZEN, 1.0, 3),
    )
    before, after = (FaultPlan(events).inputs(t)["sensor_fault"] for t in (1.5, 2.5))
    np.testing.assert_array_equal(before, [0, 1 + 4 * 2, 0 + 4**5 * 2, 0, 0, 0])
    np.testing.assert_array_equal(after, [0, 1 + 4 * 1, 4**5 * 2, 0, 0, 0])


def test_two_offsets_of_a_leg_are_refused() -> None:
    both = FaultEvent(FaultKind.SENSOR_OFFSET, 1.0, 2), FaultEvent(FaultKind.RATE_OFFSET, 3.0, 2)
    with pytest.raises(PlatformError, match="faults sensor_offset and rate_offset of leg 2: one offset of a leg"):
        FaultPlan(both)
    FaultPlan((FaultEvent(FaultKind.SENSOR_OFFSET, 1.0, 2, until=3.0), both[1]))

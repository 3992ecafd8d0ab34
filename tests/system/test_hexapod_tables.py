"""scripts/hexapod_tables.py: rows of one platform are written anew, and everything else of the document stays."""

import numpy as np
import pytest

from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.fault_cases import Moment, Outcome, Swing
from motionbase.system.loads import Allowables, Loads
from motionbase.system.responses import FrequencyResponse
from scripts import hexapod_tables as tables

TEXT = tables.DOCUMENT.read_text(encoding="utf-8")
NAMES = ("responses", "margins of simona", "loads of simona", "loads of emotion-1500")


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_put_in_its_place(name: str) -> None:
    lines = tables.table(TEXT, name)
    assert len({line.count("|") for line in lines}) == 1 and len(lines) > 2
    assert tables.with_table(TEXT, name, lines) == TEXT
    changed = tables.with_table(TEXT, name, [*lines[:2], "| new |"])
    assert tables.table(changed, name) == [*lines[:2], "| new |"]
    assert all(tables.table(changed, other) == tables.table(TEXT, other) for other in NAMES if other != name)


def test_rows_of_other_platforms_stay() -> None:
    old = ["| platform | x |", "|---|--:|", "| `a` | 1 |", "| `a` | 2 |", "| `b` | 3 |"]
    assert tables.merged(old, {"a": ["| `a` | 9 |"]}) == [*old[:2], "| `a` | 9 |", "| `b` | 3 |"]
    assert tables.merged(old, {"c": ["| `c` | 9 |"]}) == [*old, "| `c` | 9 |"]


def test_margins_have_the_columns_of_the_document() -> None:
    rows = tables.margins(load_platform("simona"))
    assert len(rows) == 6 and {row.count("|") for row in rows} == {
        tables.table(TEXT, "margins of simona")[0].count("|")
    }


def test_what_flatters_is_told() -> None:
    f = np.array([5.0, 15.0, 25.0, 50.0])
    found = FrequencyResponse(
        "heave", f, f, np.array([1.0, 1.1, 2.0, 4.0]), np.array([0.0, -5.0, -30.0, -60.0]), f / 100
    )
    gain, flat, bandwidth, distorted = tables._spectrum(found)
    assert (gain, bandwidth, distorted) == ("1.10 at 15.0", "above 50", "15.0")
    assert 15 < float(flat) < 25


def test_loads_are_the_worst_of_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    def case(force: float, joint: float, contact: float | None, after: float | None, end: State) -> Outcome:
        moment = Moment(None, None, Swing("rest"), 0.0)
        return Outcome(moment, force, joint, 3.0, 1.0, contact, 1.0, 0.1, Fault.ESTOP, after, end, 2.0)

    cases = (case(1e4, 4e4, 0.07, None, State.OFF), case(2e4, 1e4, None, 0.25, State.HELD))
    monkeypatch.setattr(Loads, "predict", lambda self: cases)
    simona = load_platform("simona")
    allowed = Allowables.of(simona).force / 1e3
    factors = f"{allowed / 20:.2f} | 40.0 | {allowed / 40:.2f}"
    row = f"| `estop` | 20.0 | {factors} | 3.0 | 0.070 ! | estop | 150 | 0 of 2 | off, held |"
    assert tables.loads(simona) == [row]

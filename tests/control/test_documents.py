"""docs/control.md says what the code does: its tables are made from it, its examples run."""

import re
from pathlib import Path

import numpy as np

from motionbase.control.design import LinearLeg, gains_for, margins
from motionbase.control.law import ControlLaw
from motionbase.control.tables import TABLES, marks, written
from motionbase.platform.load import load_platform

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "control.md").read_text()


def test_tables_are_up_to_date() -> None:
    assert all(mark in TEXT for name in TABLES for mark in marks(name))
    assert written(TEXT) == TEXT, "run python -m motionbase.control.tables docs/control.md"


def test_examples_run() -> None:
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, names)
    assert {"step", "HOLD"} <= names.keys()


def test_figures_of_the_example_design() -> None:
    leg = ControlLaw(load_platform("simona")).legs.linear
    assert isinstance(leg, LinearLeg)
    found = margins(leg, gains_for(leg))
    slowest = np.sqrt(leg.stiffness / leg.masses[0]) / (2 * np.pi)
    assert f"at {slowest:.1f} Hz, and {np.degrees(found.phase):.0f}° and a factor of {found.gain:.1f} are left" in TEXT


def test_every_file_is_in_the_table_of_parts() -> None:
    folder = Path(__file__).resolve().parents[2] / "src" / "motionbase" / "control"
    files = {p.name for p in folder.glob("*.py")} - {"__init__.py", "tables.py"}
    assert files <= set(re.findall(r"`(\w+\.py)`", TEXT))

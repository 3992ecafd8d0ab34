"""docs/control.md says what the code does: its tables are made from it, its examples run."""

import re
from pathlib import Path

import numpy as np

from motionbase.control.design import RESERVE
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
    law = ControlLaw(load_platform("simona"))
    now, late = law.legs.margins(), law.legs.margins(late=RESERVE * law.dt)
    slowest = law.legs.frequency(law.legs.masses[0])
    words = " ".join(TEXT.split())
    assert f"at {slowest:.1f} Hz; {np.degrees(now.phase):.0f}° and a factor of {now.gain:.1f} are left, " in words
    assert f"are left, {np.degrees(late.phase):.0f}° and {late.gain:.1f} with the reserve used up" in words
    assert f"with {(now.gain + late.gain) / 2:.1f} times its gains" in words


def test_every_file_is_in_the_table_of_parts() -> None:
    folder = Path(__file__).resolve().parents[2] / "src" / "motionbase" / "control"
    files = {p.name for p in folder.glob("*.py")} - {"__init__.py", "tables.py"}
    assert files <= set(re.findall(r"`(\w+\.py)`", TEXT))

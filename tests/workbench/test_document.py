"""docs/kinematics.md: its code runs, and its numbers are those of the presets."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "kinematics.md").read_text()


def test_the_code_runs_and_finds_what_the_text_says() -> None:
    made: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(block, made)
    assert made["space"].volume() > 0
    least = made["found"].clearance_rows()[0]["distance_m"]
    assert f"{1000 * least:.0f} mm for SIMONA" in TEXT
    rod = made["found"].largest["rod rotation"]
    assert np.degrees(rod.largest) == pytest.approx(54.8, abs=0.1)

"""docs/cueing.md says what the code does: its example runs, its table has every parameter and every preset."""

import re
from pathlib import Path
from typing import Any

import pytest

from motionbase.cueing.sets import set_names
from motionbase.cueing.tuning import Adapting, Tuning, Weighing

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "cueing.md").read_text()


def test_the_example_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["told"]["cue"][-1, 0] == pytest.approx(0.8 * 2, abs=0.05)


def test_every_parameter_and_preset_has_its_row() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE)
    quantities = (port.name for kind in (Tuning, Adapting, Weighing) for port in kind.layout.ports)
    assert rows == [*quantities, *set_names()]

"""docs/maths.md says what the package has: scripts/maths_table.py writes its table."""

import re
from pathlib import Path

import pytest

from motionbase.compile.maths import MATHS

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)` \|.*?\|.*?\| ([\d.]+) \| ([\d.]+) \| (\d+) \|", re.MULTILINE)


def documented() -> dict[str, tuple[float, float, int]]:
    """Bound, worst error and operations by function, from the table."""
    text = (ROOT / "docs" / "maths.md").read_text()
    table = text[text.index("<!-- table: begin") : text.index("<!-- table: end")]
    return {name: (float(bound), float(worst), int(count)) for name, bound, worst, count in ROW.findall(table)}


def test_every_function_has_a_row() -> None:
    assert documented().keys() == MATHS.keys()


@pytest.mark.parametrize("name", MATHS)
def test_rows_are_up_to_date(name: str) -> None:
    from scripts.maths_table import operations

    bound, worst, count = documented()[name]
    assert (bound, count) == (MATHS[name].ulp, operations(name)), "run scripts/maths_table.py"
    assert worst <= bound

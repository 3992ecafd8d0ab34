"""docs/benchmarks.md: every benchmark with a bar is there, with that bar."""

import re
from importlib import import_module
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text()
SIGN = {">=": "≥", "<=": "≤"}


@pytest.mark.parametrize("name", ["actuators", "ring", "executive", "hexapod", "console", "project"])
def test_every_bar_is_on_the_page(name: str) -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith(f"| `{name}.")]
    for benchmark in import_module(f"benchmarks.{name}").BENCHMARKS:
        if benchmark.bar is None:
            continue
        row = next((line for line in rows if f"`{benchmark.metric}`" in line), None)
        assert row, f"{benchmark.metric} is missing"
        said = re.search(r"\| ([≥≤]) ([\d.,e-]+) \|", row)
        sign, value = str(benchmark.bar).split()
        assert said and said[1] == SIGN[sign] and float(said[2].replace(",", "")) == float(value), row

"""docs/predictive.md: its example runs, and says what comes out."""

import re
from pathlib import Path

import numpy as np

from motionbase.cueing.predictive.horizon import KNOTS, NODES
from tests.cueing.predictive.rig import assembly, problem_at

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "predictive.md").read_text()


def test_the_example_runs() -> None:
    code = re.search(r"```python\n(.*?)```", TEXT, re.S)
    assert code
    names: dict[str, object] = {}
    exec(code[1], names)
    found = names["found"]
    assert 1.5 < found.cue[-1, 0] < 2.0 and found.motion[-1, 0, 4] < -0.1  # type: ignore[attr-defined]
    assert np.all(np.isfinite(found.motion))  # type: ignore[attr-defined]


def test_sizes_are_as_said() -> None:
    _, problem, _ = problem_at(1, 1.0)
    assert len(KNOTS) == 12 and len(NODES) == 19
    assert f"{assembly().size} variables and {problem.A.shape[0]} two-sided rows" in TEXT

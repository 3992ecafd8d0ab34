"""docs/atlas.md: its numbers are those of the analysis, its code runs, its tables list what there is."""

import contextlib
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest

from motionbase.platform.atlas.load import NEEDED, OPTIONAL
from motionbase.platform.atlas.units import ENDINGS, PAPER
from tests.platform.atlas_analysis import ATLAS, analysis

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "atlas.md").read_text()


def row(start: str) -> list[str]:
    (line,) = (line for line in TEXT.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_numbers_of_the_page() -> None:
    found = analysis()
    t = found.traction["least_squares"]
    for name, value, unit in (
        ("largest moment on the sphere", found.moment.value, "N m"),
        ("largest wheel torque", t.torque, "N m"),
        ("the same with the sphere upright", t.upright, "N m"),
        ("normal force for traction", t.normal, "N"),
    ):
        assert row(name)[1] == f"{PAPER.of(value, unit):,.0f} {PAPER.name(unit)}"
    assert row("gyroscopic part at most")[1] == f"{PAPER.of(found.gyroscopic, 'N m'):.1f} lb in"
    assert row("condition number")[1] == f"{found.conditioning.condition:.4f}"
    assert row("too little in the kindest direction")[1] == f"{t.demand.underestimate:.2%}".replace("%", " %")
    about_z = np.abs(np.linalg.inv(ATLAS.J_tau) @ [0, 0, 1]).max()
    assert f"axis it is {1 - about_z / t.demand.worst:.0%}".replace("%", " %") in TEXT
    assert found.rest is not None and f"{PAPER.of(float(found.rest.min()), 'N'):,.0f} lb" in TEXT
    assert 14_000 < found.moment.cells < 16_000  # "some 15,000 triangles"
    head = float(np.linalg.norm(ATLAS.points["head"]))
    assert f"last for {math.degrees(2 * math.asin(0.3 / (2 * head))):.0f}°" in TEXT
    assert f"{head:.2f} m from the centre" in TEXT
    assert "(0.957, 0.088, 0.277) or two others" in TEXT and len(t.demand.best_directions) == 3
    np.testing.assert_allclose(t.demand.best_direction, (0.957, 0.088, 0.277), atol=5e-4)


def test_code_of_the_page_runs() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "docs/atlas.md", "exec"), {})
    promised = re.findall(r"^print\(.*\) +# (.*)$", code, re.MULTILINE)
    assert len(promised) == 4 and printed.getvalue().splitlines() == promised


@pytest.mark.parametrize("unit", ENDINGS)
def test_endings_are_listed(unit: str) -> None:
    assert row(unit)[1] == ", ".join(f"`_{ending}`" for ending in ENDINGS[unit])


def test_keys_are_listed() -> None:
    for key in (*NEEDED, *OPTIONAL):
        assert f"`{key}`" in TEXT or f"`[{key}]`" in TEXT, key


@pytest.mark.parametrize("name", ["atlas.png", "atlas_layouts.png"])
def test_pictures_are_there(name: str) -> None:
    assert f"pictures/{name}" in TEXT
    assert (ROOT / "docs" / "pictures" / name).stat().st_size > 30_000

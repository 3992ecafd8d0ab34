"""docs/platforms.md says what the presets hold, its code runs, and the picture can be drawn again."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.cli.main import main as call
from motionbase.cli.platforms import in_short
from motionbase.errors import PlatformError
from motionbase.multibody.elements.friction_law import Friction
from motionbase.platform.envelope import axis_limits, extremes
from motionbase.platform.load import PRESETS, load_file, load_platform
from motionbase.platform.own_shape import OwnShape
from motionbase.platform.tables import MODULE, TABLES, marks, written

TEXT = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text()


def rows(start: str) -> list[list[str]]:
    """Cells of the table rows that begin so."""
    return [[c.strip() for c in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith(start)]


def test_table_of_presets() -> None:
    listed = {cells[0].strip("`"): cells[1:] for cells in rows("| `") if len(cells) == 6}
    assert list(listed) == list(PRESETS)
    for name, cells in listed.items():
        h = load_platform(name)
        kind = "hydraulic" if isinstance(h.actuator, HydraulicActuator) else "electric"
        assert cells[:3] == [kind, f"{h.stroke.length:.3f}", f"{h.stroke.hard_length:.3f}"], name
        assert cells[4] == in_short(h.illustrative), name


@pytest.mark.parametrize("what", ["one axis alone", "64 extremes"])
def test_table_of_limits(what: str) -> None:
    h = load_platform("simona")
    dof = extremes(h).dof
    ends = axis_limits(h) if what == "one axis alone" else np.stack([dof.min(axis=0), dof.max(axis=0)], axis=1)
    wanted = [f"{a:+.3f} to {b:+.3f}" for a, b in ends[:3]] + [f"{a:+.1f} to {b:+.1f}" for a, b in np.degrees(ends[3:])]
    assert rows(f"| {what} ")[0][1:] == wanted


def test_tables_of_keys_are_up_to_date() -> None:
    assert all(mark in TEXT for name in TABLES for mark in marks(name, MODULE))
    assert written(TEXT) == TEXT, "run python -m motionbase.platform.tables docs/platforms.md"


@pytest.mark.parametrize(
    ("table", "kind"),
    [("hydraulic_keys", HydraulicActuator), ("electric_keys", ElectricActuator), ("friction_keys", Friction),
     ("shape_keys", OwnShape)],
)  # fmt: skip
def test_every_key_has_a_unit_and_a_meaning(table: str, kind: type[Any]) -> None:
    """The keys are those that a file is read into; a docstring that forgets one is found here."""
    found = [[c.strip() for c in line.strip("|").split("|")] for line in TABLES[table]().splitlines()[2:]]
    assert [cells[0].strip("`[]").removeprefix("actuator.") for cells in found] == [f.name for f in fields(kind)]
    for cells in found:
        assert len(cells) == 5 and len(cells[2]) > 5 and cells[3], cells
        assert cells[1] or "friction" in cells[0]


def test_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    exec(compile(code, "docs/platforms.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "3.0 1.0"
    assert printed[2].startswith("3.940")


def test_the_start_of_a_file_lacks_only_what_it_leaves_out(tmp_path: Path) -> None:
    (start,) = re.findall(r"^```toml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    preset = (Path(__file__).parents[2] / "src/motionbase/platform/presets/odu.toml").read_text()
    path = tmp_path / "mine.toml"
    path.write_text(start + preset[preset.index("[stroke]") :])
    np.testing.assert_array_equal(load_file(path).joints, load_platform("odu").joints)
    path.write_text(path.read_text().replace("l_min = 0.965", 'l_min = "long"'))
    (said,) = re.findall(r"stroke\.l_min is .*", TEXT)
    with pytest.raises(PlatformError, match=re.escape(said)):
        load_file(path)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_drawn(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.svg"
    assert call(["platforms", name, "--plot", str(path), "--json"]) == 0
    text = path.read_text()
    assert text.count("<path") > 50 and "</svg>" in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["simona", "--plot", "out.gif"], "cannot draw 'out.gif': the name must end in .png, .pdf or .svg"),
        (["--plot", "out.png"], "--plot out.png draws one platform: give its name too"),
        (["simona", "--plot", "/nowhere/at/all.png"], "cannot write '/nowhere/at/all.png': No such file or directory"),
    ],
)
def test_pictures_that_cannot_be(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["platforms", *args]) == 2
    assert message in capsys.readouterr().err

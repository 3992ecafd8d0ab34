"""docs/plant.md says what the code does: kinds of faults, sensors, files, examples."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np

from motionbase.plant.fault_plan import DEFAULT_VALUE, FaultKind, load_faults
from motionbase.plant.plant import SEIZED_DAMPING, SEIZED_STIFFNESS
from motionbase.platform.sensors import Sensors

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "plant.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_table_of_faults_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (yes)? ?\| ([\d.]*) ?\|$", TEXT, re.MULTILINE)
    wanted = [
        (k.name.lower(), k.value, "yes" if k.of_a_leg else "", f"{DEFAULT_VALUE[k]:g}" if k in DEFAULT_VALUE else "")
        for k in FaultKind
    ]
    assert rows == wanted


def test_example_of_a_faults_file_is_one(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "faults.toml").write_text(text)
    events = load_faults(tmp_path / "faults.toml").events
    assert [(e.kind, e.leg, e.at, e.value) for e in events] == [
        (FaultKind.VALVE_STUCK, 3, 12.0, None),
        (FaultKind.SUPPLY_LOST, None, 20.0, 0.3),
    ]


def test_example_runs() -> None:
    names: dict[str, object] = {}
    (code,) = blocks("python")
    exec(code, names)
    out = names["out"]
    assert isinstance(out, dict) and np.all(out["l"][-1] > out["l"][0] + 0.01), "the legs extend"


def test_numbers_of_the_sensors() -> None:
    s = Sensors()
    said = {
        "leg length": f"{s.position.noise * 1e6:g} µm | {s.position.quantum * 1e6:g} µm",
        "leg rate, acceleration": f"{s.velocity.noise * 1e3:g} mm/s, {s.acceleration.noise:g} m/s² |",
        "leg force": f"{s.force.noise:g} N |",
        "pressure": f"{s.pressure.noise / 1e3:g} kPa | {s.pressure.quantum / 1e3:g} kPa",
        "spool": "1e-4 |",
        "specific force, angular rate": f"{s.specific_force.noise:g} m/s², {s.rate.noise * 1e3:g} mrad/s |",
    }
    assert s.spool.noise == 1e-4 and not any(getattr(s, f.name).bias for f in fields(s))
    for sensor, numbers in said.items():
        assert f"| {sensor} | {numbers} |" in TEXT, sensor


def test_every_file_is_in_the_table_of_parts() -> None:
    files = {p.name for p in (ROOT / "src" / "motionbase" / "plant").glob("*.py")} - {"__init__.py"}
    assert files == set(re.findall(r"^\| `(\w+\.py)`", TEXT, re.MULTILINE))


def test_a_seized_leg_is_as_stiff_as_said() -> None:
    assert f"{SEIZED_STIFFNESS / 1e6:g} MN/m and {SEIZED_DAMPING / 1e6:g} MN s/m" in TEXT

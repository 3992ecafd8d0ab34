"""Every example runs, and says what its docstring promises; the catalogue leads to units that exist."""

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.cli.kernel import CATALOGUE, unit_of
from motionbase.compile import compile as compile_unit
from motionbase.compile import reference
from motionbase.record.vehicle import G
from motionbase.worlds.library import Described, world_url

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


LONG = {"04_handoff": "simulates for a minute", "12_rotor_in_flight": "compiles a rotor"}


@pytest.mark.parametrize(
    "example",
    [pytest.param(p, id=p.stem, marks=[pytest.mark.long(LONG[p.stem])] if p.stem in LONG else []) for p in EXAMPLES],
)
def test_example_runs(example: Path) -> None:
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr


def test_first_kernel_gives_the_same_bits_on_every_target() -> None:
    out = subprocess.run([sys.executable, str(EXAMPLES[0])], capture_output=True, text=True, check=True).stdout
    results = {line.split(maxsplit=1)[1] for line in out.splitlines() if "q_next = " in line}
    assert len(results) == 1


def test_six_legs_against_numpy() -> None:
    """Lengths by NumPy and SciPy's rotations; what the sensors add is small, and two calls late."""
    step = compile_unit(unit_of("six_legs"))
    module = reference.module_of(str(EXAMPLES[1]))
    pose, line = np.array([0.05, -0.1, 1.8, 0.02, -0.01, 0.1]), np.zeros(step.unit.memory[0].size)
    R_WP = Rotation.from_euler("ZYX", pose[:2:-1]).as_matrix()
    wanted = np.linalg.norm(pose[:3] + module.TOP @ R_WP.T - module.BASE, axis=1)
    for tick, mode in enumerate([0.0, 1.0, np.nan, 1.0]):
        l_cmd, l_meas = step(celsius=20.0, seed=7.0, pose=pose, mode=mode, tick=float(tick), line=line)
        np.testing.assert_allclose(l_cmd, wanted if mode == 1 else module.HOME, rtol=1e-15)
        late = (np.zeros(6), np.zeros(6), module.HOME, wanted)[tick]
        assert 0 < np.abs(l_meas - late).max() < 1e-4  # six normal numbers of 1e-5


def test_swing_against_its_closed_form() -> None:
    """Let go, the seat presses with weight and centrifugal force; along it only the drag is felt."""
    url = world_url(f"world://{ROOT}/examples/14_own_world.py:Swing?length=5")
    assert url is not None
    swing: Any = url.made()
    swing.angle = start = 0.6
    for _ in range(200):
        swing.step((0.0,))
        f_x, _, f_z, *_ = swing.vehicle
        assert f_z == pytest.approx(G * np.cos(swing.angle) + 5 * swing.rate**2, abs=1e-9)
        assert abs(f_x + 5 * 0.04 * swing.rate) < 0.05  # the step is of first order in 5 ms
        assert abs(swing.rate**2 - 2 * G / 5 * (np.cos(swing.angle) - np.cos(start))) < 0.1  # the drag takes some
    assert json.loads(Described.of(swing).text)["script"] == "pump"


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue_entry_loads(name: str) -> None:
    assert reference.is_unit(unit_of(name))
    assert CATALOGUE[name].about


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "docs/how_it_works.md",
        "docs/compiler.md",
        "docs/models.md",
        "docs/multibody.md",
        "docs/network.md",
        pytest.param("docs/rotor.md", marks=pytest.mark.long("compiles several rotors")),
        "docs/examples_multibody.md",
        "docs/python.md",
        "docs/boat.md",
        "docs/sea.md",
        "docs/rigs_onoff.md",
        "docs/rigs_drives.md",
        "docs/rigs_serial.md",
    ],
)
def test_python_in_the_documents_runs(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of one document in order, in one namespace; kept in a file so that the diagnosis finds its lines."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    path = tmp_path / "document.py"
    path.write_text("\n".join(blocks))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(path.read_text(), str(path), "exec"), names)
    promised = re.findall(r"^print\(.*\) +# (.*)$", path.read_text(), re.MULTILINE)
    for comment in promised:  # "..." stands for anything
        assert re.search(f"^{re.escape(comment).replace(re.escape('...'), '.*')}$", printed.getvalue(), re.MULTILINE)
    assert promised
    if document == "docs/compiler.md":
        assert "made by sqrt(-1)" in str(names["finding"]) and "ca.sqrt(k)" in str(names["finding"])

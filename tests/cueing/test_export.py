"""Exported C of motion cueing: bit by bit what the simulation does, and an example that runs."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.compile.runtime.c import USER_FLAGS
from motionbase.system.export import cueing_border
from tests.cueing.rig import cueing, loop, rows, ticks
from tests.system.export_driver import build_driver, built, compiler, driven
from tests.system.test_export import assert_same_bits
from tests.tier import some_of

needs_compiler = pytest.mark.skipif(not compiler(), reason="no C compiler")


@needs_compiler
@pytest.mark.parametrize("kind", some_of(["classical", "adaptive", "optimal"], 1))
def test_c_gives_the_same_bits(kind: str, tmp_path: Path) -> None:
    """At 40 Hz, with a silence, a NaN, a change to the ground, and pushes into the limits."""
    t, rng = ticks(20.0), np.random.default_rng(4)
    samples = rows(t, on_ground=lambda t: np.asarray(t > 9, float))
    samples[:, :6] += np.repeat(rng.normal(size=(len(t) // 200, 6)) * [4, 4, 8, 0.3, 0.3, 0.5], 200, axis=0)
    counts = 1.0 + np.floor(t * 40)
    counts[(t > 12) & (t < 14)] = counts[t > 12][0]
    samples[500] = np.nan
    given: dict[str, Any] = {"vehicle": samples, "vehicle_count": counts}
    case = cueing(algorithm=kind)
    wanted = loop(algorithm=kind)(len(t), parameters=case.parameter_vector(), x=case.initial_state(), **given)
    assert wanted["stroke_left"].min() < 0.03 and not np.isnan(wanted["host_frame"]).any()
    border = cueing_border(case)
    build_driver(border, tmp_path)
    outputs, last = driven(border, given, tmp_path)
    assert_same_bits(outputs, {name: wanted[name] for name in outputs})
    assert_same_bits(last, {"x": wanted["x"]})


@needs_compiler
@pytest.mark.long("exports and compiles once more")
def test_the_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["export", "cueing", "simona", "--out", str(tmp_path)]) == 0
    readme = (tmp_path / "README.txt").read_text()
    assert "Gouverneur" in readme and "air.saturation of the set" in readme
    built(["cueing.c", "main.c"], tmp_path, "example")
    text = subprocess.run([tmp_path / "example"], capture_output=True, check=True, encoding="utf-8").stdout
    last = [float(x) for x in text.splitlines()[-1].split(",")]
    assert last[0] == 10 and last[3] < -0.1 and last[4] == pytest.approx(1.2, abs=0.1)
    assert "-ffp-contract=off" in capsys.readouterr().out and "-ffp-contract=off" in USER_FLAGS
    assert call(["export", "cueing", "simona", "--set", "simoan", "--out", str(tmp_path), "--force"]) == 2

"""Numbers of two runs with a sphere, kept from before its programs were written over values: the physics is the same.

Numbers differ by rounding, as in `test_before.py`; where wheels slip it is amplified a little, but not without bounds.
`uv run python tests/system/test_before_sphere.py` writes the file anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import load_platform
from motionbase.platform.ready_sets import ready_sets
from motionbase.record.sphere import sphere_schema
from motionbase.system.atlas_loop import AtlasLoop
from motionbase.system.manoeuvre import KEPT, drive
from motionbase.system.runs import Runner, Scenario
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.spins import burst, hardest_axis

FILE = Path(__file__).with_name("before_sphere.json")
ATLAS = load_atlas("atlas")
CHANNELS = tuple(c.name for c in sphere_schema(3).channels)
RECORDED = ("warning", *(c for c in CHANNELS if c.startswith(("sphere_", "wheel", "passive_"))))
OUTPUTS = ("state", "fault", "p_W_next", "Q_WS_next", "d_C_next", "M_sphere", "load_stage", "a_stage_next", "lost")
FORCES = ("M_sphere", "load_stage", "N_wheel", "N_passive", "f_contact")
EXACT = ("state", "fault", "lost", "slips", "limited")


def on_its_stage() -> dict[str, Any]:
    """Rise and tumble; then oil on the wheels: they slip, the law finds traction lost, and the stage freezes."""
    stage = load_platform(ATLAS.stage)
    runner = Runner(AtlasLoop.of(ATLAS, stage, CHANNELS), OUTPUTS)
    settings = np.array(ready_sets(stage, ATLAS)["tumble"].values)
    driven = runner.run(Scenario(settings=settings), 18.0, every=1000)
    oiled = Scenario(settings=settings, inputs={"friction_scale": np.full(3, 0.02)})
    slipped = runner.run(oiled, 2.0, driven.end, every=200)
    kept = {name: np.concatenate([run[name] for run in (driven, slipped)]) for name in OUTPUTS}
    kept["record"] = np.column_stack([np.concatenate([run[c] for run in (driven, slipped)]) for c in RECORDED])
    return {name: rows.reshape(len(rows), -1).tolist() for name, rows in kept.items()}


def alone() -> dict[str, Any]:
    """The largest manoeuvre with half of the friction: wheels slip."""
    loop = SphereLoop(ATLAS)
    spin = burst(hardest_axis(ATLAS), ATLAS.limits.acceleration, ATLAS.limits.velocity, loop.dt)
    found = drive(loop, spin, every=100, friction_scale=0.5)
    return {name: found.rows[name].reshape(len(found.rows[name]), -1).tolist() for name in KEPT}


def tolerance(name: str) -> float:
    """Absolute [SI]; a record holds forces too."""
    return 0.0 if name in EXACT else 1e-4 if name in (*FORCES, "record") else 1e-7


@pytest.mark.parametrize("run", [on_its_stage, alone])
def test_numbers_of_before(run: Any) -> None:
    wanted, got = json.loads(FILE.read_text())[run.__name__], run()
    assert wanted.keys() == got.keys()
    for name in wanted:
        np.testing.assert_allclose(got[name], wanted[name], rtol=0, atol=tolerance(name), err_msg=name)
    assert max(row[0] for row in got["lost"]) == 1.0 if run is on_its_stage else max(got["slips"]) == [1.0]


if __name__ == "__main__":
    FILE.write_text(json.dumps({run.__name__: run() for run in (on_its_stage, alone)}))

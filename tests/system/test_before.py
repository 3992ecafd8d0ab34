"""The numbers of a few runs, kept from before the programs were written over values: the physics is the same.

CasADi merges constants where no call separates expressions any more, so numbers differ by rounding. A stable loop does
not amplify that: the tolerances are a thousand times the differences that were seen.
`uv run python tests/system/test_before.py` writes the file anew.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.load import load_platform
from motionbase.record.generators import COLUMNS, COUNT, PLACE, Shape
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario

FILE = Path(__file__).with_name("before.json")
SECONDS, EVERY = 16.0, 1000  # every half a second
TOLERANCES = {"p_W_next": 1e-9, "Q_WP_next": 1e-9, "f": 1e-3, "cmd": 1e-9, "state": 0.0, "fault": 0.0}
FAULTS = {"simona": FaultKind.SENSOR_FROZEN, "cmf": FaultKind.VALVE_STUCK, "emotion-1500": FaultKind.LEG_SEIZED}


def settings() -> np.ndarray:
    """A sine in heave, a multisine in roll, noise in yaw, a leg of its own, from the first moment of drive."""
    rows = np.zeros((COUNT, len(COLUMNS)))
    for k, (shape, space, axes, amplitude, frequency) in enumerate(
        (
            (Shape.SINE, 1, 0b000100, 0.08, 0.5),
            (Shape.MULTISINE, 1, 0b001000, 0.02, 0.4),
            (Shape.RANDOM, 1, 0b100000, 0.01, 1.0),
            (Shape.TRIANGLE, 0, 0b000001, 0.002, 0.7),
        )
    ):
        row = {
            "enabled": 1,
            "space": space,
            "axes": axes,
            "shape": shape.code,
            "amplitude": amplitude,
            "frequency": frequency,
        }
        row |= {"end_frequency": 2.0, "fade_in": 1.0, "fade_out": 1.0, "tones": 8, "seed": 3}
        rows[k, [PLACE[name] for name in row]] = list(row.values())
    return rows


def numbers(name: str) -> dict[str, Any]:
    """Rise, drive with generators, and a fault near the end."""
    runner = Runner(ClosedLoop.of(load_platform(name)), tuple(TOLERANCES))
    faults = FaultPlan((FaultEvent(FAULTS[name], SECONDS - 2.0, leg=2),))
    run = runner.run(Scenario(faults=faults, settings=settings()), SECONDS, every=EVERY)
    return {key: run[key].reshape(len(run.t), -1).tolist() for key in TOLERANCES}


@pytest.mark.parametrize("name", FAULTS)
def test_numbers_of_before(name: str) -> None:
    wanted, got = json.loads(FILE.read_text())[name], numbers(name)
    for key, tolerance in TOLERANCES.items():
        np.testing.assert_allclose(got[key], wanted[key], rtol=0, atol=tolerance, err_msg=f"{name}, {key}")
    assert max(row[0] for row in got["state"]) >= 5 and got["fault"][-1][0] > 0  # it drove, and the fault was found


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: numbers(name) for name in FAULTS}))

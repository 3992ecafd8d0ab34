"""On lanes every vehicle gets the bits it would get alone."""

from functools import partial

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import scan
from tests.cueing.rig import cueing, loop, rows, ticks
from tests.tier import some_of

LANES, RECORD = 4, ("host_frame", "cue", "cue_error", "stroke_left")


def stepped(push: float, t: Array) -> Array:
    return np.where(t > 1, push, 0.0)


def waved(push: float, t: Array) -> Array:
    return np.asarray(push * np.sin(t))


@pytest.mark.parametrize("kind", some_of(["classical", "adaptive", "optimal"], 1))
def test_lanes_have_the_bits_of_one(kind: str) -> None:
    t, case = ticks(8.0), cueing(algorithm=kind)
    samples = np.zeros((len(t), 13, LANES))
    for k, push in enumerate((0.5, -2.0, 6.0, -20.0)):  # the last two meet the ends
        samples[:, :, k] = rows(t, f_x=partial(stepped, push), f_z=partial(waved, push))
    counts = np.repeat(1.0 + np.arange(len(t))[:, None], LANES, axis=1)
    parameters, start = (np.repeat(v[:, None], LANES, axis=1) for v in (case.parameter_vector(), case.initial_state()))
    lanes = scan(case.program, per_step=("vehicle", "vehicle_count"), record=RECORD, lanes=LANES)(
        len(t), parameters=parameters, x=start, vehicle=samples, vehicle_count=counts
    )
    for k in range(LANES):
        alone = loop(algorithm=kind)(
            len(t), parameters=parameters[:, k], x=start[:, k], vehicle=samples[:, :, k], vehicle_count=counts[:, k]
        )
        for name in (*RECORD, "x"):
            assert np.array_equal(lanes[name][..., k], alone[name])

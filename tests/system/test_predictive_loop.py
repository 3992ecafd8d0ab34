"""Predictive cueing through law and plant: the true legs stay within their limits, also when no plans come any more."""

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.predictive import Driver, Planner
from motionbase.cueing.predictive.plans import lead
from motionbase.cueing.predictive.rows import row_of, where_of
from motionbase.host.format import AT_REST
from motionbase.host.manoeuvres.library import manoeuvre_of
from motionbase.platform.load import load_platform
from motionbase.record.axes import LEGS
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import Mode, State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_loop import CuedLoop

UP_S, HOST_HZ = 9.0, 100.0
CHANNELS = tuple(c.name for c in hexapod_schema().channels)


@pytest.mark.long("the plant, its law and the predictive tick in one loop of 2 kHz")
@pytest.mark.parametrize("stops", [False, True], ids=["plans", "plans stop"])
@pytest.mark.parametrize("text", ["braking", "double_lane_change", "stall"])
def test_true_legs_stay_within_their_limits(text: str, stops: bool) -> None:
    """Manoeuvres that no platform can give in full. The plant adds what its control is off by, millimetres."""
    hexapod = load_platform("simona")
    cueing = Cueing.of(hexapod, algorithm="predictive")
    cued = CuedLoop(ClosedLoop.of(hexapod, CHANNELS), cueing)
    loop = scan(cued.program, cued.feedback, record=["record", "where"])
    planner = Planner(hexapod, cueing.head_P, forecast=Driver())
    samples = manoeuvre_of(text, HOST_HZ).rows[:1200]
    inputs = {**cued.quiet_inputs(), **cued.at_rest(), "mode": np.array(float(Mode.HOST))}
    states = {name: inputs.pop(name) for name in cued.feedback}
    rows: list[Array] = []
    every = lead(cued.dt)
    for k in range(round(UP_S / cueing.dt / every) + len(samples)):
        at = k - round(UP_S * HOST_HZ)
        inputs["vehicle"] = samples[at] if at >= 0 else np.array(AT_REST)
        inputs["vehicle_count"] = np.array(k + 1.0)
        made = loop(every, **inputs, **states)
        states = {name: made[name] for name in states}
        rows.append(made["record"])
        plan = planner.plan(where_of(made["where"][-1], cueing.dt))
        if plan is not None and not (stops and at > 400):
            inputs["plan"] = row_of(plan, made["where"][-1][0])
    record = np.concatenate(rows)
    columns = {name: record[:, j] for j, name in enumerate(cued.record_channels)}
    driven = columns["state"] == State.DRIVE
    assert driven[-1] and driven.mean() > 0.5 and not columns["fault"].any()
    stroke, limits = hexapod.stroke, hexapod.limits
    for leg in LEGS:
        l, rate = columns[f"leg{leg}_l_meas"][driven], columns[f"leg{leg}_l_dot_meas"][driven]
        assert stroke.l_min < l.min() and l.max() < stroke.l_max
        assert np.abs(rate).max() < 1.1 * limits.leg_velocity
    follows = columns["cue_follows"][driven]
    assert (follows == 1).mean() > (0.3 if stops else 0.99) and (follows[-1] == 0) == stops

"""The record of a check of a rig: its steps, what was asked of each leg, and what the legs said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from motionbase.record.axes import DOFS, LEGS
from motionbase.record.hexapod import OF_A_LEG, SINGLE, hexapod_schema
from motionbase.record.rig import LegState, RigFault
from motionbase.record.schema import Channel, Schema

STEPS = (
    "beginning", "connection and readings at rest", "lengths by tape", "switching on", "homing", "slow movement",
    "almost to its end", "demand outside the limits", "demand that jumps", "stop", "silence", "stop by the witness",
    "switching off",
)  # fmt: skip
"""Steps with the backend open, by their codes."""
STATES = (*STEPS, "stopping")
STOPPING = len(STEPS)


@cache
def check_schema() -> Schema:
    """All legs; lengths in the channels that a base has, too."""
    return Schema("rig_check", tuple(_channels()))


def _channels() -> Iterator[Channel]:
    yield Channel("t", "s", "time since the backend was opened", "time")
    yield Channel("tick", "-", "cycles since then", "time")
    for name in ("l_cmd", "l_meas"):
        for leg in LEGS:
            of = OF_A_LEG[name]
            yield replace(of, name=f"leg{leg}_{name}", description=f"leg {leg}: {of.description}", leg=leg)
    base = hexapod_schema()
    yield from (base.channels[base.place(f"pose_meas_{dof}")] for dof in DOFS)
    for leg in LEGS:
        about = f"leg {leg}: length by the second reading, if there is one"
        yield Channel(f"leg{leg}_l_seen", "m", about, "leg_witness", leg=leg)
    for what, words in (("state", LegState), ("fault", RigFault)):
        for leg in LEGS:
            codes = tuple(one.name.lower() for one in words)
            yield Channel(
                f"leg{leg}_{what}", "-", f"leg {leg}: {what} of its actuator", f"leg_{what}", leg=leg, codes=codes
            )
    legs = ("all", *(f"leg {leg}" for leg in LEGS))
    yield Channel("leg", "-", "leg that the step is about", "check", codes=legs)
    yield Channel("go", "-", "whether the legs may follow", "check", codes=("no", "yes"))
    yield replace(SINGLE["state"], description="step of the check", codes=STATES)
    yield replace(SINGLE["estop"], codes=("no", "stop"))
    yield replace(SINGLE["command_ack"], codes=("none",))  # a code is not plotted by itself

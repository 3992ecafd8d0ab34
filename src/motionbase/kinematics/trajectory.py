"""Postures along a trajectory as channels, for data files: lengths, angles, rotations and dexterity of every moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import PlatformError
from motionbase.kinematics.clearance import Thresholds, Verdict
from motionbase.kinematics.effort import condition_numbers, leg_rates
from motionbase.kinematics.geometry import Geometry
from motionbase.kinematics.posture import Postures
from motionbase.kinematics.sweep import Sweep
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS, LEGS, unit_of
from motionbase.record.schema import MOST_WORDS, Channel, Schema

Array: TypeAlias = NDArray[np.float64]
ENDS = ("base", "platform")
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
NONE = "none"  # where no parts are near


def posture_schema() -> Schema:
    """Of a file: time, pose, and what legs and joints do; angles in radians."""
    return Schema("kinematics", tuple(_channels()))


def _channels() -> Iterator[Channel]:
    yield Channel("t", "s", "time", "time")
    for dof in DOFS:
        yield Channel(dof, unit_of(dof), f"{dof} from neutral", "pose", dof=dof)
    for leg in LEGS:
        yield Channel(f"leg{leg}_l", "m", f"length of leg {leg}", "legs", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_l_dot", "m/s", f"rate of leg {leg}, by differences in time", "leg_rates", leg=leg)
    for end in ENDS:
        for leg in LEGS:
            for bearing, which in ((1, "first"), (2, "second")):
                text = f"{which} bearing of leg {leg} at the {end}, from neutral"
                yield Channel(f"leg{leg}_{end}{bearing}", "rad", text, f"{end}_bearings", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_rotation", "rad", f"rod {leg} in its cylinder, from neutral", "rotation", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_elevation", "rad", f"leg {leg} above the horizontal", "actuators", leg=leg)
        yield Channel(f"leg{leg}_azimuth", "rad", f"leg {leg} from forward to the left", "actuators", leg=leg)
    yield Channel("dexterity", "-", "1 where all directions are alike, 0 where singular", "pose")
    yield Channel(
        "condition", "-", "characteristic condition number: leg Jacobian, turns by the joints' rms radius", "pose"
    )


def posture_rows(platform: Hexapod, t: Array, found: Postures) -> Array:
    """(n, channels) in the order of the schema."""
    n = len(found)
    joints = (found.base, found.platform, found.rotation, found.actuator)
    conditions = condition_numbers(platform, found.p_W, found.Q_WP)
    parts = (t, found.dof, found.l, leg_rates(t, found.l), *joints, found.dexterity, conditions)
    return np.hstack([part.reshape(n, -1) for part in parts])


def with_clearance(schema: Schema, geometry: Geometry) -> Schema:
    """The same with the least clearance of every moment; parts are numbers whose names are the channels' codes."""
    parts = NONE, *(part.name for part in geometry.parts)
    if len(parts) > MOST_WORDS:
        raise PlatformError(f"there are {len(parts) - 1} parts, a file can name {MOST_WORDS - 1}; leave some out")
    least = "between the nearest parts; NaN where they interfere, infinite where none are near"
    return Schema(schema.name, (
        *schema.channels,
        Channel("clearance", "m", least, "clearance"),
        Channel("clearance_first", "-", "one of the nearest parts", "clearance", codes=parts),
        Channel("clearance_second", "-", "the other", "clearance", codes=parts),
        Channel("clearance_verdict", "-", "by the thresholds", "clearance", codes=VERDICTS),
    ))  # fmt: skip


def clearance_rows(geometry: Geometry, found: Sweep, limits: Thresholds) -> Array:
    """(n, 4) in the order of the schema."""
    pairs = np.array([*geometry.pairs, (-1, -1)])[found.pairs] + 1
    verdicts = [VERDICTS.index(verdict) for verdict in found.verdicts(limits)]
    return np.column_stack([found.distance, pairs, verdicts]).astype(np.float64)

"""Postures along a trajectory: as channels of data files, and followed record by record as they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final, get_args

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS, LEGS, unit_of
from motionbase.record.schema import MOST_WORDS, Channel, Schema
from motionbase.workbench.clearance import Clearance, Gap, Thresholds, Verdict
from motionbase.workbench.geometry import Geometry
from motionbase.workbench.poses import compiled, kinematics_of
from motionbase.workbench.posture import Postures, at_dof, condition_numbers, postures
from motionbase.workbench.sweep import Sweep

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


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """At one record.

    Attributes:
        t: [s]
        posture: None where the numbers have no pose
        gaps: the nearest pairs of parts, where clearances are looked at
        trouble: why there is no posture; "" where there is one
    """

    t: float
    posture: Postures | None
    gaps: tuple[Gap, ...]
    trouble: str = ""


@final
class Follower:
    """Follows a platform record by record.

    Args:
        clearance: of its parts; None to leave clearances out
        nearest: how many pairs of parts
    """

    def __init__(self, platform: Hexapod, clearance: Clearance | None, nearest: int = 3) -> None:
        self.platform, self.clearance, self.nearest = platform, clearance, nearest
        self._forward = compiled(kinematics_of(platform).forward)
        self._start = np.asarray(platform.p_neutral), np.array(IDENTITY)

    def at_legs(self, t: float, l: Array) -> Seen:
        """Of (6,) leg lengths [m]."""
        if not np.all(np.isfinite(l)):
            return Seen(t, None, (), "a leg's length is not a number")
        for p, Q in (self._start, (np.asarray(self.platform.p_neutral), np.array(IDENTITY))):
            p_W, Q_WP, residual, _, converged = self._forward(l=np.ascontiguousarray(l), p_start=p, Q_start=Q)
            if converged == 1:
                self._start = np.array(p_W), np.array(Q_WP)
                return self._seen(t, postures(self.platform, *self._start))
        return Seen(t, None, (), f"no pose has these leg lengths; they are missed by {float(residual):.2g} m")

    def at_dof(self, t: float, dof: Array) -> Seen:
        """Of (6,) degrees of freedom from neutral [m, rad]."""
        if not np.all(np.isfinite(dof)):
            return Seen(t, None, (), "a degree of freedom is not a number")
        return self._seen(t, at_dof(self.platform, dof))

    def _seen(self, t: float, found: Postures) -> Seen:
        gaps = () if self.clearance is None else self.clearance.at(found.p_W, found.Q_WP, self.nearest)
        return Seen(t, found, gaps)


def leg_rates(t: ArrayLike, l: ArrayLike) -> Array:
    """(n, 6) rates of leg lengths along a trajectory [m/s], by differences of second order in time.

    NaN where time does not go on: at moments that stand twice, or where a recording begins anew.
    """
    when, lengths = np.asarray(t, dtype=np.float64), np.asarray(l, dtype=np.float64)
    if len(when) < 2:
        return np.full(lengths.shape, np.nan)
    steps = np.diff(when)
    good = steps > 0
    found = np.gradient(lengths, np.concatenate([[0.0], np.cumsum(np.where(good, steps, 1.0))]), axis=0)
    found[np.concatenate([[False], ~good]) | np.concatenate([~good, [False]])] = np.nan
    return np.asarray(found)

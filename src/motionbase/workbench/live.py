"""Postures and clearances of a running platform; each pose is searched from the one before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError, UsageError
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_text
from motionbase.ring.reader import Reader
from motionbase.workbench.clearance import Clearance, Gap
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.poses import compiled
from motionbase.workbench.posture import Postures, at_dof, postures
from motionbase.workbench.trajectory import POSES

MOST_BATCHES = 64  # per call; in a damaged ring the head may be any number


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """Result at one record.

    Attributes:
        t: [s]
        posture: None if the record's numbers have no pose
        gaps: the nearest pairs of parts, if clearances are computed
        trouble: why there is no posture; "" if there is one
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
        nearest: number of pairs of parts
    """

    def __init__(self, platform: Hexapod, clearance: Clearance | None, nearest: int = 3) -> None:
        self.platform, self.clearance, self.nearest = platform, clearance, nearest
        self._forward = compiled(kinematics_of(platform).forward)
        self._start = np.asarray(platform.p_neutral), np.array(IDENTITY)

    def at_legs(self, t: float, l: Array) -> Seen:
        """The result at (6,) leg lengths [m]."""
        if not np.all(np.isfinite(l)):
            return Seen(t, None, (), "a leg's length is not a number")
        for p, Q in (self._start, (np.asarray(self.platform.p_neutral), np.array(IDENTITY))):
            p_W, Q_WP, residual, _, converged = self._forward(l=np.ascontiguousarray(l), p_start=p, Q_start=Q)
            if converged == 1:
                self._start = np.array(p_W), np.array(Q_WP)
                return self._seen(t, postures(self.platform, *self._start))
        return Seen(t, None, (), f"no pose has these leg lengths; they are missed by {float(residual):.2g} m")

    def at_dof(self, t: float, dof: Array) -> Seen:
        """The result at (6,) degrees of freedom from neutral [m, rad]."""
        if not np.all(np.isfinite(dof)):
            return Seen(t, None, (), "a degree of freedom is not a number")
        return self._seen(t, at_dof(self.platform, dof))

    def _seen(self, t: float, found: Postures) -> Seen:
        gaps = () if self.clearance is None else self.clearance.at(found.p_W, found.Q_WP, self.nearest)
        return Seen(t, found, gaps)


@final
class RingFollower:
    """Follows the platform of a ring, always at the newest record.

    Args:
        platform: None for that of the ring
        source: channels of the pose, one of `POSES`
        clearances: whether distances of the parts are computed
    """

    def __init__(self, reader: Reader, platform: Hexapod | None, source: str, clearances: bool) -> None:
        if source not in POSES:
            raise UsageError(f"--pose is {source!r}, it must be one of {', '.join(POSES)}")
        self.reader, self.source, self.clearances = reader, source, clearances
        self._named = platform
        self._begin()

    def _begin(self) -> None:
        """Begin with the present ring: another writer may have another platform."""
        self.platform = self._named or platform_of(self.reader)
        self._places, self._restarts = self.reader.schema.places(POSES[self.source]), self.reader.restarts
        parts = Clearance(geometry_of(self.platform)) if self.clearances else None
        self._follower = Follower(self.platform, parts)
        self._follower.at_legs(0.0, self.platform.l_neutral)  # compiles

    def newest(self) -> Seen | None:
        """The result at the newest record; None if there is none."""
        row = None
        for _ in range(MOST_BATCHES):
            batch = self.reader.read()
            if len(batch.rows):
                row = batch.rows[-1].copy()
            if len(batch.rows) == 0 or self.reader.behind == 0:
                break
        if self.reader.restarts != self._restarts:
            self._begin()
        if row is None:
            return None
        look = self._follower.at_legs if self.source == "legs" else self._follower.at_dof
        return look(float(row[0]), row[self._places])


def platform_of(reader: Reader) -> Hexapod:
    """The platform described in a ring."""
    try:
        text = reader.header.layout.platform
    except RingError:
        raise UsageError(
            f"ring {reader.name!r}: {reader.state.value}; start a platform first, with motionbase run"
        ) from None
    if not text:
        raise UsageError(f"ring {reader.name!r} does not describe its platform; name one with --platform")
    return load_text(text, reader.name)

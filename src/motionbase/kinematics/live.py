"""Postures and clearances of records as they come: each pose is looked for from the one before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.kinematics.clearance import Clearance, Gap
from motionbase.kinematics.lanes import compiled, kinematics_of
from motionbase.kinematics.posture import Postures, at_dof, postures
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]


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

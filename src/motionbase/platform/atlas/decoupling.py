"""Host motion split in two: the sphere turns, and the stage moves the host's point to its demanded position.

The stage's platform stays level, and all rotation is about the sphere's centre G. The rotation moves a point D of the
sphere at r from G (a pilot's head), and the stage must compensate for that:

    p_stage = p_host - (R - 1) r
    v_stage = v_host - omega x R r
    a_stage = a_host - alpha x R r - omega x (omega x R r)

with all displacements from neutral, where R = 1. With r = 0 the two are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr, R_quaternion, unit_quaternion

CENTRE = "centre"
P_HOST = Port("p_host", 3, "m", "displacement of the host's point from its place at neutral, in W")
V_HOST = Port("v_host", 3, "m/s", "velocity of the host's point, in W")
A_HOST = Port("a_host", 3, "m/s^2", "acceleration of the host's point, in W")
Q_HOST = Port("Q_host", 4, "-", "orientation which the host wants, in W; its length does not matter")
Q_WS = Port("Q_WS", 4, "-", "orientation of the sphere, unit quaternion")
OMEGA_W = Port("omega_W", 3, "rad/s", "angular velocity of the sphere, in W")
ALPHA_W = Port("alpha_W", 3, "rad/s^2", "angular acceleration of the sphere, in W")
P_STAGE = Port("p_stage", 3, "m", "displacement of the stage from neutral, in W: surge, sway, heave")
V_STAGE = Port("v_stage", 3, "m/s", "velocity of the stage, in W")
A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the stage, in W")


@final
@dataclass(frozen=True)
class Decoupling:
    """Kernels between host and axes, with the platform's data folded in as constants.

    Attributes:
        atlas: the platform
        point: the point of the sphere that the host moves, by name, or "centre"
    """

    atlas: Atlas
    point: str = "head"

    def __post_init__(self) -> None:
        if self.point != CENTRE and self.point not in self.atlas.points:
            known = ", ".join((CENTRE, *self.atlas.points))
            raise PlatformError(f"platform {self.atlas.name!r} has no point {self.point!r}; points: {known}")

    @property
    def _r(self) -> ca.DM:
        """The point in S [m]."""
        return ca.DM(np.zeros(3) if self.point == CENTRE else np.asarray(self.atlas.points[self.point]))

    @cached_property
    def decoupled(self) -> Kernel:
        """Host pose, velocity, acceleration -> orientation, stage translation with rates, wheel speeds with rates."""
        J, n = ca.DM(self.atlas.J_omega), len(self.atlas.wheels)

        def expr(p_host: Expr, Q_host: Expr, v_host: Expr, omega_W: Expr, a_host: Expr, alpha_W: Expr) -> Any:
            Q = unit_quaternion(Q_host)
            moved, v, a = self.carried(Q, omega_W, alpha_W)
            return Q, p_host - moved, v_host - v, a_host - a, J @ omega_W, J @ alpha_W

        wheels = Port("omega", n, "rad/s", "speeds of the wheels"), Port("omega_dot", n, "rad/s^2", "their rates")
        inputs = (P_HOST, Q_HOST, V_HOST, OMEGA_W, A_HOST, ALPHA_W)
        return Kernel("atlas_decoupled", inputs, (Q_WS, P_STAGE, V_STAGE, A_STAGE, *wheels), expr)

    @cached_property
    def composed(self) -> Kernel:
        """The inverse: orientation and stage translation with rates -> motion of the host's point."""

        def expr(p_stage: Expr, Q: Expr, v_stage: Expr, omega_W: Expr, a_stage: Expr, alpha_W: Expr) -> Any:
            moved, v, a = self.carried(Q, omega_W, alpha_W)
            return p_stage + moved, v_stage + v, a_stage + a

        inputs = (P_STAGE, Q_WS, V_STAGE, OMEGA_W, A_STAGE, ALPHA_W)
        return Kernel("atlas_composed", inputs, (P_HOST, V_HOST, A_HOST), expr)

    def carried(self, Q: Expr, omega_W: Expr, alpha_W: Expr) -> tuple[Expr, Expr, Expr]:
        """Motion of the point due to rotation about G: displacement, velocity, acceleration, in W."""
        r_W = R_quaternion(Q) @ self._r
        v = ca.cross(omega_W, r_W)
        return r_W - self._r, v, ca.cross(alpha_W, r_W) + ca.cross(omega_W, v)

"""At a node of the horizon: motion of the legs and what the head feels, with their derivatives by the demand.

The lengths of the legs depend on time only through the degrees of freedom q, so that a change of the demand changes
them by dl = J dq, dl' = J dq' + J' dq, dl'' = J dq'' + 2 J' dq' + J'' dq, with J = dl/dq along the demand.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, compile, for_each
from motionbase.compile.struct import MIXED
from motionbase.cueing.head import felt_at, moving
from motionbase.multibody.body import Vector
from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.rotations import R_euler_zyx

SX = ca.SX
MOTION = tuple(Port(name, 6, MIXED, f"degrees of freedom: {name}") for name in ("position", "velocity", "acceleration"))
LEGS = Port("legs", (6, 3), MIXED, "length, rate, acceleration")
CHANGES = Port("changes", (6, 18), MIXED, "a row for each leg: J, J', J''")
CUE = Port("cue", 6, MIXED, "specific force and angular rate at the head, in P")
BY_MOTION = Port("cue_by_motion", (6, 18), MIXED, "derivatives of the cue by position, velocity, acceleration")


def along(expression: SX, q: SX, v: SX, a: SX) -> SX:
    """Time derivative of an expression of q and v = q'."""
    return ca.jtimes(expression, q, v) + ca.jtimes(expression, v, a)


def node_of(platform: Hexapod, head: Vector) -> Program:
    """Motion of the degrees of freedom -> legs, cue, and their derivatives."""
    neutral = ca.DM(np.asarray(platform.p_neutral))
    leg = _leg_kernel(neutral)
    cue = _cue_kernel(head)

    def expr(q: SX, v: SX, a: SX) -> Any:
        legs, changes = for_each(lambda joint, base: leg(joint, base, q, v, a), platform.joints, platform.base)
        return legs, changes, *cue(q, v, a)

    return Program("cueing_node", MOTION, (LEGS, CHANGES, CUE, BY_MOTION), expr)


def _leg_kernel(neutral: ca.DM) -> Kernel:
    def expr(joint: SX, base: SX, q: SX, v: SX, a: SX) -> Any:
        d = neutral + q[:3] + R_euler_zyx(q[3:]) @ joint - base
        l = ca.sqrt(ca.sumsqr(d))
        l_dot = ca.jtimes(l, q, v)
        l_ddot = along(l_dot, q, v, a)
        gradients = [ca.gradient(x, q) for x in (l, l_dot, l_ddot)]
        return ca.vertcat(l, l_dot, l_ddot), ca.vertcat(*gradients)

    places = (Port("joint", 3, "m", "in P"), Port("base", 3, "m", "in B"))
    return Kernel("cueing_leg", (*places, *MOTION), (Port("leg", 3, MIXED), Port("change", 18, MIXED)), expr)


def _cue_kernel(head: Vector) -> Kernel:
    def expr(q: SX, v: SX, a: SX) -> Any:
        cue = felt_at(moving(ca.horzcat(q, v, a)), SX(ca.DM(head)))
        return cue, ca.horzcat(*(ca.jacobian(cue, x) for x in (q, v, a)))

    return Kernel("cueing_cue", MOTION, (CUE, BY_MOTION), expr)


@final
class Nodes:
    """The kernel at all nodes of a horizon, into arrays that are made once.

    Attributes:
        position, velocity, acceleration: (n, 6) to be filled before a call
        legs: (n, 6, 3); changes: (n, 6, 3, 6), leg, derivative in time, degree of freedom
        cue: (n, 6); by_motion: (n, 6, 3, 6), channel, derivative in time, degree of freedom
    """

    def __init__(self, platform: Hexapod, head: Vector, n: int) -> None:
        compiled = _compiled(platform, head)
        self.position, self.velocity, self.acceleration = (np.zeros((n, 6)) for _ in range(3))
        self.legs, changes = np.zeros((n, 6, 3)), np.zeros((n, 6, 18))
        self.cue, by_motion = np.zeros((n, 6)), np.zeros((n, 6, 18))
        self.changes: Array = changes.reshape(n, 6, 3, 6)
        self.by_motion: Array = by_motion.reshape(n, 6, 3, 6)
        self._run = compiled.bind_map(
            position=self.position, velocity=self.velocity, acceleration=self.acceleration, legs=self.legs,
            changes=changes, cue=self.cue, cue_by_motion=by_motion,
        )  # fmt: skip

    def __call__(self) -> None:
        """From the motion at the nodes to everything else."""
        self._run()


@lru_cache(maxsize=4)
def _compiled(platform: Hexapod, head: Vector) -> Any:
    return compile(node_of(platform, head))

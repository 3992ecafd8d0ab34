"""Paths from rest to rest: joints together, or the tip along a straight line while it rotates about one axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.errors import SimulationError
from motionbase.multibody.manipulator.poses import checked_pose, conjugate, rotation_vector
from motionbase.multibody.manipulator.timing import Timing
from motionbase.spatial import R_quaternion, quaternion_product, quaternion_rotation_vector
from motionbase.spatial.rotations import Expr

TIME = Port("t", (), "s", "since the start of the path")


class JointSamples(NamedTuple):
    """Rows of coordinates, speeds and accelerations."""

    q: Array
    v: Array
    a: Array


@final
@dataclass(frozen=True, eq=False)
class JointPath:
    """Joints move in proportion, all starting and ending together.

    Attributes:
        start, end: (n,) coordinates [rad, m]
    """

    start: ArrayLike
    end: ArrayLike
    timing: Timing

    def __post_init__(self) -> None:
        for what in ("start", "end"):
            object.__setattr__(self, what, np.atleast_1d(np.array(getattr(self, what), dtype=np.float64)))
        a, b = np.asarray(self.start), np.asarray(self.end)
        if a.shape != b.shape or a.ndim != 1 or not np.all(np.isfinite(a + b)):
            raise SimulationError(
                f"joint path: start is {a.tolist()} and end {b.tolist()}; as many finite numbers are wanted in both"
            )

    @cached_property
    def kernel(self) -> Kernel:
        """(start, end, t) -> q_ref, v_ref, a_ref."""
        n = np.asarray(self.start).size

        def expr(start: Expr, end: Expr, t: Expr) -> Any:
            s, s_dot, s_ddot = self.timing.at(t)
            way = end - start
            return start + way * s, way * s_dot, way * s_ddot

        inputs = Port("start", n, "-"), Port("end", n, "-"), TIME
        return Kernel("joint_path", inputs, (Port("q_ref", n), Port("v_ref", n), Port("a_ref", n)), expr)

    def sampled(self, t: ArrayLike) -> JointSamples:
        """One row for each time [s]."""
        times = np.array(t, dtype=np.float64)
        ends = (np.tile(np.asarray(x), (times.size, 1)) for x in (self.start, self.end))
        rows = compile(self.kernel).map(start=next(ends), end=next(ends), t=times)
        return JointSamples(rows["q_ref"], rows["v_ref"], rows["a_ref"])


@final
@dataclass(frozen=True, eq=False)
class LinePath:
    """The tip moves along a straight line and rotates about one axis, the shorter way, both with the same timing.

    Attributes:
        p_start, p_end: positions in the base's frame [m]
        Q_start, Q_end: orientations in the base's frame, unit quaternions wxyz
    """

    p_start: ArrayLike
    Q_start: ArrayLike
    p_end: ArrayLike
    Q_end: ArrayLike
    timing: Timing

    def __post_init__(self) -> None:
        for end in ("start", "end"):
            pose = checked_pose(f"line path, {end}", getattr(self, f"p_{end}"), getattr(self, f"Q_{end}"))
            object.__setattr__(self, f"p_{end}", pose[0])
            object.__setattr__(self, f"Q_{end}", pose[1])

    @property
    def ends(self) -> dict[str, Array]:
        """The kernel's ports except the time, by name."""
        return {name: np.asarray(getattr(self, name)) for name in ("p_start", "Q_start", "p_end", "Q_end")}

    @property
    def length(self) -> float:
        """Length of the line [m]."""
        return float(np.linalg.norm(np.asarray(self.p_end) - np.asarray(self.p_start)))

    @property
    def angle(self) -> float:
        """Angle of the rotation [rad]."""
        dot = abs(float(np.asarray(self.Q_start) @ np.asarray(self.Q_end)))
        return float(2 * np.arccos(min(1.0, dot)))

    @cached_property
    def kernel(self) -> Kernel:
        """(p_start, Q_start, p_end, Q_end, t) -> p_ref, Q_ref, twist_ref (6), a_ref (6), in the base's axes."""

        def expr(p_start: Expr, Q_start: Expr, p_end: Expr, Q_end: Expr, t: Expr) -> Any:
            s, s_dot, s_ddot = self.timing.at(t)
            theta = rotation_vector(quaternion_product(conjugate(Q_start), Q_end))  # in the tip's frame at the start
            Q = quaternion_product(Q_start, quaternion_rotation_vector(theta * s))
            way = ca.vertcat(R_quaternion(Q_start) @ theta, p_end - p_start)
            return p_start + (p_end - p_start) * s, Q, way * s_dot, way * s_ddot

        inputs = Port("p_start", 3, "m"), Port("Q_start", 4), Port("p_end", 3, "m"), Port("Q_end", 4), TIME
        outputs = Port("p_ref", 3, "m"), Port("Q_ref", 4), Port("twist_ref", 6), Port("a_ref", 6)
        return Kernel("line_path", inputs, outputs, expr)

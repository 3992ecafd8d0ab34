"""Joints of a model as constraints between markers, and their coordinates as functions of the markers.

A marker's z axis is the axis of a revolute, prismatic, cylindrical or planar joint; a universal joint turns about A's x
and B's y axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.closures.conditions import normals
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Axes, Free, Spherical, Turn
from motionbase.multibody.network.constraints import KINDS, Constraint, Frame, Marker, offset
from motionbase.multibody.network.sites import Sites
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class NetworkJoint:
    """A joint between two nodes.

    Attributes:
        type: "revolute", "prismatic", ..., "spherical", "free", or "axes" for another list of turns and slides
        nodes: parent's (None for the ground) and child's
        a, b: markers on parent and child
        axes: (2, 3) of a planar joint's slides, in A's axes; none for others
    """

    joint: Joint
    type: str
    nodes: tuple[int | None, int]
    a: Marker
    b: Marker
    extra: tuple[float, ...] = ()
    axes: Array | None = None

    def constraint(self) -> Constraint | None:
        """Its rows; none for a body that flies, or whose coordinates are unknowns of the joint's own part."""
        if self.type in ("free", "axes"):
            return None
        kind = KINDS["point" if self.type == "spherical" else "weld" if self.type == "fixed" else self.type]
        return Constraint(self.joint.name, kind, self.nodes, self.a, self.b, self.extra)

    def coordinates(self, A: Frame, B: Frame, before: Expr) -> Expr:
        """(nq,) coordinates; angles are those nearest to `before`."""
        if self.type == "fixed":
            return ca.SX(0, 1)
        if self.type == "revolute":
            return turn(A, B, before[0])
        if self.type == "prismatic":
            return offset(B, A)[2]
        if self.type == "cylindrical":
            return ca.vertcat(turn(A, B, before[0]), offset(B, A)[2])
        if self.type == "universal":
            first = _angle(ca.dot(A.R[:, 1], B.R[:, 1]), ca.dot(A.R[:, 2], B.R[:, 1]), before[0])
            second = _angle(ca.dot(B.R[:, 0], A.R[:, 0]), ca.dot(B.R[:, 2], A.R[:, 0]), before[1])
            return ca.vertcat(first, second)
        if self.type == "planar":
            assert self.axes is not None
            dual = np.linalg.pinv(self.axes.T)  # slides need not be at right angles
            return ca.vertcat(ca.DM(dual) @ offset(B, A), turn(A, B, before[2]))
        Q = quaternion_of(A.R.T @ B.R)
        return Q if self.type == "spherical" else ca.vertcat(offset(B, A), Q)


def turn(A: Frame, B: Frame, before: Expr) -> Expr:
    """Angle about z from A to B."""
    return _angle(ca.dot(A.R[:, 0], B.R[:, 0]), ca.dot(A.R[:, 1], B.R[:, 0]), before)


def _angle(c: Expr, s: Expr, before: Expr) -> Expr:
    """The angle with this cosine and sine that is nearest to `before`: no jump after half a turn."""
    near_c, near_s = ca.cos(before), ca.sin(before)
    return before + ca.atan2(s * near_c - c * near_s, c * near_c + s * near_s)


def network_joints(sites: Sites) -> tuple[NetworkJoint, ...]:
    """Every joint of a model."""
    return tuple(_joint(sites, joint) for joint in sites.model.joints)


def _joint(sites: Sites, joint: Joint) -> NetworkJoint:
    kind, C_a, C_b, extra, axes = _alignment(joint)
    R_pj = np.asarray(joint.orientation)
    parent, child = sites.at(joint.parent, joint.position), sites.at(joint.child)
    assert child.node is not None
    a, b = Marker(parent.r, R_pj @ C_a), Marker(child.r, C_b)
    return NetworkJoint(joint, kind, (parent.node, child.node), a, b, extra, axes)


def _alignment(joint: Joint) -> tuple[str, Array, Array, tuple[float, ...], Array | None]:
    """The joint's type, markers' axes on both sides, further numbers, and a planar joint's slides."""
    motion = joint.motion
    if isinstance(motion, Spherical | Free):
        return ("spherical" if isinstance(motion, Spherical) else "free"), np.eye(3), np.eye(3), (), None
    assert isinstance(motion, Axes)
    steps = motion.steps
    shape = "".join("T" if isinstance(step, Turn) else "S" for step in steps)
    axes = [np.asarray(step.axis) for step in steps]
    if not steps:
        return "fixed", np.eye(3), np.eye(3), (), None
    if shape in ("T", "S") or (shape in ("TS", "ST") and np.allclose(axes[0], axes[1])):
        C = along_z(axes[0])
        return {"T": "revolute", "S": "prismatic"}.get(shape, "cylindrical"), C, C, (), None
    if shape == "TT":
        first, second = axes
        across = np.cross(first, second)
        across /= np.linalg.norm(across)
        C_a = np.column_stack([first, np.cross(across, first), across])
        C_b = np.column_stack([np.cross(second, across), second, across])
        return "universal", C_a, C_b, (float(first @ second),), None
    if shape == "SST" and abs(axes[2] @ axes[0]) < 1e-9 and abs(axes[2] @ axes[1]) < 1e-9:
        C = along_z(axes[2])
        return "planar", C, C, (), np.array([axes[0] @ C, axes[1] @ C])
    return "axes", np.eye(3), np.eye(3), (), None


def along_z(axis: Array) -> Array:
    """(3, 3) axes whose third is this one; along the frame's own axes where it is one of them."""
    x, y = (np.array(n).ravel() for n in normals((float(axis[0]), float(axis[1]), float(axis[2]))))
    return np.column_stack([x, y, axis])

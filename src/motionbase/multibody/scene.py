"""A model to look at: shapes of its bodies derived from joints, masses and beams, as JSON for viewers.

{"kind": "model", "name": ..., "bodies": [BODY ...], "joints": [JOINT ...], "ground": {"shapes": [SHAPE ...]},
 "limits": {COORDINATE: [lower, upper] or null at an open end}, "rods": [ROD ...]}

BODY   {"name", "channel", "shapes": [SHAPE ...]}; its pose is in the channels CHANNEL_x _y _z _qw _qx _qy _qz
JOINT  {"name", "type", "parent", "child", "p", "q", "axis", "channel", "unit"}, one for each coordinate; p and q are
       those of the joint's frame in the parent; axis is in that frame; null where a joint has no such coordinate
SHAPE  {"type", "size", "p", "q", "color", "role"} in the body's frame, in the world's for the ground:
       box [x, y, z] whole lengths; sphere [radius]; cylinder and capsule [radius below, radius above, length] along
       their own z, centred, the length of a capsule without its caps; mesh with "vertices" and "faces" instead
ROD    {"bodies": [a, b], "points": [p_a, p_b], "radius"}: between points of two bodies, or of one and "ground"
role   link, joint, inertia (the box of equal mass and inertia) or frame
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.body import Body
from motionbase.multibody.closures import DistanceClosure
from motionbase.multibody.elements import Beam, JointLimit
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Axes, Free, Turn
from motionbase.multibody.looks import Looks, blade_piece, disk_size
from motionbase.multibody.lookup import joint_coordinate
from motionbase.multibody.model import Model
from motionbase.multibody.names import Quantity, coordinates
from motionbase.record.model import model_names
from motionbase.spatial.equals import runs, settled

Shape = dict[str, Any]
PLAIN = Looks()
LINKS, JOINTS, BEAMS, BLADES = ("#d9822b", "#c9742a"), "#3b4754", "#4c78a8", "#5f86ad"
THICKEST, THINNEST = 0.05, 0.008  # radii over the model's size
SLENDER = 0.22  # radius of a link over its length, at most
TAPER = 0.85  # of each link against the one that carries it
SMALLEST = 1e-9  # [m] below it two points are one


def scene_of(model: Model, looks: Looks = PLAIN, reserved: Sequence[str] = ()) -> dict[str, Any]:
    """The scene of a model, as the dictionary above.

    Args:
        reserved: channels of the record that are not of joints or bodies
    """
    look = _Look.of(model, looks)
    names = model_names([axis.name for axis in axes_of(model)], [body.name for body in model.bodies], reserved)
    bodies = [
        {"name": body.name, "channel": names.bodies[body.name], "shapes": list(look.shapes(k))}
        for k, body in enumerate(model.bodies)
    ]
    return {
        "kind": "model",
        "name": model.name,
        "bodies": bodies,
        "joints": [joint for k in range(len(model.joints)) for joint in _joints(model, k, names.joints)],
        "ground": {"shapes": list(look.ground())},
        "limits": _limits(model),
        "rods": list(look.rods()),
    }


def axes_of(model: Model) -> tuple[Quantity, ...]:
    """Coordinates that turn or slide about one axis each, in order: those a record has channels for."""
    known = coordinates(model)
    pairs = zip(model.joints, model.q_slices, strict=True)
    return tuple(known[k] for j, (at, _) in pairs if not j.motion.has_quaternion for k in range(at.start, at.stop))


def place_of(model: Model, joint: Joint) -> Array:
    """(3,) where a joint is in its parent's frame [m]."""
    point = joint.position
    return np.array(model.body(joint.parent).points[point] if isinstance(point, str) else point, dtype=np.float64)


@final
@dataclass(frozen=True, eq=False)
class _Look:
    """Sizes that shapes are made from.

    Attributes:
        size: longest way along the joints from the ground to a centre of mass or a joint [m]
        depth: joints between each body and the ground
        bent: bodies that are nodes of beams
    """

    model: Model
    looks: Looks
    size: float
    depth: tuple[int, ...]
    bent: frozenset[str]

    @classmethod
    def of(cls, model: Model, looks: Looks) -> _Look:
        reach: list[float] = []
        depth: list[int] = []
        for joint, parent in zip(model.joints, model.parents, strict=True):
            step = float(np.linalg.norm(place_of(model, joint)))
            reach.append((reach[parent] if parent >= 0 else 0.0) + step)
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
        tips = [r + float(np.linalg.norm(b.com)) for r, b in zip(reach, model.bodies, strict=True)]
        bent = {body for beam in model.elements if isinstance(beam, Beam) for body in beam.bodies}
        return cls(model, looks, max([*tips, 0.1]), tuple(depth), frozenset(bent))

    def radius(self, k: int, length: float) -> float:
        """Of a link of this length: thinner the further out."""
        thick = self.size * THICKEST * TAPER ** self.depth[k]
        return max(min(thick, SLENDER * length), self.size * THINNEST)

    # ---- bodies ----------------------------------------------------------------------------------------------------

    def shapes(self, k: int) -> Iterator[Shape]:
        """Those of a body: its joint, links to what it carries, halves of beams, the box of equal inertia."""
        body = self.model.bodies[k]
        beams = list(self._beam_halves(body.name))
        if (radius := self.looks.disks.get(body.name)) is not None:
            yield _shape("cylinder", disk_size(radius), np.zeros(3), np.eye(3), None, "joint")
        else:
            yield from self._joint(k)
        if beams:
            yield from beams
        elif body.name in self.looks.blades:
            for (x_a, a), (x_b, b) in pairwise(self.looks.blades[body.name]):
                yield _blade(blade_piece(np.zeros(3), np.eye(3), (x_a, x_b), (a, b)))
        else:
            for end in self._ends(k):
                radius = self.radius(k, float(np.linalg.norm(end)))
                yield from _rod("capsule", np.zeros(3), end, (radius, TAPER * radius), LINKS[k % 2])
        yield from _inertia_box(body)

    def _ends(self, k: int) -> list[Array]:
        """Joints of the bodies it carries; of the last one, as far beyond its centre of mass as its joint is before."""
        model = self.model
        carried = [
            place_of(model, joint)
            for joint, parent in zip(model.joints, model.parents, strict=True)
            if parent == k and not (isinstance(joint.motion, Free) and joint.child in self.bent)
        ]
        ends = [end for end in carried if np.linalg.norm(end) > SMALLEST]
        return ends or [2 * np.array(model.bodies[k].com)]

    def _joint(self, k: int) -> Iterator[Shape]:
        """A cylinder about the axis it turns about, a box along the one it slides along."""
        joint = self.model.joints[k]
        if not isinstance(joint.motion, Axes) or not joint.motion.steps:
            return
        lengths = [float(np.linalg.norm(end)) for end in self._ends(k)]
        is_blade = self.model.bodies[k].name in self.looks.blades
        radius = 1.25 * (self.size * THINNEST if is_blade else self.radius(k, max(lengths)))
        for step in joint.motion.steps:
            turn = _z_to(np.array(step.axis))
            if isinstance(step, Turn):
                yield _shape("cylinder", (radius, radius, 2.2 * radius), np.zeros(3), turn, JOINTS, "joint")
            else:
                yield _shape("box", (1.6 * radius, 1.6 * radius, 3 * radius), np.zeros(3), turn, JOINTS, "joint")

    def _beam_halves(self, body: str) -> Iterator[Shape]:
        """Half of every beam on either side, in the frame of the body and as long as it is without load."""
        for beam in self.model.elements:
            if not isinstance(beam, Beam) or body not in beam.bodies:
                continue
            n, count = beam.bodies.index(body), len(beam.bodies)
            length = float(np.sum(beam.reference(self.model).lengths)) / (count - 1)
            point, R = beam.points[n], np.array(beam.axes[n]) if beam.axes else np.eye(3)
            at = np.array(self.model.body(body).points[point] if isinstance(point, str) else point)
            if beam.name in self.looks.beams:
                yield from self._bent_blade(beam, at, R, (n, count), length)
                continue
            radius = max(0.03 * length, self.size * THINNEST)
            for sign in (1.0,) if n == 0 else (-1.0,) if n == count - 1 else (-1.0, 1.0):
                yield from _rod("cylinder", at, at + sign * 0.5 * length * R[:, 0], (radius, radius), BEAMS)

    def _bent_blade(self, beam: Beam, at: Array, R: Array, place: tuple[int, int], length: float) -> Iterator[Shape]:
        """Half of a length on either side of a node, by chord and twist there."""
        n, count = place
        (chord_a, twist_a), (chord_b, twist_b) = self.looks.beams[beam.name]
        steps = [s for s in (max(n - 0.5, 0.0), float(n), min(n + 0.5, count - 1.0)) if 0 <= s <= count - 1]
        for a, b in pairwise(sorted(set(steps))):
            shares = [s / (count - 1) for s in (a, b)]
            ends = [((1 - s) * chord_a + s * chord_b, (1 - s) * twist_a + s * twist_b) for s in shares]
            yield _blade(blade_piece(at, R, ((a - n) * length, (b - n) * length), (ends[0], ends[1])))

    def rods(self) -> Iterator[dict[str, Any]]:
        """Of closures that hold two points at a distance, and others that are told."""
        held = [c for c in self.model.closures if isinstance(c, DistanceClosure)]
        of_closures = [((c.body_a, c.point_a), (c.body_b, c.point_b)) for c in held]
        for ends in (*of_closures, *self.looks.rods):
            points = [self._point(body, point).tolist() for body, point in ends]
            yield {"bodies": [body for body, _ in ends], "points": points, "radius": 0.5 * THINNEST * self.size}

    def _point(self, body: str, point: Any) -> Array:
        return np.array(self.model.body(body).points[point] if isinstance(point, str) else point, dtype=np.float64)

    def ground(self) -> Iterator[Shape]:
        """A foot under every joint that stands on the ground."""
        radius = 2.0 * self.size * THICKEST
        for joint, parent in zip(self.model.joints, self.model.parents, strict=True):
            if parent < 0 and isinstance(joint.motion, Axes):
                p = place_of(self.model, joint) - np.array([0.0, 0.0, 0.25 * radius])
                yield _shape("cylinder", (radius, 0.8 * radius, 0.5 * radius), p, np.eye(3), JOINTS, "frame")


def _blade(mesh: Shape) -> Shape:
    return {**_shape("mesh", (), np.zeros(3), np.eye(3), BLADES, "link"), **mesh}


def _rod(kind: str, a: Array, b: Array, radii: Sequence[float], color: str) -> Iterator[Shape]:
    """From a to b."""
    length = float(np.linalg.norm(b - a))
    if length > SMALLEST:
        yield _shape(kind, (*radii, length), 0.5 * (a + b), _z_to((b - a) / length), color, "link")


def _inertia_box(body: Body) -> Iterator[Shape]:
    """The box with the body's mass and moments of inertia, about its centre of mass."""
    if not body.mass or body.modes is not None:
        return
    moments, R = np.linalg.eigh(np.array(body.inertia))
    R = np.asarray(R @ settled(R, runs(moments)), dtype=np.float64)
    R = R * np.array([1.0, 1.0, np.sign(np.linalg.det(R))])
    squares = 6.0 / body.mass * (np.sum(moments) - 2.0 * moments)  # side_x^2 = 6 (I_y + I_z - I_x) / m
    sides = np.sqrt(np.maximum(squares, 0.0))
    if sides.max() > SMALLEST:
        yield _shape("box", tuple(sides), np.array(body.com), R, None, "inertia")


def _shape(kind: str, size: Sequence[float], p: Array, R: Array, color: str | None, role: str) -> Shape:
    numbers = {"size": size, "p": p, "q": _quaternion(R)}
    return {
        "type": kind, **{key: [round(float(x), 9) for x in value] for key, value in numbers.items()},
        "color": color, "role": role,
    }  # fmt: skip


def _z_to(axis: Array) -> Array:
    """(3, 3) a rotation that takes z to a unit vector."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _quaternion(R: Array) -> list[float]:
    """wxyz of a rotation matrix."""
    return [float(x) for x in np.array(ca.evalf(quaternion_of(ca.DM(R)))).ravel()]


# ---- joints --------------------------------------------------------------------------------------------------------


def _joints(model: Model, k: int, stems: dict[str, str]) -> Iterator[dict[str, Any]]:
    joint, known = model.joints[k], coordinates(model)
    common = {
        "parent": joint.parent, "child": joint.child, "p": place_of(model, joint).tolist(),
        "q": [round(float(x), 12) for x in _quaternion(np.array(joint.orientation))],
    }  # fmt: skip
    if not isinstance(joint.motion, Axes) or not joint.motion.steps:
        kind = type(joint.motion).__name__.lower() if not isinstance(joint.motion, Axes) else "fixed"
        yield {"name": joint.name, "type": kind, **common, "axis": None, "channel": None, "unit": None}
        return
    for at, step in zip(range(model.q_slices[k][0].start, model.q_slices[k][0].stop), joint.motion.steps, strict=True):
        kind = "revolute" if isinstance(step, Turn) else "prismatic"
        name, unit = known[at]
        yield {"name": name, "type": kind, **common, "axis": list(step.axis), "channel": stems[name], "unit": unit}


def _limits(model: Model) -> dict[str, list[float | None]]:
    """Ends of travel, where the model has stops."""
    known = coordinates(model)
    found: dict[str, list[float | None]] = {}
    for element in model.elements:
        if isinstance(element, JointLimit):
            at, _ = joint_coordinate(element.name, model, element.joint, element.axis)
            found[known[at].name] = [x if math.isfinite(x) else None for x in (element.lower, element.upper)]
    return found

"""The model: bodies, joints, elements and closures by name, checked once, sorted with parents first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND as GROUND
from motionbase.multibody.body import Body, Vector, checked_vector, shown
from motionbase.multibody.closures import AbstractClosure
from motionbase.multibody.driven import Drives, checked_drives
from motionbase.multibody.elements import AbstractElement
from motionbase.multibody.joint import Joint
from motionbase.multibody.lookup import listed as _names


@final
@dataclass(frozen=True)
class Model:
    """A tree of bodies on the ground, with forces and loops.

    Attributes:
        bodies: all bodies except the ground
        joints: one for every body, which is its child; the ground is called "ground"
        gravity: (3,) in world axes [m/s^2]; zeros for none
        elements: springs, friction, motors and other forces
        closures: connections of bodies in addition to the joints, which close loops
        drives: functions of time by name of the input that they give: of an element or closure, or tau; one for each
            number of the input
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    gravity: Vector = (0.0, 0.0, -9.81)
    elements: tuple[AbstractElement, ...] = ()
    closures: tuple[AbstractClosure, ...] = ()
    drives: Drives = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", checked_vector(f"model {self.name!r}", "gravity", self.gravity))
        self._check_names()
        carrier = self._check_carriers()
        object.__setattr__(self, "joints", self._sorted(carrier))
        by_name = {b.name: b for b in self.bodies}
        object.__setattr__(self, "bodies", tuple(by_name[j.child] for j in self.joints))
        self._check_mass()
        for part in self.parts:
            part.check(self)
        object.__setattr__(self, "drives", checked_drives(self, self.drives))

    # ---- checks ----------------------------------------------------------------------------------------------------

    def _check_names(self) -> None:
        for what, kind in (
            ("bodies", Body),
            ("joints", Joint),
            ("elements", AbstractElement),
            ("closures", AbstractClosure),
        ):
            parts = getattr(self, what)
            if not isinstance(parts, tuple | list):
                raise ModelError(f"model {self.name!r}: {what} are {shown(parts)}, a tuple is wanted")
            for part in parts:
                if not isinstance(part, kind):
                    raise ModelError(f"model {self.name!r}: {what} has {shown(part)}, which is none")
            object.__setattr__(self, what, tuple(parts))
        kinds_of_names = {
            "bodies": [b.name for b in self.bodies],
            "joints": [j.name for j in self.joints],
            "elements or closures": [part.name for part in self.parts],
        }
        for what, names in kinds_of_names.items():
            if twice := [name for name, count in Counter(names).items() if count > 1]:
                raise ModelError(f"model {self.name!r}: two {what} are named {twice[0]!r}")
        if GROUND in (b.name for b in self.bodies):
            raise ModelError(f"model {self.name!r}: no body may be named {GROUND!r}; it is always there")

    def _check_carriers(self) -> dict[str, Joint]:
        """The joint that carries each body."""
        bodies = {b.name: b for b in self.bodies}
        carrier: dict[str, Joint] = {}
        for joint in self.joints:
            if joint.parent not in bodies and joint.parent != GROUND:
                raise ModelError(f"joint {joint.name!r}: parent {joint.parent!r} not found; bodies: {_names(bodies)}")
            if joint.child not in bodies:
                raise ModelError(f"joint {joint.name!r}: child {joint.child!r} not found; bodies: {_names(bodies)}")
            if joint.child in carrier:
                raise ModelError(
                    f"body {joint.child!r} is carried by two joints, {carrier[joint.child].name!r} and {joint.name!r}; "
                    "a tree allows one: make the other a closure"
                )
            if isinstance(joint.position, str):
                points = bodies[joint.parent].points if joint.parent != GROUND else {}
                if joint.parent == GROUND:
                    raise ModelError(
                        f"joint {joint.name!r}: the ground has no point {joint.position!r}; give coordinates [m]"
                    )
                if joint.position not in points:
                    raise ModelError(
                        f"joint {joint.name!r}: body {joint.parent!r} has no point {joint.position!r}; "
                        f"points: {_names(points)}"
                    )
            carrier[joint.child] = joint
        for name in bodies:
            if name not in carrier:
                raise ModelError(f"body {name!r} is carried by no joint; use a free joint for a body that flies")
        return carrier

    def _sorted(self, carrier: dict[str, Joint]) -> tuple[Joint, ...]:
        """Parents before children, otherwise in the given order; a cycle is reported by name."""
        placed: dict[str, Joint] = {}
        for joint in self.joints:
            path: dict[str, Joint] = {}  # from this body inwards, up to the first sorted one
            while joint.child not in placed:
                if joint.child in path:
                    names = [*path]
                    loop = [*names[names.index(joint.child) :], joint.child]
                    raise ModelError(f"model {self.name!r}: bodies carry each other in a circle: {' -> '.join(loop)}")
                path[joint.child] = joint
                if joint.parent == GROUND:
                    break
                joint = carrier[joint.parent]
            placed.update(reversed(path.items()))
        return tuple(placed.values())

    def _check_mass(self) -> None:
        """Every moving joint must carry mass; otherwise its acceleration would not be defined."""
        carried = {b.name: b.mass for b in self.bodies}
        for joint in reversed(self.joints):
            if joint.parent != GROUND:
                carried[joint.parent] += carried[joint.child]
            if joint.motion.nv and carried[joint.child] == 0.0:
                raise ModelError(f"body {joint.child!r}: joint {joint.name!r} moves it, but it carries no mass")

    @property
    def parts(self) -> tuple[AbstractElement | AbstractClosure, ...]:
        """Elements, then closures."""
        return (*self.elements, *self.closures)

    # ---- layout ----------------------------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of each body."""
        return {b.name: k for k, b in enumerate(self.bodies)}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Position of each body's parent; -1 for the ground."""
        return tuple(-1 if j.parent == GROUND else self.index[j.parent] for j in self.joints)

    @cached_property
    def q_slices(self) -> tuple[tuple[slice, slice], ...]:
        """Slices of q for each body's joint coordinates and modal amplitudes."""
        return _slices([(j.motion.nq, b.n_modes) for j, b in zip(self.joints, self.bodies, strict=True)])

    @cached_property
    def v_slices(self) -> tuple[tuple[slice, slice], ...]:
        """Slices of v for each body's joint speeds and modal rates."""
        return _slices([(j.motion.nv, b.n_modes) for j, b in zip(self.joints, self.bodies, strict=True)])

    @property
    def nq(self) -> int:
        """Number of coordinates, modal amplitudes included."""
        return self.q_slices[-1][1].stop if self.joints else 0

    @property
    def nv(self) -> int:
        """Number of speeds, modal rates included."""
        return self.v_slices[-1][1].stop if self.joints else 0

    @cached_property
    def depth(self) -> int:
        """Number of speeds along the longest path from the ground to a body."""
        depths: list[int] = []
        for joint, body, parent in zip(self.joints, self.bodies, self.parents, strict=True):
            depths.append((depths[parent] if parent >= 0 else 0) + joint.motion.nv + body.n_modes)
        return max(depths, default=0)

    @property
    def neutral(self) -> Array:
        """Coordinates at which every child frame is its joint frame and nothing is deformed."""
        pairs = zip(self.joints, self.bodies, strict=True)
        return np.array([x for j, b in pairs for x in (*j.motion.neutral, *[0.0] * b.n_modes)])

    def body(self, name: str) -> Body:
        """The body of this name."""
        if name not in self.index:
            raise ModelError(f"model {self.name!r}: no body {name!r}; bodies: {_names(self.index)}")
        return self.bodies[self.index[name]]


def _slices(sizes: list[tuple[int, int]]) -> tuple[tuple[slice, slice], ...]:
    found, at = [], 0
    for joint, modes in sizes:
        found.append((slice(at, at + joint), slice(at + joint, at + joint + modes)))
        at += joint + modes
    return tuple(found)

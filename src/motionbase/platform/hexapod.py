"""A hexapod: geometry, stroke, masses, limits and actuators of a platform on six legs, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.errors import PlatformError, told_apart
from motionbase.multibody.body import Vector, numbers_of, shown
from motionbase.platform.gimbals import Gimbals, check_axes
from motionbase.platform.mesh import MeshFile
from motionbase.platform.own_shape import OwnShape
from motionbase.platform.parts import LegPart, MotionLimits, Payload, Stroke, checked_number, checked_point
from motionbase.platform.sensors import Sensors

Points = tuple[Vector, ...]
Actuator = HydraulicActuator | ElectricActuator
LEGS = 6
KINDS: dict[str, Any] = {
    "stroke": Stroke, "payload": Payload, "cylinder": LegPart, "rod": LegPart, "limits": MotionLimits,
    "actuator": Actuator, "points": Mapping, "sensors": Sensors, "gimbals": Gimbals, "shape": OwnShape,
}  # fmt: skip
CENTROID_TOLERANCE = 1e-3  # [m]; drawings give joints to the millimetre


@final
@dataclass(frozen=True)
class Hexapod:
    """A platform P on six legs over a base B; the world W is B.

    Axes are x forward, y left, z up. Legs are numbered counter-clockwise from above, starting at the front left. P has
    its origin at the centroid of its joints, and its axes are those of W at neutral.

    Attributes:
        name: letters, digits, dashes and underscores
        summary: one line for users
        sources: references of the published numbers
        illustrative: dotted keys of unpublished numbers
        base: (6, 3) base joints in B [m]
        joints: (6, 3) platform joints in P [m]
        stroke: range of the leg lengths
        p_neutral: (3,) position of P in W at neutral [m]
        l_down: leg length with the platform down [m]
        payload: the load on the legs
        cylinder, rod: masses of each leg
        limits: the largest motion that may be commanded
        actuator: actuator of each leg
        points: further points in P by name, such as the design eye point [m]
        sensors: measurements for the control law, and their accuracy
        meshes: meshes of the parts, for displays and clearances
        gimbals: the legs' universal joints
        shape: known dimensions of the parts
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    base: Points
    joints: Points
    stroke: Stroke
    p_neutral: Vector
    l_down: float
    payload: Payload
    cylinder: LegPart
    rod: LegPart
    limits: MotionLimits
    actuator: Actuator
    points: Mapping[str, Vector] = field(default_factory=dict, hash=False)
    sensors: Sensors = field(default_factory=Sensors)
    meshes: tuple[MeshFile, ...] = ()
    gimbals: Gimbals = field(default_factory=Gimbals)
    shape: OwnShape = field(default_factory=OwnShape)

    def __post_init__(self) -> None:
        owner = f"platform {shown(self.name)}"
        self._check_kinds(owner)
        for name in ("base", "joints"):
            object.__setattr__(self, name, _six_points(owner, name, getattr(self, name)))
        object.__setattr__(self, "p_neutral", checked_point(owner, "p_neutral", self.p_neutral))
        object.__setattr__(self, "l_down", checked_number(owner, "l_down", self.l_down, "m"))
        points = {name: checked_point(owner, f"point {name!r}", p) for name, p in self.points.items()}
        object.__setattr__(self, "points", points)
        self._check_centroid(owner)
        self._check_order(owner)
        self._check_lengths(owner)
        check_axes(self.gimbals, np.asarray(self.p_neutral) + np.asarray(self.joints) - np.asarray(self.base))

    def _check_kinds(self, owner: str) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", self.name):
            raise PlatformError(f"{owner}: a name is letters, digits, dashes and underscores, and starts with a letter")
        for key in ("sources", "illustrative"):
            texts = getattr(self, key)
            if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
                raise PlatformError(f"{owner}: {key} are {shown(texts)}, a tuple of texts is wanted")
        if not isinstance(self.meshes, tuple) or not all(isinstance(mesh, MeshFile) for mesh in self.meshes):
            raise PlatformError(f"{owner}: meshes are {shown(self.meshes)}, a tuple of MeshFile is wanted")
        for key, kind in KINDS.items():
            if not isinstance(value := getattr(self, key), kind):
                names = getattr(kind, "__name__", str(kind).replace("motionbase.actuators.", ""))
                raise PlatformError(f"{owner}: {key} is {shown(value)}, {names} is wanted")

    def _check_centroid(self, owner: str) -> None:
        centre = np.mean(self.joints, axis=0)
        if np.abs(centre).max() > CENTROID_TOLERANCE:
            raise PlatformError(
                f"{owner}: the centroid of the platform joints is at ({', '.join(f'{x:.4f}' for x in centre)}) m in P, "
                f"it must be the origin to {CENTROID_TOLERANCE * 1e3:g} mm; shift joints, com and points by it"
            )

    def _check_order(self, owner: str) -> None:
        """Check that, seen from above, the legs are numbered counter-clockwise from the front left."""
        middle = np.asarray(self.base) + np.asarray(self.joints) + np.asarray(self.p_neutral)
        turn = np.degrees(np.arctan2(middle[:, 1], middle[:, 0])) % 360.0
        if not np.all(np.diff(turn) > 0):
            raise PlatformError(
                f"{owner}: legs stand at {', '.join(f'{t:.0f}' for t in turn)} degrees from the front, they must be "
                "numbered counter-clockwise from above, starting at the front left; is the y axis to the left?"
            )

    def _check_lengths(self, owner: str) -> None:
        stroke, l = self.stroke, self.l_neutral
        for k in range(LEGS):
            if not stroke.l_min < l[k] < stroke.l_max:
                long, least, most = told_apart(l[k], stroke.l_min, stroke.l_max)
                raise PlatformError(
                    f"{owner}: p_neutral makes leg {k + 1} {long} m long, it must be inside its stroke, above {least} "
                    f"and below {most} m"
                )
        if not stroke.hard_min <= self.l_down < float(l.min()):
            down, least, shortest = told_apart(self.l_down, stroke.hard_min, float(l.min()))
            raise PlatformError(
                f"{owner}: l_down is {down} m, it must be at least hard_min {least} m and below the legs at neutral, "
                f"{shortest} m"
            )
        for part, com in (("cylinder", self.cylinder.com), ("rod", self.rod.com)):
            if com >= stroke.hard_min:
                place, end = told_apart(com, stroke.hard_min)
                raise PlatformError(
                    f"{owner}: the {part}'s centre of mass is {place} m from its joint, it must be nearer than the "
                    f"other end of the retracted leg, {end} m"
                )

    @property
    def l_neutral(self) -> Array:
        """(6,) leg lengths at neutral [m]."""
        legs = np.asarray(self.p_neutral) + np.asarray(self.joints) - np.asarray(self.base)
        return np.asarray(np.linalg.norm(legs, axis=1))

    @property
    def electric(self) -> bool:
        """Whether the legs are electric; hydraulic otherwise."""
        return isinstance(self.actuator, ElectricActuator)

    @property
    def joint_radius(self) -> float:
        """Rms distance of the platform joints from P's origin [m]: the characteristic length that scales rotations."""
        return float(np.sqrt(np.mean(np.sum(np.asarray(self.joints) ** 2, axis=1))))

    @property
    def twist_scale(self) -> Array:
        """(6,) scale factors of a leg Jacobian's columns, rotations first, by `joint_radius` [1/m, -]."""
        return np.array([1 / self.joint_radius] * 3 + [1.0] * 3)

    @property
    def moving_mass(self) -> float:
        """Payload and rods [kg]; without the cylinders, which only swing."""
        return self.payload.mass + LEGS * self.rod.mass


def _six_points(owner: str, what: str, value: object) -> Points:
    array = numbers_of(value)
    if array is None or array.shape != (LEGS, 3) or not np.all(np.isfinite(array)):
        raise PlatformError(f"{owner}: {what} are {shown(value)}, six places of three finite numbers are wanted")
    return tuple((float(x), float(y), float(z)) for x, y, z in array)

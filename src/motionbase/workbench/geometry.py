"""The parts of a hexapod, the frames that carry them, and which pairs of them can come near each other.

Mesh files of the platform ([[meshes]]) replace the parametric parts that they show: a base replaces frame and forks, a
cylinder replaces tube, manifold and pipes. At neutral the x axis of a cylinder's or rod's file points away from the
centre.

Base, platform, and each leg's crosses, cylinder and rod have frames. A cross has x along the first bearing and y along
the second. A cylinder has y along the second bearing at the base, z along the leg and its origin in the base joint; a
rod likewise at the platform, with its origin in the platform joint. Cylinder and rod differ by the rod's rotation about
the leg. At neutral all four frames of a leg have the same axes, unless the platform's gimbals specify others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.platform.gimbals import first_bearings
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at, rows_cross, rows_dot
from motionbase.platform.shape import Shape, outward_angles, shape_of
from motionbase.spatial.rotations import Expr, R_quaternion
from motionbase.workbench.distance import overlap
from motionbase.workbench.mesh import joined
from motionbase.workbench.mesh_files import MeshWarning, open_warning, read_mesh
from motionbase.workbench.parts import Part, parametric_parts
from motionbase.workbench.poses import check_lengths, checked_poses, on_lanes

SHOWS = {  # parts that a file of the platform replaces
    "base": ("base frame", "base fork"),
    "platform": ("platform frame", "platform fork"),
    "cylinder": ("cylinder", "manifold", "motor", "pipes"),
    "rod": ("rod",),
}
DIMENSIONS = {  # of [shape], from which the parts are made
    "base frame": ("floor", "base_beam"),
    "base fork": ("base_fork",),
    "base cross": ("base_fork",),
    "cylinder": ("cylinder_radius", "tube_length"),
    "rod": ("rod_radius", "rod_length"),
    "platform cross": ("platform_fork",),
    "platform fork": ("platform_fork",),
    "platform frame": ("frame_low", "deck", "plate"),
    "manifold": ("block", "block_from", "cylinder_radius"),
    "motor": ("block", "block_from", "cylinder_radius"),
    "pipes": ("pipe_radius", "cylinder_radius", "tube_length"),
    "catwalk": ("deck",),
    "floor": ("floor",),
}
END = {"cylinder": "base", "rod": "platform"}
ON_CYLINDER = SHOWS["cylinder"]
FIRST, SECOND = "the first bearing joins them", "the second bearing joins them"
SLIDES, SHARES = "the rod slides in the cylinder", "the joint between them is inside the fork"
ONE_BODY, NEIGHBOURS = "they are one body", "neighbouring legs share a fork"
JOINTS = {
    **{frozenset(("base cross", kind)): FIRST for kind in ("base fork", "base frame", "base")},
    **{frozenset(("platform cross", kind)): FIRST for kind in ("platform fork", "platform frame", "platform")},
    frozenset(("base cross", "cylinder")): SECOND,
    frozenset(("platform cross", "rod")): SECOND,
    **{frozenset(("rod", kind)): SLIDES for kind in ON_CYLINDER},
    **{frozenset(("cylinder", kind)): SHARES for kind in ("base fork", "base")},
    **{frozenset(("rod", kind)): SHARES for kind in ("platform fork", "platform")},
}
IN_FORK = {"base fork": ("base cross", "cylinder"), "platform fork": ("platform cross", "rod")}
OF_LEGS = ("base cross", "cylinder", "rod", "platform cross")
FRAMES = ("W", "P", *(f"{kind} {leg}" for kind in OF_LEGS for leg in range(1, LEGS + 1)))
FRAME = {name: k for k, name in enumerate(FRAMES)}
LEAST = 1e-12  # sine between leg and first bearing; if they are aligned, the second bearing has no direction
OUTPUTS = (
    Port("R_WP", (3, 3), "-", "P in W"),
    Port("ends", (6, 3), "m", "platform joints in W"),
    *(Port(f"{kind.replace(' ', '_')}_axes", (6, 9), "-", "x, y and z in W, one after another") for kind in OF_LEGS),
)


@final
@dataclass(frozen=True)
class LeftOut:
    """A pair of parts whose clearance is not computed, and why."""

    first: str
    second: str
    reason: str


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """Parts of one platform.

    Attributes:
        parts: each with its mesh in its frame
        warnings: of meshes that cannot be used for everything
    """

    platform: Hexapod
    parts: tuple[Part, ...]
    warnings: tuple[MeshWarning, ...] = ()

    def placed(self, p_W: ArrayLike, Q_WP: ArrayLike) -> Placement:
        """Frames at (n, 3) positions and (n, 4) attitudes."""
        return placement(self.platform, p_W, Q_WP)

    def part(self, name: str) -> Part:
        """A part by its name."""
        for part in self.parts:
            if part.name == name:
                return part
        raise PlatformError(f"platform {self.platform.name!r} has no part {name!r}; parts: {_listed(self.parts)}")

    def is_derived(self, name: str) -> bool:
        """Whether a part has derived dimensions, given neither by a mesh file nor by [shape]."""
        kind, given = self.part(name).kind, self.platform.shape.given
        if kind in {mesh.part for mesh in self.platform.meshes}:
            return False
        return any(key not in given for key in DIMENSIONS.get(kind, ()))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Indices into `parts` of all pairs that are not left out."""
        out = {(one.first, one.second) for one in self.left_out}
        numbers = combinations(range(len(self.parts)), 2)
        return tuple((i, j) for i, j in numbers if (self.parts[i].name, self.parts[j].name) not in out)

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Pairs connected by a joint, and pairs of one body."""
        shared = self._shared_forks()
        reasons = ((a, b, _reason(a, b, shared)) for a, b in combinations(self.parts, 2))
        return tuple(LeftOut(a.name, b.name, reason) for a, b, reason in reasons if reason)

    def _shared_forks(self) -> frozenset[tuple[str, int, int]]:
        """Kind and legs of overlapping forks, in both orders."""
        shared = set()
        for kind in IN_FORK:
            for a, b in combinations([part for part in self.parts if part.kind == kind], 2):
                if overlap(a.mesh, b.mesh):
                    shared |= {(kind, a.leg, b.leg), (kind, b.leg, a.leg)}
        return frozenset(shared)


def _reason(a: Part, b: Part, shared: frozenset[tuple[str, int, int]]) -> str:
    """Why a pair is left out; "" if it is not."""
    if a.frame == b.frame:
        return ONE_BODY
    if (reason := JOINTS.get(frozenset((a.kind, b.kind)))) and (a.leg == b.leg or 0 in (a.leg, b.leg)):
        return reason
    for fork, other in ((a, b), (b, a)):
        if other.kind in IN_FORK.get(fork.kind, ()) and (fork.kind, fork.leg, other.leg) in shared:
            return NEIGHBOURS
    return ""


def geometry_of(platform: Hexapod, shape: Shape | None = None, added: Iterable[Part] = ()) -> Geometry:
    """The parts of a platform: parametric ones, those replaced by files, and further ones.

    Args:
        added: further parts; one with the name of a part replaces it
    """
    own = parametric_parts(platform, shape or shape_of(platform))
    shown = {kind for mesh in platform.meshes for kind in SHOWS[mesh.part]}
    parts = {part.name: part for part in own if part.kind not in shown}
    from_files = [part for what in SHOWS for part in _of_files(platform, what)]
    for part in (*from_files, *added):
        if part.frame not in FRAME:
            raise PlatformError(f"part {part.name!r}: no frame {part.frame!r}; frames: {', '.join(FRAMES)}")
        parts[part.name] = part
    warnings = (open_warning(part.name, part.mesh) for part in parts.values())
    return Geometry(platform, tuple(parts.values()), tuple(one for one in warnings if one))


def file_part(file: str | Path, name: str, frame: str, *, scale: float = 1.0, kind: str = "", leg: int = 0) -> Part:
    """A part from an STL or GLB file in its frame, to be added.

    Args:
        scale: from the file's units to metres
        kind, leg: "pipes" and 3 for a part joined to others like the pipes of leg 3; by default joined to none
    """
    return Part(name, kind or name, frame, read_mesh(file, scale), leg)


def _of_files(platform: Hexapod, what: str) -> list[Part]:
    """The meshes of the files of one part."""
    meshes = [read_mesh(mesh.file, mesh.scale) for mesh in platform.meshes if mesh.part == what]
    if not meshes:
        return []
    whole = joined(meshes)
    if what in ("base", "platform"):
        return [Part(what, what, "W" if what == "base" else "P", whole)]
    return [
        Part(f"{what} {k + 1}", what, f"{what} {k + 1}", whole.turned(angle), k + 1)
        for k, angle in zip(range(LEGS), outward_angles(platform, END[what]), strict=True)
    ]


def _listed(parts: tuple[Part, ...]) -> str:
    return ", ".join(part.name for part in parts)


@final
@dataclass(frozen=True, eq=False)
class Placement:
    """All frames at n poses, in the order of `FRAMES`.

    Attributes:
        R: (n, 26, 3, 3) axes in W, as columns
        p: (n, 26, 3) origins in W [m]
    """

    R: Array
    p: Array

    def __len__(self) -> int:
        return len(self.p)

    def T(self, frame: str) -> Array:
        """(n, 4, 4) transforms of one frame to W."""
        k = FRAME[frame]
        T = np.tile(np.eye(4), (len(self), 1, 1))
        T[:, :3, :3], T[:, :3, 3] = self.R[:, k], self.p[:, k]
        return T


def placement(platform: Hexapod, p_W: ArrayLike, Q_WP: ArrayLike) -> Placement:
    """Frames at (n, 3) positions [m] and (n, 4) attitudes."""
    position, attitude = checked_poses(p_W, Q_WP)
    found = on_lanes(frames_kernel(platform), p_W=position, Q_WP=attitude)
    n = len(position)
    R, p = np.empty((n, len(FRAMES), 3, 3)), np.empty((n, len(FRAMES), 3))
    R[:, 0], p[:, 0] = np.eye(3), 0.0
    R[:, 1], p[:, 1] = found["R_WP"], position
    for k, kind in enumerate(OF_LEGS):
        mine = slice(2 + k * LEGS, 2 + (k + 1) * LEGS)
        axes = found[f"{kind.replace(' ', '_')}_axes"].reshape(n, LEGS, 3, 3)
        R[:, mine] = np.swapaxes(axes, 2, 3)
        p[:, mine] = np.asarray(platform.base) if k < 2 else found["ends"]
    check_lengths(platform, np.linalg.norm(found["ends"] - np.asarray(platform.base), axis=2))
    return Placement(R, p)


@lru_cache(maxsize=16)
def frames_kernel(platform: Hexapod) -> Kernel:
    """(p_W, Q_WP) -> attitude, platform joints, axes of the legs' frames."""
    base, top = (ca.DM(first_bearings(platform, end)) for end in ("base", "platform"))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        legs, R = legs_at(platform, p_W, Q_WP), R_quaternion(Q_WP)
        ends = ca.DM(np.asarray(platform.base)) + legs.u * ca.repmat(legs.l, 1, 3)
        at_base, at_platform = _axes(base, legs.u), _axes(top @ R.T, legs.u)
        return R, ends, at_base[0], at_base[1], at_platform[1], at_platform[0]

    return Kernel("hexapod_frames", POSE, OUTPUTS, expr)


def _axes(x: Expr, u: Expr) -> tuple[Expr, Expr]:
    """(6, 9) axes of the crosses with first bearing x, and of the parts that they carry along u."""
    across = rows_cross(u, x)
    y = across * ca.repmat(1 / ca.fmax(ca.sqrt(rows_dot(across, across)), LEAST), 1, 3)
    return ca.horzcat(x, y, rows_cross(x, y)), ca.horzcat(rows_cross(y, u), y, u)

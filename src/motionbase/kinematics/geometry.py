"""The parts of a hexapod with their meshes, and which pairs of them can come near each other.

Files of the platform ([[meshes]]) stand in for the parametric parts that they show: a base for frame and forks, a
cylinder for tube, manifold and pipes. The x axis of a cylinder's or rod's file looks away from the middle at neutral.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import final

from numpy.typing import ArrayLike

from motionbase.errors import PlatformError
from motionbase.kinematics.frames import FRAME, FRAMES, Placement, placement
from motionbase.kinematics.mesh import joined
from motionbase.kinematics.mesh_files import MeshWarning, open_warning, read_mesh
from motionbase.kinematics.parts_mesh import Part, parametric_parts
from motionbase.kinematics.solid_models import overlap
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.shape import Shape, outward_angles, shape_of

SHOWS = {  # what a file of the platform stands in for
    "base": ("base frame", "base fork"),
    "platform": ("platform frame", "platform fork"),
    "cylinder": ("cylinder", "manifold", "motor", "pipes"),
    "rod": ("rod",),
}
DIMENSIONS = {  # of [shape], which the parts are drawn with
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


@final
@dataclass(frozen=True)
class LeftOut:
    """A pair of parts between which no clearance is looked at, and why."""

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
        """Where the frames are at (n, 3) positions and (n, 4) attitudes."""
        return placement(self.platform, p_W, Q_WP)

    def part(self, name: str) -> Part:
        """By its name."""
        for part in self.parts:
            if part.name == name:
                return part
        raise PlatformError(f"platform {self.platform.name!r} has no part {name!r}; parts: {_listed(self.parts)}")

    def is_derived(self, name: str) -> bool:
        """Whether a part is drawn with dimensions that nobody gave: neither a file of its own nor [shape]."""
        kind, given = self.part(name).kind, self.platform.shape.given
        if kind in {mesh.part for mesh in self.platform.meshes}:
            return False
        return any(key not in given for key in DIMENSIONS.get(kind, ()))

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Places in `parts` of all pairs that are not left out."""
        out = {(one.first, one.second) for one in self.left_out}
        numbers = combinations(range(len(self.parts)), 2)
        return tuple((i, j) for i, j in numbers if (self.parts[i].name, self.parts[j].name) not in out)

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Pairs that a joint connects, and those of one body."""
        shared = self._shared_forks()
        reasons = ((a, b, _reason(a, b, shared)) for a, b in combinations(self.parts, 2))
        return tuple(LeftOut(a.name, b.name, reason) for a, b, reason in reasons if reason)

    def _shared_forks(self) -> frozenset[tuple[str, int, int]]:
        """Kind and legs of forks that reach into each other, both ways round."""
        shared = set()
        for kind in IN_FORK:
            for a, b in combinations([part for part in self.parts if part.kind == kind], 2):
                if overlap(a.mesh, b.mesh):
                    shared |= {(kind, a.leg, b.leg), (kind, b.leg, a.leg)}
        return frozenset(shared)


def _reason(a: Part, b: Part, shared: frozenset[tuple[str, int, int]]) -> str:
    """Why a pair is left out; "" where it is not."""
    if a.frame == b.frame:
        return ONE_BODY
    if (reason := JOINTS.get(frozenset((a.kind, b.kind)))) and (a.leg == b.leg or 0 in (a.leg, b.leg)):
        return reason
    for fork, other in ((a, b), (b, a)):
        if other.kind in IN_FORK.get(fork.kind, ()) and (fork.kind, fork.leg, other.leg) in shared:
            return NEIGHBOURS
    return ""


def geometry_of(platform: Hexapod, shape: Shape | None = None, added: Iterable[Part] = ()) -> Geometry:
    """Parametric parts, the platform's own files in their place, and further parts.

    Args:
        added: one that has the name of a part takes its place
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
    """A part of an STL or GLB file in its frame, to be added.

    Args:
        scale: of the file's numbers to metres
        kind, leg: "pipes" and 3 for what is joined to others as the pipes of leg 3 are; without, it is joined to none
    """
    return Part(name, kind or name, frame, read_mesh(file, scale), leg)


def _of_files(platform: Hexapod, what: str) -> list[Part]:
    """The files of one part of the platform, as one mesh."""
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

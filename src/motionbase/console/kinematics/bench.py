"""The workbench of one platform: prepared in the background, then used by any thread."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.console.api.sentences import WrongState
from motionbase.console.polite import give_way
from motionbase.errors import MotionBaseError, PlatformError

if TYPE_CHECKING:  # coal and trimesh are imported in the background, which takes seconds
    from motionbase.platform.hexapod import Hexapod
    from motionbase.platform.mesh import MeshFile
    from motionbase.workbench.clearance import Clearance, Gap
    from motionbase.workbench.posture import Postures
    from motionbase.workbench.requirements import Requirement
    from motionbase.workbench.sweep import Worst

Gaps: TypeAlias = "tuple[Gap, ...]"
NEAREST = 6  # pairs listed
PREPARED_S = 10.0  # time that a request waits
FURTHEST = 100.0  # [m, rad] from neutral
IDENTITY = (1.0, 0.0, 0.0, 0.0)


@final
@dataclass(frozen=True, eq=False)
class Swept:
    """The extremes that have a pose, with the nearest gaps of each; poses of `worst` are indices into `numbers`."""

    numbers: tuple[int, ...]
    postures: Postures
    gaps: tuple[Gaps, ...]
    requirements: tuple[Requirement, ...]
    worst: tuple[Worst, ...]


@final
class Bench:
    """Postures and clearances of one platform.

    Args:
        platform: without files that may not be read
        left_out: a sentence about such files, "" if there are none
        carries_sphere: rotations of a record's pose are those of a sphere, and the platform under it stays level
    """

    def __init__(self, platform: Hexapod, left_out: str = "", carries_sphere: bool = False) -> None:
        self.platform = platform
        self._moved = np.repeat([1.0, 0.0 if carries_sphere else 1.0], 3)
        self.trouble = ""  # why there are no kinematics
        self.clearance_text = left_out  # why clearances are missing or incomplete
        self._ready, self._sweeping = threading.Event(), threading.Lock()
        self._clearance: Clearance | None = None
        self._swept: Swept | None = None
        threading.Thread(target=self._prepare, name=f"kinematics of {platform.name}", daemon=True).start()

    # ---- preparation ----

    @property
    def is_ready(self) -> bool:
        """Whether preparation has ended, with or without success."""
        return self._ready.is_set()

    def wait(self, seconds: float = PREPARED_S) -> None:
        """Wait until it is ready; an error if that takes longer, or if it failed."""
        if not self._ready.wait(seconds):
            raise WrongState(f"the kinematics of {self.platform.name!r} are being prepared; ask again in a moment")
        if self.trouble:
            raise PlatformError(self.trouble)

    def _prepare(self) -> None:
        """Import libraries, compile kernels, make models of the parts."""
        give_way()
        try:
            from motionbase.workbench.posture import at_dof

            at_dof(self.platform, np.zeros(6))
        except Exception as error:  # any error: pages must not wait forever
            self.trouble = f"no kinematics: {_sentence(error)}"
        else:
            self._prepare_clearance()
        self._ready.set()

    def _prepare_clearance(self) -> None:
        try:
            from motionbase.workbench.clearance import Clearance
            from motionbase.workbench.geometry import geometry_of

            made = Clearance(geometry_of(self.platform))
            made.at(self.platform.p_neutral, IDENTITY, 1)  # fills the caches
            self._clearance = made
            warnings = [one.sentence for one in made.geometry.warnings]
            self.clearance_text = "; ".join([*([self.clearance_text] if self.clearance_text else []), *warnings])
        except Exception as error:  # users' meshes can fail in any way
            self.clearance_text = f"no clearances: {_sentence(error)}"

    # ---- poses ----

    def at_dof(self, dof: ArrayLike, nearest: int = NEAREST) -> tuple[Postures, Gaps]:
        """Posture and nearest gaps at six degrees of freedom from neutral [m, rad]."""
        from motionbase.workbench.posture import at_dof

        moved = np.asarray(dof) * self._moved
        if not np.all(np.abs(moved) <= FURTHEST):
            raise PlatformError(f"the pose is more than {FURTHEST:g} m or rad from neutral")
        return self._with_gaps(at_dof(self.platform, moved), nearest)

    def at_legs(self, l: ArrayLike) -> tuple[Postures, Gaps]:
        """Posture and nearest gaps at leg lengths [m]."""
        from motionbase.workbench.posture import at_legs

        return self._with_gaps(at_legs(self.platform, l), NEAREST)

    def _with_gaps(self, found: Postures, nearest: int) -> tuple[Postures, Gaps]:
        if self._clearance is None:
            return found, ()
        try:
            return found, self._clearance.at(found.p_W, found.Q_WP, nearest)
        except RuntimeError as error:  # raised by coal
            raise PlatformError(f"no clearances at this pose: {error}".splitlines()[0]) from None

    def extremes(self) -> Swept:
        """At the 64 extremes of the operational stroke; computed once."""
        with self._sweeping:
            if self._swept is None:
                self._swept = self._sweep()
            return self._swept

    def _sweep(self) -> Swept:
        from motionbase.platform.envelope import extremes
        from motionbase.workbench.posture import postures
        from motionbase.workbench.requirements import requirements_of, swept_extremes

        if self._clearance is None:
            bare = extremes(self.platform)
            numbers = np.flatnonzero(bare.converged)
            if not len(numbers):
                raise PlatformError(f"platform {self.platform.name!r}: no pose was found at any of the 64 extremes")
            at = postures(self.platform, bare.p_W[numbers], bare.Q_WP[numbers])
            none: tuple[Gaps, ...] = ((),) * len(numbers)
            return Swept(tuple(numbers.tolist()), at, none, requirements_of(at, numbers), ())
        found = swept_extremes(self.platform, self._clearance)
        at = found.postures
        gaps = tuple(self._clearance.at(p, Q, NEAREST) for p, Q in zip(at.p_W, at.Q_WP, strict=True))
        return Swept(tuple(found.numbers.tolist()), at, gaps, found.requirements, found.clearances.worst)


def without_files(platform: Hexapod, refused: dict[MeshFile, str]) -> tuple[Hexapod, str]:
    """A platform without the refused files, given with reasons; and a sentence about them."""
    if not refused:
        return platform, ""
    kept = tuple(mesh for mesh in platform.meshes if mesh not in refused)
    parts = ", ".join(sorted({mesh.part for mesh in refused}))
    why = next(iter(refused.values()))
    return replace(platform, meshes=kept), f"the platform's own mesh of {parts} is left out: {why}"


def _sentence(error: Exception) -> str:
    if isinstance(error, MotionBaseError):
        return str(error)
    logging.getLogger(__name__).error("kinematics: %s: %s", type(error).__name__, error)
    return f"it failed with {type(error).__name__}"

"""Increments followed in all forms, and how far each is from the exact one; steps from a turn or a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.errors import PlatformError
from motionbase.kinematics.incremental import FORMS, MEANING, Form, follow
from motionbase.kinematics.poses import checked_rows
from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]
RIGHT: tuple[Form, ...] = ("scaled, in front", "exact")  # the forms to use
MOST_STEPS = 1_000_000


@final
@dataclass(frozen=True, eq=False)
class Errors:
    """Of one form after each of n steps, against the exact one.

    Attributes:
        attitude: (n,) angle [rad]
        stretch: (n,) how much longer the matrix makes a vector, less one
        l_pose: (n,) largest error of a leg's length at the pose so far (equation 12) [m]
        l_jacobian: (n,) the same by adding increments (equation 14) [m]
    """

    form: Form
    attitude: Array
    stretch: Array
    l_pose: Array
    l_jacobian: Array

    def summary(self) -> dict[str, Any]:
        """After the last step."""
        return {
            "form": self.form, "meaning": MEANING[self.form], "right": self.form in RIGHT,
            "attitude_rad": float(self.attitude[-1]), "stretch": float(self.stretch[-1]),
            "legs_at_pose_m": float(self.l_pose[-1]), "legs_by_increments_m": float(self.l_jacobian[-1]),
        }  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class Comparison:
    """All forms over the same steps.

    Attributes:
        l: (6,) leg lengths after the last step, exactly [m]
    """

    steps: int
    l: Array
    forms: tuple[Errors, ...]

    def facts(self) -> dict[str, Any]:
        """For scripts."""
        return {"steps": self.steps, "l_m": self.l.tolist(), "forms": [one.summary() for one in self.forms]}


def compare(platform: Hexapod, ds: ArrayLike, dtheta: ArrayLike) -> Comparison:
    """(n, 3) displacements [m] and (n, 3) rotation vectors [rad], both in W, from neutral on."""
    steps = checked_rows("ds", ds, 3), checked_rows("dtheta", dtheta, 3)
    if len(steps[0]) > MOST_STEPS:
        raise PlatformError(f"there are {len(steps[0])} steps, at most {MOST_STEPS} are wanted; take longer ones")
    exact = follow(platform, *steps, "exact")
    forms = []
    for form in FORMS:
        found = exact if form == "exact" else follow(platform, *steps, form)
        away = (np.abs(lengths - exact.l_pose).max(axis=1) for lengths in (found.l_pose, found.l_jacobian))
        forms.append(Errors(form, found.angle_to(exact), found.stretch, *away))
    return Comparison(len(steps[0]), exact.l_pose[-1], tuple(forms))


def turn_in_steps(turn: ArrayLike, step: float) -> Array:
    """(n, 3) rotation vectors in W: about x, then y, then z, each in equal steps of `step` at most [rad]."""
    angles = checked_rows("turn", turn, 3)[0]
    if not 0 < step < np.inf:
        raise PlatformError(f"step is {step:g} rad, a finite angle above 0 is wanted")
    if not np.any(angles):
        raise PlatformError("turn is 0 about all axes; at least one angle other than 0 is wanted")
    counts = np.ceil(np.abs(angles) / step - 1e-9)
    if counts.sum() > MOST_STEPS:
        raise PlatformError(f"a step of {step:g} rad makes {counts.sum():.0f} of them, at most {MOST_STEPS} are wanted")
    rows = [np.tile(angle / n * axis, (int(n), 1))
            for angle, n, axis in zip(angles, counts, np.eye(3), strict=True) if n]  # fmt: skip
    return np.vstack(rows)

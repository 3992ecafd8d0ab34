"""Leg lengths from increments of position and attitude, as in the ODU wave-riding rig, compared with the exact map.

The rig's host sends displacements ds and rotation vectors dtheta, both in global axes. Its paper (equations 4 to 16)
updates Euler parameters to first order without normalising them, p = (1, dtheta / 2), forms the increment's matrix
A = E G', and multiplies the attitude by it from the right. This has two errors:

- E G' of parameters that are not normalised is |p|^2 times a rotation: every step stretches by dtheta^2 / 4.
- A product from the right ("behind") turns about platform axes; increments in global axes belong on the left ("in
  front").

Its equation 14 adds leg increments with the Jacobian at the start of a step, which adds a second-order error per step.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, final, get_args

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, scan
from motionbase.errors import PlatformError, UsageError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import Legs, repeated, rows_dot
from motionbase.spatial.rotations import Expr, R_quaternion, quaternion_rotation_vector
from motionbase.workbench.poses import checked_rows

Form: TypeAlias = Literal["paper", "scaled", "in front", "scaled, in front", "exact"]
FORMS: tuple[Form, ...] = get_args(Form)
MEANING: dict[Form, str] = {
    "paper": "as printed: first order, not of length one, behind the attitude so far",
    "scaled": "scaled to length one, still behind",
    "in front": "in front, still not of length one",
    "scaled, in front": "scaled to length one and in front: right to second order",
    "exact": "exponential map, in front",
}
RIGHT: tuple[Form, ...] = ("scaled, in front", "exact")  # the forms to use
MOST_STEPS = 1_000_000
COLUMNS = ("dx", "dy", "dz", "rx", "ry", "rz")


def increment_matrix(dtheta: Expr, form: Form) -> Expr:
    """(3, 3) matrix of one increment [rad]."""
    if form == "exact":
        return R_quaternion(quaternion_rotation_vector(dtheta))
    p = ca.vertcat(1, 0.5 * dtheta)  # equations 4 to 6
    if form.startswith("scaled"):
        p = p / ca.sqrt(ca.sumsqr(p))
    e0, e1, e2, e3 = ca.vertsplit(p)
    E = ca.vertcat(  # equation 7
        ca.horzcat(-e1, e0, -e3, e2), ca.horzcat(-e2, e3, e0, -e1), ca.horzcat(-e3, -e2, e1, e0)
    )  # fmt: skip
    G = ca.vertcat(  # equation 8
        ca.horzcat(-e1, e0, e3, -e2), ca.horzcat(-e2, -e3, e0, e1), ca.horzcat(-e3, e2, -e1, e0)
    )  # fmt: skip
    return E @ G.T


def step_kernel(platform: Hexapod, form: Form) -> Kernel:
    """(A, p_W, l, ds, dtheta) -> A_next, p_next, l_next, l_pose: one increment.

    l_next adds the Jacobian's increments (equation 14), l_pose is the length at the pose given by the matrices (12).
    """
    joints, base = ca.DM(np.asarray(platform.joints)), ca.DM(np.asarray(platform.base))

    def legs(A: Expr, p_W: Expr) -> Legs:
        b = joints @ A.T
        r = repeated(p_W) + b - base
        length = ca.sqrt(rows_dot(r, r))
        return Legs(length, r / ca.repmat(length, 1, 3), b)

    def expr(A: Expr, p_W: Expr, l: Expr, ds: Expr, dtheta: Expr) -> Any:
        turned = increment_matrix(dtheta, form)
        A_next = turned @ A if "front" in form or form == "exact" else A @ turned  # equation 9 is the latter
        p_next = p_W + ds
        return A_next, p_next, l + legs(A, p_W).J @ ca.vertcat(dtheta, ds), legs(A_next, p_next).l

    A, p, l = Port("A", (3, 3), "-"), Port("p_W", 3, "m"), Port("l", 6, "m")
    steps = Port("ds", 3, "m", "displacement, in W"), Port("dtheta", 3, "rad", "rotation vector, in W")
    after = Port("A_next", (3, 3), "-"), Port("p_next", 3, "m"), Port("l_next", 6, "m"), Port("l_pose", 6, "m")
    return Kernel("incremental_step", (A, p, l, *steps), after, expr)


@final
@dataclass(frozen=True, eq=False)
class Followed:
    """State after each of n increments.

    Attributes:
        A: (n, 3, 3) attitude matrices
        l_pose: (n, 6) leg lengths at the pose so far (equation 12) [m]
        l_jacobian: (n, 6) leg lengths by adding increments (equation 14) [m]
    """

    A: Array
    l_pose: Array
    l_jacobian: Array

    @property
    def stretch(self) -> Array:
        """(n,) factor by which the matrix stretches a vector, minus one: 0 for a rotation."""
        return np.asarray(np.cbrt(np.linalg.det(self.A)) - 1)

    def angle_to(self, other: Followed) -> Array:
        """(n,) angle between the attitudes of two forms after the same increments [rad]."""
        apart = np.linalg.norm(_rotation(self.A) - _rotation(other.A), axis=(1, 2))
        return np.asarray(2 * np.arcsin(np.minimum(1.0, apart / np.sqrt(8))))  # |R - S| = 2 sqrt(2) sin(angle / 2)


def follow(platform: Hexapod, ds: ArrayLike, dtheta: ArrayLike, form: Form = "exact") -> Followed:
    """Apply (n, 3) displacements [m] and (n, 3) rotation vectors [rad], both in W, from neutral on."""
    if form not in FORMS:
        raise PlatformError(f"form is {form!r}, it must be one of {', '.join(FORMS)}")
    steps = {"ds": checked_rows("ds", ds, 3), "dtheta": checked_rows("dtheta", dtheta, 3)}
    n = len(steps["ds"])
    if len(steps["dtheta"]) != n:
        raise PlatformError(f"there are {n} displacements and {len(steps['dtheta'])} rotations, as many are wanted")
    feedback = {"A": "A_next", "p_W": "p_next", "l": "l_next"}
    loop = scan(step_kernel(platform, form), feedback, per_step=list(steps), record=["A_next", "l_pose", "l_next"])
    start = {"A": np.eye(3), "p_W": np.array(platform.p_neutral), "l": platform.l_neutral}
    found = loop(n, every=1, out=None, **start, **steps)
    return Followed(found["A_next"], found["l_pose"], found["l_next"])


def _rotation(A: Array) -> Array:
    """The rotation in a stretched rotation matrix."""
    return np.asarray(A / np.cbrt(np.linalg.det(A))[:, None, None])


@final
@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of one form after each of n steps, relative to the exact one.

    Attributes:
        attitude: (n,) angle [rad]
        stretch: (n,) factor by which the matrix stretches a vector, minus one
        l_pose: (n,) largest error of a leg's length at the pose so far (equation 12) [m]
        l_jacobian: (n,) the same by adding increments (equation 14) [m]
    """

    form: Form
    attitude: Array
    stretch: Array
    l_pose: Array
    l_jacobian: Array

    def in_words(self) -> tuple[str, ...]:
        """After the last step, for people: attitude [deg], stretch [%], legs at the pose and by increments [mm]."""
        last = self.attitude[-1], self.stretch[-1], self.l_pose[-1], self.l_jacobian[-1]
        return tuple(f"{scale * x:.4g}" for scale, x in zip((np.degrees(1), 100, 1000, 1000), last, strict=True))

    def summary(self) -> dict[str, Any]:
        """Errors after the last step."""
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
        """The comparison as JSON data."""
        return {"steps": self.steps, "l_m": self.l.tolist(), "forms": [one.summary() for one in self.forms]}

    def leg_beyond(self, platform: Hexapod) -> int | None:
        """The first leg that is beyond its operational stroke after the last step, from 1; None where none is."""
        outside = (self.l < platform.stroke.l_min) | (self.l > platform.stroke.l_max)
        return int(outside.argmax()) + 1 if outside.any() else None


def compare(platform: Hexapod, ds: ArrayLike, dtheta: ArrayLike) -> Comparison:
    """Compare all forms over (n, 3) displacements [m] and (n, 3) rotation vectors [rad] in W, from neutral on."""
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


def turned_increments(turn: ArrayLike, step: float) -> Array:
    """(n, 6) the same with displacements of 0 before them, as `read_increments` gives them."""
    dtheta = turn_in_steps(turn, step)
    return np.hstack([np.zeros_like(dtheta), dtheta])


def read_increments(path: Path) -> Array:
    """(n, 6) displacements [m] and rotation vectors [rad] of a CSV with the six columns by name."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise UsageError(f"{str(path)!r} has no column {missing[0]!r}; columns: {', '.join(COLUMNS)}")
            rows = []
            for number, row in enumerate(reader, start=2):
                try:
                    values = [float(row[name]) for name in COLUMNS]
                except (TypeError, ValueError):
                    values = [math.nan]
                if not all(map(math.isfinite, values)):
                    raise UsageError(f"{str(path)!r}, line {number}: six finite numbers are wanted")
                rows.append(values)
    except OSError as e:
        raise UsageError(f"cannot read {str(path)!r}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{str(path)!r} is not a text in UTF-8; a CSV is wanted") from None
    if not rows:
        raise UsageError(f"{str(path)!r} has no rows; at least one increment is wanted")
    return np.array(rows)

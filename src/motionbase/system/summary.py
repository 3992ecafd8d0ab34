"""Summary of a closed-loop run: states, faults, tracking, forces, stroke; accumulated piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.runs import Run

WATCHED = ("state", "fault", "cmd", "legs_cmd", "l", "f", "valve_cmd", "p_W_next", "Q_WP_next")
"""Outputs of the loop that summary and plot need."""
STATES, FAULTS = frozenset(map(int, State)), frozenset(map(int, Fault))  # a user law may return other numbers


@final
@dataclass(frozen=True, eq=False)
class Summary:
    """Summary of a whole run.

    Attributes:
        states, faults: each change with its time [s]; the first state at the first tick; "no fault" is not listed
        drive_s: time in drive [s]
        rms, largest: (6,) of demand minus true motion in drive [m, rad]; the demand is the one before limits; None if
            generators move single legs, which is not part of any demand on the platform
        leg_rms, leg_largest: (6,) of commanded minus true leg lengths in drive [m]; the command is within the limits
        force, force_at: (6,) largest absolute force of each leg [N], and when [s]
        stroke_left: (6,) in drive, distance to the nearer end of the operational range [m]; negative beyond it
        hard_left: (6,) in the whole run, distance to the nearer hard end [m]; negative while a stop is compressed
    """

    states: tuple[tuple[float, State], ...]
    faults: tuple[tuple[float, Fault], ...]
    drive_s: float
    rms: Array | None
    largest: Array | None
    leg_rms: Array
    leg_largest: Array
    force: Array
    force_at: Array
    stroke_left: Array
    hard_left: Array

    @property
    def standing(self) -> tuple[float, Fault] | None:
        """The fault that is active at the end, and since when [s]; None if there was none or it was reset."""
        return self.faults[-1] if self.faults and self.faults[-1][1] else None


@final
class Tally:
    """Accumulates a run; it keeps only sums, extremes and changes.

    Attributes:
        legs_alone: whether generators move single legs
    """

    def __init__(self, hexapod: Hexapod, dt: float, *, legs_alone: bool = False) -> None:
        self.hexapod, self.dt, self.legs_alone = hexapod, dt, legs_alone
        self._changes: dict[str, list[tuple[float, int]]] = {"state": [], "fault": []}
        self._before: Array | None = None  # true motion and leg lengths at the end of the last piece
        self._count, self._squares, self._largest = 0, np.zeros(12), np.zeros(12)
        self._force, self._force_at = np.zeros(6), np.zeros(6)
        self._stroke_left, self._hard_left = np.full(6, np.inf), np.full(6, np.inf)

    @cached_property
    def _dof_of_pose(self) -> Compiled:
        return compile(kinematics_of(self.hexapod).dof_of_pose)

    def motion(self, piece: Run) -> Array:
        """(n, 6) true degrees of freedom from neutral [m, rad]."""
        pose = {name: np.ascontiguousarray(piece[f"{name}_next"]) for name in ("p_W", "Q_WP")}
        (dof,) = self._dof_of_pose.map(**pose).values()
        return np.asarray(dof)

    def add(self, piece: Run) -> tuple[Array, Array]:
        """Add a piece with a row per tick and the outputs WATCHED; returns its true motion and its error in drive.

        The error is NaN outside drive, and throughout if generators move single legs.
        """
        for name, found in self._changes.items():
            values = piece[name].astype(int)
            last = found[-1][1] if found else (-1 if name == "state" else 0)
            for k in np.flatnonzero(np.diff(values, prepend=last)):
                found.append((float(piece.t[k]), int(values[k])))
        dof, stroke, l = self.motion(piece), self.hexapod.stroke, piece["l"]
        driving = piece["state"] == State.DRIVE
        # a row has the demand at the start of its tick and the motion at its end
        true, asked = np.hstack([dof, l]), np.hstack([piece["cmd"][:, :, 0], piece["legs_cmd"][:, :, 0]])
        before = np.vstack([true[:1] if self._before is None else self._before, true[:-1]])
        errors = np.where(driving[:, None], asked - before, np.nan)
        error = np.abs(errors[driving])
        if len(error):
            self._squares += (error**2).sum(axis=0)
            self._largest = np.maximum(self._largest, error.max(axis=0))
            self._stroke_left = np.minimum(self._stroke_left, _left(l[driving], stroke.l_min, stroke.l_max))
        self._count += len(error)
        self._hard_left = np.minimum(self._hard_left, _left(l, stroke.hard_min, stroke.hard_max))
        size = np.abs(piece["f"])
        at, larger = size.argmax(axis=0), size.max(axis=0) > self._force
        self._force_at = np.where(larger, piece.t[at], self._force_at)
        self._force = np.maximum(self._force, size.max(axis=0))
        self._before = true[-1:]
        return dof, np.full_like(dof, np.nan) if self.legs_alone else errors[:, :6]

    def summary(self) -> Summary:
        """The summary so far."""
        states, faults = self._changes["state"], self._changes["fault"]
        rms = np.sqrt(self._squares / max(1, self._count))
        return Summary(
            tuple((t, State(number) if number in STATES else State.OFF) for t, number in states),
            tuple((t, Fault(number) if number in FAULTS else Fault.NONE) for t, number in faults),
            self._count * self.dt,
            None if self.legs_alone else rms[:6],
            None if self.legs_alone else self._largest[:6],
            rms[6:],
            self._largest[6:],
            self._force,
            self._force_at,
            self._stroke_left,
            self._hard_left,
        )


def _left(l: Array, least: float, most: float) -> Array:
    return np.asarray(np.minimum(l - least, most - l).min(axis=0))

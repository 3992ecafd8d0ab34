"""Effects of faults at any instant of fast and slow motions and at rest, on the lanes of one compiled loop.

A fault shows once a leg is 2 mm off the motion that the same run has without it. Until then it is dormant: a stuck
valve without a command, a frozen sensor of a leg at rest. The detection time counts from then on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.errors import SimulationError
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.lane_runs import LANES, LanePiece, LaneRunner
from motionbase.system.runs import Scenario

KEPT = ("state", "fault", "l", "l_dot", "f", "F_joint", "V_P_next", "V_dot_P_next")
SHOWS = 2e-3  # [m] deviation of a leg from its motion without the fault
AT_REST = 0.01  # [m/s] of the fastest leg: below this the base is at rest
SINKING = 0.04  # [m/s] of the fastest leg: a base that is shut off sinks more slowly
LONGEST_S = 60.0  # after the fault: a base that is shut off at the top sinks for most of it
PIECE_S = 1.0  # duration of a piece of the run
LOOKED_S = 6.0  # at least half a period of any motion: a fault that has not been found by then is dormant
CONTACT_LIMIT = 0.05  # [m/s] at which a leg may hit its hard end
OVER = (State.OFF, State.HELD, State.STANDBY, State.FREEZE)
ESTOP = "estop"


@final
@dataclass(frozen=True)
class Swing:
    """A sine motion of one axis that a fault interrupts; without an axis the base stands at neutral, in drive.

    Attributes:
        name: shown to users: "rest", "slow heave"
        centre, amplitude: [m, rad]; frequency: [rad/s]
    """

    name: str
    axis: str | None = None
    centre: float = 0.0
    amplitude: float = 0.0
    frequency: float = 2 * math.pi

    @property
    def period(self) -> float:
        """Period [s]."""
        return 2 * math.pi / self.frequency

    def host(self, t: float) -> Array:
        """A host frame at a time [s]: phase 0 is the largest speed, 1/4 the reversal at the far end."""
        frame = np.zeros((3, 6))
        if self.axis is not None:
            w, k = self.frequency, DOFS.index(self.axis)
            s, c = math.sin(w * t), math.cos(w * t)
            frame[:, k] = self.centre + self.amplitude * s, w * self.amplitude * c, -(w**2) * self.amplitude * s
        return frame


@final
@dataclass(frozen=True)
class Moment:
    """A fault and the instant at which it occurs.

    Attributes:
        kind: None is the emergency stop; leg: 1 to 6 for faults of a leg
        phase: fraction of the swing's period, 0 to 1
    """

    kind: FaultKind | None
    leg: int | None
    swing: Swing
    phase: float

    @property
    def fault(self) -> str:
        """Name of the fault."""
        return ESTOP if self.kind is None else self.kind.name.lower()

    @property
    def is_fault(self) -> bool:
        """Whether the control law must detect it; a silent host is not a fault."""
        return self.kind not in (None, FaultKind.HOST_DROPOUT)

    @property
    def when(self) -> str:
        """Text for users: the motion, and the time in its period [s], counted from full speed upward or forward."""
        if self.swing.axis is None:
            return self.swing.name
        return f"{self.swing.name} at {self.phase * self.swing.period:.2f} s"


@final
@dataclass(frozen=True)
class Outcome:
    """Effect of a fault, from its occurrence until the base is at rest.

    Attributes:
        force: largest force of an actuator [N]; joint: largest load of a platform joint [N], including a seized leg's
        acceleration: largest of the platform's origin [m/s^2]; angular: of its rotation [rad/s^2]
        contact: largest speed of a leg at its hard end [m/s], contact_after: when that was [s]; None without contact
        shows_after: when the first leg was 2 mm off [s]; None if none was during the observation
        found: the fault that the control law reported; found_after: time until then [s], None if it reported none
        end: final state; rest_after: when the last leg came to rest [s], None if one still moves
    """

    moment: Moment
    force: float
    joint: float
    acceleration: float
    angular: float
    contact: float | None
    contact_after: float | None
    shows_after: float | None
    found: Fault
    found_after: float | None
    end: State
    rest_after: float | None

    @property
    def contact_is_soft(self) -> bool:
        """Whether no end was hit, or only slowly."""
        return self.contact is None or self.contact <= CONTACT_LIMIT

    @property
    def detected_after(self) -> float | None:
        """Time from when the fault showed until it was found [s]; 0 if it was found earlier."""
        if self.found_after is None:
            return None
        return max(0.0, self.found_after - (self.shows_after or self.found_after))


@final
@dataclass(frozen=True, eq=False)
class Lead:
    """A swing without faults.

    Attributes:
        begin: tick at which the swing has reached its full amplitude, phase 0
        l: (n, 6) leg lengths from `begin` on, a row per tick, for a period and `LOOKED_S`
        states: initial states by tick: every quarter of a second
    """

    begin: int
    l: Array
    states: dict[int, dict[str, Any]] = field(repr=False)


@final
@dataclass(frozen=True, eq=False)
class FaultStudy:
    """Faults of one platform during given motions."""

    hexapod: Hexapod
    swings: tuple[Swing, ...]

    @cached_property
    def runner(self) -> LaneRunner:
        """The runner; compiled once."""
        return LaneRunner(ClosedLoop.of(self.hexapod), KEPT)

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.runner.loop.dt

    @cached_property
    def leads(self) -> dict[Swing, Lead]:
        """Leads of all swings, several at once."""
        found: dict[Swing, Lead] = {}
        for k in range(0, len(self.swings), LANES):
            found |= self._leads(self.swings[k : k + LANES])
        return found

    def _leads(self, swings: Sequence[Swing]) -> dict[Swing, Lead]:
        scenarios = [Scenario(host=s.host) for s in swings]
        begins: list[int | None] = [None] * len(swings)
        states: list[dict[int, dict[str, Any]]] = [{} for _ in swings]
        lengths: list[list[Array]] = [[] for _ in swings]
        longest = 60.0 + 2 * max(s.period for s in swings)
        for piece in self.runner.pieces(scenarios, longest):
            complete = True
            for k, swing in enumerate(swings):
                first, n = int(piece.first[k]), len(piece.rows["state"])
                driving = np.flatnonzero(piece.rows["state"][:, k] == State.DRIVE)
                if begins[k] is None and len(driving):
                    turns = math.ceil((first + int(driving[0]) + 2) * self.dt / swing.period)
                    begins[k] = round(turns * swing.period / self.dt)
                begin = begins[k]
                if begin is None or first + n < begin:
                    complete = False
                else:
                    lengths[k].append(piece.rows["l"][max(0, begin - first) :, :, k])
                    wanted = begin + round((swing.period + LOOKED_S) / self.dt)
                    complete &= first + n >= wanted
                states[k][first + n] = piece.states[k]
            if complete:
                break
        for begin, swing in zip(begins, swings, strict=True):
            if begin is None:
                raise SimulationError(f"platform {self.hexapod.name!r}: no drive with the motion {swing.name!r}")
        return {
            swing: Lead(begin or 0, np.concatenate(l), {t: x for t, x in s.items() if t > (begin or 0) - 2000})
            for swing, begin, l, s in zip(swings, begins, lengths, states, strict=True)
        }

    def run(
        self,
        moments: Iterable[Moment],
        progress: Callable[[int, int], None] | None = None,
        *,
        lands: bool = True,
    ) -> tuple[Outcome, ...]:
        """Run all moments; outcomes in the order of the moments.

        Args:
            progress: called with the number done and the total
            lands: follow a base that was shut off down to its lower ends, which takes half a minute
        """
        listed = list(moments)
        # runs of equal duration share the lanes
        order = sorted(range(len(listed)), key=lambda k: (listed[k].fault, listed[k].swing.name))
        found: dict[int, Outcome] = {}
        for k in range(0, len(order), LANES):
            batch = order[k : k + LANES]
            found |= dict(zip(batch, self._batch([listed[j] for j in batch], lands), strict=True))
            if progress is not None:
                progress(len(found), len(listed))
        return tuple(found[k] for k in range(len(listed)))

    def _batch(self, moments: Sequence[Moment], lands: bool) -> list[Outcome]:
        ticks = [self.leads[m.swing].begin + round(m.phase * m.swing.period / self.dt) for m in moments]
        scenarios = [self._scenario(m, tick) for m, tick in zip(moments, ticks, strict=True)]
        starts = []
        for m, tick in zip(moments, ticks, strict=True):
            states = self.leads[m.swing].states
            starts.append(states[max(t for t in states if t <= tick)])
        tally = _Tally(self, moments, ticks, lands)
        for piece in self.runner.pieces(scenarios, LONGEST_S, starts, PIECE_S):
            tally.add(piece)
            if tally.over.all():
                break
        return [tally.outcome(k) for k in range(len(moments))]

    def _scenario(self, moment: Moment, tick: int) -> Scenario:
        at = tick * self.dt
        if moment.kind is None:
            return Scenario(host=moment.swing.host, estop_at=at)
        return Scenario(host=moment.swing.host, faults=FaultPlan((FaultEvent(moment.kind, at, moment.leg),)))


@final
class _Tally:
    """Accumulated results of a batch, piece by piece; arrays have one row per lane."""

    def __init__(self, study: FaultStudy, moments: Sequence[Moment], ticks: Sequence[int], lands: bool) -> None:
        self.lands = lands
        self.study, self.moments, self.dt = study, moments, study.dt
        self.at = np.array(ticks, dtype=np.float64)
        n = len(moments)
        self.peaks = {name: np.zeros(n) for name in ("force", "joint", "acceleration", "angular")}
        self.contact, self.contact_at = np.full(n, -np.inf), np.zeros(n)
        self.shows, self.found_at, self.moved_at = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n)
        self.fault, self.state, self.rests = np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool)
        self.over = np.zeros(n, dtype=bool)
        self._beyond: Array | None = None

    def add(self, piece: LanePiece) -> None:
        """Add a piece; finished lanes are not changed."""
        n = len(self.moments)
        rows = {name: x[..., :n] for name, x in piece.rows.items()}
        tick = piece.first[:n] + np.arange(1, len(rows["state"]) + 1)[:, None]  # tick of the state in a row
        counts = (tick > self.at) & ~self.over
        moving = np.abs(rows["l_dot"]).max(axis=1)
        omega, v, rates = rows["V_P_next"][:, :3], rows["V_P_next"][:, 3:], rows["V_dot_P_next"]
        carried = np.stack([np.cross(omega[..., k], v[..., k]) for k in range(n)], axis=-1)
        for name, values in {
            "force": np.abs(rows["f"]).max(axis=1),
            "joint": np.linalg.norm(rows["F_joint"], axis=2).max(axis=1),
            "acceleration": np.linalg.norm(rates[:, 3:] + carried, axis=1),
            "angular": np.linalg.norm(rates[:, :3], axis=1),
        }.items():
            self.peaks[name] = np.maximum(self.peaks[name], np.where(counts, values, 0.0).max(axis=0))
        self._meet(rows, tick, counts)
        self._first(self.found_at, tick, counts & (rows["fault"] != 0))
        self._compare(rows["l"], tick, counts)
        last = np.where(counts & (moving >= AT_REST), tick, 0.0).max(axis=0)
        self.moved_at = np.maximum(self.moved_at, last)
        goes_on = ~self.over
        self.fault = np.where(goes_on, rows["fault"][-1], self.fault)
        self.state = np.where(goes_on, rows["state"][-1], self.state)
        quiet = (moving.max(axis=0) < AT_REST) & (rows["state"][0] == rows["state"][-1])
        self.rests = np.where(goes_on, quiet, self.rests)
        ended = quiet & np.isin(rows["state"][-1], [float(s) for s in OVER])
        looked = LOOKED_S / self.dt
        nothing = (rows["fault"][-1] == 0) & (rows["state"][-1] == State.DRIVE) & (tick[-1] > self.at + looked)
        sinks = (moving.max(axis=0) < SINKING) & (rows["state"][-1] == State.HELD)
        self.over |= (tick[-1] > self.at) & (ended | nothing | (sinks & (not self.lands)))

    def _meet(self, rows: dict[str, Array], tick: Array, counts: Flags) -> None:
        stroke, l = self.study.hexapod.stroke, rows["l"]
        beyond = (l < stroke.hard_min) | (l > stroke.hard_max)
        before = beyond[:1] if self._beyond is None else self._beyond[None]
        meets = beyond & ~np.concatenate([before, beyond[:-1]]) & counts[:, None]
        speed = np.where(meets, np.abs(rows["l_dot"]), -np.inf).max(axis=1)
        for k in np.flatnonzero(speed.max(axis=0) > self.contact):
            row = int(speed[:, k].argmax())
            self.contact[k], self.contact_at[k] = speed[row, k], tick[row, k]
        self._beyond = beyond[-1]

    def _first(self, when: Array, tick: Array, happens: Flags) -> None:
        when[:] = np.minimum(when, np.where(happens, tick, np.inf).min(axis=0))

    def _compare(self, l: Array, tick: Array, counts: Flags) -> None:
        for k, moment in enumerate(self.moments):
            lead = self.study.leads[moment.swing]
            row = (tick[:, k] - lead.begin - 1).astype(int)
            known = counts[:, k] & (row >= 0) & (row < len(lead.l))
            off = np.abs(l[known, :, k] - lead.l[row[known]]).max(axis=1) > SHOWS
            if off.any():
                self.shows[k] = min(self.shows[k], tick[known, k][off][0])

    def outcome(self, k: int) -> Outcome:
        """Outcome of a lane."""

        def after(tick: float) -> float | None:
            return float(tick - self.at[k]) * self.dt if math.isfinite(tick) else None

        met = math.isfinite(self.contact[k])
        return Outcome(
            self.moments[k],
            **{name: float(values[k]) for name, values in self.peaks.items()},
            contact=float(self.contact[k]) if met else None,
            contact_after=after(self.contact_at[k]) if met else None,
            shows_after=after(self.shows[k]),
            found=Fault(int(self.fault[k])),
            found_after=after(self.found_at[k]),
            end=State(int(self.state[k])),
            rest_after=after(max(self.moved_at[k], self.at[k])) if self.rests[k] else None,
        )

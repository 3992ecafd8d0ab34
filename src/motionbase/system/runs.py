"""The closed loop as fast as the machine can run it: from a scenario to named columns and a state to continue from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.compile.authored import check_takes, run_authored
from motionbase.errors import SimulationError
from motionbase.plant.fault_plan import FaultPlan
from motionbase.record.generators import COLUMNS, COUNT, PLACE
from motionbase.record.states import Mode, Request
from motionbase.system.runnable import Runnable

Host: TypeAlias = Callable[[float], Array]
FAULT_ROWS = ("supply", "valve_fault", "seized", "sensor_fault", "sensor_offset")
OPERATOR_ROWS = ("asked", "automatic", "estop", "reset", "mode")
ROWS = (*OPERATOR_ROWS, "host_frame", "host_count", *FAULT_ROWS)
CUED_ROWS = (*OPERATOR_ROWS, "vehicle", "vehicle_count", *FAULT_ROWS)
TRUE_MOTION = (  # outputs for measurements of the simulated base; the same for all, so that they share compiled code
    "state", "fault", "generators_version", "cmd", "l", "l_dot", "f", "F_joint",
    "p_W_next", "Q_WP_next", "V_P_next", "V_dot_P_next",
)  # fmt: skip
PIECE_S = 0.25  # of simulated time between two checks of progress and end


@final
@dataclass(frozen=True, eq=False)
class Scenario:
    """The course of a run; times are simulation times, which continue if a run continues another.

    Attributes:
        faults: faults by time
        settings: (7, 16) rows of the function generators; none by default
        version: version of these settings: a new one leads the automatic operator through standby back to drive
        requests: time [s] -> request of an operator
        resets: times at which faults are reset [s]
        modes: time [s] -> mode from then on; initially host if there is one, else maintenance
        estop_at: time from which the emergency stop acts [s]
        host: time [s] -> (3, 6) positions, velocities, accelerations, or a sample (13,) of a vehicle's motion for a
            `CuedLoop`; none leaves the base in maintenance
        host_rate: frames per second
        automatic: whether the automatic operator acts when there is no other request
        automatic_until: time at which it stops [s], because a user has taken over
        seed: seed of the sensors' noise
        inputs: further inputs of the loop, by name, that differ from its `quiet_inputs`
    """

    faults: FaultPlan = field(default_factory=FaultPlan)
    settings: Array | None = None
    version: int = 1
    requests: Mapping[float, Request] = field(default_factory=dict)
    resets: tuple[float, ...] = ()
    modes: Mapping[float, Mode] = field(default_factory=dict)
    estop_at: float = math.inf
    host: Host | None = None
    host_rate: float = 60.0
    automatic: bool = True
    automatic_until: float = math.inf
    seed: int = 0
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wanted = (COUNT, len(COLUMNS))
        if self.settings is not None and np.shape(self.settings) != wanted:
            raise SimulationError(f"scenario: settings have shape {np.shape(self.settings)}, {wanted} is wanted")
        if not (math.isfinite(self.host_rate) and self.host_rate > 0):
            raise SimulationError(f"scenario: host_rate is {self.host_rate!r} Hz, it must be above 0")

    @property
    def legs_alone(self) -> bool:
        """Whether generators move single legs."""
        if self.settings is None:
            return False
        return bool(np.any((self.settings[:, PLACE["enabled"]] > 0) & (self.settings[:, PLACE["space"]] == 0)))

    def held(self) -> dict[str, Any]:
        """Inputs that stay constant; the mode is the initial one."""
        settings = np.zeros((COUNT, len(COLUMNS))) if self.settings is None else self.settings
        mode = Mode.MAINTENANCE if self.host is None else Mode.HOST
        numbers = {"mode": mode, "settings_version": self.version, "seed": self.seed}
        return {"settings": settings, **{name: np.array(float(x)) for name, x in numbers.items()}, **self.inputs}

    def rows(
        self, first: int, ticks: int, dt: float, frames_before: float, vehicle: Array | None = None
    ) -> dict[str, Array]:
        """Inputs with a row per tick, from tick `first` on.

        Args:
            vehicle: the newest sample of a vehicle, for a `CuedLoop`
        """
        t = (first + np.arange(ticks)) * dt
        faults = _later(self.faults, first * dt).rows(ticks, dt)
        rows = {name: faults[name] for name in FAULT_ROWS}
        rows["asked"], rows["estop"] = np.zeros(ticks), (t >= self.estop_at - 0.5 * dt).astype(np.float64)
        rows["automatic"] = (self.automatic & (t < self.automatic_until - 0.5 * dt)).astype(np.float64)
        for at, request in self.requests.items():
            if 0 <= (k := round(at / dt) - first) < ticks:
                rows["asked"][k] = float(request)
        rows["reset"] = np.isin(first + np.arange(ticks), [round(at / dt) for at in self.resets]).astype(np.float64)
        rows["mode"] = np.full(ticks, float(self.held()["mode"]))
        for at in sorted(self.modes):
            rows["mode"][t >= at - 0.5 * dt] = float(self.modes[at])
        told, count = ("host_frame", "host_count") if vehicle is None else ("vehicle", "vehicle_count")
        rows[told] = np.zeros((ticks, 3, 6)) if vehicle is None else np.tile(vehicle, (ticks, 1))
        rows[count] = np.full(ticks, frames_before)
        if self.host is not None:
            check_takes("host", self.host, "the time [s]", 1)
            number = np.floor(t * self.host_rate + 1e-6)
            new = np.diff(number, prepend=math.floor((first - 1) * dt * self.host_rate + 1e-6)) > 0
            new = (new | (np.arange(first, first + ticks) == 0)) & (faults["host"] > 0)
            rows[count] = frames_before + np.cumsum(new)
            for place in np.flatnonzero(new):  # the law reads a frame only in the tick in which it arrives
                frame, wanted = run_authored("host", self.host, float(t[place])), rows[told].shape[1:]
                if np.shape(frame) != wanted:
                    raise SimulationError(f"scenario: the host tells {np.shape(frame)} numbers, {wanted} are wanted")
                rows[told][place if vehicle is None else slice(place, None)] = frame
        return rows


@final
@dataclass(frozen=True, eq=False)
class Run:
    """Result of a run.

    Attributes:
        t: (n,) time of each row [s]
        columns: channels of the record by name, (n,) each; empty if the loop has none
        outputs: requested outputs of the loop, one row each
        end: state and frame count after the last tick, to continue from
    """

    t: Array
    columns: dict[str, Array]
    outputs: dict[str, Array]
    end: dict[str, Any]

    def __getitem__(self, name: str) -> Array:
        """A column or an output."""
        return self.columns[name] if name in self.columns else self.outputs[name]


@final
@dataclass(frozen=True, eq=False)
class Runner:
    """Runs scenarios on one compiled loop.

    Attributes:
        outputs: outputs of the loop to keep besides its record
    """

    loop: Runnable
    outputs: tuple[str, ...] = ()

    @cached_property
    def _scan(self) -> Scan:
        kept = [*self.outputs, *(("record",) if self.loop.record_channels else ())]
        return scan(self.loop.program, self.loop.feedback, per_step=list(self._rows), record=kept)

    @cached_property
    def _rows(self) -> tuple[str, ...]:
        return CUED_ROWS if "vehicle" in (p.name for p in self.loop.program.inputs) else ROWS

    @cached_property
    def _rest(self) -> dict[str, Any]:
        told = {"vehicle": self.loop.quiet_inputs()["vehicle"]} if self._rows is CUED_ROWS else {}
        return self.loop.at_rest() | {"frames": 0.0} | told

    def prepare(self) -> None:
        """Compile now instead of in the first run, for time measurements."""
        _ = self._scan, self._rest

    def run(
        self,
        scenario: Scenario,
        duration: float,
        start: Mapping[str, Any] | None = None,
        *,
        every: int = 1,
        until: Callable[[Mapping[str, Array]], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Run from rest, down, or from the end of another run.

        Args:
            duration: [s], at most, since `until` may end it earlier
            every: keep one of this many ticks
            until: called with the rows of about a quarter of a second; True ends the run
            progress: called with the simulated time [s]
        """
        pieces: list[Run] = []
        for piece in self.pieces(scenario, duration, start, every=every):
            pieces.append(piece)
            if progress is not None:
                progress(float(piece.end["tick"]) * self.loop.dt)
            if until is not None and until({**piece.columns, **piece.outputs}):
                break
        return _joined(pieces)

    def pieces(
        self, scenario: Scenario, duration: float, start: Mapping[str, Any] | None = None, *, every: int = 1
    ) -> Iterator[Run]:
        """The same in pieces of about a quarter of a second, so that a run of any length needs little memory."""
        dt = self.loop.dt
        if not (math.isfinite(duration) and duration >= dt):
            raise SimulationError(f"run: duration is {duration!r} s, it must be at least a tick, {dt:g} s")
        if every < 1:
            raise SimulationError(f"run: every is {every!r}, it must be at least 1")
        state = dict(self._rest if start is None else start)
        frames, vehicle = float(state.pop("frames")), state.pop("vehicle", None)
        held = {name: x for name, x in self.loop.quiet_inputs().items() if name not in self._rows} | scenario.held()
        begin = round(float(state["tick"]))
        left, piece = round(duration / dt), every * max(1, round(PIECE_S / dt) // every)
        while left > 0:
            n = min(left, piece)
            rows = scenario.rows(begin, n, dt, frames, vehicle)
            given: dict[str, Any] = {**state, **held, **rows}
            out = self._scan(n, every=every, **given)
            state, told = {name: out[name] for name in state}, {}
            if vehicle is None:
                frames = float(rows["host_count"][-1])
            else:
                frames, vehicle = float(rows["vehicle_count"][-1]), rows["vehicle"][-1]
                told = {"vehicle": vehicle}
            kept = {name: out[name] for name in out if name not in state}
            tick = begin + every * np.arange(1, n // every + 1, dtype=np.float64)  # tick of the state in a row
            yield self._piece(kept, tick, state | {"frames": frames} | told)
            begin, left = begin + n, left - n

    def _piece(self, rows: dict[str, Array], tick: Array, end: dict[str, Any]) -> Run:
        t, columns = _time(tick, self.loop.dt), {}
        if "record" in rows:
            record = rows.pop("record")
            columns = {name: record[:, k] for k, name in enumerate(self.loop.record_channels)}
            columns |= {name: x for name, x in (("t", t), ("tick", tick)) if name in columns}
        return Run(t, columns, rows, end)


def _time(tick: Array, dt: float) -> Array:
    """Time [s]; if a second is a whole number of ticks, the double nearest to the exact time."""
    rate = round(1 / dt)
    return tick / rate if math.isclose(rate * dt, 1.0, rel_tol=1e-12) else tick * dt


def _joined(pieces: list[Run]) -> Run:
    columns = {name: np.concatenate([p.columns[name] for p in pieces]) for name in pieces[0].columns}
    outputs = {name: np.concatenate([p.outputs[name] for p in pieces]) for name in pieces[0].outputs}
    return Run(np.concatenate([p.t for p in pieces]), columns, outputs, pieces[-1].end)


def _later(plan: FaultPlan, t: float) -> FaultPlan:
    """The same plan with times counted from t; faults that have ended by then are left out."""
    coming = (e for e in plan.events if e.until > t)
    return FaultPlan(tuple(replace(e, at=max(0.0, e.at - t), until=e.until - t) for e in coming))

"""A law that looks on: it gets the measurements and the demand of a base that another law commands, and moves nothing.

A base writes fewer records than a law has ticks, so measurements between two records are interpolated. The law follows
the base's states by requests of its own, as an operator would give them. Where it gets out of step (it would have
stopped, say, or it came while the base was in drive already), its state is set to what the base does, and it goes on
from there; how often is counted.

In every tick the law is told that the commands of the base were its own: its monitors compare what legs do with what
they were really told, and its limits of rate begin there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.control.guard import LegGuard
from motionbase.control.law import ControlLaw
from motionbase.control.own_law import Law
from motionbase.control.ports import channels
from motionbase.plant.sensors import MEASURED
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DERIVATIVES, DOFS, LEGS
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.rig import RIG_AGE
from motionbase.record.schema import Schema
from motionbase.record.shadow import OF_LEGS, done, shadow_schema
from motionbase.record.states import QUIET, Mode, Request, State
from motionbase.spatial.rotations import Expr
from motionbase.system.measured_loop import MeasuredLoop, guard_of_rig, law_of_rig
from motionbase.system.rig_senses import LINES, POSE_BEFORE

SENSED = (*MEASURED, *LINES)
LEADS_TO = {  # what an operator asks for, so that a base comes into a state
    State.OFF: Request.OFF, State.DOWN: Request.DOWN, State.RISING: Request.STANDBY, State.ENGAGING: Request.DRIVE,
    State.DRIVE: Request.DRIVE, State.SETTLING: Request.SETTLE, State.STANDBY: Request.STANDBY,
    State.LOWERING: Request.LOWER, State.FREEZE: Request.FREEZE, State.ABORT: Request.ABORT,
}  # fmt: skip
JOINABLE = (*QUIET, State.DRIVE)  # states in which a law can be put beside the base: no move of its own is under way
STATES = frozenset(float(s) for s in State)
PATIENCE = 0.5  # [s] out of step with the base, after which the law is put beside it anew


@final
class ShadowSenses:
    """Measurements as they are, from outside."""

    state: tuple[Port, ...] = ()
    inputs: tuple[Port, ...] = tuple(Port(f"read_{p.name}", p.dims, p.unit, p.description) for p in SENSED)
    outputs: tuple[Port, ...] = ()

    @cached_property
    def unit(self) -> Kernel:
        """Inputs to what the law measures."""

        def expr(*values: Expr) -> Any:
            return values[:-1]

        return Kernel("shadow_senses", (*self.inputs, POSE_BEFORE), SENSED, expr)

    def at_rest(self) -> dict[str, Any]:
        """Nothing is measured yet."""
        return {p.name: np.zeros(p.dims) for p in self.inputs}


def shadow_loop(hexapod: Hexapod, live: Schema, law: Law | None = None) -> MeasuredLoop:
    """The platform's law, or a user's, for measurements of a base.

    Args:
        live: schema of the base's records; where its legs are a rig's, the law is that of such legs
    """
    rigged = RIG_AGE.name in live.index
    chosen = law or (law_of_rig(hexapod) if rigged else ControlLaw(hexapod))
    guard = guard_of_rig(hexapod, chosen.dt) if rigged else LegGuard.of(hexapod.actuator, chosen.dt)
    names = tuple(c.name for c in hexapod_schema(hexapod.electric).channels)
    return MeasuredLoop(hexapod, chosen, guard, ShadowSenses(), names)


@final
class Shadow:
    """A law beside a base, record after record.

    Attributes:
        schema: of its records
        record: the newest
        joined: whether it goes along with the base
        joins: how often it began to
        stops: how often it would have stopped though the base went on
        fault: its own
    """

    def __init__(self, loop: MeasuredLoop, live: Schema, every: int, tuned: Mapping[int, float] | None = None) -> None:
        """Compile.

        Args:
            live: schema of the base's records; every: ticks between them
            tuned: parameters that differ, by place
        """
        self.schema = shadow_schema(hexapod_schema(loop.hexapod.electric))
        self.record = np.zeros(len(self.schema.channels))
        self.joined, self.joins, self.stops = False, 0, 0
        self._loop, self._live, self._every = loop, live, every
        unit = compile(loop.program)
        start = {**loop.quiet_inputs(), **loop.at_rest()}
        self._io = {p.name: np.array(start[p.name], float).reshape(p.dims) for p in loop.program.inputs}
        self._io |= {p.name: np.zeros(p.dims) for p in loop.program.outputs}
        self._io["record"] = self.record[: len(loop.record_channels)]
        for place, value in (tuned or {}).items():
            self._io["parameters"][place] = value
        self._io["automatic"][...] = 0.0
        self._io["mode"][...] = float(Mode.HOST)
        self._step = unit.bind(**self._io)
        self._feedback = [(self._io[state], self._io[after]) for state, after in loop.feedback.items()]
        self._at = _places(live)
        self._told = {name: np.array([live.index[f"leg{k}_{name}"] for k in LEGS]) for name in ("l_cmd", "valve_cmd")}
        self._before: Array | None = None
        self._apart = 0.0
        self._faulted = False

    @property
    def fault(self) -> float:
        """Why it would have stopped, a number of `Fault`; a user law may have numbers of its own."""
        return float(self._io["fault"])

    @property
    def state(self) -> State:
        """Of the law."""
        return _state(float(self._io["state"]))

    def take(self, row: Array) -> Array:
        """One more record of the base; the law's own, until the next call."""
        live = _state(float(row[self._live.index["state"]]))
        before = row if self._before is None else self._before
        self._lead(live, row)
        for tick in range(1, self._every + 1):
            self._measure(before, row, (tick - 1) / self._every, tick / self._every)
            self._step()
            for state, after in self._feedback:
                state[...] = after
            self._io["asked"][...] = self._io["reset"][...] = 0.0
        self._before = row.copy()
        self._note(row)
        return self.record

    def _measure(self, before: Array, after: Array, last: float, part: float) -> None:
        """Measurements between two records, and the commands a tick before."""
        change = after - before
        row = after if part == 1.0 else before + part * change
        for name, (places, shape) in self._at.items():
            self._io[name][...] = row[places].reshape(shape)
        if isinstance(self._loop.law, ControlLaw):
            told = before + last * change
            self._legs_told(self._loop.law, told[self._told["l_cmd"]], told[self._told["valve_cmd"]])

    def _legs_told(self, law: ControlLaw, l: Array, valve: Array) -> None:
        """The law takes lengths and commands of the base for its own of the last tick."""
        x, legs = self._io["x"], law.legs.state.layout
        law.state.part(x, "l_cmd")[:] = l
        law.state.part(x, "leg_state").reshape(len(LEGS), legs.size)[:, legs.starts["command"]] = valve

    def _lead(self, live: State, row: Array) -> None:
        """Keep the law in step with the base: by requests, and where that fails by its state."""
        io, index, dt = self._io, self._live.index, self._loop.dt * self._every
        io["host_frame"][...] = np.array([[row[index[f"cmd_{d}{s}"]] for d in DOFS] for s in DERIVATIVES])
        io["host_count"][...] += 1.0
        io["estop"][...] = row[index["estop"]]
        is_apart = self.state is not live
        if is_apart and self._before is not None and self._before[index["state"]] != row[index["state"]]:
            io["asked"][...] = float(LEADS_TO.get(live, Request.NONE))
        self._apart = self._apart + dt if is_apart else 0.0
        self._count_stops(row)
        if (self._apart > PATIENCE or self._before is None) and live in JOINABLE and is_apart:
            self._join(live, row)
        self.joined = not is_apart or self._apart <= PATIENCE

    def _count_stops(self, row: Array) -> None:
        """A fault of this law that the base does not have."""
        faulted = bool(self.fault) and not row[self._live.index["fault"]]
        self.stops += faulted and not self._faulted
        self._faulted = faulted

    def _join(self, live: State, row: Array) -> None:
        """Put the law beside the base: in its state, with its commands."""
        self._apart, self.joins = 0.0, self.joins + 1
        self._io["x"][...] = self._loop.law.initial_state()
        self._io["guard"][...] = self._loop.guard.state.vector()
        if not isinstance(self._loop.law, ControlLaw):
            return  # only this law's state is known here
        index, layout, x = self._live.index, self._loop.law.state, self._io["x"]
        dof = np.array([[row[index[f"cmd_{d}{s}"]] for s in DERIVATIVES] for d in DOFS])
        legs = np.array([[row[index[f"leg{k}_l{s}_cmd"]] for s in DERIVATIVES] for k in LEGS])
        pose = np.array([row[index[f"pose_meas_{d}"]] for d in DOFS])

        def put(name: str, values: Array | float) -> None:
            layout.part(x, name)[:] = np.ravel(values)

        put("state", float(live))
        put("quiet", float(live in QUIET))
        put("mode", float(Mode.HOST))
        put("pose_meas", pose)
        put("limited", np.vstack([dof, np.zeros((len(LEGS), 3))]))
        put("l_cmd", legs[:, 0])
        put("held", dof)
        put("age", 0.0)
        put("count_held", float(self._io["host_count"]))
        for name, motion in (("dof_before", dof), ("leg_before", legs)):
            rows = np.zeros((6, layout.find(name).size // 6))
            rows[:, : motion.shape[1]] = motion
            put(name, rows)

    def _note(self, row: Array) -> None:
        """What is done, beside what the law would do."""
        record, own, live = self.record, self.schema.index, self._live.index
        for name in ("t", "tick"):
            record[own[name]] = row[live[name]]
        for leg in LEGS:
            for name in OF_LEGS:
                record[own[done(f"leg{leg}_{name}")]] = row[live[f"leg{leg}_{name}"]]
        for name in ("state", "fault"):
            record[own[done(name)]] = row[live[name]]
        for name in ("joined", "joins", "stops"):
            record[own[f"shadow_{name}"]] = float(getattr(self, name))


def _state(number: float) -> State:
    """OFF for a number that is none: a user law may have states of its own."""
    return State(int(number)) if number in STATES else State.OFF


def _places(live: Schema) -> dict[str, tuple[Array, tuple[int, ...]]]:
    """Input of the senses -> places in a record of the base, and its shape."""
    found: dict[str, list[int]] = {p.name: [0] * p.size for p in SENSED}
    for channel, (port, at) in channels().items():
        if port in found:
            found[port][at] = live.index[channel]
    return {f"read_{p.name}": (np.array(found[p.name]), p.dims) for p in SENSED}

"""A hexapod in closed loop under the executive: one native job per tick, and a slow job that takes commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, Port, compile
from motionbase.control.own_law import OwnLaw
from motionbase.executive.host.jobs import HostCode, HostLink
from motionbase.executive.predictive.jobs import PlannerLink
from motionbase.executive.rig.link import RigLink
from motionbase.executive.schedule import Job, Schedule, native_job
from motionbase.executive.timing import Clock
from motionbase.executive.tuning import Tuner
from motionbase.executive.worlds.link import WorldLink
from motionbase.host.format import Kind as HostKind
from motionbase.plant.fault_plan import FaultPlan
from motionbase.record.axes import LEGS
from motionbase.record.faults import GUARDED, WarningBit
from motionbase.record.parameters import ParameterTable
from motionbase.record.requests import Kind, Reason, Result
from motionbase.record.rig import Order as RigOrder
from motionbase.record.states import QUIET, TRANSITIONS, Mode, Request, State
from motionbase.ring.blocks.command import Order
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.blocks.generators import GeneratorReader
from motionbase.ring.blocks.seqlock import Outcome
from motionbase.ring.writer import Writer
from motionbase.system.operator import ASKED
from motionbase.system.runnable import Runnable

LISTEN_HZ = 100.0
RESET, ANY = Port("reset", (), "-"), Port("any", (), "-")
VALVE_CHANNELS = tuple(f"leg{k}_valve_cmd" for k in LEGS)
MODES = {Kind.HOST_MODE: float(Mode.HOST), Kind.MAINTENANCE_MODE: float(Mode.MAINTENANCE)}
RIG_ORDERS = {Kind.ENABLE: RigOrder.ENABLE, Kind.HOME: RigOrder.HOME, Kind.DISABLE: RigOrder.DISABLE}
STATES = frozenset(float(s) for s in State)
REQUESTS = {Kind(r): r for r in Request if r}
NOTHING = Kernel("nothing", (ANY,), (ASKED, RESET), lambda x: (0.0 * x, 0.0 * x))
NOT_DRIVABLE = WarningBit.HOST_SILENT | WarningBit.DEMAND_OUTSIDE  # host mode: nothing that could be followed


@final
@dataclass(frozen=True, eq=False)
class LoopCode:
    """What takes seconds to make and needs no ring yet: compiled code, and the state to start from."""

    loop: Runnable
    step: Compiled
    nothing: Compiled
    start: dict[str, Any]
    host: HostCode | None = None
    rig: Compiled | None = None

    @staticmethod
    def of(loop: Runnable, host: HostKind | None = None, rigged: bool = False) -> LoopCode:
        """Compile.

        Args:
            host: what a host tells, if there is one
            rigged: the legs are a rig's
        """
        start = {**loop.quiet_inputs(), **loop.at_rest()}
        beside = None if host is None else HostCode.of(host)
        return LoopCode(
            loop, compile(loop.program), compile(NOTHING), start, beside, RigLink.code() if rigged else None
        )


@final
@dataclass(frozen=True, eq=False)
class HexapodRun:
    """The arrays and jobs of a run.

    Attributes:
        code: of a loop made with the channels of the writer's schema
        say: takes a sentence for people; called within a tick, so it must not block
        faults: what goes wrong, and when
        tuned: parameters to start with, by place in their vector; the others are as designed
        clock: the executive's, whose lateness the guard looks at
        host: the exchange with a host's process, if there is one
        planner: the exchange with the planner of the cueing, if there is one
        world: the exchange with the world of the host's vehicle, if there is one
        rig: the exchange with what moves the legs, if it is not the plant
    """

    code: LoopCode
    writer: Writer
    say: Callable[[str], object]
    faults: FaultPlan = field(default_factory=FaultPlan)
    tuned: Mapping[int, float] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    host: HostLink | None = None
    planner: PlannerLink | None = None
    world: WorldLink | None = None
    rig: RigLink | None = None

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """One for every port of the closed loop; the record is the writer's own."""
        program, start = self.code.loop.program, self.code.start
        held = {p.name: np.array(start[p.name], dtype=np.float64).reshape(p.dims) for p in program.inputs}
        made = {p.name: np.zeros(p.dims) for p in program.outputs if p.name != "record"}
        for place, value in self.tuned.items():
            held["parameters"][place] = value
        if self.planner is not None:
            held["plan"] = self.planner.plan
        if self.rig is not None:
            held |= self.rig.inputs
        row = self.writer.record[: len(self.code.loop.record_channels)]  # the host's own channels may follow
        return {**held, **made, "lateness": self.clock.lateness.reshape(()), "record": row}

    @cached_property
    def schedule(self) -> Schedule:
        """Listen first, then the closed loop; a request lasts for one tick."""
        arrays, code, host, zero = self.arrays, self.code, self.host, np.zeros(())
        step = native_job(code.step, feedback=code.loop.feedback, **arrays)
        taken = native_job(code.nothing, any=zero, asked=arrays["asked"], reset=arrays["reset"])
        every = max(1, round(1 / (LISTEN_HZ * code.loop.dt)))
        self.listen(0)  # makes what the first tick would wait for
        hearing, telling = ((), ()) if host is None else (host.hearing(arrays), host.telling(arrays, self.clock))
        if (planner := self.planner) is not None:
            hearing, telling = (*hearing, *planner.hearing), (*telling, *planner.telling(arrays, self.clock))
        if self.world is not None:
            hearing = (*hearing, *self.world.hearing)
        if self.rig is not None:
            hearing, telling = (*hearing, *self.rig.hearing), (*telling, *self.rig.telling(arrays, self.clock))
        jobs = (Job("listen", every, self.listen), *hearing, Job("closed loop", 1, step), *telling)
        return Schedule(code.loop.dt, (*jobs, Job("request taken", 1, taken)))

    @cached_property
    def commands(self) -> CommandReceiver:
        """Commands of operators."""
        return CommandReceiver(self.writer.segment, self.writer.header.layout)

    @cached_property
    def generators(self) -> GeneratorReader:
        """Settings of the generators."""
        return GeneratorReader(self.writer.segment, self.writer.header.layout)

    @cached_property
    def tuner(self) -> Tuner | None:
        """Changes parameters; None if the ring has no table of them."""
        text = self.writer.header.layout.parameters
        return Tuner(ParameterTable.from_json(text), self.writer, self.arrays["parameters"]) if text else None

    @property
    def state(self) -> State:
        """Of the control law, after the last tick; off if a user law gives a number that is no state."""
        number = float(self.arrays["state"])
        return State(int(number)) if number in STATES else State.OFF

    @cached_property
    def _changes(self) -> list[float]:
        """Times at which further faults begin or end [s]."""
        return list(self.faults.changes)

    # ---- the slow job ----

    def listen(self, tick: int) -> None:
        """Commands, generator settings and faults, a hundred times a second."""
        arrays = self.arrays
        # a law knows its pose after a few ticks; a request of the very first one would be taken and come to nothing.
        # A stop is another matter: one that was asked for before the first tick acts in it
        if tick == 0:
            self.commands.look()
        elif (order := self.commands.poll()) is not None:
            self._obey(order, tick)
        arrays["estop"][...] = float(self.commands.estop)
        is_stopped = self.commands.estop or arrays["fault"] != 0 or (self.rig is not None and self.rig.is_faulty)
        if is_stopped:
            arrays["automatic"][...] = 0.0  # after a stop a person takes over: a reset alone moves nothing
        if self.rig is not None and arrays["automatic"] > 0:
            self.rig.lead(arrays)
        if self.generators.changed():
            self._take_generators()
        t = tick * self.code.loop.dt
        if self.tuner is not None:
            self.tuner.advance(t)
        while self._changes and self._changes[0] <= t:
            self._changes.pop(0)
            now = self.faults.inputs(t)
            if self.host is not None:
                self.host.on[...] = now.pop("host")
            for name, value in now.items():
                if name in arrays:
                    arrays[name][...] = value

    def _obey(self, order: Order, tick: int) -> None:
        command, arrays = order.command, self.arrays
        if command is None:
            self.say(f"a command was refused: {order.refusal.name.lower().replace('_', ' ')}")
            return
        arrays["command_ack"][...] = float(order.number)
        if (request := REQUESTS.get(command.kind)) is not None:
            if (refusal := self._refusal(request)) is not Reason.NONE:
                self.commands.answer(order, Result.REFUSED, refusal)
                return
            arrays["asked"][...] = float(request)
            arrays["automatic"][...] = 0.0  # a person has taken over
        elif command.kind in MODES:
            arrays["mode"][...] = MODES[command.kind]
        elif command.kind is Kind.RESET_FAULT:
            arrays["reset"][...] = 1.0
            self.commands.release_estop()
            if self.rig is not None and self.rig.is_faulty:  # without one it would stop legs that follow
                self.rig.give(RigOrder.RESET)
        elif command.kind in RIG_ORDERS:
            if self.rig is None:
                self.commands.answer(order, Result.REFUSED, Reason.NO_RIG)
                return
            arrays["automatic"][...] = 0.0
            if (refusal := self.rig.refusal(RIG_ORDERS[command.kind], self.state)) is not Reason.NONE:
                self.commands.answer(order, Result.REFUSED, refusal)
                return
            self.rig.give(RIG_ORDERS[command.kind])
        elif command.kind is not Kind.TUNE or self.tuner is None:
            self.commands.answer(order, Result.REFUSED, Reason.NOT_SUPPORTED)
            return
        elif (refusal := self._tune(self.tuner, order, tick)) is not Reason.NONE:
            self.commands.answer(order, Result.REFUSED, refusal)
            return
        self.commands.answer(order, Result.ACCEPTED)

    def _tune(self, tuner: Tuner, order: Order, tick: int) -> Reason:
        assert order.command is not None
        place, value = int(order.command.arguments[0]), order.command.arguments[1]
        before, t = tuner.goal(place) if place < tuner.table.size else 0.0, tick * self.code.loop.dt
        if (refusal := tuner.ask(place, value, t, self.state)) is Reason.NONE:
            parameter, k = tuner.table.places[place]
            said = f"{parameter.label(k)} from {before:.6g} to {value:.6g} {parameter.unit}".removesuffix(" -")
            self.say(f"{t:8.1f} s  {said} ({order.sender}, process {order.pid})")
        return refusal

    def _refusal(self, request: Request) -> Reason:
        """Why the control law would refuse a request now; an abort is always passed on."""
        if request is Request.ABORT:
            return Reason.NONE
        if self.commands.estop:
            return Reason.ESTOP_ACTIVE
        if float(self.arrays["fault"]) in GUARDED:
            return Reason.FAULT_ACTIVE  # the guard holds any law
        if isinstance(self.code.loop.law, OwnLaw):
            return Reason.NONE  # a user law decides for itself
        if self.arrays["fault"] != 0:
            return Reason.FAULT_ACTIVE
        flag = f"request_{request.name.lower()}"
        if not any(self.state in t.sources and flag in t.when for t in TRANSITIONS):
            return Reason.WRONG_STATE
        if (
            self.rig is not None
            and self.state in QUIET
            and request is not Request.OFF
            and not self.rig.has_power(self.arrays)
        ):
            return Reason.LEGS_NOT_READY
        if request is Request.DRIVE and int(self.arrays["warning"]) & NOT_DRIVABLE:
            return Reason.NOT_READY
        return Reason.NONE

    def _take_generators(self) -> None:
        outcome = self.generators.poll()
        if outcome is Outcome.NEW:
            self.arrays["settings"][...] = self.generators.values
            self.arrays["settings_version"][...] = float(self.generators.version)
        elif outcome is Outcome.REFUSED:
            self.say(f"generator settings were refused: {self.generators.reason}")


def safe_stop(run: HexapodRun) -> Job:
    """Close the valves: commands go to zero, also in the last record, the hardware's abort is set, rigs rest."""
    index = run.writer.schema.index
    shown = [index[name] for name in VALVE_CHANNELS if name in index]

    def close(_tick: int) -> None:
        run.arrays["valve_cmd"][...] = 0.0
        run.arrays["abort"][...] = 1.0
        run.writer.record[shown] = 0.0
        if run.rig is not None:
            run.rig.rest()

    return Job("close valves", 1, close)

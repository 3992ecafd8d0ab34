"""A hexapod in closed loop under the executive: one native job a tick, and a slow one that listens to people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port, compile
from motionbase.executive.schedule import Job, Schedule, native_job
from motionbase.ring import Writer
from motionbase.ring.blocks.command import Kind, Order, Reason, Result
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.blocks.generators import GeneratorReader
from motionbase.ring.blocks.seqlock import Outcome
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.operator import ASKED
from motionbase.system.stages import FaultPlan, Request, State

Array = NDArray[np.float64]
LISTEN_HZ = 100.0
RESET, ANY = Port("reset", (), "-"), Port("any", (), "-")
MODES = {Kind.HOST_MODE: 0.0, Kind.MAINTENANCE_MODE: 1.0}
REQUESTS = {Kind(r.value): float(r) for r in Request if r}


@final
@dataclass(frozen=True, eq=False)
class HexapodRun:
    """The arrays and jobs of a run.

    Attributes:
        loop: made with the channels of the writer's schema
        faults: what goes wrong, and when
        say: takes a sentence for people; called outside the ticks' own thread of work as little as possible
    """

    loop: ClosedLoop
    writer: Writer
    faults: FaultPlan = field(default_factory=FaultPlan)
    say: Callable[[str], object] = print

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """One for every port of the closed loop; the record is the writer's own."""
        program = self.loop.program
        start = {**self.loop.quiet_inputs(), **self.loop.at_rest()}
        held = {p.name: np.array(start[p.name], dtype=np.float64).reshape(p.dims) for p in program.inputs}
        made = {p.name: np.zeros(p.dims) for p in program.outputs if p.name != "record"}
        return {**held, **made, "record": self.writer.record}

    @cached_property
    def schedule(self) -> Schedule:
        """Listen first, then the closed loop; a request lasts for one tick."""
        arrays, program = self.arrays, self.loop.program
        step = native_job(compile(program), feedback=self.loop.feedback, **arrays)
        nothing = Kernel("nothing", (ANY,), (ASKED, RESET), lambda x: (0.0 * x, 0.0 * x))
        zero = np.zeros(())
        cleared = native_job(compile(nothing), any=zero, asked=arrays["asked"], reset=arrays["reset"])
        every = max(1, round(1 / (LISTEN_HZ * self.loop.dt)))
        jobs = (Job("listen", every, self.listen), Job("closed loop", 1, step), Job("request taken", 1, cleared))
        return Schedule(self.loop.dt, jobs)

    @cached_property
    def commands(self) -> CommandReceiver:
        """What people ask for."""
        return CommandReceiver(self.writer.segment, self.writer.header.layout)

    @cached_property
    def generators(self) -> GeneratorReader:
        """What the generators are set to."""
        return GeneratorReader(self.writer.segment, self.writer.header.layout)

    @property
    def state(self) -> State:
        """Of the control law, after the last tick."""
        return State(int(self.arrays["state"]))

    # ---- the slow job ----

    def listen(self, tick: int) -> None:
        """Commands, generator settings and faults, a hundred times a second."""
        arrays = self.arrays
        if (order := self.commands.poll()) is not None:
            self._obey(order)
        arrays["estop"][...] = float(self.commands.estop)
        if self.generators.changed():
            self._take_generators()
        for name, value in self.faults.inputs(tick * self.loop.dt).items():
            if name in arrays:
                arrays[name][...] = value

    def _obey(self, order: Order) -> None:
        command, arrays = order.command, self.arrays
        if command is None:
            self.say(f"a command was refused: {order.refusal.name.lower().replace('_', ' ')}")
            return
        arrays["command_ack"][...] = float(order.number)
        if command.kind in REQUESTS:
            arrays["asked"][...] = REQUESTS[command.kind]
            arrays["automatic"][...] = 0.0  # a person has taken over
        elif command.kind in MODES:
            arrays["mode"][...] = MODES[command.kind]
        elif command.kind is Kind.RESET_FAULT:
            arrays["reset"][...] = 1.0
            self.commands.release_estop()
        else:
            self.commands.answer(order, Result.REFUSED, Reason.NOT_SUPPORTED)
            return
        self.commands.answer(order, Result.ACCEPTED)

    def _take_generators(self) -> None:
        outcome = self.generators.poll()
        if outcome is Outcome.NEW:
            self.arrays["settings"][...] = self.generators.values
            self.arrays["settings_version"][...] = float(self.generators.version)
        elif outcome is Outcome.REFUSED:
            self.say(f"generator settings were refused: {self.generators.reason}")


def safe_stop(run: HexapodRun) -> Job:
    """Shut the valves: the commands go to zero in the record, and the plant's abort acts."""

    def close(_tick: int) -> Any:
        run.arrays["valve_cmd"][...] = 0.0
        run.arrays["abort"][...] = 1.0

    return Job("close valves", 1, close)

"""A model under the executive: all of a tick is native; operators and controller are heard by threads beside it.

In a tick: take what the mailboxes hold, look at the joints, decide what moves the model, send the state to the
controller, make the step, judge it. The record of tick k shows the state at t_k, the torques or settings that follow
from it and how well the step to t_k+1 was solved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.executive.exchange import Exchange, judge
from motionbase.executive.mailbox import Mailbox, StopLatch
from motionbase.executive.model.code import STATES, ModelCode
from motionbase.executive.model.frames import Form
from motionbase.executive.model.operator import Operator
from motionbase.executive.model.orders import Memory, Order
from motionbase.executive.model.settling import SEEN_AS, arrays_of, joint_arrays
from motionbase.executive.replaceable import ReplaceableJob
from motionbase.executive.schedule import Job, NativeJob, Schedule, native_job
from motionbase.executive.timing import Clock
from motionbase.multibody.network.real_time import Repivoting
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.states import State
from motionbase.ring.writer import Writer

COUNTERS = ("frames", "late", "duplicate", "malformed", "foreign")
ACCEPTED = {"count": "count_next", "unsolved": "unsolved_next", **{name: f"{name}_taken" for name in STATES}}
DENSE_SHARE = 0.5  # of a tick that dense factors may take, where no order of pivots lasts
MEMORY = Memory.layout.starts


@final
@dataclass(frozen=True, eq=False)
class ModelRun:
    """The arrays, mailboxes and jobs of a run.

    Attributes:
        code: the compiled parts
        say: takes a sentence for people
        automatic: drive as soon as the controller answers, without being asked
        tuned: parameters to start with, by place in their vector; the others are as designed
        clock: the executive's
        exchange: shared memory, if that is how the controller is reached
        partner: that with a tail rotor in another process, if there is one

        state_out: to the controller: tick, t, positions, speeds, set points followed, gains
        answer_in: from the controller: tick that is answered, counters, torques
        orders_in: from operators: `Order`, then parameters
    """

    code: ModelCode
    writer: Writer
    say: Callable[[str], object]
    automatic: bool = True
    tuned: Mapping[int, float] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    exchange: Exchange | None = None
    partner: Exchange | None = None

    @property
    def form(self) -> Form:
        """Of states and answers."""
        return self.code.plant.form

    @cached_property
    def state_out(self) -> Mailbox:
        return Mailbox(2 + self.form.size) if self.exchange is None else self.exchange.states

    @cached_property
    def answer_in(self) -> Mailbox:
        box = Mailbox(1 + len(COUNTERS) + self.form.n)
        box.row[0] = -self.hold - 1.0  # as old as if it had been silent for too long
        return box

    @property
    def hold(self) -> int:
        """Ticks after which the state that torques answer is too old."""
        return round(self.code.timing.hold_s / self.code.timing.dt)

    @cached_property
    def orders_in(self) -> Mailbox:
        return Mailbox(Order.layout.size + self.code.plant.parameters.size)

    @cached_property
    def stop(self) -> StopLatch:
        """The emergency stop as the loop itself sees it."""
        commands_at = self.writer.segment.address + self.writer.header.layout.commands_at
        return StopLatch(commands_at, self.operator.commands.released)

    @cached_property
    def parameters(self) -> Array:
        """Those that operators change; the loop has its own copy, from the mailbox."""
        values = np.array(self.code.plant.parameters.designed)
        for place, value in self.tuned.items():
            values[place] = value
        return values

    # ---- the loop's arrays and jobs --------------------------------------------------------------------------------

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """By name of port; those of several kernels with the same name are one array."""
        states, weights = self.code.begun
        made = arrays_of(self.code, {name: states[name] for name in STATES}, weights)
        for name, value in states.items():  # with what laws have learnt while the model settled
            made[name][...] = value
        made["memory"][MEMORY["wanted"]] = float(self.automatic)
        return made

    @cached_property
    def shown(self) -> dict[str, Array]:
        """Channels of the record: name of the first -> array."""
        arrays, plant = self.arrays, self.code.plant
        groups = plant.schema.groups
        found = {groups[group][0]: arrays[name] for group, name in plant.groups.items()}
        single = {"residual": "residual", "growth": "growth", "unsolved": "count"}
        found |= {channel: arrays[name].reshape(1) for channel, name in single.items()}
        found |= {"repivots": self._repivots, "command_ack": self.operator.ack}
        found |= {name: arrays["shown"][k : k + 1] for k, name in enumerate(plant.shown)}
        counters = self.answer_in.row[1 : 1 + len(COUNTERS)]
        found |= {f"controller_{name}": counters[k : k + 1] for k, name in enumerate(COUNTERS)}
        return found

    @cached_property
    def _repivots(self) -> Array:
        return np.zeros(1)

    @cached_property
    def schedule(self) -> Schedule:
        """Native jobs alone."""
        arrays, code = self.arrays, self.code
        observers = {f"observe {k}" if k else "observe": job for k, job in enumerate(self._observers())}
        jobs = {
            "orders": self.orders_in.taking(),
            "stop": self.stop.looking(),
            **self._answers(),
            **({} if self.partner is None else {"tail": self.partner.states.taking()}),
            "joints": native_job(code.joints, feedback=None, **joint_arrays(code, arrays)),
            **observers,
            "command": native_job(
                code.command, feedback=dict(code.plant.kept),
                **{port.name: self._commanding.get(port.name, arrays[port.name]) for port in code.command.unit.ports},
            ),
            "send": self.state_out.sending(),
            **({} if self.partner is None else {"tell tail": self.partner.answers.sending()}),
            "step": self.step.job,
            "accept": native_job(
                code.accept, feedback=ACCEPTED,
                **{port.name: arrays[port.name] for port in code.accept.unit.ports},
            ),
        }  # fmt: skip
        self.listen()  # so that the first tick has its parameters
        return Schedule(code.timing.dt, tuple(Job(name, 1, run) for name, run in jobs.items()))

    def _observers(self) -> list[NativeJob]:
        """The first one keeps the coordinates, so that angles go on after half a turn."""
        jobs = []
        for k, compiled in enumerate(self.code.observers):
            names = {port.name: SEEN_AS.get(port.name, port.name) for port in compiled.unit.ports}
            given = {port: self._commanding.get(name, self.arrays[name]) for port, name in names.items()}
            jobs.append(native_job(compiled, feedback={} if k else {"before": "q"}, **given))
        return jobs

    @cached_property
    def _commanding(self) -> dict[str, Array]:
        """What comes from mailboxes and goes there, by name of port."""
        orders, answers, split = self.orders_in.row, self.answer_in.row, Order.layout.size
        return {
            "order": orders[:split], "parameters": orders[split:], "stop": self.stop.acts.reshape(()),
            "answered": answers[:1].reshape(()), "answer": answers[-self.form.n :], "sent": self.state_out.row,
            "tick": self.clock.tick.reshape(()), "t": self.clock.t.reshape(()), **self._meeting,
        }  # fmt: skip

    @property
    def _meeting(self) -> dict[str, Array]:
        """Rows from and to the tail rotor's process."""
        if self.partner is None:
            return {}
        told, ours = self.partner.states, self.partner.answers
        return {"partner": told.row, "partner_count": told.taken.reshape(()), "partner_sent": ours.row}

    def _answers(self) -> dict[str, NativeJob]:
        """Answers that a thread has judged, or those of the exchange, which the loop judges itself."""
        if self.exchange is None:
            return {"answers": self.answer_in.taking()}
        box, kept, seen = self.exchange.answers, self.answer_in.row, np.zeros(())
        judged = native_job(
            compile(judge(self.form.n, self.hold)), feedback={"seen": "seen_next", "kept": "kept_next"},
            count=box.taken.reshape(()), seen=seen, row=box.row, kept=kept, tick=self.clock.tick.reshape(()),
            seen_next=np.zeros(()), kept_next=np.zeros_like(kept),
        )  # fmt: skip
        return {"answers": box.taking(), "judge": judged}

    @cached_property
    def step(self) -> ReplaceableJob:
        """The step of the network; its code is replaced when pivots are chosen anew."""
        arrays, inputs = self.arrays, self.code.plant.inputs
        given: dict[str, Array] = {}
        for port in self.code.step.unit.ports:
            if port.name in inputs:
                name, k = inputs[port.name]
                given[port.name] = arrays[name][k:][:1].reshape(())
            elif port.name.endswith("_active"):
                given[port.name] = np.ones(port.dims)
            else:
                given[port.name] = arrays[port.name]
        # states are fed back by `accept`; how often pivots were poor is counted in every step, solved or not
        return ReplaceableJob(self.code.step, feedback={"worst": "worst_next"}, **given)

    # ---- beside the loop -------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Of the model, after the last tick."""
        return State(int(self.arrays["shown"][self.code.plant.shown.index("state")]))

    @property
    def fault(self) -> ModelFault:
        """After the last tick."""
        return ModelFault(int(self.arrays["shown"][self.code.plant.shown.index("fault")]))

    @property
    def tail_is_silent(self) -> bool:
        """Whether a tail rotor in another process tells nothing."""
        shown = self.code.plant.shown
        return bool(int(self.arrays["shown"][shown.index("warning")]) & ModelWarningBit.TAIL_SILENT)

    def repivoting(self) -> Repivoting:
        """A watch that chooses pivots anew where those of the step suit badly; a context manager."""
        network, dt = self.code.network, self.code.timing.dt
        return Repivoting(network, self.arrays, self._put_step, may_be_dense=network.dense_s < DENSE_SHARE * dt)

    def _put_step(self, compiled: Compiled) -> None:
        self.step.replace(compiled)
        self._repivots[0] += 1.0
        self.say(f"{self.clock.t[0]:8.1f} s  pivots of the step were chosen anew: their growth was too large here")

    @cached_property
    def operator(self) -> Operator:
        """Who hears commands."""
        return Operator(self)

    def listen(self) -> None:
        """Take a command, move parameters towards their goals, and tell the loop; called again and again."""
        self.operator.listen()

    def rest(self) -> None:
        """As the last record shows it; the loop must not run any more."""
        self.code.plant.rest(self.arrays)

"""The loop's side of the exchange with a planner: what it says is taken, and where cueing stands is told.

    loop to planner    tick, t, then `cueing.predictive.plans.Standing`
    planner to loop    `cueing.predictive.plans.Planned`, whose tick is the answer's

The cueing judges every answer itself; a planner that is late, wrong or gone costs the loop nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, Port, compile
from motionbase.compile.struct import MIXED
from motionbase.cueing.predictive.plans import PLAN, no_plan
from motionbase.cueing.predictive.rows import PLANNED, STANDING
from motionbase.cueing.predictive.tick import WHERE
from motionbase.executive.exchange import PLANNER, Blocks, Exchange
from motionbase.executive.schedule import Job, native_job
from motionbase.executive.timing import Clock
from motionbase.system.runnable import Runnable

BLOCKS = Blocks(PLANNER, PLANNED - 1, STANDING)
TELL = Kernel(
    "tell_planner",
    (Port("tick"), Port("t", (), "s"), WHERE),
    (Port("told", 2 + STANDING, MIXED, "what a plan is made of"),),
    lambda tick, t, where: ca.vertcat(tick, t, where.column),
)  # fmt: skip
"""The row for the planner after a tick."""


def wants_plans(loop: Runnable) -> bool:
    """Whether the loop's cueing follows plans."""
    return any(port.name == PLAN.name for port in loop.program.inputs)


@final
@dataclass(frozen=True, eq=False)
class PlannerLink:
    """A planner as the loop meets it.

    Attributes:
        tell: TELL, compiled
        exchange: made by this process
    """

    tell: Compiled
    exchange: Exchange

    @staticmethod
    def of(exchange: Exchange) -> PlannerLink:
        """Compile, and begin without a plan."""
        exchange.answers.row[:] = no_plan()
        return PlannerLink(compile(TELL), exchange)

    @property
    def plan(self) -> Array:
        """The loop's input of this name: the newest answer."""
        return self.exchange.answers.row

    @cached_property
    def hearing(self) -> tuple[Job, ...]:
        """Before the loop's step."""
        return (Job("planner", 1, self.exchange.answers.taking()),)

    def telling(self, arrays: Mapping[str, Array], clock: Clock) -> tuple[Job, ...]:
        """After the loop's step."""
        box = self.exchange.states
        given = {"tick": clock.tick.reshape(()), "t": clock.t.reshape(()), WHERE.name: arrays[WHERE.name]}
        told = native_job(self.tell, feedback=None, **given, told=box.row)
        return Job("where cueing stands", 1, told), Job("tell planner", 1, box.sending())

"""A helicopter and its tail rotor as two runs in two processes: what they tell each other, and what silence does.

The exchange is that of a model and its controller (`exchange.py`) with the tail rotor as the model: it writes its
tick, settings and loads, and takes collective pitch and air. The main rotor's run makes the file, so that its loop has
the same memory whatever becomes of the tail rotor's process, and never waits: it takes the newest row that is there.
Until a first row has come, and when none has come for a while, the thrust fades to that which is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.compile import Port
from motionbase.errors import UsageError
from motionbase.executive.exchange import BOUND, SMALL, Exchange
from motionbase.executive.model.frames import Form, of_controls
from motionbase.ring.backend import find
from motionbase.ring.names import TAIL
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.running.operated import OperatedRotor, Output
from motionbase.rotor.running.tail import FLOW, collective_for, tail_of, told
from motionbase.spatial.rotations import Expr

LOOK_S = 0.05  # between looks for the helicopter
HOLD_S, FADE_S = 0.05, 0.1  # [s] of silence that are borne, and then to the thrust that is asked for
ABOUT_TAIL = (
    Output("tail_thrust", "N", "of the tail rotor, to the right, as it acts on the airframe"),
    Output("tail_torque", "N m", "that the air takes from the tail rotor's shaft, as last told"),
    Output("tail_age", "s", "since the tail rotor's process told its thrust last"),
    Output("tail_fallback", "-", "0: the thrust that its process tells acts, 1: the thrust that is asked for"),
    Output("tail_tick", "-", "step of the tail rotor's process of which the last row told"),
)
START = np.array([0.0, HOLD_S, 1.0])  # rows seen, age, share of the thrust that is asked for


class Met(NamedTuple):
    """What follows from the newest row.

    Attributes:
        thrust: that acts [N]
        shown: of `ABOUT_TAIL`
        memory: next
        sent: row for the tail rotor: the tick it told of, collective pitch, air
        is_silent: 1 while nothing comes
    """

    thrust: Expr
    shown: Expr
    memory: Expr
    sent: Expr
    is_silent: Expr


def await_helicopter(ring: str, form: Form, signals: Sequence[int]) -> Exchange:
    """The exchange of the helicopter that writes a ring, as soon as there is one, or an error when a signal comes."""
    backend = find(ring)
    while not signals:
        exchange = Exchange.attached(backend, TAIL)
        if exchange is not None:
            if exchange.blocks == form.blocks:
                return exchange
            exchange.close()
            raise UsageError(f"ring {ring!r} is of a helicopter with another tail rotor")
        time.sleep(LOOK_S)
    raise UsageError(f"ring {ring!r} has no helicopter that wants a tail rotor")


def partner_of(reference: str) -> Partner:
    """The tail rotor of a rotor."""
    model = tail_of(reference)
    return Partner(told(model), model.planform)


@final
@dataclass(frozen=True, eq=False)
class Partner:
    """The tail rotor as its helicopter meets it.

    Attributes:
        tail: as its own process runs it
        planform: of its blades
    """

    tail: OperatedRotor
    planform: Planform

    @property
    def form(self) -> Form:
        """Of the exchange."""
        return of_controls(len(self.tail.controls), len(self.tail.outputs))

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Row, how many have come, and what is kept."""
        return Port("partner", 2 + self.form.size), Port("partner_count"), Port("partner_memory", len(START))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What is kept, and the row for the tail rotor."""
        return Port("partner_memory_next", len(START)), Port("partner_sent", 1 + self.form.n)

    def met(self, asked: Expr, seen: Mapping[str, Expr], row: Expr, count: Expr, memory: Expr, dt: float) -> Met:
        """The thrust for a tick.

        Args:
            asked: thrust that is asked for [N]
            seen: outputs of the main rotor, with `tail_flow_x` to `_z`
        """
        outputs = [one.name for one in self.tail.outputs]
        thrust, torque = (row[2 + 2 * self.form.n + outputs.index(name)] for name in ("thrust", "torque"))
        sound = ca.fabs(SMALL * thrust) + ca.fabs(SMALL * torque) < BOUND
        new = ca.logic_and(count != memory[0], sound)
        age = ca.if_else(new, 0, memory[1] + dt)
        silent = age >= HOLD_S
        share = ca.fmin(ca.fmax(memory[2] + ca.if_else(silent, dt / FADE_S, -dt / FADE_S), 0), 1)
        acts = asked + ca.if_else(sound, (1 - share) * (thrust - asked), 0)
        flow = [seen[f"tail_{name}"] for name in FLOW]
        sent = ca.vertcat(row[0], collective_for(self.planform, asked, flow[2]), *flow)
        shown = ca.vertcat(acts, ca.if_else(sound, torque, 0), age, share, ca.if_else(sound, row[0], 0))
        return Met(acts, shown, ca.vertcat(count, age, share), sent, silent)

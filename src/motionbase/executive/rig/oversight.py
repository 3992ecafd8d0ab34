"""The overseer of a rig, in a process of its own: it reads the legs by itself, and may only stop them.

It stops by every path it has: the witness's own, a word to the process that moves the legs, and the emergency stop of
the ring. If it dies or hangs, the process that moves the legs stops them.
"""

from __future__ import annotations

import gc
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Never

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.exchange import OVERSEER, Blocks, Exchange
from motionbase.executive.host.process import be_urgent
from motionbase.executive.serving import LOOK_S, awaited, next_due
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, StopCause
from motionbase.rig.border import Sight, Witness
from motionbase.rig.files import load_rig
from motionbase.rig.oversight import Awake, Bounds, Claim, Overseer, Reason
from motionbase.ring import names
from motionbase.ring.backend import find
from motionbase.ring.emergency import Stopper

LEGS = 6
PERIOD = 0.005  # [s] of its looks
MISSED_S = 0.25  # without a word of the overseer, after which legs are stopped
FIRST_S = 10.0  # for its first word, before which legs are not even switched on
LATE_S, LATE = 0.05, 3  # from one cycle to the next, after which their process was not let run [s], and periods
BLOCKS = Blocks(OVERSEER, 3, 1 + 3 * LEGS)  # cause, leg, value | measured_at, lengths, wanted, states
WHO = "the overseer"


def claim_row(
    count: int, now: float, measured_at: float, l: Array, wanted: Array, states: tuple[LegState, ...]
) -> Array:
    """What the overseer is told after a cycle: its count and time, then a claim."""
    return np.concatenate([[count, now, measured_at], l, wanted, np.array(states, float)])


def claim_of(row: Array) -> Claim:
    """From such a row."""
    l, wanted, states = row[3:].reshape(3, LEGS)
    return Claim(float(row[1]), float(row[2]), l, wanted, tuple(LegState(int(s)) for s in states))


class Heartbeat:
    """The overseer as the process that moves the legs hears it.

    Attributes:
        cause: why it wants a stop; OVERSEER_SILENT if it has not been heard for too long
    """

    def __init__(self, exchange: Exchange, now: float, period: float) -> None:
        """Args: period: between calls of `listen`, now: when they begin [s]."""
        self.cause = StopCause.NONE
        self._exchange, self._count, self._heard_at = exchange, -1.0, now
        self._was_heard, self._awake = False, Awake(now, max(LATE_S, LATE * period))

    def listen(self, now: float) -> StopCause:
        """What it says."""
        self._heard_at += self._awake.missed(now)  # nobody is silent who was not listened to
        row = self._exchange.answers.get()
        if row is not None and row[0] != self._count:
            self._count, self._heard_at, self._was_heard = float(row[0]), now, True
            self.cause = StopCause(int(row[1]))
        elif now - self._heard_at > (MISSED_S if self._was_heard else FIRST_S):
            self.cause = StopCause.OVERSEER_SILENT
        return self.cause

    @property
    def is_waited_for(self) -> bool:
        """Whether it has not been heard yet."""
        return not self._was_heard


def serve(file: str, ring: str, platform: str, place: str) -> Never:
    """Oversee the rig of a ring, run after run, until the process is told to end."""
    hexapod = load_platform(platform)
    rig = load_rig(file, hexapod)
    backend, stopper = find(ring), Stopper(ring)
    with ExitStack() as beside:
        witness = rig.witness(Path(place))
        if witness is None:
            print("overseer: nothing but the rig itself tells where the legs are; no second reading", flush=True)
        else:
            beside.enter_context(closing(witness))
        be_urgent()
        while True:
            with awaited(backend, names.OVERSEER, (OVERSEER,)) as exchange:
                gc.collect()
                gc.freeze()
                oversee(exchange, Overseer(Bounds.of(hexapod)), witness, stopper)


def oversee(exchange: Exchange, overseer: Overseer, witness: Witness | None, stopper: Stopper) -> None:
    """Look until the process that moves the legs has ended."""
    looked = due = time.monotonic()
    count, told, row = 0, StopCause.NONE, np.zeros(1 + BLOCKS.n)
    while True:
        now = time.monotonic()
        state = exchange.states.get()
        claim = None if state is None else claim_of(state)
        reason = overseer.look(now, claim, _sight(now, witness, claim))
        if reason.cause and reason.cause is not told:
            _stop(reason, witness, stopper, state)
        elif reason.cause and witness is not None:
            witness.stop()
        told, count = reason.cause, count + 1
        row[:] = count, reason.cause, reason.leg, reason.value
        exchange.answers.put(row)
        if now - looked > LOOK_S:
            looked = now
            if exchange.is_replaced():
                return
        due = next_due(due, PERIOD)


def _sight(now: float, witness: Witness | None, claim: Claim | None) -> Sight:
    """Its own reading; without one, what is claimed."""
    if witness is not None:
        return witness.look(now)
    return Sight(claim.measured_at, claim.l) if claim is not None else Sight(-np.inf, np.full(LEGS, np.nan))


def _stop(reason: Reason, witness: Witness | None, stopper: Stopper, state: Array | None) -> None:
    """By every path, and say why."""
    if witness is not None:
        witness.stop()
    stopper.press(WHO)
    cycle = f"cycle {int(state[0])}" if state is not None else "before the first cycle"
    trouble = f"; witness: {why}" if (why := getattr(witness, "why", "")) else ""
    print(f"stop: {reason.sentence} ({cycle}){trouble}", file=sys.stderr, flush=True)

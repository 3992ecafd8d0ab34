"""What a base and its host process tell each other through an exchange; docs/host.md shows the bytes.

host to loop    count of frames since the process started, then the six counters of `record.cueing.LINK`, then the
                newest frame: 18 numbers of a pose or 13 of a vehicle's motion
loop to host    tick, t, then a `Status`: pose, its rate, state, fault, warning, mode
"""

from __future__ import annotations

from motionbase.arrays import Array
from motionbase.executive.exchange import HOST, Blocks, Exchange
from motionbase.host.format import Kind, Status
from motionbase.record.axes import DOFS
from motionbase.record.cueing import LINK
from motionbase.record.states import State
from motionbase.record.vehicle import VEHICLE

FRAME_AT = len(LINK)  # of an answer, beside its count
MOTION = {Kind.POSE: 3 * len(DOFS), Kind.VEHICLE: len(VEHICLE)}  # numbers of a frame
WORDS = 4  # state, fault, warning, mode
TOLD = 2 * len(DOFS) + WORDS


def blocks_of(kind: Kind) -> Blocks:
    """Of the exchange for hosts that tell a pose, or a vehicle's motion."""
    return Blocks(HOST, FRAME_AT + MOTION[kind], TOLD)


def kind_of(blocks: Blocks) -> Kind | None:
    """The kind of motion in an exchange with a host; None if it is another exchange."""
    return next((kind for kind in MOTION if blocks_of(kind) == blocks), None)


def status_of(row: Array) -> Status:
    """From a state of the exchange."""
    n = len(DOFS)
    tick, t, *numbers = row.tolist()
    words = (int(word) for word in numbers[2 * n :])
    return Status(int(tick), t, tuple(numbers[:n]), tuple(numbers[n : 2 * n]), *words)


def drives(exchange: Exchange) -> bool:
    """Whether the base follows its host."""
    row = exchange.states.get()
    return row is not None and status_of(row).state == State.DRIVE

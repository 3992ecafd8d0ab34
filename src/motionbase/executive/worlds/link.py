"""Rows of a world on their way to the record of a base, through an exchange; docs/worlds.md shows the bytes.

world to loop    count of steps, then the channels of `record.world.WORLD` and the world's own
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import final

from motionbase.arrays import Array
from motionbase.executive.exchange import WORLD as MAGIC
from motionbase.executive.exchange import Blocks, Exchange
from motionbase.executive.loop import by_group
from motionbase.executive.schedule import Job
from motionbase.record.schema import Channel
from motionbase.record.world import WORLD
from motionbase.ring import names
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.hand import made_hand


def blocks_of(own: Sequence[Channel]) -> Blocks:
    """Blocks of the exchange with a world that has these channels of its own."""
    return Blocks(MAGIC, len(WORLD) + len(own), 0)


@final
@dataclass(frozen=True, eq=False)
class WorldLink:
    """The loop's side: in every tick it takes the newest row, which is copied into every record.

    Attributes:
        own: the world's own channels, which follow `record.world.WORLD`
        exchange: made by this process
    """

    own: tuple[Channel, ...]
    exchange: Exchange

    @staticmethod
    def made(backend: AbstractBackend, own: tuple[Channel, ...], beside: ExitStack) -> WorldLink:
        """Make the exchange, and the file for a driver's device; both end with the base."""
        beside.enter_context(made_hand(backend))
        return WorldLink(own, beside.enter_context(Exchange.made(backend, blocks_of(own), names.WORLD)))

    @property
    def hearing(self) -> tuple[Job, ...]:
        """Before the loop's step."""
        return (Job("world", 1, self.exchange.answers.taking()),)

    @property
    def channels(self) -> dict[str, Array]:
        """Arrays for the record, by the name of each group's first channel."""
        return by_group((*WORLD, *self.own), self.exchange.answers.row[1:])

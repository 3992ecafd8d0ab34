"""State of one device: whether a person is touching it, and when it last moved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

from motionbase.record.world import JOYSTICK, Hand
from motionbase.worlds.hands.response import rest_of
from motionbase.worlds.world import Control

DEAD_BAND = 0.15  # of an axis's travel from its middle to an end: less may be a worn stick or a bump against the table


@final
class Device:
    """A device that sends its state.

    Attributes:
        hand: its newest state
        heard_at: when that came; moved_at: when a person last moved it; touched_at: moved or held it [s]
        rests: rest positions of its axes
        seen: positions of its axes when they last moved
        moved: the axes that moved last
    """

    def __init__(self, hand: Hand, now: float, controls: Sequence[Control]) -> None:
        is_raw = hand.device == JOYSTICK
        self.rests = tuple(rest_of(axis) if is_raw else 0.0 for axis in hand.axes)
        self.seen = list(hand.axes if is_raw else self.rests)
        self.hand, self.heard_at = Hand(hand.device), now
        self.moved_at = self.touched_at = -math.inf
        self.moved: set[int] = set()
        self._springing = {c.axis for c in controls if c.axis is not None and (c.springs or not is_raw)}
        self._used = {c.axis for c in controls if c.axis is not None} | ({4, 5} if not is_raw else set())
        self.hear(hand, now)

    def hear(self, hand: Hand, now: float) -> None:
        """Take its state, which may be unchanged."""
        before, self.hand, self.heard_at = self.hand, hand, now
        moved = {k for k in self._used if abs(hand.axes[k] - self.seen[k]) > DEAD_BAND}
        for k in moved:
            self.seen[k] = hand.axes[k]
        self.moved = moved or self.moved
        if moved or hand.keys != before.keys or hand.buttons != before.buttons:
            self.moved_at = self.touched_at = now
        elif hand.keys or hand.buttons or any(abs(hand.axes[k] - self.rests[k]) > DEAD_BAND for k in self._springing):
            self.touched_at = now

    def is_touched(self, now: float, patience: float) -> bool:
        """Whether a person has moved it, and last touched it less than `patience` ago [s]."""
        return self.moved_at > -math.inf and now - self.touched_at < patience

    def let_go(self) -> None:
        """It does not steer until it is moved again."""
        self.moved_at = self.touched_at = -math.inf

"""The value of one control: pushed by keys, placed by a stick or set by a script, without jumps."""

from __future__ import annotations

import math
from typing import final

from motionbase.worlds.world import Control

SPRING = 2.0  # speed at which a control returns to its rest, over that at which keys push it


@final
class Mover:
    """A control's value between its limits.

    Attributes:
        control: the control
        value: its value
    """

    def __init__(self, control: Control) -> None:
        self.control, self.value = control, control.rest
        self._speed = (control.most - control.least) / control.seconds
        self._offset, self._age, self._span = 0.0, math.inf, 1.0
        self._is_new, self._is_placed = False, False

    def hand_over(self, span: float) -> None:
        """Somebody else steers from now on: the difference to their value fades within a time [s]."""
        self._is_new, self._span = True, span

    def push(self, share: float, dt: float) -> None:
        """Move towards a limit, at a share of full speed; at share 0 it springs back or stays."""
        c, way = self.control, self._speed * dt
        self._is_placed = False
        if share == 0.0:
            if c.springs:
                self.value += max(-SPRING * way, min(SPRING * way, c.rest - self.value))
            return
        is_back = c.springs and (c.rest - self.value) * share > 0.0  # towards its rest, as fast as by its spring
        self.value = self._within(self.value + share * way * (SPRING if is_back else 1.0))

    def place(self, share: float, dt: float, span: float) -> None:
        """Be at a share of the travel from rest to a limit; a difference left by keys fades within a time [s]."""
        c = self.control
        self._at(c.rest + share * (c.most - c.rest if share > 0.0 else c.rest - c.least), dt, span)

    def lever(self, place: float, dt: float, span: float) -> None:
        """Be at the position of a lever, -1 to 1 from limit to limit."""
        c = self.control
        self._at(c.least + (place + 1.0) / 2.0 * (c.most - c.least), dt, span)

    def _at(self, target: float, dt: float, span: float) -> None:
        if not self._is_placed and not self._is_new:
            self.hand_over(span)
        self.follow(target, dt)

    def follow(self, target: float, dt: float) -> None:
        """Be at a value, once the difference from a hand-over has faded."""
        if self._is_new:
            self._is_new, self._offset, self._age = False, self.value - target, 0.0
        self._is_placed = True
        self._age += dt
        x = min(1.0, self._age / self._span)
        self.value = self._within(target + self._offset * (1.0 - x) ** 2 * (1.0 + 2.0 * x))

    def _within(self, value: float) -> float:
        return max(self.control.least, min(self.control.most, value))

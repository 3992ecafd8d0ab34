"""Whether legs may follow in a cycle: the rules of the border that do not depend on the machine, for every backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from motionbase.arrays import Array
from motionbase.record.rig import Order, RigFault
from motionbase.rig.border import Demand, Promise, refused


@final
class Gate:
    """Latches faults, watches for silence and refuses demands.

    Attributes:
        following: whether legs followed in the last cycle
        faults: of the legs, latched
    """

    def __init__(self, promise: Promise) -> None:
        self.promise = promise
        self.following = False
        self.faults: tuple[RigFault, ...] = (RigFault.NONE,) * 6
        self._count: int | None = None
        self._heard_at = 0.0
        self._armed = False  # go was seen cleared while the legs were ready

    @property
    def closed(self) -> bool:
        """Whether a fault is latched: then no leg follows."""
        return any(self.faults)

    def decide(self, now: float, demand: Demand, l: Array, found: Sequence[RigFault], ready: bool) -> bool:
        """Whether legs follow the demand in this cycle.

        Args:
            now: time of the cycle [s]
            demand: what is asked for
            l: (6,) measured lengths [m]
            found: what the backend sees wrong with each leg now, whether it is latched already or not
            ready: all legs are switched on and know their length
        """
        silent = self._silent(now, demand)
        if demand.order is Order.RESET and not demand.stop and not any(found):
            self.faults = (RigFault.NONE,) * 6
            self._armed = False
        wants = ready and self._armed and demand.go and not self.closed and not any(found)
        self._latch(found, self._causes(demand, l, wants, silent))
        self._armed = ready and not self.closed and (self._armed or not demand.go)
        self.following = wants and not self.closed
        return self.following

    def _silent(self, now: float, demand: Demand) -> bool:
        """Whether the time since the last new demand was too long, while legs followed."""
        silent = self.following and now - self._heard_at > self.promise.silence
        if demand.count != self._count:
            self._count, self._heard_at = demand.count, now
        return silent

    def _causes(self, demand: Demand, l: Array, wants: bool, silent: bool) -> list[RigFault]:
        """Faults of the demand, one per leg."""
        if demand.stop:
            return [RigFault.EMERGENCY_STOP] * 6
        if silent:
            return [RigFault.SILENT_LAW] * 6
        if wants:
            return [RigFault.DEMAND if no else RigFault.NONE for no in refused(self.promise, demand, l)]
        return [RigFault.NONE] * 6

    def _latch(self, *causes: Sequence[RigFault]) -> None:
        """The first fault of a leg stays; of several at once it is the smallest."""
        new = [min((fault for fault in of_leg if fault), default=RigFault.NONE) for of_leg in zip(*causes, strict=True)]
        self.faults = tuple(held or fault for held, fault in zip(self.faults, new, strict=True))

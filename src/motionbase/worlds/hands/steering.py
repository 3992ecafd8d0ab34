"""Who steers, and the resulting controls: the person who moved a device last, else a script, else nobody.

    steering = Steering(world.controls)
    steering.hear("page", hand, now)                    # whenever a device sends its state, changed or not
    world.step(steering.step(now, world.dt, script))    # every period

All times are the caller's. A person takes over at once by moving a device beyond a dead band. The controls continue
from the script's values: the difference to the device's fades, so that nothing jumps.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import final

from motionbase.record.world import NOBODY, SCRIPT, Hand
from motionbase.worlds.hands.device import DEAD_BAND, Device
from motionbase.worlds.hands.mover import Mover
from motionbase.worlds.hands.response import Way, asked
from motionbase.worlds.world import Control

SILENT_S = 0.5  # a device that sends nothing for so long is taken for absent
UNTOUCHED_S = 20.0  # after which the script resumes
TAKING_S, GIVING_S = 0.6, 2.0  # in which a difference fades when a person takes over, and when the script does


@final
class Steering:
    """The controls of one vehicle."""

    def __init__(self, controls: Sequence[Control]) -> None:
        self._controls = tuple(controls)
        self._movers = [Mover(control) for control in controls]
        self._devices: dict[Hashable, Device] = {}
        self._leader: tuple[int, Hashable] | None = None  # who steered last: kind, and which device
        self._levers: dict[int, float] = {}  # positions of levers at the last take-over, by control, until moved
        self.hand = NOBODY

    def hear(self, who: Hashable, hand: Hand, now: float) -> None:
        """Take the state of a device; NOBODY says that it is gone, SCRIPT hands the vehicle to the script."""
        if hand.device in (NOBODY, SCRIPT):
            self._devices.pop(who, None)
            for one in self._devices.values() if hand.device == SCRIPT else ():
                one.let_go()
            return
        device = self._devices.get(who)
        if device is None or device.hand.device != hand.device:
            self._devices[who] = Device(hand, now, self._controls)
        else:
            device.hear(hand, now)

    def step(self, now: float, dt: float, script: Sequence[float] | None = None) -> tuple[float, ...]:
        """Controls for the next period.

        Args:
            now: time of the same clock as `hear` [s]
            dt: the period [s]
            script: the script's controls; None without one
        """
        who = self._steers(now)
        device = self._devices.get(who)
        self.hand = device.hand.device if device else NOBODY if script is None else SCRIPT
        leader = self.hand, who
        if leader != self._leader:
            self._begin(device)
            self._leader = leader
        if device is not None:
            self._by_hand(device, dt)
        else:
            goals = [c.rest for c in self._controls] if script is None else script
            for mover, goal in zip(self._movers, goals, strict=True):
                mover.follow(goal, dt)
        return self.values

    @property
    def values(self) -> tuple[float, ...]:
        """Of the controls, now."""
        return tuple(mover.value for mover in self._movers)

    def _steers(self, now: float) -> Hashable:
        """The device that moved last, of those that are present and were touched lately."""
        for who in [who for who, one in self._devices.items() if now - one.heard_at > SILENT_S]:
            del self._devices[who]
        touched = {who: one.moved_at for who, one in self._devices.items() if one.is_touched(now, UNTOUCHED_S)}
        return max(touched, key=touched.__getitem__, default=None)

    def _begin(self, device: Device | None) -> None:
        """Somebody else steers: differences fade, and levers take effect once they are moved."""
        if device is None and self._leader is None:
            return  # at the start there is nobody to take over from
        for mover in self._movers:
            mover.hand_over(GIVING_S if device is None else TAKING_S)
        self._levers = {}
        if device is not None:
            still = (k for k, c in enumerate(self._controls) if c.axis is not None and c.axis not in device.moved)
            self._levers = {k: device.hand.axes[self._controls[k].axis or 0] for k in still}

    def _by_hand(self, device: Device, dt: float) -> None:
        for k, mover in enumerate(self._movers):
            c = mover.control
            way, share = asked(c, device.hand, device.rests)
            if way is Way.PUSHED:
                mover.push(share, dt)
            elif way is Way.PLACED:
                mover.place(share, dt, TAKING_S)
            elif self._is_moved(k, device):
                mover.lever(share, dt, TAKING_S)

    def _is_moved(self, k: int, device: Device) -> bool:
        """Whether a lever has been moved since its device took over."""
        axis = self._controls[k].axis
        if k in self._levers and axis is not None and abs(device.hand.axes[axis] - self._levers[k]) > DEAD_BAND:
            del self._levers[k]
        return k not in self._levers

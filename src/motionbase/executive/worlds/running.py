"""A world in real time: who steers it, when it waits at its start, and its rows after every step."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import final

from motionbase.compile.reference import guarded
from motionbase.errors import UsageError
from motionbase.executive.worlds.ears import Ear
from motionbase.record.vehicle import VEHICLE
from motionbase.record.world import NOBODY, SCRIPT, WORLD
from motionbase.worlds.felt import held
from motionbase.worlds.hands.steering import Steering
from motionbase.worlds.library import script_of
from motionbase.worlds.world import Script, World

Row = tuple[float, ...]
QUIET_S = 5.0  # between two messages about restarts
PLACES = len(WORLD) - 2  # without time and hand


@final
class Running:
    """Steps a world, and holds it at its start while nobody steers it and its base is not in drive.

    The world may be a user's: an exception in it, a row of the wrong length, or a start that is not finite raises
    `UsageError` with one sentence. Numbers that cease to be finite later send it back to its start.

    Args:
        script: steers while no person does; "" is the world's default one

    Attributes:
        ears: devices that it hears
        is_waiting: at its start
        vehicle: the newest row of `record.vehicle.VEHICLE`; while it waits, that of a vehicle held still
        row: the newest values of `record.world.WORLD` and of its own channels; while it waits, its velocity is 0
    """

    def __init__(self, world: World, script: str, ears: Sequence[Ear] = ()) -> None:
        self.world, self.ears = world, ears
        name = script_of(world, script)
        self._script_of = world.scripts[name] if name else None
        self._what = f"world {world.name!r}"
        self._restarts, self._quiet_until = 0, -math.inf
        self.vehicle: Row = ()
        self.row: Row = ()
        self.begin()

    def begin(self) -> None:
        """Return to the world's start."""
        guarded(self._what, self._begin)

    def step(self, now: float, drives: bool) -> None:
        """One period.

        Args:
            now: of any clock [s]
            drives: whether the base follows its host; a world without a base is always driven
        """
        for ear in self.ears:
            ear.speak(lambda who, hand: self._steering.hear(who, hand, now))
        guarded(self._what, lambda: self._step(now, drives))

    @property
    def hand(self) -> int:
        """Who steers: NOBODY, SCRIPT or a device."""
        return self._steering.hand

    def _begin(self) -> None:
        self.world.reset()
        self._steering = Steering(self.world.controls)
        self._script: Script | None = None if self._script_of is None else self._script_of()
        self.is_waiting = True
        if not self._take():
            raise UsageError(f"{self._what}: its motion at its start is not finite")

    def _step(self, now: float, drives: bool) -> None:
        controls = self._steering.step(now, self.world.dt, self._asked(now))
        if drives or self.hand not in (NOBODY, SCRIPT):
            self.world.step(controls)
            self.is_waiting = False
        elif not self.is_waiting:
            self._begin()
        if not self._take():
            self._restart("its motion is not finite", now)

    def _asked(self, now: float) -> Row | None:
        """Controls of the script; None without one."""
        if self._script is None:
            return None
        asked, n = tuple(map(float, self._script(self.world.t))), len(self.world.controls)
        if len(asked) != n:
            raise UsageError(f"{self._what}: its script returns {len(asked)} controls, it must return {n}")
        if all(map(math.isfinite, asked)):
            return asked
        if self.is_waiting:
            raise UsageError(f"{self._what}: its script's controls at its start are not finite")
        self._restart("its script's controls are not finite", now)
        return self._asked(now)

    def _take(self) -> bool:
        """Keep the newest rows if they are finite."""
        world = self.world
        t, *rows = float(world.t), *(tuple(map(float, row)) for row in (world.vehicle, world.place, world.told))
        vehicle, place, told = rows
        wanted = {"vehicle": len(VEHICLE), "place": PLACES, "told": len(world.channels)}
        for (name, n), row in zip(wanted.items(), rows, strict=True):
            if len(row) != n:
                raise UsageError(f"{self._what}: {name} has {len(row)} numbers, it must have {n}")
        if not all(map(math.isfinite, (t, *vehicle, *place, *told))):
            return False
        if self.is_waiting:
            vehicle, place = held(vehicle), (*place[:7], 0.0, 0.0, 0.0)
        self.vehicle, self.row = vehicle, (t, *place, float(self.hand), *told)
        return True

    def _restart(self, why: str, now: float) -> None:
        """Back to the start, with one message now and then: a world that breaks in every step shall not flood a log."""
        self._restarts += 1
        if now >= self._quiet_until:
            times = f", {self._restarts} times so far" if self._restarts > 1 else ""
            print(f"{self._what}: {why}; it starts again{times}", file=sys.stderr, flush=True)
            self._quiet_until = now + QUIET_S
        self._begin()

"""The world of a flight: a JSBSim aircraft at an airfield, with a person or a script at its controls."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from motionbase.record.schema import Channel
from motionbase.worlds.fade import Fade, turned
from motionbase.worlds.felt import held, quaternion
from motionbase.worlds.flight.aids import Aids
from motionbase.worlds.flight.air import Air, Weather
from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.controls import Surfaces, controls_at
from motionbase.worlds.flight.crash import crash_of
from motionbase.worlds.flight.model import DT, State, check_installed
from motionbase.worlds.flight.scene import scene_of
from motionbase.worlds.flight.scripts import MARK, SCRIPTS, Pilot, from_elsewhere
from motionbase.worlds.flight.shaking import Shaking
from motionbase.worlds.flight.start import CRUISE, RUNWAY, Start, begun
from motionbase.worlds.flight.told import CHANNELS, told
from motionbase.worlds.world import Control, Scene, Script

CUT_S = 2.5  # duration of the cross-fade at a cut
CRASHED_S = 3.0  # pause after a crash, in which the platform levels
MOST_F = 120.0  # [m/s^2] bound of the specific force, which only the stiff landing gear of a crash exceeds


@final
@dataclass
class FlightWorld:
    """A flight.

    Args:
        start: where it starts; None: on the runway, or where the script starts
        strength: factor of vibration and buffet
    """

    aircraft: Aircraft
    start: Start | None = None
    air: Air = field(default_factory=Air)
    has_aids: bool = True
    strength: float = 1.0
    height: float = 600.0  # of a script that starts in cruise [m]

    kind = "flight"
    dt = DT
    channels: tuple[Channel, ...] = CHANNELS
    cueing = "simona"

    def __post_init__(self) -> None:
        check_installed()
        self.name = self.aircraft.title
        self.controls: tuple[Control, ...] = controls_at(self._rest_at((self.start or Start()).kind))
        self.scripts: Mapping[str, Callable[[], Script]] = {name: self._script(name) for name in SCRIPTS}
        self.number, self._begin_at = 0, self.start or Start()

    def _script(self, name: str) -> Callable[[], Script]:
        goals, kind = SCRIPTS[name]

        def made() -> Script:
            if self.start is None and kind != self._begin_at.kind:
                self._begin_at = Start(kind, self.height)
                self.reset()
            return Pilot(self, goals if kind == self._begin_at.kind else from_elsewhere(goals, kind))

        return made

    def reset(self) -> None:
        """Start again, at time 0."""
        self._fade: Fade | None = None
        self._turns = 0.0
        self._ticks = 0
        self._expected: Surfaces | None = None
        self._begin(self._begin_at)

    def _begin(self, start: Start) -> None:
        """Place the aircraft at a start."""
        self.number += 1
        self._model, trimmed = begun(self.aircraft, start, self.air)
        self._offset = trimmed
        self.rest = self.given = self._rest_at(start.kind)._replace(throttle=trimmed.throttle)
        self._aids, self._shaking = Aids(self.aircraft), Shaking(self.aircraft, self.air.seed, self.strength)
        self._weather = Weather(self._model, self.air, start.kind == RUNWAY)
        self._spin, self._shaken, self._crashed_for = 0.0, (0.0, 0.0, 0.0), -1.0
        self.is_steered_otherwise = False
        self.state: State = self._model.state()
        self._row = self._felt()

    def _rest_at(self, kind: str) -> Surfaces:
        a = self.aircraft
        if kind == RUNWAY:
            return Surfaces(flaps=a.flaps[0])
        if kind == CRUISE:
            return Surfaces(throttle=a.throttles[0], gear=0.0 if a.retracts else 1.0)
        return Surfaces(throttle=a.throttles[1], flaps=a.flaps[1])

    # what scripts may call

    def expect(self, surfaces: Surfaces) -> None:
        """Tell the script's controls for the next period."""
        self._expected = surfaces

    def cut(self, start: Start) -> None:
        """Continue from another start, with a cross-fade for the platform."""
        old = self.vehicle
        self._begin(start)
        self._go_over(old, CUT_S)

    def again(self) -> None:
        """Start again, at time 0, with a cross-fade for the platform."""
        self._ticks = 0
        self.cut(self._begin_at)

    def stir(self, turbulence: str) -> None:
        """Switch to turbulence of this name; "" means that of the start."""
        self._weather.stir(turbulence)

    def _go_over(self, old: tuple[float, ...], seconds: float) -> None:
        """Cross-fade from a row to the present motion; the heading differs by less than half a turn."""
        self._turns = turned(self._row, old)[11] - self._row[11]
        self._fade = Fade(old, seconds)

    # one period

    def step(self, controls: Sequence[float]) -> None:
        """Advance by one period with these controls."""
        self._ticks += 1
        if self._fade is not None and not self._fade.step(DT):
            self._fade = None
        self.given = Surfaces(*controls)
        expected = self._expected
        self.is_steered_otherwise = expected is not None and _differ(self.given, expected)
        if self._crashed_for >= 0.0:
            self._crashed_for += DT
            if self._crashed_for >= CRASHED_S:
                self.again()
            return
        self._fly(expected is None or self.is_steered_otherwise)

    def _fly(self, is_by_hand: bool) -> None:
        before, to = self.state, self.given
        if self.has_aids:
            to = self._aids.step(before, to, is_by_hand)
        self._weather.step()
        at = self._offset
        is_parked = before.wow and before.wheel_speed < 1.0 and to.throttle < 0.05
        self._model.step(to._replace(
            aileron=to.aileron + at.aileron, rudder=to.rudder + at.rudder, trim=to.trim + at.trim,
            brakes=1.0 if is_parked else to.brakes,
        ))  # fmt: skip
        state = self._model.state()
        reason = crash_of(self.aircraft, before, state)
        if reason:
            self._crash(reason)
            return
        self.state = state
        self._spin += 2 * math.pi * state.turn * DT
        self._shaken = self._shaking.step(state, to)
        self._row = self._felt()

    def _crash(self, reason: str) -> None:
        """Stop where it is while the platform levels; then it starts again."""
        print(f"{self.name}: {reason}; the flight starts again", file=sys.stderr, flush=True)
        old = self.vehicle
        self._crashed_for = 0.0
        self._row = held((*(0.0,) * 9, 0.0, 0.0, self._row[11], 1.0))
        self._go_over(old, CRASHED_S)

    def _felt(self) -> tuple[float, ...]:
        """Row of the flying aircraft, without cross-fades."""
        state, shaken = self.state, self._shaken
        f = (max(-MOST_F, min(MOST_F, a + b)) for a, b in zip(state.f, shaken, strict=True))
        return (*f, *state.omega, *state.alpha, *state.angles, float(state.wow))

    # for the platform, the record and viewers

    @property
    def t(self) -> float:
        """Time of the world [s]."""
        return self._ticks * DT

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What the pilot feels."""
        row = (*self._row[:11], self._row[11] + self._turns, self._row[12])
        return row if self._fade is None else self._fade.row(row)

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude and velocity of the aircraft's own point."""
        state = self.state
        v = state.v if self._crashed_for < 0.0 else (0.0, 0.0, 0.0)
        return (*state.p, *quaternion(state.angles), *v)

    @property
    def told(self) -> tuple[float, ...]:
        """Values of its own channels."""
        stall = self.aircraft.shaking.stall_alpha
        return (*self.given, *told(self.state, self._spin, self._shaken[2], stall, self._crashed_for >= 0.0))

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""
        return scene_of(self.name, self.aircraft, self.controls, self.start is None or self.start.kind == RUNWAY)


def _differ(one: Surfaces, other: Surfaces) -> bool:
    return any(abs(a - b) > 0.1 * MARK for a, b in zip(one, other, strict=True))

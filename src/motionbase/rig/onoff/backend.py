"""Legs with on/off valves behind the border of all actuators: readings in, a law, twelve outputs out.

The device has no clock that ends a pulse: a valve stays as it was told last. So the promise at silence holds while
`cycle` is called or the acquisition guards itself; a process that is killed with a valve open needs a relay that cuts
the valves' power.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from motionbase.actuators.onoff import OnOffActuator
from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.errors import UsageError, unknown
from motionbase.platform.hexapod import Hexapod
from motionbase.record.rig import LegState, Order, RigFault, Silence
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.gate import Gate
from motionbase.rig.onoff.acquisition import LEGS, Acquisition, AcquisitionError, Throttles, Wiring
from motionbase.rig.onoff.laws import LAWS, NOMINAL, PERIOD, Law
from motionbase.rig.onoff.potentiometer import Potentiometer
from motionbase.rig.onoff.watch import Bounds, Watch

JUMP = 0.04  # [m]
SILENCE = 0.1  # [s]
SLACK = 0.002  # [m] demands may lie so far beyond the ends, because readings of a leg at its end do
LONGEST = 0.1  # [s] step of a law; after a longer gap the demand is silent anyway


@final
class OnOffRig:
    """Six on/off legs as `Actuators`.

    Attributes:
        promise: of the backend
    """

    def __init__(
        self,
        acquisition: Acquisition,
        law: Law,
        shortest: Array,
        *,
        potentiometers: tuple[Potentiometer, ...] = (Potentiometer(),) * LEGS,
        wiring: Wiring | None = None,
        actuator: OnOffActuator = NOMINAL,
        bounds: Bounds | None = None,
    ) -> None:
        """Make a rig; nothing is read or written before the first cycle.

        Args:
            acquisition: the device
            law: what controls the valves
            shortest: (6,) lengths of fully retracted legs [m]
            potentiometers: with their calibration, by leg
            wiring: which channels belong to which leg
            actuator: cylinders and valves, as they are believed to be
            bounds: what is taken for a fault
        """
        if law.throttles and not isinstance(acquisition, Throttles):
            raise UsageError(
                f"law {law.name!r} needs flow-control valves, {acquisition.name} drives none; "
                f"laws without them: {', '.join(name for name in LAWS if name != law.name)}"
            )
        least, most, silent = shortest - SLACK, shortest + actuator.stroke + SLACK, Silence.HOLDS
        self.promise = Promise(acquisition.name, PERIOD, least, most, JUMP, SILENCE, silent, homes=False)
        self._device, self._law, self._shortest = acquisition, law, shortest
        self._wiring = wiring or Wiring()
        self._gate = Gate(self.promise)
        self._watch = Watch(potentiometers, actuator, bounds or Bounds())
        self._coast = actuator.delay + actuator.switching + 2 * PERIOD
        step = compile(law.program)
        self._io = step.arrays()
        self._io["state"][...] = law.state.layout.vector()
        self._step = step.bind(**self._io)
        self._on = False
        self._trouble = 0  # the device's code of its last failure
        self._well = True  # it did what it was asked since the last reading
        self._count: int | None = None
        self._last = -np.inf
        self._shut_at = -np.inf  # when all legs stand
        self._wanted = np.zeros(LEGS)

    def cycle(self, now: float, demand: Demand) -> Answer:
        """Measure, decide, move."""
        found = self._measured(now)
        if demand.order is Order.DISABLE:
            self._on = False
        elif demand.order is Order.ENABLE:
            self._on = not self._gate.closed and not demand.stop and not any(found)
        follows = self._gate.decide(now, demand, self._lengths, found, self._on)
        self._move(now, demand, follows)
        at = self._watch.measured_at
        return Answer(at, self._lengths, self._states(now, follows), self._gate.faults, self._codes)

    def close(self) -> None:
        """Shut all valves and release the device."""
        self._on = False
        self._attempt(self._device.close)

    @property
    def _lengths(self) -> Array:
        """(6,) lengths of the legs; before the first reading the shortest ones."""
        l: Array = self._shortest + np.where(np.isfinite(self._watch.s), self._watch.s, 0.0)
        return l

    def _measured(self, now: float) -> tuple[RigFault, ...]:
        """New readings, and the faults seen in them."""
        volts: list[Array] = []
        written, self._well = self._well, True
        self._attempt(lambda: volts.append(self._wiring.of_legs(self._device.read(now))))
        if not (volts and written):
            return (RigFault.DEVICE,) * LEGS
        sensors = self._watch.measured(now, volts[0])
        if self._gate.following:
            legs = self._watch.following(now, self._wanted)
        else:
            legs = self._watch.standing(now, self._shut_at)
        return tuple(a or b for a, b in zip(sensors, legs, strict=True))

    def _move(self, now: float, demand: Demand, follows: bool) -> None:
        """Set the valves."""
        new, self._count = demand.count != self._count, demand.count
        s = self._watch.s if np.isfinite(self._watch.s).all() else np.zeros(LEGS)
        self._wanted = demand.l - self._shortest if follows else s
        x = self._io
        x["h"][...] = min(max(now - self._last, 1e-4), LONGEST)
        x["s_cmd"][...], x["s_cmd_dot"][...], x["s_meas"][...] = self._wanted, demand.l_dot if follows else 0.0, s
        x["renew"][...], x["follow"][...] = new, follows
        self._step()
        x["state"][...] = x["state_next"]
        self._last = now
        if follows:
            self._shut_at = now + self._coast
        self._attempt(lambda: self._device.write(self._wiring.lines(x["u"])))
        device = self._device
        if self._law.throttles and isinstance(device, Throttles):
            self._attempt(lambda: device.throttle(x["throttle"]))

    def _attempt(self, act: Callable[[], None]) -> None:
        """Ask something of the device and keep the code of a failure."""
        try:
            act()
        except AcquisitionError as e:
            self._trouble, self._well = e.code, False

    def _states(self, now: float, follows: bool) -> tuple[LegState, ...]:
        """Of the legs that have no fault: all are in the same state."""
        if follows:
            state = LegState.FOLLOWING
        elif now < self._shut_at:
            state = LegState.STOPPING
        else:
            state = LegState.READY if self._on and not self._gate.closed else LegState.OFF
        return tuple(LegState.FAULT if fault else state for fault in self._gate.faults)

    @property
    def _codes(self) -> tuple[int, ...]:
        return tuple(self._trouble if fault is RigFault.DEVICE else 0 for fault in self._gate.faults)


def onoff_rig(
    platform: Hexapod, acquisition: Acquisition, law: str = "predictive", actuator: OnOffActuator | None = None
) -> OnOffRig:
    """A rig with the legs of a platform such as the preset 'odu' and a law by name.

    Args:
        platform: its hard ends are those of the cylinders
        acquisition: the device
        law: one of LAWS
        actuator: cylinders and valves as a check-out measured them; nominal ones if it is left out
    """
    if law not in LAWS:
        raise unknown("law of on/off legs", law, LAWS, "laws")
    made = LAWS[law](actuator) if actuator else LAWS[law]()
    return OnOffRig(acquisition, made, np.full(LEGS, platform.stroke.hard_min), actuator=actuator or NOMINAL)

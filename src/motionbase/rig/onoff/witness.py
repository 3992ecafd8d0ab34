"""A second reading of legs with on/off valves, by a data acquisition of its own, and a relay to stop them.

On a machine this needs a second device (`ni.NiReader`): with inputs of its own on the six potentiometers, or better on
six further ones, and an output for a relay in the supply of all twelve solenoids, which opens without current. Through
the device of the backend, a witness would see what the backend sees and fail with it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.border import Sight
from motionbase.rig.onoff.acquisition import LEGS, AcquisitionError, CutsPower, Reader, Wiring
from motionbase.rig.onoff.potentiometer import Potentiometer

INTERVAL = 0.005  # [s] between readings


@final
class OnOffWitness:
    """Reads in a thread, so that `look` waits for nothing; stops by the relay.

    Attributes:
        why: what is wrong with its own readings or its relay, for people; empty if nothing is
    """

    def __init__(
        self, acquisition: Reader, shortest: Array, potentiometers: tuple[Potentiometer, ...] | None = None,
        wiring: Wiring | None = None, *, clock: Callable[[], float] = monotonic, interval: float | None = INTERVAL,
    ) -> None:  # fmt: skip
        """Begin to read.

        Args:
            acquisition: a device, or a connection, of the witness alone, with a relay
            shortest: (6,) lengths of fully retracted legs [m]
            potentiometers: with their calibration, by leg
            wiring: which inputs belong to which leg
            clock: monotonic time [s]
            interval: between readings [s]; None if `take` is called instead
        """
        if not isinstance(acquisition, CutsPower):
            raise UsageError(f"witness of on/off legs: {acquisition.name} has no relay to stop them with")
        self._device: Reader = acquisition
        self._cut = acquisition.cut
        self._shortest, self._pots = shortest, potentiometers or (Potentiometer(),) * LEGS
        self._wiring, self._clock = wiring or Wiring(), clock
        self._seen = Sight(-np.inf, np.full(LEGS, np.nan))
        self._reading_fails = self._relay_fails = ""
        self._closed = Event()
        self._thread: Thread | None = None
        if interval is not None:
            self._thread = Thread(target=self._watch, args=(interval,), name="witness of the legs", daemon=True)
            self._thread.start()

    @property
    def why(self) -> str:
        """What is wrong."""
        return "; ".join(filter(None, (self._reading_fails, self._relay_fails)))

    def look(self, now: float) -> Sight:
        """The newest reading; a leg whose voltage no potentiometer gives is not seen."""
        return self._seen

    def stop(self) -> None:
        """Open the relay."""
        try:
            self._cut()
            self._relay_fails = ""
        except AcquisitionError as error:
            self._relay_fails = str(error)

    def close(self) -> None:
        """Release the device; a second call does nothing."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with suppress(AcquisitionError):
            self._device.close()

    def take(self, now: float) -> None:
        """One reading; the newest good one stays if it fails, and grows old."""
        try:
            volts = self._wiring.of_legs(self._device.read(now))
        except AcquisitionError as error:
            self._reading_fails = str(error)
            return
        pairs = zip(self._pots, volts.tolist(), strict=True)
        s = np.array([pot.extension(v) if pot.possible(v) else np.nan for pot, v in pairs])
        self._seen, self._reading_fails = Sight(now, self._shortest + s), ""

    def _watch(self, interval: float) -> None:
        while not self._closed.wait(interval):
            self.take(self._clock())

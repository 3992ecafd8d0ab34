"""Events of the rig of a base, found in its records: why legs stopped, who asked for it, what was measured then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.axes import LEGS
from motionbase.record.rig import LegState, RigFault, StopCause, device_code
from motionbase.record.schema import Schema
from motionbase.recording.changes import Changes, Found, are_codes

FAULTS, STATES, CODES, READ, ASKED = (
    tuple(f"leg{leg}_{what}" for leg in LEGS) for what in ("rig_fault", "rig_state", "rig_code", "rig_l", "l_cmd")
)
ONE = ("rig_stop", "power_fault")
PLACES = float(len(RigFault)) ** np.arange(len(LEGS))  # the faults of all legs are digits of one number


@final
class RigChanges:
    """Finds changes in the channels of a rig; there are none in the schema of a base without a rig.

    Attributes:
        channels: whose changes are events
        beside: which these events tell
    """

    def __init__(self, schema: Schema) -> None:
        changing, beside = (*FAULTS, *STATES, *ONE), (*CODES, *READ, *ASKED)
        has_rig = all(name in schema.index for name in (*changing, *beside))
        self.channels: tuple[str, ...] = changing if has_rig else ()
        self.beside: tuple[str, ...] = beside if has_rig else ()
        self._places = {name: k for k, name in enumerate((*self.channels, *self.beside))}
        self._faults, self._stop, self._power = (Changes("fault") for _ in range(3))
        self._legs = Changes("state", tells_zero=True)

    @property
    def owes(self) -> bool:
        """Whether there were changes beyond the limit, of which an event tells later."""
        return any(one.untold for one in (self._faults, self._stop, self._power, self._legs))

    def find(self, t: Array, values: Array) -> Iterator[Found]:
        """Events in times (n,) [s] and values (n, `channels` and `beside`) that follow those of the last call."""
        if not self.channels:
            return
        faults, states = self._of(values, FAULTS), self._of(values, STATES)
        stop, power = (values[:, self._places[name]] for name in ONE)

        def stopped(k: int, code: float, before: float | None) -> tuple[str, bool]:
            return self._stopped(values[k], _digits(code), _digits(before or 0.0))

        def asked(k: int, code: float, before: float | None) -> tuple[str, bool]:
            if not code:
                return "nobody asks the rig to stop any more", False
            return f"the rig was stopped: {StopCause(int(code)).sentence}; {self._lengths(values[k], LEGS)}", True

        all_known = np.asarray(are_codes(faults, len(RigFault)).all(axis=1))
        with np.errstate(invalid="ignore"):
            same = (states == states[:, :1]).all(axis=1) & (
                states[:, 0] != LegState.FAULT
            )  # which is told with its reason
            together = np.where(same, states[:, 0], np.nan)
        yield from self._faults.find(np.where(all_known[:, None], faults, 0.0) @ PLACES, all_known, t, stopped)
        yield from self._stop.find(stop, are_codes(stop, len(StopCause)), t, asked)
        yield from self._power.find(power, are_codes(power, len(RigFault)), t, _power)
        yield from self._legs.find(together, are_codes(together, len(LegState)), t, _legs)

    def _of(self, values: Array, names: tuple[str, ...]) -> Array:
        """Columns of all legs."""
        first = self._places[names[0]]
        return values[:, first : first + len(names)]

    def _stopped(self, row: Array, now: Array, before: Array) -> tuple[str, bool]:
        """Which legs have another fault than before, with their lengths, and which have none any more."""
        said = []
        codes = self._of(row[None], CODES)[0]
        fresh = [leg for leg in LEGS if now[leg - 1] and now[leg - 1] != before[leg - 1]]
        for fault, code in dict.fromkeys((now[leg - 1], codes[leg - 1]) for leg in fresh):
            legs = [leg for leg in fresh if (now[leg - 1], codes[leg - 1]) == (fault, code)]
            why = RigFault(int(fault))
            device = f" (code {device_code(code)})" if np.isfinite(code) and code else ""
            said.append(f"{_named(legs)} stopped: {why.word}, {why.sentence}{device}; {self._lengths(row, legs)}")
        if cleared := [leg for leg in LEGS if before[leg - 1] and not now[leg - 1]]:
            said.append(f"{_named(cleared)}: no fault any more")
        return "; ".join(said) or "no leg has a fault", bool(fresh)

    def _lengths(self, row: Array, legs: list[int] | tuple[int, ...]) -> str:
        """What was measured and asked for."""
        read, asked = (self._of(row[None], names)[0] for names in (READ, ASKED))
        measured, wanted = (" ".join(f"{of[leg - 1]:.4f}" for leg in legs) for of in (read, asked))
        return f"measured {measured} m, asked for {wanted} m"


def _power(_: int, code: float, __: float | None) -> tuple[str, bool]:
    fault = RigFault(int(code))
    return f"power unit: {f'{fault.word}, {fault.sentence}' if fault else 'no fault any more'}", bool(fault)


def _legs(_: int, code: float, __: float | None) -> tuple[str, bool]:
    return f"all legs {LegState(int(code)).name.lower()}", False


def _digits(code: float) -> Array:
    """The faults of the legs from their number."""
    digits: Array = np.floor(code / PLACES) % len(RigFault)
    return digits


def _named(legs: list[int]) -> str:
    if len(legs) == len(LEGS):
        return "all legs"
    *some, last = map(str, legs)
    return f"legs {', '.join(some)} and {last}" if some else f"leg {last}"

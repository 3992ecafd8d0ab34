"""The clearance alarm: raised below the threshold, reported once, and cleared when parts are clearly apart again."""

from __future__ import annotations

from typing import NamedTuple, final

from motionbase.console.live.events import EventLog
from motionbase.console.models import ClearanceThresholds, SourceName

APART = 0.002  # [m] hysteresis: a base that trembles about the threshold raises one alarm, not hundreds
INTERFERES = -1.0  # a distance below all others


class Nearest(NamedTuple):
    """The nearest pair at time t [s]: distance [m], None if they interfere."""

    first: str
    second: str
    distance: float | None
    t: float | None


@final
class GapAlarm:
    """Alarm of one ring."""

    def __init__(self, source: SourceName, events: EventLog) -> None:
        self._source, self._events = source, events
        self.is_raised = False
        self._interferes = False

    def judge(self, nearest: Nearest, thresholds: ClearanceThresholds, generation: int) -> bool:
        """Whether the alarm is raised now; a change becomes an event."""
        distance = INTERFERES if nearest.distance is None else nearest.distance
        pair = f"{nearest.first} and {nearest.second}"
        interferes = nearest.distance is None
        if distance < thresholds.stop and (not self.is_raised or (interferes and not self._interferes)):
            how = "interfere" if nearest.distance is None else f"are {millimetres(nearest.distance)} apart"
            self._say(f"{pair} {how}, {millimetres(thresholds.stop)} is the least", nearest.t, generation, is_bad=True)
            self.is_raised, self._interferes = True, interferes
        elif self.is_raised and distance >= thresholds.stop + APART:
            self._say(f"{pair} are {millimetres(distance)} apart again", nearest.t, generation, is_bad=False)
            self.is_raised = self._interferes = False
        return self.is_raised

    def forget(self) -> None:
        """Reset for another run."""
        self.is_raised = self._interferes = False

    def _say(self, text: str, t: float | None, generation: int, is_bad: bool) -> None:
        said = f"clearance: {text}"
        self._events.add(
            "alarm", said, source=self._source, generation=generation, t=t, is_bad=is_bad, is_recorded=False
        )


def millimetres(metres: float) -> str:
    """A length as text."""
    return f"{1000 * metres:.1f} mm"

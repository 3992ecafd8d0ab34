"""Sea states by the table of the World Meteorological Organization."""

from __future__ import annotations

from typing import NamedTuple, final

from motionbase.errors import WorldError


@final
class SeaState(NamedTuple):
    """A line of the table.

    Attributes:
        code: number in the table
        text: what it is called there
        least, most: significant height [m]
    """

    code: int
    text: str
    least: float
    most: float

    @property
    def height(self) -> float:
        """Representative significant height: the middle of the range [m]."""
        return (self.least + self.most) / 2


STATES = (
    SeaState(0, "calm, glassy", 0.0, 0.0),
    SeaState(1, "calm, rippled", 0.0, 0.1),
    SeaState(2, "smooth, wavelets", 0.1, 0.5),
    SeaState(3, "slight", 0.5, 1.25),
    SeaState(4, "moderate", 1.25, 2.5),
    SeaState(5, "rough", 2.5, 4.0),
    SeaState(6, "very rough", 4.0, 6.0),
    SeaState(7, "high", 6.0, 9.0),
    SeaState(8, "very high", 9.0, 14.0),
)
"""WMO-No. 306, volume I.1, code table 3700; state 9, phenomenal, is everything over 14 m."""


def sea_state(code: int) -> SeaState:
    """The state with this number."""
    if not (isinstance(code, int) and 0 <= code < len(STATES)):
        raise WorldError(f"there is no sea state {code}; states are 0 to {len(STATES) - 1}")
    return STATES[code]


def state_of(height: float) -> SeaState:
    """The state of a significant height [m]; the highest one for heights beyond the table."""
    return next((state for state in STATES if height <= state.most), STATES[-1])

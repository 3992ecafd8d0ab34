"""Words of seas: names of spectra and periods, and the options of URLs and commands; quick to import."""

from __future__ import annotations

from motionbase.worlds.option import Choice, Number, Option
from motionbase.worlds.sea.states import STATES

REGULAR = "regular"
NAMES = {"jonswap": "JONSWAP", "pm": "Pierson-Moskowitz", "ittc": "ITTC", REGULAR: "regular wave"}
PERIODS = ("tp", "t1", "tz", "te")
JONSWAP_GAMMA = 3.3  # mean of the measurements (Hasselmann et al. 1973)

OPTIONS: tuple[Option, ...] = (
    Number("sea", "sea state by the table of the WMO", 4, 0, len(STATES) - 1),
    Choice("spectrum", "spectrum of the wind sea", "jonswap", tuple(NAMES)),
    Number("height", "significant height; 0: that of the sea state", 0, 0, 20, "m"),
    Number("period", "of the wind sea; 0: that of a fully developed sea of this height", 0, 0, 30, "s"),
    Choice("period_is", "which period that is: peak, mean, zero-crossing or energy", "tp", PERIODS),
    Number("gamma", "peak enhancement of jonswap", JONSWAP_GAMMA, 1, 10),
    Number("direction", "into which the waves travel; 180: head sea for a vessel of heading 0", 180, -360, 360, "deg"),
    Number("spread", "standard deviation of directions; 0: long crests", 25, 0, 60, "deg"),
    Number("swell", "significant height of swell", 0, 0, 15, "m"),
    Number("swell_period", "peak period of the swell", 12, 3, 30, "s"),
    Number("swell_direction", "into which the swell travels", 90, -360, 360, "deg"),
    Number("random", "seed of phases and frequencies", 1, 0, 2**31 - 1),
)

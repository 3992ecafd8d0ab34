"""Terms for legs by their kind: electric legs have drives and power where hydraulic legs have valves and oil.

Names and texts are written once, for hydraulic legs or for both kinds; `named` and `told` adapt them to a platform.
If the kind is not known, a text stays as it is. Names of channels and parameters are the same for both kinds, so that
programs need not distinguish them; their descriptions differ.
"""

from __future__ import annotations

NAMES = {"valve": "drive", "spool": "speed", "supply": "power"}
"""First words of fault names, and their replacements for electric legs."""
GROUPS = {"valve": "drive", "hydraulics": "power", "leg_pressure": "not_fitted"}
"""Groups of channels, and their names for electric legs."""
NOT_FITTED = "not fitted: electric legs have no oil; reads 0"
# texts for both kinds -> the same for hydraulic and for electric legs
OF_BOTH = {
    "the valve or the drive of a leg": ("the valve of a leg", "the drive of a leg"),
    "the supply pressure, or the power of the drives, is": ("the supply pressure is", "the power of the drives is"),
    "faster than valve or drive can": ("faster than a valve can", "faster than a drive can"),
    "the sensor of the spool, or of the drive's speed,": ("the sensor of the spool", "the drive's report of its speed"),
}
# texts for hydraulic legs -> the same for electric ones; the first match counts
OF_OIL = {
    "a measured pressure is no number, out of range or contradicts the measured force": "a reading of oil, which "
    "electric legs do not have, is not 0",
    "the spool stays where it is": "the drive keeps its last speed command",
    "the spool goes to the end that extends the leg": "the drive extends the leg at full speed",
    "the spool goes to the end that retracts the leg": "the drive retracts the leg at full speed",
    "the spool moves against its command": "the drive runs against its command",
    "the supply pressure falls to": "the power of the drives falls to",
    "pressure at the cap end (extends the leg)": NOT_FITTED,
    "pressure at the rod end (retracts the leg)": NOT_FITTED,
    "measured spool position, -1 to 1": "measured speed over the drive's largest",
    "return pressure": NOT_FITTED,
    "largest believable pressure": "of oil, which electric legs do not have",
    "least supply pressure": "least power of the drives, 1 is nominal",
    "supply pressure": "power of the drives, 1 is nominal",
    "measured spool and model of the valve": "the motor's force and a model of the drive, as commands",
    "while the valve stands": "while the drive stands",
    "to shut the valves off, evenly": "to switch the drives off and close the brakes",
    "valve command": "speed command",
}
TEXTS = {**OF_BOTH, **{text: (text, electric) for text, electric in OF_OIL.items()}}


def named(name: str, electric: bool) -> str:
    """A fault name in lower case for these legs: "valve_stuck" becomes "drive_stuck" if they are electric."""
    if not electric:
        return name
    first, mark, rest = name.partition("_")
    return f"{NAMES.get(first, first)}{mark}{rest}"


def told(text: str, electric: bool | None) -> str:
    """A text in the terms of these legs; unchanged if `electric` is None (kind not known)."""
    if electric is None:
        return text
    for written, words in TEXTS.items():
        if written in text:
            return text.replace(written, words[electric])
    return text

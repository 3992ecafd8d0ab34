"""Result of a comparison: channels of both sides beside each other, and their figures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from motionbase.record.cueing import ROWS, SINGLE, SIX, cueing_channels
from motionbase.record.schema import Channel, Schema

SIDES = "ab"
SHARED = ("demand", "felt_vehicle")  # rows that do not depend on the side
OWN = ("cue", "felt_cue")
FIGURES = ("cue_error", "stroke_left", "cue_set")


@cache
def trial_schema() -> Schema:
    """Time, the vehicle, and of each side the platform, the error and the stroke: `cue_f_x_a`, `cue_error_b`."""
    return Schema("cueing_trial", (Channel("t", "s", "time", "time"), *(channel for _, channel in _channels())))


def sources() -> tuple[tuple[str, str], ...]:
    """For each channel but the time: the side that has it, and its name there."""
    return tuple(source for source, _ in _channels())


def _channels() -> Iterator[tuple[tuple[str, str], Channel]]:
    known = {channel.name: channel for channel in cueing_channels()}
    assert set(known) >= {f"{row}_{name}_{axis}" for row in ROWS for name, axis in SIX} | set(SINGLE)
    for row in SHARED:
        for name, axis in SIX:
            channel = known[f"{row}_{name}_{axis}"]
            yield ("a", channel.name), channel
    for side in SIDES:
        names = [*(f"{row}_{name}_{axis}" for row in OWN for name, axis in SIX), *FIGURES]
        for one in names:
            of = known[one]
            text = f"{side.upper()}: {of.description}"
            yield (side, one), Channel(f"{one}_{side}", of.unit, text, f"side_{side}", codes=of.codes)

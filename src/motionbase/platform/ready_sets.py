"""Ready-made sets of generators for every platform, so that something moves at once; they respect its limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from motionbase.record.axes import DOFS
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator, Shape, Space

if TYPE_CHECKING:
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.hexapod import Hexapod

# all numbers below are illustrative choices
GENTLE = "gentle"
SLOW_HZ, FADE_S = 0.2, 2.5
GENTLE_SHARE, TOUR_SHARE, SWELL_SHARE = 0.15, 0.3, 0.12  # of the largest sine within the limits of an axis
GENTLE_HZ = {"heave": 0.2, "surge": 0.15, "sway": 0.17, "roll": 0.19, "pitch": 0.16, "yaw": 0.14}  # in this order
GENTLE_JOIN_S = 6.0  # interval at which the next axis joins
TOUR_CYCLES, TOUR_PAUSE_S = 2, 0.5
SWELL_HZ = (0.11, 0.13, 0.17, 0.15, 0.12, 0.07)  # all different, so that the pattern takes long to repeat
SWELL_FADE_S = 5.0
IDENTIFY = "identify"
IDENTIFY_SLOW_HZ, IDENTIFY_SLOW_SPEED = 0.05, 0.03  # one slow wave in heave, for friction at low speeds [m/s]
IDENTIFY_SLOW_SHARE = 0.25  # of the travel, at most
IDENTIFY_BAND_HZ = {  # all different, so that the axes can be told apart
    "heave": (0.11, 0.93), "surge": (0.13, 0.97), "sway": (0.17, 1.01), "roll": (0.19, 1.21), "pitch": (0.15, 1.17),
    "yaw": (0.12, 1.11),
}  # fmt: skip
IDENTIFY_TONES, IDENTIFY_SHARE = 7, 0.3
GENTLE_ROCK = 0.5
GENTLE_SPIN, TOUR_SPIN, TUMBLE_SPIN = 0.3, 0.5, 0.4  # of the largest spin of a sphere
ROCK_SHARE, ROCK_HZ = 0.4, 0.1


def ready_sets(platform: Hexapod, atlas: Atlas | None = None) -> dict[str, GeneratorSet]:
    """Sets by name: the six axes, each joining those before it; one after another; all at once, like a ship.

    With a sphere: the stage's three axes join each other while it turns slowly without end and rocks; a turn about
    each axis; and tumbling about all of them.
    """
    return _on_legs(platform) if atlas is None else _with_sphere(platform, atlas)


def _with_sphere(platform: Hexapod, atlas: Atlas) -> dict[str, GeneratorSet]:
    heave = _sine(platform, "heave", SLOW_HZ, GENTLE_SHARE, SWELL_FADE_S)
    spin = atlas.limits.velocity
    return {
        GENTLE: GeneratorSet(
            (
                *(_joining(platform, k) for k in range(3)),
                _turn("yaw", GENTLE_SPIN * spin),
                *(_rock(axis, GENTLE_ROCK * spin, GENTLE_JOIN_S * k) for k, axis in enumerate(("pitch", "roll"), 3)),
            ),
            GENTLE,
        ),
        "tour": GeneratorSet((_turn("yaw", TOUR_SPIN * spin), _rock("pitch", spin), _rock("roll", spin)), "tour"),
        "tumble": GeneratorSet(
            (heave, _turn("yaw", GENTLE_SPIN * spin), _turn("roll", TUMBLE_SPIN * spin), _rock("pitch", spin)), "tumble"
        ),
    }


def _turn(axis: str, spin: float) -> Generator:
    """Endless rotation: a sawtooth of half a turn to each side jumps by a full turn, which is the same orientation."""
    frequency = _two_digits(spin / (2 * math.pi))
    return Generator(True, Space.DOF, (axis,), Shape.SAWTOOTH, math.pi, frequency)


def _rock(axis: str, spin: float, start: float = 0.0) -> Generator:
    amplitude = _two_digits(ROCK_SHARE * spin / (2 * math.pi * ROCK_HZ))
    return Generator(
        True, Space.DOF, (axis,), Shape.SINE, amplitude, ROCK_HZ, fade_in=FADE_S, fade_out=FADE_S, start=start
    )


def _on_legs(platform: Hexapod) -> dict[str, GeneratorSet]:
    return {
        GENTLE: GeneratorSet(tuple(_joining(platform, k) for k in range(len(GENTLE_HZ))), GENTLE),
        "tour": GeneratorSet(tuple(_visit(platform, k) for k in range(len(DOFS))), "tour"),
        "swell": GeneratorSet(
            tuple(
                _sine(platform, dof, f, SWELL_SHARE, SWELL_FADE_S) for dof, f in zip(DOFS, SWELL_HZ, strict=True)
            ),
            "swell",
        ),
        IDENTIFY: GeneratorSet((_slowly(platform), *(_in_band(platform, dof) for dof in IDENTIFY_BAND_HZ)), IDENTIFY),
    }  # fmt: skip


def largest_sine(platform: Hexapod, axis: int, frequency: float) -> float:
    """Amplitude at which position, velocity or acceleration of an axis reaches its limit first [m] or [rad]."""
    limits, omega = platform.limits, 2 * math.pi * frequency
    return min(limits.position[axis], limits.velocity[axis] / omega, limits.acceleration[axis] / omega**2)


def _sine(
    platform: Hexapod, dof: str, frequency: float, share: float, fade: float, start: float = 0.0, cycles: float = 0.0
) -> Generator:
    amplitude = _two_digits(share * largest_sine(platform, DOFS.index(dof), frequency))
    return Generator(
        True, Space.DOF, (dof,), Shape.SINE, amplitude, frequency, fade_in=fade, fade_out=fade, start=start,
        cycles=cycles,
    )  # fmt: skip


def _joining(platform: Hexapod, number: int) -> Generator:
    """A generator of the gentle set: it starts when those before it move, and continues with them."""
    dof, frequency = list(GENTLE_HZ.items())[number]
    return _sine(platform, dof, frequency, GENTLE_SHARE, SWELL_FADE_S, number * GENTLE_JOIN_S)


def _visit(platform: Hexapod, axis: int) -> Generator:
    start = axis * (TOUR_CYCLES / SLOW_HZ + FADE_S + TOUR_PAUSE_S)
    return _sine(platform, DOFS[axis], SLOW_HZ, TOUR_SHARE, FADE_S, start, TOUR_CYCLES)


def _slowly(platform: Hexapod) -> Generator:
    """One slow wave in heave alone: all legs pass every low speed twice each way, with hardly any acceleration."""
    speed = IDENTIFY_SLOW_SPEED / (2 * math.pi * IDENTIFY_SLOW_HZ)
    amplitude = _two_digits(min(speed, IDENTIFY_SLOW_SHARE * platform.limits.position[DOFS.index("heave")]))
    return Generator(
        True, Space.DOF, ("heave",), Shape.SINE, amplitude, IDENTIFY_SLOW_HZ, fade_in=FADE_S, fade_out=FADE_S, cycles=1
    )


def _in_band(platform: Hexapod, dof: str) -> Generator:
    """A multisine on one axis, after the slow wave, without end."""
    low, high = IDENTIFY_BAND_HZ[dof]
    amplitude = _two_digits(IDENTIFY_SHARE * largest_sine(platform, DOFS.index(dof), high))
    return Generator(
        True, Space.DOF, (dof,), Shape.MULTISINE, amplitude, low, high, fade_in=SWELL_FADE_S, fade_out=FADE_S,
        start=1 / IDENTIFY_SLOW_HZ + FADE_S, tones=IDENTIFY_TONES,
    )  # fmt: skip


def _two_digits(x: float) -> float:
    """The largest number with two digits that does not exceed x, for easy reading."""
    unit = 10.0 ** (math.floor(math.log10(x)) - 1)
    return round(math.floor(x / unit) * unit, 12)

"""Preview of generators: curves, and every platform limit that they would exceed."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.judge import Demand, Judge, counted
from motionbase.console.models import Exceeded, Preview
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import BANDS, PERIODIC, Generator, Shape
from motionbase.ring.blocks.preview import outputs

SHOWN = 1200  # samples of the curves: more than a picture resolves
PER_PERIOD = 24  # samples judged per period of the fastest wave: peaks are found to 1 %
LEAST_JUDGED, MOST_JUDGED = 4000, 200_000
MOST_WORK = 16_000_000  # samples times sines, at most: a second or two of one processor
AT_ONCE = 20_000  # samples judged together, which bounds the memory
DIGITS = 6


def preview(wanted: GeneratorSet, seconds: float, judge: Judge | None, why_no_judge: str = "") -> Preview:
    """Preview of the first seconds after the transition to drive; limits are judged if the platform is known."""
    t = np.linspace(0.0, seconds, SHOWN)
    demand = demand_of(wanted, t)
    exceeded = [] if judge is None else exceeded_by(wanted, seconds, judge)
    step = seconds / ((SHOWN if judge is None else _judged(wanted, seconds)) - 1)
    l = judge.leg_lengths(demand)[0] if judge is not None else np.full((6, SHOWN), np.nan)
    return Preview(
        t=_rounded(t),
        dofs=[[_rounded(one) for one in dof] for dof in demand.dofs],
        legs=[[None if math.isnan(x) else x for x in _rounded(leg)] for leg in l],
        limits=None if judge is None else judge.limits,
        exceeded=exceeded,
        text=_text(wanted, seconds, exceeded, why_no_judge, step, judge is not None and judge.atlas is not None),
    )


def exceeded_by(wanted: GeneratorSet, seconds: float, judge: Judge) -> list[Exceeded]:
    """Each limit that is exceeded within `seconds` after the transition to drive."""
    exceeded: list[Exceeded] = []
    for piece in _pieces(seconds, _judged(wanted, seconds)):
        exceeded = _merged(exceeded, judge.exceeded(demand_of(wanted, piece)))
    return exceeded


def demand_of(wanted: GeneratorSet, t: Array) -> Demand:
    """The demand about the neutral pose, as in maintenance mode."""
    made = outputs(wanted, t)
    return Demand(t, made.dofs, made.legs)


def highest_frequency(wanted: GeneratorSet) -> float:
    """Highest frequency of all generators that are on [Hz]; a fade counts as a wave of twice its length."""
    highest = 0.0
    for g in wanted.generators:
        if not g.enabled:
            continue
        band = (g.frequency, g.end_frequency) if g.shape not in PERIODIC else (g.frequency,)
        fades = (1 / (2 * fade) for fade in (g.fade_in, g.fade_out) if fade > 0)
        highest = max(highest, *(band if g.shape not in (Shape.STEP, Shape.RAMP) else (0.0,)), *fades)
    return highest


def _judged(wanted: GeneratorSet, seconds: float) -> int:
    count = math.ceil(PER_PERIOD * highest_frequency(wanted) * seconds) + 1
    sines = sum(max(1, g.tones if g.shape in BANDS else 1) for g in wanted.generators if g.enabled)
    return min(max(count, LEAST_JUDGED), MOST_JUDGED, MOST_WORK // max(1, sines))


def _pieces(seconds: float, count: int) -> Iterator[Array]:
    for first in range(0, count, AT_ONCE):
        yield np.arange(first, min(first + AT_ONCE, count), dtype=np.float64) * (seconds / (count - 1))


def _merged(before: list[Exceeded], more: list[Exceeded]) -> list[Exceeded]:
    """One entry for each limit and side, with the first time and the largest excess."""
    found = {(e.what, e.limit): e for e in before}
    for e in more:
        known = found.get((e.what, e.limit))
        if known is None:
            found[e.what, e.limit] = e
        elif abs(e.value - e.limit) > abs(known.value - known.limit):
            found[e.what, e.limit] = e.model_copy(update={"t": known.t})
    return list(found.values())


def _rounded(values: Array) -> list[float]:
    """Rounded to the digits that a picture shows, which saves two thirds of the bytes."""
    return [float(f"{x:.{DIGITS}g}") for x in values.tolist()]


def _text(
    wanted: GeneratorSet, seconds: float, exceeded: list[Exceeded], why_no_judge: str, step: float, has_sphere: bool
) -> str:
    said = []
    if why_no_judge:
        said.append(f"limits are not judged: {why_no_judge}")
    elif exceeded:
        said.append(f"{counted(exceeded)} would be exceeded; the control law keeps to them, so the motion differs")
    else:
        said.append(f"within all limits in the first {seconds:g} s")
    if jumps := [str(n) for n, g in enumerate(wanted.generators, 1) if g.enabled and _jumps(g, has_sphere)]:
        said.append(f"generator {', '.join(jumps)} jumps, which no platform follows")
    fastest = highest_frequency(wanted)
    if fastest * step * 8 > 1:
        said.append(f"judged every {step:.3g} s, which is coarse for {fastest:g} Hz; preview fewer seconds")
    return "; ".join(said)


def _jumps(g: Generator, has_sphere: bool) -> bool:
    """Whether the output jumps. On a sphere a sawtooth of half a turn to each side is a steady rotation, not a jump."""
    if has_sphere and g.shape is Shape.SAWTOOTH and g.unit == "rad" and abs(g.amplitude) == math.pi and g.fade_in == 0:
        return False
    return g.shape in (Shape.SQUARE, Shape.SAWTOOTH) or (g.shape is Shape.STEP and g.fade_in == 0)

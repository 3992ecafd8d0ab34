"""Guesses the format of datagrams: every decoder tries them, and the best result looks like the motion of a vehicle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.host.format import NOTHING, Format, Frame, Kind, Options
from motionbase.host.formats import FORMATS
from motionbase.record.vehicle import G

ENOUGH = 200  # datagrams; more are not looked at
TURNING = 0.02  # [rad/s]: below this rate angles do not show which rates are theirs
USUAL = 0.2 * G, 4.0 * G  # of the specific force in the middle of the samples
F, OMEGA, ANGLES = slice(0, 3), slice(3, 6), slice(9, 12)


@final
@dataclass(frozen=True)
class Guess:
    """One format.

    Attributes:
        score: 0 to 1
        why: for people
    """

    form: Format
    score: float
    why: str


def guessed(datagrams: Sequence[bytes], formats: Iterable[Format] | None = None) -> list[Guess]:
    """The formats that the datagrams may have, the best first; empty if no format fits.

    Args:
        datagrams: of one sender, in the order in which they came
    """
    taken = datagrams[:ENOUGH]
    if not taken:
        return []
    guesses = [_judged(form, taken) for form in (FORMATS.values() if formats is None else formats)]
    return sorted((g for g in guesses if g.score > 0.0), key=lambda g: -g.score)


def _judged(form: Format, datagrams: Sequence[bytes]) -> Guess:
    """Share of datagrams that are understood, times how well they fit the motion of a vehicle."""
    ticks = iter(range(len(datagrams) + 1))
    decoder = form.decoder(Options(clock=lambda: next(ticks) / 60.0))
    found = [decoder.decode(data) for data in datagrams]
    frames = [frame for frame in found if frame is not None and frame is not NOTHING]
    good, silent = len(frames), sum(frame is NOTHING for frame in found)
    if not frames:
        return Guess(form, 0.2 * silent / len(found), f"{silent} of {len(found)} are of this format and tell no motion")
    why = [f"{good + silent} of {len(found)} are understood"]
    score = (good + silent) / len(found)
    if form.kind is Kind.VEHICLE:
        rows = np.array([frame.row for frame in frames])
        force = float(np.median(np.linalg.norm(rows[:, F], axis=1)))
        why.append(f"specific force {force:.3g} m/s^2")
        if not USUAL[0] <= force <= USUAL[1]:
            score *= 0.3
        agree = agreement(rows, _times(frames))
        if agree is not None:
            why.append("rates fit the angles" if agree > 0.8 else "rates do not fit the angles")
            score *= 0.6 + 0.4 * agree
        elif len(frames) > 1:
            why.append("it does not turn")
            score *= 0.95
    return Guess(form, round(score, 4), ", ".join(why))


def _times(frames: Sequence[Frame]) -> Array:
    """Times of the frames; of a 60 Hz host if it tells none."""
    return np.array([k / 60.0 if frame.stamp is None else frame.stamp for k, frame in enumerate(frames)])


def euler_rates(rows: Array) -> Array:
    """(n, 3) rates of roll, pitch and yaw (ZYX) from the rates about the vehicle's axes."""
    p, q, r = rows[:, OMEGA].T
    roll, pitch = rows[:, 9], rows[:, 10]
    turn = (q * np.sin(roll) + r * np.cos(roll)) / np.cos(pitch)
    return np.stack([p + turn * np.sin(pitch), q * np.cos(roll) - r * np.sin(roll), turn], axis=1)


def differences(rows: Array, t: Array) -> tuple[Array, Flags]:
    """Rates of the angles from their differences, and which of them have a time step."""
    step = np.diff(t)
    good = (step > 1e-3) & (step < 0.5)
    change = np.diff(rows[:, ANGLES], axis=0)
    change = (change + math.pi) % (2 * math.pi) - math.pi
    return change / np.where(good, step, 1.0)[:, None], good


def agreement(rows: Array, t: Array) -> float | None:
    """How well the rates fit the differences of the angles, 0 to 1; None if the vehicle hardly turns."""
    if len(rows) < 3:
        return None
    told = 0.5 * (euler_rates(rows)[1:] + euler_rates(rows)[:-1])
    seen, good = differences(rows, t)
    if not np.any(good):
        return None
    told, seen = told[good], seen[good]
    told_size, seen_size = (float(np.median(np.linalg.norm(rates, axis=1))) for rates in (told, seen))
    if max(told_size, seen_size) < TURNING:
        return None
    wrong = float(np.median(np.linalg.norm(told - seen, axis=1)))
    return max(0.0, 1.0 - wrong / (seen_size + TURNING))

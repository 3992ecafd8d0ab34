"""The rest test: a few seconds of a vehicle at rest tell whether its accelerations include gravity, and where up is.

Where the vehicle turned, it also compares rates with angles, which shows wrong signs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.host.format import Format, Options
from motionbase.host.guess import differences, euler_rates
from motionbase.record.axes import ANGULAR
from motionbase.record.vehicle import G

LEAST_ROWS = 20
STILL_F, STILL_OMEGA = 0.5, 0.03  # [m/s^2], [rad/s]: standard deviations of a vehicle that stands, engine running
NONE_F = 0.8  # [m/s^2]: less is no gravity
WITHIN = 0.08  # of a magnitude that is recognised
SLOPE = math.radians(2.5)  # a smaller tilt does not show signs
UNITS = {"m/s^2": G, "g": 1.0, "ft/s^2": G / 0.3048}  # magnitude of gravity in each
AXES = {(0, 1): "forward", (0, -1): "backward", (1, 1): "left", (1, -1): "right", (2, 1): "up", (2, -1): "down"}
TURNS = 0.1  # [rad/s] of an angle's rate, with which signs can be compared


@final
@dataclass(frozen=True)
class Rest:
    """What a rest test found.

    Attributes:
        still: whether the vehicle stood
        gravity: whether it is in the accelerations; None if that cannot be told
        magnitude: of the mean acceleration [m/s^2]
        unit: in which the numbers seem to be although the format says m/s^2; "g" means that they are 9.81 times too
            small
        up: direction in which the acceleration points at rest, as the format takes it: "up" if all is well
        notes: sentences for people
        options: of the URL that would put right what is wrong
    """

    still: bool
    gravity: bool | None
    magnitude: float
    unit: str | None
    up: str | None
    notes: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """What to put into the URL, such as "gravity=no"; empty if nothing."""
        return "&".join(f"{name}={value}" for name, value in self.options.items())


def rest_of(rows: Array, t: Array, gravity: bool | None = None) -> Rest:
    """The verdict on rows of `record.vehicle.VEHICLE` that were decoded with `Options(gravity=True)`.

    Args:
        rows: (n, 13); nothing has been added to their accelerations
        t: (n,) [s]
        gravity: what the format takes as given; the option is told only if it must differ
    """
    if len(rows) < LEAST_ROWS:
        return Rest(False, None, 0.0, None, None, (f"{len(rows)} samples are too few; {LEAST_ROWS} are needed",))
    notes: list[str] = []
    spread = float(np.linalg.norm(rows[:, :3].std(axis=0)))
    turning = float(np.linalg.norm(np.median(np.abs(rows[:, 3:6]), axis=0)))
    turns = _turns(rows, t, notes)
    if spread >= STILL_F or turning >= STILL_OMEGA:
        notes.append(
            f"the vehicle moves (specific force varies by {spread:.2g} m/s^2, it turns at {turning:.2g} rad/s); let it "
            "stand for a few seconds"
        )
        return Rest(False, None, 0.0, None, None, tuple(notes))
    mean = rows[:, :3].mean(axis=0)
    magnitude = float(np.linalg.norm(mean))
    told, unit = _magnitude(magnitude, notes)
    up, options = None, dict[str, str]()
    if told:
        axis = int(np.argmax(np.abs(mean)))
        up = AXES[axis, 1 if mean[axis] > 0 else -1]
        if unit == "m/s^2" and (flips := _wrong_signs(mean / magnitude, up, rows, turns, notes)):
            options["flip"] = ",".join(flips)
    if told is not None and gravity is not None and told != gravity:
        options["gravity"] = "yes" if told else "no"
    return Rest(True, told, magnitude, unit, up, tuple(notes), options)


def _magnitude(magnitude: float, notes: list[str]) -> tuple[bool | None, str | None]:
    """Whether it is gravity, and in which unit."""
    for unit, size in UNITS.items():
        if abs(magnitude - size) < WITHIN * size:
            notes.append(
                f"gravity is in the accelerations: {magnitude:.3g} m/s^2 at rest"
                if unit == "m/s^2"
                else f"the accelerations are {magnitude:.3g} at rest, as if they were in {unit}: another format?"
            )
            return True, unit
    if magnitude < NONE_F:
        notes.append(f"gravity is not in the accelerations: {magnitude:.2g} m/s^2 at rest")
        return False, None
    notes.append(f"{magnitude:.3g} m/s^2 at rest is neither gravity nor nothing: does the vehicle really stand?")
    return None, None


def _wrong_signs(seen: Array, up: str, rows: Array, turns: dict[str, bool], notes: list[str]) -> list[str]:
    """Quantities with the wrong sign, from where the attitude says that up is.

    Args:
        seen: (3,) direction of the specific force
        turns: whether an angle and its rate have the same sign, as far as that was seen
    """
    if up == "down":
        notes.append("it points down: the vertical has the wrong sign")
        return ["f_z"]
    if up != "up":
        notes.append(f"it points {up}: the axes are other ones, so it is another format")
        return []
    notes.append("it points up, as it must")
    roll, pitch = float(np.median(rows[:, 9])), float(np.median(rows[:, 10]))
    expected = (-math.sin(pitch), math.sin(roll) * math.cos(pitch))
    wrong = []
    for k, (axis, angle, value, rate) in enumerate((("x", "pitch", pitch, "y"), ("y", "roll", roll, "x"))):
        if abs(expected[k]) < math.sin(SLOPE):
            slope = "nose up or down" if k == 0 else "on its side"
            notes.append(f"level ground does not show the sign of f_{axis}: let it stand {slope} on a slope")
        elif abs(seen[k] - expected[k]) < 0.5 * abs(expected[k]):
            notes.append(f"f_{axis} fits a {angle} of {math.degrees(value):.1f} deg")
            if turns.get(angle) is False:
                wrong += [f"omega_{rate}", f"alpha_{rate}"]
        elif abs(seen[k] + expected[k]) < 0.5 * abs(expected[k]):
            culprit = {True: f"f_{axis}", False: angle}[turns[angle]] if angle in turns else ""
            named = culprit or f"f_{axis} or {angle}"
            notes.append(
                f"f_{axis} does not fit a {angle} of {math.degrees(value):.1f} deg: {named} has the wrong sign"
            )
            wrong += [culprit] if culprit else []
        else:
            notes.append(f"f_{axis} does not fit a {angle} of {math.degrees(value):.1f} deg")
    return wrong


def _turns(rows: Array, t: Array, notes: list[str]) -> dict[str, bool]:
    """Whether an angle and its rate have the same sign, for the angles that changed."""
    seen, good = differences(rows, t)
    told = 0.5 * (euler_rates(rows)[1:] + euler_rates(rows)[:-1])
    found = {}
    for k, angle in enumerate(ANGULAR):
        clear = good & (np.abs(seen[:, k]) > TURNS) & (np.abs(told[:, k]) > TURNS)
        if clear.sum() < LEAST_ROWS // 2:
            continue
        same = float(np.mean(np.sign(seen[clear, k]) == np.sign(told[clear, k])))
        if max(same, 1 - same) > 0.8:
            found[angle] = same > 0.5
            notes.append(f"{angle} and its rate have {'the same sign' if found[angle] else 'opposite signs'}")
    return found


def takes_gravity(form: Format, datagrams: Sequence[bytes], options: Options) -> bool | None:
    """Whether a format takes gravity as included with these options; None if no datagram tells a motion."""
    plain, told = form.decoder(options), form.decoder(replace(options, gravity=True))
    for data in datagrams:
        ours, theirs = plain.decode(data), told.decode(data)
        if ours is not None and theirs is not None and ours.row:
            return ours.row[:3] == theirs.row[:3]
    return None


@final
@dataclass(frozen=True)
class Found:
    """Three neighbouring numbers that may be an acceleration with gravity.

    Attributes:
        place: index of the first
        unit: "m/s^2", "g" or "ft/s^2"
        axis: 0, 1 or 2, which points up
        sign: 1, or -1 if it points down
        spread: standard deviation, in parts of gravity
    """

    place: int
    unit: str
    axis: int
    sign: int
    spread: float


def gravity_in(numbers: Sequence[Sequence[float]] | Array) -> list[Found]:
    """Where unknown numbers of a vehicle at rest may hold gravity, the steadiest first.

    Args:
        numbers: (n, m), samples of m numbers, such as all floats of a datagram
    """
    values = np.asarray(numbers, float)
    found = []
    for place in range(values.shape[1] - 2 if values.ndim == 2 and len(values) >= LEAST_ROWS else 0):
        three = values[:, place : place + 3]
        if not np.all(np.isfinite(three)) or np.abs(three).max() > 1e6:
            continue
        size = np.linalg.norm(three, axis=1)
        for unit, gravity in UNITS.items():
            spread = float(size.std() / gravity)
            if abs(float(size.mean()) - gravity) < WITHIN * gravity and spread < WITHIN:
                mean = three.mean(axis=0)
                axis = int(np.argmax(np.abs(mean)))
                found.append(Found(place, unit, axis, 1 if mean[axis] > 0 else -1, spread))
    return sorted(found, key=lambda f: (f.spread, f.place))

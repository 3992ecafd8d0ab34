"""Names and units of every coordinate and speed, as used in files, plots and on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.model import Model

Values: TypeAlias = float | Sequence[float] | Array
State: TypeAlias = ArrayLike | Mapping[str, Values] | None


class Quantity(NamedTuple):
    """A coordinate or speed."""

    name: str
    unit: str


def coordinates(model: Model) -> tuple[Quantity, ...]:
    """One for each of q: "elbow", "hinge.1" for joints with several, "base.x" ... "base.qz" for free bodies."""
    found: list[Quantity] = []
    for joint, body in zip(model.joints, model.bodies, strict=True):
        units = joint.motion.units
        if joint.motion.has_quaternion:
            plain = [("x", "m"), ("y", "m"), ("z", "m")][: joint.motion.nq - 4]
            parts = [*plain, ("qw", "-"), ("qx", "-"), ("qy", "-"), ("qz", "-")]
            found += [Quantity(f"{joint.name}.{part}", unit) for part, unit in parts]
        else:
            found += _counted(joint.name, units)
        found += [Quantity(f"{body.name}.mode{k + 1}", "-") for k in range(body.n_modes)]
    return tuple(found)


def speeds(model: Model) -> tuple[Quantity, ...]:
    """One for each of v; angular and linear velocities of a free body are in its own frame."""
    found: list[Quantity] = []
    for joint, body in zip(model.joints, model.bodies, strict=True):
        units = tuple(f"{unit}/s" for unit in joint.motion.units)
        if joint.motion.has_quaternion:
            parts = ("wx", "wy", "wz", "vx", "vy", "vz")[: joint.motion.nv]
            found += [Quantity(f"{joint.name}.{part}", unit) for part, unit in zip(parts, units, strict=True)]
        else:
            found += _counted(joint.name, units)
        found += [Quantity(f"{body.name}.mode{k + 1}", "1/s") for k in range(body.n_modes)]
    return tuple(found)


def _counted(name: str, units: Sequence[str]) -> list[Quantity]:
    if len(units) == 1:
        return [Quantity(name, units[0])]
    return [Quantity(f"{name}.{k + 1}", unit) for k, unit in enumerate(units)]


def q_of(model: Model, given: State, start: ArrayLike | None = None) -> Array:
    """Coordinates from an array, or some of them by name (a coordinate, or a joint with all its coordinates).

    Args:
        start: values of the others; the model's neutral coordinates by default
    """
    base = model.neutral if start is None else np.array(start, dtype=np.float64)
    q = _filled(model, given, base, coordinates(model), "q0", "coordinate")
    _check_quaternions(model, given)
    for at in (at for j, (at, _) in zip(model.joints, model.q_slices, strict=True) if j.motion.has_quaternion):
        length = np.linalg.norm(q[at.stop - 4 : at.stop])
        if not 0.5 < length < 2:
            name = coordinates(model)[at.stop - 4].name.rpartition(".")[0]
            raise ModelError(f"q0: the quaternion of joint {name!r} has length {length:.3g}, it must be near 1")
        q[at.stop - 4 : at.stop] /= length
    return q


def _check_quaternions(model: Model, given: State) -> None:
    """Refuse an incomplete quaternion: normalising it would change the given number."""
    known = coordinates(model)
    named = set(given_coordinates(model, given)) if isinstance(given, Mapping) else set()
    for joint, (at, _) in zip(model.joints, model.q_slices, strict=True):
        own = range(at.stop - 4, at.stop) if joint.motion.has_quaternion else ()
        if (there := [k for k in own if k in named]) and len(there) < 4:
            missing = ", ".join(known[k].name for k in own if k not in named)
            raise ModelError(
                f"q0: {known[there[0]].name!r} alone is not an orientation; give all four numbers of the quaternion "
                f"(also {missing}), or all {joint.motion.nq} coordinates as {joint.name!r}"
            )


def given_coordinates(model: Model, given: State) -> tuple[int, ...]:
    """Indices in q of the given values; all for an array."""
    return _given(given, coordinates(model))


def given_speeds(model: Model, given: State) -> tuple[int, ...]:
    """Indices in v of the given values; all for an array."""
    return _given(given, speeds(model))


def _given(given: State, known: tuple[Quantity, ...]) -> tuple[int, ...]:
    if not isinstance(given, Mapping):
        return () if given is None else tuple(range(len(known)))
    return tuple(k for k, quantity in enumerate(known) if any(_means(name, quantity) for name in given))


def _means(name: str, quantity: Quantity) -> bool:
    """Whether a name is the quantity's own or its joint's."""
    return name in (quantity.name, quantity.name.rpartition(".")[0])


def v_of(model: Model, given: State, start: ArrayLike | None = None) -> Array:
    """Speeds from an array or by name; zero for the others."""
    base = np.zeros(model.nv) if start is None else np.array(start, dtype=np.float64)
    return _filled(model, given, base, speeds(model), "v0", "speed")


def _filled(model: Model, given: State, base: Array, known: tuple[Quantity, ...], what: str, kind: str) -> Array:
    names = [quantity.name for quantity in known]
    if given is None:
        return base
    if not isinstance(given, Mapping):
        array = np.array(given, dtype=np.float64)
        if array.shape != base.shape:
            raise ModelError(f"{what}: {array.size} numbers given, model {model.name!r} has {base.size} {kind}s")
        filled = array
    else:
        filled = base.copy()
        for name, value in given.items():
            at = [k for k, quantity in enumerate(known) if _means(name, quantity)]
            if not at:
                close = get_close_matches(name, names, n=1, cutoff=0.5)
                guess = f"; did you mean {close[0]!r}?" if close else ";"
                listed = ", ".join(names[:12]) + (f" ... ({len(names)} in all)" if len(names) > 12 else "")
                raise ModelError(f"{what}: no {kind} {name!r}{guess} {kind}s: {listed}")
            values = np.atleast_1d(np.array(value, dtype=np.float64))
            if values.shape != (len(at),):
                raise ModelError(f"{what}: {name!r} has {len(at)} {kind}s, {values.size} numbers given")
            filled[at] = values
    if not np.all(np.isfinite(filled)):
        raise ModelError(f"{what}: every number must be finite")
    return filled

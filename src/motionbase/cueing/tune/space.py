"""The parameters that a search may change, as a cube, and what a good vector must not break."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.cueing.cueing import PREFIXES
from motionbase.cueing.tune.scores import Judge, Scores
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.errors import UsageError, unknown

USUAL = {  # what is tuned, by algorithm; the others are limits or details
    "classical": ("gain", "high_pass", "tilt_gain", "tilt_low_pass"),
    "adaptive": ("gain", "high_pass", "tilt_gain", "tilt_low_pass", "adaptive_way", "adaptive_rate"),
    "optimal": ("gain",),  # its filters are designed when a set is loaded
}
FLOOR = 0.05  # [rad/s] least frequency: slower ones are drifts
WIDE = 50.0  # a range whose ends have this ratio or more is searched by its logarithm
SLACK = 1.0001  # rates written in degrees are rounded
TILT_MOST = min(THRESHOLDS[3], THRESHOLDS[4])  # [rad/s] of roll and pitch: nobody notices a slower tilt


@final
@dataclass(frozen=True)
class Allowed:
    """What a candidate may do.

    Attributes:
        reserve: way that every leg must keep to its margin [m], so that limits do not act
        saturation: whether scaled signals may saturate
        tilt: whether the tilt may be faster than people notice
    """

    reserve: float = 0.02
    saturation: bool = False
    tilt: bool = False


@final
@dataclass(frozen=True, eq=False)
class Space:
    """Free parameters of a judge's cueing, each from 0 to 1 between its bounds.

    Attributes:
        quantities: names without prefix, of the air, the ground or both, as the cases need; `adaptive_way` and the
            like hold in both; by default those of USUAL
    """

    judge: Judge
    quantities: tuple[str, ...] = ()
    allowed: Allowed = Allowed()

    def __post_init__(self) -> None:
        algorithm = self.judge.cueing.algorithm
        if algorithm not in USUAL:
            raise UsageError(f"algorithm {algorithm!r} cannot be tuned, only {', '.join(USUAL)}")
        if not self.quantities:
            object.__setattr__(self, "quantities", USUAL[algorithm])
        ports = self.judge.cueing.parameters.ports
        tunable = [p.name for p in ports if p.tunable and not p.name.startswith(PREFIXES["ground"])]
        known = [name.removeprefix(PREFIXES["air"]) for name in tunable]
        for name in self.quantities:
            if name not in known:
                raise unknown("parameter", name, known)
        fastest = max(self._tilt_rates(self.judge.cueing.parameter_vector()[None]).max(), 0.0)
        if fastest > TILT_MOST * SLACK and not self.allowed.tilt and "tilt_rate" not in self.quantities:
            raise UsageError(
                f"set {self.judge.cueing.cue_set.name!r} tilts by up to {np.degrees(fastest):.3g} deg/s, which people "
                f"notice: allow it, or tune tilt_rate too; they do not notice {np.degrees(TILT_MOST):.3g} deg/s"
            )

    def _tilt_rates(self, vectors: Array) -> Array:
        """(m, situations) largest rates of the tilt [rad/s]."""
        layout = self.judge.cueing.parameters
        rates = [layout.part(vectors, f"{PREFIXES[s]}tilt_rate") for s in self.judge.situations]
        return np.concatenate(rates, axis=1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the quantities in the layout, with prefix."""
        known = {p.name for p in self.judge.cueing.parameters.ports}
        both = [name for name in self.quantities if PREFIXES["ground"] + name not in known]
        own = [name for name in self.quantities if name not in both]
        names = [PREFIXES[situation] + name for situation in self.judge.situations for name in own]
        return tuple(names + [PREFIXES["air"] + name for name in both])

    @cached_property
    def places(self) -> Array:
        """Of the free numbers in a vector."""
        layout = self.judge.cueing.parameters
        found = [np.arange(layout.starts[name], layout.starts[name] + layout.find(name).size) for name in self.names]
        return np.concatenate(found)

    @cached_property
    def _bounds(self) -> tuple[Array, Array, Flags]:
        """Bounds of the free numbers, and which of them are searched by their logarithm."""
        layout = self.judge.cueing.parameters
        ports = [layout.find(name) for name in self.names]
        least, most = (np.concatenate([p.bounds[side] for p in ports]) for side in (0, 1))
        rates = np.concatenate([np.full(p.size, p.unit == "rad/s" and p.bounds[1].max() > 1) for p in ports])
        least = np.where(rates, np.maximum(least, FLOOR), least)
        return least, most, (least > 0) & (most >= WIDE * np.maximum(least, 1e-12))

    def vectors(self, cube: Array) -> Array:
        """(m, parameters) of (m, n) points of the cube."""
        least, most, log = self._bounds
        safe = np.where(log, least, 1.0)
        ratio = np.where(log, most, 1.0) / safe
        values = np.where(log, safe * ratio**cube, least + cube * (most - least))
        made = np.tile(self.judge.cueing.parameter_vector(), (len(cube), 1))
        made[:, self.places] = values
        return made

    def cube(self, vectors: Array) -> Array:
        """(m, n) points of the cube; the nearest, for numbers that are out of bounds."""
        least, most, log = self._bounds
        values = np.clip(vectors[:, self.places], least, most)
        safe, high = np.where(log, least, 1.0), np.where(log, most, np.e)
        by_log = np.log(np.where(log, values, 1.0) / safe) / np.log(high / safe)
        return np.asarray(np.where(log, by_log, (values - least) / (most - least)))

    def violation(self, vectors: Array, scores: Scores) -> Array:
        """(m,) how far constraints are broken; 0 if all are kept."""
        layout = self.judge.cueing.parameters
        broken = np.maximum(scores.fastest / self.judge.cueing.platform.limits.leg_velocity - 1, 0.0)
        if not self.allowed.tilt:
            broken += np.maximum(self._tilt_rates(vectors) / TILT_MOST - SLACK, 0.0).sum(axis=1)
        for situation in self.judge.situations:
            prefix = PREFIXES[situation]
            margin = layout.part(vectors, prefix + "margin")[:, 0]
            broken += np.maximum(margin + self.allowed.reserve - scores.left, 0.0)
            if not self.allowed.saturation:
                band = layout.part(vectors, prefix + "dead_band")
                beyond = np.maximum(self.judge.largest[situation] - 2 * band, 0.0)  # as `algorithm.beyond`
                scaled = layout.part(vectors, prefix + "gain") * beyond
                broken += np.maximum(scaled / layout.part(vectors, prefix + "saturation") - 1, 0.0).sum(axis=1)
        return broken


def first_points(space: Space, count: int, random: np.random.Generator) -> Array:
    """Where a search begins: the cueing's own set, the same with smaller and larger gains, and changes of it."""
    own = space.judge.cueing.parameter_vector()
    layout = space.judge.cueing.parameters
    made: list[Array] = [own]
    for share in np.geomspace(0.1, 1.5, max(count // 4, 1)):
        scaled = own.copy()
        for prefix in PREFIXES.values():
            layout.part(scaled, prefix + "gain")[:] *= share
        made.append(scaled)
    known = space.cube(np.stack(made))[:count]
    free = count - len(known)
    near = known[random.integers(0, len(known), free)] + random.normal(0.0, 0.15, (free, known.shape[1]))
    return np.concatenate([known, np.clip(near, 0.0, 1.0)])

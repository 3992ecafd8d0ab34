"""Checks demands against the limits of a ring's platform, made from the text in the ring's header."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.model_scene import is_model
from motionbase.console.models import Exceeded, Limits
from motionbase.errors import MotionBaseError
from motionbase.record.axes import DOFS
from motionbase.ring.layout import Header

if TYPE_CHECKING:  # imported with the first platform, so that a console starts faster
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.demand import LegDemand
    from motionbase.platform.hexapod import Hexapod

ORDERS = (("position", "", ("m", "rad")), ("velocity", "velocity", ("m/s", "rad/s")),
          ("acceleration", "acceleration", ("m/s^2", "rad/s^2")))  # fmt: skip
_MAKING = threading.Lock()  # so that two requests do not load the same text
SLACK = 1e-9  # relative tolerance, so that a demand of exactly the limit is within it


class Demand(NamedTuple):
    """A demand over time.

    Attributes:
        t: (n,) [s]
        dofs: (6, 3, n) position from neutral, velocity, acceleration
        legs: (6, 3, n) additions to the lengths of the legs, with velocity and acceleration
    """

    t: Array
    dofs: Array
    legs: Array


@final
class Judge:
    """Limits and kinematics of one platform, with the sphere on it if there is one."""

    def __init__(self, platform: Hexapod, atlas: Atlas | None = None) -> None:
        self.platform, self.atlas = platform, atlas
        self._lock, self._starting = threading.Lock(), threading.Lock()
        self._legs: LegDemand | None = None
        self._preparing: threading.Thread | None = None

    @property
    def limits(self) -> Limits:
        """The limits as a model of the interface."""
        limits, stroke = self.platform.limits, self.platform.stroke
        return Limits(
            position=list(self.bounds["position"]),
            velocity=list(self.bounds["velocity"]),
            acceleration=list(self.bounds["acceleration"]),
            l_min=stroke.l_min,
            l_max=stroke.l_max,
            leg_velocity=limits.leg_velocity,
        )

    @cached_property
    def bounds(self) -> dict[str, tuple[float, ...]]:
        """Limits of each degree of freedom by order. A sphere turns without limit, its stage not at all."""
        limits = self.platform.limits
        found = {field: getattr(limits, field) for field, _, _ in ORDERS}
        if self.atlas is None:
            return found
        spin = {"position": math.pi, "velocity": self.atlas.limits.velocity,
                "acceleration": self.atlas.limits.acceleration}  # fmt: skip
        return {field: (*values[:3], *(spin[field],) * 3) for field, values in found.items()}

    @property
    def is_ready(self) -> bool:
        """Whether the kinematics are compiled."""
        return self._legs is not None

    def prepare(self) -> LegDemand:
        """Compile now instead of with the first demand."""
        from motionbase.platform.demand import LegDemand

        with self._lock:
            if self._legs is None:
                self._legs = LegDemand(self.platform)
            return self._legs

    def prepare_soon(self) -> None:
        """Compile in a thread, which is started once."""
        with self._starting:
            if self._preparing is None:
                self._preparing = threading.Thread(target=self.prepare, name="motionbase kinematics", daemon=True)
                self._preparing.start()

    def leg_lengths(self, demand: Demand) -> tuple[Array, Array]:
        """(6, n) lengths [m] and rates [m/s]."""
        moved = np.ones(len(DOFS)) if self.atlas is None else np.repeat([1.0, 0.0], 3)  # its stage stays level
        l, l_dot = self.prepare()(demand.dofs[:, 0].T * moved, demand.dofs[:, 1].T * moved)
        return l.T + demand.legs[:, 0], l_dot.T + demand.legs[:, 1]

    def exceeded(self, demand: Demand, lengths: tuple[Array, Array] | None = None) -> list[Exceeded]:
        """Each limit that the demand exceeds, with the largest value and the time of the first."""
        found = []
        limits, stroke = self.platform.limits, self.platform.stroke
        for order, (field, word, units) in enumerate(ORDERS):
            for k, dof in enumerate(DOFS):
                what = f"{dof} {word}".strip()
                bound, unit = self.bounds[field][k], units[k >= 3]
                found += _beyond(what, demand.t, demand.dofs[k, order], -bound, bound, unit)
        l, l_dot = self.leg_lengths(demand) if lengths is None else lengths
        for k in range(6):
            found += _beyond(f"leg {k + 1} length", demand.t, l[k], stroke.l_min, stroke.l_max, "m")
        for k in range(6):
            most = limits.leg_velocity
            found += _beyond(f"leg {k + 1} velocity", demand.t, l_dot[k], -most, most, "m/s")
        return found


class Told(NamedTuple):
    """The numbers of an exceeded limit as text, angles in degrees."""

    value: str
    limit: str
    unit: str


def told(one: Exceeded) -> Told:
    """Value and limit with four digits each."""
    unit = one.unit.replace("rad", "deg")
    value, limit = (math.degrees(x) if unit != one.unit else x for x in (one.value, one.limit))
    return Told(f"{value:.4g}", f"{limit:.4g}", unit)


def counted(exceeded: Sequence[Exceeded]) -> str:
    """Text such as `1 limit` or `15 limits`."""
    return "1 limit" if len(exceeded) == 1 else f"{len(exceeded)} limits"


def _beyond(what: str, t: Array, values: Array, low: float, high: float, unit: str) -> list[Exceeded]:
    slack = SLACK * max(abs(low), abs(high))
    bad = ~((values >= low - slack) & (values <= high + slack))  # NaN counts as beyond
    if not bad.any():
        return []
    excess = np.maximum(low - values, values - high)
    worst = int(np.nanargmax(np.where(np.isnan(values), np.inf, excess)))
    value = float(values[worst])
    return [
        Exceeded(
            what=what if np.isfinite(value) else f"{what} (no number)",
            value=value if np.isfinite(value) else 0.0,
            limit=low if value < low else high,
            unit=unit,
            t=float(t[int(np.argmax(bad))]),
        )
    ]


@lru_cache(maxsize=4)
def _judge(text: str) -> Judge | str:
    """The judge of a platform's text; a sentence if it describes no hexapod."""
    from motionbase.platform.atlas.text import platforms_of_text

    if is_model(text):
        return "it is a multibody model, not a motion platform"
    try:
        return Judge(*platforms_of_text(text))
    except MotionBaseError as error:
        return str(error)


def judge_of(header: Header | None) -> Judge | None:
    """The judge of a ring's platform; None if the ring has no platform, or one that is not a hexapod."""
    found = "" if header is None else judge_of_text(header.layout.platform)
    return found if isinstance(found, Judge) else None


def judge_of_text(text: str) -> Judge | str:
    """The judge of a platform's text; a sentence if it describes no hexapod or is empty."""
    if not text:
        return "there is no platform"
    with _MAKING:
        return _judge(text)


def why_no_platform(header: Header | None) -> str:
    """Why a ring has no usable platform, as a sentence."""
    if header is None:
        return "there is no ring"
    if not header.layout.platform:
        return "the ring carries no platform"
    found = judge_of_text(header.layout.platform)
    return found if isinstance(found, str) else ""

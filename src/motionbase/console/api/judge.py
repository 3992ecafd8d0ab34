"""The platform of a ring, from the text in its header, and what it says to a demand: which limits are exceeded."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.console.models import Exceeded, Limits
from motionbase.errors import MotionBaseError
from motionbase.record.axes import DOFS
from motionbase.ring.layout import Header

if TYPE_CHECKING:  # loaded with the first platform: a console is there sooner
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.demand import LegDemand
    from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]
ORDERS = (("position", "", ("m", "rad")), ("velocity", "velocity", ("m/s", "rad/s")),
          ("acceleration", "acceleration", ("m/s^2", "rad/s^2")))  # fmt: skip
_MAKING = threading.Lock()  # or two requests would load the same text
SLACK = 1e-9  # of a limit: a demand of exactly the limit keeps it


class Demand(NamedTuple):
    """A demand over time.

    Attributes:
        t: (n,) [s]
        dofs: (6, 3, n) position from neutral, velocity, acceleration
        legs: (6, 3, n) what is added to the lengths of the legs, with velocity and acceleration
    """

    t: Array
    dofs: Array
    legs: Array


@final
class Judge:
    """Knows one platform, and the sphere on it where there is one."""

    def __init__(self, platform: Hexapod, atlas: Atlas | None = None) -> None:
        self.platform, self.atlas = platform, atlas
        self._lock, self._starting = threading.Lock(), threading.Lock()
        self._legs: LegDemand | None = None
        self._preparing: threading.Thread | None = None

    @property
    def limits(self) -> Limits:
        """For the border."""
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
        """By order: what each degree of freedom may be asked for. A sphere turns without end, the stage not at all."""
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
        """Compile now rather than with the first demand."""
        from motionbase.platform.demand import LegDemand

        with self._lock:
            if self._legs is None:
                self._legs = LegDemand(self.platform)
            return self._legs

    def prepare_soon(self) -> None:
        """The same in a thread of its own, which is started once."""
        with self._starting:
            if self._preparing is None:
                self._preparing = threading.Thread(target=self.prepare, name="motionbase kinematics", daemon=True)
                self._preparing.start()

    def leg_lengths(self, demand: Demand) -> tuple[Array, Array]:
        """(6, n) lengths [m] and rates [m/s]."""
        moved = np.ones(len(DOFS)) if self.atlas is None else np.repeat([1.0, 0.0], 3)  # a stage stays level
        l, l_dot = self.prepare()(demand.dofs[:, 0].T * moved, demand.dofs[:, 1].T * moved)
        return l.T + demand.legs[:, 0], l_dot.T + demand.legs[:, 1]

    def exceeded(self, demand: Demand, lengths: tuple[Array, Array] | None = None) -> list[Exceeded]:
        """Each limit that the demand exceeds, with its largest value and when it first does."""
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
    """The numbers of a limit that is exceeded, as people read them: angles in degrees."""

    value: str
    limit: str
    unit: str


def told(one: Exceeded) -> Told:
    """Four digits of each."""
    unit = one.unit.replace("rad", "deg")
    value, limit = (math.degrees(x) if unit != one.unit else x for x in (one.value, one.limit))
    return Told(f"{value:.4g}", f"{limit:.4g}", unit)


def counted(exceeded: Sequence[Exceeded]) -> str:
    """`1 limit`, `15 limits`."""
    return "1 limit" if len(exceeded) == 1 else f"{len(exceeded)} limits"


def _beyond(what: str, t: Array, values: Array, low: float, high: float, unit: str) -> list[Exceeded]:
    slack = SLACK * max(abs(low), abs(high))
    bad = ~((values >= low - slack) & (values <= high + slack))  # NaN is beyond
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
    """Of a platform's text; a sentence where it is none."""
    from motionbase.platform.atlas.text import platforms_of_text

    try:
        return Judge(*platforms_of_text(text))
    except MotionBaseError as error:
        return str(error)


def judge_of(header: Header | None) -> Judge | None:
    """Of a ring's platform; None where the ring has none, or a text that describes no hexapod."""
    found = "" if header is None else judge_of_text(header.layout.platform)
    return found if isinstance(found, Judge) else None


def judge_of_text(text: str) -> Judge | str:
    """Of a platform's text; a sentence where it describes no hexapod."""
    if not text:
        return "there is no platform"
    with _MAKING:
        return _judge(text)


def why_no_platform(header: Header | None) -> str:
    """A sentence."""
    if header is None:
        return "there is no ring"
    if not header.layout.platform:
        return "the ring carries no platform"
    found = judge_of_text(header.layout.platform)
    return found if isinstance(found, str) else ""

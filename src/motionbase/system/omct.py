"""The motion cueing test of the whole system: from the host's samples to the true motion of the simulated platform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

from motionbase.cueing.cueing import Cueing
from motionbase.cueing.omct.algorithm import Algorithm, Vector
from motionbase.cueing.omct.measure import Observed
from motionbase.cueing.omct.motions import Excitation
from motionbase.system.cued_lanes import CuedLanes


@final
@dataclass(frozen=True, eq=False)
class WholeSystem:
    """Cueing, law, guard, actuators and platform, as a `System` of the test.

    Attributes:
        point: where the motion of vehicle and platform is taken, in P [m]
        lever: from there to the head [m]
    """

    lanes: CuedLanes
    point: Vector
    lever: Vector = (0.0, 0.0, 0.0)

    @staticmethod
    def of(cueing: Cueing, point: Vector, host_rate: float = 60.0) -> WholeSystem:
        """A platform under its own law behind a cueing."""
        lanes = CuedLanes.of(cueing, host_rate=host_rate)
        return WholeSystem(lanes, point, Algorithm(cueing, point).lever)

    def observed(self, vehicles: Sequence[Excitation], duration: float) -> Iterator[Observed]:
        """The runs side by side, from drive at neutral, piece by piece."""
        told = [partial(sine.rows, lever=self.lever) for sine in vehicles]
        for seen in self.lanes.runs(told, duration):
            yield Observed(seen.t, seen.felt_at(self.point)[:, :, : len(vehicles)])

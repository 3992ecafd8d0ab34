"""Planners of a predictive cueing, one for each lane; they answer between pieces of a native loop, as in real time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.cueing import PREDICTIVE, Cueing
from motionbase.cueing.omct.measure import LANES
from motionbase.cueing.predictive import Driver, Planner
from motionbase.cueing.predictive.pieces import WHERE
from motionbase.cueing.predictive.plans import PLAN, lead, no_plan
from motionbase.cueing.predictive.rows import row_of, where_of


@final
class Planners:
    """Plans of all lanes; none for an algorithm without plans.

    Attributes:
        ticks: of a piece between two plans; None if there are none
    """

    def __init__(self, cueing: Cueing) -> None:
        self._dt = cueing.dt
        self._planners = []
        if cueing.algorithm == PREDICTIVE:
            self._planners = [Planner(cueing.platform, cueing.head_P, forecast=Driver()) for _ in range(LANES)]
        self.ticks = lead(cueing.dt) if self._planners else None
        self._plans = np.stack([no_plan()] * LANES, axis=-1)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Outputs that the planners look at."""
        return (WHERE,) if self._planners else ()

    @property
    def inputs(self) -> dict[str, Array]:
        """The newest plans, as an input with the lanes last."""
        return {PLAN.name: self._plans} if self._planners else {}

    def look(self, out: Mapping[str, Array]) -> None:
        """Plan from where each lane stands at the end of a piece; without an answer, a lane keeps its plan."""
        for lane, planner in enumerate(self._planners):
            where = out[WHERE][-1, ..., lane]
            if (planned := planner.plan(where_of(where, self._dt))) is not None:
                self._plans[..., lane] = row_of(planned, where[0])

"""Displacements of six legs to a pose: for hosts that solve the inverse kinematics themselves."""

from __future__ import annotations

from functools import lru_cache
from typing import final

import numpy as np

from motionbase.compile import Compiled, compile
from motionbase.host.differences import Differences
from motionbase.host.format import Options
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of

NEUTRAL = np.zeros(6)


@final
class PoseOfLegs:
    """Converts rows of displacements to poses with velocities and accelerations, in the order in which they come.

    Args:
        options: `zero` tells from where displacements count, `clock` when a frame has come
    """

    def __init__(self, platform: Hexapod, options: Options) -> None:
        neutral = platform.l_neutral
        self._zero = neutral if options.zero == "neutral" else np.full(6, platform.stroke.l_min)
        self._forward, self._clock = _forward_of(platform), options.clock
        self._differences = Differences()
        self._dof = NEUTRAL

    def __call__(self, row: tuple[float, ...]) -> tuple[float, ...] | None:
        """(18,) of a pose; None if no pose is found that has these lengths."""
        l = self._zero + np.array(row)
        for start in (self._dof, NEUTRAL):
            dof, converged = self._forward(l=l, dof_start=start)
            if converged == 1:
                self._dof = np.array(dof)
                return self._differences(self._clock(), tuple(self._dof.tolist()))
        self._dof = NEUTRAL
        return None


@lru_cache(maxsize=4)
def _forward_of(platform: Hexapod) -> Compiled:
    return compile(kinematics_of(platform).dof_of_legs())

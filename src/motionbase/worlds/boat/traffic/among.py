"""Traffic around a boat: computed before each step of the boat, which takes wakes and contacts from it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port, compile
from motionbase.worlds.boat.others import Others
from motionbase.worlds.boat.traffic.contact import fenders_of
from motionbase.worlds.boat.traffic.sets import TrafficSet
from motionbase.worlds.boat.traffic.step import TRAFFIC, WAKES, Adrift, Touched
from motionbase.worlds.boat.vessel import Vessel
from motionbase.worlds.sea.patch import Wave

SX = ca.SX


@final
class Given(Others):
    """Wakes and contacts as inputs of the boat's step: what `Among` has computed."""

    inputs = (Wave.port("wakes", rows=WAKES), Port("contact", 6, "N m, N"))

    def waves(self, *inputs: Any) -> Any:
        """About her centre of gravity."""
        return inputs[0]

    def near(self, t: SX, p: SX, heading: SX, *inputs: Any) -> Any:
        """The wrench."""
        return inputs[1]

    def touch(self, near: Any, p_W: SX, R_WB: SX, V: SX) -> SX:
        """The wrench."""
        wrench: SX = near
        return wrench


GIVEN = Given()


@final
class Among:
    """A set of traffic around one vessel."""

    def __init__(self, traffic: TrafficSet, vessel: Vessel) -> None:
        self.traffic, self.vessel = traffic, vessel
        self.reset()

    def reset(self) -> None:
        """All buoys at their places, no contacts."""
        self.adrift, self.touched = Adrift.layout.vector(), Touched.layout.vector()

    @cached_property
    def fenders(self) -> Array:
        """Of the vessel."""
        v, at = self.vessel, self.vessel.statics.upright
        waterline = v.centre[2] - at.height / math.cos(at.trim)
        return fenders_of(v.mesh, v.centre, v.displacement, waterline)

    @cached_property
    def _arrays(self) -> tuple[Any, dict[str, Array]]:
        compiled = compile(TRAFFIC)
        arrays = compiled.arrays()
        arrays["traffic"][...], arrays["fenders"][...] = self.traffic.parameters, self.fenders
        return compiled.bind(**arrays), arrays

    def step(self, t: float, h: float, p_W: Array, Q_WB: Array, V: Array, V_dot: Array) -> tuple[Array, Array]:
        """Wakes about the boat and the wrench of contacts, as `Given` takes them.

        Args:
            t: at the end of the step; the others are of the boat at its beginning
        """
        bound, arrays = self._arrays
        arrays["t"][...], arrays["h"][...], arrays["p_W"][...], arrays["Q_WB"][...] = t, h, p_W, Q_WB
        arrays["V"][...], arrays["V_dot"][...], arrays["adrift"][...] = V, V_dot, self.adrift
        bound()
        self.adrift[...], self.touched[...] = arrays["adrift_next"], arrays["touched"]
        return arrays["wakes"], Touched.layout.part(arrays["touched"], "push")

    def told(self, name: str) -> float:
        """A quantity of `Touched`, as of the last step."""
        return float(np.ravel(Touched.layout.part(self.touched, name))[0])

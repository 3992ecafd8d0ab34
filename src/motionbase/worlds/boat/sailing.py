"""A vessel in waves, moved by the compiled step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.worlds.boat.craft import craft_of, hull_of
from motionbase.worlds.boat.others import NOTHING
from motionbase.worlds.boat.step import Body, Seen, boat_step
from motionbase.worlds.boat.traffic.among import GIVEN, Among
from motionbase.worlds.boat.vessel import Vessel
from motionbase.worlds.sea.patch import parameters
from motionbase.worlds.sea.waves import Waves, still

DT = 0.005  # [s]


@final
@dataclass(eq=False)
class Sailing:
    """A boat in waves.

    Attributes:
        push: (6,) wrench from outside, in axes of the vessel; may be changed at any time
        among: traffic around the boat; None: open sea
    """

    vessel: Vessel
    waves: Waves = field(default_factory=still)
    h: float = DT
    push: Array = field(default_factory=lambda: np.zeros(6))
    among: Among | None = None

    @cached_property
    def inputs(self) -> dict[str, Array]:
        """Parameters of the step, by port."""
        hull = hull_of(self.vessel)
        low, high = hull.vertices.min(axis=0), hull.vertices.max(axis=0)
        sea = parameters(
            self.waves, float(high[0] - low[0]), float(high[1] - low[1]), self.vessel.statics.draft,
            float(high[0] + low[0]) / 2,
        )  # fmt: skip
        return {
            "craft": craft_of(self.vessel), "vertices": hull.vertices, "triangles": hull.triangles,
            "transom": hull.transom, "sea": sea, "h": np.array(self.h),
        }  # fmt: skip

    @cached_property
    def program(self) -> Any:
        """The step as a program."""
        mesh = self.vessel.mesh
        return boat_step(mesh.faces.tobytes(), len(mesh.vertices), GIVEN if self.among else NOTHING)

    def start(self, speed: float = 0.0, **other: Any) -> Array:
        """`Body` afloat in still water, at a speed ahead [m/s]; other quantities by name."""
        at = self.vessel.statics.upright
        Q = [math.cos(at.trim / 2), 0.0, math.sin(at.trim / 2), 0.0]
        V = [0.0, 0.0, 0.0, speed * math.cos(at.trim), 0.0, speed * math.sin(at.trim)]
        return Body.layout.vector({"p_W": [0.0, 0.0, at.height], "Q_WB": Q, "V": V} | other)

    @cached_property
    def _arrays(self) -> tuple[Any, dict[str, Array]]:
        compiled = compile(self.program)
        arrays = compiled.arrays()
        for name, value in self.inputs.items():
            arrays[name][...] = value
        return compiled.bind(**arrays), arrays

    @cached_property
    def body(self) -> Array:
        """`Body` at present."""
        return self.start()

    @cached_property
    def seen(self) -> Array:
        """`Seen` of the last step."""
        return Seen.layout.vector()

    def reset(self, body: Array | None = None) -> None:
        """Begin again, afloat at rest or from a given `Body`."""
        self.body = self.start() if body is None else np.array(body)
        self.seen = Seen.layout.vector()
        if self.among:
            self.among.reset()

    def step(self, throttle: float, rudder: float) -> None:
        """One step."""
        bound, arrays = self._arrays
        arrays["body"][...], arrays["controls"][...], arrays["push"][...] = self.body, (throttle, rudder), self.push
        if self.among:
            count, *moving = (Body.layout.part(self.body, name) for name in ("count", "p_W", "Q_WB", "V", "V_dot"))
            arrays["wakes"][...], arrays["contact"][...] = self.among.step((count[0] + 1) * self.h, self.h, *moving)
        bound()
        self.body[...], self.seen[...] = arrays["body_next"], arrays["seen"]

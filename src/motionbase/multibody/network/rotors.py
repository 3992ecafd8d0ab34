"""Rotors of motors, which turn with a coordinate of a joint."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.network.constraints import MARKER_SIZE
from motionbase.multibody.network.coordinates import Coordinate
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own


@final
@dataclass(frozen=True, eq=False)
class ReflectedInertia(AbstractPart):
    """Momentum p = inertia times the coordinate's rate; the coordinate feels -p_dot.

    Attributes:
        inertia: N^2 J of all motors on the coordinate [kg m^2] or [kg]
    """

    name: str
    coordinate: Coordinate
    inertia: float
    indifferent: ClassVar[bool] = True

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child."""
        return self.coordinate.joint.nodes

    @property
    def kind(self) -> Hashable:
        """The coordinate's."""
        return "reflected inertia", self.coordinate.kind

    @property
    def numbers(self) -> Array:
        """Markers, inertia."""
        joint = self.coordinate.joint
        return np.concatenate([joint.a.numbers, joint.b.numbers, [self.inertia]])

    @property
    def linear(self) -> bool:
        """As the coordinate is."""
        return self.coordinate.linear

    @property
    def own(self) -> tuple[Own, ...]:
        """p."""
        return (Own.DIFFERENTIAL,)

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.rotor."""
        return (f"{self.name}.rotor",)

    def equations(self, at: Moment) -> Equations:
        """p is what the rate says; its rate pushes back."""
        seen = self.coordinate.seen(at)
        return seen.pushed(-at.own_dot[0], at.numbers[2 * MARKER_SIZE] * seen.rate - at.own[0])

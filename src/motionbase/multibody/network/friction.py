"""Friction that sticks, on a joint's coordinate: the bristle's deflection is integrated (equations 13 to 15)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass
from typing import ClassVar, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.elements import Stiction
from motionbase.multibody.elements.friction_law import Friction, direction, sliding_force, slipping
from motionbase.multibody.network.constraints import MARKER_SIZE
from motionbase.multibody.network.coordinates import Coordinate, CoordinateState
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.spatial.rotations import Expr

SMALLEST = 1e-6  # [N] below it the size of a joint's force is rounded off, or it would have no derivative at zero


@final
@dataclass(frozen=True, eq=False)
class JointStiction(AbstractPart):
    """A `Stiction` of the model.

    Attributes:
        coordinate: on which it acts
        forces: names of the multipliers that are the force across the joint; none if it does not depend on that
        start_speed: of the coordinate
    """

    element: Stiction
    coordinate: Coordinate
    forces: tuple[str, ...]
    start_speed: float = 0.0
    indifferent: ClassVar[bool] = True

    @classmethod
    def of(cls, element: Stiction, coordinate: Coordinate, start_speed: float) -> JointStiction:
        """Reads the joint's force where the element has a radius."""
        held = coordinate.joint.constraint()
        assert held is not None  # a body that flies has no coordinate
        units = [held.of.units[k] for k in held.held]
        forces = [name for name, unit in zip(held.row_names, units, strict=False) if unit == "m"]
        return cls(element, coordinate, tuple(forces) if element.radius else (), start_speed)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The element's."""
        return self.element.name

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child."""
        return self.coordinate.joint.nodes

    @property
    def kind(self) -> Hashable:
        """The coordinate's, and whether it depends on the joint's force."""
        return "stiction", self.coordinate.kind, len(self.forces), self.element.scaled

    @property
    def numbers(self) -> Array:
        """Markers, law, radius, preload."""
        joint, element = self.coordinate.joint, self.element
        law = [*astuple(element.law), element.radius, element.preload]
        return np.concatenate([joint.a.numbers, joint.b.numbers, law])

    @property
    def own(self) -> tuple[Own, ...]:
        """z."""
        return (Own.DIFFERENTIAL,)

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.bristle."""
        return (f"{self.name}.bristle",)

    @property
    def reads(self) -> tuple[str, ...]:
        """The force across the joint."""
        return self.forces

    @property
    def inputs(self) -> tuple[str, ...]:
        """What multiplies it."""
        return (f"{self.name}_active",) if self.element.scaled else ()

    @property
    def linear(self) -> bool:
        """As the coordinate is."""
        return self.coordinate.linear

    @property
    def kinked(self) -> bool:
        """From sliding to sticking the force's slope rises from about 0 to sigma1 + c sigma0."""
        return True

    @property
    def kinked_rows(self) -> tuple[int, ...]:
        """Of the bristle, which has the force in it."""
        return (0,)

    def own_start(self) -> Sequence[float]:
        """A joint that moves at the start has been sliding; one at rest is not loaded yet."""
        v, law = self.start_speed, self.element.law
        return (math.copysign(float(sliding_force(law, v)) / law.sigma0, v) if v else 0.0,)

    def own_sizes(self) -> Sequence[float]:
        """Deflection of steady sliding: the row of a bristle that sticks holds the speed, of one that slides not."""
        return (self.element.coulomb / self.element.sigma0,)

    def _law(self, at: Moment) -> tuple[Friction, CoordinateState]:
        numbers = at.numbers[2 * MARKER_SIZE :]
        return Friction.of(ca.vertsplit(numbers[:7])), self.coordinate.seen(at)

    def find(self, at: Moment) -> Expr:
        """Where the bristle would be without its own rate, and its relative deflection after the step."""
        law, seen = self._law(at)
        before = at.own[0] - at.c * at.own_dot[0]
        travel = Travel.of(law, before, at.c, seen.rate)
        return ca.vertcat(before, travel.solution(NEWTON_STEPS - 1))

    def equations(self, at: Moment) -> Equations:
        """Against the speed; the rate of the bristle is that with which the law is met at the end of the step."""
        law, seen = self._law(at)
        before, y = at.found[0], at.found[1]
        z, z_dot, v = at.own[0], at.own_dot[0], seen.rate
        force = self.force(at.numbers, z, z_dot, v, at.others, at.inputs)
        z_next = Travel.of(law, before, at.c, v).deflection(y)
        return seen.pushed(force, z_dot - (z_next - before) / at.c)

    def force(self, numbers: Expr, z: Expr, z_dot: Expr, v: Expr, others: Expr, inputs: Expr) -> Expr:
        """Along the coordinate, from `numbers`, the bristle, the speed, the joint's force and what scales it."""
        law = Friction.of(ca.vertsplit(numbers[2 * MARKER_SIZE : 2 * MARKER_SIZE + 7]))
        radius, preload = numbers[2 * MARKER_SIZE + 7], numbers[2 * MARKER_SIZE + 8]
        load = preload
        if self.forces:
            load += radius * ca.sqrt(ca.sumsqr(others) + SMALLEST**2)
        if self.element.scaled:
            load *= inputs[0]
        return -load * (law.sigma0 * z + law.sigma1 * z_dot + law.sigma2 * v)


NEWTON_STEPS = 4  # leave an error of 1e-9 of the steady deflection at kappa = 0.71


class Travel(NamedTuple):
    """The implicit step of a bristle at a given speed, in y = z / z_ss along the motion: y + X alpha(y) y = y_a + X.

    Solved here and not beside the other unknowns, because Newton's method on all of them together does not converge
    where a step is longer than the bristle: it takes z for a spring without end. The solution is below 1, or below y_a.

    Attributes:
        forward: 1 or -1
        z_ss: steady deflection at the speed
        y_a: z / z_ss before its rate counts
        X: way of the step over z_ss, not negative
    """

    law: Friction
    forward: Expr
    z_ss: Expr
    y_a: Expr
    X: Expr

    @classmethod
    def of(cls, law: Friction, before: Expr, c: Expr, v: Expr) -> Travel:
        """From the deflection without the rate's part, and a speed."""
        forward, z_ss = direction(v), sliding_force(law, v) / law.sigma0
        return cls(law, forward, z_ss, forward * before / z_ss, c * forward * v / z_ss)

    @property
    def _target(self) -> Expr:
        """y_a + X, brought to where alpha changes."""
        return ca.fmin(ca.fmax(self.y_a + self.X, self.law.kappa), 1 + self.X)

    def _newton(self, y: Expr) -> Expr:
        kappa = self.law.kappa
        alpha = slipping(self.law, y)
        slope = math.pi / (1 - kappa) * ca.sqrt(ca.fmax(alpha * (1 - alpha), 0))  # of half a sine
        step = (y * (1 + self.X * alpha) - self._target) / (1 + self.X * (alpha + y * slope))
        return ca.fmin(ca.fmax(y - step, kappa), 1)

    def solution(self, steps: int) -> Expr:
        """y between kappa and 1, from that with a straight line for alpha."""
        a, p = self.X / (1 - self.law.kappa), self._target
        b = 1 - a * self.law.kappa
        y = ca.fmin(2 * p / (b + ca.sqrt(b * b + 4 * a * p)), 1)
        for _ in range(steps):
            y = self._newton(y)
        return y

    def deflection(self, y: Expr) -> Expr:
        """z at the end, by one more Newton step: only bending below kappa, only slipping above 1."""
        bent = self.y_a + self.X
        slipped = ca.if_else(self.y_a > 1, bent / (1 + self.X), self._newton(y))
        return self.forward * self.z_ss * ca.if_else(bent < self.law.kappa, bent, slipped)

"""A step of a network: predict, one Jacobian or more with its factors, a fixed number of corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Port, Program, for_each, repeat
from motionbase.compile.linear import BROKEN, GROWTH_ALARM, AbstractFactors, factorize_dense, factorize_soundly
from motionbase.errors import SimulationError
from motionbase.multibody.network.assembly import Assembly, OwnValues
from motionbase.multibody.network.nodes import (
    Correction,
    Momentum,
    Node,
    Place,
    Weights,
    corrected_momentum,
    corrected_node,
    corrected_place,
    predicted,
)
from motionbase.multibody.network.repeated import repeated_groups
from motionbase.spatial.rotations import Expr

FEEDBACK = {
    name: f"{name}_next" for name in ("one", "two", "own_one", "own_two", "own_dot_one", "own_dot_two", "kept", "worst")
}


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What a step is made of.

    Attributes:
        iterations: corrections in a step
        samples: Jacobians as numbers, from which the order of elimination is chosen
        jacobians: how often a step makes a Jacobian and its factors: at the predicted configuration, and again after
            every iterations / jacobians corrections where these have brought it; as many as iterations is Newton's
            method
        refinements: further solves of each linear system for what its residual leaves: they make good what poor pivots
            lose, at a fixed cost
        dense: dense factors with row exchanges instead of generated ones
        growth_limit: of pivots, above which a step is counted
        driven: inputs of the parts from those of the program
    """

    assembly: Assembly
    iterations: int
    samples: Sequence[Array]
    jacobians: int = 1
    refinements: int = 0
    dense: bool = False
    growth_limit: float = GROWTH_ALARM
    driven: Callable[[Expr], Expr] = lambda given: given

    def __post_init__(self) -> None:
        if self.jacobians < 1 or self.iterations % self.jacobians:
            raise SimulationError(
                f"step: {self.iterations} iterations cannot be shared by {self.jacobians} Jacobians; "
                "their number must be a multiple"
            )

    def program(self, name: str, inputs: Sequence[Port]) -> Program:
        """(weights, states one and two steps back, inputs) -> states, and how well the step is solved."""
        n, own, kept = len(self.assembly.bodies), self.assembly.own_starts[-1], self.assembly.kept_starts[-1]
        states = (
            Node.port("one", "nodes one step back", rows=n),
            Node.port("two", "nodes two steps back", rows=n),
            Port("own_one", own, "-", "own unknowns of parts, one step back"),
            Port("own_two", own, "-", "own unknowns of parts, two steps back"),
            Port("own_dot_one", own, "-", "their rates, one step back"),
            Port("own_dot_two", own, "-", "their rates, two steps back"),
            Port("kept", kept, "rad, m", "what parts keep of the last step: coordinates"),
            Port("worst", 2, "-", "largest residual so far, and steps with growth beyond the alarm"),
        )
        outputs = tuple(Port(f"{p.name}_next", p.shape, p.unit, p.description, None, p.struct, p.start) for p in states)
        told = (
            Port("residual", (), "-", "largest part of the residual before the last correction"),
            Port("growth", (), "-", "growth of the pivots"),
            Port("change", (), "-", "largest correction of a node's position or orientation [m, rad]"),
        )

        def expr(weights: Weights, *given: Any) -> Any:
            state, values = given[: len(states)], ca.vertcat(*given[len(states) :])
            return self.step(weights, *state, inputs=self.driven(values))

        return Program(name, (Weights.port("weights"), *states, *inputs), (*outputs, *told), expr)

    def step(
        self, w: Weights, one: Node, two: Node, own_one: Expr, own_two: Expr, dot_one: Expr, dot_two: Expr, kept: Expr,
        worst: Expr, *, inputs: Expr,
    ) -> Any:  # fmt: skip
        """The algorithm."""
        c = w.c

        def ahead(one: Node, two: Node) -> Any:
            place, momentum, Q = predicted(w, one, two)
            return place, momentum, Q

        places, momenta, Q = for_each(ahead, one, two)
        values = self._predicted_own(w, own_one, own_two, dot_one, dot_two, kept)
        nothing = ca.SX.zeros(self.assembly.size)

        def corrected(factors: AbstractFactors, d: Expr) -> Any:
            def correct(d: Expr, made: Expr, asked: Expr, largest: Expr) -> Any:
                at, p, own = self._corrected(c, places, momenta, values, d)
                r = self.assembly.residual(c, at, p, own, inputs)
                step = factors.solve(r, self.refinements).x
                taken = step / _slope(made, asked, step) if self.assembly.kinked else step
                return d - taken, taken, step, _size(r)

            found = repeat(self.iterations // self.jacobians, correct, d, nothing, nothing, ca.SX(0))
            return found[0], found[3]

        def again(d: Expr, largest: Expr, growth: Expr) -> Any:
            # the corrections so far turn the axes of unknowns and rows a little: right but for c times d
            at, p, own = self._corrected(c, places, momenta, values, d)
            factors = self._factors(c, at, p, own, inputs)
            return *corrected(factors, d), ca.if_else(factors.growth <= growth, growth, factors.growth)

        if self.jacobians == 1:
            factors = self._factors(c, places, momenta, values, inputs)
            (d, largest), growth = corrected(factors, nothing), factors.growth
        else:
            d, largest, growth = repeat(self.jacobians, again, nothing, ca.SX(0), ca.SX(0))
        nodes, own = self.assembly.corrections(d)
        new = for_each(lambda p, m, Q, d: corrected_node(c, p, m, Q, d), places, momenta, Q, nodes)
        after = self._corrected_own(c, values, own)
        at = for_each(lambda p, d: corrected_place(c, p, d), places, nodes)
        kept_next = self.assembly.keep(at, after, inputs)
        # a NaN must stay: fmax would take the other number
        residual_next = ca.if_else(largest <= worst[0], worst[0], largest)
        worst_next = ca.vertcat(residual_next, worst[1] + ca.if_else(growth < self.growth_limit, 0, 1))
        change = ca.mmax(ca.fabs(c * ca.horzcat(nodes.v, nodes.omega)))
        states = new, one, after.own, own_one, after.own_dot, dot_one, kept_next, worst_next
        return *states, largest, growth, change

    def _factors(self, c: Expr, places: Place, momenta: Momentum, values: OwnValues, inputs: Expr) -> AbstractFactors:
        J = self.assembly.jacobian(c, places, momenta, values, inputs)
        if self.dense:
            return factorize_dense(J)
        return factorize_soundly(J, self.samples, repeated_groups(self.assembly), names=self.assembly.names)

    def _predicted_own(self, w: Weights, one: Expr, two: Expr, dot_one: Expr, dot_two: Expr, kept: Expr) -> OwnValues:
        """Integrated ones as nodes are; others on a straight line."""
        rate = w.derivative(dot_one, dot_two)
        integrated, plain = w.value(one, two, rate, dot_one, dot_two), w.derivative(one, two)
        chosen = [integrated[k] if of else plain[k] for k, of in enumerate(self.assembly.integrated)]
        return OwnValues(ca.vertcat(*chosen) if chosen else ca.SX(0, 1), rate, kept)

    def _corrected_own(self, c: Expr, values: OwnValues, d: Expr) -> OwnValues:
        scale = ca.vertcat(*(c if of else ca.SX(1) for of in self.assembly.integrated))
        rates = ca.DM([float(of) for of in self.assembly.integrated])
        return OwnValues(values.own + scale * d, values.own_dot + rates * d, values.kept)

    def _corrected(
        self, c: Expr, places: Place, momenta: Momentum, values: OwnValues, d: Expr
    ) -> tuple[Place, Momentum, OwnValues]:
        nodes, own = self.assembly.corrections(d)

        def moved(place: Place, momentum: Momentum, d: Correction) -> Any:
            return corrected_place(c, place, d), corrected_momentum(c, place.R, momentum, d)

        at, p = for_each(moved, places, momenta, nodes)
        return at, p, self._corrected_own(c, values, own)


def _size(r: Expr) -> Expr:
    """The largest, or BROKEN where something is not a number, which a maximum passes over."""
    return ca.if_else(ca.fabs(ca.sum1(r)) < BROKEN, ca.mmax(ca.fabs(r)), BROKEN)


def _slope(made: Expr, asked: Expr, step: Expr) -> Expr:
    """How much steeper the residual was along the last correction than the Jacobian says, within bounds.

    The secant method. Where one joint begins to stick, or to slide, the Jacobian is wrong in one row alone: all later
    corrections point one way, and differ from the right ones by this factor. It is 1 for the first of them.

    Args:
        made, asked: the last correction as it was made, and as the Jacobian asked for it
        step: what the Jacobian asks for now
    """
    slope = (ca.dot(asked - step, made) + TINY) / (ca.sumsqr(made) + TINY)
    return ca.fmin(ca.fmax(slope, FLATTEST), STEEPEST)


TINY = 1e-200  # so that 0 / 0 is 1
FLATTEST, STEEPEST = 0.3, 5.0

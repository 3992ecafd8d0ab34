"""A step of a network: predict, one Jacobian or more with its factors, a fixed number of corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Port, Program, for_each, repeat
from motionbase.compile.linear import BROKEN, GROWTH_ALARM, AbstractFactors, factorize_dense, factorize_soundly
from motionbase.compile.linear.pivot_watch import growth_by_pivots
from motionbase.errors import SimulationError
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.groups import OwnValues
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
from motionbase.multibody.network.secant import secant_for
from motionbase.spatial.rotations import Expr

FEEDBACK = {
    name: f"{name}_next" for name in ("one", "two", "own_one", "own_two", "own_dot_one", "own_dot_two", "kept", "worst")
}


@final
@dataclass(frozen=True, eq=False)
class Step:
    """What a step is made of.

    Attributes:
        schedule: numbers of corrections with each Jacobian and its factors. The first Jacobian is that of the predicted
            configuration, others that of where the corrections have brought it; all ones is Newton's method
        samples: Jacobians as numbers, from which the order of elimination is chosen
        refinements: further solves of each linear system for what its residual leaves: they make good what poor pivots
            lose, at a fixed cost
        dense: dense factors with row exchanges instead of generated ones
        growth_limit: of pivots, above which a step is counted
        driven: inputs of the parts from those of the program
    """

    assembly: Assembly
    schedule: tuple[int, ...]
    samples: Sequence[Array]
    refinements: int = 0
    dense: bool = False
    growth_limit: float = GROWTH_ALARM
    driven: Callable[[Expr], Expr] = lambda given: given

    def program(self, name: str, inputs: Sequence[Port]) -> Program:
        """(weights, states one and two steps back, inputs) -> states, and how well the step is solved."""
        n, own, kept = len(self.assembly.bodies), self.assembly.own_starts[-1], self.assembly.shared_starts[-1]
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
            Port("residual", (), "-", "size of the residual before the last correction"),
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
        secant = secant_for(self.assembly)

        def corrected(factors: AbstractFactors, count: int, d: Expr) -> tuple[Expr, Expr]:
            def solve(r: Expr) -> Expr:
                return factors.solve(r, self.refinements).x

            def correct(d: Expr, size: Expr, *last: Expr) -> Any:
                at, p, own = self._corrected(c, places, momenta, values, d)
                r = self.assembly.residual(c, at, p, own, inputs)
                step, *following = secant.correction(solve, r, last)
                return d - step, _size(r), *following

            first = d, ca.SX(0), *secant.start()
            d, size, *_ = repeat(count, correct, *first) if count > 1 else correct(*first)
            return d, size

        def linearised(count: int, d: Expr, growth: Expr) -> Any:
            # corrections so far turn the axes of unknowns and rows a little: right but for c times d
            at = self._corrected(c, places, momenta, values, d) if _moves(d) else (places, momenta, values)
            factors = self._factors(c, at, inputs)
            now = growth_by_pivots(factors)
            return *corrected(factors, count, d), ca.if_else(now <= growth, growth, now)

        start, (first, *more) = (ca.SX.zeros(self.assembly.size), ca.SX(0), ca.SX(0)), self.schedule
        if more and set(more) == {first}:  # one loop around all
            d, largest, growth = repeat(len(self.schedule), lambda d, _, growth: linearised(first, d, growth), *start)
        else:
            d, largest, growth = start
            for count in self.schedule:
                d, largest, growth = linearised(count, d, growth)
        nodes, own = self.assembly.corrections(d)
        new, at = for_each(lambda p, m, Q, d: corrected_node(c, p, m, Q, d), places, momenta, Q, nodes)
        after = self._corrected_own(c, values, own)
        kept_next = self.assembly.keep(w, at, after, inputs)
        # a NaN must stay: fmax would take the other number
        residual_next = ca.if_else(largest <= worst[0], worst[0], largest)
        worst_next = ca.vertcat(residual_next, worst[1] + ca.if_else(growth < self.growth_limit, 0, 1))
        change = ca.mmax(ca.fabs(c * ca.horzcat(nodes.v, nodes.omega)))
        states = new, one, after.own, own_one, after.own_dot, dot_one, kept_next, worst_next
        return *states, largest, growth, change

    def _factors(self, c: Expr, at: tuple[Place, Momentum, OwnValues], inputs: Expr) -> AbstractFactors:
        J = self.assembly.jacobian(c, *at, inputs)
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


def schedule_of(assembly: Assembly, iterations: int | None = None, jacobians: int | None = None) -> tuple[int, ...]:
    """Corrections with each Jacobian: what is asked for, shared evenly, or what the parts of a network need.

    Three corrections of what is smooth leave rounding. Where joints stick, the second Jacobian knows which of them the
    first correction has turned round; what touches is as hard to tell before it does.
    """
    if iterations is None and jacobians is None:
        return SMOOTH if not assembly.kinked else STICKING if assembly.kinked_rows is not None else TOUCHING
    count, parts = iterations or sum(TOUCHING if assembly.kinked else SMOOTH), jacobians or 1
    if parts < 1 or count % parts:
        raise SimulationError(
            f"step: {count} iterations cannot be shared by {parts} Jacobians; their number must be a multiple"
        )
    return (count // parts,) * parts


SMOOTH, STICKING, TOUCHING = (3,), (1, 5), (4, 4)


def _moves(d: Expr) -> bool:
    return not d.is_constant()


def _size(r: Expr) -> Expr:
    """Its length, at least its largest part; BROKEN where something is not a number.

    A maximum would take three times the operations, and pass over what is not a number.
    """
    size = ca.norm_2(r)
    return ca.if_else(size < BROKEN, size, BROKEN)

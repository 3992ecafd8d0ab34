"""Parts: what acts on nodes, joins them or adds states; each kind is one routine for all of its instances.

A part gives wrenches on its nodes and rows for its own unknowns. Jacobians with respect to the corrections of a step
follow by CasADi's differentiation, exact at the predicted configuration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, NamedTuple, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile.linear.eliminate import scalars
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.tabled import Tabled
from motionbase.spatial import skew
from motionbase.spatial.rotations import Expr


class Own(Enum):
    """What an own unknown is; of multipliers it tells what their row holds."""

    HOLONOMIC = "multiplier of a row that holds positions"
    SWITCHED = "multiplier of a row that holds positions, or lets go and holds the multiplier at zero"
    SPEED = "multiplier of a row that holds velocities"
    COORDINATE = "coordinate in rows that hold positions; its own row balances the multipliers along it"
    MODE = "coordinate with momentum, known at the start; its own row is the balance of forces along it"
    ALGEBRAIC = "found anew every step"
    DIFFERENTIAL = "integrated"


INTEGRATED = Own.DIFFERENTIAL, Own.COORDINATE, Own.MODE  # unknowns with a rate, of which a step corrects the rate


@final
@dataclass(frozen=True)
class Moment:
    """A part's surroundings at one moment.

    Attributes:
        places: one for each node; the ground's is a constant
        own, own_dot: its unknowns and, where they are integrated, their rates
        numbers: its parameters
        kept: what it kept of the last step
        inputs: values of its inputs
        others: unknowns of other parts that it reads
        c: how much an integrated unknown changes with its rate in this step [s]
        found: what `find` gave, or the values of its tables, those of each point together
        shifts: (place, velocity) small changes of each node, in its axes, which `places` do not have; see
            `AbstractPart.linear`
    """

    places: tuple[Place, ...]
    own: Expr
    own_dot: Expr
    numbers: Expr
    kept: Expr
    inputs: Expr
    others: Expr
    c: Expr
    found: Expr
    shifts: tuple[tuple[Expr, Expr], ...]


class Equations(NamedTuple):
    """What a part does.

    Attributes:
        wrenches: (force, moment) on each node, the moment about the node; the ground's are dropped
        rows: one for each own unknown, zero when met
        local: wrenches are in the axes of the nodes they act on
    """

    wrenches: Sequence[tuple[Expr, Expr]]
    rows: Expr
    local: bool = False


class AbstractPart(ABC):
    """One instance; parts with the same `kind` share a routine and differ by numbers and nodes alone."""

    name: str
    nodes: tuple[int | None, ...]  # None is the ground
    indifferent: ClassVar[bool] = False  # depends on its nodes' motion relative to each other, not on the world's axes

    @property
    @abstractmethod
    def kind(self) -> Hashable:
        """What the routine depends on."""

    @property
    def numbers(self) -> Sequence[float] | Array:
        """Parameters: what differs between instances."""
        return ()

    @property
    def own(self) -> tuple[Own, ...]:
        """Its unknowns."""
        return ()

    @property
    def row_names(self) -> tuple[str, ...]:
        """Of its rows, for messages."""
        return tuple(f"{self.name}.{k + 1}" for k in range(len(self.own)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of its inputs, each one number: `PORT` or `PORT[k]`."""
        return ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of multipliers of other parts that its equations hold, as `row_names` of those has them."""
        return ()

    @property
    def reads_integrated(self) -> bool:
        """Whether what it reads is integrated: corrections are then those of its rate."""
        return False

    @property
    def kinked(self) -> bool:
        """Whether its force bends so sharply that a Jacobian at the predicted place may be of the wrong side."""
        return False

    @property
    def kinked_rows(self) -> tuple[int, ...]:
        """Of its own rows those that bend so, where the forces themselves are smooth functions of the unknowns."""
        return ()

    @property
    def linear(self) -> bool:
        """Whether its equations take small changes of the nodes themselves (`Moment.shifts`), to first order.

        Then they are differentiated along the motions that its joint allows, and the rest of their derivative is what
        it is where the joint is met.
        """
        return False

    @property
    def acceleration(self) -> str | None:
        """The input that its one row's value is accelerated by, for the start; none where it only holds."""
        return None

    @property
    def kept(self) -> tuple[float, ...]:
        """Start values of what it keeps from step to step."""
        return ()

    @property
    def tabled(self) -> Tabled | None:
        """Tables whose values its equations take as `Moment.found`."""
        return None

    def asked(self, at: Moment) -> Expr:
        """(points, arguments) where its tables are looked up."""
        return ca.SX(0, 0)

    @property
    def tells(self) -> str | None:
        """Name of the exchange that learns what it `tell`s at the end of a step."""
        return None

    def tell(self, at: Moment) -> Expr:
        """Numbers for the exchange, which adds up those of all parts."""
        return ca.SX(0, 1)

    def find(self, at: Moment) -> Expr:
        """Numbers found before the equations are formed, which these take as constants when they are differentiated.

        For solutions of equations within a part: one Newton step from them, in `equations`, has the right derivative.
        """
        return ca.SX(0, 1)

    @abstractmethod
    def equations(self, at: Moment) -> Equations:
        """Wrenches and rows."""

    def derivatives(self, at: Moment, moved: Moment, by: Sequence[Expr]) -> list[Expr]:
        """Of what `stacked` gives by each of `by`, right where these are zero.

        Args:
            moved: the moment `at` after small changes `by` of (positions and orientations of the moving nodes, their
                velocities, both in the nodes' axes, own unknowns, their rates)
        """
        moved = self.watched(at, moved)
        column = stacked(moved, self.equations(moved))
        return [ca.jacobian(column, d) for d in by]

    def watched(self, at: Moment, moved: Moment) -> Moment:
        """The moment after small changes, without those of nodes that it depends on too weakly to count."""
        return moved

    def keep(self, at: Moment) -> Expr:
        """What it keeps at the end of a step, as many as `kept`."""
        return ca.SX(0, 1)

    def own_start(self) -> Sequence[float]:
        """Start values of its own unknowns, where nothing better is known."""
        return (0.0,) * len(self.own)

    def own_dot_start(self) -> Sequence[float]:
        """Rates at the start of its own unknowns, where they are known."""
        return (0.0,) * len(self.own)

    def own_sizes(self) -> Sequence[float]:
        """How far its own unknowns go either way, where that changes its Jacobian: pivots are to be good there too."""
        return (0.0,) * len(self.own)


@final
@dataclass(frozen=True)
class Routine:
    """The equations of one kind of part as CasADi functions.

    Their arguments are (places, own, own_dot, numbers, kept, inputs, others, table values, slopes, c).

    Attributes:
        residual: -> force and moment on each moving node, with the opposite sign, then rows
        jacobian: -> nonzeros of the residual's derivative by (v, omega) of each moving node, own unknowns, others
        keep: -> what is kept
        tell: -> what an exchange learns
        asked: -> arguments of the tables, those of each point together
        pattern: rows and columns of the nonzeros
        tabled: the tables
    """

    residual: ca.Function
    jacobian: ca.Function
    keep: ca.Function
    tell: ca.Function
    asked: ca.Function
    pattern: ca.Sparsity
    tabled: Tabled | None

    def looked_up(self, what: str, arguments: Sequence[Expr], c: Expr) -> list[Expr]:
        """Values of the tables, and their slopes where the function takes them, for the other arguments."""
        if self.tabled is None or what == "asked":
            return [ca.SX(0, 1), ca.SX(0, 1)]
        nothing = [ca.SX(size, 1) for size in self.tabled.sizes]
        return self.tabled.looked_up(self.asked.call([*arguments, *nothing, c])[0], slopes=what == "jacobian")

    def size(self, what: str) -> int:
        """Number of outputs of one of the functions."""
        function: ca.Function = getattr(self, what)
        return int(function.size1_out(0))


GROUND_PLACE = Place(ca.SX(3, 1), ca.SX.eye(3), ca.SX(3, 1), ca.SX(3, 1))


def routine_of(part: AbstractPart) -> Routine:
    """Trace a part, and differentiate it.

    A correction (v, omega) of a node, in its axes, moves it by xi = c (v, omega) and changes its velocity by eta =
    (v, omega). So the derivative is c d/dxi + d/deta. Rows that hold positions are divided by c, or they would vanish
    beside the others with a small step. Wrenches are taken in the axes of the node they act on.

    What does not depend on the world's axes is written in those of its last node: that node is then a constant, and
    with it most directions of a joint.
    """
    moving = [n for n in part.nodes if n is not None]
    count, own = len(moving), part.own
    places = ca.SX.sym("places", Place.layout.size, count)
    y, y_dot = ca.SX.sym("own", len(own)), ca.SX.sym("own_dot", len(own))
    numbers = ca.SX.sym("numbers", len(part.numbers))
    kept, inputs = ca.SX.sym("kept", len(part.kept)), ca.SX.sym("inputs", len(part.inputs))
    others = ca.SX.sym("others", len(part.reads))
    c = ca.SX.sym("c")
    xi, eta = ca.SX.sym("xi", 6, count), ca.SX.sym("eta", 6, count)
    zeta, zeta_dot = ca.SX.sym("zeta", len(own)), ca.SX.sym("zeta_dot", len(own))
    seen = _seen(part, [Place.of(places[:, k]) for k in range(count)])

    def surroundings(moved: bool, found: Expr) -> Moment:
        at_nodes, shifts, k = [], [], 0
        for node, place in zip(part.nodes, seen, strict=True):
            moves = moved and node is not None
            at_nodes.append(_moved(place, xi[:, k], eta[:, k]) if moves and not part.linear else place)
            shifts.append((xi[:, k], eta[:, k]) if moves and part.linear else (ca.SX(6, 1), ca.SX(6, 1)))
            k += node is not None
        after = (y + zeta, y_dot + zeta_dot) if moved else (y, y_dot)
        return Moment(tuple(at_nodes), *after, numbers, kept, inputs, others, c, found, tuple(shifts))

    still = surroundings(False, ca.SX(0, 1))
    tabled = part.tabled
    values, slopes = (
        ca.SX.sym(what, size)
        for what, size in zip(("values", "slopes"), (0, 0) if tabled is None else tabled.sizes, strict=True)
    )
    constants = part.find(still) if tabled is None else values
    at, moved = surroundings(False, constants), surroundings(True, constants)
    # the ground's wrenches are dropped, the others stand in the residual with the opposite sign
    taken = [6 * k + i for k, node in enumerate(part.nodes) if node is not None for i in range(6)]
    taken += [6 * len(part.nodes) + k for k in range(len(own))]
    sign = ca.vertcat(-ca.DM.ones(6 * count), ca.DM.ones(len(own)))
    residual, keep, tell = ca.densify(sign * stacked(at, part.equations(at))[taken]), part.keep(at), part.tell(at)
    holds = [6 * count + k for k, kind in enumerate(own) if kind is Own.HOLONOMIC]
    scale = ca.SX.ones(residual.shape[0])
    scale[holds] = 1 / c
    changes = [ca.vec(d) for d in (xi, eta, zeta, zeta_dot)]
    by = [ca.diag(sign) @ ca.SX(d)[taken, :] for d in _derivatives(part, at, moved, changes, slopes)]
    by_xi, by_eta, by_own, by_rate = ca.substitute(by, changes, [ca.SX.zeros(d.shape) for d in changes])
    by_node, by_unknown = c * by_xi + by_eta, ca.SX(by_own)
    for k, kind in enumerate(own):
        if kind in INTEGRATED:
            by_unknown[:, k] = c * by_own[:, k] + by_rate[:, k]
    for row in holds:
        by_node[row, :], by_unknown[row, :] = by_xi[row, :], by_unknown[row, :] / c
    by_others = ca.jacobian(residual * scale, others) * (c if part.reads_integrated else 1)
    J = ca.sparsify(ca.horzcat(by_node, by_unknown, by_others))
    given = [ca.vec(places), y, y_dot, numbers, kept, inputs, others, values, slopes, c]
    return Routine(
        ca.Function("residual", given, [residual * scale]),
        ca.Function("jacobian", given, [ca.vertcat(*scalars(J)) if J.nnz() else ca.SX(0, 1)]),
        ca.Function("keep", given, [ca.densify(ca.SX(keep))]),
        ca.Function("tell", given, [ca.densify(ca.SX(tell))]),
        ca.Function("asked", given, [ca.densify(ca.vec(part.asked(still).T))]),
        J.sparsity(),
        tabled,
    )


def _derivatives(part: AbstractPart, at: Moment, moved: Moment, by: Sequence[Expr], slopes: Expr) -> list[Expr]:
    """Those of the part, and through the tables: with the value of a table as v(a), dr/dx + dr/dv v' da/dx."""
    found = part.derivatives(at, moved, by)
    if part.tabled is None:
        return found
    moved = part.watched(at, moved)
    by_values = ca.jacobian(stacked(moved, part.equations(moved)), at.found) @ part.tabled.slope_matrix(slopes)
    asked = part.asked(moved)
    return [d + by_values @ ca.jacobian(asked[:, 0], change) for d, change in zip(found, by, strict=True)]


def stacked(at: Moment, found: Equations) -> Expr:
    """Force and moment on each node, in the node's axes, then rows."""
    frames = [ca.SX.eye(3) if found.local else place.R.T for place in at.places]
    wrenches = [ca.vertcat(R @ f, R @ m) for R, (f, m) in zip(frames, found.wrenches, strict=True)]
    return ca.vertcat(*wrenches, ca.SX(found.rows))


def _seen(part: AbstractPart, moving: Sequence[Place]) -> list[Place]:
    """The places of a part's nodes, the ground among them: in world axes, or from the last node."""
    left = iter(moving)
    places = [GROUND_PLACE if node is None else next(left) for node in part.nodes]
    if part.linear or not part.indifferent:
        return places
    base = moving[-1]
    last = max(k for k, node in enumerate(part.nodes) if node is not None)
    R = base.R.T
    found = [Place(R @ (p.x - base.x), R @ p.R, R @ p.v, R @ p.omega) for p in places]
    found[last] = Place(ca.SX(3, 1), ca.SX.eye(3), R @ base.v, R @ base.omega)
    return found


def _moved(place: Place, xi: Expr, eta: Expr) -> Place:
    """A place after small changes of position and velocity in its own axes, to first order."""
    turn, R = xi[3:], place.R
    return Place(
        place.x + R @ xi[:3],
        R + R @ skew(turn),
        place.v + R @ eta[:3],
        place.omega + R @ (eta[3:] + ca.cross(turn, R.T @ place.omega)),
    )

"""A consistent start: nodes from a tree's coordinates and speeds, accelerations and multipliers from its balance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.network.parts import INTEGRATED, Own
from motionbase.multibody.network.sites import point_of
from motionbase.multibody.tree.dynamics import Tree


@final
@dataclass(frozen=True, eq=False)
class StartState:
    """What the first step begins with; arrays as the ports of the step."""

    nodes: Array
    own: Array
    own_dot: Array
    kept: Array

    def ports(self) -> dict[str, Array]:
        """By name; nothing is known of two steps back, and the first step does not ask."""
        return {
            "one": self.nodes, "two": self.nodes.copy(), "own_one": self.own, "own_two": self.own.copy(),
            "own_dot_one": self.own_dot, "own_dot_two": self.own_dot.copy(), "kept": self.kept,
        }  # fmt: skip


@lru_cache(maxsize=4)
def node_motions(network: ModelNetwork) -> ca.Function:
    """(q, v) -> (nodes, 18) position, rotation matrix, velocity, angular velocity of every node."""
    model = network.model
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    state = Tree(model).state(q, v)
    rows = []
    for node in network.assembly.bodies:
        body, point = point_of(node)
        at = state.point(body, point or (float(node.com[0]), float(node.com[1]), float(node.com[2])))
        rows.append(ca.horzcat(at.p.T, ca.reshape(at.R.T, 1, 9), at.velocity[3:].T, at.velocity[:3].T))
    return ca.Function("node_motions", [q, v], [ca.densify(ca.vertcat(*rows))])


def places_at(network: ModelNetwork, q: Array, v: Array) -> Array:
    """(nodes, 18) places of all nodes; a node for the ground stands still at its origin."""
    return np.array(node_motions(network)(q, v))


def start_state(assembly: Assembly, places: Array, inputs: Array) -> StartState:
    """Momenta from velocities; their rates and the multipliers from the balance of forces and the rows' second rate.

    With s the coordinates that parts have of their own (modal amplitudes among them, whose values and rates are known),
    a the accelerations, u the value that a row follows, and y what parts integrate,

        M a - phi_x' lambda - f_y' y_dot = f,    phi_x a + phi_s s_ddot = u_ddot - (rest of the rows' second rate),
        phi_s' lambda + f_s' y_dot = -f_s,    y_dot by its row, or by the row's rate where y follows from the speeds,

    in the nodes' axes and by least squares: where rows are redundant they share the force.
    """
    own = np.concatenate([np.asarray(p.own_start(), dtype=np.float64) for p in assembly.parts] or [np.empty(0)])
    kept = assembly.kept_start
    known = np.concatenate([np.asarray(p.own_dot_start(), dtype=np.float64) for p in assembly.parts] or [np.empty(0)])
    own, own_dot = _coordinates_met(assembly, places, own, known, kept, inputs)
    states = _integrated(assembly, places, (own, own_dot, kept), inputs)
    A, b, unknown = _balance(assembly, places, (own, own_dot, kept), inputs)
    count, m = 6 * len(assembly.bodies), len(b)
    A = np.block([[A, np.zeros((m, len(states.at)))], [np.zeros((len(states.at), m)), states.by_rate]])
    A[:count, m:], A[m:, :count], b = states.pushes, states.by_a, np.concatenate([b, states.right])
    second = [count + i for i, k in enumerate(unknown) if assembly.kinds[k] is Own.MODE]
    A[second, m:], A[m:, second] = states.on_modes, states.by_modes
    # rows and columns to one scale, so that what least squares calls small has a meaning
    size = 1 / np.maximum(np.abs(A).max(axis=0, initial=0.0), 1e-300)
    solution = size * np.linalg.lstsq(A * size, b, rcond=1e-12)[0]
    own_dot[states.at] = solution[m:]
    for k, value in zip(unknown, solution[count:m], strict=True):
        if assembly.kinds[k] not in INTEGRATED:  # of a coordinate it is the second rate, which nobody asks for
            own[k] = value
    nodes = np.array([_node(assembly, n, place, solution[6 * n : 6 * n + 6]) for n, place in enumerate(places)])
    return StartState(nodes, own, own_dot, kept)


class _Integrated(NamedTuple):
    """Integrated unknowns at the start, but for coordinates.

    Attributes:
        at: where they stand among all own unknowns
        pushes, on_modes: derivatives by their rates of the balance of the nodes, and of the modes
        by_a, by_modes, by_rate, right: rows for accelerations, second rates of the modes, and rates
    """

    at: list[int]
    pushes: Array
    on_modes: Array
    by_a: Array
    by_modes: Array
    by_rate: Array
    right: Array


def _integrated(assembly: Assembly, places: Array, values: tuple[Array, Array, Array], inputs: Array) -> _Integrated:
    """Rows of the integrated unknowns; those that follow from the speeds are set in `values`."""
    first, own = assembly.node_starts[-1], values[0]
    at, nodes = _places_of(assembly, Own.DIFFERENTIAL), range(len(assembly.bodies))
    modes = [first + k for k in _places_of(assembly, Own.MODE)]
    moves = [assembly.node_starts[n] + i for n in nodes for i in range(6)]
    balances = [assembly.node_starts[n + 1] - 6 + i for n in nodes for i in range(6)]
    rows = [first + k for k in at]
    if not at:
        empty = ((len(balances), 0), (0, 0), (0, len(balances)), (0, 0), (0, 0), (0,))
        return _Integrated(at, *(np.zeros(shape) for shape in empty))

    def residual(along: float = 0.0) -> Array:
        moved = own.copy()
        moved[_places_of(assembly, Own.MODE)] += along * values[1][_places_of(assembly, Own.MODE)]
        return numeric_residual(assembly, _along(places, along), (moved, *values[1:]), inputs, SHORT)[rows]

    # with c = 0 the derivative by an unknown is that by its rate; rows that hold positions are not looked at
    J = assembly.numeric_jacobian(0.0, places, values, inputs)
    by_rate = J[np.ix_(rows, rows)]
    by_value = assembly.numeric_jacobian(1.0, places, values, inputs)[np.ix_(rows, rows)] - by_rate
    follows = ~np.any(by_rate, axis=1)
    if follows.any():
        these = np.flatnonzero(follows)
        own[[at[k] for k in these]] -= np.linalg.solve(by_value[np.ix_(these, these)], residual()[these])
    return _Integrated(
        at,
        J[np.ix_(balances, rows)],
        J[np.ix_(modes, rows)],
        np.where(follows[:, None], J[np.ix_(rows, moves)], 0.0),
        np.where(follows[:, None], J[np.ix_(rows, modes)], 0.0),
        np.where(follows[:, None], by_value, by_rate),
        -np.where(follows, (residual(SMALL) - residual(-SMALL)) / (2 * SMALL), residual()),
    )


def _places_of(assembly: Assembly, *kinds: Own) -> list[int]:
    """Own unknowns of these kinds."""
    return [k for k, kind in enumerate(assembly.kinds) if kind in kinds]


def _coordinates_met(
    assembly: Assembly, places: Array, own: Array, known: Array, kept: Array, inputs: Array
) -> tuple[Array, Array]:
    """Own unknowns with coordinates that fit the places, by Newton's method from where they are, and their rates."""
    own, own_dot = own.copy(), known.copy()
    coordinates, first = _places_of(assembly, Own.COORDINATE), assembly.node_starts[-1]
    if not coordinates:
        return own, own_dot
    rows = [first + k for k in _places_of(assembly, Own.HOLONOMIC)]
    for _ in range(NEWTON_STEPS):
        J = assembly.numeric_jacobian(1.0, places, (own, own_dot, kept), inputs)[rows]
        by_own = J[:, [first + k for k in coordinates]]
        step = np.linalg.lstsq(by_own, numeric_residual(assembly, places, (own, own_dot, kept), inputs)[rows])[0]
        own[coordinates] -= step
        if np.abs(step).max() < 1e-14:
            break
    moves = [start + i for start in assembly.node_starts[:-1] for i in range(6)]
    own_dot[coordinates] = -np.linalg.lstsq(by_own, J[:, moves] @ _velocities(places))[0]
    return own, own_dot


def _node(assembly: Assembly, n: int, place: Array, a: Array) -> Array:
    """(25,) a node with its momentum and the rate of it, from its place and acceleration (in its axes)."""
    body, layout = assembly.bodies[n], Node.layout
    R, omega = place[3:12].reshape(3, 3), place[15:18]
    J = R @ _tensor(body.inertia) @ R.T
    gamma, v_dot, omega_dot = J @ omega, R @ a[:3], R @ a[3:]
    values = {
        "x": place[:3], "Q": _quaternion(R), "v": place[12:15], "omega": omega,
        "beta": body.mass * place[12:15], "gamma": gamma,
        "beta_dot": body.mass * v_dot, "gamma_dot": J @ omega_dot + np.cross(omega, gamma),
    }  # fmt: skip
    return layout.vector(values)


def _tensor(six: Array) -> Array:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _quaternion(R: Array) -> Array:
    from motionbase.multibody.attitude import quaternion_of

    return np.array(ca.DM(ca.Function("Q", [], [quaternion_of(ca.SX(ca.DM(R)))])()["o0"])).ravel()


def _balance(
    assembly: Assembly, places: Array, values: tuple[Array, Array, Array], inputs: Array
) -> tuple[Array, Array, list[int]]:
    """The linear system for accelerations of nodes, multipliers and second rates of coordinates.

    Everything is taken from the routines: by velocity directions for the rows, and by a small step along the motion
    for their second rate, which only starts the first prediction. Returns which own unknowns are solved for, too.
    """
    count, first = 6 * len(assembly.bodies), assembly.node_starts[-1]
    M, f = np.zeros((count, count)), np.zeros(count)
    for n, body in enumerate(assembly.bodies):
        R = places[n, 3:12].reshape(3, 3)
        omega, spin, at = R.T @ places[n, 15:18], _tensor(body.inertia), 6 * n
        M[at : at + 3, at : at + 3] = body.mass * np.eye(3)
        M[at + 3 : at + 6, at + 3 : at + 6] = spin
        f[at : at + 3] = body.mass * (R.T @ assembly.gravity)
        f[at + 3 : at + 6] = -np.cross(omega, spin @ omega)
    nodes = range(len(assembly.bodies))
    moves = [assembly.node_starts[n] + i for n in nodes for i in range(6)]
    balances = [assembly.node_starts[n + 1] - 6 + i for n in nodes for i in range(6)]
    J = assembly.numeric_jacobian(1.0, places, values, inputs)
    residual = numeric_residual(assembly, places, values, inputs)
    multipliers = _places_of(assembly, Own.HOLONOMIC, Own.SWITCHED, Own.SPEED)
    coordinates = _places_of(assembly, Own.COORDINATE, Own.MODE)
    by_force, by_coordinate = [first + k for k in multipliers], [first + k for k in coordinates]
    speed = [i for i, k in enumerate(multipliers) if assembly.kinds[k] is Own.SPEED]
    by_node = J[np.ix_(by_force, moves)]
    if speed:  # without the part that moving the nodes has
        by_node[speed] = assembly.numeric_jacobian(0.0, places, values, inputs)[np.ix_(by_force, moves)][speed]
    second = _second_rates(assembly, places, values, inputs, by_force, moves, by_coordinate)
    if speed:
        ahead, back = (numeric_residual(assembly, _along(places, step), values, inputs) for step in (SMALL, -SMALL))
        second[speed] = (ahead - back)[by_force][speed] / (2 * SMALL)
    given = _accelerations(assembly, inputs)[multipliers]
    nothing = np.zeros((count, len(coordinates)))
    A = np.block(
        [
            [M, J[np.ix_(balances, by_force)], nothing],
            [by_node, J[np.ix_(by_force, by_force)], J[np.ix_(by_force, by_coordinate)]],
            [nothing.T, J[np.ix_(by_coordinate, by_force)], np.zeros((len(coordinates),) * 2)],
        ]
    )
    b = np.concatenate([f - residual[balances], given - second, -residual[by_coordinate]])
    return A, b, multipliers + coordinates


def _accelerations(assembly: Assembly, inputs: Array) -> Array:
    """(own,) second rates of what rows follow."""
    found, known = np.zeros(len(assembly.kinds)), {name: k for k, name in enumerate(assembly.inputs)}
    for part, start in zip(assembly.parts, assembly.own_starts, strict=False):
        if part.acceleration is not None and part.own:
            found[start] = inputs[known[part.acceleration]]
    return found


NEWTON_STEPS = 30
SHORT = 1e-9  # [s] a step in which nothing moves, for rows that depend on its length
SMALL = 1e-5  # [s] along the motion, for a derivative that only starts the first prediction


def numeric_residual(
    assembly: Assembly, places: Array, values: tuple[Array, Array, Array], inputs: Array, c: float = 1.0
) -> Array:
    """(size,) what the parts contribute in a step of c."""
    r = np.zeros(assembly.size)
    for group, outputs in assembly.numeric("residual", c, places, values, inputs):
        np.add.at(r, group.rows, outputs)
    return r


def _second_rates(
    assembly: Assembly, places: Array, values: tuple[Array, Array, Array], inputs: Array,
    rows: list[int], moves: list[int], coordinates: list[int],
) -> Array:  # fmt: skip
    """Second rate of rows if no velocity and no coordinate's rate changed."""
    own, own_dot, kept = values
    rates = []
    for step in (SMALL, -SMALL):
        along = _along(places, step)
        J = assembly.numeric_jacobian(1.0, along, (own + step * own_dot, own_dot, kept), inputs)[rows]
        coordinate_rates = own_dot[[k - assembly.node_starts[-1] for k in coordinates]]
        rates.append(J[:, moves] @ _velocities(along) + J[:, coordinates] @ coordinate_rates)
    return np.asarray((rates[0] - rates[1]) / (2 * SMALL))


def _velocities(places: Array) -> Array:
    """(6 nodes,) velocities and angular velocities, each in its node's axes."""
    return np.concatenate([row[3:12].reshape(3, 3).T @ x for row in places for x in (row[12:15], row[15:18])])


def _along(places: Array, step: float) -> Array:
    """Places after a short time at the velocities they have."""
    moved = places.copy()
    for row in moved:
        theta = step * row[15:18]
        S = np.array([[0, -theta[2], theta[1]], [theta[2], 0, -theta[0]], [-theta[1], theta[0], 0]])
        row[:3] += step * row[12:15]
        row[3:12] = ((np.eye(3) + S + 0.5 * S @ S) @ row[3:12].reshape(3, 3)).ravel()
    return moved

"""Equilibrium of a model by the network engine: Newton's method on the balance of its nodes, load put on in steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.analysis.nullspace import allowed
from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.body import checked_vector, numbers_of, shown
from motionbase.multibody.closed import Start
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, given_coordinates, q_of
from motionbase.multibody.network.loads import input_names
from motionbase.multibody.network.motion import joint_motion
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.network.of_model import ModelNetwork, network_of
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.network.small_motion import SmallMotion, steady
from motionbase.multibody.network.start import node_motions

ITERATIONS = 12  # of Newton's method before a load is halved
LONGEST = 0.5  # [rad] a node may turn in one iteration
FARTHEST = 1e3  # [rad] asked for, it leads nowhere
CLOSE = 1e-10  # [m, rad] of the last correction at which it is solved
SMALLEST = 2.0**-12  # part of the load below which a step is given up
HELD = 1e-9  # a direction whose stiffness is less than this part of the largest is not held


@final
@dataclass(frozen=True, eq=False)
class Rest:
    """An equilibrium, or a steady turn.

    Attributes:
        q: (nq,) coordinates of the model
        motion: the network there
        force: largest force or moment that is not balanced [N, N m]
        iterations: of Newton's method in all
        steps: in which the load was put on
    """

    model: Model
    q: Array
    motion: SmallMotion
    force: float
    iterations: int
    steps: int

    def position(self, body: str, point: str | tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
        """(3,) of a point of a body in the world [m]."""
        n, own = self.model.index[body], self.model.body(body)
        place = self.motion.places[n]
        where = np.asarray(own.points[point] if isinstance(point, str) else point) - np.asarray(own.com)
        return np.asarray(place[:3] + place[3:12].reshape(3, 3) @ where)

    def orientation(self, body: str) -> Array:
        """(3, 3) of a body's frame in the world."""
        return self.motion.places[self.model.index[body], 3:12].reshape(3, 3)


def static(
    model: Model,
    inputs: Mapping[str, Any] | None = None,
    *,
    q0: State = None,
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    steps: int = 1,
) -> Rest:
    """Where a model rests under constant inputs and gravity, or turns steadily as a whole.

    The load (inputs, gravity, the square of the spin) is put on in steps, which are halved where Newton's method does
    not get along. What the start leaves free must be held by springs or beams.

    Args:
        inputs: by name, as of `simulate`
        q0: where to begin; the neutral coordinates unless told
        spin: angular velocity of everything about the world's origin [rad/s]
        steps: in which to begin
    """
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
        raise SimulationError(f"static: steps is {shown(steps)}, a whole number from 1 is wanted")
    omega = np.array(checked_vector("static", "spin", spin))
    q = q_of(model, q0)
    q, _, dropped = assembled(model, Start(q, np.zeros(model.nv), given_coordinates(model, q0), ()), 1e-3)
    network = network_of(model, q, dropped)
    full = _inputs(network, inputs or {})
    own = np.concatenate([np.asarray(p.own_start(), dtype=np.float64) for p in network.assembly.parts] or [np.empty(0)])
    kept = np.concatenate([np.asarray(p.kept, dtype=np.float64) for p in network.assembly.parts] or [np.empty(0)])
    places = np.array(node_motions(model, len(network.assembly.bodies))(q, np.zeros(model.nv)))
    at, total, taken = _loaded(model, SmallMotion(network.assembly, places, own, kept, full, np.zeros(3)), omega, steps)
    _check_turn(model, at)
    return Rest(model, _coordinates(network, at), at, float(np.abs(at.residual()[0]).max()), total, taken)


def _loaded(model: Model, begin: SmallMotion, omega: Array, steps: int) -> tuple[SmallMotion, int, int]:
    """The network under its whole load, iterations and steps; each load begins where the last two lead."""
    full = begin.inputs
    switches = np.array([name.endswith("_active") for name in begin.assembly.inputs])
    at, before = begin, None
    done, last, step, total, taken = 0.0, 0.0, 1.0 / steps, 0, 0
    while done < 1.0:
        load = min(1.0, done + step)
        ahead = at if before is None else at.moved(*at.since(before, (load - done) / (done - last)))
        spin = np.sqrt(load) * omega
        inputs = np.where(switches, full, load * full)
        trial = replace(ahead, places=steady(ahead.places, spin), inputs=inputs, spin=spin, share=load)
        solved, count = _newton(trial)
        total += count
        if solved is not None:
            before = None if taken == 0 else at
            at, last, done, taken = solved, done, load, taken + 1
            step *= 2.0 if count < 6 else 1.0
            continue
        step *= 0.5
        if step < SMALLEST:
            raise SimulationError(
                f"model {model.name!r}: no equilibrium found beyond {100 * done:.3g} % of the load: {_why(at)}"
            )
    return at, total, taken


def _newton(at: SmallMotion) -> tuple[SmallMotion | None, int]:
    """The solution and the iterations it took; None where it does not get along."""
    for k in range(1, ITERATIONS + 1):
        force, miss = at.residual()
        by_place, by_own = at.rows
        A, b = np.block([[at.matrices[2], at.by_own], [by_place, by_own]]), -np.concatenate([force, miss])
        size = 1 / np.sqrt(np.maximum(np.abs(A).max(axis=0, initial=0.0), 1e-300))
        try:
            step = size * np.linalg.solve(A * np.outer(size, size), size * b)
        except np.linalg.LinAlgError:
            return None, k
        xi, own = step[: len(force)], step[len(force) :]
        turn = float(np.abs(xi.reshape(-1, 6)[:, 3:]).max(initial=0.0))
        if not np.all(np.isfinite(step)) or turn > FARTHEST:
            return None, k
        share = min(1.0, LONGEST / max(turn, 1e-300))
        at = at.moved(share * xi, share * own)
        if float(np.abs(xi).max(initial=0.0)) < CLOSE:
            return at, k
    return None, ITERATIONS


def _why(at: SmallMotion) -> str:
    """What may be the matter where no step succeeds: a motion that nothing holds, or no equilibrium nearby."""
    basis = allowed(at.rows[0][at.holds]).N
    stiffness = basis.T @ at.matrices[2] @ basis
    if stiffness.size:
        _, sizes, V = np.linalg.svd(stiffness)
        if sizes[-1] < HELD * sizes[0]:
            motion = np.abs(basis @ V[-1]).reshape(-1, 6).max(axis=1)
            body = at.assembly.bodies[int(np.argmax(motion))].name
            return f"nothing holds body {body!r} against some motion; add a spring, a beam or a joint"
    return "is there one nearby, or does something snap through?"


def _check_turn(model: Model, at: SmallMotion) -> None:
    """Constraints let everything turn as a whole."""
    rates = at.rows[0] @ at.places[:, 12:18].ravel()
    if len(rates) and (worst := int(np.argmax(np.abs(rates)))) >= 0 and abs(rates[worst]) > 1e-6:
        name = at.assembly.names[at.assembly.node_starts[-1] + worst]
        raise ModelError(
            f"static: model {model.name!r} cannot turn as a whole with {at.spin.tolist()} rad/s, {name} does not let it"
        )


def _inputs(network: ModelNetwork, given: Mapping[str, Any]) -> Array:
    """All inputs in a row: what is given, else nothing acts and every closure holds."""
    ports: dict[str, Port] = {p.name: p for p in network.ports}
    for name in given:
        if name not in ports:
            raise SimulationError(f"model {network.model.name!r} has no input {name!r}; inputs: {', '.join(ports)}")
    values = []
    for name, port in ports.items():
        value = numbers_of(given.get(name, np.full(port.dims, 1.0 if name.endswith("_active") else 0.0)))
        if value is None or value.size != len(input_names(port)) or not np.all(np.isfinite(value)):
            raise SimulationError(f"input {name!r} is {shown(given[name])}, {port.size} finite numbers are wanted")
        values.append(value.ravel())
    return np.concatenate(values)


def _coordinates(network: ModelNetwork, at: SmallMotion) -> Array:
    """Coordinates of the model's joints."""
    rows = []
    for place in at.places:
        Q = np.array(ca.evalf(quaternion_of(ca.SX(ca.DM(place[3:12].reshape(3, 3)))))).ravel()
        rows.append(Node.layout.vector({"x": place[:3], "Q": Q, "v": place[12:15], "omega": place[15:18]}))
    found = joint_motion(network).function(np.array(rows))
    return np.array(found[0]).ravel()

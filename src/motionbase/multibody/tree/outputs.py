"""Optional outputs: each is a separate kernel, so that unused outputs cost nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.errors import ModelError
from motionbase.multibody.elements import Wrench
from motionbase.multibody.lookup import GROUND, Point, check_place
from motionbase.multibody.model import Model
from motionbase.multibody.tree import momentum
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.forces import element_loads, element_ports
from motionbase.multibody.tree.inward import joint_forces
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class Outputs:
    """Outputs of a tree besides its accelerations; for one with loops, `Outputs(loops.tree)`."""

    tree: Tree

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise ModelError(
                f"outputs: of {type(self.tree).__name__}, a Tree is wanted: Outputs(Tree(model)), or "
                "Outputs(loops.tree) where there are closures"
            )

    @property
    def model(self) -> Model:
        """The tree's model."""
        return self.tree.model

    @property
    def _ports(self) -> tuple[Port, Port, Port]:
        return (*self.tree.state_ports, Port("v_dot", self.model.nv, "-", "accelerations"))

    def points(self, places: Mapping[str, tuple[str, Point]]) -> Kernel:
        """(q, v, v_dot) -> NAME_position (3), NAME_velocity (6), NAME_acceleration (6) of each place, in world axes.

        Velocity and acceleration are angular first, then of the point [rad/s, m/s, rad/s^2, m/s^2], without gravity (an
        accelerometer measures the acceleration minus gravity).

        Args:
            places: by the name of the outputs: body, and a point's name or coordinates in the body's frame
        """
        for name, (body, point) in places.items():
            check_place(f"output {name!r}", self.model, body, point)

        def expr(q: Expr, v: Expr, v_dot: Expr) -> Any:
            state, found = self.tree.state(q, v), []
            for body, point in places.values():
                at = state.point(body, point)
                found += [at.p, at.velocity, at.J @ v_dot + at.acceleration]
            return found

        outputs = [
            port
            for name, (body, _) in places.items()
            for port in (
                Port(f"{name}_position", 3, "m", f"of a point of {body}, in world axes"),
                Port(f"{name}_velocity", 6, "-", f"of a point of {body}: angular [rad/s], linear [m/s], world axes"),
                Port(f"{name}_acceleration", 6, "-", f"of a point of {body}: [rad/s^2], [m/s^2], world axes"),
            )
        ]
        return Kernel("points", self._ports, tuple(outputs), expr)

    @cached_property
    def energies(self) -> Kernel:
        """(q, v) -> kinetic, potential (gravity), strain (modes, springs, stops)."""

        def expr(q: Expr, v: Expr) -> Any:
            state = self.tree.state(q, v)
            return momentum.kinetic_energy(state), momentum.potential_energy(state), momentum.strain_energy(state)

        outputs = (
            Port("kinetic", (), "J", "kinetic energy, rotors included"),
            Port("potential", (), "J", "energy in gravity; zero with the centre of mass at the world's origin"),
            Port("strain", (), "J", "energy in deformed bodies, springs and stops"),
        )
        return Kernel("energies", self._ports[:2], outputs, expr)

    @cached_property
    def momenta(self) -> Kernel:
        """(q, v) -> linear, angular (about the centre of mass), angular_W (about the world's origin); world axes."""

        def expr(q: Expr, v: Expr) -> Any:
            state = self.tree.state(q, v)
            total, com = momentum.momentum(state), momentum.first_moment(state) / momentum.total_mass(state)
            return total[3:], total[:3] - ca.cross(com, total[3:]), total[:3]

        outputs = (
            Port("linear", 3, "kg m/s", "linear momentum, world axes"),
            Port("angular", 3, "kg m^2/s", "angular momentum about the centre of mass, world axes"),
            Port("angular_W", 3, "kg m^2/s", "angular momentum about the world's origin, world axes"),
        )
        return Kernel("momenta", self._ports[:2], outputs, expr)

    @cached_property
    def centre_of_mass(self) -> Kernel:
        """(q, v) -> p_com, v_com in world axes."""

        def expr(q: Expr, v: Expr) -> Any:
            state = self.tree.state(q, v)
            mass = momentum.total_mass(state)
            return momentum.first_moment(state) / mass, momentum.momentum(state)[3:] / mass

        outputs = (Port("p_com", 3, "m", "position, world axes"), Port("v_com", 3, "m/s", "velocity, world axes"))
        return Kernel("centre_of_mass", self._ports[:2], outputs, expr)

    @cached_property
    def joint_loads(self) -> Kernel:
        """(q, v, v_dot, inputs of the elements, F if there are closures) -> JOINT_load (6) of every joint.

        Moment [N m] and force [N] from the parent on the child (F_n of equation 9), at the child's origin, in the
        child's frame: all that the joint transmits, drive and springs included. F is that of `Loops.forward_dynamics`.
        """
        elements = element_ports(self.model)
        count = sum(len(c.rows) for c in self.model.closures)
        closures = (Port("F", count, "-", "force or moment of each closure row on body a"),) if count else ()

        def expr(q: Expr, v: Expr, v_dot: Expr, *inputs: Expr) -> Any:
            state = self.tree.state(q, v)
            wrenches = [w for load in element_loads(state, inputs[: len(elements)]) for w in load.wrenches]
            if count:
                wrenches += closure_wrenches(state, inputs[-1])
            return joint_forces(state.model, state.motions, state.inertias, v_dot, body_wrenches(state, wrenches))

        outputs = tuple(
            Port(f"{j.name}_load", 6, "-", f"moment [N m] and force [N] of {j.parent} on {j.child}, in {j.child}")
            for j in self.model.joints
        )
        return Kernel("joint_loads", (*self._ports, *elements, *closures), outputs, expr)


def closure_wrenches(state: TreeState, F: Expr) -> list[Wrench]:
    """Wrenches of the closures' rows on the two bodies of each."""
    found: list[Wrench] = []
    at = 0
    for closure in state.model.closures:
        found += closure.wrenches(closure.equations(state), F[at : at + len(closure.rows)])
        at += len(closure.rows)
    return found


def body_wrenches(state: TreeState, wrenches: Sequence[Wrench]) -> dict[int, Expr]:
    """(6,) by body: the sum of its wrenches, at its origin, in its frame."""
    found: dict[int, Expr] = {}
    for wrench in wrenches:
        if wrench.body != GROUND:
            n = state.model.index[wrench.body]
            T = state.motions[n].T_Wb
            moment, force = wrench.value[:3], wrench.value[3:]
            arm = state.point(wrench.body, wrench.point).p - T.p
            own = ca.vertcat(T.R.T @ (moment + ca.cross(arm, force)), T.R.T @ force)
            found[n] = found[n] + own if n in found else own
    return found

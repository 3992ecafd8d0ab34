"""Joint servos: torques that move joints along references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve
from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_positive, joint_coordinate
from motionbase.multibody.model import Model
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.spatial.rotations import Expr

SHARED = 1e-9  # eigenvalues of the scaled compliance below this belong to motions that a loop prevents


class AbstractServo(ABC):
    """A law that drives single-axis joints along references."""

    joints: tuple[str, ...]

    @property
    @abstractmethod
    def model(self) -> Model:
        """The driven model."""

    @abstractmethod
    def torque(self, q: Expr, v: Expr, *references: Expr) -> Expr:
        """(nv,) generalised forces; the references are those of `ports`."""

    @cached_property
    def places(self) -> tuple[list[int], list[int]]:
        """Indices of the driven joints in q and in v."""
        found = [joint_coordinate("servo", self.model, name, 0) for name in self.joints]
        return [q for q, _ in found], [v for _, v in found]

    @property
    def ports(self) -> tuple[Port, ...]:
        """References of the driven joints."""
        n = len(self.joints)
        return (
            Port("q_ref", n, "-", "coordinates wanted"),
            Port("v_ref", n, "-", "speeds wanted"),
            Port("a_ref", n, "-", "accelerations wanted"),
        )

    @cached_property
    def kernel(self) -> Kernel:
        """(q, v, references) -> tau."""

        def expr(q: Expr, v: Expr, *references: Expr) -> Any:
            return self.torque(q, v, *references)

        state = Tree(self.model).state_ports
        return Kernel("servo", (*state, *self.ports), (Port("tau", self.model.nv, "-"),), expr)


def _check(owner: str, model: Model, joints: tuple[str, ...]) -> None:
    if not joints or len(set(joints)) < len(joints):
        raise ModelError(f"{owner}: joints are {joints}; name each driven joint once, and one at least")
    for name in joints:
        joint_coordinate(owner, model, name, 0)
        axes = next(j.motion.nv for j in model.joints if j.name == name)
        if axes != 1:
            raise ModelError(f"{owner}: joint {name!r} has {axes} axes; a driven joint has one")


@final
@dataclass(frozen=True, eq=False)
class ComputedTorque(AbstractServo):
    """tau that gives the driven joints a_ref + 2 ratio w (v_ref - v) + w^2 (q_ref - q), whatever else moves freely.

    Joints that are not driven have no force and follow the equations: the reaction of a free base is included.

    Attributes:
        tree: tree of the plant, without closures
        frequency: w of the error's decay [rad/s]
        ratio: damping ratio of the error's decay
    """

    tree: Tree
    joints: tuple[str, ...]
    frequency: float = 2.0
    ratio: float = 1.0

    def __post_init__(self) -> None:
        _check("computed torque", self.model, self.joints)
        checked_positive("computed torque", "frequency", self.frequency, "rad/s")
        checked_positive("computed torque", "ratio", self.ratio, "")
        if self.model.closures:
            raise ModelError("computed torque: the model has closures, which it does not account for; use JointServo")
        if self.model.elements:
            raise ModelError("computed torque: the model has elements, which it does not account for; use JointServo")

    @property
    def model(self) -> Model:
        """The tree's model."""
        return self.tree.model

    def torque(self, q: Expr, v: Expr, *references: Expr) -> Expr:
        """M a = G + tau with the driven rows of a known, and zero tau in the others."""
        q_ref, v_ref, a_ref = references
        at_q, at_v = self.places
        w = self.frequency
        a = a_ref + 2 * self.ratio * w * (v_ref - v[at_v]) + w**2 * (q_ref - q[at_q])
        _, M, G = self.tree.equations(q, v, ca.SX(self.model.nv, 1))
        M = _full(M)
        rest = [k for k in range(self.model.nv) if k not in at_v]
        whole: Expr = ca.SX(self.model.nv, 1)
        whole[at_v] = a
        if rest:
            whole[rest] = solve(M[rest, rest], G[rest] - M[rest, at_v] @ a, symmetric=True).x
        tau: Expr = ca.SX(self.model.nv, 1)
        tau[at_v] = M[at_v, :] @ whole - G[at_v]
        return tau


def _full(M: Expr) -> Expr:
    """A symmetric matrix from its lower triangle."""
    return ca.densify(ca.tril2symm(ca.tril(M)))


@final
@dataclass(frozen=True, eq=False)
class JointServo(AbstractServo):
    """tau = inertia (a_ref + 2 ratio w (v_ref - v) + w^2 (q_ref - q)), each within its drive's limit.

    The matrix `inertia` (n, n) is a further port: the inertia that the drives are assumed to move. `seen_inertia`
    computes it for a configuration, with payloads and closed loops; the gains then fit all motions of the arms.
    (Drives tuned one by one for a payload are far too stiff for a motion of the arm alone.)

    Attributes:
        plant: the driven system, with or without closures
        frequency: w [rad/s]
        ratio: damping ratio
        torque_limit: (n,) limits of the drives [N m]; none by default
    """

    plant: Tree | Loops
    joints: tuple[str, ...]
    frequency: float = 1.0
    ratio: float = 1.0
    torque_limit: ArrayLike | None = None

    def __post_init__(self) -> None:
        _check("joint servo", self.model, self.joints)
        checked_positive("joint servo", "frequency", self.frequency, "rad/s")
        checked_positive("joint servo", "ratio", self.ratio, "")
        if self.torque_limit is not None:
            limit = np.array(self.torque_limit, dtype=np.float64)
            if limit.shape != (len(self.joints),) or not np.all(limit > 0):
                raise ModelError(f"joint servo: torque limits are {limit.tolist()}; one above 0 for each joint")

    @property
    def model(self) -> Model:
        """The plant's model."""
        return self.plant.model

    @property
    def ports(self) -> tuple[Port, ...]:
        """References, then inertias."""
        n = len(self.joints)
        inertia = Port("inertia", (n, n), "-", "what the drives are taken to move, as by seen_inertia")
        return (*super().ports, inertia)

    def torque(self, q: Expr, v: Expr, *references: Expr) -> Expr:
        """Proportional to the error and its rate, with feed-forward of the reference acceleration."""
        q_ref, v_ref, a_ref, inertia = references
        at_q, at_v = self.places
        w = self.frequency
        own = inertia @ (a_ref + 2 * self.ratio * w * (v_ref - v[at_v]) + w**2 * (q_ref - q[at_q]))
        if self.torque_limit is not None:
            limit = ca.DM(np.array(self.torque_limit, dtype=np.float64))
            own = ca.fmin(ca.fmax(own, -limit), limit)
        tau: Expr = ca.SX(self.model.nv, 1)
        tau[at_v] = own
        return tau


def seen_inertia(servo: JointServo, q: ArrayLike, active: Mapping[str, float] | None = None) -> Array:
    """(n, n) [kg m^2]: torques of the drives for unit accelerations of their joints, in a configuration, at rest.

    It is the inverse of the accelerations due to unit torques, so it includes a free base and a payload held by a
    closure. If both ends of a loop are held, motions that no torque can cause are left out (pseudo-inverse).
    """
    plant, (_, at_v) = servo.plant, servo.places
    forward = plant.forward_dynamics
    given = {"q": np.array(q, dtype=np.float64), **(active or {})}
    names = [p.name for p in forward.inputs]
    for name in given:
        if name not in names:
            raise ModelError(f"seen inertia: no input {name!r}; inputs: {', '.join(names)}")

    def accelerations(tau: Array) -> Array:
        """Accelerations of the driven joints; by CasADi, because so few evaluations are not worth compiling."""
        values = [
            given.get(p.name, np.full(p.dims, 1.0 if p.name.endswith("_active") else 0.0)) if p.name != "tau" else tau
            for p in forward.inputs
        ]
        found = forward.function.call([ca.DM(np.asarray(value, dtype=np.float64)) for value in values])[0]
        return np.array(found).ravel()[at_v]

    rest = accelerations(np.zeros(plant.model.nv))
    compliance = np.array([accelerations(np.eye(plant.model.nv)[k]) - rest for k in at_v])
    compliance = 0.5 * (compliance + compliance.T)
    own = 1 / np.sqrt(np.diag(compliance))  # so that a heavy load is not lost in rounding
    inertia = np.linalg.pinv(compliance * np.outer(own, own), rcond=SHARED, hermitian=True) * np.outer(own, own)
    return np.asarray(inertia)

"""An arm: the joints between a base and a tip, with the tip's pose, Jacobian and their rates as kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve
from motionbase.errors import ModelError
from motionbase.multibody.body import ZERO
from motionbase.multibody.joints import Free
from motionbase.multibody.lookup import Point, check_place, listed
from motionbase.multibody.manipulator.poses import quaternion_of
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.state import PointState, TreeState
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of an arm's joints, one number each.

    Attributes:
        lower, upper: limits of the coordinates [rad, m]
        rate: largest speed [rad/s, m/s]
    """

    lower: ArrayLike
    upper: ArrayLike
    rate: ArrayLike

    def __post_init__(self) -> None:
        for what in ("lower", "upper", "rate"):
            object.__setattr__(self, what, np.array(getattr(self, what), dtype=np.float64))

    @property
    def columns(self) -> tuple[Array, Array, Array]:
        """Lower, upper and rate as arrays."""
        return np.asarray(self.lower), np.asarray(self.upper), np.asarray(self.rate)

    def check(self, owner: str, joints: tuple[str, ...]) -> None:
        """Check that every joint has its limits, and that they are ordered."""
        lower, upper, rate = self.columns
        for what, values in (("lower", lower), ("upper", upper), ("rate", rate)):
            if values.shape != (len(joints),) or np.any(np.isnan(values)):
                raise ModelError(f"{owner}: {what} limits are {values.tolist()}, one for each of {listed(joints)}")
        for name, low, high, most in zip(joints, lower, upper, rate, strict=True):
            if not low < high:
                raise ModelError(f"{owner}: joint {name!r} has limits {low:g} to {high:g}; the first must be smaller")
            if not most > 0:
                raise ModelError(f"{owner}: joint {name!r} has the rate limit {most:g}; it must be positive")


@final
@dataclass(frozen=True, eq=False)
class Arm:
    """The joints from a base to a tip. Poses and twists are those of the tip in the base's frame.

    Twists are angular first, of the tip point, in the base's axes [rad/s, m/s]. Kernels take the coordinates q of the
    whole model, of which they use those between base and tip, and return one column for each joint of the arm.

    Attributes:
        body, point: the tip, as a point's name or coordinates in the body's frame [m]
        base: body that carries the arm; the ground or any body on the path from there to the tip
        joints: driven joints, in order from the base; all moving ones by default; the others are held
        limits: limits of the driven joints; none by default
    """

    model: Model
    body: str
    point: Point = ZERO
    base: str = GROUND
    joints: tuple[str, ...] = ()
    limits: Limits | None = None

    def __post_init__(self) -> None:
        owner = self.owner
        check_place(owner, self.model, self.body, self.point, ground=False)
        check_place(owner, self.model, self.base, ZERO)
        if self.base != GROUND and self.model.body(self.base).n_modes:
            raise ModelError(f"{owner}: base {self.base!r} is flexible; choose a rigid body")
        moving = [self.model.joints[k] for k in self.path if self.model.joints[k].motion.nv]
        known = [j.name for j in moving]
        for name in self.joints:
            if name not in known:
                raise ModelError(f"{owner}: joint {name!r} does not move the tip; joints that do: {listed(known)}")
        chosen = [j for j in moving if j.name in self.joints or not self.joints]
        object.__setattr__(self, "joints", tuple(j.name for j in chosen))
        for joint in chosen:
            if joint.motion.has_quaternion or joint.motion.nv != 1:
                raise ModelError(f"{owner}: joint {joint.name!r} has {joint.motion.nv} axes; name others, of one axis")
        if not chosen:
            raise ModelError(f"{owner}: no joint moves between {self.base!r} and {self.body!r}")
        if self.limits is not None:
            self.limits.check(owner, self.joints)

    # ---- indices in q and v ----------------------------------------------------------------------------------------

    @property
    def owner(self) -> str:
        """Name for messages."""
        return f"arm to {self.body!r} of model {self.model.name!r}"

    @property
    def n(self) -> int:
        """Number of driven joints."""
        return len(self.joints)

    @cached_property
    def path(self) -> tuple[int, ...]:
        """Positions of the bodies from the base (without it) to the tip."""
        found: list[int] = []
        k, stop = self.model.index[self.body], -1 if self.base == GROUND else self.model.index[self.base]
        while k != stop:
            if k < 0:
                raise ModelError(f"{self.owner}: base {self.base!r} does not carry the tip")
            found.append(k)
            k = self.model.parents[k]
        return tuple(reversed(found))

    @cached_property
    def at_q(self) -> tuple[int, ...]:
        """Indices of the driven joints in q."""
        return tuple(self.model.q_slices[k][0].start for k in self.path if self.model.joints[k].name in self.joints)

    @cached_property
    def at_v(self) -> tuple[int, ...]:
        """Indices of the driven joints in v."""
        return tuple(self.model.v_slices[k][0].start for k in self.path if self.model.joints[k].name in self.joints)

    @cached_property
    def chain(self) -> Model:
        """Only the bodies between base and tip, on the ground."""
        joints = [self.model.joints[k] for k in self.path]
        first, at = joints[0], joints[0].position
        place = self.model.body(self.base).points[at] if isinstance(at, str) else at
        joints[0] = replace(first, parent=GROUND, position=place)
        return Model(f"{self.model.name}_chain", tuple(self.model.bodies[k] for k in self.path), tuple(joints), ZERO)

    # ---- expressions -----------------------------------------------------------------------------------------------

    def tip(self, q: Expr, v: Expr | None = None) -> PointState:
        """The tip relative to the base, in the base's axes; J has a column for every speed of the chain."""
        own_q = [i for k in self.path for s in self.model.q_slices[k] for i in range(s.start, s.stop)]
        own_v = [i for k in self.path for s in self.model.v_slices[k] for i in range(s.start, s.stop)]
        speeds = ca.SX(self.chain.nv, 1) if v is None else v[own_v]
        return TreeState.of(self.chain, q[own_q], speeds).point(self.body, self.point)

    def driven(self, J: Expr) -> Expr:
        """The columns of the driven joints among those of the chain."""
        pairs = zip(self.chain.joints, self.chain.v_slices, strict=True)
        return ca.densify(J[:, [at.start for joint, (at, _) in pairs if joint.name in self.joints]])

    # ---- kernels ---------------------------------------------------------------------------------------------------

    @property
    def state_ports(self) -> tuple[Port, Port]:
        """Coordinates and speeds of the whole model."""
        return Tree(self.model).state_ports

    @cached_property
    def pose(self) -> Kernel:
        """q -> p (3) [m], Q (4) of the tip in the base's frame."""

        def expr(q: Expr) -> Any:
            tip = self.tip(q)
            return tip.p, quaternion_of(tip.R)

        outputs = Port("p", 3, "m", "tip in the base's frame"), Port("Q", 4, "-", "of the tip's frame, wxyz")
        return Kernel("tip_pose", self.state_ports[:1], outputs, expr)

    @cached_property
    def jacobian(self) -> Kernel:
        """q -> J (6, n): twist = J times the speeds of the driven joints."""

        def expr(q: Expr) -> Any:
            return self.driven(self.tip(q).J)

        output = Port("J", (6, self.n), "-", "twist of the tip for unit speeds, angular first, base's axes")
        return Kernel("tip_jacobian", self.state_ports[:1], (output,), expr)

    @cached_property
    def jacobian_rate(self) -> Kernel:
        """(q, v) -> J_dot_v (6): acceleration of the tip relative to the base at constant speeds of the chain."""

        def expr(q: Expr, v: Expr) -> Any:
            return self.tip(q, v).acceleration

        output = Port("J_dot_v", 6, "-", "[rad/s^2, m/s^2], base's axes")
        return Kernel("tip_jacobian_rate", self.state_ports, (output,), expr)

    @cached_property
    def generalised_jacobian(self) -> Kernel:
        """q -> J_star (6, n): twist of the tip in world axes while the whole model has no momentum.

        The base then moves in reaction to the arm (Umetani & Yoshida 1989); joints that are not driven are held. The
        momentum is that of the free joint's own rows of the mass matrix.
        """
        root = self.path[0]
        while self.model.parents[root] >= 0:
            root = self.model.parents[root]
        flight = self.model.joints[root]
        if not isinstance(flight.motion, Free):
            raise ModelError(f"{self.owner}: joint {flight.name!r} at its root is not free, so there is no reaction")
        base, used = list(range(6)), list(self.at_v)
        base = [self.model.v_slices[root][0].start + k for k in base]

        def expr(q: Expr) -> Any:
            state = Tree(self.model).state(q, ca.SX(self.model.nv, 1))
            J = state.point(self.body, self.point).J
            M: Expr = ca.densify(ca.tril2symm(ca.tril(state.mass_matrix())))
            reaction = solve(M[base, base], M[base, used], symmetric=True).x
            return ca.densify(J[:, used]) - ca.densify(J[:, base]) @ reaction

        output = Port("J_star", (6, self.n), "-", "twist of the tip for unit speeds, angular first, world axes")
        return Kernel("generalised_jacobian", self.state_ports[:1], (output,), expr)

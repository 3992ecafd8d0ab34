"""A wing by its assumed modes, as an element that carries a body at its tip (component mode synthesis).

With amplitudes eta, momenta p = M eta_dot, and the forces lambda by which six rows hold the body at the tip,

    p_dot = -K eta - (D + snubber) eta_dot + weight + NAME_force + phi_eta' lambda,

where the tip is displaced by tip[:3] eta and turned by the Gibbs-Rodrigues parameters tip[3:] eta. What the body
carries (a rotor) is no part of the modes: its forces come through the rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, check_name
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.joints import Free
from motionbase.multibody.lookup import check_place
from motionbase.multibody.network.constraints import KINDS, Frame, pushed
from motionbase.multibody.network.loads import input_names
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.multibody.network.rotations import R_increment
from motionbase.rotor.elements.wing_modes import WingModes
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.network.closures import Surroundings

WELD = KINDS["weld"]


@final
@dataclass(frozen=True, eq=False)
class Wing(AbstractNetworkElement):
    """A wing clamped to the ground that holds a body at its tip.

    Inputs: NAME_force (n), generalised forces of a shaker on the modes [N or N m]; NAME_snubber, a ratio of critical
    damping that is added to every mode [-].

    Attributes:
        body: at the tip, on a free joint from the ground, where it stands when the wing is straight
        modes: of the wing
        amplitudes, rates: of the start; zero unless given. The coordinates of the body's joint must fit
    """

    name: str
    body: str
    modes: WingModes
    amplitudes: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_name("wing", self.name)
        for what in ("amplitudes", "rates"):
            if len(getattr(self, what)) not in (0, self.n):
                raise ModelError(f"wing {self.name!r}: {len(getattr(self, what))} {what} for {self.n} modes")

    @property
    def n(self) -> int:
        """How many modes."""
        return len(self.modes.names)

    def check(self, model: Model) -> None:
        """The body is there and flies."""
        owner = f"wing {self.name!r}"
        check_place(owner, model, self.body, (0.0, 0.0, 0.0), ground=False)
        joint = model.joints[model.index[self.body]]
        if joint.parent != GROUND or not isinstance(joint.motion, Free):
            raise ModelError(f"{owner}: joint {joint.name!r} must be free and from the ground, the wing holds its body")

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Shaker and snubber."""
        return (
            Port(f"{self.name}_force", self.n, "N", "generalised forces on the modes of the wing"),
            Port(f"{self.name}_snubber", (), "-", "added damping ratio of the modes of the wing"),
        )

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """One."""
        joint = around.model.joints[around.model.index[self.body]]
        assert not isinstance(joint.position, str)
        sites = around.sites.at(GROUND, joint.position), around.sites.at(self.body)
        nodes, names = (
            (sites[0].node, sites[1].node),
            tuple(n for p in self.inputs(around.model) for n in input_names(p)),
        )
        gravity = np.asarray(around.model.gravity, dtype=np.float64)
        at = sites[0].r, np.asarray(joint.orientation, dtype=np.float64), sites[1].r
        return (WingModal(self, nodes, names, gravity, *at),)


@final
@dataclass(frozen=True, eq=False)
class WingModal(AbstractPart):
    """The same as a part.

    Attributes:
        nodes: of the ground and of the body
        names: of the inputs
        origin, R0: of the body's frame on the ground while the wing is straight
        r: of the body's frame from its node [m]
    """

    wing: Wing
    nodes: tuple[int | None, ...]
    names: tuple[str, ...]
    gravity: Array
    origin: Array
    R0: Array
    r: Array

    @property
    def name(self) -> str:  # type: ignore[override]
        """The wing's."""
        return self.wing.name

    @property
    def kind(self) -> Hashable:
        """Its numbers are folded in."""
        return "wing", id(self.wing)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Shaker and snubber."""
        return self.names

    @property
    def own(self) -> tuple[Own, ...]:
        """Amplitudes, momenta, six multipliers."""
        n = self.wing.n
        return (Own.MODE,) * n + (Own.DIFFERENTIAL,) * n + (Own.HOLONOMIC,) * 6

    @property
    def row_names(self) -> tuple[str, ...]:
        """Balance and momentum of each mode, and what holds the tip."""
        modes = range(1, self.wing.n + 1)
        return (
            *(f"{self.name}.mode{k}.force" for k in modes),
            *(f"{self.name}.mode{k}.momentum" for k in modes),
            *(f"{self.name}.tip.{row}" for row in WELD.rows),
        )

    def own_start(self) -> Sequence[float]:
        """Amplitudes; momenta follow."""
        n = self.wing.n
        return (*(self.wing.amplitudes or (0.0,) * n), *(0.0,) * (n + 6))

    def own_dot_start(self) -> Sequence[float]:
        """Rates of the amplitudes."""
        n = self.wing.n
        return (*(self.wing.rates or (0.0,) * n), *(0.0,) * (n + 6))

    def own_sizes(self) -> Sequence[float]:
        """Wings bend by centimetres."""
        return (*(0.03,) * self.wing.n, *(0.0,) * (self.wing.n + 6))

    def equations(self, at: Moment) -> Equations:
        """Balance, momenta, and the tip."""
        n, modes = self.wing.n, self.wing.modes
        eta, p, force = at.own[:n], at.own[n : 2 * n], at.own[2 * n :]
        eta_dot, p_dot = at.own_dot[:n], at.own_dot[n : 2 * n]
        held = pushed(at.places, force, eta, self.phi)
        damping = _constant(modes.damping) + at.inputs[n] * _constant(modes.critical)
        elastic = _constant(modes.stiffness) @ eta + damping @ eta_dot
        pushes = held.inner - elastic + at.inputs[:n] + ca.DM(modes.first @ self.gravity)
        return Equations(held.wrenches, ca.vertcat(p_dot - pushes, _constant(modes.mass) @ eta_dot - p, held.phi))

    def phi(self, places: Sequence[Place], eta: Expr) -> Expr:
        """(6,) the tip seen from the body."""
        ground, node = places
        tip = _constant(self.wing.modes.tip) @ eta
        straight = ground.x + ground.R @ ca.DM(self.origin)
        A = Frame(straight + ground.R @ tip[:3], ground.R @ R_increment(tip[3:]) @ ca.DM(self.R0))
        B = Frame(node.x + node.R @ ca.DM(self.r), node.R)
        nothing = ca.SX(0, 1)
        return WELD.phi(A, B, nothing, nothing, nothing)


def _constant(matrix: Array) -> ca.DM:
    """Without its zeros."""
    return ca.sparsify(ca.DM(matrix))

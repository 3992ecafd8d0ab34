"""Rods of a rotor's controls: of a length that an actuator may change, between bodies or to a swashplate's plane."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, Vector, check_name, checked_vector
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.lookup import check_place
from motionbase.multibody.network.constraints import pushed
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.multibody.tree.dynamics import Tree
from motionbase.rotor.elements.controls import PitchControls
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.network.closures import Surroundings


@final
@dataclass(frozen=True)
class Rod(AbstractNetworkElement):
    """A massless rod with a ball at each end, as long as it is at the start and as its actuator moves it.

    Attributes:
        bodies: a and b
        points: on them, in their frames [m]
        actuator: element of the pitch controls and number of the actuator, which makes the rod longer; none if fixed
        direction: its direction is three unknowns more, as formulations count that keep it
    """

    name: str
    bodies: tuple[str, str]
    points: tuple[Vector, Vector]
    actuator: tuple[str, int] | None = None
    direction: bool = False

    def __post_init__(self) -> None:
        check_name("rod", self.name)
        points = tuple(checked_vector(f"rod {self.name!r}", "point", point) for point in self.points)
        object.__setattr__(self, "points", points)

    def check(self, model: Model) -> None:
        """Bodies and actuator are there."""
        for body, point in zip(self.bodies, self.points, strict=True):
            check_place(f"rod {self.name!r}", model, body, point, ground=True)
        if self.actuator is not None:
            controls_of(model, f"rod {self.name!r}", self.actuator[0])

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """One."""
        sites = [around.sites.at(body, point) for body, point in zip(self.bodies, self.points, strict=True)]
        a, b = (start_point(around, body, point) for body, point in zip(self.bodies, self.points, strict=True))
        length = float(np.linalg.norm(b - a))
        if length < SHORTEST:
            raise ModelError(f"rod {self.name!r}: its ends are {length:g} m apart at the start, it must have a length")
        moved = None if self.actuator is None else state_of(around.model, f"rod {self.name!r}", self.actuator)
        nodes, r = (sites[0].node, sites[1].node), np.concatenate([sites[0].r, sites[1].r])
        return (RodForce(self.name, nodes, r, length, moved, self.direction, (b - a) / length),)


SHORTEST = 1e-6


def controls_of(model: Model, owner: str, name: str) -> PitchControls:
    """The pitch controls of that name."""
    for element in model.elements:
        if isinstance(element, PitchControls) and element.name == name:
            return element
    raise ModelError(f"{owner}: there are no pitch controls {name!r}")


def state_of(model: Model, owner: str, actuator: tuple[str, int]) -> str:
    """Name of the unknown that is the actuator's displacement."""
    controls, k = controls_of(model, owner, actuator[0]), actuator[1]
    if not 0 <= k < len(controls.mix):
        raise ModelError(f"{owner}: {controls.name!r} has {len(controls.mix)} actuators, there is no number {k}")
    return controls.state(k)


def start_point(around: Surroundings, body: str, point: Vector) -> Array:
    """A point of a body in the world at the start."""
    if body == GROUND:
        return np.asarray(point, dtype=np.float64)
    state = Tree(around.model).state(ca.SX(ca.DM(around.q0)), ca.SX.zeros(around.model.nv))
    found: Array = np.array(ca.evalf(ca.densify(state.point(body, point).p))).ravel()
    return found


@final
@dataclass(frozen=True, eq=False)
class RodForce(AbstractPart):
    """|p_b - p_a| = length + displacement; its multiplier pushes the ends apart.

    Attributes:
        r: (6,) ends from the nodes, in their axes [m]
        moved: name of the actuator's unknown
        direction: whether the direction is an unknown
        along: (3,) direction at the start
    """

    name: str
    nodes: tuple[int | None, ...]
    r: Array
    length: float
    moved: str | None
    direction: bool
    along: Array

    @property
    def kind(self) -> Hashable:
        """What its rows are."""
        return "rod", tuple(n is None for n in self.nodes), self.moved is None, self.direction

    @property
    def indifferent(self) -> bool:  # type: ignore[override]
        """A direction kept is one of the world."""
        return not self.direction

    @property
    def numbers(self) -> Array:
        """Ends, length."""
        return np.array([*self.r, self.length])

    @property
    def own(self) -> tuple[Own, ...]:
        """The force, and the direction."""
        return (Own.HOLONOMIC, *(Own.ALGEBRAIC,) * (3 * self.direction))

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.length, NAME.x, y, z."""
        return (f"{self.name}.length", *(f"{self.name}.{axis}" for axis in "xyz"[: 3 * self.direction]))

    @property
    def reads(self) -> tuple[str, ...]:
        """The actuator."""
        return () if self.moved is None else (self.moved,)

    @property
    def reads_integrated(self) -> bool:
        """It is."""
        return True

    def own_start(self) -> Sequence[float]:
        """The direction."""
        return (0.0, *self.along) if self.direction else (0.0,)

    def equations(self, at: Moment) -> Equations:
        """The length, and the force along the rod."""
        (a, b), n = at.places, at.numbers
        r_a, r_b = a.R @ n[:3], b.R @ n[3:6]
        apart = b.x + r_b - a.x - r_a
        length = ca.norm_2(apart)
        wanted = n[6] + (0 if self.moved is None else at.others[0])
        along = at.own[1:4] if self.direction else apart / length
        force = at.own[0] * along
        rows = [length - wanted] + ([at.own[1:4] - apart / length] if self.direction else [])
        return Equations([(-force, -ca.cross(r_a, force)), (force, ca.cross(r_b, force))], ca.vertcat(*rows))


@final
@dataclass(frozen=True)
class PitchLink(AbstractNetworkElement):
    """A rod from a blade to the plane of a swashplate without bodies of its own.

    The lower end turns with the mast and stays in the plane z = height + u_0 + u_1 x + u_2 y of the support, where u
    are the displacements of three actuators.

    Attributes:
        blade: a body, and a point of its frame [m]
        mast: the body that turns, and the lower end in its frame at the start [m]
        support: the body whose z axis is the shaft
        controls: element of the pitch controls, with three actuators
    """

    name: str
    blade: tuple[str, Vector]
    mast: tuple[str, Vector]
    support: str
    controls: str

    def __post_init__(self) -> None:
        check_name("pitch link", self.name)

    def check(self, model: Model) -> None:
        """Bodies and controls are there."""
        owner = f"pitch link {self.name!r}"
        for body, point in (self.blade, self.mast):
            check_place(owner, model, body, point, ground=False)
        check_place(owner, model, self.support, (0.0, 0.0, 0.0), ground=True)
        if (count := len(controls_of(model, owner, self.controls).mix)) != 3:
            raise ModelError(f"{owner}: a plane has three actuators, {self.controls!r} has {count}")

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """One."""
        ends = [start_point(around, *end) for end in (self.blade, self.mast)]
        sites = [around.sites.at(*self.blade), around.sites.at(*self.mast), around.sites.at(self.support)]
        support = start_point(around, self.support, (0.0, 0.0, 0.0))
        axis = start_point(around, self.support, (0.0, 0.0, 1.0)) - support
        height = float(axis @ (ends[1] - support))
        length = float(np.linalg.norm(ends[0] - ends[1]))
        controls = controls_of(around.model, f"pitch link {self.name!r}", self.controls)
        moved = tuple(controls.state(k) for k in range(3))
        nodes, r = tuple(site.node for site in sites), np.concatenate([site.r for site in sites])
        return (LinkForce(self.name, nodes, r, height, length, moved),)


@final
@dataclass(frozen=True, eq=False)
class LinkForce(AbstractPart):
    """The distance from the blade's end to the swashplate's plane at the mast's azimuth.

    Attributes:
        nodes: of blade, mast and support
        r: (9,) ends from the nodes, and the support's origin from its own [m]
        height: of the plane above the support's origin, without displacement [m]
        moved: names of the actuators' unknowns
    """

    name: str
    nodes: tuple[int | None, ...]
    r: Array
    height: float
    length: float
    moved: tuple[str, ...]

    @property
    def kind(self) -> Hashable:
        """One for each pattern of the ground."""
        return "pitch link", tuple(n is None for n in self.nodes)

    @property
    def numbers(self) -> Array:
        """Ends, height, length."""
        return np.array([*self.r, self.height, self.length])

    @property
    def own(self) -> tuple[Own, ...]:
        """The force."""
        return (Own.HOLONOMIC,)

    @property
    def row_names(self) -> tuple[str, ...]:
        """One."""
        return (f"{self.name}.length",)

    @property
    def reads(self) -> tuple[str, ...]:
        """The actuators."""
        return self.moved

    @property
    def reads_integrated(self) -> bool:
        """They are."""
        return True

    def equations(self, at: Moment) -> Equations:
        """The row, and its forces by virtual work."""
        n, u = at.numbers, at.others

        def row(places: Sequence[Place], _: Expr) -> Expr:
            blade, mast, support = places
            upper, turned = blade.x + blade.R @ n[:3], mast.x + mast.R @ n[3:6]
            origin = support.x + support.R @ n[6:9]
            x, y = ca.dot(support.R[:, 0], turned - origin), ca.dot(support.R[:, 1], turned - origin)
            lower = origin + support.R @ ca.vertcat(x, y, n[9] + u[0] + u[1] * x + u[2] * y)
            return ca.norm_2(upper - lower) - n[10]

        found = pushed(at.places, at.own[0], ca.SX(0, 1), row)
        return Equations(found.wrenches, found.phi)

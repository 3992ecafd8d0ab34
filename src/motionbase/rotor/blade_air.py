"""Air loads on a length of blade, rigid or a beam, as an element of a model for the network engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.lookup import check_place
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment
from motionbase.multibody.network.tabled import Tabled
from motionbase.rotor.air import FIELD, RotorAir, air_of
from motionbase.rotor.airfoil import Airfoil
from motionbase.rotor.sections import (
    Flow,
    Section,
    Station,
    flow_over,
    on_nodes,
    section,
    section_loads,
    station_size,
)
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.network.closures import Surroundings

COEFFICIENTS = 3


@final
@dataclass(frozen=True, eq=False)
class BladeAir(AbstractNetworkElement):
    """Lift, drag and moment of a length of blade.

    Attributes:
        air: name of the rotor's air
        bodies: one that is rigid, or the nodes of a beam; their frames are parallel before it bends
        stations: with arms from the frames of the bodies
        airfoil: of all stations
    """

    name: str
    air: str
    bodies: tuple[str, ...]
    stations: tuple[Station, ...]
    airfoil: Airfoil

    def __post_init__(self) -> None:
        check_name("blade air", self.name)
        if not self.stations or any(len(s.shares) != len(self.bodies) for s in self.stations):
            raise ModelError(f"blade air {self.name!r}: one station or more is needed, each with a share of every body")

    def check(self, model: Model) -> None:
        """Bodies and air are there."""
        owner = f"blade air {self.name!r}"
        for body in self.bodies:
            check_place(owner, model, body, (0.0, 0.0, 0.0), ground=False)
        air_of(model, owner, self.air)

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """One."""
        air = air_of(around.model, f"blade air {self.name!r}", self.air)
        sites = [around.sites.at(body) for body in self.bodies]
        hub = around.sites.at(air.support, air.hub)
        origins = np.array([site.r for site in sites])  # nodes stand at the centres of mass
        stations = tuple(replace(s, arms=np.asarray(s.arms) + origins) for s in self.stations)
        nodes = (*(site.node for site in sites), hub.node)
        return (BladeLoads(self.name, nodes, air, stations, self.airfoil, hub.r),)


@final
@dataclass(frozen=True, eq=False)
class BladeLoads(AbstractPart):
    """The same as a part.

    Attributes:
        nodes: of the blade, then that of the air's support, which it only looks at
        hub: centre of the rotor from the support's node, in its axes [m]
    """

    name: str
    nodes: tuple[int | None, ...]
    air: RotorAir
    stations: tuple[Station, ...]
    airfoil: Airfoil
    hub: Array

    @property
    def kind(self) -> Hashable:
        """Numbers of nodes and stations, and the airfoil."""
        return "blade air", self.nodes[-1] is None, len(self.nodes), len(self.stations), id(self.airfoil)

    @property
    def numbers(self) -> Array:
        """Stations, hub, density, speed of sound."""
        return np.concatenate([*(s.numbers for s in self.stations), self.hub, [self.air.density, self.air.sound]])

    @property
    def inputs(self) -> tuple[str, ...]:
        """Wind, then the induced flow."""
        return (*self.air.wind_names, *self.air.field_names)

    @property
    def tells(self) -> str | None:
        """The air."""
        return self.air.name

    @property
    def tabled(self) -> Tabled | None:
        """Coefficients by angle of attack and Mach number."""
        foil = self.airfoil

        def numbers(asked: Array) -> tuple[Array, Array]:
            return foil.at(asked[:, 0], asked[:, 1]), foil.slopes(asked[:, 0], asked[:, 1])

        return Tabled(len(self.stations), COEFFICIENTS, foil.coefficients, foil.lookup, numbers)

    def asked(self, at: Moment) -> Expr:
        """(stations, 2) angle of attack, Mach number."""
        sound = at.numbers[-1]
        return ca.vertcat(*(ca.horzcat(flow.alpha, flow.speed / sound) for _, flow in self._flows(at)))

    def equations(self, at: Moment) -> Equations:
        """On the blade's nodes."""
        total = [(ca.SX(3, 1), ca.SX(3, 1)) for _ in at.places]
        for where, force, moment in self._loads(at):
            for k, (f, m) in enumerate(on_nodes(where, force, moment)):
                total[k] = total[k][0] + f, total[k][1] + m
        return Equations(total, ca.SX(0, 1))

    def tell(self, at: Moment) -> Expr:
        """Force and moment about the hub, in the support's axes."""
        support, total = at.places[-1], ca.SX(6, 1)
        centre = support.x + support.R @ self._hub(at)
        for where, force, moment in self._loads(at):
            about = moment + ca.cross(where.p - centre, force)
            total = total + ca.vertcat(support.R.T @ force, support.R.T @ about)
        return total

    def watched(self, at: Moment, moved: Moment) -> Moment:
        """The support moves slowly: its part in the Jacobian would only join all blades."""
        return replace(moved, places=(*moved.places[:-1], at.places[-1]))

    def _hub(self, at: Moment) -> Expr:
        return at.numbers[-5:-2]

    def _flows(self, at: Moment) -> list[tuple[Section, Flow]]:
        blade, support, size = at.places[:-1], at.places[-1], station_size(len(at.places) - 1)
        found = []
        for k in range(len(self.stations)):
            where = section(blade, at.numbers[k * size : (k + 1) * size])
            found.append((where, flow_over(where, self._air(at, support, where.p))))
        return found

    def _air(self, at: Moment, support: Place, p: Expr) -> Expr:
        """Wind and induced flow at a point; the latter goes down the shaft."""
        mean, by_x, by_y = ca.vertsplit(at.inputs[3 : 3 + len(FIELD)])
        r = support.R.T @ (p - support.x) - self._hub(at)
        return at.inputs[:3] - (mean + by_x * r[0] + by_y * r[1]) * support.R[:, 2]

    def _loads(self, at: Moment) -> list[tuple[Section, Expr, Expr]]:
        density, found = at.numbers[-2], []
        for k, (where, flow) in enumerate(self._flows(at)):
            coefficients = at.found[COEFFICIENTS * k : COEFFICIENTS * (k + 1)]
            found.append((where, *section_loads(where, flow, density, coefficients)))
        return found

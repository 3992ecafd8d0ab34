"""Air loads on a length of blade, rigid or a beam, as an element of a model for the network engine."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.lookup import check_place
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.multibody.network.tabled import Tabled
from motionbase.rotor.airfoils.airfoil import Airfoil
from motionbase.rotor.airfoils.separation import Separation, separation
from motionbase.rotor.airfoils.unsteady import Found, Unsteady, UnsteadyFlow, unsteady
from motionbase.rotor.elements.air import FIELD, RotorAir, air_of
from motionbase.rotor.elements.sections import (
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
separation_of = cache(separation)  # one for all blades, which then share their code


@final
@dataclass(frozen=True, eq=False)
class BladeAir(AbstractNetworkElement):
    """Lift, drag and moment of a length of blade.

    Attributes:
        air: name of the rotor's air
        bodies: one that is rigid, or the nodes of a beam; their frames are parallel before it bends
        stations: with arms from the frames of the bodies
        airfoil: of all stations
        unsteady: name of the model of their sections, see `UNSTEADY`
    """

    name: str
    air: str
    bodies: tuple[str, ...]
    stations: tuple[Station, ...]
    airfoil: Airfoil
    unsteady: str = "steady"

    def __post_init__(self) -> None:
        check_name("blade air", self.name)
        unsteady(self.unsteady)
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
        model = unsteady(self.unsteady)
        tables = separation_of(self.airfoil) if model.separates else self.airfoil
        return (BladeLoads(self.name, nodes, air, stations, tables, hub.r, model),)


@final
@dataclass(frozen=True, eq=False)
class BladeLoads(AbstractPart):
    """The same as a part.

    Attributes:
        nodes: of the blade, then that of the air's support, which it only looks at
        tables: of all stations
        hub: centre of the rotor from the support's node, in its axes [m]
        model: of the sections; its states are own unknowns, those of each station together
    """

    name: str
    nodes: tuple[int | None, ...]
    air: RotorAir
    stations: tuple[Station, ...]
    tables: Airfoil | Separation
    hub: Array
    model: Unsteady

    @property
    def kind(self) -> Hashable:
        """Numbers of nodes and stations, tables and model."""
        size = len(self.nodes), len(self.stations)
        return "blade air", self.nodes[-1] is None, *size, id(self.tables), self.model.name

    @property
    def numbers(self) -> Array:
        """Stations, hub, density, speed of sound, tip speed."""
        air = self.air.density, self.air.sound, self.air.tip_speed
        return np.concatenate([*(s.numbers for s in self.stations), self.hub, air])

    @property
    def own(self) -> tuple[Own, ...]:
        """States of the sections."""
        return (Own.DIFFERENTIAL,) * (len(self.stations) * len(self.model.states))

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.STATION_STATE."""
        return tuple(f"{self.name}.{k + 1}_{state}" for k in range(len(self.stations)) for state in self.model.states)

    def own_start(self) -> Sequence[float]:
        """As in still air, attached; states follow within a few chords."""
        still = self.model.at_rest(UnsteadyFlow(ca.DM(0), ca.DM(0), ca.DM(1), ca.DM(1)), ca.DM(1))
        return [float(x) for x in ca.DM(still).full().ravel()] * len(self.stations)

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
        tables = self.tables

        def numbers(asked: Array) -> tuple[Array, Array]:
            return tables.at(asked[:, 0], asked[:, 1]), tables.slopes(asked[:, 0], asked[:, 1])

        points = len(self.stations) * self.model.angles
        return Tabled(points, self.columns, tables.coefficients, tables.lookup, numbers)

    @property
    def columns(self) -> int:
        """How many numbers the tables have at an angle."""
        return len(self.tables.columns) if isinstance(self.tables, Separation) else COEFFICIENTS

    def asked(self, at: Moment) -> Expr:
        """(stations times angles, 2) angle of attack, Mach number."""
        rows, sound = [], at.numbers[-2]
        for k, (where, flow) in enumerate(self._flows(at)):
            # the angle at no speed at all is a steady model's own
            angles = self.model.asks(*self._section(at, k, where, flow)) if self.model.states else flow.alpha
            rows += [ca.horzcat(angle, flow.speed / sound) for angle in ca.vertsplit(angles)]
        return ca.vertcat(*rows)

    def equations(self, at: Moment) -> Equations:
        """On the blade's nodes, and the rates of the states."""
        total, rows = [(ca.SX(3, 1), ca.SX(3, 1)) for _ in at.places], list[Expr]()
        size = len(self.model.states)
        for n, (where, force, moment, rates) in enumerate(self._loads(at)):
            for k, (f, m) in enumerate(on_nodes(where, force, moment)):
                total[k] = total[k][0] + f, total[k][1] + m
            rows.append(at.own_dot[n * size : (n + 1) * size] - rates)
        return Equations(total, ca.vertcat(*rows))

    def tell(self, at: Moment) -> Expr:
        """Force and moment about the hub, in the support's axes."""
        support, total = at.places[-1], ca.SX(6, 1)
        centre = support.x + support.R @ self._hub(at)
        for where, force, moment, _ in self._loads(at):
            about = moment + ca.cross(where.p - centre, force)
            total = total + ca.vertcat(support.R.T @ force, support.R.T @ about)
        return total

    def watched(self, at: Moment, moved: Moment) -> Moment:
        """The support moves slowly: its part in the Jacobian would only join all blades."""
        return replace(moved, places=(*moved.places[:-1], at.places[-1]))

    def _hub(self, at: Moment) -> Expr:
        return at.numbers[-6:-3]

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

    def _section(self, at: Moment, k: int, where: Section, flow: Flow) -> tuple[Expr, UnsteadyFlow]:
        """States of a station, and its flow as its model has it."""
        size = len(self.model.states)
        u, w = flow.along_behind, flow.up_behind
        return at.own[k * size : (k + 1) * size], UnsteadyFlow(u, w, 0.5 * where.chord, at.numbers[-1])

    def _loads(self, at: Moment) -> list[tuple[Section, Expr, Expr, Expr]]:
        """Force, moment and rates of the states of every station."""
        density, width, found = at.numbers[-3], self.columns, []
        for k, (where, flow) in enumerate(self._flows(at)):
            first = width * self.model.angles * k
            tables = [at.found[first + width * n : first + width * (n + 1)] for n in range(self.model.angles)]
            values = [Found(*ca.vertsplit(table)) for table in tables]
            said = self.model.response(*self._section(at, k, where, flow), values)
            coefficients = ca.vertcat(said.cl, said.cd, said.cm)
            found.append((where, *section_loads(where, flow, density, coefficients), said.rates))
        return found

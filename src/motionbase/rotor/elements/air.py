"""The air of a rotor: wind, and the flow that its blades induce, from step to step of the network engine.

Blades tell the force and moment of their air loads at the end of every step; inflow theory makes of them the induced
flow that they read in the next one, with Adams and Bashforth's method of second order. Inside, everything is in SI and
in the axes of the shaft that do not turn: z along the shaft, upwards, with the origin in the hub.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

import casadi as ca

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError, unknown
from motionbase.multibody.body import Vector, check_name, checked_vector
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.lookup import check_place, checked_number, checked_positive
from motionbase.multibody.network.exchange import AbstractExchange, End, extrapolated
from motionbase.multibody.network.loads import input_names
from motionbase.rotor.inflow.theory import (
    GRADIENTS,
    DynamicInflow,
    dynamic_inflow_rate,
    ground_effect,
    momentum,
    skew_tangent,
)
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.network.assembly import Assembly
    from motionbase.multibody.network.closures import Surroundings
    from motionbase.multibody.network.parts import AbstractPart

DYNAMIC, NONE = "dynamic", "none"
INFLOWS = (NONE, *GRADIENTS, DYNAMIC)
FIELD = "induced", "induced_x", "induced_y"  # speed downwards at the hub [m/s], and its slopes along x and y [1/s]
LOADS = "fx", "fy", "fz", "mx", "my", "mz"
MEMORY = *(f"{name}_free" for name in FIELD), *(f"{name}_rate" for name in FIELD), "begun", *LOADS


@final
@dataclass(frozen=True)
class RotorAir(AbstractNetworkElement):
    """The air that a rotor works in; inputs NAME_wind (3) [m/s, world axes] and NAME_ground, its height [m].

    Attributes:
        support: the body that carries the shaft and does not turn with it, "ground" for a wind tunnel
        hub: centre of the rotor in the support's frame [m]; its z axis is the shaft's
        radius: [m]; tip_speed: [m/s], by which inflow theory divides; it need not be exact
        density, sound: [kg/m^3], speed of sound [m/s]
        inflow: "none", "uniform", a gradient of `inflow.GRADIENTS` over the uniform one, or "dynamic" (Pitt and Peters)
        delay: time constant of the uniform inflow [s]
        in_ground_effect: the input NAME_ground is the height of the ground in the world [m]
    """

    name: str
    support: str
    hub: Vector
    radius: float
    tip_speed: float
    density: float = 1.225
    sound: float = 340.3
    inflow: str = "uniform"
    delay: float = 0.1
    in_ground_effect: bool = False

    def __post_init__(self) -> None:
        check_name("rotor air", self.name)
        owner = f"rotor air {self.name!r}"
        object.__setattr__(self, "hub", checked_vector(owner, "hub", self.hub))
        for what, unit in (("radius", "m"), ("tip_speed", "m/s"), ("sound", "m/s"), ("delay", "s")):
            checked_positive(owner, what, getattr(self, what), unit)
        checked_number(owner, "density", self.density, "kg/m^3", least=0.0)
        if self.inflow not in INFLOWS:
            raise unknown("inflow", self.inflow, INFLOWS)

    def check(self, model: Model) -> None:
        """The support is there."""
        check_place(f"rotor air {self.name!r}", model, self.support, (0.0, 0.0, 0.0), ground=True)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Wind, and where the ground is."""
        wind = Port(f"{self.name}_wind", 3, "m/s", "velocity of the air in the world")
        ground = Port(f"{self.name}_ground", (), "m", "height of the ground in the world")
        return (wind, ground) if self.in_ground_effect else (wind,)

    @property
    def wind_names(self) -> tuple[str, ...]:
        """Inputs of the wind, each one number."""
        return input_names(Port(f"{self.name}_wind", 3, "m/s"))

    @property
    def field_names(self) -> tuple[str, ...]:
        """What blades read of the induced flow."""
        return tuple(f"{self.name}_{what}" for what in FIELD)

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """None: it acts through the blades."""
        return ()

    def exchange(self, around: Surroundings) -> AbstractExchange:
        """Inflow theory."""
        return Inflow(self, *around.sites.at(self.support, self.hub))


def air_of(model: Model, owner: str, name: str) -> RotorAir:
    """The air of that name."""
    for element in model.elements:
        if isinstance(element, RotorAir) and element.name == name:
            return element
    names = [element.name for element in model.elements if isinstance(element, RotorAir)]
    raise ModelError(f"{owner}: there is no rotor air {name!r}; there is: {', '.join(names) or 'none'}")


@final
@dataclass(frozen=True, eq=False)
class Inflow(AbstractExchange):
    """Induced flow of a rotor from its loads.

    It keeps the flow without the ground, its rates of the last step, whether there was one, and the loads.

    Attributes:
        r: centre of the hub from the node, in the node's axes [m]
    """

    air: RotorAir
    node: int | None
    r: Array

    @property
    def name(self) -> str:  # type: ignore[override]
        """The air's."""
        return self.air.name

    @property
    def shared(self) -> dict[str, float]:
        """Nothing is induced at the start."""
        return dict.fromkeys(self.air.field_names, 0.0)

    @property
    def memory(self) -> tuple[float, ...]:
        """See `MEMORY`."""
        return (0.0,) * len(MEMORY)

    @property
    def learns(self) -> int:
        """Force and moment about the hub."""
        return len(LOADS)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Wind and ground."""
        ground = (f"{self.air.name}_ground",) if self.air.in_ground_effect else ()
        return (*self.air.wind_names, *ground)

    def after(self, end: End) -> tuple[Expr, Expr]:
        """The induced flow one step on."""
        air, place = self.air, end.place
        field, before, begun = end.memory[:3], end.memory[3:6], end.memory[6]
        hub_v = place.v + ca.cross(place.omega, place.R @ ca.DM(self.r))
        flow = place.R.T @ (end.inputs[:3] - hub_v)
        rate, slopes = self._theory(field, flow, end.told)
        ahead = extrapolated(field, rate, ca.if_else(begun > 0, before, rate), end.h)
        if slopes is not None:  # they follow the mean at once
            ahead = ca.vertcat(ahead[0], ahead[0] * slopes)
        factor = ca.SX(1)
        if air.in_ground_effect:
            factor = ground_effect((place.x + place.R @ ca.DM(self.r))[2] - end.inputs[3], air.radius)
        return factor * ahead, ca.vertcat(ahead, rate, 1, end.told)

    def _theory(self, field: Expr, flow: Expr, loads: Expr) -> tuple[Expr, Expr | None]:
        """Rates of the field [m/s^2, 1/s^2], and slopes over the mean [1/m] where they follow it."""
        air, tip = self.air, self.air.tip_speed
        if air.inflow == NONE or not air.density:
            return ca.SX.zeros(3), None
        drift = flow[0] - TINY  # in still air, too, the tail is on one side
        along = ca.sqrt(drift**2 + flow[1] ** 2 + TINY**4)
        e_x, e_y = drift / along, flow[1] / along  # where the air goes: over the tail
        mu, lam_c = along / tip, -flow[2] / tip
        scale = air.density * math.pi * air.radius**2 * tip**2
        thrust = loads[2] / scale
        if air.inflow == DYNAMIC:
            return self._dynamic(field, (e_x, e_y), (mu, lam_c), loads / scale), None
        wanted = tip * momentum(thrust, mu, lam_c).lam
        tangent, cosine = skew_tangent(mu, lam_c + field[0] / tip)
        k = GRADIENTS[air.inflow](tangent, cosine, mu)
        # psi counts from over the tail with the rotation: cos psi is along e, sin psi along z x e
        slopes = ca.vertcat(k.k_c * e_x - k.k_s * e_y, k.k_c * e_y + k.k_s * e_x) / air.radius
        return ca.vertcat((wanted - field[0]) / air.delay, 0, 0), slopes

    def _dynamic(self, field: Expr, e: tuple[Expr, Expr], flight: tuple[Expr, Expr], loads: Expr) -> Expr:
        """Pitt and Peters' states in the axes of the wind; these turn so slowly that their own rate is left out."""
        air, tip, (e_x, e_y) = self.air, self.air.tip_speed, e
        over_tail = field[1] * e_x + field[2] * e_y
        advancing = -field[1] * e_y + field[2] * e_x
        state = DynamicInflow(field[0] / tip, over_tail * air.radius / tip, advancing * air.radius / tip)
        # lift times x is -m_y, lift times y is m_x
        lift_x, lift_y = -loads[4] / air.radius, loads[3] / air.radius
        pitch, roll = lift_x * e_x + lift_y * e_y, -lift_x * e_y + lift_y * e_x
        rate = dynamic_inflow_rate(state, loads[2], roll, pitch, *flight) * tip / air.radius
        by_x = (rate[1] * e_x - rate[2] * e_y) / air.radius
        by_y = (rate[1] * e_y + rate[2] * e_x) / air.radius
        return tip * ca.vertcat(rate[0], by_x, by_y)


TINY = 1e-6  # [m/s] of air along the disk where there is none


class AirPlaces(NamedTuple):
    """The exchange of a rotor's air, and where its `FIELD` and `LOADS` stand among the numbers that are kept."""

    inflow: Inflow
    field: slice
    loads: slice


def air_places(assembly: Assembly) -> AirPlaces:
    """Of the first rotor air of a network; one without is refused."""
    for exchange, start in zip(assembly.exchanges, assembly.shared_starts, strict=False):
        if isinstance(exchange, Inflow):
            end = start + len(FIELD) + len(MEMORY)
            return AirPlaces(exchange, slice(start, start + len(FIELD)), slice(end - len(LOADS), end))
    raise ModelError("the network has no air of a rotor; an element RotorAir is needed")

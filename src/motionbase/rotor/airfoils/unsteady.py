"""Unsteady aerodynamics of a blade section: steady, indicial and dynamic stall models as states of an integrator.

A model is two pure functions, because airfoil tables are looked up outside of expressions. `asks` gives the angles at
which the tables are wanted; the caller looks them up there and expands them to first order (`expansion`); `response`
takes these expansions and gives the rates of the states and the coefficients.

Wake and separation lag the normal velocity of the air, not its angle. With Duhamel's integral of lift per speed this is
the same at constant speed, has the right term at varying speed without the derivative of the speed, and passes through
zero speed and reversed flow, where an angle jumps. Lags are counted in semichords travelled, so at zero speed nothing
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.errors import ModelError, unknown
from motionbase.spatial.rotations import Expr

# R. T. Jones 1940: Wagner's function is 1 - A1 exp(-b1 s) - A2 exp(-b2 s), s in semichords. Incompressible: the airfoil
# table has Prandtl and Glauert's factor where the flow has it, and the time scale is left as it is.
A1, A2 = 0.165, 0.335
B1, B2 = 0.0455, 0.3
PRESSURE_LAG, SEPARATION_LAG = 1.7, 3.0  # [semichords], Leishman & Beddoes 1989, NACA 0012 at Mach 0.3
SMALLEST = 1e-12  # [m/s] so that angles and speeds have derivatives where nothing flows
SQUARED_ROOT_AT_ZERO = 1e-4  # added to separation points under a root, whose slope is then 50 at most


class UnsteadyFlow(NamedTuple):
    """Air at three-quarter chord, relative to the section.

    Attributes:
        u, w: along the chord towards the trailing edge, and normal to it towards the upper side [m/s]; u is negative
            in reversed flow
        b: half chord [m]
        reference: constant speed by which states are scaled, such as the tip speed [m/s]
    """

    u: Expr
    w: Expr
    b: Expr
    reference: Expr

    @property
    def speed(self) -> Expr:
        """[m/s]"""
        return _length(self.u, self.w)

    @property
    def alpha(self) -> Expr:
        """Geometric angle of attack, -pi to pi [rad]."""
        return _angle(self.w, self.u)


def flow_at(speed: Expr, alpha: Expr, b: Expr, reference: Expr) -> UnsteadyFlow:
    """The flow of a speed [m/s] and an angle of attack [rad], both at three-quarter chord."""
    return UnsteadyFlow(speed * ca.cos(alpha), speed * ca.sin(alpha), b, reference)


class Found(NamedTuple):
    """What the tables have at an angle, in the order of `Airfoil.at` and `Separation.at`.

    Attributes:
        cl, cd, cm: static coefficients
        f: separation point from the leading edge over the chord, 1 attached
        excess: lift attached less lift separated
        rise: drag over that at zero lift
        arm: moment over lift of a separated flow
    """

    cl: Expr
    cd: Expr
    cm: Expr
    f: Expr = 1.0
    excess: Expr = 0.0
    rise: Expr = 0.0
    arm: Expr = 0.0


def expansion(values: Sequence[Expr], slopes: Sequence[Expr], alpha: Expr, about: Expr) -> Found:
    """Table values about an angle, to first order in alpha - about; full turns between the two do not count."""
    d = ca.sin(alpha - about)
    return Found(*(value + slope * d for value, slope in zip(values, slopes, strict=True)))


class Response(NamedTuple):
    """What the section does.

    Attributes:
        rates: of the states [1/s]
        cl, cd: normal to the air at the quarter chord and along it, without what the wake induces there
        cm: nose-up, about the quarter chord
    """

    rates: Expr
    cl: Expr
    cd: Expr
    cm: Expr


@final
@dataclass(frozen=True)
class Unsteady:
    """A model of the section.

    Attributes:
        states: their names; all are of order one
        angles: how many angles it asks for
        separates: whether it needs the columns of `Separation` beside those of the airfoil
        asks: (states, flow) -> (angles,) at which tables are wanted, -pi to pi [rad]
        response: (states, flow, tables at those angles) -> rates and coefficients
        at_rest: (flow, f at the flow's angle) -> states where a constant flow leads
    """

    name: str
    states: tuple[str, ...]
    angles: int
    separates: bool
    asks: Callable[[Expr, UnsteadyFlow], Expr]
    response: Callable[[Expr, UnsteadyFlow, Sequence[Found]], Response]
    at_rest: Callable[[UnsteadyFlow, Expr], Expr]


def _angle(w: Expr, u: Expr) -> Expr:
    return ca.atan2(w, u + SMALLEST)


def _length(u: Expr, w: Expr) -> Expr:
    return ca.sqrt(u**2 + w**2 + SMALLEST**2)


def _steady() -> Unsteady:
    def response(x: Expr, flow: UnsteadyFlow, found: Sequence[Found]) -> Response:
        return Response(ca.DM(0, 1), found[0].cl, found[0].cd, found[0].cm)

    return Unsteady("steady", (), 1, False, lambda x, flow: flow.alpha, response, lambda flow, f: ca.DM(0, 1))


def _effective(x: Expr, flow: UnsteadyFlow) -> Expr:
    """Normal velocity less what the shed wake induces, over the reference speed."""
    return (1 - A1 - A2) * flow.w / flow.reference + x[0] + x[1]


def _wake_rates(x: Expr, flow: UnsteadyFlow) -> tuple[Expr, Expr]:
    w, per_semichord = flow.w / flow.reference, flow.speed / flow.b
    return per_semichord * B1 * (A1 * w - x[0]), per_semichord * B2 * (A2 * w - x[1])


def _tilt(x: Expr, flow: UnsteadyFlow) -> Expr:
    """Sine of the angle that the wake takes from the flow; it tilts the lift backwards by that angle.

    Lift is normal to all air at the quarter chord, where the bound vortex is. With the rate of pitch this is the
    suction at the leading edge of Garrick 1936 but for the rate squared.
    """
    w_E = _effective(x, flow) * flow.reference
    return flow.u * (flow.w - w_E) / (flow.speed * _length(flow.u, w_E))


def _indicial() -> Unsteady:
    def asks(x: Expr, flow: UnsteadyFlow) -> Expr:
        return _angle(_effective(x, flow) * flow.reference, flow.u)

    def response(x: Expr, flow: UnsteadyFlow, found: Sequence[Found]) -> Response:
        cl, cd, cm = found[0][:3]
        return Response(ca.vertcat(*_wake_rates(x, flow)), cl, cd + cl * _tilt(x, flow), cm)

    def at_rest(flow: UnsteadyFlow, f: Expr) -> Expr:
        w = flow.w / flow.reference
        return ca.vertcat(A1 * w, A2 * w)

    return Unsteady("indicial", ("wake_1", "wake_2"), 1, False, asks, response, at_rest)


def dynamic_stall(pressure: float = PRESSURE_LAG, separation: float = SEPARATION_LAG) -> Unsteady:
    """Hansen, Gaunaa & Madsen 2004 (Risoe-R-1354), after Leishman & Beddoes: wake, pressure and separation lag.

    Without the leading-edge vortex. Their coefficients are written as the static ones and a part that vanishes as the
    separation point arrives, cl = cl_st + (f - f_st) (cl_attached - cl_separated), so the static table is reproduced
    between its points too. The moment has one arm for each Mach number instead of a function of f, and the pressure
    lags the circulatory part alone.

    Args:
        pressure, separation: time constants [semichords]
    """
    for name, lag in (("pressure", pressure), ("separation", separation)):
        if not (np.isfinite(lag) and lag > 0):
            raise ModelError(f"dynamic stall: the lag of {name} is {lag:g} semichords, must be above zero")

    def asks(x: Expr, flow: UnsteadyFlow) -> Expr:
        alpha_E, alpha_f = (_angle(w * flow.reference, flow.u) for w in (_effective(x, flow), x[2]))
        return ca.vertcat(alpha_E, alpha_f)

    def response(x: Expr, flow: UnsteadyFlow, found: Sequence[Found]) -> Response:
        at_E, f = found[0], x[3]
        per_semichord = flow.speed / flow.b
        rates = ca.vertcat(
            *_wake_rates(x, flow),
            per_semichord / pressure * (_effective(x, flow) - x[2]),
            per_semichord / separation * (found[1].f - f),
        )
        cl = at_E.cl + (f - at_E.f) * at_E.excess
        drag = at_E.rise * ((_root(at_E.f) - _root(f)) / 2 - (at_E.f - f) / 4)
        return Response(
            rates, cl, at_E.cd + drag + cl * _tilt(x, flow), at_E.cm + cl * at_E.arm * (at_E.f - f)
        )  # fmt: skip

    def at_rest(flow: UnsteadyFlow, f: Expr) -> Expr:
        w = flow.w / flow.reference
        return ca.vertcat(A1 * w, A2 * w, w, f)

    names = ("wake_1", "wake_2", "pressure", "separation")
    return Unsteady("dynamic_stall", names, 2, True, asks, response, at_rest)


def _root(f: Expr) -> Expr:
    return ca.sqrt(ca.fmax(f, 0.0) + SQUARED_ROOT_AT_ZERO)


UNSTEADY: dict[str, Callable[[], Unsteady]] = {
    "steady": _steady,
    "indicial": _indicial,
    "dynamic_stall": dynamic_stall,
}


def unsteady(name: str) -> Unsteady:
    """The model of that name, with its usual constants."""
    if name not in UNSTEADY:
        raise unknown("unsteady model", name, UNSTEADY)
    return UNSTEADY[name]()


class AddedMass(NamedTuple):
    """Loads of the air that moves with the section, per length and density.

    Attributes:
        normal: to the chord, towards the upper side [m^3/s^2]
        moment: nose-up about the quarter chord [m^4/s^2]
    """

    normal: Expr
    moment: Expr


def added_mass(u: Expr, omega: Expr, b: Expr, w_dot: Expr = 0.0, omega_dot: Expr = 0.0) -> AddedMass:
    """Non-circulatory loads of a thin airfoil (Theodorsen 1935), for any model; finite at zero speed.

    They are forces instead of coefficients, because a coefficient divides by the squared speed. Without accelerations
    only the rate of pitch counts: then cl is pi b omega / u, and cm half of that, nose-down.

    Args:
        u: speed of the air along the chord, towards the trailing edge [m/s]
        omega: rate of pitch, nose-up [rad/s]
        w_dot: acceleration of the air relative to mid-chord, normal to the chord towards the upper side [m/s^2]
        omega_dot: [rad/s^2]
    """
    normal = ca.pi * b**2 * (w_dot + u * omega)  # at mid-chord
    # the circulation, taken at three-quarter chord, would act at the quarter chord with the rate of pitch: that is
    # taken back, in reversed flow with the other end in front
    at_middle = -ca.pi * b**3 * (ca.fabs(u) * omega / 2 + b * omega_dot / 8)
    return AddedMass(normal, at_middle - normal * b / 2)

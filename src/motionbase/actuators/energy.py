"""Energy balance of a hydraulic leg over one step; the terms balance to rounding."""

from __future__ import annotations

from typing import NamedTuple

from motionbase.actuators.chambers import Pair, Ways
from motionbase.actuators.common import Lines
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Port
from motionbase.spatial.rotations import Expr

ENERGY_PORTS = (
    Port("work_supply", (), "J", "taken from the supply"),
    Port("work_return", (), "J", "given to the return line, at its pressure"),
    Port("work_piston", (), "J", "of the pressures on the piston"),
    Port("work_friction", (), "J", "of the piston against friction"),
    Port("stored_oil", (), "J", "put into the compression of the oil"),
    Port("stored_bristle", (), "J", "put into the bending of the seals"),
    Port("loss_valve", (), "J", "over edges, cushions and the abort manifold"),
    Port("loss_leakage", (), "J", "of leaking oil"),
    Port("loss_relief", (), "J", "over relief and make-up valves"),
    Port("loss_friction", (), "J", "heat of sliding"),
)
"""work_supply - work_return = work_piston + stored_oil + loss_valve + loss_leakage + loss_relief, and
work_friction = stored_bristle + loss_friction."""


class Flows(NamedTuple):
    """Mean flows of a step [m^3/s]."""

    supply: Expr  # from the supply
    back: Expr  # to the return


def line_flows(actuator: HydraulicActuator, ways: tuple[Ways, Ways], p_mean: Pair, lines: Lines) -> Flows:
    """Flows from the supply and to the return."""
    supply: Expr = 0
    back: Expr = 0
    for way, p in zip(ways, p_mean, strict=True):
        supply += way.supply * (lines.p_supply - p)
        back += (way.back + way.bleed + way.makeup) * (p - lines.p_return)
        back += way.relief * (p - actuator.relief_pressure)
    return Flows(supply, back)


def energy_parts(
    actuator: HydraulicActuator,
    h: Expr,
    ways: tuple[Ways, Ways],
    lines: Lines,
    p_mean: Pair,
    dp: Pair,
    capacity: Pair,
    across: Expr,
    dl: Expr,
    z: Expr,
    z_next: Expr,
) -> tuple[Expr, ...]:
    """The values of ENERGY_PORTS [J].

    Args:
        p_mean: pressures at which the mean flow would flow [Pa]
        dp: changes of the pressures [Pa]
        capacity: V / E of the chambers [m^3/Pa]
        across: internal leakage from cap to rod [m^3/s]
        dl: change of length [m]
    """
    flows = line_flows(actuator, ways, p_mean, lines)
    valve: Expr = 0
    relief: Expr = 0
    for way, p in zip(ways, p_mean, strict=True):
        valve += way.supply * (lines.p_supply - p) ** 2 + (way.back + way.bleed) * (p - lines.p_return) ** 2
        relief += way.makeup * (p - lines.p_return) ** 2
        relief += way.relief * (p - actuator.relief_pressure) * (p - lines.p_return)
    leakage = across * (p_mean.cap - p_mean.rod)
    leakage += actuator.leakage_external * (p_mean.cap**2 + p_mean.rod**2)

    law = actuator.friction
    bending, viscous = 0.5 * law.sigma0 * (z + z_next), law.sigma2 * dl / h
    work_friction = (bending + law.sigma1 * (z_next - z) / h + viscous) * dl
    stored_bristle = bending * (z_next - z)
    return (
        h * lines.p_supply * flows.supply,
        h * lines.p_return * flows.back,
        (actuator.area_cap * p_mean.cap - actuator.area_rod * p_mean.rod) * dl,
        work_friction,
        p_mean.cap * capacity.cap * dp.cap + p_mean.rod * capacity.rod * dp.rod,
        stored_bristle,
        h * valve,
        h * leakage,
        h * relief,
        work_friction - stored_bristle,
    )

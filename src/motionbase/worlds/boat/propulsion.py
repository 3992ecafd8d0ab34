"""Engine, propellers, rudder: from throttle and wheel to a wrench, as code for the compiled step."""

from __future__ import annotations

from typing import NamedTuple, final

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.worlds.boat.craft import Craft
from motionbase.worlds.sea.patch import clamped

SX = ca.SX
STALL = 0.5  # sine of the angle of attack beyond which a rudder's lift does not grow; illustrative


class Engine(Struct):
    """State of engine and rudder."""

    turns: SX = q("-", 2, "revolutions of the left and the right propeller over full ahead")
    angle: SX = q("rad", text="of outboard or rudder, positive for a turn to the left")


@final
class Thrust(NamedTuple):
    """Effect of the propulsion on the vessel.

    Attributes:
        wrench: (6,) moment, then force, about the centre of gravity [N m, N]
        thrust: of both propellers together [N]
    """

    wrench: SX
    thrust: SX


def engine_after(craft: Craft, engine: Engine, throttle: SX, wheel: SX, speed: SX, h: SX) -> Engine:
    """Revolutions follow the throttle with a lag, the angle follows the wheel at its rate.

    Args:
        speed: ahead [m/s]
    """
    throttle, wheel = clamped(throttle, -1.0, 1.0), clamped(wheel, -1.0, 1.0)
    wanted = ca.vertcat(throttle - craft.share * wheel, throttle + craft.share * wheel)
    wanted = clamped(wanted, -1.0, 1.0)
    turns = wanted + (engine.turns - wanted) * ca.exp(-h / craft.engine_lag)
    most = craft.turn_rate * h
    goal = craft.turn * wheel / (1 + craft.eases * ca.fmax(speed, 0.0) ** 2)
    return Engine(turns=turns, angle=engine.angle + clamped(goal - engine.angle, -most, most))


def thrust_of(craft: Craft, engine: Engine, v: SX, omega: SX, depth: SX) -> Thrust:
    """Wrench of propellers and rudder.

    Args:
        v: (3,) of the centre of gravity through the water [m/s]
        depth: of the propellers below the surface [m]
    """
    place, c, s = craft.propeller, ca.cos(engine.angle), ca.sin(engine.angle)
    wet = clamped(depth / craft.diameter + 0.5, 0.0, 1.0)
    at = v + ca.cross(omega, place)
    moment, force, total = SX.zeros(3), SX.zeros(3), SX(0)
    for k, side in enumerate((1.0, -1.0)):
        n = engine.turns[k]
        weaker = ca.if_else(n < 0, craft.astern, 1.0)
        ahead = at[0] - omega[2] * (side - 1.0) * place[1]
        # K_T falls linearly with the advance ratio: T = rho D^4 (a n^2 - b n u / D)
        T = craft.thrust * weaker * wet * ca.fabs(n) * (n - ahead / craft.ventless)
        one = T * ca.vertcat(1 + craft.thrust_turns * (c - 1), -craft.thrust_turns * s, 0)
        moment += ca.cross(ca.vertcat(place[0], side * place[1], place[2]), one)
        force, total = force + one, total + T
    disc = 0.5 * craft.density * ca.pi / 4 * craft.diameter**2
    added = craft.slipstream * ca.fmax(total, 0.0) / disc  # of the speed's square, far behind an actuator disc
    u = ca.if_else(added > 0, ca.sqrt(ca.fmax(at[0], 0.0) ** 2 + added), at[0])
    speed = ca.sqrt(u**2 + at[1] ** 2 + 1e-6)
    normal = craft.rudder * wet * speed * clamped(u * s + at[1] * c, -STALL * speed, STALL * speed)
    blade = normal * ca.vertcat(-s, -c, 0)
    moment += ca.cross(ca.vertcat(place[0], 0, place[2]), blade)
    return Thrust(ca.vertcat(moment, force + blade), total)

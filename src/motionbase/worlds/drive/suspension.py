"""Springs, dampers, stops and anti-roll bars along the slides of the wheels, and the compliance of the steering."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial.rotations import Expr
from motionbase.worlds.drive.car import Car
from motionbase.worlds.drive.chassis import AXLE, SIDE, Chassis

SOFT = 0.02  # [m/s] around zero, over which a damper changes from rebound to bump


def slide_forces(chassis: Chassis, travel: Expr, rate: Expr) -> Expr:
    """(4,) forces along the slides, positive upwards; 0 is the travel at rest on level ground.

    At rest a slide carries the component along it of the shell's weight on its wheel.
    """
    car, forces = chassis.car, []
    for k in range(4):
        axle, other = car.axles[AXLE[k]], k ^ 1
        weight = car.carried[AXLE[k]] * chassis.upright(AXLE[k])
        sprung = axle.spring * travel[k] + axle.anti_roll * (travel[k] - travel[other])
        stop = axle.stop * (ca.fmax(travel[k] - axle.up, 0.0) ** 2 - ca.fmax(-travel[k] - axle.down, 0.0) ** 2)
        # the damping changes smoothly around zero rate, so that the force has no kink
        share = (1 + ca.tanh(rate[k] / SOFT)) / 2
        damped = (axle.rebound + (axle.bump - axle.rebound) * share) * rate[k]
        forces.append(-weight - sprung - damped - stop)
    return ca.vertcat(*forces)


def kingpin_torques(car: Car, angle: Expr, rate: Expr, rack: Expr, rack_rate: Expr) -> Expr:
    """(2,) torques of the springs and dampers that hold the front wheels at the angle of the rack.

    Both wheels turn about one point on the line of the rear axle if `ackermann` is 1: tan d = tan r / (1 -+ w tan r),
    with half the track over the wheelbase w.
    """
    steering, found = car.steering, []
    for k in range(2):
        w = SIDE[k] * car.front.track / 2 / car.wheelbase
        tan = ca.tan(rack)
        wanted = rack + steering.ackermann * (ca.atan(tan / (1 - w * tan)) - rack)
        found.append(-steering.stiffness * (angle[k] - wanted) - steering.damping * (rate[k] - rack_rate))
    return ca.vertcat(*found)

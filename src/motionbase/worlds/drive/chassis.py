"""The car as a multibody model: a free shell, four wheels on slides, two kingpins, four spinning wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.joints import Free, prismatic, revolute
from motionbase.multibody.tree.dynamics import Tree
from motionbase.record.vehicle import G
from motionbase.worlds.drive.car import FRONT, REAR, Car
from motionbase.worlds.drive.parts import Axle

WHEELS = ("fl", "fr", "rl", "rr")  # front left, front right, rear left, rear right
SIDE = (1.0, -1.0, 1.0, -1.0)  # of a wheel: 1 on the left, where y is positive
AXLE = (FRONT, FRONT, REAR, REAR)
HUB_RADIUS = 0.10  # radius of gyration of a hub [m]; illustrative
TYRE_WIDTH = 0.20  # [m], for the inertia of a wheel about its diameter; illustrative

# coordinates and speeds, body by body in the order of the model
NQ, NV = 17, 16
PLACE, ATTITUDE = slice(0, 3), slice(3, 7)
OMEGA, VELOCITY = slice(0, 3), slice(3, 6)
TRAVEL_Q, STEER_Q, SPIN_Q = slice(7, 11), slice(11, 13), slice(13, 17)
TRAVEL_V, STEER_V, SPIN_V = slice(6, 10), slice(10, 12), slice(12, 16)


@final
@dataclass(frozen=True)
class Chassis:
    """The multibody model of a car.

    The frame of the shell is on the road in the middle between the axles when the car rests on level ground; that is
    the vehicle's own point. A wheel slides along a line of the shell, whose direction gives the height of the roll
    centre: the contact point moves at right angles to the line from it to the roll centre.
    """

    car: Car

    def centre(self, wheel: int) -> tuple[float, float, float]:
        """Centre of a wheel in axes of the shell, at rest [m]."""
        car, axle = self.car, AXLE[wheel]
        deflection = car.loads[axle] / car.tyre.stiffness
        return car.axle_x[axle], SIDE[wheel] * car.axles[axle].track / 2, car.tyre.radius - deflection

    def slide(self, wheel: int) -> tuple[float, float, float]:
        """Unit vector along which a wheel travels up."""
        axle = self.car.axles[AXLE[wheel]]
        length = math.hypot(axle.track / 2, axle.roll_centre)
        return 0.0, SIDE[wheel] * axle.roll_centre / length, axle.track / 2 / length

    def upright(self, axle: int) -> float:
        """Cosine of the angle between a slide and the vertical."""
        return self.slide(2 * axle)[2]

    @cached_property
    def model(self) -> Model:
        """Bodies and joints; forces are not part of it."""
        car = self.car
        body = car.body
        shell = Body("shell", body.mass, (body.ahead, 0.0, body.height), body.inertia)
        bodies, joints = [shell], [Joint("free", GROUND, "shell", Free())]
        for k, name in enumerate(WHEELS):
            axle = car.axles[AXLE[k]]
            bodies.append(Body(f"strut_{name}") if AXLE[k] == FRONT else _hub(f"strut_{name}", axle))
            joints.append(Joint(f"slide_{name}", "shell", f"strut_{name}", prismatic(self.slide(k)), self.centre(k)))
        for name in WHEELS[:2]:
            trail = car.steering.trail
            hub = _hub(f"hub_{name}", car.front, -trail)
            bodies.append(hub)
            joints.append(
                Joint(f"kingpin_{name}", f"strut_{name}", f"hub_{name}", revolute((0, 0, 1)), (trail, 0.0, 0.0))
            )
        for k, name in enumerate(WHEELS):
            axle, carrier = car.axles[AXLE[k]], self.carrier(k)
            bodies.append(_wheel(f"wheel_{name}", axle))
            joints.append(Joint(f"spin_{name}", carrier, f"wheel_{name}", revolute((0, 1, 0)), self.middle(k)))
        return Model(f"car_{car.name}".replace("-", "_"), tuple(bodies), tuple(joints), (0.0, 0.0, -G))

    def carrier(self, wheel: int) -> str:
        """The body in which a wheel spins."""
        return f"hub_{WHEELS[wheel]}" if AXLE[wheel] == FRONT else f"strut_{WHEELS[wheel]}"

    def middle(self, wheel: int) -> tuple[float, float, float]:
        """Centre of a wheel in the frame of its carrier [m]."""
        return (-self.car.steering.trail if AXLE[wheel] == FRONT else 0.0), 0.0, 0.0

    @cached_property
    def tree(self) -> Tree:
        """Its equations in minimal coordinates."""
        return Tree(self.model)


def _hub(name: str, axle: Axle, x: float = 0.0) -> Body:
    """The part that moves with a wheel without spinning."""
    return Body(name, axle.hub_mass, (x, 0.0, 0.0), (axle.hub_mass * HUB_RADIUS**2,) * 3)


def _wheel(name: str, axle: Axle) -> Body:
    """A disc of the width of a tyre; driveline parts that spin with it count only about its axle."""
    across = min(axle.spin_inertia / 2 + axle.wheel_mass * TYRE_WIDTH**2 / 12, axle.spin_inertia)
    return Body(name, axle.wheel_mass, inertia=(across, axle.spin_inertia, across))

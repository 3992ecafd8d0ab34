"""Simulation of a car on a road: controls are turned into demands, and the compiled step moves the car."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, final

import numpy as np

from motionbase.compile import compile
from motionbase.compile.runtime.calling import Bound, Compiled
from motionbase.errors import UsageError
from motionbase.worlds.drive.car import Car
from motionbase.worlds.drive.chassis import AXLE, SPIN_Q, SPIN_V, Chassis
from motionbase.worlds.drive.driveline import RPM
from motionbase.worlds.drive.dynamics import INNER, Demand, Dynamics, Motion, Seen
from motionbase.worlds.drive.gearbox import PEDAL_S, Brakes, Gearbox
from motionbase.worlds.drive.steer import Rack
from motionbase.worlds.drive.surface import Foot, Surface
from motionbase.worlds.felt import Vector, angles_of, quaternion

DT = 0.005
SETTLE = 300  # steps for a car placed on the road to come to rest
TURNS = 2 * math.pi * 1000  # [rad] after which the angle of a wheel is wrapped
FASTEST = 150.0  # [m/s] above which a car is put back


class Pedals(NamedTuple):
    """Controls: steering -1 to 1, positive left; the others 0 to 1."""

    steer: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    hand: float = 0.0

    @staticmethod
    def within(controls: Sequence[float]) -> Pedals:
        """Limited to their range; controls that are not finite are at rest."""
        steer, *others = (float(c) if math.isfinite(c) else 0.0 for c in controls)
        return Pedals(max(-1.0, min(1.0, steer)), *(max(0.0, min(1.0, c)) for c in others))


@final
class Simulation:
    """A car on a surface.

    Args:
        speed: at the start [m/s]
        assisted: whether the steering lock depends on speed

    Attributes:
        motion, q, v: state of the car, its coordinates and speeds
        seen, demand: outputs and inputs of the compiled step, by name
        run: the compiled step, which works on these arrays
    """

    def __init__(self, car: Car, surface: Surface, speed: float = 0.0, assisted: bool = True) -> None:
        self.car, self.surface = car, surface
        self._speed, self._assisted = speed, assisted
        compiled = _compiled(car)
        arrays = self._arrays = compiled.arrays()
        arrays["h"][...] = DT / INNER
        arrays["hills"][...] = surface.hills
        arrays["unders"], arrays["bump"] = surface.unders, surface.bump
        self.run: Bound = compiled.bind(**arrays)
        self.motion, self._next = arrays["motion"], arrays["motion_next"]
        self.q, self.v = Motion.layout.part(self.motion, "q"), Motion.layout.part(self.motion, "v")
        self._engine = Motion.layout.part(self.motion, "engine")
        self.seen = {port.name: Seen.layout.part(arrays["seen"], port.name) for port in Seen.layout.ports}
        self.demand = {port.name: Demand.layout.part(arrays["demand"], port.name) for port in Demand.layout.ports}
        self.chassis = Chassis(car)
        self._wheels = [self.chassis.centre(k)[:2] for k in range(4)]
        self.reset()

    def reset(self) -> None:
        """Place the car at the start of the road, at rest or at its initial speed."""
        car = self.car
        self.motion[:] = Motion.layout.vector()
        self._stand(0.0)
        self.gearbox, self.brakes, self.rack = Gearbox(car), Brakes(car), Rack(car, self._assisted)
        self.pedals, self.throttle, self.foot = Pedals(), 0.0, Foot(0.0, 0.0)
        for _ in range(SETTLE):
            self.step((0.0, 0.0, 0.0, 0.0))
        if not self.is_sound or self.up < 0.9:
            raise UsageError(f"the car {car.name} does not stand on its wheels; check the numbers of its file")
        if self._speed:
            self.v[3] = self._speed
            self.v[SPIN_V] = self._speed / (car.tyre.radius - car.loads[0] / car.tyre.stiffness / 3)
            self.gearbox.begin(self._speed / car.tyre.radius)
            self._engine[...] = max(self.gearbox.ratio * self._speed / car.tyre.radius, car.engine.idle * RPM)
        self.look()

    def _stand(self, s: float, lift: float = 0.0) -> None:
        """Stand on the road at a distance along it."""
        x, y, heading = self.surface.road.course.at(s)
        z, zx, zy = self.surface.height(x, y)
        c, sn = math.cos(heading), math.sin(heading)
        pitch, roll = -math.atan(zx * c + zy * sn), math.atan(c * zy - sn * zx)
        self.surface.seek()
        self.q[:7] = (x, y, z + lift, *quaternion((roll, pitch, heading)))

    def put_back(self) -> None:
        """Place the car on the road beside where it was, at rest; if it was far away, at the start of the road."""
        s = self.foot.s if np.isfinite(self.motion).all() and abs(self.foot.across) < 1e4 else 0.0
        self.motion[:] = Motion.layout.vector()
        self._stand(s, 0.02)
        self.gearbox, self.brakes, self.rack = (
            Gearbox(self.car),
            Brakes(self.car),
            Rack(self.car, self._assisted),
        )
        self.throttle = 0.0
        self.look()

    def look(self) -> None:
        """Update `seen` for the present state, without a step."""
        self.surface.look(self.wheels(), (0.0, 0.0))
        keep = self.motion.copy()
        self._arrays["h"][...] = 0.0
        self.run()
        self.motion[:] = keep
        self._arrays["h"][...] = DT / INNER

    def wheels(self) -> list[tuple[float, float]]:
        """Horizontal positions of the wheels."""
        x, y, _, w, i, j, k = self.q[:7].tolist()
        ax, ay = 1 - 2 * (j * j + k * k), 2 * (i * j + w * k)
        bx, by = 2 * (i * j - w * k), 1 - 2 * (i * i + k * k)
        return [(x + ax * u + bx * n, y + ay * u + by * n) for u, n in self._wheels]

    def step(self, controls: Sequence[float]) -> None:
        """Advance by one period of 5 ms."""
        self.pedals = pedals = Pedals.within(controls)
        v, speed = self.v, float(self.v[3])
        spins = v[SPIN_V].tolist()
        driven = sum(self.car.axles[AXLE[k]].drive / 2 * spin for k, spin in enumerate(spins))
        gas, brake = self.gearbox.pedals(pedals.throttle, pedals.brake, speed)
        self.throttle += (gas - self.throttle) * (1 - math.exp(-DT / PEDAL_S))
        self.gearbox.step(self.throttle, driven, DT)
        slips = self.seen["lengthwise"].tolist()
        if speed < 0:
            slips = [-s for s in slips]
        demand = self.demand
        demand["throttle"][...] = self.throttle * (0.3 if self.gearbox.coupled < 1 else 1.0)
        demand["ratio"][...], demand["coupled"][...] = self.gearbox.ratio, self.gearbox.coupled
        demand["rack"][...], demand["rack_rate"][...] = self.rack.step(pedals.steer, speed, DT)
        demand["brakes"][:] = self.brakes.step(brake, pedals.hand, speed, slips, DT)
        vx, vy = self.velocity[:2]
        self.foot = self.surface.look(self.wheels(), (vx * DT / 2, vy * DT / 2))
        self.run()
        self.motion[:] = self._next
        q = self.q[SPIN_Q]
        if np.abs(q).max() > TURNS:
            q[:] = np.fmod(q, TURNS)

    @property
    def velocity(self) -> Vector:
        """Velocity of the car's own point, in axes of the world."""
        return self._turned(self.v[3:6].tolist())

    def _turned(self, vector: Sequence[float]) -> Vector:
        """A vector of the car in axes of the world."""
        w, i, j, k = self.q[3:7].tolist()
        x, y, z = vector
        tx, ty, tz = 2 * (j * z - k * y), 2 * (k * x - i * z), 2 * (i * y - j * x)
        return x + w * tx + j * tz - k * ty, y + w * ty + k * tx - i * tz, z + w * tz + i * ty - j * tx

    @property
    def acceleration(self) -> Vector:
        """Acceleration of the car's own point, in axes of the world."""
        p, q, r, u, v, w = self.v[:6].tolist()
        a, b, c = self.seen["v_dot"][3:6].tolist()
        return self._turned((a + q * w - r * v, b + r * u - p * w, c + p * v - q * u))

    @property
    def angles(self) -> Vector:
        """Roll, pitch and yaw [rad]."""
        return angles_of(self.q[3:7].tolist())

    @property
    def up(self) -> float:
        """Cosine of the angle between the car's z axis and the vertical."""
        _, i, j, _ = self.q[3:7].tolist()
        return float(1 - 2 * (i * i + j * j))

    @property
    def rpm(self) -> float:
        """Of the engine [1/min]."""
        return float(self._engine.item()) / RPM

    @property
    def is_sound(self) -> bool:
        """Whether the motion is finite and not faster than any car."""
        return bool(np.isfinite(self.motion).all()) and float(np.abs(self.v[3:6]).max()) < FASTEST


@cache
def _compiled(car: Car) -> Compiled:
    """The step of a car as machine code."""
    return compile(Dynamics(car).step)

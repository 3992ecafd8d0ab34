"""A step of the car as one program: eight inner steps by the midpoint rule, then quantities to feel and show.

Inner steps of 0.6 ms: the fastest parts are a wheel's spin on the tyre's spring (up to 240 rad/s), its brake (120), a
kingpin (150) and the damped slip (250/s). The midpoint rule is of second order and grows an oscillation by only
(w h)^4 / 8 per step, less than even the smallest damping removes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca

from motionbase.compile import Kernel, Port, Program, Struct, repeat
from motionbase.compile import q as quantity
from motionbase.multibody.integrators.local import local_rate, moved
from motionbase.spatial.rotations import Expr
from motionbase.worlds.drive import tyre as tyres
from motionbase.worlds.drive.car import FRONT, Car
from motionbase.worlds.drive.chassis import (
    AXLE,
    NQ,
    NV,
    OMEGA,
    SPIN_V,
    STEER_Q,
    STEER_V,
    TRAVEL_Q,
    TRAVEL_V,
    VELOCITY,
    Chassis,
)  # fmt: skip
from motionbase.worlds.drive.driveline import torques
from motionbase.worlds.drive.ground import Bump, Hills, Under, ground_at, hills_at
from motionbase.worlds.drive.shell import shell_wrench
from motionbase.worlds.drive.suspension import kingpin_torques, slide_forces

SX = ca.SX
INNER = 8
AIR = 1.225  # [kg/m^3]
TWIST, TWIST_LAG = 15000.0, 0.004  # of a holding brake: stiffness [N m/rad], damping over it [s]; illustrative


class Motion(Struct):
    """State of the car."""

    q: SX = quantity("-", NQ, "coordinates of the chassis")
    v: SX = quantity("-", NV, "its speeds")
    bent: SX = quantity("m", 8, "deflections of the tyres, along and across, wheel by wheel")
    twist: SX = quantity("rad", 4, "of the brakes")
    engine: SX = quantity("rad/s", text="speed of the engine", start=80.0)


class Demand(Struct):
    """Demands of driver and gearbox, constant over a step."""

    throttle: SX = quantity("-", text="0 to 1")
    ratio: SX = quantity("-", text="turbine's speed over that of the driven wheels, negative in reverse")
    coupled: SX = quantity("-", text="share of the converter's torque that is transmitted")
    rack: SX = quantity("rad", text="steering angle of the rack at the start of the step")
    rack_rate: SX = quantity("rad/s", text="its rate during the step")
    brakes: SX = quantity("N m", 4, "largest torque of each brake")


class Seen(Struct):
    """Quantities to feel and show after a step."""

    v_dot: SX = quantity("-", NV, "accelerations of the chassis")
    load: SX = quantity("N", 4, "of the tyres")
    slip: SX = quantity("-", 4, "over the slope of the tyre's curve, S")
    lengthwise: SX = quantity("-", 4, "slip along the wheel: -1 locked")
    steer: SX = quantity("N m", text="torque of the tyres about the kingpins, to the left")
    torque: SX = quantity("N m", text="of the engine")
    touch: SX = quantity("N", text="force of the ground on the shell")


class Wheel(NamedTuple):
    """Forces and rates of a wheel on the ground."""

    wrench: Expr  # (6,) moment and force at its centre, in the world
    rate: tuple[Expr, Expr]
    peak: tuple[Expr, Expr]
    load: Expr
    slip: Expr
    lengthwise: Expr
    spin: Expr  # torque about its axle: rolling resistance
    kingpin: Expr


@final
@dataclass(frozen=True)
class Dynamics:
    """The equations of a car, as kernels and programs."""

    car: Car

    @cached_property
    def chassis(self) -> Chassis:
        """Its multibody model."""
        return Chassis(self.car)

    @cached_property
    def rates(self) -> Kernel:
        """(since, motion, demand, hills, bump, unders) -> rates of the motion, largest tyre forces, and `Seen`."""
        inputs = (Port("since", (), "s", "time since the start of the step"), *STATE, *SURFACE)
        outputs = (
            Port("rate", NV + 8 + 4 + 1, "-", "of speeds, deflections, twists and engine"),
            Port("peak", 8, "N", "largest forces of the tyres"),
            Seen.port("seen"),
        )
        return Kernel("car_rates", inputs, outputs, self._rates)

    @cached_property
    def step(self) -> Program:
        """(h, motion, demand, hills, bump, unders) -> motion after eight inner steps of h, and `Seen` then."""
        inputs = (Port("h", (), "s", "inner step"), *STATE, *SURFACE)
        return Program("car_step", inputs, (Motion.port("motion_next"), Seen.port("seen")), self._step)

    def _step(self, h: Expr, motion: Motion, demand: Demand, hills: Hills, bump: Bump, unders: Under) -> Any:
        def inner(now: Motion, since: Expr) -> Any:
            rate, _, _ = self.rates(since, now, demand, hills, bump, unders)
            middle = self._after(now, now, rate, h / 2)
            rate, peak, _ = self.rates(since + h / 2, middle, demand, hills, bump, unders)
            return self._held(self._after(now, middle, rate, h), peak, demand), since + h

        after, since = repeat(INNER, inner, motion, 0.0)
        _, _, seen = self.rates(since, after, demand, hills, bump, unders)
        return after, seen

    def _after(self, begin: Motion, at: Motion, rate: Expr, h: Expr) -> Motion:
        """The state at the start of a step, advanced by h with the rates at another state."""
        model = self.chassis.model
        xi = (h / 2) * local_rate(model, begin.q, SX.zeros(NV), begin.v) if at is not begin else SX.zeros(NV)
        return Motion(
            moved(model, begin.q, h * local_rate(model, at.q, xi, at.v)),
            begin.v + h * rate[:NV],
            begin.bent + h * rate[NV : NV + 8],
            begin.twist + h * rate[NV + 8 : NV + 12],
            ca.fmax(begin.engine + h * rate[NV + 12], 0.0),
        )

    def _held(self, motion: Motion, peak: Expr, demand: Demand) -> Motion:
        """Deflections limited to what ground and brakes can hold."""
        tyre = self.car.tyre
        bent = [tyres.held(tyre, motion.bent[2 * k : 2 * k + 2], peak[2 * k : 2 * k + 2]) for k in range(4)]
        most = demand.brakes / TWIST
        return motion.replace(bent=ca.vertcat(*bent), twist=ca.fmin(ca.fmax(motion.twist, -most), most))

    def _rates(
        self, since: Expr, motion: Motion, demand: Demand, hills: Hills, bump: Bump, unders: Under
    ) -> tuple[Expr, Expr, Seen]:
        """Forces of the parts on the chassis, and its accelerations."""
        car, tree = self.car, self.chassis.tree
        state = tree.state(motion.q, motion.v)
        tau = SX(NV, 1)
        tau[TRAVEL_V] = slide_forces(self.chassis, motion.q[TRAVEL_Q], motion.v[TRAVEL_V])
        rack = demand.rack + since * demand.rack_rate
        held = kingpin_torques(car, motion.q[STEER_Q], motion.v[STEER_V], rack, demand.rack_rate)
        tau[STEER_V] = held
        spin = motion.v[SPIN_V]
        driven, engine, pump = self._driven(motion, demand, spin)
        braked = TWIST * (motion.twist + TWIST_LAG * spin)
        tau[SPIN_V] = driven - ca.fmin(ca.fmax(braked, -demand.brakes), demand.brakes)
        wheels = [self._wheel(k, state, motion, demand, hills, bump, unders) for k in range(4)]
        tau[SPIN_V] += ca.vertcat(*(w.spin for w in wheels))
        _, M, force = tree.equations(motion.q, motion.v, tau)
        for k, wheel in enumerate(wheels):
            name = self.chassis.model.bodies[-4 + k].name
            force += state.point(name).J.T @ wheel.wrench
        shell = state.point("shell")
        R, velocity = shell.R, motion.v[VELOCITY]
        wrench, touch = shell_wrench(
            car, shell.p, R, motion.v[OMEGA], velocity, hills_at(hills, shell.p[0], shell.p[1])
        )
        air = -0.5 * AIR * car.body.drag_area * ca.norm_2(velocity + 1e-9) * velocity
        arm = ca.DM([car.body.ahead, 0.0, car.body.height])
        force[OMEGA] += wrench[:3] + ca.cross(arm, air)
        force[VELOCITY] += wrench[3:] + air
        v_dot = tree.factors(M).solve(force).x
        seen = Seen(
            v_dot, ca.vertcat(*(w.load for w in wheels)), ca.vertcat(*(w.slip for w in wheels)),
            ca.vertcat(*(w.lengthwise for w in wheels)), wheels[0].kingpin + wheels[1].kingpin, engine, touch,
        )  # fmt: skip
        bent = ca.vertcat(*(ca.vertcat(*w.rate) for w in wheels))
        rate = ca.vertcat(v_dot, bent, spin, (engine - pump) / car.engine.inertia)
        return rate, ca.vertcat(*(ca.vertcat(*w.peak) for w in wheels)), seen

    def _driven(self, motion: Motion, demand: Demand, spin: Expr) -> tuple[Expr, Expr, Expr]:
        """(4,) torques on the wheels; those of the engine and the converter's pump."""
        car = self.car
        shares = [car.axles[AXLE[k]].drive / 2 for k in range(4)]
        turbine = demand.ratio * sum((share * spin[k] for k, share in enumerate(shares)), SX(0))
        found = torques(car.engine, motion.engine, turbine, demand.throttle, demand.coupled)
        efficiency = car.engine.efficiency
        lost = ca.if_else(found.turbine > 0, efficiency, 1 / efficiency)  # losses brake in both directions
        through = demand.ratio * found.turbine * lost
        wheels = []
        for k, share in enumerate(shares):
            lock = car.engine.lock / 2 if share else 0.0
            wheels.append(share * through - lock * (spin[k] - spin[k ^ 1]))
        return ca.vertcat(*wheels), found.engine, found.pump

    def _wheel(
        self, k: int, state: Any, motion: Motion, demand: Demand, hills: Hills, bump: Bump, unders: Under
    ) -> Wheel:
        """Contact of a wheel with the ground, taken as the tangent plane below its centre."""
        car, tyre = self.car, self.car.tyre
        at = state.point(self.chassis.carrier(k), self.chassis.middle(k))
        under = Under.of(unders.column[k, :].T)
        ground = ground_at(hills, bump, under, at.p[0], at.p[1])
        n = ca.vertcat(-ground.zx, -ground.zy, 1) / ca.sqrt(1 + ground.zx**2 + ground.zy**2)
        axle = at.R[:, 1]
        lean = ca.dot(n, axle)
        ahead = ca.cross(axle, n) / ca.sqrt(ca.fmax(1 - lean**2, 1e-4))
        left = ca.cross(n, ahead)
        distance = (at.p[2] - ground.z) * n[2]
        depth = tyre.radius * ca.sqrt(ca.fmax(1 - lean**2, 1e-4)) - distance
        omega, v = at.velocity[:3], at.velocity[3:]
        load = tyres.vertical(tyre, depth, -ca.dot(n, v))
        arm = -distance * n
        slides = v + ca.cross(omega, arm)
        radius = tyre.radius - ca.fmin(ca.fmax(depth, 0.0), tyre.radius / 2) / 3  # Rill 2012, eq. 3.34
        rolls = radius * motion.v[SPIN_V][k]
        sliding = ca.dot(ahead, slides) - rolls, ca.dot(left, slides)
        found = tyres.contact(tyre, load, under.grip, sliding, ca.fabs(rolls), motion.bent[2 * k : 2 * k + 2])
        force = load * n + found.force[0] * ahead + found.force[1] * left
        back = tyres.trail(tyre, found.slip) * ca.tanh(rolls / 0.5)
        moment = ca.cross(arm, force) - back * found.force[1] * n
        # the lever arm of the longitudinal force is the rolling radius, not the height of the centre
        resist = -tyre.rolling * under.soft * load * tyre.radius * ca.tanh(rolls / 0.1)
        spin = resist + found.force[0] * (distance - radius)
        pivot = moment - car.steering.trail * ca.cross(ahead, force) if AXLE[k] == FRONT else SX(3, 1)
        lengthwise = -sliding[0] / ca.fmax(ca.fmax(ca.fabs(rolls), ca.fabs(ca.dot(ahead, slides))), 0.5)
        return Wheel(
            ca.vertcat(moment, force), found.rate, found.peak, load, found.slip, lengthwise, spin,
            ca.dot(at.R[:, 2], pivot),
        )  # fmt: skip


STATE = (Motion.port("motion"), Demand.port("demand"))
SURFACE = (Hills.port("hills"), Bump.port("bump"), Under.port("unders", "ground under each wheel", rows=4))

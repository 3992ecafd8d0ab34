"""Parts of a car as data that checks itself; docs/drive.md describes the keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import final

from motionbase.errors import ModelError

Vector = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]
LEAST, MOST = 1e-9, 1e9  # no number of a car in SI units is beyond


def positive(owner: str, values: object, *names: str) -> None:
    """Check that numbers are above 0 and of a size that a car can have."""
    for name in names:
        if not LEAST < (value := getattr(values, name)) < MOST:
            wanted = "above 0" if value <= 0 else f"between {LEAST:g} and {MOST:g}"
            raise ModelError(f"{owner}: {name} is {value:g}, it must be {wanted}")


def not_negative(owner: str, values: object, *names: str) -> None:
    """Check that numbers are 0 or positive, and of a size that a car can have."""
    for name in names:
        if not 0 <= (value := getattr(values, name)) < MOST:
            wanted = "0 or more" if value < 0 else f"below {MOST:g}"
            raise ModelError(f"{owner}: {name} is {value:g}, it must be {wanted}")


@final
@dataclass(frozen=True)
class BodyShell:
    """Everything the springs carry, with the driver.

    Attributes:
        mass: [kg]
        inertia: about roll, pitch and yaw axis through the centre of mass [kg m^2]
        ahead: centre of mass ahead of the middle between the axles [m]
        height: of the centre of mass above the road [m]
        drag_area: drag coefficient times frontal area [m^2]
        eye: of the driver, from the point on the road between the axles [m]
        size: length, width, height of the shell [m]
        clearance: height of its bottom above the road [m]
    """

    mass: float
    inertia: Vector
    ahead: float
    height: float
    drag_area: float
    eye: Vector
    size: Vector
    clearance: float

    def __post_init__(self) -> None:
        positive("body", self, "mass", "height", "clearance")
        not_negative("body", self, "drag_area")
        if min(self.inertia) <= 0 or min(self.size) <= 0:
            raise ModelError("body: inertia and size must be above 0")
        if max(map(abs, (*self.inertia, *self.size, *self.eye))) > MOST:
            raise ModelError(f"body: the numbers of inertia, size and eye must be below {MOST:g}")
        if 2 * max(self.inertia) > sum(self.inertia):
            raise ModelError(
                "body: no body has this inertia: the largest of the three is more than the other two together"
            )


@final
@dataclass(frozen=True)
class Axle:
    """Two wheels on springs; spring, damper and stops act along the travel of a wheel.

    Attributes:
        track: distance of the wheels [m]
        hub_mass: of what moves with a wheel without spinning [kg]
        wheel_mass: [kg]
        spin_inertia: of a wheel about its axle, with what turns with it [kg m^2]
        spring: [N/m]
        bump, rebound: damping while the wheel moves up, and down [N s/m]
        anti_roll: force on each wheel per difference of the travels [N/m]
        roll_centre: height above the road [m]
        up, down: free travel before a stop [m]
        stop: force over the square of the travel beyond it [N/m^2]
        brake: largest torque on each wheel [N m]
        hand_brake: the same of the hand brake [N m]
        drive: share of the engine's torque
    """

    track: float
    hub_mass: float
    wheel_mass: float
    spin_inertia: float
    spring: float
    bump: float
    rebound: float
    anti_roll: float
    roll_centre: float
    up: float
    down: float
    stop: float
    brake: float
    drive: float
    hand_brake: float = 0.0

    def __post_init__(self) -> None:
        positive("axle", self, "track", "hub_mass", "wheel_mass", "spin_inertia", "spring", "up", "down", "stop")
        not_negative("axle", self, "bump", "rebound", "anti_roll", "brake", "hand_brake", "drive")
        if not abs(self.roll_centre) < self.track / 2:
            raise ModelError(
                f"axle: roll_centre is {self.roll_centre:g} m, it must be within half the track, {self.track / 2:g} m"
            )

    @property
    def unsprung(self) -> float:
        """Mass of a wheel and its hub [kg]."""
        return self.hub_mass + self.wheel_mass


@final
@dataclass(frozen=True)
class Tyre:
    """A tyre by the Magic Formula; see `tyre.py` for the equations.

    Attributes:
        radius: without load [m]
        stiffness: vertical [N/m]
        damping: vertical, at the nominal load [N s/m]
        load: nominal load [N]
        grip_x, grip_y: largest force over load, at the nominal load
        grip_drop: share of it that is lost at twice the load
        slip_stiffness: longitudinal force over slip and load, at small slip
        cornering: largest cornering stiffness over the nominal load [1/rad]
        cornering_load: load at which it has that, over the nominal one
        shape, curvature: C and E of the Magic Formula
        relaxation_x, relaxation_y: relaxation lengths [m]
        trail: pneumatic trail at small slip [m]
        rolling: resistance over load
    """

    radius: float
    stiffness: float
    damping: float
    load: float
    grip_x: float
    grip_y: float
    grip_drop: float
    slip_stiffness: float
    cornering: float
    cornering_load: float
    shape: float
    curvature: float
    relaxation_x: float
    relaxation_y: float
    trail: float
    rolling: float

    def __post_init__(self) -> None:
        positive(
            "tyre", self, "radius", "stiffness", "load", "grip_x", "grip_y", "slip_stiffness", "cornering",
            "cornering_load", "relaxation_x", "relaxation_y",
        )  # fmt: skip
        not_negative("tyre", self, "damping", "grip_drop", "trail", "rolling")
        if not 1 <= self.shape <= 1.9 or not -5 <= self.curvature <= 1:
            raise ModelError(f"tyre: shape is {self.shape:g} and curvature {self.curvature:g}, they must be 1 to 1.9 "
                             "and -5 to 1")  # fmt: skip
        if not self.grip_drop < 0.5:
            raise ModelError(f"tyre: grip_drop is {self.grip_drop:g}, it must be below 0.5")


@final
@dataclass(frozen=True)
class Steering:
    """Front wheels that turn about upright kingpins, held by a rack.

    Attributes:
        lock: largest angle of the wheels [rad]
        stiffness, damping: of the rack and its bearings, about each kingpin [N m/rad, N m s/rad]
        trail: of the wheel's centre behind the kingpin [m]
        ackermann: 1: both wheels turn about one point, 0: they are parallel
    """

    lock: float
    stiffness: float
    damping: float
    trail: float
    ackermann: float

    def __post_init__(self) -> None:
        positive("steering", self, "lock", "stiffness")
        not_negative("steering", self, "damping", "trail", "ackermann")
        if self.lock > 0.8 or self.ackermann > 1:
            raise ModelError(
                f"steering: lock is {self.lock:g} rad and ackermann {self.ackermann:g}; at most 0.8 rad and 1"
            )


@final
@dataclass(frozen=True)
class Engine:
    """Engine, converter and gears.

    Attributes:
        rpm, torque: points of the torque at full throttle [1/min, N m], between which it is linear
        drag: torque without fuel, at the highest speed [N m]
        idle, most: speeds [1/min]
        inertia: of everything that turns with the engine [kg m^2]
        stall: engine speed at full throttle with the wheels held [1/min]
        multiplies: torque ratio of the converter with the wheels held
        gears: ratios, the shortest first; final: ratio of the final drive; reverse: in place of a gear
        efficiency: of gears and shafts
        up, down: shift speeds at full throttle [1/min]; 45 % of these without throttle
        lock: viscous lock of the differentials [N m s/rad]
        cylinders: for its vibration
        vibration: acceleration at the driver's seat at full torque [m/s^2]
        abs: whether the brakes have ABS
    """

    rpm: Six
    torque: Six
    drag: float
    idle: float
    most: float
    inertia: float
    stall: float
    multiplies: float
    gears: Six
    final: float
    reverse: float
    efficiency: float
    up: float
    down: float
    lock: float
    cylinders: int
    vibration: float
    abs: bool = True

    def __post_init__(self) -> None:
        positive("engine", self, "idle", "most", "inertia", "stall", "multiplies", "final", "reverse", "efficiency")
        positive("engine", self, "up", "down", "cylinders")
        not_negative("engine", self, "drag", "lock", "vibration")
        if max(*self.torque, *self.rpm, *self.gears) > MOST:
            raise ModelError(f"engine: rpm, torque and gears must be below {MOST:g}")
        if any(b <= a for a, b in zip(self.rpm, self.rpm[1:], strict=False)) or min(self.torque) <= 0:
            raise ModelError("engine: rpm must rise, and every torque must be above 0")
        if any(b >= a for a, b in zip(self.gears, self.gears[1:], strict=False)) or self.gears[-1] <= 0:
            raise ModelError("engine: ratios of gears must fall, and all must be above 0")
        if self.efficiency > 1 or self.multiplies < 1:
            raise ModelError(
                f"engine: efficiency is {self.efficiency:g}, at most 1; multiplies is {self.multiplies:g}, at least 1"
            )
        if self.down >= self.up or self.idle >= self.most:
            raise ModelError("engine: down must be below up, and idle below most")


@final
@dataclass(frozen=True)
class Look:
    """What the car looks like: colour as #RRGGBB."""

    colour: str

    def __post_init__(self) -> None:
        if not re.fullmatch("#[0-9a-fA-F]{6}", self.colour):
            raise ModelError(f"look: colour is {self.colour!r:.60}, it must be like #2f6fb0")

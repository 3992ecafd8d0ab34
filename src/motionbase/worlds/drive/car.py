"""Cars as data, read from TOML files; docs/drive.md describes the keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import ModelError, UsageError, unknown
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.load import illustrative_keys
from motionbase.platform.table import Table
from motionbase.record.vehicle import G
from motionbase.worlds.drive.driveline import COUPLED, RPM
from motionbase.worlds.drive.parts import Axle, BodyShell, Engine, Look, Steering, Tyre, positive

FOLDER = Path(__file__).parent / "cars"
FRONT, REAR = 0, 1
FASTEST = 700.0  # [rad/s] fastest oscillation that the inner steps can integrate: two steps per radian
PARTS = ("body", "front", "rear", "tyre", "steering", "engine", "look")


@final
@dataclass(frozen=True)
class Car:
    """A car.

    Attributes:
        summary, sources, illustrative: description, sources of the numbers, keys whose values are not published
        wheelbase: [m]
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    wheelbase: float
    body: BodyShell
    front: Axle
    rear: Axle
    tyre: Tyre
    steering: Steering
    engine: Engine
    look: Look

    def __post_init__(self) -> None:
        positive("the car", self, "wheelbase")
        if not abs(self.body.ahead) < self.wheelbase / 2:
            raise ModelError(f"body: ahead is {self.body.ahead:g} m, the centre of mass must be between the axles")
        if not math.isclose(self.front.drive + self.rear.drive, 1.0):
            raise ModelError(
                f"front: drive is {self.front.drive:g} and that of rear {self.rear.drive:g}; their sum must be 1"
            )
        self._check_step()
        for load in self.loads:
            if load / self.tyre.stiffness > 0.3 * self.tyre.radius:
                raise ModelError(f"tyre: stiffness is {self.tyre.stiffness:g} N/m, too soft for the load {load:.0f} N")

    def _check_step(self) -> None:
        """Refuse a car that is too stiff for the inner steps."""
        tyre, hub = self.tyre, min(self.axles, key=lambda axle: axle.unsprung)
        along = tyre.slip_stiffness * tyre.load / tyre.relaxation_x
        across = tyre.cornering * tyre.load / tyre.relaxation_y
        spin = min(axle.spin_inertia for axle in self.axles)
        pivot = self.front.hub_mass * 0.01 + self.front.spin_inertia / 2
        for what, omega in (
            (
                "tyre: stiffness, spring and anti_roll on the wheel's mass",
                max(math.sqrt((tyre.stiffness + a.spring + 2 * a.anti_roll) / a.unsprung) for a in self.axles),
            ),
            ("tyre: slip_stiffness over relaxation_x on spin_inertia", tyre.radius * math.sqrt(along / spin)),
            ("tyre: cornering over relaxation_y on the wheel's mass", math.sqrt(across / hub.unsprung)),
            ("tyre: damping on the wheel's mass", tyre.damping / hub.unsprung),
            ("steering: stiffness on the inertia of hub and wheel", math.sqrt(self.steering.stiffness / pivot)),
            ("steering: damping on the inertia of hub and wheel", self.steering.damping / pivot),
            ("engine: lock on spin_inertia", self.engine.lock / spin),
            ("engine: the converter's torque at its stall speed on inertia", self._converter_rate),
            ("axle: damper on the wheel's mass", max(max(a.bump, a.rebound) / a.unsprung for a in self.axles)),
        ):
            if omega > FASTEST:
                raise ModelError(f"{what} gives {omega:.4g} rad/s, the step allows {FASTEST:.0f} rad/s")

    @property
    def _converter_rate(self) -> float:
        """Fastest rate at which the converter changes the speed of the engine [rad/s]."""
        engine = self.engine
        stall, most = engine.stall * RPM, max(engine.most, engine.stall) * RPM
        return max(engine.torque) / stall**2 * most / (1 - COUPLED) / engine.inertia

    @property
    def axles(self) -> tuple[Axle, Axle]:
        """Front and rear."""
        return self.front, self.rear

    @property
    def mass(self) -> float:
        """Of the whole car [kg]."""
        return self.body.mass + 2 * sum(axle.unsprung for axle in self.axles)

    @property
    def carried(self) -> tuple[float, float]:
        """Weight of the body on a front and on a rear wheel [N]."""
        to_rear = 0.5 - self.body.ahead / self.wheelbase
        weight = self.body.mass * G / 2
        return weight * (1 - to_rear), weight * to_rear

    @property
    def loads(self) -> tuple[float, float]:
        """Of a front and of a rear wheel at rest on level ground [N]."""
        front, rear = (on + axle.unsprung * G for on, axle in zip(self.carried, self.axles, strict=True))
        return front, rear

    @property
    def axle_x(self) -> tuple[float, float]:
        """Places of the axles along the car [m]."""
        return self.wheelbase / 2, -self.wheelbase / 2


def car_names() -> dict[str, str]:
    """Cars that come with the package, each with a line for people; the first is the default."""
    return {
        "hatchback": "a compact car with front wheel drive",
        "van": "a tall van with soft springs and rear wheel drive",
        "sports": "a low two-seater with rear wheel drive",
    }


def load_car(reference: str) -> Car:
    """The car of that name, or in that TOML file; errors name the file, the line and the key."""
    known = reference in car_names()
    if not known and not reference.lower().endswith(".toml"):
        raise unknown("car", reference, [*car_names(), "a .toml file"])
    path = FOLDER / f"{reference}.toml" if known else Path(reference)
    try:
        source = TomlSource.read(path)
        return _car(Table(source, (), source.data), path.stem)
    except ModelError as e:
        raise UsageError(str(e)) from None


def _car(top: Table, name: str) -> Car:
    needed = ("summary", "sources", "illustrative", "wheelbase", *PARTS)
    top.check_keys(needed, needed)
    return top.made(
        Car, name=name, summary=top.text("summary"), sources=top.texts("sources"),
        illustrative=illustrative_keys(top), wheelbase=top.number("wheelbase"), body=top.table("body").part(BodyShell),
        front=top.table("front").part(Axle), rear=top.table("rear").part(Axle), tyre=top.table("tyre").part(Tyre),
        steering=top.table("steering").part(Steering), engine=top.table("engine").part(Engine),
        look=top.table("look").part(Look),
    )  # fmt: skip

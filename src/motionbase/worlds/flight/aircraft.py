"""Aircraft by name: which model of JSBSim, at which speeds it is flown, how an autopilot moves its controls.

Speeds, flap settings and gains were found by flying the models here; they are no manual of the real aircraft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

FOOT, INCH, KNOT = 0.3048, 0.0254, 1852 / 3600  # [m], [m], [m/s]


@final
@dataclass(frozen=True)
class Speeds:
    """Calibrated airspeeds [m/s].

    Attributes:
        rotate: the nose is lifted
        climb: with flaps of the take-off
        circuit: level round the field
        cruise: of a start in the air
        approach: with landing flaps and gear down
    """

    rotate: float
    climb: float
    circuit: float
    cruise: float
    approach: float


@final
@dataclass(frozen=True)
class Gains:
    """Of the autopilot, at the speed of the circuit; they fall with dynamic pressure, as controls get stronger.

    Attributes:
        pitch: elevator for an error of pitch [1/rad]
        pitch_rate: elevator against pitch rate [s/rad]
        bank, bank_rate: the same of ailerons
        throttle: for an error of speed [s/m]
    """

    pitch: float
    pitch_rate: float
    bank: float
    bank_rate: float
    throttle: float = 0.06


@final
@dataclass(frozen=True)
class Shaking:
    """Vibration at the pilot's seat, rms [m/s^2] at full strength; all of it is illustrative.

    Attributes:
        engine: at full speed
        orders: vibration per turn of the engine, each with its share
        stall, stall_alpha: buffet, and the angle of attack where it is full [rad]
        flaps: at the speed of the approach
        mach, mach_number: buffet, and where it begins
        rumble: of wheels at the speed of the approach
    """

    engine: float
    orders: tuple[tuple[float, float], ...]
    stall: float
    stall_alpha: float
    flaps: float
    mach: float
    mach_number: float
    rumble: float


@final
@dataclass(frozen=True)
class Aircraft:
    """Attributes:
    model: of JSBSim
    point: the aircraft's own point, near its centre of mass, in the model's structural axes: aft, right, up [inch]
    eye: of the pilot, in the same axes [inch]
    flaps: of take-off and landing, 0 to 1
    retracts: the gear
    climb_pitch: of rotation and initial climb, nose up [rad]
    flare: height where it begins, over the sink rate [s]
    flare_pitch: attitude at the end of the flare, nose up [rad]
    tall: height of the own point over the runway on its wheels [m]
    throttles: of a level cruise, and of an approach in a steady descent; where the lever is as such a flight begins
    airborne: after which a scripted take-off is 15 m over the runway [s]
    engines: how many
    propeller: engines are pistons with propellers; jets else
    elevator: property of its deflection
    settings: of the model, by name of the property
    """

    name: str
    text: str
    model: str
    point: tuple[float, float, float]
    eye: tuple[float, float, float]
    speeds: Speeds
    gains: Gains
    shaking: Shaking
    flaps: tuple[float, float]
    retracts: bool
    climb_pitch: float
    flare: float
    flare_pitch: float
    tall: float
    throttles: tuple[float, float]
    airborne: float
    engines: int
    propeller: bool
    elevator: str = "fcs/elevator-pos-rad"
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its name, for people."""
        return self.text.partition(",")[0]

    def to_body(self, place: tuple[float, float, float]) -> tuple[float, float, float]:
        """A place of structural axes [inch] in axes of the vehicle, from its own point [m]."""
        x, y, z = (INCH * (a - b) for a, b in zip(place, self.point, strict=True))
        return -x, -y, z


_C172 = Aircraft(
    "c172x", "Cessna 172, four seats and one propeller", "c172x", (43.0, 0.0, 36.0), (37.0, -12.0, 48.0),
    Speeds(55 * KNOT, 75 * KNOT, 90 * KNOT, 100 * KNOT, 65 * KNOT),
    Gains(4.0, 0.9, 1.2, 0.4),
    Shaking(0.25, ((0.5, 0.5), (1.0, 0.85)), 1.2, 0.28, 0.15, 0.0, 0.9, 0.35),
    (0.0, 1.0), False, 0.12, 2.5, 0.10, 1.336, (0.74, 0.48), 26.0, 1, True, settings={
     "inertia/pointmass-weight-lbs[4]": 0.0, "inertia/pointmass-weight-lbs[5]": 0.0,
     "inertia/pointmass-weight-lbs[1]": 190.0, "inertia/pointmass-weight-lbs[2]": 0.0,
     "inertia/pointmass-weight-lbs[3]": 0.0},
)  # fmt: skip
_B737 = Aircraft(
    "737", "Boeing 737, an airliner with two jet engines", "737", (612.0, 0.0, -36.0), (80.0, -30.0, 70.0),
    Speeds(140 * KNOT, 165 * KNOT, 200 * KNOT, 250 * KNOT, 140 * KNOT),
    Gains(3.5, 2.2, 1.2, 1.2, 0.04),
    Shaking(0.04, (), 0.9, 0.24, 0.15, 0.6, 0.78, 0.3),
    (0.25, 0.75), True, 0.20, 4.5, 0.07, 1.101, (0.52, 0.45), 37.0, 2, False,
)  # fmt: skip
_F16 = Aircraft(
    "f16", "F-16, a fighter with its flight control computer", "f16", (-192.0, 0.0, -4.0), (-336.2, 0.0, 29.5),
    Speeds(140 * KNOT, 250 * KNOT, 250 * KNOT, 350 * KNOT, 150 * KNOT),
    Gains(2.0, 0.4, 0.7, 0.1, 0.03),
    Shaking(0.06, (), 1.5, 0.42, 0.1, 0.5, 0.92, 0.4),
    (0.0, 0.0), True, 0.20, 5.0, 0.20, 1.65, (0.25, 0.18), 11.5, 1, False, "fcs/dht-left-pos-rad",
)  # fmt: skip

AIRCRAFT = {one.name: one for one in (_C172, _B737, _F16)}

"""Aircraft by name: their JSBSim model, the speeds at which they are flown, and the gains of the autopilot.

Speeds, flap settings and gains were found by flying the models here; they do not come from any aircraft manual.
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
        rotate: at which the nose is raised
        climb: with take-off flaps
        circuit: level, around the airfield
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
    """Gains of the autopilot at circuit speed; they are scaled with 1 / dynamic pressure.

    Attributes:
        pitch: elevator per pitch error [1/rad]
        pitch_rate: elevator per pitch rate error [s/rad]
        bank, bank_rate: the same for the ailerons
        throttle: throttle per speed error [s/m]
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
        engine: at full engine speed
        orders: orders of the engine speed, each with its share of the vibration
        stall, stall_alpha: stall buffet, and the angle of attack at which it is full [rad]
        flaps: buffet of flaps and gear at approach speed
        mach, mach_number: Mach buffet, and the Mach number at which it starts
        rumble: of the wheels at approach speed
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
    model: name of the JSBSim model
    point: the aircraft's own point, near its centre of mass, in the model's structural axes: aft, right, up [inch]
    eye: of the pilot, in the same axes [inch]
    flaps: for take-off and for landing, 0 to 1
    retracts: whether the gear can be retracted
    climb_pitch: of rotation and initial climb, nose up [rad]
    flare: height at which the flare starts, over the sink rate [s]
    flare_pitch: attitude at the end of the flare, nose up [rad]
    tall: height of the own point above the runway, standing on the wheels [m]
    throttles: trimmed throttle in level cruise and on the approach; where the lever is in a start in the air
    airborne: time at which a scripted take-off is 15 m above the runway [s]
    ceiling: largest height at which it flies level at cruise speed [m]
    engines: their number
    propeller: piston engines with propellers; otherwise jets
    elevator: JSBSim property of the elevator deflection
    settings: JSBSim properties to set, by name
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
    ceiling: float
    engines: int
    propeller: bool
    elevator: str = "fcs/elevator-pos-rad"
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its short name, for people."""
        return self.text.partition(",")[0]

    def to_body(self, place: tuple[float, float, float]) -> tuple[float, float, float]:
        """From structural axes [inch] to axes of the vehicle, from its own point [m]."""
        x, y, z = (INCH * (a - b) for a, b in zip(place, self.point, strict=True))
        return -x, -y, z


_C172 = Aircraft(
    "c172x", "Cessna 172, four seats and one propeller", "c172x", (43.0, 0.0, 36.0), (37.0, -12.0, 48.0),
    Speeds(55 * KNOT, 75 * KNOT, 90 * KNOT, 100 * KNOT, 65 * KNOT),
    Gains(4.0, 0.9, 1.2, 0.4),
    Shaking(0.25, ((0.5, 0.5), (1.0, 0.85)), 1.2, 0.28, 0.15, 0.0, 0.9, 0.35),
    (0.0, 1.0), False, 0.12, 2.5, 0.10, 1.336, (0.74, 0.48), 26.0, 4000.0, 1, True, settings={
     "inertia/pointmass-weight-lbs[4]": 0.0, "inertia/pointmass-weight-lbs[5]": 0.0,
     "inertia/pointmass-weight-lbs[1]": 190.0, "inertia/pointmass-weight-lbs[2]": 0.0,
     "inertia/pointmass-weight-lbs[3]": 0.0},
)  # fmt: skip
_B737 = Aircraft(
    "737", "Boeing 737, an airliner with two jet engines", "737", (612.0, 0.0, -36.0), (80.0, -30.0, 70.0),
    Speeds(140 * KNOT, 165 * KNOT, 200 * KNOT, 250 * KNOT, 140 * KNOT),
    Gains(3.5, 2.2, 1.2, 1.2, 0.04),
    Shaking(0.04, (), 0.9, 0.24, 0.15, 0.6, 0.78, 0.3),
    (0.25, 0.75), True, 0.20, 4.5, 0.07, 1.101, (0.52, 0.45), 37.0, 5000.0, 2, False,
)  # fmt: skip
_F16 = Aircraft(
    "f16", "F-16, a fighter with its flight control computer", "f16", (-192.0, 0.0, -4.0), (-336.2, 0.0, 29.5),
    Speeds(140 * KNOT, 250 * KNOT, 250 * KNOT, 350 * KNOT, 150 * KNOT),
    Gains(2.0, 0.4, 0.7, 0.1, 0.03),
    Shaking(0.06, (), 1.5, 0.42, 0.1, 0.5, 0.92, 0.4),
    (0.0, 0.0), True, 0.20, 5.0, 0.20, 1.65, (0.25, 0.18), 11.5, 5000.0, 1, False, "fcs/dht-left-pos-rad",
)  # fmt: skip

AIRCRAFT = {one.name: one for one in (_C172, _B737, _F16)}

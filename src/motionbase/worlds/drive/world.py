"""The world of a car on a road, as a `World` of kind drive."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import final

from motionbase.record.schema import Channel
from motionbase.record.vehicle import G
from motionbase.worlds.drive.car import Car
from motionbase.worlds.drive.chassis import SPIN_Q, STEER_Q, TRAVEL_Q, WHEELS
from motionbase.worlds.drive.driver import brake, lap, slalom, tour
from motionbase.worlds.drive.scene import scene_of
from motionbase.worlds.drive.simulation import DT, Simulation
from motionbase.worlds.drive.surface import Surface
from motionbase.worlds.fade import Fade, turned
from motionbase.worlds.felt import felt
from motionbase.worlds.world import Control, Scene, Script

CONTROLS = (
    Control("steer", "steering: to the left is positive", keys=("ArrowRight", "ArrowLeft"), axis=0, turned=True,
            seconds=1.2),
    Control("throttle", "throttle; in reverse the brake", least=0.0, keys=(None, "ArrowUp"), buttons=(None, 7),
            seconds=0.5),
    Control("brake", "brake; at a standstill reverse", least=0.0, keys=(None, "ArrowDown"), buttons=(None, 6),
            seconds=0.35),
    Control("handbrake", "hand brake", least=0.0, keys=(None, "Space"), buttons=(None, 0), seconds=0.25),
)  # fmt: skip
CORNERS = dict(zip(WHEELS, ("front left", "front right", "rear left", "rear right"), strict=True))
CHANNELS = (
    Channel("control_steer", "-", "steering, 1 full to the left", "controls"),
    Channel("control_throttle", "-", "throttle, 1 full", "controls"),
    Channel("control_brake", "-", "brake, 1 full", "controls"),
    Channel("control_handbrake", "-", "hand brake, 1 full", "controls"),
    Channel("car_speed", "m/s", "forward speed", "car"),
    Channel("car_slip_angle", "rad", "sideslip angle at the car's own point, positive left", "car"),
    Channel("car_rpm", "1/min", "speed of the engine", "car"),
    Channel("car_torque", "N m", "torque of the engine", "car"),
    Channel("car_gear", "-", "gear; -1 in reverse", "car"),
    Channel("car_abs", "-", "1 while the ABS acts", "car"),
    Channel("car_steer_torque", "N m", "torque of the tyres about the kingpins, to the left", "car"),
    Channel("road_way", "m", "distance along the road", "car"),
    Channel("road_offset", "m", "offset from the centre line of the road, to the left", "car"),
    *(Channel(f"wheel_travel_{w}", "m", f"travel of the wheel {CORNERS[w]}, up", "wheels") for w in WHEELS),
    *(Channel(f"wheel_angle_{w}", "rad", f"steering angle of the wheel {CORNERS[w]}", "wheels") for w in WHEELS[:2]),
    *(Channel(f"wheel_spin_{w}", "rad", f"angle of rotation of the wheel {CORNERS[w]}", "wheels") for w in WHEELS),
    *(Channel(f"wheel_load_{w}", "N", f"load of the tyre {CORNERS[w]}", "wheels") for w in WHEELS),
    *(Channel(f"wheel_slip_{w}", "-", f"longitudinal slip, wheel {CORNERS[w]}, -1 locked", "wheels") for w in WHEELS),
)  # fmt: skip
AUDIBLE = 45.0, 70.0  # [Hz] between which the engine's vibration fades out: too fast for a platform
IDLE_SHARE = 0.3  # of the vibration at full torque; illustrative
OVERTURNED_S, RETURN_S = 3.0, 2.0  # after which an overturned car is put back, and duration of the cross-fade


@final
class DriveWorld:
    """A car on a road.

    Args:
        surface: makes the surface when it is first needed
        speed: at the start [m/s]
        assisted: whether the steering lock depends on speed
    """

    kind = "drive"
    dt = DT
    controls = CONTROLS
    channels = CHANNELS
    cueing = "drive"

    def __init__(
        self, car: Car, name: str, surface: Callable[[], Surface], speed: float = 0.0, assisted: bool = True
    ) -> None:
        self.car, self.name = car, name
        self._made_surface, self._speed, self._assisted = surface, speed, assisted
        self._simulation: Simulation | None = None
        makers = {"tour": tour, "lap": lap, "slalom": slalom, "brake": brake}
        self.scripts: Mapping[str, Callable[[], Script]] = {
            key: partial(self._script, make) for key, make in makers.items()
        }

    def _script(self, make: Callable[[Simulation], Script]) -> Script:
        return make(self.simulation)

    @property
    def simulation(self) -> Simulation:
        """The simulation; the car is compiled when this is first asked for."""
        if self._simulation is None:
            self._simulation = Simulation(self.car, self._made_surface(), self._speed, self._assisted)
        return self._simulation

    def reset(self) -> None:
        """Start again, at time 0."""
        self._ticks, self._phase, self._lies = 0, 0.0, 0.0
        self._fade: Fade | None = None
        self._held: tuple[float, ...] = tuple(c.rest for c in CONTROLS)
        self.simulation.reset()
        self._row = self._felt()

    def step(self, controls: Sequence[float]) -> None:
        """Advance by one period with these controls."""
        simulation = self.simulation
        simulation.step(controls)
        self._held = tuple(simulation.pedals)
        self._ticks += 1
        self._watch(simulation)
        self._row = self._faded(self._felt())

    def _watch(self, simulation: Simulation) -> None:
        """Put the car back on the road if it lies on its side or roof, or if its motion is not sound."""
        lies = simulation.up < 0.5 and abs(simulation.v[3]) < 1.0
        self._lies = self._lies + DT if lies else 0.0
        if self._lies > OVERTURNED_S or not simulation.is_sound:
            self._fade, self._lies = Fade(self._row, RETURN_S), 0.0
            simulation.put_back()

    def _faded(self, row: tuple[float, ...]) -> tuple[float, ...]:
        """Cross-fade from the row before the car was put back."""
        if self._fade is None:
            return row
        if not self._fade.step(DT):
            self._fade = None
            return row
        return self._fade.row(turned(row, self._fade.begin))

    def _felt(self) -> tuple[float, ...]:
        simulation = self.simulation
        v, seen = simulation.v, simulation.seen
        load = float(seen["load"].sum()) + float(seen["touch"].item())
        row = felt(
            simulation.angles, v[0:3].tolist(), seen["v_dot"][0:3].tolist(), simulation.acceleration,
            self.car.body.eye, load > 0.1 * self.car.mass * G,
        )  # fmt: skip
        return (*row[:2], row[2] + self._vibration(), *row[3:])

    def _vibration(self) -> float:
        """Vertical vibration of a four-stroke engine: each cylinder fires every second turn [m/s^2]."""
        engine = self.car.engine
        frequency = self.simulation.rpm / 60 * engine.cylinders / 2
        self._phase = (self._phase + 2 * math.pi * frequency * DT) % (2 * math.pi)
        low, high = AUDIBLE
        fade = max(0.0, min(1.0, (high - frequency) / (high - low)))
        torque = abs(float(self.simulation.seen["torque"].item())) / max(engine.torque)
        return engine.vibration * (IDLE_SHARE + (1 - IDLE_SHARE) * torque) * fade * math.sin(self._phase)

    @property
    def t(self) -> float:
        """Time of the world [s]."""
        return self._ticks * DT

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What the driver feels."""
        return self._row

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude and velocity of the point on the road in the middle between the axles."""
        simulation = self.simulation
        return (*simulation.q[:7].tolist(), *simulation.velocity)

    @property
    def told(self) -> tuple[float, ...]:
        """Values of its own channels."""
        s = self.simulation
        v, q, seen = s.v, s.q, s.seen
        ahead, left = float(v[3]), float(v[4])
        slip = math.atan2(left, abs(ahead)) if abs(ahead) > 0.5 else 0.0
        return (
            *self._held, ahead, slip, s.rpm, float(seen["torque"].item()), float(s.gearbox.gear),
            float(s.brakes.works), float(seen["steer"].item()), s.foot.s, s.foot.across, *q[TRAVEL_Q].tolist(),
            *q[STEER_Q].tolist(), *q[SPIN_Q].tolist(), *seen["load"].tolist(), *seen["lengthwise"].tolist(),
        )  # fmt: skip

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""
        if self._simulation is None:
            return scene_of(self.name, self.car, self._made_surface(), CONTROLS)
        return scene_of(self.name, self.car, self._simulation.surface, CONTROLS)

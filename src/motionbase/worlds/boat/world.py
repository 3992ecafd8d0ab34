"""The world of a boat: a vessel in a sea, steered, felt at her wheel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.vehicle import G
from motionbase.worlds.boat.channels import CHANNELS, CONTROLS, throttle_and_rudder
from motionbase.worlds.boat.sailing import DT, Sailing
from motionbase.worlds.boat.scene import scene_of
from motionbase.worlds.boat.scripts import Leg, scripts_of, tour_of
from motionbase.worlds.boat.step import Body, Seen
from motionbase.worlds.boat.traffic.among import Among
from motionbase.worlds.boat.traffic.scene import objects_of
from motionbase.worlds.boat.traffic.sets import NOTHING, TrafficSet
from motionbase.worlds.boat.vessel import Vessel
from motionbase.worlds.felt import angles_of, felt
from motionbase.worlds.sea.choice import ChosenSea
from motionbase.worlds.world import Scene, Script

FULL_TURNS = 12.0  # of a launch's propeller [1/s], for viewers; illustrative
OVER_S = 8.0  # upside down for this long, the boat is righted, as if by a crane
RIGHTED = 0.95  # cosine of the heel at which righting ends
CRANE = 0.6  # righting moment over weight times beam; illustrative


@final
@dataclass(eq=False)
class BoatWorld:
    """A vessel in a sea. Its reference point is amidships on the keel."""

    vessel: Vessel
    sea: ChosenSea
    traffic: TrafficSet = NOTHING
    _over: float = field(default=0.0, init=False)

    kind = "boat"
    dt = DT
    controls = CONTROLS
    channels = CHANNELS
    cueing = "marine"

    def __post_init__(self) -> None:
        self.waves = self.sea.waves(self.vessel.length / 2)
        among = None if self.traffic.is_empty else Among(self.traffic, self.vessel)
        self.sailing = Sailing(self.vessel, self.waves, among=among)
        self.legs: tuple[Leg, ...] = tour_of(self.vessel.planing is not None)
        self.scripts: Mapping[str, Callable[[], Script]] = scripts_of(self, self.legs)

    @property
    def name(self) -> str:
        """Of vessel and sea."""
        return f"{self.vessel.name}, {self.sea.text}"

    def reset(self) -> None:
        """Begin again, at time 0."""
        self.sailing.reset(self.sailing.start(self.vessel.helm.speed))
        self._held, self._propeller, self._over = (0.0, 0.0), 0.0, 0.0
        self.sailing.step(0.0, 0.0)  # gives the acceleration at the start
        self.body("count")[:] = 0

    def step(self, controls: Sequence[float]) -> None:
        """One step with these controls; a value that is not finite counts as 0."""
        throttle, rudder = throttle_and_rudder(controls)
        self._held = throttle, rudder
        self.sailing.push[0] = self._righting()
        self.sailing.step(throttle, rudder)
        turns = FULL_TURNS / self.quickness * self._engine[0]
        self._propeller = math.remainder(self._propeller + 2 * math.pi * turns * DT, 2 * math.pi)

    def _righting(self) -> float:
        """Moment about the vessel's x that rights a boat after `OVER_S` upside down [N m]."""
        _, x, y, _ = self.body("Q_WB").tolist()
        up = 1 - 2 * (x * x + y * y)
        if self._over < OVER_S:
            self._over = self._over + DT if up < 0 else 0.0
            return 0.0
        if up > RIGHTED:
            self._over = 0.0
            return 0.0
        roll, _, _ = self.angles
        beam, rate = self.vessel.beam, float(self.body("V")[0])
        most = CRANE * self.vessel.displacement * G * beam
        return most * max(-1.0, min(1.0, -2.0 * roll - 1.5 * self.quickness * rate))

    def body(self, name: str) -> Array:
        """A quantity of the boat's state; a view."""
        return Body.layout.part(self.sailing.body, name)

    def seen(self, name: str) -> Array:
        """A further output of the step; a view."""
        return Seen.layout.part(self.sailing.seen, name)

    @property
    def t(self) -> float:
        """Time of the world [s]."""
        return float(self.body("count")[0]) * DT

    @property
    def angles(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw [rad]."""
        return angles_of(self.body("Q_WB").tolist())

    @property
    def heading(self) -> float:
        """From x towards y [rad]."""
        return self.angles[2]

    @property
    def turning(self) -> float:
        """Rate of turn about the vessel's z [rad/s]."""
        return float(self.body("V")[2])

    @cached_property
    def quickness(self) -> float:
        """Time scale of the vessel over that of a launch, by Froude's law."""
        return math.sqrt(self.vessel.length / 7.5)

    @property
    def _engine(self) -> tuple[float, float]:
        """Mean revolutions of the propellers over full ahead, angle of outboard or rudder."""
        left, right, angle = self.body("engine").tolist()
        return (left + right) / 2, angle

    @property
    def vehicle(self) -> tuple[float, ...]:
        """What a person at the wheel feels."""
        V, V_dot = self.body("V"), self.body("V_dot")
        acceleration = self.R_WB @ (V_dot[3:] + np.cross(V[:3], V[3:]))
        eye = np.subtract(self.vessel.helm.eye, self.vessel.centre)
        return felt(self.angles, V[:3].tolist(), V_dot[:3].tolist(), acceleration.tolist(), eye.tolist())

    @property
    def R_WB(self) -> Array:
        """(3, 3) attitude."""
        w, x, y, z = self.body("Q_WB").tolist()
        return np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])  # fmt: skip

    @property
    def place(self) -> tuple[float, ...]:
        """(10,) place, attitude and velocity of the reference point."""
        R, V, own = self.R_WB, self.body("V"), -np.array(self.vessel.centre)
        p, v = self.body("p_W") + R @ own, R @ (V[3:] + np.cross(V[:3], own))
        return (*p.tolist(), *self.body("Q_WB").tolist(), *v.tolist())

    @property
    def told(self) -> tuple[float, ...]:
        """Values of the world's channels."""
        weight = self.vessel.displacement * G
        names = ("speed", "thrust", "surface", "wet", "lift")
        speed, thrust, water, wet, lift = (float(self.seen(name)[0]) for name in names)
        turns, angle = self._engine
        contact = float(np.linalg.norm(self.seen("others")[3:]))
        among = self.sailing.among
        buoy = tuple(among.told(name) if among else 0.0 for name in ("buoy", "buoy_x", "buoy_y"))
        return (
            *self._held, speed, self.heading, angle, turns, self._propeller, thrust, water, wet,
            lift / weight, contact, *buoy, 0.0,
        )  # fmt: skip

    @property
    def scene(self) -> Scene:
        """For viewers: docs/worlds.md."""
        made = scene_of(self.name, self.vessel, self.sea, self.waves, self.legs)
        return made | {"objects": objects_of(self.traffic)}

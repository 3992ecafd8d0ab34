"""Eight runs of a cued loop side by side: vehicles move, and the true motion of the platform at a point is observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.omct.algorithm import KEPT_HZ, Vector, Vehicle, on_lanes, samples
from motionbase.cueing.omct.measure import LANES
from motionbase.cueing.omct.planners import Planners
from motionbase.errors import SimulationError
from motionbase.record.faults import Fault
from motionbase.record.states import Mode, State
from motionbase.record.vehicle import G
from motionbase.record.words import told
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_loop import CuedLoop

TOLD = ("vehicle", "vehicle_count")
SEEN = ("state", "fault", "Q_WP_next", "V_P_next", "V_dot_P_next")
IN_THE_AIR = np.array([0.0, 0.0, G, *(0.0,) * 10])
DRIVE_SOON = 60.0  # [s] within which a base is in drive
PIECE_S = 1.0


class Seen(NamedTuple):
    """A piece of the runs.

    Attributes:
        t: (n,) time since the vehicles began to move [s]
        V: (n, 6, lanes) angular velocity and velocity of P; V_dot: their derivatives; in axes of P
        Q: (n, 4, lanes) attitude
    """

    t: Array
    V: Array
    V_dot: Array
    Q: Array

    def felt_at(self, r: Vector) -> Array:
        """(n, 6, lanes) specific force and angular rate at a point r of P, in axes of P."""
        omega, v, alpha, v_dot = self.V[:, :3], self.V[:, 3:], self.V_dot[:, :3], self.V_dot[:, 3:]
        arm = np.broadcast_to(np.asarray(r)[:, None], omega.shape)
        about = _cross(alpha, arm) + _cross(omega, _cross(omega, arm))
        return np.concatenate([v_dot + _cross(omega, v) + about + G * self._up, omega], axis=1)

    def acceleration_at(self, r: Vector) -> Array:
        """(n, 3, lanes) acceleration of a point r of P, in axes of P."""
        return np.asarray(self.felt_at(r)[:, :3] - G * self._up)

    @property
    def _up(self) -> Array:
        w, x, y, z = self.Q[:, 0], self.Q[:, 1], self.Q[:, 2], self.Q[:, 3]
        return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


@final
@dataclass(frozen=True, eq=False)
class CuedLanes:
    """A cued loop on all lanes, from rest to drive and on.

    Attributes:
        cueing: that of the loop
        host_rate: samples of the vehicle a second
        inputs: (..., lanes) values of inputs of the loop that are not as in `quiet_inputs`, such as `seed`
        every: ticks between rows that are kept; 200 a second by default
    """

    loop: CuedLoop
    cueing: Cueing
    host_rate: float = 60.0
    inputs: Mapping[str, Array] = field(default_factory=dict)
    every: int | None = None

    @staticmethod
    def of(cueing: Cueing, loop: ClosedLoop | None = None, **options: Any) -> CuedLanes:
        """Of a platform under its own law, or of another loop."""
        return CuedLanes(CuedLoop(loop or ClosedLoop.of(cueing.platform), cueing), cueing, **options)

    @property
    def step(self) -> int:
        """Ticks between rows that are kept."""
        return max(1, round(1 / (KEPT_HZ * self.loop.dt))) if self.every is None else self.every

    @cached_property
    def _scan(self) -> Scan:
        record = [*SEEN, *Planners(self.cueing).wanted]
        return scan(self.loop.program, self.loop.feedback, per_step=list(TOLD), record=record, lanes=LANES)

    @cached_property
    def _held(self) -> dict[str, Any]:
        """Inputs that stay as they are."""
        quiet = {**self.loop.quiet_inputs(), "mode": np.array(float(Mode.HOST)), "settings_version": np.array(1.0)}
        held = {name: on_lanes([x] * LANES) for name, x in quiet.items() if name not in TOLD}
        return {**held, **Planners(self.cueing).inputs, **self.inputs}

    @cached_property
    def _driving(self) -> tuple[dict[str, Any], float]:
        """State in drive, the vehicle at rest in the air; and how many samples have come."""
        rest = self.loop.at_rest()
        state: dict[str, Any] = {name: on_lanes([x] * LANES) for name, x in rest.items()}
        n = self.step * max(1, round(PIECE_S / self.loop.dt / self.step))
        rows, seen = on_lanes([np.tile(IN_THE_AIR, (n, 1))] * LANES), 0.0
        for _ in range(round(DRIVE_SOON / (n * self.loop.dt))):
            count = seen + 1.0 + np.floor(np.arange(n) * self.loop.dt * self.host_rate)
            out = self._scan(n, every=self.step, **self._given(state, rows, on_lanes([count] * LANES)))
            driving = bool(np.all(out["state"][0] == State.DRIVE))
            state, seen = {name: out[name] for name in state}, float(count[-1])
            if driving:  # during the whole piece, so the last transients are over
                return state, seen
        self._check(out)
        raise SimulationError(f"platform {self.name!r}: it is not in drive within {DRIVE_SOON:g} s")

    @property
    def name(self) -> str:
        """Of the platform."""
        return self.loop.hexapod.name

    def runs(self, vehicles: Sequence[Vehicle], duration: float) -> Iterator[Seen]:
        """From drive at neutral, a vehicle on each lane, piece by piece; with fewer, the last fills the other lanes."""
        dt, step, planners = self.loop.dt, self.step, Planners(self.cueing)
        state, before = self._driving
        filled = [*vehicles, *[vehicles[-1]] * (LANES - len(vehicles))]
        ticks = round(duration / dt) // step * step
        piece = planners.ticks or step * max(1, round(PIECE_S / dt / step))
        for first in range(0, ticks, piece):
            now = np.arange(first, min(first + piece, ticks), dtype=np.float64)
            told = [samples(now, dt, vehicle, self.host_rate) for vehicle in filled]
            rows, counts = on_lanes([row for row, _ in told]), before + on_lanes([count for _, count in told])
            out = self._scan(len(now), every=step, **(self._given(state, rows, counts) | planners.inputs))
            state = {name: out[name] for name in state}
            self._check(out)
            planners.look(out)
            # a row is the state after its tick
            yield Seen((now[step - 1 :: step] + 1) * dt, out["V_P_next"], out["V_dot_P_next"], out["Q_WP_next"])

    def _given(self, state: Mapping[str, Any], rows: Array, counts: Array) -> dict[str, Any]:
        return {**self._held, **state, "vehicle": rows, "vehicle_count": counts}

    def _check(self, out: Mapping[str, Array]) -> None:
        """Raise an error if a lane has a fault."""
        if np.any(out["fault"]):
            fault = Fault(int(np.max(out["fault"])))
            sentence = told(fault.sentence, self.loop.hexapod.electric)
            raise SimulationError(f"platform {self.name!r} left drive: {sentence}")


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(np.cross(a, b, axis=1))

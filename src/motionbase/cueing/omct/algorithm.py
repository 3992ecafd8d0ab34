"""The cueing algorithm alone: the platform is taken to move exactly as commanded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port, Program, Scan, scan
from motionbase.compile.flow import call
from motionbase.compile.struct import MIXED
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.head import felt_at, moving
from motionbase.cueing.omct.measure import LANES, Observed
from motionbase.cueing.omct.motions import Excitation
from motionbase.cueing.omct.planners import Planners
from motionbase.cueing.ports import COUNT, FRAME, VEHICLE
from motionbase.platform.hexapod import Hexapod

Vector = tuple[float, float, float]
Vehicle: TypeAlias = Callable[[Array], Array]
"""(n,) times [s] -> (n, 13) motion at the head, in the order of `record.vehicle.VEHICLE`."""
POINT = Port("point", 3, "m", "where the motion is observed, in P")
OBSERVED = Port("observed", 6, MIXED, "specific force and angular rate of the commanded motion there, in P's axes")
KEPT_HZ = 200.0  # rows a second that are kept: 80 for each period of the fastest sine
PIECE_S = 5.0


def omct_point(hexapod: Hexapod, head: Vector) -> Vector:
    """Where the platform is observed: its point `omct`, or the head if it has none."""
    return hexapod.points.get("omct", head)


def samples(ticks: Array, dt: float, vehicle: Vehicle, host_rate: float | None) -> tuple[Array, Array]:
    """The newest of a host's samples at each tick, (n, 13), and (n,) how many there have been.

    Args:
        host_rate: samples a second; None for one in each tick
    """
    if host_rate is None:
        return vehicle(ticks * dt), ticks + 1.0
    number = np.floor(ticks * dt * host_rate + 1e-6)
    first, back = np.unique(number, return_inverse=True)
    return vehicle(first / host_rate)[back], number + 1.0


def on_lanes(values: Sequence[Any]) -> Array:
    """One value for each lane, the lanes last."""
    return np.stack([np.asarray(v, dtype=np.float64) for v in values], axis=-1)


@final
@dataclass(frozen=True, eq=False)
class Algorithm:
    """A cueing algorithm as a `System`.

    Attributes:
        point: where the motion of vehicle and platform is taken, in P; the platform's point `omct` by default
        host_rate: samples of the vehicle a second; None for one in each tick
    """

    cueing: Cueing
    point: Vector | None = None
    host_rate: float | None = None

    @property
    def point_P(self) -> Vector:
        """Where the motion is taken [m]."""
        return omct_point(self.cueing.platform, self.cueing.head_P) if self.point is None else self.point

    @property
    def lever(self) -> Vector:
        """From that point to the head, in axes of vehicle and platform [m]."""
        x, y, z = np.subtract(self.cueing.head_P, self.point_P).tolist()
        return x, y, z

    @cached_property
    def program(self) -> Program:
        """(the cueing's inputs, point) -> x_next, observed, and what planners look at."""
        cueing = self.cueing.program
        places = {port.name: k for k, port in enumerate(cueing.outputs)}
        kept = [places[name] for name in ("x_next", *Planners(self.cueing).wanted)]

        def expr(*values: Any) -> Any:
            out = call(cueing, values[:-1], {})
            x_next, *wanted = (out[k] for k in kept)
            return x_next, felt_at(moving(out[places[FRAME.name]].T), values[-1]), *wanted

        x_next, *wanted = (cueing.outputs[k] for k in kept)
        outputs = (x_next, OBSERVED, *wanted)
        return Program("cueing_observed", (*cueing.inputs, POINT), outputs, expr, cueing.description)

    @cached_property
    def _scan(self) -> Scan:
        record = [port.name for port in self.program.outputs[1:]]
        return scan(self.program, {"x": "x_next"}, per_step=[VEHICLE.name, COUNT.name], record=record, lanes=LANES)

    def observed(self, vehicles: Sequence[Excitation], duration: float) -> Iterator[Observed]:
        """The runs side by side, from the cueing's start, piece by piece."""
        dt, planners = self.cueing.dt, Planners(self.cueing)
        every = max(1, round(1 / (KEPT_HZ * dt)))
        piece = planners.ticks or every * max(1, round(PIECE_S / dt / every))
        ticks = round(duration / dt) // every * every
        held = {"parameters": self.cueing.parameter_vector(), POINT.name: np.array(self.point_P)}
        given: dict[str, Any] = {name: on_lanes([value] * LANES) for name, value in held.items()}
        x = on_lanes([self.cueing.initial_state()] * LANES)
        filled = [*vehicles, *[vehicles[-1]] * (LANES - len(vehicles))]
        for first in range(0, ticks, piece):
            now = np.arange(first, min(first + piece, ticks), dtype=np.float64)
            told = [samples(now, dt, partial(sine.rows, lever=self.lever), self.host_rate) for sine in filled]
            rows, counts = (on_lanes([one[k] for one in told]) for k in range(2))
            fed: dict[str, Any] = {**given, **planners.inputs, "vehicle": rows, "vehicle_count": counts}
            out = self._scan(len(now), every=every, x=x, **fed)
            x = out["x"]
            planners.look(out)
            yield Observed(now[every - 1 :: every] * dt, out[OBSERVED.name][:, :, : len(vehicles)])

"""Cueing over a whole series of samples, as fast as the machine can: one run with all channels, or many on lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Scan, Unit, scan
from motionbase.cueing.cueing import PREDICTIVE, Cueing
from motionbase.cueing.ports import COUNT, FRAME, VEHICLE
from motionbase.cueing.predictive import Driver, Planner, sampled
from motionbase.cueing.predictive.forecast import forecast_of
from motionbase.cueing.predictive.pieces import in_pieces
from motionbase.errors import UsageError
from motionbase.platform.sizing.forces import LegMotion, Motion
from motionbase.record.cueing import ROWS, SINGLE, tried_schema
from motionbase.record.vehicle import VEHICLE as TOLD

LANES = 8
MOST_TICKS = 5_000_000  # seven hours at 200 Hz, and 2 GB
PIECE = 20_000  # ticks of a run whose states are kept
FED = (VEHICLE.name, COUNT.name)  # inputs with a row per tick


class Fed(NamedTuple):
    """Samples as a cueing gets them: every tick has the newest sample.

    Attributes:
        t: (n,) time of each tick [s]
        vehicle: (n, 13)
        number: (n,) of that sample, from 1 on
    """

    t: Array
    vehicle: Array
    number: Array


def fed(t: ArrayLike, vehicle: ArrayLike, dt: float) -> Fed:
    """Samples at any times, ticks every `dt` [s] from the first sample to the last."""
    times, rows = np.asarray(t, dtype=np.float64), np.asarray(vehicle, dtype=np.float64)
    if times.ndim != 1 or rows.shape != (len(times), len(TOLD)):
        raise UsageError(f"samples have shapes {times.shape} and {rows.shape}, (n,) and (n, {len(TOLD)}) are wanted")
    if len(times) < 2:
        raise UsageError(f"there must be at least two samples, and there are {len(times)}")
    if not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise UsageError("times of samples must be finite and ascend")
    count = round(float(times[-1] - times[0]) / dt) + 1
    if count > MOST_TICKS:
        raise UsageError(f"{times[-1] - times[0]:g} s have {count} ticks of {dt:g} s, at most {MOST_TICKS} can be run")
    ticks = times[0] + dt * np.arange(count)
    newest = np.searchsorted(times, ticks + 1e-6 * dt, side="right")  # rounding does not make a sample late
    return Fed(ticks, np.ascontiguousarray(rows[newest - 1]), newest.astype(np.float64))


@lru_cache(16)
def loop_of(program: Unit, record: tuple[str, ...], lanes: int = 1) -> Scan:
    """The native loop around a cueing's program."""
    return scan(program, {"x": "x_next"}, per_step=list(FED), record=list(record), lanes=lanes)


def others(cueing: Cueing) -> dict[str, Any]:
    """Initial values of inputs beside the usual ones, such as a plan."""
    usual = ("parameters", "x", *FED)
    return {p.name: p.start_values.reshape(p.dims) for p in cueing.program.inputs if p.name not in usual}


@final
@dataclass(frozen=True, eq=False)
class Cued:
    """A series with its cues.

    Attributes:
        parameters: values that were used
        t: (n,) time [s]
        vehicle: (n, 13) the newest sample
        outputs: outputs of the cueing by port name, a row per tick
        tilts: (n, 2) rates of the tilt in pitch and roll [rad/s]; None if the algorithm does not know it apart
    """

    cueing: Cueing
    parameters: Array
    t: Array
    vehicle: Array
    outputs: dict[str, Array]
    tilts: Array | None

    def __getitem__(self, name: str) -> Array:
        """A column by its channel's name, such as `cue_f_x`, or an output such as `host_frame`."""
        return self.outputs[name] if name in self.outputs else self.columns[name]

    @cached_property
    def legs(self) -> Array:
        """(n, 6) commanded lengths [m]."""
        platform = self.cueing.platform
        return LegMotion(platform, Motion.of_dof(platform, self.outputs[FRAME.name][:, 0])).lengths

    @cached_property
    def rows(self) -> Array:
        """Rows of a recording with `record.cueing.tried_schema`."""
        late = np.zeros(len(self.t))
        singles = [self.outputs.get(name, late) for name in SINGLE]
        frame = self.outputs[FRAME.name].reshape(len(self.t), -1)
        six = [self.outputs[name] for name in ROWS]
        return np.column_stack([self.t, self.vehicle, *six, *singles, frame, self.legs])

    @cached_property
    def columns(self) -> dict[str, Array]:
        """Every channel of `record.cueing.tried_schema` by name."""
        return {channel.name: self.rows[:, k] for k, channel in enumerate(tried_schema().channels)}


def cue(
    cueing: Cueing, t: ArrayLike, vehicle: ArrayLike, parameters: ArrayLike | None = None,
    planner: Planner | None = None, progress: Callable[[float], None] = lambda _: None,
) -> Cued:  # fmt: skip
    """Run a cueing over samples.

    Args:
        t: (n,) ascending times of the samples, at any rate [s]
        vehicle: (n, 13) in the order of `record.vehicle.VEHICLE`
        parameters: those of the cueing unless given
        planner: of a predictive cueing; one of the same platform and head unless given
        progress: called with the fraction done; a predictive cueing takes about as long as the motion
    """
    heard = fed(t, vehicle, cueing.dt)
    numbers = cueing.parameter_vector() if parameters is None else np.asarray(parameters, dtype=np.float64)
    names = tuple(port.name for port in cueing.program.outputs if port.name != "x_next")
    rows: dict[str, Any] = {VEHICLE.name: heard.vehicle, COUNT.name: heard.number}
    if cueing.algorithm == PREDICTIVE:
        used, start = planner or Planner(cueing.platform, cueing.head_P, forecast=Driver()), cueing.initial_state()
        loop = loop_of(cueing.program, names)
        outputs = in_pieces(loop, used, cueing.dt, start, {"parameters": numbers}, rows, progress)
        return Cued(cueing, numbers, heard.t, heard.vehicle, outputs, None)
    outputs, tilts = _in_turn(cueing, loop_of(cueing.program, (*names, "x_next")), numbers, rows)
    return Cued(cueing, numbers, heard.t, heard.vehicle, outputs, tilts)


def planner_for(cueing: Cueing, forecast: str, t: ArrayLike, vehicle: ArrayLike) -> Planner | None:
    """Planner of a predictive cueing by the name of its forecast (`preview` knows these samples); None for others."""
    times, rows = np.asarray(t, dtype=np.float64), np.asarray(vehicle, dtype=np.float64)
    made = forecast_of(forecast, sampled(times - times[0], rows[:, :6]))
    return Planner(cueing.platform, cueing.head_P, forecast=made) if cueing.algorithm == PREDICTIVE else None


def _in_turn(
    cueing: Cueing, loop: Scan, parameters: Array, rows: dict[str, Any]
) -> tuple[dict[str, Array], Array | None]:
    """Outputs, and rates of the tilt from the states, of which one piece at a time is kept."""
    ticks, ports = len(rows[VEHICLE.name]), loop.plan.unit.ports
    found = {ports[k].name: np.empty((ticks, *ports[k].array_shape)) for k in loop.plan.recorded}
    del found["x_next"]
    x, tilts, held = cueing.initial_state(), list[Array | None](), others(cueing)
    for first in range(0, ticks, PIECE):
        piece = slice(first, min(first + PIECE, ticks))
        given: dict[str, Any] = {name: part[piece] for name, part in rows.items()}
        out = {name: part[piece] for name, part in found.items()}
        made = loop(piece.stop - first, out=out, parameters=parameters, x=x, **held, **given)
        x = made["x"]
        tilts.append(_tilts(cueing, made["x_next"]))
    known = [part for part in tilts if part is not None]
    return found, np.concatenate(known) if known else None


def cue_many(
    cueing: Cueing, t: ArrayLike, vehicle: ArrayLike, parameters: ArrayLike, record: Sequence[str]
) -> dict[str, Array]:
    """Run a cueing over the same samples with many vectors of parameters, eight at a time.

    Args:
        parameters: (m, parameters)
        record: outputs to return

    Returns:
        by name, a first axis for the vectors and then a row per tick; the same bits as from single runs
    """
    heard = fed(t, vehicle, cueing.dt)
    vectors = np.atleast_2d(np.asarray(parameters, dtype=np.float64))
    loop = loop_of(cueing.program, tuple(record), LANES)
    held: dict[str, Any] = {name: on_lanes(x) for name, x in (("x", cueing.initial_state()), *others(cueing).items())}
    rows: dict[str, Any] = {"vehicle": on_lanes(heard.vehicle), "vehicle_count": on_lanes(heard.number)}
    parts: dict[str, list[Array]] = {name: [] for name in record}
    for group in groups_of(vectors):
        out = loop(len(heard.t), parameters=np.ascontiguousarray(group.T), **held, **rows)
        for name, found in parts.items():
            found.append(np.moveaxis(out[name], -1, 0))
    return {name: np.concatenate(found)[: len(vectors)] for name, found in parts.items()}


def on_lanes(x: Array) -> Array:
    """The same on every lane."""
    return np.ascontiguousarray(np.broadcast_to(x[..., None], (*x.shape, LANES)))


def groups_of(vectors: Array) -> Iterator[Array]:
    """A vector for each lane; the last one fills what is left."""
    for first in range(0, len(vectors), LANES):
        group = vectors[first : first + LANES]
        yield np.concatenate([group, np.repeat(group[-1:], LANES - len(group), axis=0)])


def _tilts(cueing: Cueing, states: Array) -> Array | None:
    """(n, 2) rates of the tilt in pitch and roll, where the states hold them."""
    for part in cueing.state.described():
        if part.turns and (part.name[-2:] == ("tilts", "v") or part.name[-1] == "tilt_rate"):  # pitch first, then roll
            stride = int(part.turns[0].split()[0])
            return np.stack([states[:, part.offset], states[:, part.offset + stride]], axis=1)
    return None

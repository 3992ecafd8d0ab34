"""Simulate a model: compile a step, run it in a native loop, and return the motion with names and units."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Port, compile
from motionbase.compile.authored import check_takes, run_authored
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import numbers_of, shown
from motionbase.multibody.closed import Start, captures, closed_start, moved, singular_places_named
from motionbase.multibody.integrators import METHODS, AbstractMethod, Adaptive, System
from motionbase.multibody.integrators.run import Job, run
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, coordinates, given_coordinates, given_speeds, q_of, speeds, v_of
from motionbase.multibody.recorded import Recorded
from motionbase.multibody.singular import explained
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.flight import Flight
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.multibody.watch import SimulationWarning, doubts

Input: TypeAlias = ArrayLike | Callable[[float], ArrayLike]
Progress: TypeAlias = Callable[[float], None]
LARGEST = 2e9  # [bytes] of recorded rows


def simulate(
    model: Model | Tree | Loops | Flight,
    duration: float,
    dt: float = 1e-3,
    *,
    method: str | AbstractMethod | Adaptive = "rk4",
    q0: State = None,
    v0: State = None,
    inputs: Mapping[str, Input] | Input | None = None,
    every: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    progress: Progress | None = None,
    redundancy: Literal["drop", "regularise", "raise"] = "drop",
    outputs: Recorded | None = None,
    start: tuple[State, State] = (None, None),
) -> Trajectory:
    """The motion from a start; with closures, from a start that meets those which hold.

    Of a closed mechanism, what q0 and v0 name is kept and the rest is moved. Where no such start is found, everything
    is moved to one nearby, and a `SimulationWarning` says from what to what.

    A closure that an input switches on in the course of a run must be met there but for 5 mm or 5 mrad;
    speeds then jump as of `Loops.capture`, and the sample at that time has those before it. A run with closures is
    looked over at its end, and a `SimulationWarning` says where its equations were not solved soundly.

    Args:
        model: a `Flight` carries the momentum of a free-flying tree along and keeps it to rounding
        duration: [s]
        dt: step [s], made a little shorter where a whole number of steps does not fit; for an adaptive method the time
            between samples
        method: a name of `METHODS`, or a method
        q0, v0: arrays, or numbers by name on top of the neutral coordinates and zero speeds
        inputs: generalised forces `tau`, or inputs of the forward dynamics by name: a constant, one row a step, or a
            function of time, which is asked at the middle of each step and held over it. What is not given is zero,
            and closures hold
        every: steps between samples
        progress: called now and then with the fraction done
        redundancy: of a Model with closures, as of `Loops`; a Loops has its own
        outputs: what else to keep of every sample: points, centre of mass, loads, reactions, accelerations
        start: coordinates and speeds that q0 and v0 do not name, as they are; neutral and zero unless told
    """
    chosen = _method(method)
    if not isinstance(model, Model | Tree | Loops | Flight):
        raise SimulationError(
            f"model is {shown(model)}, a Model is wanted (load_model gives one by name or from a file)"
        )
    plain = model if isinstance(model, Model) else model.model
    steps, h = _steps(plain, duration, dt, every)
    begin = Start(
        q_of(plain, _checked_state("q0", q0), q_of(plain, start[0])),
        v_of(plain, _checked_state("v0", v0), v_of(plain, start[1])),
        given_coordinates(plain, q0),
        given_speeds(plain, v0),
    )
    q, v = begin.q, begin.v
    if isinstance(model, Model):
        model = Loops(model, step=h, redundancy=redundancy, around=q) if model.closures else Tree(model)
    flight = model if isinstance(model, Flight) else None
    equations = model.tree if isinstance(model, Flight) else model
    if outputs:
        outputs.check(equations)
    with explained(plain, q):
        system = System(plain, model.forward_dynamics, *([flight.speeds_of] if flight else []))
    held, rows = _inputs(system, inputs, steps, h)

    def inputs_at(at: Any) -> dict[str, Array]:
        """Those of the step that begins at a number of steps, or of several."""
        return {**held, **{name: values[np.minimum(at, steps - 1)] for name, values in rows.items()}}

    loops = model if isinstance(model, Loops) else None
    jumps = {}
    if loops:
        q, v = closed_start(loops, begin, inputs_at(0))
        if said := moved(plain, begin, q, v):
            warnings.warn(said, SimulationWarning, stacklevel=2)
        jumps = captures(loops, held, rows, h)
    if flight:
        v = compile(flight.momenta)(q=q, v=v)
    job = Job(system, held, rows, steps, h, every, mode, progress or (lambda _: None), jumps)
    with explained(plain, q), singular_places_named(loops, lambda t: inputs_at(round(t / h))):
        q_rows, v_rows, taken, wall = run(job, chosen, q, v)
    if flight:
        v_rows = compile(flight.speeds).map(q=np.ascontiguousarray(q_rows), u=np.ascontiguousarray(v_rows))["v"]
    t = np.arange(len(q_rows), dtype=np.float64) * (h * every)
    if loops:
        for sentence in doubts(loops, t, q_rows, v_rows, inputs_at(np.arange(len(t)) * every)):
            warnings.warn(sentence, SimulationWarning, stacklevel=2)
    tree = equations if isinstance(equations, Tree) else equations.tree
    energy = compile(Outputs(tree).energies).map(q=np.ascontiguousarray(q_rows), v=np.ascontiguousarray(v_rows))
    here = inputs_at(np.arange(len(t)) * every)
    more = tuple(outputs.columns(equations, q_rows, v_rows, here)) if outputs else ()
    return Trajectory(
        plain.name, chosen.name, t, q_rows, v_rows, coordinates(plain), speeds(plain), taken, wall, energy, more
    )


def _checked_state(what: str, given: State) -> State:
    """Numbers, all finite; in an array or by name."""
    named = given if isinstance(given, Mapping) else {}
    for name, value in named.items():
        array = numbers_of(value)
        if not isinstance(name, str) or array is None or not np.all(np.isfinite(array)):
            raise ModelError(f"{what}: {name!r} is {shown(value)}, it must be finite numbers")
    if given is not None and not isinstance(given, Mapping):
        array = numbers_of(given)
        if array is None or not np.all(np.isfinite(array)):
            raise ModelError(f"{what} is {shown(given)}, it must be finite numbers")
    return given


def _method(method: str | AbstractMethod | Adaptive) -> AbstractMethod | Adaptive:
    if isinstance(method, AbstractMethod | Adaptive):
        return method
    if not isinstance(method, str) or method not in METHODS:
        raise SimulationError(f"no method {shown(method)}; methods: {', '.join(METHODS)}")
    return METHODS[method]


def _steps(model: Model, duration: float, dt: float, every: int) -> tuple[int, float]:
    """Number and length of the steps: a multiple of `every` that fills the duration."""
    for what, value in (("duration", duration), ("dt", dt)):
        if (number := numbers_of(value)) is None or number.shape != () or not (math.isfinite(number) and number > 0):
            raise SimulationError(f"{what} is {shown(value)} s, it must be a finite number above 0")
    if not isinstance(every, int | np.integer) or every < 1:
        raise SimulationError(f"every is {shown(every)}, it must be a whole number, at least 1")
    if dt > duration:
        raise SimulationError(f"dt = {dt:g} s is longer than the duration of {duration:g} s")
    samples = max(1, math.ceil(duration / dt / every - 1e-9))
    if samples * (model.nq + model.nv) * 8 > LARGEST:
        raise SimulationError(f"{samples:.3g} samples would take more than 2 GB; keep fewer with a larger `every`")
    return samples * every, duration / (samples * every)


def _inputs(
    system: System, given: Mapping[str, Input] | Input | None, steps: int, h: float
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Constants, and arrays with one row a step."""
    named: dict[str, Any] = {}
    if isinstance(given, Mapping):
        named = dict(given)
    elif given is not None:
        named = {"tau": given}
    ports = {p.name: p for p in system.inputs}
    for name in named:
        if name not in ports:
            raise SimulationError(f"model {system.model.name!r} has no input {name!r}; inputs: {', '.join(ports)}")
    held, rows = {}, {}
    for name, port in ports.items():
        value = named.get(name, _default(port))
        if callable(value):
            law, owner = value, f"input {name!r}: the function"
            check_takes(owner, law, "the time [s]", 1)
            value = [run_authored(owner, law, (k + 0.5) * h) for k in range(steps)]
        array = numbers_of(value)
        if array is None or not np.all(np.isfinite(array)):
            raise SimulationError(f"input {name!r} is {shown(value)}, finite numbers are wanted")
        if math.prod(port.dims) == 1 and array.shape in ((), (steps,)):  # a number will do for a row of one
            array = array.reshape((*array.shape, *port.dims))
        if array.shape == port.dims:
            held[name] = array
        elif array.shape == (steps, *port.dims):
            rows[name] = array
        else:
            wanted = f"{port.dims} or {(steps, *port.dims)}"
            raise SimulationError(f"input {name!r} has shape {array.shape}, {wanted} is wanted")
    return held, rows


def _default(port: Port) -> Array:
    """Nothing acts, and every closure holds."""
    return np.full(port.dims, 1.0 if port.name.endswith("_active") else 0.0)

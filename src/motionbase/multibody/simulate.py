"""Simulate a model: compile a step, run it in a native loop, and return the motion with names and units."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Port, compile
from motionbase.compile.authored import check_takes, run_authored
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import numbers_of, shown
from motionbase.multibody.closed import Start, captures, closed_start, moved, singular_places_named
from motionbase.multibody.driven import TIME, as_functions, without
from motionbase.multibody.imposed import with_rates
from motionbase.multibody.integrators import METHODS, AbstractMethod, Adaptive, System
from motionbase.multibody.integrators.run import Job, run
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, given_coordinates, given_speeds, q_of, v_of
from motionbase.multibody.network.methods import AnyMultistep
from motionbase.multibody.network.simulate import NetworkJob, simulate_network
from motionbase.multibody.recorded import Recorded
from motionbase.multibody.runs import method_of, trajectory_of
from motionbase.multibody.singular import explained
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.flight import Flight
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.watch import SimulationWarning, doubts, overbent

Input: TypeAlias = ArrayLike | Callable[[float], ArrayLike]
Progress: TypeAlias = Callable[[float], None]
LARGEST = 2e9  # [bytes] of recorded rows


def simulate(
    model: Model | Tree | Loops | Flight,
    duration: float,
    dt: float = 1e-3,
    *,
    method: str | AbstractMethod | Adaptive | AnyMultistep | None = None,
    q0: State = None,
    v0: State = None,
    inputs: Mapping[str, Input] | Input | None = None,
    every: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    progress: Progress | None = None,
    redundancy: Literal["drop", "regularise", "raise"] = "drop",
    outputs: Recorded | None = None,
    start: tuple[State, State] = (None, None),
    engine: Literal["tree", "network"] = "tree",
) -> Trajectory:
    """The motion from an initial state; with closures, from one that meets those which hold.

    For a closed mechanism, the values in q0 and v0 are kept and the others adapted. If no such state is found, all
    values are moved to one nearby, and a `SimulationWarning` lists the changes.

    A closure that an input switches on during a run must be met at that time within 5 mm or 5 mrad; speeds then jump
    according to `Loops.capture`, and the sample at that time has the values before the jump. A run is checked
    at its end, and a `SimulationWarning` says where equations with closures were not solved accurately, or a flexible
    body bent further than its modes describe.

    Args:
        model: a `Flight` tracks the momentum of a free-flying tree and conserves it to rounding
        duration: [s]
        dt: step [s], made a little shorter where a whole number of steps does not fit; for an adaptive method the time
            between samples
        method: a name of `METHODS` (rk4 if None) or a method; of the network engine a name of its own `METHODS` (ms if
            None) or one of them
        q0, v0: arrays, or numbers by name on top of the neutral coordinates and zero speeds
        inputs: generalised forces `tau`, or inputs of the forward dynamics by name: a constant, one row a step, or a
            function of time, which is asked at the middle of each step and held over it (of the network engine at its
            end). What is not given is what the model's drives say, or zero, and closures hold; rates of a position,
            angle or speed that a closure follows are found from its function of time
        every: steps between samples
        progress: called now and then with the fraction done
        redundancy: of a Model with closures, as of `Loops`; a Loops has its own
        outputs: what else to keep of every sample: points, centre of mass, loads, reactions, accelerations
        start: coordinates and speeds that q0 and v0 do not name, as they are; neutral and zero unless told
        engine: minimal coordinates ("tree") or redundant ones ("network")
    """
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
    inputs = with_rates(plain, inputs)
    plain = without(plain, inputs)
    if engine == "network":
        if not isinstance(model, Model) or outputs:
            raise SimulationError("the network engine takes a Model, and has no further outputs")
        if plain.drives:
            named = inputs if isinstance(inputs, Mapping) else {} if inputs is None else {"tau": inputs}
            inputs = {TIME: lambda t: t, **named}
        network_job = NetworkJob(plain, begin, steps, h, every, mode, progress or (lambda _: None))

        def network_inputs(ports: Sequence[Port], at: float, count: int) -> tuple[dict[str, Array], dict[str, Array]]:
            return _inputs(plain, ports, inputs, steps, h, at, count)

        return simulate_network(network_job, method, network_inputs)
    if engine != "tree":
        raise SimulationError(f"no engine {shown(engine)}; engines: tree, network")
    inputs = as_functions(plain, inputs)
    chosen = method_of(method, METHODS, (AbstractMethod, Adaptive), "rk4", "the tree engine")
    q, v = begin.q, begin.v
    followed = _at_start(plain, inputs, steps, h)
    if isinstance(model, Model):
        drives = {name: float(value) for name, value in followed.items()}
        closed = Loops(model, step=h, redundancy=redundancy, around=q, drives=drives) if model.closures else None
        model = closed or Tree(model)
    flight = model if isinstance(model, Flight) else None
    equations = model.tree if isinstance(model, Flight) else model
    if outputs:
        outputs.check(equations)
    with explained(plain, q):
        system = System(plain, model.forward_dynamics, *([flight.speeds_of] if flight else []))
    held, rows = _inputs(plain, system.inputs, inputs, steps, h)

    def inputs_at(at: Any) -> dict[str, Array]:
        """Inputs of the step at an index, or of several steps."""
        return {**held, **{name: values[np.minimum(at, steps - 1)] for name, values in rows.items()}}

    loops = model if isinstance(model, Loops) else None
    jumps = {}
    if loops:
        q, v = closed_start(loops, begin, {**inputs_at(0), **followed})
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
    for sentence in overbent(plain, t, q_rows):
        warnings.warn(sentence, SimulationWarning, stacklevel=2)
    tree = equations if isinstance(equations, Tree) else equations.tree
    here = inputs_at(np.arange(len(t)) * every)
    more = tuple(outputs.columns(equations, q_rows, v_rows, here)) if outputs else ()
    return trajectory_of(tree, chosen.name, t, q_rows, v_rows, taken, wall, more)


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
    model: Model, wanted_ports: Sequence[Port], given: Mapping[str, Input] | Input | None, steps: int, h: float,
    at: float = 0.5, count: int | None = None,
) -> tuple[dict[str, Array], dict[str, Array]]:  # fmt: skip
    """Constants, and arrays with one row a step; functions are asked at a part of each of the first `count` steps."""
    named: dict[str, Any] = {}
    if isinstance(given, Mapping):
        named = dict(given)
    elif given is not None:
        named = {"tau": given}
    ports = {p.name: p for p in wanted_ports}
    asked = steps if count is None else count
    for name in named:
        if name not in ports:
            raise SimulationError(f"model {model.name!r} has no input {name!r}; inputs: {', '.join(ports)}")
    held, rows = {}, {}
    for name, port in ports.items():
        value = named.get(name, _default(port))
        if callable(value):
            law, owner = value, f"input {name!r}: the function"
            check_takes(owner, law, "the time [s]", 1)
            value = [run_authored(owner, law, (k + at) * h) for k in range(asked)]
        array = numbers_of(value)
        if array is None or not np.all(np.isfinite(array)):
            raise SimulationError(f"input {name!r} is {shown(value)}, finite numbers are wanted")
        if math.prod(port.dims) == 1 and array.shape in ((), (steps,), (asked,)):  # a number will do for a row of one
            array = array.reshape((*array.shape, *port.dims))
        if array.shape == port.dims:
            held[name] = array
        elif array.shape in ((steps, *port.dims), (asked, *port.dims)):
            rows[name] = array[:asked]
        else:
            wanted = f"{port.dims} or {(steps, *port.dims)}"
            raise SimulationError(f"input {name!r} has shape {array.shape}, {wanted} is wanted")
    return held, rows


def _at_start(model: Model, given: Mapping[str, Input] | Input | None, steps: int, h: float) -> dict[str, Array]:
    """What closures follow, at the time of the start."""
    ports = {port.name: port for closure in model.closures for port in closure.inputs}
    named = {name: value for name, value in given.items() if name in ports} if isinstance(given, Mapping) else {}
    held, rows = _inputs(model, list(ports.values()), named, steps, h, 0.0, 1)
    return {**held, **{name: table[0] for name, table in rows.items()}}


def _default(port: Port) -> Array:
    """No force acts, and every closure holds."""
    return np.full(port.dims, 1.0 if port.name.endswith("_active") else 0.0)

"""A step in which every part of the equations of motion is updated at its own rate, as one compiled program."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, compile, compose, scan, switch
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import numbers_of, shown
from motionbase.multibody.integrators.local import local_rate, moved
from motionbase.multibody.integrators.run import Samples
from motionbase.multibody.integrators.system import H
from motionbase.multibody.rates.partition import Partition
from motionbase.multibody.rates.schedule import Rates
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.spatial.rotations import Expr

Method = Literal["euler", "ab2"]
METHODS: tuple[Method, ...] = ("euler", "ab2")
CENTRED = ("mass", "nonlinear")  # parts that depend on the state alone
TICK = Port("tick", (), "-", "base steps since the schedule began, modulo its period")


@final
@dataclass(frozen=True, eq=False)
class Multirate:
    """A step of one base period from a model, a schedule and a method.

    Both methods evaluate the equations once per step, at its start; a method with stages inside the step could not use
    parts that are updated less often.

    - "euler", semi-implicit: order 1, without damping, energy stays bounded, stable for modes up to omega h = 2.
    - "ab2": speeds by Adams-Bashforth, coordinates by the trapezoidal rule over old and new speeds. Order 2 if every
      part is updated at every step, so that only the error of holding remains; undamped modes grow slowly.

    A part is held in the step's memory. Parts evaluated at the same state are updated by one kernel, which shares
    common subexpressions, with the same bits as the separate kernels of `Partition`.

    Attributes:
        centred: evaluate mass matrix and nonlinear terms at the state predicted for the middle of their holding time,
            which makes the holding error second order; otherwise at its start, as with a plain hold

    Example:
        >>> arm = Multirate(Tree(model), Rates(mass=4, nonlinear=2))
        >>> samples = arm.run(10_000, 1e-3, q0, v0, {"tau": tau})
    """

    equations: Tree | Loops
    rates: Rates = Rates()
    method: Method = "euler"
    centred: bool = True

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(f"multirate: no method {self.method!r}; methods: {', '.join(METHODS)}")

    @cached_property
    def partition(self) -> Partition:
        """The separate kernels."""
        return Partition(self.equations)

    @cached_property
    def memory(self) -> tuple[Port, ...]:
        """State of the step: the tick, the last value of each part, and the last accelerations."""
        parts = (port for part in self.partition.parts.values() for port in part.outputs)
        return (TICK, *parts, *self.partition.solve.outputs)

    @cached_property
    def step(self) -> Program:
        """(h, q, v, inputs) -> (q_next, v_next), with `memory`; for `scan` with {"q": "q_next", "v": "v_next"}."""
        partition, rates = self.partition, self.rates
        inputs = (H, *partition.tree.state_ports, *partition.inputs)
        held = self.memory[1:-1]

        def step(*values: Expr) -> Any:
            """Update what is due, solve, advance."""
            known = {port.name: value for port, value in zip((*inputs, *self.memory), values, strict=True)}
            h, q, v, tick, v_dot_prev = (known[name] for name in ("h", "q", "v", "tick", "v_dot"))

            def parts(at: int | None = None) -> tuple[Expr, ...]:
                now = known if at is None else self._renewed(at, known)
                return tuple(now[port.name] for port in held)

            now = switch(tick, {k: functools.partial(parts, k) for k in range(rates.period)}, parts)
            v_dot = partition.solve(q, v, *now)
            q_next, v_next = self.advance(h, q, v, v_dot, v_dot_prev)
            return q_next, v_next, ca.if_else(tick + 1 < rates.period, tick + 1, 0), *now, v_dot

        return Program(f"{self.method}_multirate", inputs, self.advance.outputs, step, memory=self.memory)

    def _renewed(self, tick: int, known: dict[str, Expr]) -> dict[str, Expr]:
        """All known values, with the parts that are due at a step updated."""
        found = dict(known)
        for shift, due in self._due(tick).items():
            at = known
            if shift:
                q, v = self._predictions[shift](*(known[name] for name in ("h", "q", "v", "v_dot")))
                at = {**known, "q": q, "v": v}
            kernel = self._renewals[due]
            values = kernel(*(at[port.name] for port in kernel.inputs))
            values = values if isinstance(values, tuple) else (values,)
            found.update((port.name, value) for port, value in zip(kernel.outputs, values, strict=True))
        return found

    def _due(self, tick: int) -> dict[float, tuple[str, ...]]:
        """Parts updated at a step, by how many steps ahead they are evaluated."""
        found: dict[float, tuple[str, ...]] = {}
        always = (name for name in self.partition.parts if name not in self.rates.by_name)
        for name in (*self.rates.due(tick), *always):
            shift = self.steps_ahead(name)
            found[shift] = (*found.get(shift, ()), name)
        return found

    @cached_property
    def _renewals(self) -> dict[tuple[str, ...], Kernel]:
        """One kernel for each set of parts that are updated at one state."""
        return {due: self._renewal(due) for tick in range(self.rates.period) for due in self._due(tick).values()}

    def _renewal(self, due: tuple[str, ...]) -> Kernel:
        return compose("renew_" + "_".join(due), *(self.partition.parts[name] for name in due))

    def steps_ahead(self, part: str) -> float:
        """Base steps between the update of a part and the state of its evaluation; external forces are sampled."""
        every = self.rates.by_name.get(part)
        return 0.5 * (every - 1) if self.centred and part in CENTRED and every is not None else 0.0

    def prediction(self, part: str) -> Kernel:
        """(h, q, v, v_dot of the previous step) -> (q_ahead, v_ahead), at which to update a part."""
        return self._predictions[self.steps_ahead(part)]

    @cached_property
    def _predictions(self) -> dict[float, Kernel]:
        model, (q, v) = self.partition.model, self.partition.tree.state_ports
        accelerations = Port("v_dot", model.nv, "-", "accelerations of the step before")
        after = Port("q_ahead", q.shape, q.unit, "predicted"), Port("v_ahead", v.shape, v.unit, "predicted")

        def kernel(shift: float) -> Kernel:
            def expr(h: Expr, q: Expr, v: Expr, v_dot: Expr) -> Any:
                change = shift * h * v_dot
                return moved(
                    model, q, shift * h * local_rate(model, q, ca.SX(model.nv, 1), v + 0.5 * change)
                ), v + change

            return Kernel("ahead", (H, q, v, accelerations), after, expr)

        return {shift: kernel(shift) for shift in {self.steps_ahead(name) for name in self.partition.parts}}

    @cached_property
    def advance(self) -> Kernel:
        """(h, q, v, v_dot, v_dot_prev) -> (q_next, v_next)."""
        model, (q, v) = self.partition.model, self.partition.tree.state_ports
        accelerations = Port("v_dot", model.nv, "-", "accelerations")
        previous = Port("v_dot_prev", model.nv, "-", "accelerations of the step before")
        after = Port("q_next", q.shape, q.unit, "after the step"), Port("v_next", v.shape, v.unit, "after the step")
        rule = {"euler": self._euler, "ab2": self._ab2}[self.method]
        return Kernel("advance", (H, q, v, accelerations, previous), after, rule)

    def _euler(self, h: Expr, q: Expr, v: Expr, v_dot: Expr, v_dot_prev: Expr) -> Any:
        model = self.partition.model
        v_next = v + h * v_dot
        return moved(model, q, h * local_rate(model, q, ca.SX(model.nv, 1), v_next)), v_next

    def _ab2(self, h: Expr, q: Expr, v: Expr, v_dot: Expr, v_dot_prev: Expr) -> Any:
        model = self.partition.model
        v_next = v + h * (1.5 * v_dot - 0.5 * v_dot_prev)
        before = local_rate(model, q, ca.SX(model.nv, 1), v)
        xi = h * before  # the rate of positions in rotating axes is evaluated again there
        after = local_rate(model, moved(model, q, xi), xi, v_next)
        return moved(model, q, 0.5 * h * (before + after)), v_next

    # ---- running -----------------------------------------------------------------------------------------------------

    def start(self, q: ArrayLike, v: ArrayLike, inputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Initial memory: every part at (q, v); the first step of "ab2" is then an Euler step."""
        known = {"q": q, "v": v, **inputs}
        parts = tuple(self.partition.parts)
        for kernel in (self._renewal(parts), self.partition.solve):
            values = compile(kernel)(**{p.name: known[p.name] for p in kernel.inputs})
            values = (values,) if len(kernel.outputs) == 1 else values
            known.update({p.name: value for p, value in zip(kernel.outputs, values, strict=True)})
        return {"tick": np.zeros(()), **{p.name: np.asarray(known[p.name]) for p in self.memory[1:]}}

    def run(
        self,
        steps: int,
        h: float,
        q: ArrayLike,
        v: ArrayLike,
        inputs: Mapping[str, ArrayLike] | None = None,
        *,
        every: int = 1,
        mode: Literal["strict", "fast"] = "strict",
    ) -> Samples:
        """Rows of q and v from an initial state, in one native loop.

        Args:
            steps: base steps, a multiple of `every`
            h: base step [s]
            q, v: the initial state; with closures one that meets them
            inputs: by name, a constant or one row per step; missing ones are zero, and closures hold
            every: base steps between rows
        """
        length = numbers_of(h)
        if length is None or length.shape != () or not (np.isfinite(length) and length > 0):
            raise SimulationError(f"multirate: h is {shown(h)} s, it must be a finite number above 0")
        if steps < 1 or every < 1 or steps % every:
            raise SimulationError(f"multirate: {steps} steps with a row every {every}; steps must be a multiple of it")
        held, rows = self._inputs(inputs or {}, steps)
        at_start = {**held, **{name: values[0] for name, values in rows.items()}}
        memory = self.start(q, v, at_start)
        feedback = {"q": "q_next", "v": "v_next"}
        loop = scan(self.step, feedback, per_step=list(rows), record=["q_next", "v_next"], mode=mode)
        begin = time.perf_counter()
        given: dict[str, Any] = {**held, **rows, **memory}
        out = loop(steps, every=every, h=h, q=q, v=v, **given)
        wall = time.perf_counter() - begin
        if not (np.all(np.isfinite(out["q"])) and np.all(np.isfinite(out["v"]))):
            raise SimulationError(
                f"multirate {self.rates}: the motion became infinite within {steps * h:g} s; try a smaller base "
                "step, or renew the mass matrix more often"
            )
        return Samples(
            np.concatenate([[np.asarray(q, dtype=np.float64)], out["q_next"]]),
            np.concatenate([[np.asarray(v, dtype=np.float64)], out["v_next"]]),
            steps,
            wall,
        )

    def _inputs(self, given: Mapping[str, ArrayLike], steps: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Constants, and arrays with a row per step."""
        ports = {p.name: p for p in self.partition.inputs}
        for name in given:
            if name not in ports:
                raise SimulationError(f"multirate: no input {name!r}; inputs: {', '.join(ports)}")
        held: dict[str, Array] = {}
        rows: dict[str, Array] = {}
        for name, port in ports.items():
            raw = given.get(name, np.full(port.dims, float(name.endswith("_active"))))
            value = numbers_of(raw)
            if value is None or not np.all(np.isfinite(value)):
                raise SimulationError(f"multirate: input {name!r} is {shown(raw)}, finite numbers are wanted")
            if value.shape not in (port.dims, (steps, *port.dims)):
                wanted = f"{port.dims} or {(steps, *port.dims)}"
                raise SimulationError(f"multirate: input {name!r} has shape {value.shape}, {wanted} is wanted")
            (held if value.shape == port.dims else rows)[name] = value
        return held, rows

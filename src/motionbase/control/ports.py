"""Ports of the control law: its inputs and outputs of every tick, and the channel of the record for each number.

A user law is a `Program` or `Kernel` with the same inputs and outputs; `ControlPorts.check` says what is missing. Only
`valve_cmd`, `abort` and the state affect the plant; the other outputs are for the record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, final, overload

import casadi as ca

from motionbase.compile import Kernel, Layout, Port, Program, Struct, Unit, q
from motionbase.compile.struct import MIXED
from motionbase.control.quantities import SX
from motionbase.errors import PortError
from motionbase.record.axes import DERIVATIVES, DOFS, LEGS
from motionbase.record.generators import COLUMNS, COUNT
from motionbase.record.hexapod import QUANTITIES

Quantities: TypeAlias = Layout | type[Struct]


class Inputs(Struct):
    """Inputs of a control law in each tick; each quantity is a separate port."""

    request: SX = q("-", text="of the operator, for one tick: a number of `Request`")
    mode: SX = q("-", text="asked for: 0 host, 1 maintenance; heard outside drive, the ways to and from it, and freeze")
    estop: SX = q(QUANTITIES["estop"])
    reset: SX = q("-", text="1 for one tick to clear a fault")
    settings: SX = q(MIXED, (COUNT, len(COLUMNS)), "one row a generator, zeros are off")
    settings_version: SX = q("-", text="version of the generator settings")
    host_frame: SX = q(MIXED, (3, 6), "positions, velocities, accelerations of the degrees of freedom")
    host_count: SX = q("-", text="frames taken since the start; a change brings a new frame")
    l_meas: SX = q(QUANTITIES["l_meas"], 6)
    l_dot_meas: SX = q(QUANTITIES["l_dot_meas"], 6)
    l_ddot_meas: SX = q(QUANTITIES["l_ddot_meas"], 6)
    p_cap: SX = q(QUANTITIES["p_cap"], 6)
    p_rod: SX = q(QUANTITIES["p_rod"], 6)
    valve_meas: SX = q(QUANTITIES["valve_meas"], 6)
    f_meas: SX = q(QUANTITIES["f_meas"], 6)
    acc: SX = q(QUANTITIES["acc"], 3)
    omega: SX = q(QUANTITIES["omega"], 3)
    p_supply: SX = q(QUANTITIES["p_supply"])
    p_return: SX = q(QUANTITIES["p_return"])


class Outputs(Struct):
    """Outputs of a control law in each tick; each quantity is a separate port."""

    valve_cmd: SX = q(QUANTITIES["valve_cmd"], 6)
    abort: SX = q("-", text="0 to 1: required shut-off of the valves by the hardware")
    state: SX = q("-", text="a number of `State`")
    mode_used: SX = q("-", text="0 host, 1 maintenance")
    time_in_state: SX = q("s")
    source: SX = q("-", text="what the base trajectory is, a number of `Source`")
    blend: SX = q("-", text="part of the drive's trajectory, 0 to 1")
    fault: SX = q("-", text="a number of `Fault`, the first one")
    warning: SX = q("-", text="bits of `WarningBit`")
    generators_version: SX = q(QUANTITIES["generators_version"])
    host_age: SX = q(QUANTITIES["host_age"])
    host: SX = q(MIXED, (6, 3), "host demand in use: position, velocity, acceleration of each degree of freedom")
    cmd: SX = q(MIXED, (6, 3), "demand after propagation and generators, before limits")
    pose_meas: SX = q("m, rad", 6, "from the measured lengths")
    pose_hat: SX = q(MIXED, (6, 2), "estimated pose and its rate")
    legs_cmd: SX = q(MIXED, (6, 3), "commanded length, rate, acceleration of each leg, within the limits")
    u_ff: SX = q(QUANTITIES["u_ff"], 6)
    u_fb: SX = q(QUANTITIES["u_fb"], 6)
    generators: SX = q(MIXED, (COUNT, 3), "position, velocity, acceleration of each generator")
    generator_sums: SX = q(MIXED, (12, 3), "sums in the degrees of freedom, then on the legs")
    f_ff: SX = q("N", 6, "leg forces that weight and inertia need")


INPUTS, OUTPUTS = Inputs.layout.ports, Outputs.layout.ports
ELSEWHERE = ("t", "tick", "alpha_x", "alpha_y", "alpha_z", "command_ack", "host_lost", "lateness", "compute",
             "overruns", "load")  # fmt: skip
"""Channels of the standard record that come from the executive, the plant or the host link, not the control law."""


def channels() -> dict[str, tuple[str, int]]:
    """Channel of the standard record -> port of the control law and index in it, row by row."""
    found: dict[str, tuple[str, int]] = {}
    for order, suffix in enumerate(DERIVATIVES):
        for k, dof in enumerate(DOFS):
            found[f"host_{dof}{suffix}"] = ("host", 3 * k + order)
            found[f"cmd_{dof}{suffix}"] = ("cmd", 3 * k + order)
        for k, leg in enumerate(LEGS):
            found[f"leg{leg}_l{suffix}_cmd"] = ("legs_cmd", 3 * k + order)
            found[f"leg{leg}_l{suffix}_meas"] = (f"l{suffix}_meas", k)
    for k, dof in enumerate(DOFS):
        found[f"pose_meas_{dof}"] = ("pose_meas", k)
        found[f"pose_hat_{dof}"], found[f"pose_hat_{dof}_dot"] = ("pose_hat", 2 * k), ("pose_hat", 2 * k + 1)
        found[f"gen_{dof}"] = ("generator_sums", 3 * k)
    for k, leg in enumerate(LEGS):
        found[f"gen_leg{leg}"] = ("generator_sums", 3 * (6 + k))
        for name in ("f_meas", "p_cap", "p_rod", "valve_cmd", "valve_meas", "u_ff", "u_fb"):
            found[f"leg{leg}_{name}"] = (name, k)
    for k, axis in enumerate("xyz"):
        found[f"acc_{axis}"], found[f"omega_{axis}"] = ("acc", k), ("omega", k)
    for k in range(COUNT):
        found[f"generator{k + 1}"] = ("generators", 3 * k)
    scalars = ("p_supply", "p_return", "state", "fault", "warning", "estop", "generators_version", "host_age")
    return found | {name: (name, 0) for name in scalars} | {"host_frames": ("host_count", 0), "mode": ("mode_used", 0)}


def layout_of(quantities: Quantities, flat: bool = False) -> Layout:
    """The names in a vector; flat: single inner structs are replaced by their quantities."""
    layout = quantities if isinstance(quantities, Layout) else quantities.layout
    return Layout(tuple(q.port for q in layout.described() if not q.turns)) if flat else layout


@final
class ControlPorts:
    """The interface of a control law, for user laws: parameters and state may be any vectors.

    A law takes `parameters` and `x`, then INPUTS, and returns `x_next`, then OUTPUTS. A `Layout` describes `parameters`
    and `x`, so that users can name and tune them.
    """

    @staticmethod
    def inputs(parameters: Layout, state: Layout) -> tuple[Port, ...]:
        """Input ports, in order."""
        return (
            parameters.port("parameters", "may be changed at any tick"),
            state.port("x", "state of the law"),
            *INPUTS,
        )

    @staticmethod
    def outputs(state: Layout) -> tuple[Port, ...]:
        """Output ports, in order."""
        return (state.port("x_next", "state for the next tick"), *OUTPUTS)

    @overload
    @staticmethod
    def law(name: str, function: Callable[..., Any], parameters: type[Struct], state: type[Struct]) -> Program: ...
    @overload
    @staticmethod
    def law(name: str, function: Callable[..., Any], parameters: Layout, state: Layout) -> Kernel: ...
    @overload
    @staticmethod
    def law(name: str, function: Callable[..., Any], parameters: Quantities, state: Quantities) -> Kernel | Program: ...
    @staticmethod
    def law(name: str, function: Callable[..., Any], parameters: Quantities, state: Quantities) -> Kernel | Program:
        """A law from a Python function; missing outputs are 0.

        With two structs: `function(parameters, x, inputs) -> x_next, outputs`, all structs but the outputs, which are a
        dict by name (or `Outputs`). With two layouts: a dict of the inputs by name -> a dict of the outputs by name.
        """
        inputs = ControlPorts.inputs(layout_of(parameters), layout_of(state))
        outputs = ControlPorts.outputs(layout_of(state))
        of_structs = not isinstance(parameters, Layout) and not isinstance(state, Layout)

        def expr(*given: SX) -> tuple[SX, ...]:
            if isinstance(parameters, Layout) or isinstance(state, Layout):
                return in_order(name, outputs, function(dict(zip((p.name for p in inputs), given, strict=True))))
            after, said = function(parameters.of(given[0]), state.of(given[1]), Inputs(*given[2:]))
            if isinstance(said, Outputs):
                said = {p.name: getattr(said, p.name) for p in OUTPUTS}
            return in_order(name, outputs, {"x_next": after.column, **said})

        return (Program if of_structs else Kernel)(name, inputs, outputs, expr)

    @staticmethod
    def check(law: Unit) -> None:
        """Raise `PortError` if a law does not fit."""
        for kind, ports, wanted in (("input", law.inputs, INPUTS), ("output", law.outputs, OUTPUTS)):
            given = {p.name: p for p in ports}
            for port in wanted:
                if port.name not in given:
                    raise PortError(f"control law {law.name!r}: {kind} {port} is missing")
                if given[port.name].dims != port.dims or given[port.name].unit != port.unit:
                    raise PortError(f"control law {law.name!r}: {kind} {given[port.name]} must be {port}")
            for name in {"input": ("parameters", "x"), "output": ("x_next",)}[kind]:
                if name not in given:
                    raise PortError(f"control law {law.name!r}: {kind} {name!r} is missing")


def in_order(name: str, outputs: tuple[Port, ...], made: dict[str, SX]) -> tuple[SX, ...]:
    """Outputs by name in the order of the ports; missing ones are 0."""
    if unknown := sorted(made.keys() - {p.name for p in outputs}):
        known = ", ".join(p.name for p in outputs)
        raise PortError(f"control law {name!r}: it returns {unknown[0]!r}, which is not an output; outputs: {known}")
    return tuple(made.get(p.name, ca.SX.zeros(*p.matrix_shape)) for p in outputs)

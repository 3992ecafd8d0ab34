"""Ports of the control law: what goes in every tick, what comes out, and which channel of the record each number is.

A law of one's own is a `OldProgram` (or `Kernel`) with the same inputs and outputs; `ControlPorts.check` says what is
missing. Only `valve_cmd`, `abort` and the state go to the plant and back; the rest is for the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

import casadi as ca

from motionbase.compile import Kernel, Port, Unit
from motionbase.control.fields import MIXED, Fields
from motionbase.control.generators import COUNT, SETTINGS
from motionbase.errors import PortError

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
LEGS = (1, 2, 3, 4, 5, 6)
DERIVATIVES = ("", "_dot", "_ddot")

INPUTS = (
    Port("request", (), "-", "of the operator, for one tick: a number of `Request`"),
    Port("mode", (), "-", "asked for: 0 host, 1 maintenance; heard outside drive, the ways to and from it, and freeze"),
    Port("estop", (), "-", "1 while the emergency stop acts"),
    Port("reset", (), "-", "1 for one tick to clear a fault"),
    SETTINGS,
    Port("settings_version", (), "-", "version of the generator settings"),
    Port("host_frame", (3, 6), MIXED, "positions, velocities, accelerations of the degrees of freedom"),
    Port("host_count", (), "-", "frames taken since the start; a change brings a new frame"),
    Port("l_meas", 6, "m", "measured lengths, joint to joint"),
    Port("l_dot_meas", 6, "m/s", "measured rates"),
    Port("l_ddot_meas", 6, "m/s^2", "measured accelerations"),
    Port("p_cap", 6, "Pa", "pressures that extend"),
    Port("p_rod", 6, "Pa", "pressures that retract"),
    Port("valve_meas", 6, "-", "measured spools"),
    Port("f_meas", 6, "N", "measured forces, pushing positive"),
    Port("acc", 3, "m/s^2", "specific force in P"),
    Port("omega", 3, "rad/s", "angular rate in P"),
    Port("p_supply", (), "Pa", "supply pressure"),
    Port("p_return", (), "Pa", "return pressure"),
)
OUTPUTS = (
    Port("valve_cmd", 6, "-", "-1 to 1, positive extends"),
    Port("abort", (), "-", "0 to 1: how far the hardware must have shut the valves off"),
    Port("state", (), "-", "a number of `State`"),
    Port("mode_used", (), "-", "0 host, 1 maintenance"),
    Port("time_in_state", (), "s"),
    Port("source", (), "-", "what the base trajectory is, a number of `Source`"),
    Port("blend", (), "-", "part of the drive's trajectory, 0 to 1"),
    Port("fault", (), "-", "a number of `Fault`, the first one"),
    Port("warning", (), "-", "bits of `WarningBit`"),
    Port("generators_version", (), "-", "version of the settings in use"),
    Port("host_age", (), "s", "since the newest good frame"),
    Port("host", (6, 3), MIXED, "host demand in use: position, velocity, acceleration of each degree of freedom"),
    Port("cmd", (6, 3), MIXED, "demand after propagation and generators, before limits"),
    Port("pose_meas", 6, "m, rad", "from the measured lengths"),
    Port("pose_hat", (6, 2), MIXED, "estimated pose and its rate"),
    Port("legs_cmd", (6, 3), MIXED, "commanded length, rate, acceleration of each leg, within the limits"),
    Port("u_ff", 6, "-", "feed-forward parts of the valve commands"),
    Port("u_fb", 6, "-", "feedback parts of the valve commands"),
    Port("generators", (COUNT, 3), MIXED, "position, velocity, acceleration of each generator"),
    Port("generator_sums", (12, 3), MIXED, "sums in the degrees of freedom, then on the legs"),
    Port("f_ff", 6, "N", "leg forces that weight and inertia need"),
)
ELSEWHERE = ("t", "tick", "alpha_x", "alpha_y", "alpha_z", "command_ack", "host_lost", "lateness", "compute",
             "overruns", "load")  # fmt: skip
"""Channels of the standard record that the executive, the plant or the host link know, and the control law does not."""


def channels() -> dict[str, tuple[str, int]]:
    """Channel of the standard record -> port of the control law and place in it, row by row."""
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


@final
class ControlPorts:
    """The border of a control law, for laws of one's own: parameters and state may be any vectors.

    A law takes `parameters` and `x`, then INPUTS, and gives `x_next`, then OUTPUTS. `parameters` and `x` are described
    by `Fields`, so that people can name and tune them.
    """

    @staticmethod
    def inputs(parameters: Fields, state: Fields) -> tuple[Port, ...]:
        """In order."""
        return (
            parameters.port("parameters", "may be changed at any tick"),
            state.port("x", "state of the law"),
            *INPUTS,
        )

    @staticmethod
    def outputs(state: Fields) -> tuple[Port, ...]:
        """In order."""
        return (state.port("x_next", "state for the next tick"), *OUTPUTS)

    @staticmethod
    def law(
        name: str, function: Callable[[dict[str, ca.SX]], Mapping[str, ca.SX]], parameters: Fields, state: Fields
    ) -> Kernel:
        """A law from a Python function: it gets the inputs by name, and gives outputs by name; others are 0."""
        inputs, outputs = ControlPorts.inputs(parameters, state), ControlPorts.outputs(state)

        def expr(*given: ca.SX) -> tuple[ca.SX, ...]:
            made = function(dict(zip((p.name for p in inputs), given, strict=True)))
            if unknown := sorted(made.keys() - {p.name for p in outputs}):
                known = ", ".join(p.name for p in outputs)
                raise PortError(f"control law {name!r}: it gives {unknown[0]!r}, which is no output; outputs: {known}")
            return tuple(made.get(p.name, ca.SX.zeros(*p.array_shape)) for p in outputs)

        return Kernel(name, inputs, outputs, expr)

    @staticmethod
    def check(law: Unit) -> None:
        """Refuse a law that does not fit, with one sentence."""
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

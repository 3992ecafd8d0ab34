"""Common part of hydraulic and electric legs: inputs and outputs of a step, and the kernel around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from motionbase.actuators.live import Parameters, live_ports, with_live
from motionbase.compile import Kernel, Port, Struct, q
from motionbase.spatial.rotations import Expr

H = Port("h", (), "s", "step")
U = Port("u", (), "-", "valve command, -1 to 1; positive extends")
FORCE = Port("f", (), "N", "of the actuator on the platform, positive in extension")


class Going(Struct):
    """Motion of a leg in a step: at constant speed from one length to another."""

    l: Expr = q("m", text="leg length at the start")
    l_next: Expr = q("m", text="leg length at the end")
    l_dot_next: Expr = q("m/s", text="leg velocity at the end, as predicted")


class Lines(Struct):
    """Connections of the legs' manifold."""

    p_supply: Expr = q("Pa", text="at the valve, now")
    p_return: Expr = q("Pa", text="at the valve, now")
    abort: Expr = q("-", text="0 normal, 1 valve shut off and bleeds open")


LINES = Lines.layout.ports


def state_port(state: type[Struct], name: str, rows: int = 0) -> Port:
    """The state of a leg, or of `rows` legs, as a port; its text lists the quantities, its unit their units."""
    quantities = [quantity.port for quantity in state.layout.described()]
    text = ", ".join(p.description or p.name for p in quantities)
    unit = ", ".join(p.unit for p in quantities)
    return replace(state.port(name, f"of each leg: {text}" if rows else text, rows), unit=unit)


def step_kernel(
    name: str,
    actuator: Parameters,
    state: type[Struct],
    step: Callable[[Parameters, Expr, Any, Going, Expr, Lines], Sequence[Any]],
    outputs: tuple[Port, ...],
    h: float | None,
    live: Sequence[str] = (),
) -> Kernel:
    """(live parameters, h, x, l, l_next, l_dot_next, u, p_supply, p_return, abort) -> x_next and the outputs.

    Args:
        step: (parameters, h, x, motion of the leg, u, lines) -> x_next, then a value per output
        h: a constant step [s]; it is then not a port, and the code is shorter
        live: parameters that become the first ports, such as "bulk_modulus" or "friction.coulomb"
    """
    ports = live_ports(live)

    def expr(*values: Expr) -> Any:
        own, rest = with_live(actuator, live, values[: len(ports)]), values[len(ports) :]
        dt, x, l, l_next, l_dot_next, u, *lines = rest if h is None else (h, *rest)
        return tuple(step(own, dt, x, Going(l, l_next, l_dot_next), u, Lines(*lines)))

    inputs = (*ports, *((H,) if h is None else ()), state_port(state, "x"), *Going.layout.ports, U, *LINES)
    return Kernel(name, inputs, (state_port(state, "x_next"), *outputs), expr)

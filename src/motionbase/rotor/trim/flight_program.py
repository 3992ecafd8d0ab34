"""A step of a rotor with its pilot as one program, and what is seen of the rotor at the end of it."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca

from motionbase.compile import Port, Program
from motionbase.multibody.network.motion import joint_motion
from motionbase.multibody.network.step import FEEDBACK
from motionbase.rotor.elements.air import air_places
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.trim.pilot import CONTROLS, PilotLaw, PilotState, piloted

FLIGHT = "airspeed", "shaft_angle"
SEEN = "loads", "induced", "psi", "flap", "lag", "pitch"
FLIGHT_FEEDBACK = {**FEEDBACK, "pilot": "pilot_next"}


def flight_program(flying: Flying) -> Program:
    """(weights, states, pilot, law, flight) -> states and pilot one step on, and `SEEN`.

    The pilot sees the end of the step and moves the controls of the next one.
    """
    rotor, network = flying.rotor, flying.network
    step, motion = network.program, joint_motion(network.network)
    states = tuple(port for port in step.inputs if port.name in FEEDBACK)
    places = {which: flying.places(which) for which in ("flap", "lag", "pitch")}
    turn = flying.coordinates[rotor.shaft]
    azimuths, n = ca.DM([blade.azimuth for blade in rotor.blades]), len(rotor.blades)
    air = air_places(network.network.assembly)

    def seen(nodes: Any, own: ca.SX, kept: ca.SX) -> dict[str, Any]:
        q = motion.expr(nodes, *([own] if len(motion.inputs) > 1 else []))[0]
        psi = q[turn] + azimuths
        return {
            "loads": kept[air.loads],
            "induced": kept[air.field],
            "psi": psi - 2 * math.pi * ca.floor(psi / (2 * math.pi)),
            **{which: q[where] for which, where in places.items()},
        }

    def expr(weights: Any, *given: Any) -> Any:
        state = {port.name: value for port, value in zip(states, given, strict=False)}
        pilot, law, flight = given[len(states) :]
        settings = dict(zip((*CONTROLS, *FLIGHT), (*ca.vertsplit(pilot.controls), *ca.vertsplit(flight)), strict=True))
        out = step(weights=weights, **state, **rotor.given(settings))
        found = {port.name: value for port, value in zip(step.outputs, out, strict=True)}
        after = [found[FEEDBACK[port.name]] for port in states]
        now = seen(found["one_next"], found["own_one_next"], found["kept_next"])
        moved = piloted(weights.h, pilot, now["loads"][2], now["flap"], now["psi"], law)
        return *after, moved, *(now[name] for name in SEEN)

    told = (
        Port("loads", 6, "N, N m", "of the air about the hub"),
        Port("induced", 3, "m/s, 1/s", "flow down the shaft and its slopes"),
        *(Port(name, n, "rad", f"{name} of each blade") for name in SEEN[2:]),
    )
    inputs = (step.inputs[0], *states, PilotState.port("pilot"), PilotLaw.port("law"), Port("flight", 2, "m/s, rad"))
    by_name = {port.name: port for port in step.outputs}
    outputs = (*(by_name[FEEDBACK[port.name]] for port in states), PilotState.port("pilot_next"), *told)
    return Program(f"{rotor.name}_flight", inputs, outputs, expr)

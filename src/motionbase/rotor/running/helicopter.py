"""A rotor with its airframe as a run takes it: set points of a stabiliser, attitude and speeds in the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.elements.airframe import FUSELAGE
from motionbase.rotor.inflow.hover import hover
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.models.settings import Setting
from motionbase.rotor.running.operated import InnerLaw, Output
from motionbase.rotor.running.stabiliser import Stabiliser
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

ABOUT = (
    Output("pitch", "rad", "of the airframe, nose-up"),
    Output("roll", "rad", "of the airframe, right side down"),
    Output("yaw", "rad", "of the airframe, nose to the left"),
    Output("pitch_rate", "rad/s", "about the airframe's y, nose-up"),
    Output("roll_rate", "rad/s", "about the airframe's x, right side down"),
    Output("yaw_rate", "rad/s", "about the airframe's z, nose to the left"),
    Output("forward", "m/s", "level speed of the hub where the nose points"),
    Output("leftward", "m/s", "level speed of the hub to the left of it"),
    Output("climb", "m/s", "speed of the hub upwards"),
    Output("height", "m", "of the hub over its start"),
    Output("tail_flow_x", "m/s", "air at the tail rotor relative to its hub, along x of the airframe"),
    Output("tail_flow_y", "m/s", "the same, along z of the airframe"),
    Output("tail_flow_z", "m/s", "the same, along its shaft, to the right"),
)
ACTING = (
    Output("collective_acts", "rad", "collective pitch with what the stabiliser adds"),
    Output("cyclic_cos_acts", "rad", "lateral cyclic pitch with what the stabiliser adds"),
    Output("cyclic_sin_acts", "rad", "longitudinal cyclic pitch with what the stabiliser adds"),
    Output("tail_acts", "N", "thrust of the tail rotor that is asked for, with what the stabiliser adds"),
)
KEPT = 8  # numbers of the stabiliser
HALVINGS = 40
STEEPEST = 0.4  # [rad] collective pitch that is tried
SETTLE_S, SEEK = 24.0, 0.25  # [s] before a run begins, [rad/s] how fast it then comes to rest
SEEK_DAMPING = 1.4
G = 9.81


@cache
def controls_of(rotor: RotorModel) -> tuple[Setting, ...]:
    """Pitch and tail thrust by hand, which start at those of a hover, then set points; a stop levels the helicopter."""
    airframe = rotor.airframe
    assert airframe is not None
    collective, torque = hovering(rotor)
    starts = {"collective": collective, "tail": torque / abs(airframe.tail_at[0])}
    by_hand = []
    for one in (*rotor.controls, *(one for one in rotor.flight if one.name == "tail")):
        start = starts.get(one.name, 0.0)
        by_hand.append(Setting(one.name, one.unit, one.about, start, one.least, one.most, one.rate, start))
    over = "over that of the hover"
    return (
        *by_hand,
        Setting("pitch_set", "rad", f"attitude to be held, nose-up, {over}", 0.0, -0.35, 0.35, 0.1, 0.0),
        Setting("roll_set", "rad", f"attitude to be held, right side down, {over}", 0.0, -0.35, 0.35, 0.1, 0.0),
        Setting("heading_set", "rad", "heading to be held, to the left", 0.0, -np.pi, np.pi, 0.2),
        Setting("climb_set", "m/s", "speed upwards to be held", 0.0, -5.0, 5.0, 1.0, 0.0),
        Setting("stabilised", "-", "1: the stabiliser acts, 0: only its last trim", 1.0, 0.0, 1.0, 2.0, 1.0),
    )


def flight_of(rotor: RotorModel) -> tuple[Setting, ...]:
    """Gusts."""
    return tuple(one for one in rotor.flight if one.name != "tail")


def stabilised(rotor: RotorModel) -> InnerLaw:
    """The stabiliser between settings and what acts."""
    dt = rotor.step

    def seek(seen: Mapping[str, float], kept: Array) -> None:
        """Attitudes at which the helicopter stays where it is: nose up where it drifts ahead."""
        speeds = np.array([seen["forward"], seen["leftward"]])
        kept[6:8] += SEEK**2 / G * speeds * dt
        kept[4:6] = 2 * SEEK_DAMPING * SEEK / G * speeds + kept[6:8]

    return InnerLaw(ACTING, np.zeros(KEPT), Stabiliser.of(rotor).correct, SETTLE_S, seek)


def hovering(rotor: RotorModel) -> tuple[float, float]:
    """Collective pitch at the root [rad] and torque [N m] that carry the weight, by blade elements and momentum."""
    weight, low, high = rotor.weight, 0.0, STEEPEST
    if hover(rotor.planform, high).thrust < weight:
        raise ModelError(f"rotor {rotor.name!r} cannot carry {weight:.4g} N at a collective of {high:g} rad")
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if hover(rotor.planform, middle).thrust < weight else (low, middle)
    return high, hover(rotor.planform, high).torque


def motion(rotor: RotorModel) -> Callable[[Expr, Expr, Expr], Expr]:
    """(q, v, settings of a run) -> `ABOUT`."""
    model, airframe, controls = rotor.model, rotor.airframe, len(controls_of(rotor))
    assert airframe is not None
    place = model.index[FUSELAGE]
    at_q, at_v = model.q_slices[place][0], model.v_slices[place][0]
    gusts = [controls + k for k, one in enumerate(flight_of(rotor)) if one.name.startswith("gust")]

    def expr(q: Expr, v: Expr, settings: Expr) -> Any:
        own, moving = q[at_q], v[at_v]
        R, omega = R_quaternion(own[3:7]), moving[:3]
        velocity = R @ moving[3:]
        yaw = ca.atan2(R[1, 0], R[0, 0])
        c, s = ca.cos(yaw), ca.sin(yaw)
        flow = R.T @ settings[gusts] - moving[3:] - ca.cross(omega, ca.DM(airframe.tail_at))
        return ca.vertcat(
            ca.asin(R[2, 0]), ca.atan2(R[2, 1], R[2, 2]), yaw, -omega[1], omega[0], omega[2],
            c * velocity[0] + s * velocity[1], c * velocity[1] - s * velocity[0], velocity[2], own[2],
            flow[0], flow[2], -flow[1],
        )  # fmt: skip

    return expr

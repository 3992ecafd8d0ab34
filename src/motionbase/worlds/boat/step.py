"""A step of a boat in six degrees of freedom, as a program in the compiler; boat.md has the equations.

water around her, strips, planing lift, pressure on the surface of the hull, propulsion, added mass, acceleration
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.compile import Port, Program, Struct, for_each, q
from motionbase.record.vehicle import G
from motionbase.spatial.rotations import R_quaternion, quaternion_product, quaternion_rotation_vector, unit_quaternion
from motionbase.worlds.boat.craft import Craft
from motionbase.worlds.boat.flow import (
    Along,
    Motion,
    along_of,
    depth_at,
    planing_of,
    resistance_of,
    speed_number,
    stern_lift,
)
from motionbase.worlds.boat.mesh import Indices
from motionbase.worlds.boat.others import NOTHING, Others
from motionbase.worlds.boat.pressure import wet_sums
from motionbase.worlds.boat.propulsion import Engine, engine_after, thrust_of
from motionbase.worlds.boat.strips import STRIPS
from motionbase.worlds.sea.around import around
from motionbase.worlds.sea.patch import Sea, clamped, flow_at, signed_head_at, surface_at

SX = ca.SX
MUNK = 0.5  # of the moment of a slender body that drifts, what is left as she planes; illustrative


class Body(Struct):
    """A boat at a moment. V and V_dot: angular rate, then velocity of the centre of gravity, in axes of the vessel."""

    count: SX = q("-", text="of steps so far")
    p_W: SX = q("m", 3, "centre of gravity in the world")
    Q_WB: SX = q("-", 4, "attitude, wxyz", start=(1.0, 0.0, 0.0, 0.0))
    V: SX = q("SI, mixed", 6)
    V_dot: SX = q("SI, mixed", 6)
    engine: Engine = q(of=Engine)
    soaked: SX = q("-", (STRIPS, 2), "wet part of strips, left and right", start=1.0)


class Seen(Struct):
    """Outputs of the step besides the motion of the boat."""

    surface: SX = q("m", text="height of the water at the centre of gravity")
    wet: SX = q("-", text="wet area over that at rest")
    thrust: SX = q("N", text="of all propellers")
    speed: SX = q("m/s", text="ahead through the water")
    pressure: SX = q("N", 3, "force of pressure at rest and of waves, in axes of the vessel")
    lift: SX = q("N", text="of the planing bottom, along the vessel's z")
    others: SX = q("SI, mixed", 6, "wrench of contacts")


def moved(
    hull: Hull, craft: Craft, sea: Sea, h: SX, push: SX, body: Body, controls: SX, others: Others, more: tuple[Any, ...]
) -> tuple[Body, Seen]:
    """The boat a step later: kick, drift, forces, kick (velocity Verlet with a predicted velocity).

    Args:
        h: length of the step [s]
        push: (6,) further wrench about the centre of gravity, in axes of the vessel [N m, N]
        more: inputs of `others`
    """
    half = body.V + 0.5 * h * body.V_dot
    V = half + 0.5 * h * body.V_dot
    omega, v = half[:3], half[3:]
    Q_mid = quaternion_product(body.Q_WB, quaternion_rotation_vector(0.5 * h * omega))
    Q_WB = unit_quaternion(quaternion_product(body.Q_WB, quaternion_rotation_vector(h * omega)))
    p_W = body.p_W + h * (R_quaternion(Q_mid) @ v)
    engine = engine_after(craft, body.engine, controls[0], controls[1], v[0], h)
    ahead = Body(body.count + 1, p_W, Q_WB, V, body.V_dot, engine, body.soaked)
    V_dot, soaked, seen = accelerated(hull, craft, sea, h, push, ahead, others, more)
    return ahead.replace(V=half + 0.5 * h * V_dot, V_dot=V_dot, soaked=soaked), seen


def accelerated(
    hull: Hull, craft: Craft, sea: Sea, h: SX, push: SX, body: Body, others: Others, more: tuple[Any, ...]
) -> tuple[SX, SX, Seen]:
    """Acceleration of the boat at its present place, attitude and velocity."""
    R_WB, omega, v = R_quaternion(body.Q_WB), body.V[:3], body.V[3:]
    heading = ca.atan2(R_WB[1, 0], R_WB[0, 0])
    c, s = ca.cos(heading), ca.sin(heading)
    R = ca.vertcat(c * R_WB[0, :] + s * R_WB[1, :], c * R_WB[1, :] - s * R_WB[0, :], R_WB[2, :])  # to the heading's
    t, p = body.count * h, body.p_W[:2]
    made, near = around(sea, t, p, heading, others.waves(*more)), others.near(t, p, heading, *more)

    def flow(x: SX, z: SX) -> tuple[SX, SX]:
        v_H, v_dot_H = flow_at(sea, made, R[0, 0] * x + R[0, 2] * z)
        return R.T @ v_H, R.T @ v_dot_H

    def surface(x: SX, y: SX) -> SX:
        return surface_at(sea, made, x, y) + others.rise(near, x, y)

    def head(point: SX) -> Any:
        r = R @ point
        return signed_head_at(sea, made, r[0], r[1], m.height + r[2] - others.rise(near, r[0], r[1]))[1]

    m = Motion(R, body.p_W[2], v, omega, surface, flow)
    water, water_dot = flow(SX(0), SX(0))
    through = v - water
    slow = 1 / (1 + craft.planes * speed_number(craft, through[0]) ** 4)

    along = along_of(craft, m, body.soaked, slow, h)
    planing = planing_of(craft, m, along.soaked, through, water)

    factors = planing.static * (1 - hull.transom * (1 - planing.transom))
    wet = wet_sums(hull.faces, hull.triangles, for_each(head, hull.vertices), factors)
    pressure = craft.density * G * ca.vertcat(wet.moment, wet.force)

    share = ca.sum1(along.soaked[:, 0] + along.soaked[:, 1]) / (2 * STRIPS)
    wet_share = clamped(wet.area / craft.wet_area, 0.0, 1.0)
    over = craft.fades * (1 - share) * wet_share * clamped(1 - R[2, 2], 0.0, 1.0)  # she lies on her side or upside down
    propulsion = thrust_of(craft, body.engine, through, omega, depth_at(m, craft.propeller))
    drag = ca.vertcat(0, 0, 0, resistance_of(craft, through, wet.area), 0, 0)
    weight = ca.vertcat(0, 0, 0, -G * craft.mass * R[2, :].T)
    surging = ca.vertcat(0, 0, 0, left(craft, share) * craft.added_surge * water_dot[0], 0, 0)
    added = added_matrix(craft, along, left(craft, share), over)
    touch = others.touch(near, body.p_W, R_WB, body.V)
    force = (
        pressure + weight + along.wrench + planing.wrench + propulsion.wrench + drag + push + touch + surging
        + stern_lift(craft, m, through, share) + rolling(craft, omega, wet_share)
        - over * lying(craft, omega, through) - carried(craft, added, omega, v, through, slow)
    )  # fmt: skip
    lift = planing.wrench[5]
    seen = Seen(surface(SX(0), SX(0)), wet_share, propulsion.thrust, through[0], pressure[3:], lift, touch)
    return solved(craft, added, force), along.soaked, seen


# ---- masses --------------------------------------------------------------------------------------------------------


def left(craft: Craft, share: SX) -> SX:
    """Remaining part of the added mass that is not known strip by strip."""
    return 1 - craft.fades * (1 - share)


def added_matrix(craft: Craft, along: Along, present: SX, over: SX) -> dict[str, SX]:
    """Entries of the matrix of added mass that are not zero, named by what moves: roll, surge, sway, sway_yaw ..."""
    x, inner = craft.strips.x, craft.width**2 / 12
    sway = along.sway + over * craft.strips.sway
    heave = along.heave + over * craft.strips.heave
    return {
        "roll": craft.added_roll * (present + over),
        "surge": craft.added_surge * (present + over),
        "sway": ca.sum1(sway),
        "heave": ca.sum1(heave),
        "pitch": ca.sum1(heave * (x**2 + inner)),
        "yaw": ca.sum1(sway * (x**2 + inner)),
        "sway_yaw": ca.sum1(sway * x),
        "heave_pitch": -ca.sum1(heave * x),
    }


def carried(craft: Craft, added: dict[str, SX], omega: SX, v: SX, through: SX, slow: SX) -> SX:
    """(6,) gyroscopic and centripetal terms of body and added mass (Kirchhoff; Fossen 2011, 6.4).

    They do no work. Terms that the lift of stern and planing bottom contain already fade as the boat planes: `slow`.
    """
    aside = MUNK + (1 - MUNK) * slow
    P = ca.vertcat(
        added["surge"] * through[0],
        aside * (added["sway"] * through[1] + added["sway_yaw"] * omega[2]),
        slow * (added["heave"] * through[2] + added["heave_pitch"] * omega[1]),
    )
    turned = ca.vertcat(
        added["roll"] * omega[0],
        slow * (added["pitch"] * omega[1] + added["heave_pitch"] * through[2]),
        aside * (added["yaw"] * omega[2] + added["sway_yaw"] * through[1]),
    )
    spin = craft.inertia * omega
    moment = ca.cross(omega, spin + turned) + ca.cross(through, P)
    return ca.vertcat(moment, ca.cross(omega, craft.mass * v + P))


def rolling(craft: Craft, omega: SX, share: SX) -> SX:
    """(6,) damping of roll."""
    p = omega[0]
    return ca.vertcat(-share * (craft.damp_roll + craft.damp_roll_quadratic * ca.fabs(p)) * p, 0, 0, 0, 0, 0)


def lying(craft: Craft, omega: SX, through: SX) -> SX:
    """(6,) damping of a boat on her side or upside down: that of all strips, independent of their orientation."""
    each = craft.strips.damp_heave + craft.strips.damp_sway
    total, second = ca.sum1(each), ca.sum1(each * craft.strips.x**2)
    return ca.vertcat(craft.damp_roll * omega[0], second * omega[1], second * omega[2], total * through)


def solved(craft: Craft, added: dict[str, SX], force: SX) -> SX:
    """Acceleration: roll and surge are decoupled, pitch is coupled with heave and yaw with sway."""

    def pair(a: SX, b: SX, c: SX, f: SX, g: SX) -> tuple[SX, SX]:
        by = 1 / (a * c - b * b)
        return (c * f - b * g) * by, (a * g - b * f) * by

    m, inertia = craft.mass, craft.inertia
    pitch, heave = pair(
        inertia[1] + added["pitch"], added["heave_pitch"], m + added["heave"], force[1], force[5]
    )  # fmt: skip
    yaw, sway = pair(inertia[2] + added["yaw"], added["sway_yaw"], m + added["sway"], force[2], force[4])
    roll, surge = force[0] / (inertia[0] + added["roll"]), force[3] / (m + added["surge"])
    return ca.vertcat(roll, pitch, yaw, surge, sway, heave)


# ---- program -------------------------------------------------------------------------------------------------------


@final
class Hull(NamedTuple):
    """The surface of a hull, as the step takes it: `craft.Hull` as expressions, and which vertices make a triangle."""

    faces: Indices
    vertices: SX
    triangles: SX
    transom: SX


@cache
def boat_step(faces: bytes, vertices: int, others: Others = NOTHING) -> Program:
    """The program of all hulls with the same triangles, among the same others."""
    indices: Indices = np.frombuffer(faces, np.int64).reshape(-1, 3)
    inputs = (
        Craft.port("craft"), Port("vertices", (vertices, 3), "m"), Port("triangles", (len(indices), 13), "m, m^2"),
        Port("transom", len(indices)), Sea.port("sea"), Port("h", (), "s"), *others.inputs, Port("push", 6, "N m, N"),
        Body.port("body"), Port("controls", 2),
    )  # fmt: skip

    def step(craft: Craft, points: SX, triangles: SX, transom: SX, sea: Sea, h: SX, *rest: Any) -> tuple[Body, Seen]:
        *more, push, body, controls = rest
        hull = Hull(indices, points, triangles, transom)
        return moved(hull, craft, sea, h, push, body, controls, others, tuple(more))

    return Program("boat_step", inputs, (Body.port("body_next"), Seen.port("seen")), step, "a step of a boat")

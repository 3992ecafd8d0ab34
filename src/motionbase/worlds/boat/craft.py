"""Parameters of a vessel for the compiled step: hull, strips, masses, damping and propulsion.

Axes are those of the vessel: origin in its centre of gravity, x ahead, y to the left, z up.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, q
from motionbase.record.vehicle import G
from motionbase.worlds.boat.lines import sections
from motionbase.worlds.boat.mesh import Mesh
from motionbase.worlds.boat.pressure import triangle_rows
from motionbase.worlds.boat.strips import STRIPS, Strips, added_mass, strips_of
from motionbase.worlds.boat.vessel import Vessel

SX = ca.SX
TRANSOM = 0.9  # of the area vector's length: at least so much of it points astern
LEAST_METACENTRE = 0.01  # [m] for damping of vessels that do not stand upright by themselves
RUDDER_ASPECT = 1.5  # height over chord; illustrative


class Strip(Struct):
    """A slice of the hull. Keel and chine are points of both sides; of a ship the chine is the waterline at rest."""

    x: SX = q("m", text="its middle")
    z: SX = q("m", text="where flow across it acts")
    y_keel: SX = q("m")
    z_keel: SX = q("m")
    y_chine: SX = q("m")
    z_chine: SX = q("m")
    sway: SX = q("kg", text="added mass")
    heave: SX = q("kg", text="added mass, wet to the chine")
    damp_sway: SX = q("N s/m")
    damp_heave: SX = q("N s/m")
    across: SX = q("N s²/m²", text="drag of flow from the side")
    below: SX = q("N s²/m²", text="and from below")


class Craft(Struct):
    """A vessel."""

    mass: SX = q("kg", start=1.0)
    inertia: SX = q("kg m²", 3, "about x, y, z", start=1.0)
    density: SX = q("kg/m³", start=1.0)
    strips: Strip = q(of=Strip, rows=STRIPS)
    width: SX = q("m", text="of a strip", start=1.0)
    aft: SX = q("m", text="x of the aftermost strip's end")
    added_surge: SX = q("kg")
    added_roll: SX = q("kg m²")
    damp_roll: SX = q("N m s")
    damp_roll_quadratic: SX = q("N m s²")
    pile: SX = q("-", text="pile-up of water at the bottom: pi / 2 for a planing hull", start=1.0)
    fades: SX = q("-", text="1: added mass follows the wet part of the hull; 0: it is constant", start=1.0)
    skeg: SX = q("kg/m", text="lift of the hull's stern across, over speed ahead and across")
    length: SX = q("m", text="of the waterline", start=1.0)
    wet_area: SX = q("m²", text="at rest", start=1.0)
    friction: SX = q("-", text="1 + form factor")
    making_waves: SX = q("-")
    froude: SX = q("-", start=1.0)
    air: SX = q("N s²/m²")
    planing_beam: SX = q("m", start=1.0)
    deadrise: SX = q("deg")
    planes: SX = q("-", text="1 if it has a planing bottom")
    transom_draft: SX = q("m", text="at rest", start=1.0)
    thrust: SX = q("N", text="of each of two propellers")
    ventless: SX = q("m/s", text="speed without thrust", start=1.0)
    astern: SX = q("-")
    propeller: SX = q("m", 3, "place of the left one")
    diameter: SX = q("m", start=1.0)
    engine_lag: SX = q("s", start=1.0)
    share: SX = q("-", text="of revolutions that the rudder moves from one propeller to the other")
    turn: SX = q("rad", text="largest angle of outboard or rudder")
    turn_rate: SX = q("rad/s")
    eases: SX = q("s²/m²", text="1 over the square of the speed at which it turns half as far")
    thrust_turns: SX = q("-", text="1: the propeller turns too")
    slipstream: SX = q("-", text="1: the rudder stands in it")
    rudder: SX = q("kg/m", text="lift over speed and speed across")


@final
class Hull(NamedTuple):
    """The surface: parameters of their own, since their size is the hull's.

    Attributes:
        vertices: (n, 3) about the centre of gravity [m]
        triangles: (m, 13) from `triangle_rows`
        transom: (m,) 1 for triangles of the transom of a planing hull
    """

    vertices: Array
    triangles: Array
    transom: Array


def hull_of(vessel: Vessel) -> Hull:
    """The hull of a vessel."""
    mesh = vessel.statics.about_centre
    length = np.linalg.norm(mesh.normals, axis=1)
    stern = (mesh.normals[:, 0] < -TRANSOM * length) & (mesh.corners[:, :, 0].max(axis=1) < mesh.vertices[:, 0].mean())
    return Hull(mesh.vertices, triangle_rows(mesh), stern * float(vessel.planing is not None))


def at_rest(vessel: Vessel) -> Mesh:
    """The hull as it floats: z = 0 is the water, x = 0 the centre of gravity."""
    at = vessel.statics.upright
    c, s = math.cos(at.trim), math.sin(at.trim)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    mesh = vessel.statics.about_centre
    return Mesh(mesh.vertices @ R.T + np.array([0.0, 0.0, at.height]), mesh.faces)


@final
class Edges(NamedTuple):
    """(n,) keel and chine of each strip, in axes of the vessel [m]."""

    y_keel: Array
    z_keel: Array
    y_chine: Array
    z_chine: Array


def edges_of(vessel: Vessel, strips: Strips) -> Edges:
    """Where strips begin to get wet, and where they are fully wet."""
    at, lines, centre = vessel.statics.upright, vessel.lines, vessel.centre
    water = (strips.x * math.sin(at.trim) - at.height) / math.cos(at.trim)
    zero = np.zeros(STRIPS)
    if lines is not None and lines.form == "v":
        points = sections(lines, (strips.x + centre[0]) / lines.length + 0.5)
        z = points[:, :, 1] - centre[2]
        return Edges(zero, z[:, 0], np.maximum(points[:, 2, 0], 0.02 * lines.beam), z[:, 2])
    keel = water - np.maximum(strips.draft, 1e-3 * vessel.length)
    if vessel.planing is not None:
        half = 0.5 * vessel.planing.beam
        return Edges(zero, keel, np.full(STRIPS, half), keel + half * math.tan(math.radians(vessel.planing.deadrise)))
    if lines is not None and lines.spacing:
        aside = np.full(STRIPS, 0.5 * lines.spacing)
        return Edges(aside, keel, aside, water)
    return Edges(zero, keel, 0.5 * strips.beam, water)


def craft_of(vessel: Vessel) -> Array:
    """`Craft` as one vector."""
    statics, d, p, drag = vessel.statics, vessel.damping, vessel.propulsion, vessel.resistance
    rho, mass, at = vessel.density, vessel.displacement, statics.upright
    level = at_rest(vessel)
    strips = strips_of(level)
    edges, planing = edges_of(vessel, strips), vessel.planing
    if planing is not None:
        strips = strips._replace(beam_squared=4 * edges.y_chine**2)
    added = added_mass(strips, rho, d.added_roll * vessel.inertia[0], d.added_surge * mass, d.added_sway, d.added_heave)
    length = float(strips.width * STRIPS)
    damp_heave = 2 * d.heave * math.sqrt(rho * G * statics.waterplane * (mass + added.heave))
    stiff = rho * G * statics.volume * max(statics.metacentric_heights[0], LEAST_METACENTRE)
    in_roll = vessel.inertia[0] + added.roll
    damp_sway = d.sway * math.sqrt(G / length) * (mass + added.sway)
    by_sway = added.by_sway / max(added.by_sway.sum(), 1e-12)
    middle = -at.height - 0.5 * strips.draft
    row = np.column_stack([
        strips.x, middle, edges.y_keel, edges.z_keel, edges.y_chine, edges.z_chine, added.by_sway, added.by_heave,
        damp_sway * by_sway, damp_heave * strips.beam / strips.beam.sum(),
        0.5 * rho * d.across * strips.draft * strips.width, 0.5 * rho * d.below * strips.beam * strips.width,
    ])  # fmt: skip
    blades = 6.13 * RUDDER_ASPECT / (RUDDER_ASPECT + 2.25)  # Fujii and Tuda 1961
    aside = p.place[1] if p.kind == "differential" else 0.0
    propeller = np.array([p.place[0], aside, p.place[2]]) - vessel.centre
    return Craft.layout.vector({
        "mass": mass, "inertia": vessel.inertia, "density": rho, "strips": row, "width": strips.width,
        "aft": strips.x[0] - strips.width / 2, "added_surge": added.surge, "added_roll": added.roll,
        "damp_roll": 2 * d.roll * math.sqrt(stiff * in_roll),
        "damp_roll_quadratic": 0.75 * math.pi * d.roll_quadratic * in_roll,
        "pile": math.pi / 2 if planing else 1.0, "fades": 1.0,
        "skeg": d.skeg * added.by_sway[0] / strips.width,
        "length": length, "wet_area": float(statics.sums(at.height, 0.0, at.trim)[0, 3]),
        "friction": 1 + drag.form, "making_waves": drag.waves, "froude": drag.froude, "air": 0.5 * 1.225 * drag.air,
        "planing_beam": planing.beam if planing else vessel.beam, "deadrise": planing.deadrise if planing else 0.0,
        "planes": float(planing is not None), "transom_draft": max(float(strips.draft[0]), 1e-3),
        "thrust": 0.5 * p.thrust, "ventless": p.speed, "astern": p.astern, "propeller": propeller,
        "diameter": p.diameter, "engine_lag": p.lag, "share": p.share if p.kind == "differential" else 0.0,
        "turn": math.radians(p.turn), "turn_rate": 2 * math.radians(p.turn) / p.turn_time,
        "eases": 1 / p.eases**2 if p.eases else 0.0,
        "thrust_turns": float(p.kind == "outboard"), "slipstream": float(p.kind == "rudder"),
        "rudder": 0.5 * rho * p.rudder_area * blades,
    })  # fmt: skip

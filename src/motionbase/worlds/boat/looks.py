"""What stands on each vessel, for viewers: wheelhouse, seats, masts, containers, outboard, rudder, propeller."""

from __future__ import annotations

import random
from typing import Any

from motionbase.worlds.boat.lines import Lines
from motionbase.worlds.boat.shapes import Point, Shape, box, boxes, house, hull_shapes, propeller, rod, sheer_at, whole
from motionbase.worlds.boat.vessel import Vessel

WHITE, CREAM, GLASS, BLACK, GREY, STEEL = "#e9ebea", "#d9cfb8", "#26343d", "#1e2124", "#6d747a", "#b9bec2"
CARGO = ("#8c3b2e", "#2f5d86", "#3f6b4a", "#b98b3a", "#7c7f83", "#a3512f", "#28485e", "#c9c6bd")


def vehicle_shapes(vessel: Vessel) -> list[Shape]:
    """All that is fixed to the hull."""
    lines = vessel.lines
    if lines is None:
        return [whole(vessel.mesh, WHITE)]
    if lines.spacing:
        return [*hull_shapes(lines, "#20262b", "#e8a11c", "#e8a11c", 0.005), *_instruments(lines)]
    if lines.form == "ship" and lines.length > 30:
        return [*hull_shapes(lines, "#7e2f2a", "#26435a", "#7b4a3c", 0.08 * lines.depth), *_ship(lines)]
    if lines.cabin[3] > 0:
        return [*hull_shapes(lines, "#8f2d27", WHITE, CREAM, 0.16 * lines.depth), *_wheelhouse(lines)]
    return [*hull_shapes(lines, "#3b4a55", "#27506e", CREAM, 0.55 * lines.depth), *_thwarts(lines)]


def parts_of(vessel: Vessel) -> list[dict[str, Any]]:
    """What moves: outboard or rudder with the wheel, propellers with the engine."""
    p, moving = vessel.propulsion, []
    x, y, z = p.place
    if p.kind == "outboard":
        top = vessel.lines.depth if vessel.lines else float(vessel.mesh.vertices[:, 2].max())
        d = p.diameter
        wide = max(0.9 * d, 0.18)
        shapes = [
            box((1.7 * wide, 1.2 * wide, 0.45 * top + 0.1), (x - 0.75 * wide, 0.0, top + 0.22 * top + 0.05), BLACK),
            box((1.5 * wide, 1.0 * wide, 0.08), (x - 0.75 * wide, 0.0, top + 0.45 * top + 0.14), GREY),
            box((0.7 * wide, 0.28 * wide, top - z), (x - 0.55 * wide, 0.0, (top + z) / 2), BLACK),
            box((1.5 * wide, 0.9 * wide, 0.03), (x - 0.6 * wide, 0.0, z + 0.62 * d), BLACK),
            rod((x + 0.1 * wide, 0.0, z), (x - 1.1 * wide, 0.0, z), 0.22 * d, BLACK, 0.12 * d),
        ]
        moving.append(_part("outboard", shapes, (x, 0.0, z), (0.0, 0.0, 1.0), "boat_rudder"))
        at = (x - 1.25 * wide, 0.0, z)
        return [*moving, {**_part("propeller", propeller(at, d), at, (1.0, 0.0, 0.0), "boat_propeller"),
                          "on": "outboard"}]  # fmt: skip
    for name, side in (("left propeller", 1.0), ("right propeller", -1.0)) if y else (("propeller", 0.0),):
        at = (x, side * y, z)
        moving.append(_part(name, propeller(at, p.diameter), at, (1.0, 0.0, 0.0), "boat_propeller"))
    if p.kind == "rudder":
        chord = 0.75 * p.diameter
        stock = (x - 0.75 * p.diameter, 0.0, z)
        blade = box((chord, 0.12 * chord, 1.25 * p.diameter), (stock[0] - 0.3 * chord, 0.0, z), "#7e2f2a")
        moving.append(_part("rudder", [blade], stock, (0.0, 0.0, 1.0), "boat_rudder"))
    return moving


def _part(
    name: str, shapes: list[Shape], p: tuple[float, ...], axis: tuple[float, ...], channel: str
) -> dict[str, Any]:
    return {"name": name, "shapes": shapes, "p": list(p), "axis": list(axis), "channel": channel}


def _wheelhouse(lines: Lines) -> list[Shape]:
    """A launch: a wheelhouse with open windows, seats, a wheel, rails, fenders, a mast."""
    length, (begin, end, width, height) = lines.length, lines.cabin
    aft, fore, w = length * (begin - 0.5), length * (end - 0.5), 0.5 * width
    deck = lines.depth * 0.88
    sill, roof = deck + 0.42 * height, deck + 1.02 * height + 0.1
    rake, seat = 0.4 * height, "#3c4a54"
    made = [
        house([(fore + 0.3, 0.6 * w), (fore, w), (fore - 0.55, w)], [(fore + 0.12, 0.6 * w), (fore - 0.06, 0.95 * w),
              (fore - 0.6, 0.95 * w)], deck, sill, WHITE),  # fmt: skip
        box((0.5, 1.86 * w, 0.04), (fore - 0.3, 0.0, sill + 0.01), GLASS),
        house([(fore - rake + 0.2, 0.66 * w), (fore - rake + 0.05, 0.9 * w), (aft - 0.35, 0.9 * w)], [
              (fore - rake + 0.12, 0.6 * w), (fore - rake, 0.86 * w), (aft - 0.3, 0.86 * w)], roof, roof + 0.07, WHITE),
        rod((aft + 0.25, 0.0, roof), (aft + 0.15, 0.0, roof + 0.75), 0.03, WHITE, 0.02),
        box((0.12, 0.5, 0.12), (aft + 0.2, 0.0, roof + 0.5), WHITE),
        rod((fore - 0.6, -0.3, sill - 0.06), (fore - 0.62, -0.3, sill - 0.02), 0.17, BLACK),
    ]  # fmt: skip
    for y in (-0.42, 0.42):
        made += [
            box((0.5, 0.5, 0.42), (aft + 0.25, y, deck + 0.15), seat),
            box((0.1, 0.5, 0.5), (aft, y, deck + 0.55), seat),
        ]
    made.append(box((0.45, 1.5, 0.4), (-0.43 * length, 0.0, deck - 0.05), seat))
    for side in (1.0, -1.0):
        corner = (fore - 0.02, side * 0.93 * w, sill)
        made += [
            box(
                (fore - aft - 0.5, 0.05, sill - deck),
                ((fore + aft) / 2 - 0.25, side * 0.97 * w, (sill + deck) / 2),
                WHITE,
            ),
            rod(corner, (fore - rake, side * 0.86 * w, roof), 0.028, WHITE),
            rod((fore + 0.12, side * 0.55 * w, sill), (fore - rake + 0.1, side * 0.55 * w, roof), 0.02, WHITE),
            rod((aft + 0.05, side * 0.95 * w, deck), (aft, side * 0.86 * w, roof), 0.03, WHITE),
            rod(
                ((aft + fore) / 2, side * 0.95 * w, deck), ((aft + fore) / 2 - 0.1, side * 0.86 * w, roof), 0.022, WHITE
            ),
        ]
        tops = []
        for x in (0.1 * length, 0.2 * length, 0.3 * length, 0.4 * length, 0.465 * length):
            y, z = sheer_at(lines, x)
            tops.append((x, side * 0.92 * y, z + 0.32))
            made.append(rod((x, side * 0.94 * y, z - 0.02), tops[-1], 0.016, STEEL))
        tops.append((0.475 * length, 0.0, tops[-1][2]))
        made += [rod(a, b, 0.018, STEEL) for a, b in zip(tops, tops[1:], strict=False)]
        y, z = sheer_at(lines, -0.3 * length)
        made += [rod((-0.48 * length, side * 1.01 * y, z - 0.06), (0.1 * length, side * 1.01 * y, z), 0.045, BLACK)]
    return made


def _thwarts(lines: Lines) -> list[Shape]:
    """A small open boat: benches, an edge of wood, a fuel tank."""
    made = []
    for x in (-0.3, -0.02, 0.22):
        y, z = sheer_at(lines, x * lines.length)
        made.append(box((0.28, 1.86 * y, 0.04), (x * lines.length, 0.0, z - 0.22 * lines.depth), "#a87b4b"))
    for side in (1.0, -1.0):
        line = [(x, *sheer_at(lines, x)) for x in (lines.length * (k / 10 - 0.5) for k in range(11))]
        points = [(x, side * y, z) for x, y, z in line]
        made += [rod(a, b, 0.03, "#8a5f36") for a, b in zip(points, points[1:], strict=False)]
    made.append(box((0.35, 0.25, 0.2), (-0.42 * lines.length, 0.3, 0.55 * lines.depth), "#a33327"))
    return made


def _instruments(lines: Lines) -> list[Shape]:
    """An unmanned catamaran: a frame between the hulls, a box, a mast with lights and antennas."""
    top, half = lines.depth, 0.5 * lines.spacing
    made = [box((0.08, 2 * half + 0.1, 0.04), (x, 0.0, top + 0.02), GREY) for x in (-0.45, 0.1, 0.5)]
    made += [
        box((0.62, 0.5, 0.2), (-0.15, 0.0, top + 0.14), BLACK),
        box((0.5, 0.42, 0.03), (-0.15, 0.0, top + 0.25), "#e8a11c"),
        rod((-0.38, 0.0, top + 0.2), (-0.38, 0.0, top + 0.85), 0.025, STEEL),
        rod((-0.38, 0.0, top + 0.85), (-0.38, 0.0, top + 0.93), 0.07, WHITE),
        box((0.04, 0.5, 0.04), (-0.38, 0, top + 0.6), GREY),
        rod((-0.38, 0.22, top + 0.6), (-0.38, 0.22, top + 1.0), 0.01, BLACK),
        rod((-0.38, -0.22, top + 0.6), (-0.38, -0.22, top + 1.0), 0.01, BLACK),
    ]  # fmt: skip
    return made


def _ship(lines: Lines) -> list[Shape]:
    """A container ship: house and funnel aft, stacks of containers along the deck, masts."""
    length, (begin, end, width, height) = lines.length, lines.cabin
    aft, fore = length * (begin - 0.5), length * (end - 0.5)
    deck = lines.depth * 0.94
    made = [
        box((fore - aft, 0.8 * width, height), ((aft + fore) / 2, 0.0, deck + height / 2), WHITE),
        box((0.25 * (fore - aft), lines.beam, 3.0), (fore - 2.0, 0.0, deck + height + 1.2), WHITE),
        box((0.26 * (fore - aft), 0.985 * lines.beam, 1.3), (fore - 1.95, 0.0, deck + height + 1.6), GLASS),
        box((0.3 * (fore - aft), 0.3 * width, 6.0), (aft + 3.0, 0.0, deck + height + 3.0), "#26435a"),
        box((0.305 * (fore - aft), 0.305 * width, 1.6), (aft + 3.0, 0.0, deck + height + 4.6), "#c8a23a"),
        rod((fore - 4.0, 0.0, deck + height + 2.5), (fore - 4.0, 0.0, deck + height + 12.0), 0.35, WHITE, 0.2),
        rod((0.46 * length, 0.0, deck), (0.46 * length, 0.0, deck + 14.0), 0.4, WHITE, 0.2),
    ]
    made += [box((0.3, 0.82 * width, 1.0), (fore + 0.05, 0.0, deck + 3.0 * k + 2.0), GLASS) for k in range(6)]
    dice = random.Random(7)
    bay, tier = 12.8, 2.6
    stacked: dict[str, list[Point]] = {}
    x = fore + 9.0
    while x < 0.40 * length:
        y, _ = sheer_at(lines, x + 0.5 * bay)
        rows = max(2, int(2 * min(y, 0.5 * lines.beam) / 2.5))
        tiers = 4 if x < 0.3 * length else 3
        for row in range(rows):
            for k in range(tiers - dice.choice((0, 0, 1))):
                at = (x, (row - (rows - 1) / 2) * 2.5, deck + 1.0 + tier * (k + 0.5))
                stacked.setdefault(dice.choice(CARGO), []).append(at)
        x += bay + 0.9
    return made + [boxes((12.2, 2.4, 2.5), places, color) for color, places in stacked.items()]

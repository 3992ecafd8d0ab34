"""Traffic as viewers draw it: objects of a scene with their shapes, courses and wakes. z = 0 is still water."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.boat.lines import Lines
from motionbase.worlds.boat.shapes import Shape, box, house, hull_shapes, mesh, rod
from motionbase.worlds.boat.traffic.sets import TrafficSet
from motionbase.worlds.boat.traffic.things import Buoy, Craft, Wall

Object = dict[str, Any]
DEEP = 4.0  # [m] walls reach so far below the water
STONE, CAP, TIMBER, DARK, WHITE, GLASS = "#8d8f8b", "#a9aaa4", "#7a6248", "#3a3f44", "#eceeec", "#26343d"
RED, GREEN, ORANGE, SAIL = "#b3261e", "#1f7a3d", "#e8641b", "#f4f1e8"


def objects_of(traffic: TrafficSet) -> list[Object]:
    """All objects of a set; buoys first, in the order of their numbers."""
    return [
        *(_buoy(buoy, k + 1) for k, buoy in enumerate(traffic.buoys)),
        *(_craft(craft) for craft in traffic.craft),
        *(_wall(wall) for wall in traffic.walls),
    ]


def _rounded(shapes: list[Shape]) -> list[Shape]:
    """Numbers short enough for a header."""
    for shape in shapes:
        for key in ("p", "q", "size"):
            shape[key] = [round(float(x), 4) for x in shape[key]]
    return shapes


def _object(name: str, shapes: list[Shape], at: tuple[float, float], heading: float, **more: Any) -> Object:
    p = [*map(float, at), 0.0]
    return {"name": name, "shapes": _rounded(shapes), "p": p, "heading": round(heading, 6), **more}


# ---- buoys ---------------------------------------------------------------------------------------------------------


def _buoy(buoy: Buoy, number: int) -> Object:
    r, h = buoy.radius, buoy.height
    low, top = -buoy.draft, 0.25 * h
    if buoy.look == "mark":
        shapes = [rod((0, 0, low), (0, 0, 0.45 * h), 0.9 * r, ORANGE, r), rod((0, 0, 0.45 * h), (0, 0, h), r, ORANGE,
                  0.9 * r), rod((0, 0, 0.42 * h), (0, 0, 0.52 * h), 1.01 * r, WHITE)]  # fmt: skip
    else:
        color = RED if buoy.look == "can" else GREEN
        shapes = [rod((0, 0, low), (0, 0, top), r, color)]
        shapes += [
            rod((0.8 * r * math.cos(a), 0.8 * r * math.sin(a), top), (0.25 * r * math.cos(a), 0.25 * r * math.sin(a),
                0.8 * h), 0.05, color)
            for a in (0.5, 2.6, 4.7)
        ]  # fmt: skip
        shapes.append(rod((0, 0, 0.62 * h), (0, 0, 0.66 * h), 0.5 * r, color))
        tip = 0.03 if buoy.look == "cone" else 0.4 * r
        shapes.append(rod((0, 0, 0.8 * h), (0, 0, h), 0.4 * r, color, tip))
    moved = {"number": number, "channel": "boat_buoy", "x": "boat_buoy_x", "y": "boat_buoy_y"}
    return _object(buoy.name, shapes, buoy.at, 0.0, floats=True, moved=moved)


# ---- walls ---------------------------------------------------------------------------------------------------------


def _wall(wall: Wall) -> Object:
    build = {"quay": _quay, "pier": _pier, "rocks": _rocks}[wall.look]
    return _object(wall.name, build(wall), wall.at, math.radians(wall.heading))


def _quay(wall: Wall) -> list[Shape]:
    """A wall of stone with a kerb, bollards and fenders."""
    a, b, h = wall.length, wall.breadth, wall.height
    made = [
        box((a, b, h + DEEP), (0, 0, (h - DEEP) / 2), STONE),
        box((a - 0.8, b - 0.8, 0.1), (0, 0, h + 0.02), CAP),
    ]
    count = max(2, int(a / 12))
    for k in range(count):
        x = a * ((k + 0.5) / count - 0.5)
        for side in (1.0, -1.0):
            made.append(rod((x, side * (b / 2 - 0.6), h), (x, side * (b / 2 - 0.6), h + 0.5), 0.18, DARK, 0.24))
            made.append(box((0.5, 0.12, h), (x + 3.0, side * (b / 2 + 0.05), h / 2 - 0.2), DARK))
    return made


def _pier(wall: Wall) -> list[Shape]:
    """A deck of timber on piles."""
    a, b, h = wall.length, wall.breadth, wall.height
    made = [box((a, b, 0.25), (0, 0, h - 0.12), TIMBER)]
    made += [box((a, 0.14, 0.3), (0, side * (b / 2 - 0.1), h - 0.3), DARK) for side in (1.0, -1.0)]
    count = max(2, round(a / 6))
    for k in range(count + 1):
        x = a * (k / count - 0.5) * 0.98
        for side in (1.0, -1.0):
            y = side * (b / 2 - 0.3)
            made.append(rod((x, y, -DEEP), (x, y, h + (0.8 if k % 2 == 0 else 0.0)), 0.18, "#5d4a37"))
    return made


def _rocks(wall: Wall) -> list[Shape]:
    """A mole of rubble: a core, and blocks as chance put them."""
    a, b, h = wall.length, wall.breadth, wall.height
    dice = random.Random(wall.name)
    outline = [(a / 2, 0.3 * b), (a / 2 - 0.2 * b, 0.5 * b), (-a / 2 + 0.2 * b, 0.5 * b), (-a / 2, 0.3 * b)]
    top = [(x * (1 - 0.3 * b / a), 0.45 * y) for x, y in outline]
    made = [house(outline, top, -1.5, h, "#6f6c66")]
    points: list[Array] = []
    faces: list[list[int]] = []
    for _ in range(min(110, int(0.8 * a))):
        along, side = dice.uniform(-0.5, 0.5) * a, dice.choice((-1.0, 1.0))
        up = dice.random()
        size = dice.uniform(1.0, 1.9)
        middle = np.array([along, side * b * (0.5 - 0.27 * up), up * h - 0.3])
        corners = np.array([[sx, sy, sz] for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)], float)
        corners *= size / 2 * np.array([dice.uniform(0.7, 1.3) for _ in range(3)])
        c, s = math.cos(turn := dice.uniform(0, 3)), math.sin(turn)
        start = len(points)
        points += list(corners @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + middle)
        for q in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
            faces += [[start + q[0], start + q[1], start + q[2]], [start + q[0], start + q[2], start + q[3]]]
    return [*made, mesh(np.array(points).round(2), faces, "#85817a")]


# ---- craft ---------------------------------------------------------------------------------------------------------


def _craft(craft: Craft) -> Object:
    course = craft.course
    at, more = course.at(0.0), {}
    if craft.speed:
        more = {
            "course": course.scene,
            "wake": {"length": craft.length, "beam": craft.beam, "draft": craft.draft, "speed": craft.speed},
        }
    look = {"ferry": _ferry, "launch": _launch, "yacht": _yacht, "ship": _ship}[craft.look]
    return _object(craft.name, look(craft), (at.x, at.y), at.heading, floats=True, **more)


def _hull(craft: Craft, lines: Lines, bottom: str, side: str, deck: str) -> list[Shape]:
    """Its hull, its waterline at z = 0."""
    made = hull_shapes(lines, bottom, side, deck, 0.06 * lines.depth)
    for shape in made:
        shape["p"] = [0.0, 0.0, -craft.draft]
    return made


def _ferry(craft: Craft) -> list[Shape]:
    """Long saloons with windows all round, a bridge ahead, a funnel."""
    a, b = craft.length, craft.beam
    lines = Lines("ship", a, b, craft.draft + 0.1 * a * 0.7, craft.draft, waterplane=0.8, block=0.58)
    deck = lines.depth - craft.draft
    low, mid, high = deck - 0.05, deck + 2.6, deck + 5.0
    made = _hull(craft, lines, "#7e2f2a", "#1f4e79", "#4a5a52")
    made += [
        house([(0.3 * a, 0.25 * b), (0.24 * a, 0.46 * b), (-0.44 * a, 0.46 * b)],
              [(0.28 * a, 0.25 * b), (0.22 * a, 0.46 * b), (-0.44 * a, 0.46 * b)], low, mid, WHITE),
        house([(0.2 * a, 0.2 * b), (0.16 * a, 0.4 * b), (-0.36 * a, 0.4 * b)],
              [(0.17 * a, 0.2 * b), (0.13 * a, 0.4 * b), (-0.36 * a, 0.4 * b)], mid, high, WHITE),
        house([(0.15 * a, 0.2 * b), (0.12 * a, 0.34 * b), (0.02 * a, 0.34 * b)],
              [(0.16 * a, 0.22 * b), (0.13 * a, 0.36 * b), (0.02 * a, 0.36 * b)], high, high + 2.2, GLASS),
        box((0.16 * a, 0.78 * b, 0.15), (0.08 * a, 0, high + 2.3), WHITE),
        box((0.7 * a, 0.925 * b, 0.9), (-0.1 * a, 0, low + 1.6), GLASS),
        box((0.48 * a, 0.805 * b, 0.9), (-0.1 * a, 0, mid + 1.3), GLASS),
        box((0.1 * a, 0.2 * b, 3.2), (-0.2 * a, 0, high + 1.6), "#c8a23a"),
        box((0.102 * a, 0.204 * b, 0.8), (-0.2 * a, 0, high + 2.9), DARK),
        rod((0.05 * a, 0, high + 2.3), (0.04 * a, 0, high + 6.5), 0.12, WHITE, 0.06),
    ]  # fmt: skip
    return made


def _launch(craft: Craft) -> list[Shape]:
    """A pilot boat: a high bow, a house with raked windows, a tyre all round."""
    a, b = craft.length, craft.beam
    lines = Lines("v", a, 0.94 * b, craft.draft + 0.13 * a, craft.draft, deadrise=18.0, flare=1.1, sheer=0.25)
    deck = lines.depth - craft.draft
    made = _hull(craft, lines, "#20262b", ORANGE, "#5c6468")
    made += [
        house([(0.17 * a, 0.2 * b), (0.14 * a, 0.34 * b), (-0.16 * a, 0.34 * b)],
              [(0.15 * a, 0.2 * b), (0.12 * a, 0.33 * b), (-0.16 * a, 0.33 * b)], deck - 0.1, deck + 0.9, WHITE),
        house([(0.15 * a, 0.2 * b), (0.12 * a, 0.33 * b), (-0.16 * a, 0.33 * b)],
              [(0.09 * a, 0.18 * b), (0.06 * a, 0.29 * b), (-0.13 * a, 0.29 * b)], deck + 0.9, deck + 1.8, GLASS),
        box((0.22 * a, 0.62 * b, 0.1), (-0.02 * a, 0, deck + 1.85), WHITE),
        rod((-0.06 * a, 0, deck + 1.9), (-0.08 * a, 0, deck + 3.6), 0.05, WHITE, 0.03),
        box((0.2, 0.3 * b, 0.12), (-0.06 * a, 0, deck + 2.7), WHITE),
    ]  # fmt: skip
    return made


def _yacht(craft: Craft) -> list[Shape]:
    """A sailing yacht; she has her sails up where she is under way."""
    a, b = craft.length, craft.beam
    lines = Lines("ship", a, b, craft.draft + 0.11 * a, craft.draft, waterplane=0.76, block=0.46, flare=1.1, sheer=0.1)
    deck, tall, x = lines.depth - craft.draft, 1.25 * a, 0.06 * a
    boom = deck + 0.13 * a
    made = _hull(craft, lines, "#20262b", WHITE, "#b08a5a")
    made += [
        house([(0.2 * a, 0.1 * b), (0.12 * a, 0.24 * b), (-0.12 * a, 0.26 * b)],
              [(0.16 * a, 0.09 * b), (0.1 * a, 0.2 * b), (-0.12 * a, 0.22 * b)], deck - 0.1, deck + 0.05 * a, WHITE),
        rod((x, 0, deck), (x, 0, tall), 0.008 * a + 0.02, "#c9ccce", 0.03),
        rod((x, 0, boom), (x - 0.42 * a, 0, boom), 0.05, "#c9ccce"),
    ]  # fmt: skip
    if not craft.speed:
        return [*made, rod((x - 0.02 * a, 0, boom + 0.12), (x - 0.4 * a, 0, boom + 0.1), 0.14, "#27506e")]
    out = 0.1 * a  # sails are full to leeward
    main = [(x - 0.01, 0, boom + 0.1), (x - 0.41 * a, 0.6 * out, boom + 0.1), (x - 0.2 * a, out, boom + 0.4 * tall),
            (x - 0.02, 0.1 * out, tall - 0.3)]  # fmt: skip
    jib = [(0.46 * a, 0, deck + 0.4), (x - 0.04 * a, 0.8 * out, deck + 0.8), (0.2 * a, out, 0.45 * tall),
           (x + 0.02, 0.1 * out, 0.88 * tall)]  # fmt: skip
    for sail in (main, jib):
        faces = [[0, 1, 2], [0, 2, 3], [1, 3, 2]]
        made.append(mesh(np.array(sail), faces + [f[::-1] for f in faces], SAIL))
    return made


def _ship(craft: Craft) -> list[Shape]:
    """A coaster: hatches along the deck, the house aft."""
    a, b = craft.length, craft.beam
    lines = Lines("ship", a, b, craft.draft + 0.055 * a, craft.draft, waterplane=0.84, block=0.7)
    deck = lines.depth - craft.draft
    made = _hull(craft, lines, "#7e2f2a", "#2b3a2f", "#6b4a3c")
    made += [
        box((0.09 * a, 0.8 * b, 0.1 * a), (-0.4 * a, 0, deck + 0.05 * a), WHITE),
        box((0.05 * a, 0.95 * b, 2.4), (-0.375 * a, 0, deck + 0.1 * a + 1.1), WHITE),
        box((0.051 * a, 0.9 * b, 0.9), (-0.3745 * a, 0, deck + 0.1 * a + 1.5), GLASS),
        box((0.05 * a, 0.25 * b, 4.0), (-0.44 * a, 0, deck + 0.1 * a + 1.0), "#c8a23a"),
        rod((0.44 * a, 0, deck), (0.44 * a, 0, deck + 0.1 * a), 0.25, WHITE, 0.12),
    ]
    for k in range(4):
        made.append(box((0.14 * a, 0.7 * b, 0.014 * a), ((0.3 - 0.18 * k) * a, 0, deck + 0.005 * a), "#8a5a44"))
        made.append(rod(((0.39 - 0.18 * k) * a, 0, deck), ((0.39 - 0.18 * k) * a, 0, deck + 0.09 * a), 0.2, WHITE))
    return made

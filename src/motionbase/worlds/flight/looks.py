"""How aircraft look: shapes of their own point's axes, and parts that move. Sizes are those of the models in JSBSim.

A part is {"name", "shapes", "p", "axis", "channel", "scale"}. Gears are drawn as they lie when they are up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

from motionbase.worlds.felt import Vector
from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.shapes import Shape, body, both, box, mirrored, panel, rod, sheet, wheel, wing

Part = dict[str, Any]
GLASS, DARK, METAL, LIGHT = "#22303c", "#33373c", "#9aa0a6", "#f2f3f0"


@final
class Look(NamedTuple):
    """Shapes that stay, parts that move, and where a camera outside is, in axes of the vehicle [m]."""

    shapes: list[Shape]
    parts: list[Part]
    chase: Vector


def part(name: str, channel: str, p: Vector, axis: Vector, shapes: Sequence[Shape], scale: float = 1.0) -> Part:
    """A part that turns about an axis through p."""
    return {
        "name": name, "channel": f"flight_{channel}", "p": list(p), "axis": list(axis), "scale": scale,
        "shapes": list(shapes),
    }  # fmt: skip


def hinged(
    name: str, channel: str, corners: Sequence[tuple[float, float, float, float]], color: str, scale: float
) -> Part:
    """A flap behind a hinge, which is the leading edge of its sections; positive angles lower its trailing edge."""
    (x0, _, y0, z0), (x1, _, y1, z1) = corners[0], corners[-1]
    way = (x0 - x1, y0 - y1, z0 - z1)
    size = math.hypot(*way)
    axis = (-way[0] / size, -way[1] / size, -way[2] / size)  # from the left to the right
    return part(name, channel, (x0, y0, z0), axis, [wing(corners, color, 0.16)], scale)


def folded(name: str, p: Vector, axis: Vector, shapes: Sequence[Shape]) -> Part:
    """A leg of the gear that turns down by a quarter of a turn."""
    return part(name, "gear", p, axis, shapes, math.pi / 2)


def _c172() -> Look:
    red = "#b3262e"
    shapes = [
        body([(2.02, -0.33, -0.05, 0.15), (1.93, -0.44, 0.02, 0.38), (1.6, -0.50, 0.06, 0.48), (1.0, -0.53, 0.08, 0.53),
              (0.45, -0.57, 0.62, 0.55), (-0.9, -0.56, 0.64, 0.54), (-1.9, -0.42, 0.46, 0.42),
              (-3.6, -0.18, 0.28, 0.23),
              (-5.7, -0.02, 0.20, 0.07)], LIGHT, 4.0),
        body([(1.08, -0.05, 0.08, 0.42), (0.98, 0.0, 0.12, 0.52), (0.44, 0.12, 0.645, 0.555), (0.38, 0.2, 0.645, 0.55)],
             GLASS, 4.0),  # the windscreen
        *both([
            panel((-0.5, 0.24), 0.552, (0.17, 0.52), GLASS), panel((-1.25, -0.6), 0.535, (0.17, 0.5), GLASS),
            panel((-1.0, 1.0), 0.556, (-0.13, -0.03), red), panel((-1.0, 0.95), 0.556, (-0.22, -0.18), red),
            wing([(0.42, -0.81, 0.5, 0.68), (0.42, -0.81, 2.65, 0.73), (0.10, -0.68, 5.45, 0.79),
                (0.0, -0.6, 5.5, 0.80)][::-1],
                 LIGHT, 0.13),
            wing([(0.105, -0.60, 5.47, 0.79), (0.0, -0.5, 5.56, 0.80)][::-1], red, 0.14),
            rod((-0.02, 0.52, -0.38), (-0.05, 2.6, 0.66), 0.045, LIGHT),
            rod((-0.35, 0.35, -0.5), (-0.39, 1.26, -1.1), 0.055, LIGHT), *wheel((-0.39, 1.28, -1.14), 0.2, 0.16),
            body([(0.02, -1.16, -0.98, 0.03), (-0.3, -1.26, -0.9, 0.13), (-0.9, -1.12, -0.98, 0.03)], LIGHT, 2.0)
            | {"p": [0.0, 1.28, 0.0]},
            wing([(-4.75, -5.42, 0.05, 0.13), (-4.95, -5.40, 1.68, 0.13)][::-1], LIGHT, 0.1),
        ]),
        wing([(-4.95, -5.55, 0.0, 1.62), (-4.35, -5.5, 0.0, 0.62), (-3.2, -5.45, 0.0, 0.22)], LIGHT, 0.1, True),
        rod((1.26, 0.0, -0.5), (1.26, 0.0, -1.1), 0.05, METAL), *wheel((1.26, 0.0, -1.15), 0.18, 0.13),
        rod((2.0, 0.0, -0.19), (2.26, 0.0, -0.19), 0.15, red, 0.03),
        box((0.05, 0.98, 0.44), (0.94, 0.0, -0.11), DARK),  # the panel of instruments
    ]  # fmt: skip
    parts = [
        part("propeller", "propeller", (2.08, 0.0, -0.19), (1.0, 0.0, 0.0),
             [box((0.05, 0.14, 1.9), (2.08, 0.0, -0.19), DARK), box((0.055, 0.15, 0.16), (2.08, 0.0, 0.69), "#e8c33a"),
              box((0.055, 0.15, 0.16), (2.08, 0.0, -1.07), "#e8c33a")]),
        hinged("left aileron", "left_aileron", [(-0.68, -1.0, 5.4, 0.79), (-0.81, -1.18, 2.75, 0.735)], LIGHT, 1.0),
        hinged("right aileron", "right_aileron", [(-0.81, -1.18, -2.75, 0.735), (-0.68, -1.0, -5.4, 0.79)], LIGHT, 1.0),
        hinged("left flap", "flaps", [(-0.81, -1.2, 2.65, 0.73), (-0.81, -1.2, 0.56, 0.685)], LIGHT, 0.52),
        hinged("right flap", "flaps", [(-0.81, -1.2, -0.56, 0.685), (-0.81, -1.2, -2.65, 0.73)], LIGHT, 0.52),
        hinged("elevator", "elevator", [(-5.42, -5.95, 1.7, 0.13), (-5.42, -5.95, -1.7, 0.13)], LIGHT, 1.0),
        part("rudder", "rudder", (-5.52, 0.0, 0.2), (0.08, 0.0, -1.0),
             [wing([(-5.55, -5.95, 0.0, 1.6), (-5.47, -6.1, 0.0, 0.2)], red, 0.14, True)]),
    ]  # fmt: skip
    return Look(shapes, parts, (-15.0, 0.0, 4.2))


def _737() -> Look:
    blue, grey = "#1d4f91", "#c3c9ce"
    engine = [
        rod((3.9, 4.9, 0.42), (3.6, 4.9, 0.42), 0.78, METAL, 0.86),
        rod((3.6, 4.9, 0.42), (1.6, 4.9, 0.42), 0.86, LIGHT, 0.8),
        rod((1.6, 4.9, 0.42), (0.0, 4.9, 0.45), 0.8, LIGHT, 0.5), rod((3.92, 4.9, 0.42), (3.8, 4.9, 0.42), 0.66, DARK),
        box((3.2, 0.22, 0.7), (0.9, 4.9, 1.05), LIGHT),
    ]  # fmt: skip
    shapes = [
        body([(15.5, 1.75, 2.05, 0.12), (15.1, 1.35, 2.45, 0.62), (14.2, 0.75, 3.05, 1.2), (12.8, 0.35, 3.85, 1.65),
              (11.0, 0.16, 4.12, 1.86), (-7.5, 0.16, 4.12, 1.88), (-11.0, 0.9, 4.12, 1.6), (-14.0, 2.1, 4.0, 0.85),
              (-16.0, 2.9, 3.7, 0.25)], LIGHT, 2.1),
        body([(14.25, 2.62, 3.1, 1.1), (13.9, 2.62, 3.35, 1.32), (13.15, 2.72, 3.72, 1.57), (12.9, 2.85, 3.6, 1.6)],
            GLASS, 2.4),
        *both([
            panel((-8.5, 10.8), 1.9, (1.7, 2.02), blue),
            *(panel((x - 0.17, x + 0.17), 1.872, (2.42, 2.84), GLASS) for x in _steps(10.6, -7.6, 21)),
            panel((11.5, 12.35), 1.85, (1.5, 3.2), grey),
            wing([(4.6, -3.2, 1.6, 0.62), (1.2, -3.15, 5.0, 0.98), (-3.6, -5.4, 14.4, 1.95)][::-1], grey, 0.11),
            sheet([(-3.7, 14.4, 1.95), (-5.4, 14.4, 1.95), (-5.9, 14.75, 3.4), (-5.2, 14.75, 3.4)], blue, 0.08),
            *engine,
            wing([(-12.2, -14.6, 0.5, 3.25), (-14.3, -15.5, 5.6, 3.75)][::-1], grey, 0.09),
        ]),
        wing([(-14.2, -15.6, 0.0, 9.0), (-11.2, -14.9, 0.0, 4.0), (-8.2, -14.8, 0.0, 3.9)][::1], blue, 0.09, True),
    ]  # fmt: skip
    main = [rod((-0.91, 2.54, 0.2), (-0.91, 1.7, 0.2), 0.14, METAL), *_flat_wheels((-0.91, 1.76, 0.2), 0.52)]
    parts = [
        folded("left main gear", (-0.91, 2.54, 0.2), (1.0, 0.0, 0.0), main),
        folded("right main gear", (-0.91, -2.54, 0.2), (-1.0, 0.0, 0.0), [mirrored(one) for one in main]),
        folded("nose gear", (11.53, 0.0, 0.3), (0.0, 1.0, 0.0),
               [rod((11.53, 0.0, 0.3), (12.5, 0.0, 0.3), 0.1, METAL), *wheel((12.58, 0.22, 0.3), 0.36, 0.2),
                *wheel((12.58, -0.22, 0.3), 0.36, 0.2)]),
        hinged("left aileron", "left_aileron", [(-5.25, -5.85, 13.6, 1.86), (-4.65, -5.4, 10.4, 1.53)], LIGHT, 1.0),
        hinged("right aileron", "right_aileron", [(-4.65, -5.4, -10.4, 1.53), (-5.25, -5.85, -13.6, 1.86)], LIGHT, 1.0),
        hinged("left flap", "flaps", [(-4.55, -5.6, 10.2, 1.5), (-3.0, -4.6, 2.0, 0.62)], LIGHT, 0.6),
        hinged("right flap", "flaps", [(-3.0, -4.6, -2.0, 0.62), (-4.55, -5.6, -10.2, 1.5)], LIGHT, 0.6),
        hinged("left elevator", "elevator", [(-15.35, -15.95, 5.5, 3.73), (-14.5, -15.6, 0.9, 3.3)], LIGHT, 1.0),
        hinged("right elevator", "elevator", [(-14.5, -15.6, -0.9, 3.3), (-15.35, -15.95, -5.5, 3.73)], LIGHT, 1.0),
        part("rudder", "rudder", (-14.9, 0.0, 4.1), (0.13, 0.0, -1.0),
             [wing([(-15.6, -16.3, 0.0, 8.9), (-14.95, -16.4, 0.0, 4.1)], blue, 0.1, True)]),
    ]  # fmt: skip
    return Look(shapes, parts, (-44.0, 0.0, 11.0))


def _f16() -> Look:
    grey, deep, nozzle = "#8d97a1", "#6f7983", "#3d4146"
    shapes = [
        body([(7.5, -0.18, -0.12, 0.03), (6.6, -0.42, 0.14, 0.28), (5.4, -0.56, 0.42, 0.45), (4.2, -0.62, 0.55, 0.58),
              (2.0, -0.66, 0.66, 0.75), (-1.0, -0.74, 0.72, 0.82), (-4.0, -0.66, 0.64, 0.72),
              (-6.4, -0.52, 0.55, 0.56)],
             grey, 2.3),
        body([(5.1, 0.36, 0.5, 0.1), (4.5, 0.42, 0.86, 0.34), (3.6, 0.45, 1.18, 0.43), (2.6, 0.5, 1.12, 0.42),
              (1.3, 0.55, 0.86, 0.26)], "#3a3524", 2.0),
        body([(1.4, 0.5, 0.9, 0.34), (-0.4, 0.4, 0.86, 0.42), (-3.2, 0.4, 0.74, 0.3)], grey, 2.0),
        body([(3.5, -1.12, -0.62, 0.42), (2.9, -1.15, -0.55, 0.5), (0.4, -1.05, -0.4, 0.55),
            (-1.8, -0.85, -0.3, 0.5)], grey, 3.0),
        body([(3.53, -1.08, -0.68, 0.36), (3.45, -1.08, -0.68, 0.36)], "#17191b", 3.0),
        rod((-6.2, 0.0, 0.0), (-7.5, 0.0, 0.0), 0.6, nozzle, 0.46),
        rod((-7.48, 0.0, 0.0), (-7.53, 0.0, 0.0), 0.38, "#15120f"),
        *both([
            wing([(4.0, -0.4, 0.5, 0.06), (1.7, -0.6, 1.15, 0.03)][::-1], grey, 0.03),
            wing([(2.0, -2.55, 0.7, 0.0), (-1.15, -2.15, 4.55, 0.0)][::-1], grey, 0.05),
            box((1.0, 0.03, 0.5), (-5.3, 0.55, -0.85), deep),
            rod((0.4, 4.62, 0.0), (-3.0, 4.62, 0.0), 0.07, LIGHT),
            rod((0.9, 4.62, 0.0), (0.4, 4.62, 0.0), 0.02, LIGHT, 0.07),
            body([(-3.0, -0.3, 0.28, 0.3), (-6.6, -0.22, 0.2, 0.25)], grey, 3.0) | {"p": [0.0, 0.7, 0.0]},
        ]),
        wing([(-5.6, -6.7, 0.0, 3.2), (-3.1, -6.3, 0.0, 0.7), (-1.6, -6.2, 0.0, 0.62)], grey, 0.06, True),
        *both([sheet([(-5.75, 0.05, 2.75), (-6.55, 0.05, 2.75), (-6.52, 0.07, 2.5), (-5.55, 0.07, 2.5)][::-1],
            "#7c2430", 0.06)]),
    ]  # fmt: skip
    main = [rod((-0.85, 0.75, -0.62), (-0.15, 0.9, -0.62), 0.09, METAL), *wheel((-0.15, 1.06, -0.62), 0.33, 0.24)]
    parts = [
        folded("left main gear", (-0.85, 0.75, -0.62), (0.0, 1.0, 0.0), main),
        folded("right main gear", (-0.85, -0.75, -0.62), (0.0, 1.0, 0.0),
            [mirrored(one) for one in main]),
        folded("nose gear", (2.73, 0.0, -0.95), (0.0, -1.0, 0.0),
               [rod((2.73, 0.0, -0.95), (2.3, 0.0, -0.95), 0.07, METAL), *wheel((2.26, 0.0, -0.95), 0.26, 0.18)]),
        hinged("left flaperon", "left_aileron", [(-2.25, -2.95, 3.5, 0.0), (-2.55, -3.3, 0.9, 0.0)], deep, 1.0),
        hinged("right flaperon", "right_aileron", [(-2.55, -3.3, -0.9, 0.0), (-2.25, -2.95, -3.5, 0.0)], deep, 1.0),
        _tail("left", 1.0), _tail("right", -1.0),
        part("rudder", "rudder", (-6.3, 0.0, 0.75), (0.13, 0.0, -1.0),
             [wing([(-6.6, -7.25, 0.0, 2.45), (-6.32, -7.25, 0.0, 0.75)], deep, 0.08, True)]),
    ]  # fmt: skip
    return Look(shapes, parts, (-24.0, 0.0, 6.2))


def _tail(name: str, side: float) -> Part:
    """Half of an all-moving tail: it turns about its pivot."""
    half = [(-4.7, -7.0, 0.75, 0.0), (-6.2, -7.2, 2.8, -0.28)][::-1]
    plane = wing(half, "#8d97a1", 0.05)
    return part(
        f"{name} tail", "elevator", (-6.0, side * 0.75, 0.0), (0.0, -1.0, 0.0), [plane if side > 0 else mirrored(plane)]
    )


def _flat_wheels(p: Vector, radius: float) -> list[Shape]:
    """Two wheels of a leg that lies across: their axle is upright until it is down."""
    x, y, z = p
    return [
        shape
        for off in (-0.38, 0.38)
        for shape in (
            rod((x, y, z + off - 0.16), (x, y, z + off + 0.16), radius, "#26282b"),
            rod((x, y, z + off - 0.17), (x, y, z + off + 0.17), 0.5 * radius, METAL),
        )
    ]


def _steps(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * k / (count - 1) for k in range(count)]


_LOOKS: dict[str, Callable[[], Look]] = {"c172x": _c172, "737": _737, "f16": _f16}


def look_of(aircraft: Aircraft) -> Look:
    """Of an aircraft."""
    return _LOOKS[aircraft.name]()

"""Shapes of cars, wheels and cones: meshes made of a few sections, by size and kind of car."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from motionbase.worlds.drive.car import Car

Shape = dict[str, Any]
Point = tuple[float, float, float]
GLASS, BLACK, TYRE, RIM, LAMP, REAR_LAMP = "#26323c", "#17191c", "#1c1d1f", "#c9ccd1", "#f4f1e2", "#b3261e"
SIDES = 28  # of a wheel
UNIT_Q = [1.0, 0.0, 0.0, 0.0]


class Section(NamedTuple):
    """A cut across the body: from the middle of the car, over its length; then shares of width and height."""

    x: float
    wide: float
    low: float
    high: float
    narrow: float  # at the top, over the width below


# along the car from nose to tail; heights as shares of the way from the bottom of the shell to its top
BODY = {
    "car": (
        Section(0.500, 0.74, 0.10, 0.30, 0.86), Section(0.480, 0.88, 0.02, 0.42, 0.88),
        Section(0.400, 0.97, 0.00, 0.50, 0.88), Section(0.200, 1.00, 0.00, 0.585, 0.88),
        Section(0.130, 1.00, 0.00, 0.60, 0.88), Section(-0.150, 1.00, 0.00, 0.605, 0.88),
        Section(-0.360, 0.99, 0.00, 0.61, 0.88), Section(-0.470, 0.93, 0.04, 0.60, 0.86),
        Section(-0.500, 0.82, 0.12, 0.52, 0.88),
    ),
    "van": (
        Section(0.500, 0.84, 0.06, 0.22, 0.92), Section(0.485, 0.93, 0.01, 0.33, 0.93),
        Section(0.410, 1.00, 0.00, 0.43, 0.94), Section(0.340, 1.00, 0.00, 0.50, 0.95),
        Section(0.000, 1.00, 0.00, 0.52, 0.96), Section(-0.460, 1.00, 0.00, 0.52, 0.96),
        Section(-0.500, 0.97, 0.03, 0.52, 0.96),
    ),
}  # fmt: skip
CABIN = {  # x, width at the belt, x of the roof above: windscreen, roof, rear window
    "hatchback": ((0.215, -0.455), (0.045, -0.370), 0.60, 0.70),
    "sports": ((0.130, -0.400), (-0.035, -0.215), 0.585, 0.68),
    "van": ((0.400, -0.495), (0.285, -0.485), 0.50, 0.90),
}


def kind_of(car: Car) -> str:
    """By its size: a van is tall, a sports car is low."""
    height = car.body.size[2] / car.body.size[0]
    return "van" if height > 0.4 else "sports" if height < 0.31 else "hatchback"


def mesh(vertices: list[Point], faces: list[list[int]], color: str) -> Shape:
    """A mesh in axes of the car."""
    plain = {"type": "mesh", "size": [], "p": [0.0, 0.0, 0.0], "q": UNIT_Q}
    return {**plain, "vertices": [[round(x, 4) for x in v] for v in vertices], "faces": faces, "color": color}


def box(size: Point, p: Point, color: str) -> Shape:
    """A box along the car."""
    return {"type": "box", "size": list(size), "p": [round(x, 4) for x in p], "q": UNIT_Q, "color": color}


def shell_shapes(car: Car) -> list[Shape]:
    """Body, cabin, windows, lamps."""
    (length, width, height), low = car.body.size, car.body.clearance
    kind = kind_of(car)
    sections = BODY["van" if kind == "van" else "car"]
    rise = height - low
    shapes = [_lofted(sections, length, width, low, rise, car.look.colour)]
    shapes += _cabin(kind, length, width, low, rise, car.look.colour)
    shapes += _arches(car)
    front, rear = 0.492 * length, -0.497 * length
    lamp = 0.33 if kind != "van" else 0.26
    for side in (1.0, -1.0):
        shapes.append(
            box((0.05, 0.20 * width, 0.055 * height), (front - 0.02, side * 0.33 * width, low + lamp * rise), LAMP)
        )
        tail = 0.48 if kind != "van" else 0.40
        shapes.append(
            box((0.03, 0.17 * width, 0.07 * height), (rear, side * 0.36 * width, low + tail * rise), REAR_LAMP)
        )
        mirror = CABIN[kind][0][0] * length - 0.10
        shapes.append(box((0.10, 0.14, 0.10), (mirror, side * (width / 2 + 0.06), low + 0.66 * rise), car.look.colour))
    shapes.append(box((0.03, 0.5 * width, 0.09 * height), (front + 0.01, 0.0, low + 0.14 * rise), BLACK))
    shapes.append(box((0.02, 0.52, 0.11), (front + 0.03, 0.0, low + 0.20 * rise), "#e9e9e4"))
    shapes.append(box((0.02, 0.52, 0.11), (rear - 0.01, 0.0, low + 0.28 * rise), "#e9e9e4"))
    shapes.append(box((0.93 * length, 0.86 * width, 0.05), (0.0, 0.0, low + 0.02), BLACK))
    return shapes


def _lofted(sections: tuple[Section, ...], length: float, width: float, low: float, rise: float, color: str) -> Shape:
    """Skin over sections of eight points each."""
    vertices: list[Point] = []
    for cut in sections:
        half, bottom, top = cut.wide * width / 2, low + cut.low * rise, low + cut.high * rise
        x, middle = cut.x * length, bottom + 0.55 * (top - bottom)
        right = [(0.90 * half, bottom), (half, bottom + 0.2 * (top - bottom)), (half, middle), (cut.narrow * half, top)]
        vertices += [(x, -y, z) for y, z in right] + [(x, y, z) for y, z in reversed(right)]
    n, count = 8, len(sections)
    faces = []
    for k in range(count - 1):
        for j in range(n):
            a, b, c, d = k * n + j, k * n + (j + 1) % n, (k + 1) * n + j, (k + 1) * n + (j + 1) % n
            faces += [[a, b, c], [b, d, c]]
    for j in range(1, n - 1):
        faces += [[0, j + 1, j], [(count - 1) * n, (count - 1) * n + j, (count - 1) * n + j + 1]]
    return mesh(vertices, faces, color)


def _cabin(kind: str, length: float, width: float, low: float, rise: float, color: str) -> list[Shape]:
    """Glass all round, pillars and a roof in the car's colour."""
    (belt_front, belt_rear), (roof_front, roof_rear), belt, narrow = CABIN[kind]
    wide, top = 0.45 * width, narrow * 0.47 * width
    z, high = low + (belt - 0.02) * rise, low + rise
    below = high - 0.045

    def ring(front: float, rear: float, half: float, at: float) -> list[Point]:
        return [
            (front * length, -half, at),
            (front * length, half, at),
            (rear * length, half, at),
            (rear * length, -half, at),
        ]

    glass = mesh(
        ring(belt_front, belt_rear, wide, z) + ring(roof_front, roof_rear, top, below),
        [[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]], GLASS,
    )  # fmt: skip
    roof = mesh(
        ring(roof_front + 0.012, roof_rear - 0.012, top + 0.02, below)
        + ring(roof_front - 0.02, roof_rear + 0.02, top - 0.10, high),
        [[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7], [4, 5, 6], [4, 6, 7],
         [0, 2, 1], [0, 3, 2]], color,
    )  # fmt: skip
    shapes = [glass, roof]
    pillars = [(0.52, 0.55)] if kind != "van" else [(0.30, 0.34)]
    for a, b in pillars:
        for side in (1.0, -1.0):
            shapes.append(_pillar(a, b, side, kind, length, wide, top, z, below, color))
    for at_belt, at_roof in ((belt_front, roof_front), (belt_rear, roof_rear)):
        for side in (1.0, -1.0):
            shapes.append(_post(at_belt * length, at_roof * length, side, wide, top, z, below, color))
    if kind == "van":  # the load has no windows
        shapes.append(_panels(length, wide, top, z, below, color, belt_rear, roof_rear))
    return shapes


def _pillar(
    a: float,
    b: float,
    side: float,
    kind: str,
    length: float,
    wide: float,
    top: float,
    z: float,
    high: float,
    color: str,
) -> Shape:
    """A post beside the doors, at a share of the cabin's length."""
    (front, rear), (roof_front, roof_rear), _, _ = CABIN[kind]
    out = 1.012
    low_a, low_b = (front + (rear - front) * s for s in (a, b))
    high_a, high_b = (roof_front + (roof_rear - roof_front) * s for s in (a - 0.03, b - 0.03))
    corners: list[Point] = [
        (low_a * length, side * wide * out, z), (low_b * length, side * wide * out, z),
        (high_b * length, side * top * out, high), (high_a * length, side * top * out, high),
    ]  # fmt: skip
    return mesh(corners, [[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]], color)


def _post(x: float, x_high: float, side: float, wide: float, top: float, z: float, high: float, color: str) -> Shape:
    """A corner of the cabin: a thin prism from the belt to the roof."""
    t = 0.045
    low_ring: list[Point] = [
        (x + t, side * wide, z),
        (x, side * (wide + 0.01), z),
        (x - t, side * wide, z),
        (x, side * (wide - t), z),
    ]
    high_ring: list[Point] = [
        (x_high + t, side * top, high), (x_high, side * (top + 0.01), high), (x_high - t, side * top, high),
        (x_high, side * (top - t), high),
    ]  # fmt: skip
    faces = []
    for k in range(4):
        n = (k + 1) % 4
        faces += [[k, n, 4 + n], [k, 4 + n, 4 + k]] if side < 0 else [[k, 4 + n, n], [k, 4 + k, 4 + n]]
    return mesh(low_ring + high_ring, faces, color)


def _panels(
    length: float, wide: float, top: float, z: float, high: float, color: str, belt_rear: float, roof_rear: float
) -> Shape:
    """Closed sides and back of a van behind the doors."""
    vertices: list[Point] = []
    faces = []
    for side in (1.0, -1.0):
        n = len(vertices)
        out = 1.006
        vertices += [
            (0.12 * length, side * wide * out, z), (belt_rear * length, side * wide * out, z),
            (roof_rear * length, side * top * out, high), (0.12 * length, side * top * out, high),
        ]  # fmt: skip
        faces += [[n, n + 1, n + 2], [n, n + 2, n + 3], [n, n + 2, n + 1], [n, n + 3, n + 2]]
    n = len(vertices)
    vertices += [
        (belt_rear * length - 0.005, -wide, z), (belt_rear * length - 0.005, wide, z),
        (roof_rear * length - 0.005, top, high), (roof_rear * length - 0.005, -top, high),
    ]  # fmt: skip
    faces += [[n, n + 2, n + 1], [n, n + 3, n + 2], [n, n + 1, n + 2], [n, n + 2, n + 3]]
    return mesh(vertices, faces, color)


def _arches(car: Car) -> list[Shape]:
    """Dark discs behind the wheels, which stand for their arches."""
    shapes, r = [], 1.13 * car.tyre.radius
    for axle, x in zip(car.axles, car.axle_x, strict=True):
        for side in (1.0, -1.0):
            y = min(car.body.size[1] / 2 + 0.004, axle.track / 2 + 0.115)
            shapes.append(_disc((x, side * y, car.tyre.radius - 0.01), r, side, BLACK))
    return shapes


def _disc(p: Point, radius: float, side: float, color: str) -> Shape:
    """A disc that faces outwards, closed below by the car's bottom."""
    rim = [(p[0] + radius * math.cos(a), p[1], p[2] + radius * math.sin(a)) for a in _angles(SIDES)]
    faces = [[0, 1 + k, 1 + (k + 1) % SIDES] for k in range(SIDES)]
    if side > 0:
        faces = [[a, c, b] for a, b, c in faces]
    return mesh([p, *rim], faces, color)


def _angles(count: int) -> list[float]:
    return [2 * math.pi * k / count for k in range(count)]


def wheel_shapes(car: Car, centre: list[float], side: float) -> list[Shape]:
    """Tyre, rim and spokes, in axes of the car; the outer side shows the spokes."""
    r, wide = car.tyre.radius, 0.20
    x, y, z = centre
    turned = [math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]  # the axis of a cylinder into that of the wheel
    outer = side * (car.body.size[1] / 2 + 0.025)  # in front of the arches, so that they are seen
    rim, y = 0.66 * r, outer - side * (wide / 2 + 0.022)
    at = {"p": [x, y + side * 0.012, z], "q": turned}
    shapes: list[Shape] = [
        {"type": "cylinder", "size": [r, r, wide], "color": TYRE, **at},
        {"type": "cylinder", "size": [rim, rim, wide + 0.012], "color": "#55595f", **at},
    ]
    for k in range(5):
        a = 2 * math.pi * k / 5
        half = a / 2
        shapes.append({
            "type": "box", "size": [0.92 * rim, 0.014, 0.09],
            "p": [x + 0.5 * rim * math.cos(a), outer - side * 0.012, z - 0.5 * rim * math.sin(a)],
            "q": [math.cos(half), 0.0, math.sin(half), 0.0], "color": RIM,
        })  # fmt: skip
    shapes.append({"type": "cylinder", "size": [0.055, 0.055, wide + 0.05], "color": RIM, **at})
    return shapes


def cone() -> list[Shape]:
    """A traffic cone."""

    def ring(low: float, high: float, z: float, length: float, color: str) -> Shape:
        return {"type": "cylinder", "size": [low, high, length], "p": [0.0, 0.0, z], "q": UNIT_Q, "color": color}

    return [
        box((0.38, 0.38, 0.04), (0.0, 0.0, 0.02), "#d4541a"), ring(0.15, 0.105, 0.15, 0.22, "#e8611c"),
        ring(0.105, 0.075, 0.335, 0.15, "#f5f2ea"), ring(0.075, 0.035, 0.51, 0.20, "#e8611c"),
    ]  # fmt: skip

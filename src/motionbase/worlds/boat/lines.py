"""A lines generator: a hull's surface from a few parameters.

Sections stand at stations from the stern to the bow. Every section is a ring of points: keel, up the left side to the
sheer, over the deck, down the right side. All hulls of the generator have the same rings, so one compiled program
serves them all. What a hull weighs and where it floats follows from the surface, not from these parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.worlds.boat.mesh import Mesh

STATIONS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
SIDE = 6  # points of a half section from the keel to the coaming; the crown of the deck is one more
THIN = 0.01  # of the beam: least half breadth, so that no triangle vanishes
RING = 2 * SIDE


@final
@dataclass(frozen=True)
class Lines:
    """Parameters of a hull.

    Attributes:
        form: `v` (planing hull with a chine), `ship` (round sections) or `box`
        length, beam, depth: of one hull, depth from the keel to the sheer amidships [m]
        draft: of the design waterline, at which `waterplane` and `block` of a ship hold [m]
        deadrise, deadrise_bow: of a V bottom amidships and at the bow [deg]
        transom: breadth at the stern over the beam
        middle: where the full breadth ends, as a part of the length from the stern
        forefoot: rise of the keel at the bow over the depth
        flare: breadth of the sheer over that of the chine or the design waterline
        sheer: rise of the deck at the bow over the depth
        waterplane, block: coefficients of a ship's design waterline
        cabin: [begin, end, width, height]: a watertight house on the deck, begin and end as parts of the length [m]
        spacing: between the centre lines of two hulls; 0 for a single one [m]
    """

    form: Literal["v", "ship", "box"]
    length: float
    beam: float
    depth: float
    draft: float
    deadrise: float = 20.0
    deadrise_bow: float = 45.0
    transom: float = 0.92
    middle: float = 0.5
    forefoot: float = 0.55
    flare: float = 1.15
    sheer: float = 0.15
    waterplane: float = 0.75
    block: float = 0.6
    cabin: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    spacing: float = 0.0

    def __post_init__(self) -> None:
        for name in ("length", "beam", "depth", "draft"):
            if not 0.0 < getattr(self, name) < 1e3:
                raise ModelError(f"{name} is {getattr(self, name):g} m, it must be more than 0 and less than 1000")
        if self.draft >= self.depth:
            raise ModelError(f"draft is {self.draft:g} m, it must be less than the depth of {self.depth:g} m")
        bounds = {
            "deadrise": (0.0, 60.0), "deadrise_bow": (0.0, 75.0), "transom": (0.05, 1.0), "middle": (0.1, 0.9),
            "forefoot": (0.0, 0.95), "flare": (0.5, 2.0), "sheer": (-0.5, 1.0), "waterplane": (0.3, 0.98),
            "block": (0.2, 0.98), "spacing": (0.0, 100.0),
        }  # fmt: skip
        for name, (least, most) in bounds.items():
            if not least <= (value := getattr(self, name)) <= most:
                raise ModelError(f"{name} is {value:g}, it must be from {least:g} to {most:g}")
        begin, end, width, height = self.cabin
        if not (0.0 <= begin <= end <= 1.0 and 0.0 <= width <= self.beam and 0.0 <= height <= 10 * self.depth):
            raise ModelError(f"cabin is {list(self.cabin)}: begin and end are from 0 to 1, its width within the beam")


def hull_mesh(lines: Lines) -> Mesh:
    """The surface of all hulls."""
    one = _ringed(lines, sections(lines, STATIONS))
    if not lines.spacing:
        return one
    aside = np.array([0.0, 0.5 * lines.spacing, 0.0])
    return Mesh.joined([one.moved(aside), one.moved(-aside)])


def sections(lines: Lines, s: Array) -> Array:
    """(n, 6, 2) y and z of half sections at parts of the length, keel first; the last one is the coaming's edge."""
    half = {"v": _v_sections, "ship": _ship_sections, "box": _box_sections}[lines.form](lines, s)
    y, z = half[:, -1, 0], half[:, -1, 1]
    begin, end, width, height = lines.cabin
    within = (s >= begin) & (s <= end) & (height > 0)
    coaming = np.where(within, np.minimum(0.5 * width, y), 0.6 * y)
    edge = np.stack([coaming, z + np.where(within, height, 0.0)], axis=-1)
    return np.concatenate([half, edge[:, None]], axis=1)


def _tapered(lines: Lines, s: Array, power: float, end: float = THIN) -> Array:
    """Half breadth over that amidships along the length: the transom's at the stern, almost none at the bow."""
    m = lines.middle
    aft = 1.0 - (1.0 - lines.transom) * np.clip((m - s) / m, 0.0, 1.0) ** 2
    fore = 1.0 - (1.0 - end) * np.clip((s - m) / (1.0 - m), 0.0, 1.0) ** power
    return np.asarray(aft * fore)


def _v_sections(lines: Lines, s: Array) -> Array:
    ahead = np.clip((s - lines.middle) / (1.0 - lines.middle), 0.0, 1.0)
    y_chine = 0.5 * lines.beam * _tapered(lines, s, 2.2)
    y_sheer = 0.5 * lines.beam * lines.flare * _tapered(lines, s, 3.2, 0.06)
    z_sheer = lines.depth * (1.0 + lines.sheer * s**2)
    z_keel = lines.forefoot * lines.depth * np.clip((s - 0.65) / 0.35, 0.0, 1.0) ** 2.5
    slope = np.deg2rad(lines.deadrise + (lines.deadrise_bow - lines.deadrise) * ahead**2)
    z_chine = np.minimum(z_keel + y_chine * np.tan(slope), 0.5 * (z_keel + z_sheer))
    z_chine = np.maximum(z_chine, z_keel + 1e-4 * lines.depth)
    zero = np.zeros_like(s)
    points = [
        (zero, z_keel), (0.5 * y_chine, 0.5 * (z_keel + z_chine)), (y_chine, z_chine),
        (0.45 * y_chine + 0.55 * y_sheer, 0.5 * (z_chine + z_sheer)), (y_sheer, z_sheer),
    ]  # fmt: skip
    return np.stack([np.stack(point, axis=-1) for point in points], axis=1)


def _box_sections(lines: Lines, s: Array) -> Array:
    b, d = 0.5 * lines.beam, lines.depth
    points = [(0.0, 0.0), (0.5 * b, 0.0), (b, 0.0), (b, 0.5 * d), (b, d)]
    return np.broadcast_to(np.array(points), (len(s), 5, 2)).copy()


# ---- ships ---------------------------------------------------------------------------------------------------------

LEVELS = np.array([0.06, 0.35, 1.0])  # of the draft


def _ship_sections(lines: Lines, s: Array) -> Array:
    """Sections y = b (z / T)^e; the taper of b follows from the waterplane, e from the block coefficient."""
    taper, fullness = _fitted(lines)
    b, e = _plan(lines, s, taper), _exponent(s, fullness)
    y = 0.5 * lines.beam * np.maximum(b[:, None] * LEVELS[None, :] ** e[:, None], THIN)
    z = np.broadcast_to(lines.draft * LEVELS, y.shape)
    top = lines.depth * (1.0 + lines.sheer * np.clip((s - 0.6) / 0.4, 0.0, 1.0) ** 2)
    ends = np.abs(2.0 * s - 1.0) ** 3
    y_sheer = np.minimum(y[:, -1] * (1 + (lines.flare - 1) * ends) + 0.12 * lines.beam * ends, 0.5 * lines.beam)
    keel = np.zeros((len(s), 1, 2))
    middle = np.stack([y, z], axis=-1)
    sheer = np.stack([np.maximum(y_sheer, y[:, -1]), top], axis=-1)[:, None]
    return np.concatenate([keel, middle, sheer], axis=1)


def _plan(lines: Lines, s: Array, taper: float) -> Array:
    """Half breadths of the design waterline over half the beam; the stern is a little fuller than the bow."""
    x = 2.0 * s - 1.0
    ends = np.where(x < 0, lines.transom, 0.0)
    return np.asarray(1.0 - (1.0 - ends) * np.abs(x) ** taper)


def _exponent(s: Array, fullness: float) -> Array:
    """Sections are full amidships and grow into a V towards both ends."""
    return np.asarray(fullness * (0.15 + 2.2 * np.abs(2.0 * s - 1.0) ** 2))


def _fitted(lines: Lines) -> tuple[float, float]:
    """Taper and fullness that give the mesh the waterplane and block coefficients."""
    s = STATIONS

    def waterplane(taper: float) -> float:
        return float(np.trapezoid(_plan(lines, s, taper), s))

    taper = _bisected(waterplane, lines.waterplane, 0.3, 60.0, "waterplane")
    fine = np.array([0.0, *LEVELS])

    def block(fullness: float) -> float:
        y = _plan(lines, s, taper)[:, None] * LEVELS[None, :] ** _exponent(s, fullness)[:, None]
        area = np.trapezoid(np.concatenate([np.zeros((len(s), 1)), y], axis=1), fine, axis=1)
        return float(np.trapezoid(area, s))

    return taper, _bisected(block, lines.block, 8.0, 0.0, "block")


def _bisected(f: object, wanted: float, low: float, high: float, name: str) -> float:
    """Where an ascending function (from `low` to `high`) has a value."""
    assert callable(f)
    if not f(low) < wanted < f(high):
        raise ModelError(f"{name} is {wanted:g}, this hull can have {f(low):.3g} to {f(high):.3g}")
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) < wanted else (low, middle)
    return 0.5 * (low + high)


# ---- surface -------------------------------------------------------------------------------------------------------


def _ringed(lines: Lines, half: Array) -> Mesh:
    """Triangles between the rings, and caps at stern and bow."""
    n = len(half)
    x = lines.length * (STATIONS - 0.5)
    crown = half[:, -1, 1] + 0.02 * lines.beam * (lines.form != "box")
    ring = np.zeros((n, RING, 3))
    ring[:, :, 0] = x[:, None]
    ring[:, :SIDE, 1:] = half
    ring[:, SIDE, 2] = crown
    ring[:, SIDE + 1 :, 1:] = half[:, :0:-1] * np.array([-1.0, 1.0])
    k = np.arange(RING)
    after = (k + 1) % RING
    faces = []
    for i in range(n - 1):
        a, b, c, d = i * RING + k, i * RING + after, (i + 1) * RING + k, (i + 1) * RING + after
        left = k < SIDE  # diagonals of the right side mirror those of the left one
        faces.append(np.where(left[:, None], np.stack([a, c, b], -1), np.stack([a, d, b], -1)))
        faces.append(np.where(left[:, None], np.stack([b, c, d], -1), np.stack([a, c, d], -1)))
    for first, turned in ((0, False), ((n - 1) * RING, True)):
        for j in range(SIDE):  # between levels of both sides
            low, up = first + j, first + j + 1
            low_right, up_right = first + (RING - j) % RING, first + RING - j - 1
            cap = [[low, up, up_right]] if j == 0 else [[low, up, low_right]]
            if 0 < j < SIDE - 1:
                cap = [[low, up, up_right], [low, up_right, low_right]]
            faces.append(np.array(cap)[:, ::-1] if turned else np.array(cap))
    return Mesh(ring.reshape(-1, 3), np.concatenate(faces)[:, ::-1].astype(np.int64))

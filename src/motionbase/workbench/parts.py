"""Parametric meshes of a hexapod's parts, like the machine that the console draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.platform.gimbals import neutral_frames
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.shape import BASE_HALF, PLATFORM_HALF, SPARE, Shape, least_spacing, mean_radius, outward_angles
from motionbase.workbench.mesh import Mesh, ball, bar, beam, box, joined, plate

DECK_OUT = 1.09  # radius of the deck's corners relative to the joints
RAIL_RADIUS = 0.02  # [m]
FLOOR = 0.1  # [m], thickness


@final
@dataclass(frozen=True, eq=False)
class Part:
    """A rigid part.

    Attributes:
        name: "cylinder 3"
        kind: "cylinder"; joints connect kinds
        frame: W, P, or "cylinder 3", "rod 3", "base cross 3", "platform cross 3"
        mesh: in its frame [m]
        leg: 1 to 6, 0 for parts of no leg
    """

    name: str
    kind: str
    frame: str
    mesh: Mesh
    leg: int = 0


def parametric_parts(platform: Hexapod, shape: Shape) -> tuple[Part, ...]:
    """All parametric parts of a platform."""
    base, joints = np.asarray(platform.base), np.asarray(platform.joints)
    headings = np.arctan2(neutral_frames(platform)[:, 1, 2], neutral_frames(platform)[:, 0, 2])
    block = "manifold" if isinstance(platform.actuator, HydraulicActuator) else "motor"
    parts = [
        Part("base frame", "base frame", "W", base_frame(base, shape)),
        Part("platform frame", "platform frame", "P", platform_frame(joints, shape)),
    ]
    if shape.catwalk_width or shape.catwalk_outline:
        parts.append(Part("catwalk", "catwalk", "P", catwalk(joints, shape)))
    if shape.cabin is not None:
        parts.append(Part("cabin", "cabin", "P", box(shape.cabin.size, shape.cabin.at)))
    if shape.floor_reach:
        side = 2 * shape.floor_reach
        parts.append(Part("floor", "floor", "W", box([side, side, FLOOR], [0, 0, shape.floor - 0.5 * FLOOR])))
    foot = min(2.5 * shape.base_fork, 0.5 * SPARE * least_spacing(base))
    for k in range(LEGS):

        def of_leg(kind: str, frame: str, mesh: Mesh, leg: int = k + 1) -> Part:
            return Part(f"{kind} {leg}", kind, frame if frame in "WP" else f"{frame} {leg}", mesh, leg)

        out = outward_angles(platform)[k]
        parts += [
            of_leg("base fork", "W", base_fork(base[k], headings[k], foot, shape)),
            of_leg("base cross", "base cross", cross(shape.base_fork, BASE_HALF)),
            of_leg("cylinder", "cylinder", cylinder(shape)),
            of_leg("rod", "rod", rod(shape)),
            of_leg("platform cross", "platform cross", cross(shape.platform_fork, PLATFORM_HALF)),
            of_leg("platform fork", "P", platform_fork(joints[k], headings[k], shape)),
        ]
        if shape.block[0]:
            parts.append(of_leg(block, "cylinder", actuator_block(shape).turned(out)))
        if shape.pipe_radius:
            parts.append(of_leg("pipes", "cylinder", pipes(shape).turned(out)))
    return tuple(parts)


def base_frame(base: Array, shape: Shape) -> Mesh:
    """Beams on the floor from foot to foot, and the feet; in W."""
    size, high = mean_radius(base), shape.base_beam
    solids = []
    for here, after in zip(base, np.roll(base, -1, axis=0), strict=True):
        middle = shape.floor + 0.5 * high
        solids.append(beam([*here[:2], middle], [*after[:2], middle], 1.1 * high, high))
        solids.append(bar([*here[:2], shape.floor], [*here[:2], shape.floor + 0.025 * size], 0.13 * size))
    return joined(solids)


def base_fork(joint: Array, heading: float, foot: float, shape: Shape) -> Mesh:
    """A pedestal from the floor, with two cheeks across the leg; in W."""
    r, (x, y, z) = shape.base_fork, joint
    across = np.array([-np.sin(heading), np.cos(heading), 0.0])
    pedestal = bar([x, y, shape.floor], [x, y, z - 0.95 * r], foot, end_radius=min(1.7 * r, foot))
    cheeks = [box([1.5 * r, 0.4 * r, 1.9 * r], joint + [0, 0, -0.25 * r] + side * 1.25 * r * across, heading)
              for side in (-1, 1)]  # fmt: skip
    return joined([pedestal, *cheeks])


def cross(size: float, half: float) -> Mesh:
    """The pins of the first bearing, along x, and of the second, along y, with their block; in the cross's frame."""
    return joined([
        bar([-half * size, 0, 0], [half * size, 0, 0], 0.42 * size, 10),
        bar([0, -0.95 * size, 0], [0, 0.95 * size, 0], 0.42 * size, 10),
        ball([0, 0, 0], 0.7 * size, 8, 4),
    ])  # fmt: skip


def cylinder(shape: Shape) -> Mesh:
    """Lug, cap, tube and gland along z from the base joint; in the cylinder's frame."""
    r, end = shape.cylinder_radius, shape.tube_length
    return joined([
        bar([0, 0, 0], [0, 0, 1.6 * r], 0.62 * r, 12),
        bar([0, 0, 1.5 * r], [0, 0, 2.1 * r], 1.22 * r),
        bar([0, 0, 2.1 * r], [0, 0, end - 0.7 * r], r),
        bar([0, 0, end - 0.7 * r], [0, 0, end], 1.2 * r),
    ])  # fmt: skip


def actuator_block(shape: Shape) -> Mesh:
    """The manifold or motor, on the side of x; in the cylinder's frame."""
    out, _, along = shape.block
    return box(shape.block, [0.9 * shape.cylinder_radius + 0.5 * out, 0, shape.block_from + 0.5 * along])


def pipes(shape: Shape) -> Mesh:
    """Two pipes from the block to the gland, on the side of x; in the cylinder's frame."""
    r, (out, across, along) = shape.cylinder_radius, shape.block
    x, begin = 0.9 * r + 0.5 * out, shape.block_from + along
    return joined([
        bar([x, y, begin], [x, y, shape.tube_length - 0.4 * r], shape.pipe_radius, 8)
        for y in (-0.3 * across, 0.3 * across)
    ])  # fmt: skip


def rod(shape: Shape) -> Mesh:
    """Rod and lug along -z from the platform joint; in the rod's frame."""
    r = shape.rod_radius
    return joined([
        bar([0, 0, -shape.rod_length], [0, 0, -1.2 * r], r, 14),
        bar([0, 0, -2.4 * r], [0, 0, 0], 1.25 * r, 12, 0.9 * r),
    ])  # fmt: skip


def platform_fork(joint: Array, heading: float, shape: Shape) -> Mesh:
    """Two cheeks that hang from the frame, across the leg; in P."""
    r, (_, _, z) = shape.platform_fork, joint
    across = np.array([-np.sin(heading), np.cos(heading), 0.0])
    low, high = z - 0.9 * r, max(shape.frame_low, z + 0.9 * r)
    middle = np.array([*joint[:2], 0.5 * (low + high)])
    return joined([
        box([2.2 * r, 0.5 * r, high - low], middle + side * 1.7 * r * across, heading) for side in (-1, 1)
    ])  # fmt: skip


def platform_frame(joints: Array, shape: Shape) -> Mesh:
    """Beams from joint to joint and to a hub, nodes over the joints, a deck; in P."""
    size, top = mean_radius(joints), shape.deck - shape.plate
    low, middle, high = shape.frame_low, 0.5 * (shape.frame_low + top), top - shape.frame_low
    solids = [
        bar([0, 0, low], [0, 0, top], 0.16 * size, 14),
        plate(DECK_OUT * joints[:, :2], top, shape.plate),
    ]
    for here, after in zip(joints, np.roll(joints, -1, axis=0), strict=True):
        solids.append(beam([*here[:2], middle], [*after[:2], middle], 0.07 * size, high))
        solids.append(beam([0, 0, middle], [*here[:2], middle], 0.05 * size, high))
        solids.append(bar([*here[:2], low], [*here[:2], top], 0.075 * size))
    return joined(solids)


def catwalk(joints: Array, shape: Shape) -> Mesh:
    """A walkway around the deck, in segments or, for a given outline, as one plate, with a rail on posts; in P."""
    inner = DECK_OUT * joints[:, :2]
    reach = np.linalg.norm(inner, axis=1, keepdims=True)
    outer = np.array(shape.catwalk_outline or inner * (1 + shape.catwalk_width / reach))
    floor, rail = shape.deck - shape.plate, shape.deck + shape.catwalk_rail
    solids = [plate(outer, floor, shape.plate)] if shape.catwalk_outline else []
    for k in range(len(outer)):
        after = (k + 1) % len(outer)
        if not shape.catwalk_outline:
            solids.append(plate([inner[k], outer[k], outer[after], inner[after]], floor, shape.plate))
        solids.append(bar([*outer[k], floor], [*outer[k], rail], RAIL_RADIUS, 6))
        solids.append(bar([*outer[k], rail], [*outer[after], rail], RAIL_RADIUS, 6))
    return joined(solids)

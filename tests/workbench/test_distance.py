"""Distances of solids against closed forms and whole surfaces; bounds that are never more."""

import coal
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.distance import (
    box_bounds,
    capsule_bounds,
    distance,
    hulls,
    moved,
    piece,
    pieces_of,
    placed,
    reach_of_frames,
    surface_tree,
    transforms,
)
from motionbase.workbench.mesh import Mesh, ball, bar, box, joined
from motionbase.workbench.posture import at_dof

RNG = np.random.default_rng(12)
ROUNDING = 1e-12  # [m]: a thousand roundings of lengths of a metre
Array = np.ndarray
SIMONA = load_platform("simona")


def random_place(reach: float) -> tuple[Array, Array]:
    return Rotation.random(rng=RNG).as_matrix(), RNG.uniform(-reach, reach, 3)


def between(a: Mesh, b: Mesh) -> float:
    """Of pieces in one frame."""
    here = coal.Transform3s()
    return min(distance(piece(one), here, piece(other), here)[0] for one in a.pieces for other in b.pieces)


def test_boxes_have_their_distance_to_rounding() -> None:
    """Side by side it is the gap; corner to corner the diagonal of three gaps."""
    here = box([1, 1, 1])
    assert between(here, box([1, 1, 1], [1.3, 0.2, 0.4])) == pytest.approx(0.3, abs=ROUNDING)
    assert between(here, box([1, 1, 1], [1.3, 1.4, 1.5])) == pytest.approx(np.sqrt(0.5), abs=ROUNDING)
    edge = box([1, 1, 1], [1.0 + np.sqrt(0.5), 0, 0], np.pi / 4)  # an edge towards a side
    assert between(here, edge) == pytest.approx(0.5, abs=ROUNDING)


@pytest.mark.parametrize("sides", [8, 16, 32])
def test_balls_are_as_far_apart_as_spheres_up_to_their_facets(sides: int) -> None:
    """Meshes hold the spheres, and their corners stand out by 1 / cos^2 of half a facet's angle: so much nearer."""
    for _ in range(8):
        r, R, p = 0.3, 0.2, RNG.standard_normal(3)
        p *= (0.6 + RNG.uniform(0, 1)) / np.linalg.norm(p)
        found = between(ball([0, 0, 0], r, sides, sides // 2), ball(p, R, sides, sides // 2))
        exact = float(np.linalg.norm(p)) - r - R
        assert exact - (r + R) * (1 / np.cos(np.pi / sides) ** 2 - 1) <= found <= exact + ROUNDING


def capsule(a: Array, b: Array, r: float, sides: int) -> Mesh:
    return joined([bar(a, b, r, sides), ball(a, r, sides, sides // 2), ball(b, r, sides, sides // 2)])


def test_capsules_are_as_far_apart_as_their_segments() -> None:
    """Segments by their closed form, checked against places along them; facets make it nearer as with balls."""
    sides, r = 24, 0.1
    share = np.linspace(0, 1, 201)[:, None]
    for _ in range(6):
        a, b = RNG.uniform(-1, 1, (2, 3))
        c, d = RNG.uniform(-1, 1, (2, 3)) + [0, 0, 2.5]
        places = (a + share * (b - a))[:, None] - (c + share * (d - c))[None]
        exact = float(np.linalg.norm(places, axis=2).min()) - 2 * r
        step = 0.5 / 200 * (np.linalg.norm(b - a) + np.linalg.norm(d - c))  # half a step along both
        found = between(capsule(a, b, r, sides), capsule(c, d, r, sides))
        assert exact - step - 2 * r * (1 / np.cos(np.pi / sides) ** 2 - 1) <= found <= exact + ROUNDING


def test_solids_are_as_far_apart_as_their_surfaces() -> None:
    """GJK on convex pieces against triangles in a tree of boxes, to rounding."""
    shapes = [
        box([1, 0.3, 0.2]),
        bar([0, 0, -1], [0, 0, 1], 0.1),
        ball([0, 0, 0], 0.3),
        bar([0, 0, 0], [1, 0, 0], 0.2, 9, 0.05),
    ]
    pieces, trees = [piece(one) for one in shapes], [surface_tree(one) for one in shapes]
    apart = 0
    for _ in range(300):
        i, j = RNG.integers(0, len(shapes), 2)
        A, B = (coal.Transform3s(*random_place(0.8)) for _ in range(2))
        found = distance(pieces[i], A, pieces[j], B)[0]
        surface = coal.distance(trees[i], A, trees[j], B, coal.DistanceRequest(), coal.DistanceResult())
        if found > 0:  # a surface inside another is some way from it
            apart += 1
            assert found == pytest.approx(surface, abs=ROUNDING)
    assert 100 < apart < 290


def test_hulls_hold_every_corner() -> None:
    meshes = [box([1, 0.2, 0.1], [3, 2, 1], 0.4), ball([1, 0, 0], 0.3), bar([0, 0, 0], [1, 2, 3], 0.2, 7, 0.01)]
    found = hulls(meshes, [0, 0, 0])
    for k, mesh in enumerate(meshes):
        along = found.b[k] - found.a[k]
        share = np.clip((mesh.vertices - found.a[k]) @ along / max(along @ along, 1e-30), 0, 1)
        off = np.linalg.norm(mesh.vertices - found.a[k] - share[:, None] * along, axis=1)
        assert off.max() <= found.r[k] + ROUNDING
        local = np.abs((mesh.vertices - found.centre[k]) @ found.axes[k])
        assert np.all(local <= found.half[k] + ROUNDING)


def test_a_part_wholly_inside_another_interferes_where_that_is_closed() -> None:
    """An angle of two arms is not convex, so its surface alone is compared; what is inside it touches none of it."""
    outline = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], float)
    corners = np.vstack([np.column_stack([outline, np.full(6, z)]) for z in (-1.0, 1.0)])
    caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [[k, (k + 1) % 6, (k + 1) % 6 + 6] for k in range(6)] + [[k, (k + 1) % 6 + 6, k + 6] for k in range(6)]
    triangles = [[a, c, b] for a, b, c in caps] + [[a + 6, b + 6, c + 6] for a, b, c in caps] + sides
    angle = Mesh(corners, np.array(triangles))
    assert angle.is_closed and not angle.is_convex and len(angle.pieces) == 1
    in_arm, in_notch = box([0.2, 0.2, 0.2], [2.5, 0.5, 0]), box([0.2, 0.2, 0.2], [2, 2, 0])
    assert between(angle, in_arm) == between(in_arm, angle) == 0.0
    assert between(angle, in_notch) == pytest.approx(0.9, abs=ROUNDING)
    opened = Mesh(angle.vertices, angle.triangles[1:])
    assert between(opened, in_arm) == pytest.approx(0.4, abs=ROUNDING)  # only its surface is known


def test_a_drawing_of_many_pieces_is_one_surface() -> None:
    """Its pieces are still found inside others, and others inside them."""
    bolts = joined([box([0.1, 0.1, 0.1], [x, y, 0]) for x in range(10) for y in range(10)])
    (whole,), (around,) = pieces_of(bolts), pieces_of(box([0.5, 0.5, 0.5], [9, 9, 0]))
    (nut,), (far,) = pieces_of(box([0.02, 0.02, 0.02], [3, 4, 0])), pieces_of(box([0.2, 0.2, 0.2], [2.5, 2.5, 0]))
    here = coal.Transform3s()
    assert not whole.is_solid and distance(whole, here, around, here)[0] == distance(nut, here, whole, here)[0] == 0
    assert distance(whole, here, far, here)[0] == pytest.approx(0.35 * np.sqrt(2), abs=ROUNDING)


def test_bounds_are_never_more_than_distances(simona: Clearance) -> None:
    """Capsules, boxes, and how far pieces have gone between two poses."""
    at = at_dof(SIMONA, RNG.uniform(-1, 1, (2, 6)) * [0.5, 0.5, 0.3, 0.2, 0.2, 0.3])
    where, some = simona.geometry.placed(at.p_W, at.Q_WP), RNG.choice(len(simona.first), 600, replace=False)
    first, second = simona.first[some], simona.second[some]
    exact = np.empty((2, len(some)))
    for n in range(2):
        T = transforms(where.R[n], where.p[n])
        exact[n] = [simona.exact(int(q), T)[0] for q in some]
        here = placed(simona.hulls, where.R[n], where.p[n])
        capsules, boxes = capsule_bounds(here, first, second), box_bounds(here, first, second)
        assert np.all(capsules <= exact[n]) and np.all(boxes <= exact[n])
        assert np.median(exact[n] - capsules) < 0.1  # and they are some use
    way = moved(simona.hulls, first, second, (where.R[0], where.p[0]), (where.R[1], where.p[1]))
    assert np.all(np.abs(exact[1] - exact[0]) <= way + ROUNDING)
    shift, turn = reach_of_frames(where.R[0], where.p[0], where.R, where.p)
    ways = shift[simona.hulls.frame] + turn[simona.hulls.frame] * simona.hulls.furthest
    assert np.all(np.abs(exact[1] - exact[0]) <= ways[first] + ways[second] + ROUNDING)

"""Distances against closed forms, nearest points, interference."""

import coal
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.errors import PlatformError
from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.distance import distance, hulls, piece, pieces_of, surface_tree
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.mesh import Mesh, ball, bar, box, joined
from motionbase.workbench.parts import Part
from motionbase.workbench.posture import at_dof
from motionbase.workbench.sweep import sweep

SIMONA = load_platform("simona")
IDENTITY = (1.0, 0.0, 0.0, 0.0)
RNG = np.random.default_rng(12)
ROUNDING = 1e-12  # [m]: a thousand roundings of lengths of a metre
Array = np.ndarray


@pytest.fixture(scope="module")
def simona() -> Clearance:
    return Clearance(geometry_of(SIMONA))


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


def from_triangles(point: Array, mesh: Mesh) -> float:
    """Distance of a point from a surface: from the planes where it is over a triangle, else from the edges."""
    corners = mesh.vertices[mesh.triangles]
    ends = np.roll(corners, -1, axis=1)
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    height = np.sum((point - corners[:, 0]) * n, axis=1)
    foot = point - height[:, None] * n
    over = np.einsum("tki,ti->tk", np.cross(ends - corners, foot[:, None] - corners), n).min(axis=1) >= 0
    along = ends - corners
    share = np.clip(np.sum((point - corners) * along, axis=2) / np.sum(along**2, axis=2), 0, 1)
    edges = np.linalg.norm(point - corners - share[:, :, None] * along, axis=2)
    return float(min(edges.min(), np.abs(height[over]).min(initial=np.inf)))


def test_nearest_points_lie_on_both_parts(simona: Clearance) -> None:
    at = at_dof(SIMONA, [0.3, -0.2, 0.1, 0.1, -0.15, 0.3])
    where = simona.geometry.placed(at.p_W, at.Q_WP)
    for gap in simona.at(at.p_W, at.Q_WP, 6):
        assert gap.distance == pytest.approx(np.linalg.norm(gap.points[0] - gap.points[1]), abs=ROUNDING)
        for name, point in zip((gap.first, gap.second), gap.points, strict=True):
            part = simona.geometry.part(name)
            T = where.T(part.frame)[0]
            assert from_triangles(T[:3, :3].T @ (point - T[:3, 3]), part.mesh) < ROUNDING


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


def with_part(mesh: Mesh, frame: str) -> Clearance:
    return Clearance(geometry_of(SIMONA, added=[Part("post", "post", frame, mesh)]))


def test_a_part_put_through_another_interferes() -> None:
    through = with_part(bar([0, 0, -1], [0, 0, 4], 0.05), "W")  # up through the platform's hub
    first = through.at(SIMONA.p_neutral, IDENTITY, 3)[0]
    assert {first.first, first.second} == {"platform frame", "post"} and first.interferes and first.distance is None
    assert Thresholds().verdict(first.distance) == "interference"
    swept = sweep(through, SIMONA.p_neutral, IDENTITY)
    assert swept.interferes[0] and np.isnan(swept.distance[0]) and swept.verdicts() == ["interference"]


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


def test_thresholds_divide_clear_from_stop() -> None:
    limits = Thresholds()
    assert [limits.verdict(x) for x in (0.06, 0.05, 0.049, 0.0254, 0.025, None)] == [
        "clear", "clear", "warn", "warn", "stop", "interference",
    ]  # fmt: skip
    with pytest.raises(PlatformError, match="stop is 0.1 m and warn 0.05 m; 0 <= stop <= warn is wanted"):
        Thresholds(stop=0.1)
    with pytest.raises(PlatformError, match="within 0 m, a finite number above 0 is wanted"):
        sweep(Clearance(geometry_of(SIMONA)), SIMONA.p_neutral, IDENTITY, within=0.0)

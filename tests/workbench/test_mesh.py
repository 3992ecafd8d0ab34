"""Solids against closed forms of their volumes; inside and outside."""

import numpy as np
import pytest

from motionbase.workbench.mesh import Mesh, ball, bar, beam, box, joined, plate

RNG = np.random.default_rng(11)


def volume(mesh: Mesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


def test_solids_have_the_volumes_of_their_closed_forms() -> None:
    assert volume(box([1, 2, 3], [4, 5, 6], 0.7)) == pytest.approx(6)
    assert volume(beam([0, 0, 0], [3, 0, 4], 0.1, 0.2)) == pytest.approx(5 * 0.02)
    assert volume(plate([[0, 0], [2, 0], [0, 2]], 1.0, 0.5)) == pytest.approx(1.0)
    ring = 12 * np.tan(np.pi / 12)  # area of a polygon of twelve sides about the unit circle
    assert volume(bar([1, 1, 1], [1, 3, 1], 0.3, 12)) == pytest.approx(2 * 0.09 * ring)
    cone = 2 * ring * (0.3**2 + 0.3 * 0.1 + 0.1**2) / 3
    assert volume(bar([0, 0, 0], [0, 2, 0], 0.3, 12, 0.1)) == pytest.approx(cone)


def test_round_solids_hold_what_they_stand_for() -> None:
    directions = RNG.standard_normal((500, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    mesh = ball([1, 2, 3], 0.5)
    assert all(mesh.contains([1, 2, 3] + 0.4999 * d) for d in directions)
    assert 4 / 3 * np.pi * 0.5**3 < volume(mesh) < 1.15 * 4 / 3 * np.pi * 0.5**3


def test_winding_tells_inside_from_outside() -> None:
    angle = joined([box([2, 1, 1]), box([1, 1, 3], [0.5, 0, 1])])  # they overlap: some places are inside both
    points = RNG.uniform(-2, 3, (400, 3))
    inside = [np.all(np.abs(points) < [1, 0.5, 0.5], axis=1), np.all(np.abs(points - [0.5, 0, 1]) < [0.5, 0.5, 1.5], 1)]
    np.testing.assert_allclose(angle.winding(points), inside[0].astype(int) + inside[1], atol=1e-12)
    assert [angle.contains(point) for point in points] == (inside[0] | inside[1]).tolist()
    assert len(angle.pieces) == 2 and not angle.is_convex and all(one.is_convex for one in angle.pieces)

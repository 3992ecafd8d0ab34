"""Nearest pairs of parts at a pose: nearest points, interference, verdicts."""

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.mesh import Mesh, bar
from motionbase.workbench.parts import Part
from motionbase.workbench.posture import at_dof
from motionbase.workbench.sweep import sweep
from tests.workbench.surfaces import whole_surfaces

SIMONA = load_platform("simona")
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ROUNDING = 1e-12  # [m]: a thousand roundings of lengths of a metre
Array = np.ndarray


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


def with_part(mesh: Mesh, frame: str) -> Clearance:
    return Clearance(geometry_of(SIMONA, added=[Part("post", "post", frame, mesh)]))


def test_a_part_put_through_another_interferes() -> None:
    through = with_part(bar([0, 0, -1], [0, 0, 4], 0.05), "W")  # up through the platform's hub
    first = through.at(SIMONA.p_neutral, IDENTITY, 3)[0]
    assert {first.first, first.second} == {"platform frame", "post"} and first.interferes and first.distance is None
    assert Thresholds().verdict(first.distance) == "interference"
    swept = sweep(through, SIMONA.p_neutral, IDENTITY)
    assert swept.interferes[0] and np.isnan(swept.distance[0]) and swept.verdicts() == ["interference"]


def test_thresholds_divide_clear_from_stop() -> None:
    limits = Thresholds()
    assert [limits.verdict(x) for x in (0.06, 0.05, 0.049, 0.0254, 0.025, None)] == [
        "clear", "clear", "warn", "warn", "stop", "interference",
    ]  # fmt: skip
    with pytest.raises(PlatformError, match="stop is 0.1 m and warn 0.05 m; 0 <= stop <= warn is wanted"):
        Thresholds(stop=0.1)
    with pytest.raises(PlatformError, match="within 0 m, a finite number above 0 is wanted"):
        sweep(Clearance(geometry_of(SIMONA)), SIMONA.p_neutral, IDENTITY, within=0.0)


def test_nearest_pairs_are_those_of_all(simona: Clearance) -> None:
    """Each pair measured by itself, by whole surfaces."""
    at = at_dof(SIMONA, [0.2, 0.3, -0.1, -0.1, 0.1, -0.3])
    every = whole_surfaces(simona.geometry, at.p_W, at.Q_WP)[0]
    nearest = simona.at(at.p_W, at.Q_WP, 25)
    found = np.array([gap.distance for gap in nearest], dtype=np.float64)
    np.testing.assert_allclose(found, np.sort(every)[:25], atol=ROUNDING)
    gap = simona.between("cylinder 1", "rod 2", at.p_W, at.Q_WP)
    pair = [sorted((simona.geometry.parts[i].name, simona.geometry.parts[j].name)) for i, j in simona.geometry.pairs]
    assert gap.distance == pytest.approx(every[pair.index(["cylinder 1", "rod 2"])], abs=ROUNDING)

"""Vortex lines against closed forms: a segment, a ring on its axis and its own motion, helices without end."""

import numpy as np
import pytest

from motionbase.rotor.inflow.vortices import arc_velocity, far_velocity, segment_velocity


def ring(steps: int, radius: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    angle = 2 * np.pi * np.arange(steps + 1) / steps
    points = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    return points[:-1], points[1:]


def test_a_segment_has_the_angles_of_its_ends_and_a_core() -> None:
    """(cos a + cos b) / (4 pi h); with a core, Vatistas' profile h^2 / sqrt(h^4 + c^4) times that."""
    start, end, h = np.array([[-1.0, 0.0, 0.0]]), np.array([[2.0, 0.0, 0.0]]), 0.3
    straight = (1 / np.hypot(1, h) + 2 / np.hypot(2, h)) / (4 * np.pi * h)
    for core in (0.0, 0.2, 0.5):
        found = segment_velocity(np.array([[0.0, h, 0.0]]), start, end, core)[:, 0, 0]
        wanted = straight * h**2 / np.sqrt(h**4 + core**4)
        np.testing.assert_allclose(found, [0.0, 0.0, wanted], rtol=1e-13, atol=1e-16)
    on_line = np.array([[0.5, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    assert np.all(segment_velocity(on_line, start, end, 0.0) == 0)


def test_a_ring_on_its_axis() -> None:
    """a^2 / (2 (a^2 + z^2)^1.5); a polygon of n sides has an error of order 1 / n^2."""
    z = np.array([0.0, 0.4, 2.0])
    exact = 0.7**2 / (2 * (0.7**2 + z**2) ** 1.5)
    errors = []
    for steps in (36, 72):
        v = segment_velocity(np.stack([0 * z, 0 * z, z], axis=-1), *ring(steps), 0.0).sum(axis=-1)
        np.testing.assert_allclose(v[:2], 0.0, atol=1e-15)
        errors.append(np.abs(v[2] / exact - 1).max())
    assert errors[0] < 8e-3 and 3.9 < errors[0] / errors[1] < 4.1


@pytest.mark.parametrize("steps", [24, 36, 72])
def test_a_ring_moves_itself_whatever_its_segments(steps: int) -> None:
    """(ln(8 a / c) - 1/4) / (4 pi a), Kelvin; its segments alone lack the arcs beside the point."""
    core, (start, end) = 0.01, ring(steps)
    others = segment_velocity(start[:1], start, end, core).sum(axis=-1)[2, 0]
    exact = (np.log(8 * 0.7 / core) - 0.25) / (4 * np.pi * 0.7)
    found = others + arc_velocity(np.array([0.7]), 2 * np.pi / steps, core)[0]
    assert abs(found / exact - 1) < 1e-3  # 6e-4 with 24
    assert others < 0.75 * exact


def test_helices_and_a_cylinder_below_them_are_helices_without_end() -> None:
    """On the axis each of N helices induces 1 / (4 pi rate) from its beginning on, exactly."""
    blades, rate, r, turns = 3, 0.06, 0.8, 6
    angle = np.linspace(0, 2 * np.pi * turns, turns * 72 + 1)
    v = 0.0
    for k in range(blades):
        at = angle + 2 * np.pi * k / blades
        line = np.stack([r * np.cos(at), -r * np.sin(at), -rate * angle], axis=-1)
        v += segment_velocity(np.zeros((1, 3)), line[:-1], line[1:], 0.0).sum(axis=-1)[2, 0]
    below = far_velocity(np.array([rate * angle[-1]]), r, rate, blades)[0]
    exact = blades / (4 * np.pi * rate)
    assert below > 0.02 * exact
    assert abs((-v + below) / exact - 1) < 2e-3  # 72 sides a turn: 1e-3

"""The motion cueing test of the whole system."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.cueing.omct.algorithm import Algorithm
from motionbase.cueing.omct.measure import Course, measured
from motionbase.cueing.omct.motions import TESTS, Amplitudes
from motionbase.record.vehicle import G
from motionbase.system.cued_lanes import CuedLanes, Seen
from motionbase.system.omct import WholeSystem
from tests.system.test_repeatability import cueing


def test_the_head_feels_what_a_body_gives_it() -> None:
    """Twice differentiated places of a point of a body in motion, less gravity; differences are exact to h^2."""
    h, r = 1e-3, np.array([0.3, -0.2, 1.2])
    t = np.arange(0, 2, h)
    attitude = Rotation.from_euler("ZYX", np.column_stack([0.3 * np.sin(2 * t), 0.2 * np.cos(3 * t), 0.4 * np.sin(t)]))
    p = np.column_stack([np.sin(t), 0.5 * np.cos(2 * t), 0.3 * np.sin(3 * t)])
    back = attitude.inv()
    omega = (back[:-1] * attitude[1:]).as_rotvec() / h
    omega = np.vstack([omega[:1], (omega[1:] + omega[:-1]) / 2, omega[-1:]])
    v = back.apply(np.gradient(p, h, axis=0))
    V = np.hstack([omega, v])
    x, y, z, w = attitude.as_quat().T
    seen = Seen(t, V[..., None], np.gradient(V, h, axis=0)[..., None], np.column_stack([w, x, y, z])[..., None])
    place = p + attitude.apply(r)
    a = np.gradient(np.gradient(place, h, axis=0), h, axis=0)
    inner = slice(5, -5)
    np.testing.assert_allclose(seen.felt_at(tuple(r))[inner, :3, 0], back.apply(a + [0, 0, G])[inner], atol=2e-4)
    np.testing.assert_allclose(seen.acceleration_at(tuple(r))[inner, :, 0], back.apply(a)[inner], atol=2e-4)
    np.testing.assert_array_equal(seen.felt_at((0, 0, 0))[:, 3:, 0], omega)


def test_the_whole_system_follows_its_algorithm() -> None:
    """At 1.6 rad/s, 0.25 Hz, the loop follows its demand to 1 % and 2 degrees, as at 0.5 Hz in test_responses.py."""
    tests, course, sizes = (TESTS[0], TESTS[9]), Course(settle=4.0, least=4.0, shortest_fade=4.0), Amplitudes(0.5)
    point = (0.0, 0.0, 0.8575)
    lanes = CuedLanes.of(cueing(), every=2, inputs={"seed": np.arange(1.0, 9.0)})
    whole = WholeSystem(lanes, point, Algorithm(cueing(), point).lever)
    true = measured(whole, sizes, course, tests, (1.585,))
    commanded = measured(Algorithm(cueing(), point, 60.0), sizes, course, tests, (1.585,))
    for ours, theirs in zip(true, commanded, strict=True):
        ratio = complex(ours.response[0] / theirs.response[0])
        assert abs(abs(ratio) - 1) < 0.01 and abs(math.degrees(np.angle(ratio))) < 2
        assert ours.harmonics[0] > theirs.harmonics[0]  # friction of the legs


def test_a_whole_system_knows_the_lever_to_the_head() -> None:
    whole = WholeSystem.of(cueing(), (0.0, 0.0, 0.8575))
    assert whole.lever == pytest.approx((0, 0, 0.35)) and whole.lanes.host_rate == 60 and whole.lanes.step == 10

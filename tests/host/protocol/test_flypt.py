"""Six doubles for headsets: signs and units as OpenXR-MotionCompensation reads them, rebuilt here as a rotation."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import Frame, Options
from motionbase.host.formats import FORMATS
from tests.host.protocol.frames import NOT_FINITE, assert_only_whole
from tests.host.test_headset import rotation
from tests.tier import often

POSE = (0.1, -0.2, 0.3, 0.2, -0.1, 0.4)
FORM = FORMATS["flypt"]


def encoded(pose: tuple[float, ...]) -> bytes:
    assert FORM.encoder is not None
    return FORM.encoder(Options()).encode(Frame((*pose, *(0.0,) * 12)))


def about(axis: int, angle: float) -> np.ndarray:
    """Right-handed."""
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[[i, j], [i, j]] = math.cos(angle)
    R[i, j], R[j, i] = -math.sin(angle), math.sin(angle)
    return R


def test_the_reader_of_headsets_finds_our_pose() -> None:
    """It puts (-sway, heave, surge) / 1000 on axes x left, y up, z forward, and turns by roll, then pitch, then yaw."""
    sway, surge, heave, yaw, roll, pitch = struct.unpack("<6d", encoded(POSE))
    degree = math.pi / 180
    place = np.array([-sway, heave, surge]) / 1000
    R = about(1, yaw * degree) @ about(0, -pitch * degree) @ about(2, roll * degree)
    ours = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # from its axes to x forward, y left, z up
    assert ours @ place == pytest.approx(np.array(POSE[:3]), abs=1e-12)
    np.testing.assert_allclose(ours @ R @ ours.T, rotation(*POSE[3:]), atol=1e-12)


def test_only_whole_and_finite() -> None:
    decoder = FORM.decoder(Options(clock=lambda: 0.0))
    assert_only_whole(decoder, encoded(POSE))
    for value in NOT_FINITE:
        assert all(decoder.decode(struct.pack("<6d", *(0.0,) * k, value, *(0.0,) * (5 - k))) is None for k in range(6))


@settings(max_examples=often(100))
@given(st.lists(st.floats(-10, 10), min_size=6, max_size=6))
def test_what_is_encoded_is_decoded(pose: list[float]) -> None:
    frame = FORM.decoder(Options(clock=lambda: 0.0)).decode(encoded(tuple(pose)))
    assert frame is not None and frame.row[:6] == pytest.approx(pose, abs=1e-12)


@settings(max_examples=often(100))
@given(st.one_of(st.binary(max_size=60), st.binary(min_size=48, max_size=48)))
def test_random_bytes_raise_nothing(data: bytes) -> None:
    frame = FORM.decoder(Options(clock=lambda: 0.0)).decode(data)
    assert frame is None or all(map(math.isfinite, frame.row))

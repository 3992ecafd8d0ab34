from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from motionbase.console.live import frames
from motionbase.console.live.history import Window
from motionbase.errors import MotionBaseError

NUMBERS = arrays(np.float64, st.integers(0, 40))


@given(st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=20)), NUMBERS)
def test_a_frame_comes_back_to_the_bit(header: dict[str, object], numbers: np.ndarray) -> None:
    raw = frames.head(header) + frames.body(numbers)
    found = frames.decode(raw)
    assert found.header == header
    assert found.numbers.tobytes() == numbers.tobytes()
    length = int.from_bytes(raw[:4], "little")
    assert (4 + length) % 8 == 0, "numbers must be aligned for the browser"
    assert json.loads(raw[4 : 4 + length]) == header


@pytest.mark.parametrize("size", [1, 4])
def test_a_window_has_one_column_where_it_is_exact_and_two_elsewhere(size: int) -> None:
    t, least, most = np.arange(3.0), np.array([[1.0, np.nan, 3.0]]), np.array([[2.0, np.nan, 4.0]])
    window = Window(size, 0, t, least, least if size == 1 else most, 0.0, np.nan)
    found = frames.decode(frames.window_frame(7, 2, [5], (0.0, 1.0), window))
    assert found.header == {
        "kind": "window", "id": 7, "generation": 2, "bucket": size, "count": 3, "channels": [5], "from": 0.0,
        "to": 1.0, "first_t": 0.0, "last_t": None,
    }  # fmt: skip
    columns = found.columns()
    np.testing.assert_array_equal(columns["t"], t)
    np.testing.assert_array_equal(columns["least"], least)
    np.testing.assert_array_equal(columns["most"], least if size == 1 else most)
    assert len(found.numbers) == (6 if size == 1 else 9)


@given(st.binary(max_size=64))
def test_what_is_no_frame_is_refused(raw: bytes) -> None:
    with pytest.raises(MotionBaseError, match=f"frame of {len(raw)} bytes"):
        frames.decode(raw)

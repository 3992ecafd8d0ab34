"""Continuing the pyramid of another process: the result equals one written in one go, or it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.recording import pyramid
from motionbase.recording.open import open_recording
from motionbase.recording.overview import pyramid_paths
from motionbase.recording.pyramid import BASE, FACTOR, LEVELS, Pyramid
from motionbase.recording.pyramid_write import ORIGIN, PyramidWriter, origin_of
from tests.recording.files import schema_of, waves, write_mcap
from tests.recording.pyramids import BLOCK, RECORDS, direct, levels, set_block
from tests.tier import often

TWO = schema_of(2, 1)


@pytest.fixture(autouse=True)
def small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    set_block(monkeypatch, BLOCK)


def stored(path: Path, channels: int, values: np.ndarray, origin: bytes = b"") -> PyramidWriter:
    made = PyramidWriter(path, channels, origin)
    for part in np.array_split(values, 7):
        made.add(part)
    return made


def head_of(path: Path) -> int:
    """Bytes up to what the file says of itself, and some of it."""
    return path.read_bytes().index(b"epoch_utc_ns") + 50


COUNT = 17 * RECORDS + 777  # two blocks of the second level, and some of the first
ROWS = waves(TWO, COUNT)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcap(tmp_path_factory.mktemp("whole") / "a.mcap", TWO, ROWS, chunk=500)


@settings(max_examples=often(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1), spoil=st.none() | st.floats(0, 1, exclude_max=True))
def test_any_part_of_a_part_is_gone_on_with_and_gives_the_same_pyramid(
    recording: Path, tmp_path: Path, cut: float, spoil: float | None
) -> None:
    """Cut anywhere, and with a byte changed anywhere: a damaged block is never used."""
    origin = origin_of(recording, head_of(recording))
    left = stored(tmp_path / "left", 2, ROWS, origin)
    left.leave()
    raw = bytearray(left.part.read_bytes()[: int(cut * left.part.stat().st_size)])
    if spoil is not None and raw:
        raw[int(spoil * len(raw))] ^= 1
    left.part.write_bytes(raw)
    made = PyramidWriter.resumed(left.part, tmp_path / "a.pyramid", 2, recording)
    blocks = (len(raw) - len(pyramid.MAGIC) - ORIGIN.size) // (2 * (8 * BLOCK + 4))
    assert left.part.exists(), "its writer lives: it is copied"
    left.abandon()
    if made is None:
        assert blocks < 1 or spoil is not None
        return
    assert made.count % RECORDS == 0 and made.count <= blocks * RECORDS
    assert spoil is not None or made.count == max(n for n in range(18) if n + n // FACTOR <= blocks) * RECORDS
    made.add(ROWS[made.count :])
    made.finish("stamp")
    try:
        found = levels(Pyramid.open(tmp_path / "a.pyramid", "stamp", 2), COUNT)
    except pyramid.Damaged:
        assert spoil is not None  # the reader builds it anew then
        return
    for mine, wanted in zip(found, direct(ROWS), strict=True):
        np.testing.assert_array_equal(mine, wanted)


def test_the_part_of_another_recording_is_not_used(recording: Path, tmp_path: Path) -> None:
    other = write_mcap(tmp_path / "b.mcap", TWO, ROWS[:100], epoch=5)
    left = stored(tmp_path / "left", 2, ROWS, origin_of(other, head_of(other)))
    left.leave()
    assert PyramidWriter.resumed(left.part, tmp_path / "a.pyramid", 2, recording) is None
    no_origin = stored(tmp_path / "left", 2, ROWS)
    no_origin.leave()
    assert PyramidWriter.resumed(no_origin.part, tmp_path / "a.pyramid", 2, recording) is None
    assert sorted(tmp_path.glob(".a.*")) == []


def test_a_reader_reads_only_what_the_part_lacks(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(recording.read_bytes())
    left = stored(pyramid_paths(path)[0], 2, ROWS[: 9 * RECORDS + 5], origin_of(path, head_of(path)))
    left.leave()
    seen: list[int] = []
    with open_recording(path) as found:
        picture = found.envelope("x1", pixels=10, progress=lambda done, _: seen.append(done))
    assert seen[0] > 9 * RECORDS and seen[-1] == COUNT and len(seen) < 16, "and not from the first record on"
    level = max(k for k in range(LEVELS) if BASE * FACTOR**k * 10 <= COUNT)
    bins = direct(ROWS)[LEVELS + level]
    assert picture.most.max() == bins[:, 1].max() and picture.least.min() == bins[:, 0].min()
    with open_recording(path) as found:
        for mine, wanted in zip(levels(found.pyramid(), COUNT), direct(ROWS), strict=True):
            np.testing.assert_array_equal(mine, wanted)

"""Small chunks are read together, with the same numbers and the same damage as one by one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.recording import recording as recordings
from motionbase.recording.mcap.read import open_mcap
from motionbase.recording.mcap.rows import RowLayout
from motionbase.recording.open import open_recording
from motionbase.recording.pieces import InPlace, pieces
from motionbase.recording.sources import mcap as mcap_source
from motionbase.recording.sources.mcap import AT_ONCE_BYTES, McapSource
from tests.recording.files import Rows, bits, schema_of, waves, write_mcap
from tests.tier import often

SCHEMA = schema_of(9, 3)
ROWS = waves(SCHEMA, 4000)
ALL = tuple(SCHEMA.index)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcap(tmp_path_factory.mktemp("runs") / "a.mcap", SCHEMA, ROWS, chunk=7)


def spoilt(file: Path, path: Path, chunks: list[int]) -> Path:
    """A copy with a changed byte in the numbers of some chunks."""
    places = open_mcap(file).chunks
    raw = bytearray(file.read_bytes())
    for k in chunks:
        raw[int(places[k]["at"]) + int(places[k]["compressed"]) // 2] ^= 0xFF
    path.write_bytes(raw)
    return path


@settings(max_examples=often(40), deadline=None)
@given(
    ends=st.tuples(st.integers(0, 4000), st.integers(0, 4000)).map(sorted),
    names=st.lists(st.sampled_from(ALL), min_size=1, max_size=5, unique=True) | st.just(list(ALL)),
    run_rows=st.integers(1, 500),
    at_once=st.integers(1, 20_000),
)
def test_any_stretch_in_runs_of_any_size_is_what_was_written(
    file: Path, ends: list[int], names: list[str], run_rows: int, at_once: int
) -> None:
    first, last = ends
    with pytest.MonkeyPatch.context() as patch, open_recording(file) as found:
        patch.setattr(recordings, "RUN_ROWS", run_rows)
        assert isinstance(found.source, McapSource)
        found.source._at_once = at_once
        pieces = list(found.pieces(names, first, last))
    assert all(0 < len(t) == len(values) <= max(run_rows, 7) for t, values in pieces)
    assert all(values.T.flags.c_contiguous or len(t) < max(run_rows, 7) for t, values in pieces)
    wanted = ROWS[first:last]
    values = np.concatenate([np.empty((0, len(names))), *(v for _, v in pieces)])
    np.testing.assert_array_equal(bits(values), bits(wanted[:, SCHEMA.places(names)]))
    np.testing.assert_array_equal(np.concatenate([np.empty(0), *(t for t, _ in pieces)]), wanted[:, 0])


@settings(max_examples=often(40), deadline=None)
@given(
    ends=st.tuples(st.integers(0, 4000), st.integers(0, 4000)).map(sorted),
    names=st.lists(st.sampled_from(ALL), min_size=1, max_size=5, unique=True) | st.just(list(ALL)),
    rows=st.integers(1, 1500),
    run_rows=st.integers(1, 200),
)
def test_pieces_of_any_size_are_full_and_what_was_written(
    file: Path, ends: list[int], names: list[str], rows: int, run_rows: int
) -> None:
    """A piece holds whole chunks of 7 records, but for the first and the last."""
    first, last = ends
    with pytest.MonkeyPatch.context() as patch, open_recording(file) as found:
        patch.setattr(recordings, "RUN_ROWS", run_rows)
        pieces = list(found.pieces(names, first, last, rows))
    full = max(rows // 7 * 7, 7)
    assert all(len(t) == full for t, _ in pieces[1:-1]) and all(len(t) <= full for t, _ in pieces)
    assert all(column.flags.c_contiguous for _, values in pieces for column in values.T)
    values = np.concatenate([np.empty((0, len(names))), *(v for _, v in pieces)])
    np.testing.assert_array_equal(bits(values), bits(ROWS[first:last, SCHEMA.places(names)]))
    np.testing.assert_array_equal(np.concatenate([np.empty(0), *(t for t, _ in pieces)]), ROWS[first:last, 0])


def test_a_source_that_reads_whole_blocks_alone_fills_pieces_as_well(file: Path) -> None:
    """Text and ESTOP files have no way of reading to a place: their numbers are copied there."""

    class Whole:
        def __init__(self, source: McapSource) -> None:
            self.starts, self.read_run = source.starts, source.read_run

    with open_recording(file) as found:
        assert isinstance(found.source, McapSource) and isinstance(found.source, InPlace)
        whole: Any = Whole(found.source)
        assert not isinstance(whole, InPlace)
        parts = list(pieces(whole, (3, 0), 10, 3990, rows=700, run_rows=50, ahead=4))
    assert [len(t) for t, _ in parts] == [697, 700, 700, 700, 700, 483]
    np.testing.assert_array_equal(np.concatenate([v for _, v in parts]), ROWS[10:3990, [3, 0]])
    np.testing.assert_array_equal(np.concatenate([t for t, _ in parts]), ROWS[10:3990, 0])


@pytest.mark.parametrize("damaged", [[0], [5], [5, 6], [3, 100, 571]])
def test_a_damaged_chunk_spoils_nothing_else_of_a_piece(file: Path, tmp_path: Path, damaged: list[int]) -> None:
    wanted: Rows = ROWS.copy()
    for k in damaged:
        wanted[7 * k : 7 * k + 7] = np.nan
    with pytest.MonkeyPatch.context() as patch, open_recording(spoilt(file, tmp_path / "b.mcap", damaged)) as found:
        patch.setattr(recordings, "RUN_ROWS", 40)
        pieces = list(found.pieces(ALL, rows=1000))
    assert len(pieces) == 5 and len(found.damage) == len(damaged)
    np.testing.assert_array_equal(np.concatenate([values for _, values in pieces]), wanted)


@pytest.mark.parametrize("damaged", [[0], [5], [5, 6], [3, 100, 571]])
def test_a_damaged_chunk_spoils_none_that_is_read_beside_it(file: Path, tmp_path: Path, damaged: list[int]) -> None:
    with open_recording(spoilt(file, tmp_path / "b.mcap", damaged)) as found:
        columns = found.columns()
        for _ in range(2):  # it is said once, however often it is read
            found.columns("x1")
    sentences = [f"records {7 * k} to {min(7 * k + 7, len(ROWS)) - 1} could not be read" for k in damaged]
    assert sorted(said.text.partition(":")[0] for said in found.damage) == sorted(sentences)
    wanted: Rows = ROWS.copy()
    assert [(d.first, d.last) for d in found.damage] == [(7 * k, min(7 * k + 7, len(ROWS))) for k in damaged]
    for k in damaged:
        wanted[7 * k : 7 * k + 7] = np.nan
    np.testing.assert_array_equal(np.array([columns[name] for name in ALL]).T, wanted)
    np.testing.assert_allclose(columns["time"], ROWS[:, 0], atol=1e-9)  # times are kept to 1 ns in the index


def test_a_chunk_larger_than_what_is_unpacked_at_once_is_read_as_well(tmp_path: Path) -> None:
    count = AT_ONCE_BYTES // RowLayout(SCHEMA).dtype.itemsize + 100
    rows = waves(SCHEMA, 2 * count)
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, rows, chunk=count)) as found:
        columns = found.columns()
    np.testing.assert_array_equal(np.array([columns[name] for name in ALL]).T, rows)


def test_threads_do_not_share_what_they_unpack_into(file: Path) -> None:
    """Every thread has memory of its own, and what was given away stays as it is when it is used again."""
    with open_recording(file) as found:
        kept = [found.source.read(k, range(9)) for k in range(50)]
        seen: list[bool] = []

        def read(start: int) -> None:
            for k in range(start, 550, 8):
                _, values = found.source.read_run(k, k + 20, range(9))
                seen.append(bool((values == ROWS[7 * k : 7 * k + len(values)]).all()))

        threads = [threading.Thread(target=read, args=(start,)) for start in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(seen) and len(seen) == 550
    for k, (_, values) in enumerate(kept):
        np.testing.assert_array_equal(values, ROWS[7 * k : 7 * k + 7])
    assert len(mcap_source._of_thread.room) == AT_ONCE_BYTES

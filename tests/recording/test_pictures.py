"""Envelopes and the pyramid: no spike is lost at any zoom, and a wrong pyramid is never used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import RecordingError
from motionbase.recording.open import open_recording
from motionbase.recording.overview import pyramid_paths
from motionbase.recording.pyramid import BASE, FACTOR, LEVELS, Pyramid, level_for, outwards
from motionbase.recording.recording import Envelope, Recording
from tests.recording.files import Rows, schema_of, waves, write_mcap
from tests.tier import often

COUNT = 150_000  # level 3 has bins of 16,384
DT = 0.001
SCHEMA = schema_of(4, 2)


def spiky() -> Rows:
    rows = waves(SCHEMA, COUNT, DT)
    rng = np.random.default_rng(5)
    rows[rng.integers(0, COUNT, 40), 1] += rng.choice([-50.0, 50.0], 40)
    rows[70_000:80_000, 2] = np.nan
    rows[[3, 149_999], 3] = [np.inf, -1e300]
    return rows


ROWS = spiky()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcap(tmp_path_factory.mktemp("pictures") / "a.mcap", SCHEMA, ROWS, chunk=1000)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "motionbase" / "pyramids"


def check(found: Recording, place: int, start: float, stop: float, pixels: int) -> None:
    """Against the records themselves, pixel by pixel."""
    name = SCHEMA.channels[place].name
    t, least, most = found.envelope(name, start, stop, pixels)
    first, last = found.rows_between(start, stop)
    assert len(t) <= pixels + 1
    if last - first <= pixels:
        np.testing.assert_array_equal(least, ROWS[first:last, place])
        np.testing.assert_array_equal(most, ROWS[first:last, place])
        return
    bounds = np.rint(t / DT).astype(int)
    level = level_for(last - first, pixels)
    size = 1 if level is None else BASE * FACTOR**level
    end = min(COUNT, -(-last // size) * size)
    assert first - size < bounds[0] <= first and size * pixels <= last - first or level is None
    for k, low in enumerate(bounds):
        high = bounds[k + 1] if k + 1 < len(bounds) else end
        values = ROWS[low:high, place]
        if np.isnan(values).all():
            assert np.isnan(least[k]) and np.isnan(most[k])
            continue
        true = np.nanmin(values), np.nanmax(values)
        wanted = true if level is None else outwards(*np.array(true).reshape(2, 1))[0]
        assert (least[k], most[k]) == (wanted[0], wanted[1])


@settings(max_examples=often(80), deadline=None)
@given(
    place=st.integers(0, 3),
    ends=st.tuples(st.floats(0, 150), st.floats(0, 150)).map(sorted),
    pixels=st.integers(1, 3000),
)
def test_an_envelope_is_that_of_the_records(file: Path, place: int, ends: list[float], pixels: int) -> None:
    with open_recording(file) as found:
        check(found, place, ends[0], ends[1], pixels)


def test_every_zoom_shows_a_lonely_spike(file: Path) -> None:
    at = int(np.argmax(np.abs(ROWS[:, 1])))
    with open_recording(file) as found:
        for width in (0.01, 0.1, 1, 10, 100, 300):
            envelope = found.envelope("x1", at * DT - width / 3, at * DT + width / 2, 100)
            assert max(np.nanmax(envelope.most), -np.nanmin(envelope.least)) >= abs(ROWS[at, 1])


def test_all_levels_are_used() -> None:
    used = {level_for(n, 1000) for n in (10, 31_999, 32_000, 10**6, 10**7, 10**8, 10**9, 10**12)}
    assert used == {None, *range(LEVELS)}


@given(
    low=st.floats(allow_nan=False),
    high=st.floats(allow_nan=False),
)
def test_float32_bounds_enclose(low: float, high: float) -> None:
    least, most = outwards(np.array([low]), np.array([high]))[0]
    assert float(least) <= low and float(most) >= high
    with np.errstate(all="ignore"):
        tight = [float(np.nextafter(least, np.float32(np.inf))), float(np.nextafter(most, np.float32(-np.inf)))]
    assert tight[0] > low or float(least) == low
    assert tight[1] < high or float(most) == high


def test_an_empty_recording_has_an_empty_picture(tmp_path: Path) -> None:
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, np.empty((0, 4)))) as found:
        assert len(found.envelope("x1").t) == 0 and found.pyramid().count == 0
        assert (found.start, found.end, found.rows_between(0, 1)) == (0.0, 0.0, (0, 0))


def test_a_picture_needs_a_pixel(file: Path) -> None:
    with open_recording(file) as found, pytest.raises(RecordingError, match="0 pixels"):
        found.envelope("x1", pixels=0)


# ---- the pyramid's file ----


def copied(file: Path, folder: Path) -> Path:
    path = folder / "b.mcap"
    path.write_bytes(file.read_bytes())
    return path


def test_it_is_built_once_and_again_when_the_recording_changes(file: Path, tmp_path: Path) -> None:
    path = copied(file, tmp_path)
    calls: list[tuple[int, int]] = []
    for expected in (True, False):
        with open_recording(path) as found:
            found.envelope("x1", pixels=10, progress=lambda done, total: calls.append((done, total)))
        assert bool(calls) is expected
        assert not calls or calls[-1] == (COUNT, COUNT)
        calls.clear()
    rows = waves(SCHEMA, 50_000, DT) + 7
    rows[:, 0] -= 7
    path.unlink()
    write_mcap(path, SCHEMA, rows)
    with open_recording(path) as found:
        t, least, _ = found.envelope("x1", pixels=10)
        assert len(t) <= 11 and least.min() > 5
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("percent", range(0, 100, 7))
def test_a_cut_pyramid_is_built_anew(file: Path, tmp_path: Path, percent: int) -> None:
    path = copied(file, tmp_path)
    with open_recording(path) as found:
        right = found.envelope("x1", pixels=20)
    beside = pyramid_paths(path)[0]
    raw = beside.read_bytes()
    beside.write_bytes(raw[: len(raw) * percent // 100])
    with open_recording(path) as found:
        np.testing.assert_array_equal(found.envelope("x1", pixels=20), right)
    assert beside.read_bytes() == raw


@pytest.fixture(scope="module")
def pictured(file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, list[Envelope]]:
    """A recording, its pyramid, and pictures of all channels, coarse and fine."""
    path = copied(file, tmp_path_factory.mktemp("pictured"))
    with open_recording(path) as found:
        right = pictures(found)
    return path, pyramid_paths(path)[0].read_bytes(), right


def pictures(found: Recording) -> list[Envelope]:
    return [found.envelope(c.name, pixels=p) for c in SCHEMA.channels for p in (20, 4000)]


@settings(max_examples=often(40), deadline=None)
@given(where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_changed_byte_is_noticed(where: float, change: int, pictured: tuple[Path, bytes, list[Envelope]]) -> None:
    path, raw, right = pictured
    spoilt = bytearray(raw)
    spoilt[int(where * len(raw))] ^= change
    pyramid_paths(path)[0].write_bytes(spoilt)
    with open_recording(path) as found:
        for a, b in zip(right, pictures(found), strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_pyramid_of_other_channels_is_not_used(file: Path, tmp_path: Path) -> None:
    path = copied(file, tmp_path)
    with open_recording(path) as found:
        found.pyramid()
        assert Pyramid.open(pyramid_paths(path)[0], found.stamp, 5) is None
        assert Pyramid.open(pyramid_paths(path)[0], "another", 4) is None


def test_where_nobody_may_write_the_cache_is_used(file: Path, tmp_path: Path, cache: Path) -> None:
    """A name so long that no file with a longer one can be: root may write into any folder, so this is asked of it."""
    path = tmp_path / f"{'n' * 246}.mcap"
    path.write_bytes(file.read_bytes())
    with open_recording(path) as found:
        right = found.envelope("x1", pixels=20)
    assert [p.parent for p in cache.iterdir()] == [cache] and len(list(tmp_path.iterdir())) == 2
    os.utime(pyramid_paths(path)[1], (1, 1))
    with open_recording(path) as found:
        np.testing.assert_array_equal(found.envelope("x1", pixels=20), right)
    assert pyramid_paths(path)[1].stat().st_mtime == 1  # not built again


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_no_obstacle(file: Path, tmp_path: Path, cache: Path) -> None:
    folder = tmp_path / "read only"
    folder.mkdir()
    path = copied(file, folder)
    folder.chmod(0o500)
    with open_recording(path) as found:
        found.envelope("x1", pixels=20)
    assert len(list(cache.iterdir())) == 1


def test_where_neither_place_takes_it_there_is_a_sentence(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{'n' * 246}.mcap"
    path.write_bytes(file.read_bytes())
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with open_recording(path) as found, pytest.raises(RecordingError, match="overview cannot be written") as e:
        found.envelope("x1", pixels=20)
    assert "\n" not in str(e.value)


def test_two_processes_may_build_at_once(file: Path, tmp_path: Path) -> None:
    path = copied(file, tmp_path)
    program = (
        "import sys; from motionbase.recording.open import open_recording\n"
        "with open_recording(sys.argv[1]) as r: print(repr(r.envelope('x1', pixels=5).most.tolist()))"
    )
    command = [sys.executable, "-W", "error", "-c", program, str(path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.mcap", "b.mcap.pyramid"]

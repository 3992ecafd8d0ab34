"""MCAP files: what is written is read, to the bit, by us and by the official reader."""

from __future__ import annotations

import mmap
import os
import random
import re
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from motionbase.errors import RecordingError
from motionbase.record.schema import Channel, Schema
from motionbase.recording.mcap.chunks import CHUNK, CHUNK_FIELDS, MARK
from motionbase.recording.mcap.messages import LONGEST_TEXT, Event, field_names, type_names
from motionbase.recording.mcap.read import LARGEST_EVENTS, _events
from motionbase.recording.mcap.records import Cut
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.whole import link_new
from tests.recording.files import EPOCH, NOTES, Rows, bits, schema_of, waves, write_mcap
from tests.tier import often

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


def any_schema(groups: list[str], texts: list[str], count: int, seed: int) -> Schema:
    """Channels in groups, in any order."""
    rng = random.Random(seed)
    channels = [Channel("t", "s", rng.choice(texts), rng.choice(groups))]
    for k in range(1, count):
        text, leg = rng.choice(texts), rng.choice([None, 1, 6])
        channels.append(Channel(f"c{k}_{rng.choice(groups)}", text, text, rng.choice(groups), leg))
    return Schema(groups[0], tuple(channels))


def any_rows(count: int, channels: int, seed: int) -> Rows:
    """Any 64 bits: NaN with payloads, infinities, denormals among them."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**64, (count, channels), dtype=np.uint64).view(np.float64)
    payload = struct.unpack("<d", b"\x01" + b"\0" * 5 + b"\xf8\x7f")[0]
    special = np.array([np.nan, payload, np.inf, -np.inf, 5e-324, -0.0])
    chosen = rng.random(rows.shape) < 0.2
    rows[chosen] = rng.choice(special, int(chosen.sum()))
    return rows


SHAPES = {
    "groups": st.lists(NAMES, min_size=1, max_size=20, unique=True),
    "texts": st.lists(TEXTS, min_size=1, max_size=4),
    "channels": st.integers(1, 300),
    "seed": st.integers(0, 2**32),
}


@settings(max_examples=often(60), deadline=None)
@given(count=st.integers(0, 50), chunk=st.integers(1, 60), **SHAPES)
def test_every_bit_comes_back(
    groups: list[str], texts: list[str], channels: int, seed: int, count: int, chunk: int
) -> None:
    schema = any_schema(groups, texts, channels, seed)
    rows = any_rows(count, channels, seed)
    with tempfile.TemporaryDirectory() as folder, open_recording(written(Path(folder), schema, rows, chunk)) as found:
        assert found.schema == schema and found.count == count and not found.damage
        columns = found.columns()
        np.testing.assert_array_equal(columns["time"], np.arange(count) / 100)
        for name, place in schema.index.items():
            np.testing.assert_array_equal(bits(columns[name]), bits(rows[:, place]))


@settings(max_examples=15, deadline=None)
@given(**SHAPES)
def test_the_official_reader_reads_every_number(groups: list[str], texts: list[str], channels: int, seed: int) -> None:
    schema = any_schema(groups, texts, channels, seed)
    rows = any_rows(3, channels, seed)
    with tempfile.TemporaryDirectory() as folder:
        read = list(official(written(Path(folder), schema, rows, 2)))
    assert len(read) == 3 * len(schema.groups)
    for group, names in schema.groups.items():
        mine = [values for topic, _, values in read if topic == f"/motionbase/{group}"]
        assert all(list(values) == list(field_names(schema, group).values()) for values in mine)
        seen = np.array([list(values.values()) for values in mine])
        np.testing.assert_array_equal(seen, rows[:, schema.places(names)])  # any NaN equals any other here


def written(folder: Path, schema: Schema, rows: Rows, chunk: int) -> Path:
    """A record every 10 ms, whatever is in it."""
    log_time = log_times(EPOCH, np.arange(len(rows), dtype=np.float64) * 0.01)
    with McapWriter(folder / "a.mcap", schema, {"epoch_utc_ns": str(EPOCH)}) as writer:
        for at in range(0, len(rows), chunk):
            writer.write_rows(rows[at : at + chunk], at, log_time[at : at + chunk])
    return folder / "a.mcap"


def official(path: Path) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Topic, log time and named values of every message, as the official reader and decoder give them."""
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        for _, channel, message, decoded in reader.iter_decoded_messages():
            yield channel.topic, message.log_time, {k: getattr(decoded, k) for k in decoded.__slots__}


def test_the_official_reader_sees_summary_metadata_and_events(tmp_path: Path) -> None:
    schema = schema_of(20, 4)
    path = write_mcap(tmp_path / "a.mcap", schema, waves(schema, 250))
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == 250 * len(schema.groups) + 2
        assert summary.statistics.chunk_count == len(summary.chunk_indexes) == 4
        assert {m.name for m in reader.iter_metadata()} == {"motionbase"}
        assert reader.get_header().profile == "ros2"
    events = [(t, v) for topic, t, v in official(path) if topic == "/motionbase/events"]
    assert events == [
        (
            EPOCH + round(e.t * 1e9),
            {"t": e.t, "kind": e.kind, "text": e.text, "tick": -1, "person": "", "is_bad": False},
        )
        for e in NOTES
    ]


def test_groups_that_ros_would_call_the_same_get_names_of_their_own() -> None:
    groups = ("a_b", "a__b", "ab", "aB".lower(), "event", "event_")
    channels = (Channel("t", "s", "t", "a_b"), *(Channel(f"x{k}", "-", "x", g) for k, g in enumerate(groups)))
    names = type_names(Schema("alike", channels))
    assert len(set(names.values())) == len(names) == 5
    assert all(not name.endswith("/Event") for name in names.values())


def test_fields_that_ros_would_not_have_get_other_names() -> None:
    names = ("t", "a_b", "a__b", "a_b_", "a_b_variant2", "c_")
    schema = Schema("alike", tuple(Channel(n, "s", "x", "time") for n in names))
    fields = field_names(schema, "time")
    assert fields["t"] == "t" and fields["a_b"] == "a_b" and fields["c_"] == "c"
    assert len(set(fields.values())) == len(names)
    assert all(re.fullmatch(r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*", field) for field in fields.values())


def test_too_many_groups_are_refused() -> None:
    channels = [Channel("t", "s", "t", "time"), *(Channel(f"x{k}", "-", "x", f"g{k}") for k in range(65535))]
    with pytest.raises(RecordingError, match="has 65536 groups, a recording holds 65533"):
        McapWriter(Path("never.mcap"), Schema("wide", tuple(channels)), {})


@given(event=st.builds(Event, st.floats(allow_nan=False), st.text(max_size=20), st.text(max_size=200)))
def test_events_come_back(event: Event) -> None:
    found = Event.from_cdr(event.cdr())
    assert (found.t, found.kind, found.text) == (event.t, *(s.encode(errors="replace").decode() for s in
                                                            (event.kind, event.text)))  # fmt: skip


@given(raw=st.binary(max_size=60))
def test_any_bytes_are_an_event_or_cut(raw: bytes) -> None:
    try:
        Event.from_cdr(raw)
    except Cut:
        pass


def test_a_very_long_text_is_cut() -> None:
    assert len(Event.from_cdr(Event(0.0, "note", "x" * 3 * LONGEST_TEXT).cdr()).text) == LONGEST_TEXT


# ---- life ----


def test_a_file_that_is_being_written_opens_with_what_is_there(tmp_path: Path) -> None:
    schema = schema_of()
    rows = waves(schema, 300)
    writer = McapWriter(tmp_path / "a.mcap", schema, {"epoch_utc_ns": str(EPOCH)})
    for at in range(0, 300, 100):
        with open_recording(tmp_path / "a.mcap") as found:
            (damage,) = found.damage
            assert found.count == at and "being written" in damage.text and (damage.first, damage.last) == (at, at)
            np.testing.assert_array_equal(found.columns("x3")["x3"], rows[:at, 3])
        writer.write_rows(rows[at : at + 100], at, log_times(EPOCH, rows[at : at + 100, 0]))
    writer.close()
    with open_recording(tmp_path / "a.mcap") as found:
        assert found.count == 300 and not found.damage


def test_time_goes_on_where_the_writer_begins_anew(tmp_path: Path) -> None:
    schema = schema_of()
    rows = waves(schema, 200)
    later = EPOCH + 5_000_000_000
    with McapWriter(tmp_path / "a.mcap", schema, {"epoch_utc_ns": str(EPOCH)}) as writer:
        writer.write_rows(rows, 0, log_times(EPOCH, rows[:, 0]))
        writer.write_events([Event(0.0, "writer", "restarted")], [later])
        writer.write_rows(rows, 0, log_times(later, rows[:, 0]))
    with open_recording(tmp_path / "a.mcap") as found:
        columns = found.columns("t")
        np.testing.assert_array_equal(columns["t"], np.tile(rows[:, 0], 2))
        np.testing.assert_array_equal(columns["time"], np.rint(np.r_[rows[:, 0], rows[:, 0] + 5] * 1e9) / 1e9)
        assert (found.start, found.end, found.events[0].t) == (0.0, 5.199, 5.0)
        assert found.rows_between(5.0, 5.1) == (200, 301) and found.rows_between(1.0, 4.0) == (200, 200)


@pytest.mark.parametrize("other", [None, b"of somebody else"])
def test_a_name_that_is_lost_at_the_beginning_is_not_taken_for_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: bytes | None
) -> None:
    """Between the moment it has its name and the one its descriptor is opened by it."""
    path, schema = tmp_path / "a.mcap", schema_of()

    def lost(part: Path, to: Path) -> None:
        link_new(part, to)
        to.rename(tmp_path / "moved.mcap")
        if other is not None:
            to.write_bytes(other)

    monkeypatch.setattr("motionbase.recording.mcap.write.link_new", lost)
    rows = waves(schema, 100)
    with McapWriter(path, schema, {"epoch_utc_ns": str(EPOCH)}) as writer:
        writer.write_rows(rows, 0, log_times(EPOCH, rows[:, 0]))
    assert path.read_bytes() == other if other is not None else not path.exists()
    with open_recording(tmp_path / "moved.mcap") as found:
        assert found.count == 100 and not found.damage


def test_a_full_disk_leaves_whole_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schema_of()
    rows = waves(schema, 200)
    writer = McapWriter(tmp_path / "a.mcap", schema, {"epoch_utc_ns": str(EPOCH)})
    writer.write_rows(rows[:100], 0, log_times(EPOCH, rows[:100, 0]))
    write, left = os.write, [1000]

    def full(fd: int, raw: bytes) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        n = write(fd, raw[: left[0]])
        left[0] -= n
        return n

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            writer.write_rows(rows[100:], 100, log_times(EPOCH, rows[100:, 0]))
    writer.abandon()
    with open_recording(tmp_path / "a.mcap") as found:
        assert found.count == 100 and len(found.damage) == 1
        np.testing.assert_array_equal(found.columns("x1")["x1"], rows[:100, 1])


def test_events_that_would_take_all_memory_are_left_where_they_are() -> None:
    """A chunk of them that says it is huge is not unpacked; zeros are no messages."""
    chunks = np.zeros(2, CHUNK)
    chunks["uncompressed"] = LARGEST_EVENTS + 1, 1 << 20
    packed = zstandard.ZstdCompressor().compress(bytes(1 << 20))
    head = CHUNK_FIELDS.pack(0, 0, 1 << 20, zlib.crc32(bytes(1 << 20))) + MARK + len(packed).to_bytes(8, "little")
    raw = mmap.mmap(-1, 4096 + len(packed))
    raw[4096 - len(head) :] = head + packed
    chunks["at"], chunks["compressed"] = 4096, len(packed)
    found, unread = _events(raw, chunks)
    assert found == [] and [k for k, _ in unread] == [0, 1]
    assert "are no events of ours" in unread[0][1] and "something else than messages" in unread[1][1]

"""MCAP files: what is written is read, to the bit, by us and by the official reader; what is damaged is said."""

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
from mcap.writer import Writer as OfficialWriter
from mcap_ros2.decoder import DecoderFactory

from motionbase.errors import RecordingError
from motionbase.record.schema import Channel, Schema
from motionbase.recording.mcap.chunks import CHUNK, CHUNK_FIELDS, MARK
from motionbase.recording.mcap.messages import LONGEST_TEXT, Event, field_names, type_names
from motionbase.recording.mcap.read import LARGEST_EVENTS, _events
from motionbase.recording.mcap.records import Cut
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
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


# ---- damage ----


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Rows]:
    """A file of 20 chunks, and its records."""
    schema = schema_of(12, 3)
    rows = waves(schema, 1000)
    path = write_mcap(tmp_path_factory.mktemp("whole") / "a.mcap", schema, rows, chunk=50)
    return path.read_bytes(), rows


def check(found: Recording, rows: Rows) -> int:
    """Everything that comes out is right, or NaN and said; returns how many records are right."""
    columns = found.columns()
    values = np.array([columns[name] for name in found.schema.index]).T
    lost = np.isnan(values).all(axis=1)
    assert found.damage or (not lost.any() and found.count == len(rows))
    number = np.rint(columns["time"] / 0.001).astype(int)
    good = ~lost
    np.testing.assert_array_equal(values[good], rows[number[good]])
    np.testing.assert_allclose(columns["time"][good], rows[number[good], 0], atol=1e-12)  # ns to s, one rounding
    assert len(set(number[good])) == good.sum()
    assert all(e in NOTES for e in found.events)
    return int(good.sum())


@pytest.mark.parametrize("percent", range(0, 100))
def test_a_cut_file_has_all_chunks_before_the_cut(percent: int, whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    path = tmp_path / "cut.mcap"
    path.write_bytes(raw[: len(raw) * percent // 100])
    try:
        with open_recording(path) as found:
            good = check(found, rows)
            assert found.damage and good % 50 == 0
            np.testing.assert_array_equal(found.columns("t")["t"][:good], rows[:good, 0])  # from the first on
            begin = raw.index(b"zstd")
            assert good >= (len(path.read_bytes()) - begin) / (len(raw) - begin) * 1000 - 250
    except RecordingError as e:
        assert percent <= 10 and "\n" not in str(e)


def test_a_file_that_is_cut_by_its_last_byte_is_whole_in_its_records(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    (tmp_path / "a.mcap").write_bytes(raw[:-1])
    with open_recording(tmp_path / "a.mcap") as found:
        assert check(found, rows) == 1000 and len(found.events) == 2


@settings(max_examples=often(300), deadline=None)
@given(data=st.data())
def test_changed_bytes_never_give_a_wrong_number(data: st.DataObject, whole: tuple[bytes, Rows]) -> None:
    raw, rows = whole
    spoilt = bytearray(raw[: data.draw(st.sampled_from([len(raw), len(raw) - 9, len(raw) * 2 // 3]))])
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(spoilt) - 1))] ^= data.draw(st.integers(1, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mcap"
        path.write_bytes(spoilt)
        try:
            with open_recording(path) as found:
                check(found, rows)
        except RecordingError as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize("chunk", range(3))
def test_every_byte_of_a_chunk_s_head_may_be_wrong_in_a_file_without_end(
    chunk: int, whole: tuple[bytes, Rows], tmp_path: Path
) -> None:
    """The head has no checksum; times and sizes in it must not be believed."""
    raw, rows = whole
    mark = -1
    for _ in range(chunk + 1):
        mark = raw.index(b"zstd", mark + 1)
    for at in range(mark - 41, mark + 12):
        for change in (0x01, 0x80):
            spoilt = bytearray(raw[: len(raw) - 40])
            spoilt[at] ^= change
            path = tmp_path / f"{at}_{change}.mcap"
            path.write_bytes(spoilt)
            with open_recording(path) as found:
                assert check(found, rows) >= 900
                assert found.end == pytest.approx(0.999) and found.rows_between(0.2, 0.3)[1] > 100


def test_a_damaged_beginning_costs_nothing(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    for at in range(8, raw.index(b"zstd") - 50, 13):
        spoilt = bytearray(raw)
        spoilt[at] ^= 0x11
        (tmp_path / "a.mcap").write_bytes(spoilt)
        with open_recording(tmp_path / "a.mcap") as found:
            assert check(found, rows) == 1000 and found.schema == schema_of(12, 3)


def test_a_damaged_chunk_is_said_once_and_costs_itself(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    raw, rows = whole
    spoilt = bytearray(raw)
    spoilt[raw.index(b"zstd", len(raw) // 3) + 100] ^= 0xFF
    (tmp_path / "a.mcap").write_bytes(spoilt)
    with open_recording(tmp_path / "a.mcap") as found:
        assert found.count == 1000 and check(found, rows) == 950
        found.columns("x1")
        assert len(found.damage) == 1 and "could not be read" in found.damage[0].text


def test_a_frame_that_asks_for_much_memory_is_refused(whole: tuple[bytes, Rows], tmp_path: Path) -> None:
    """The size in a zstd frame is believed by its decoder, so it is looked at first."""
    raw, rows = whole
    at = raw.index(b"\x28\xb5\x2f\xfd")
    spoilt = bytearray(raw)
    spoilt[at + 4] = 0xE0  # eight bytes of size follow
    spoilt[at + 5 : at + 13] = (2**50).to_bytes(8, "little")
    (tmp_path / "a.mcap").write_bytes(spoilt)
    with open_recording(tmp_path / "a.mcap") as found:
        assert check(found, rows) == 950


@settings(max_examples=often(150), deadline=None)
@given(data=st.data())
def test_a_forged_index_gets_a_sentence_at_worst(data: st.DataObject, whole: tuple[bytes, Rows]) -> None:
    """Its checksum is right, what it says is not: nothing but a sentence may come of it."""
    raw = bytearray(whole[0])
    (start,) = struct.unpack_from("<Q", raw, len(raw) - 28)
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(start, len(raw) - 38))] = data.draw(st.integers(0, 255))
    raw[-12:-8] = struct.pack("<I", zlib.crc32(raw[start:-12]))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.mcap").write_bytes(raw)
        try:
            with open_recording(Path(folder) / "a.mcap") as found:
                found.columns("x1")
                found.rows_between(0.1, 0.5)
        except RecordingError as e:
            assert "\n" not in str(e)


# ---- what is no recording of ours ----


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "is empty"),
        (b"\x89MCAP1\r\n" + bytes(100), "does not begin as one"),
        (b"\x89MCAP0\r\n", "was not written by motionbase"),
        (b"\x89MCAP0\r\n" + bytes(1000), "was not written by motionbase"),
        (b"hello", "does not begin as one"),
    ],
)
def test_what_is_no_recording_gets_a_sentence(raw: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(raw)
    with pytest.raises(RecordingError, match=sentence):
        open_recording(tmp_path / "a.mcap")


def test_other_people_s_files_get_a_sentence(tmp_path: Path) -> None:
    with (tmp_path / "a.mcap").open("wb") as file:
        writer = OfficialWriter(file)
        writer.start("ros2", "somebody")
        schema = writer.register_schema("a/msg/B", "ros2msg", b"float64 x")
        channel = writer.register_channel("/b", "cdr", schema)
        writer.add_metadata("motionbase", {"schema": "{}"})
        writer.add_message(channel, 5, bytes(12), 5)
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(RecordingError, match="was not written by motionbase"):
        open_recording(tmp_path / "a.mcap")


def test_a_missing_file_and_a_folder_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="does not exist"):
        open_recording(tmp_path / "none.mcap")
    with pytest.raises(RecordingError, match="is a folder"):
        open_recording(tmp_path)


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

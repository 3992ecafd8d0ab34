"""Parameters in a ring: the table and the block say what the writer means, or are refused with a sentence."""

import math
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import CommandError, MotionBaseError, RingError
from motionbase.record.parameters import ParameterTable
from motionbase.record.requests import Kind, Reason, Result
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.blocks.parameter_files import load_parameters, save_parameters
from motionbase.ring.blocks.parameters import ParameterClient, ParameterPublisher, current, shown
from motionbase.ring.layout import PAGE, VALUE_BYTES
from motionbase.ring.writer import Writer
from tests.record.test_parameters import LIMITS, TABLE
from tests.ring.rings import small_writer
from tests.tier import often

VALUES = np.array(TABLE.designed)


def ring_of(table: ParameterTable = TABLE) -> Writer:
    return small_writer(parameters=table.json)


def publisher_of(ring: Writer, table: ParameterTable = TABLE) -> ParameterPublisher:
    return ParameterPublisher(ring.segment, ring.header.layout, table.size)


# ---- the block ----


def test_before_the_first_word_they_are_as_designed() -> None:
    with ring_of() as ring:
        found = current(ring.segment, ring.header.layout)
        assert found.version == 0 and tuple(found.values) == TABLE.designed == tuple(found.goals)


def test_values_and_goals_go_through_the_ring() -> None:
    with ring_of() as ring:
        publisher_of(ring).publish(VALUES * 0.9, VALUES * 0.8)
        found, _ = shown()
        assert found.table == TABLE and found.version == 1
        np.testing.assert_array_equal(found.values, VALUES * 0.9)
        np.testing.assert_array_equal(found.goals, VALUES * 0.8)
        np.testing.assert_array_equal(found.of("limits"), VALUES[1:4] * 0.9)
        assert found.tuned["k_p"] == (12.0,) and list(found.tuned) == ["k_p", "limits", "l_low"]


def test_rings_without_parameters_say_so() -> None:
    with small_writer(), pytest.raises(RingError, match="has no parameters to tune"):
        shown()


@settings(max_examples=often(80), deadline=None)
@given(at=st.integers(0, 64 + 16 + 16 * TABLE.size - 1), raw=st.binary(min_size=1, max_size=40))
def test_a_spoilt_block_is_refused_or_whole(at: int, raw: bytes) -> None:
    """Bytes written over the block by somebody else; a number that is believed is the writer's or finite."""
    with ring_of() as ring:
        publisher = publisher_of(ring)
        publisher.publish(VALUES, VALUES)
        start = ring.header.layout.values_at + at
        ring.segment.memory[start : start + len(raw)] = raw
        try:
            found = current(ring.segment, ring.header.layout)
        except RingError:
            pass
        else:
            np.testing.assert_array_equal(found.values, VALUES)
        publisher.publish(VALUES, VALUES * 0.5)  # the next word repairs it
        np.testing.assert_array_equal(current(ring.segment, ring.header.layout).goals, VALUES * 0.5)


def test_numbers_that_are_none_are_refused_even_when_sealed() -> None:
    with ring_of() as ring:
        publisher_of(ring).publish(np.where(np.arange(5) == 2, np.nan, VALUES), VALUES)
        with pytest.raises(RingError, match="the parameters are refused: limits is no number"):
            shown()


def test_a_table_that_does_not_match_its_hash_is_refused() -> None:
    with ring_of() as ring:
        at = ring.header.layout.parameters_at
        ring.segment.memory[at + 9 : at + 10] = b"X"
        with pytest.raises(RingError, match="the table of parameters does not match its hash"):
            shown()


# ---- tuning ----


@contextmanager
def answering(ring: Writer, *reasons: Reason) -> Iterator[list[tuple[float, ...]]]:
    """A writer that answers commands with these reasons, in order, then with the last."""
    receiver, stop = CommandReceiver(ring.segment, ring.header.layout), threading.Event()
    taken: list[tuple[float, ...]] = []

    def tick() -> None:
        while not stop.wait(1e-3):
            if (order := receiver.poll()) is not None:
                assert order.command is not None and order.command.kind is Kind.TUNE
                reason = reasons[min(len(taken), len(reasons) - 1)]
                taken.append(order.command.arguments)
                receiver.answer(order, Result.REFUSED if reason else Result.ACCEPTED, reason)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield taken
    finally:
        stop.set()
        thread.join()


def test_each_number_is_a_command() -> None:
    with ring_of() as ring, answering(ring, Reason.NONE) as taken:
        ParameterClient(sender="a test").tune({0: 12.0, 2: 0.25}, timeout=30.0)
        assert taken == [(0.0, 12.0), (2.0, 0.25)]


def test_a_refusal_ends_it_and_says_how_far_it_came() -> None:
    with ring_of() as ring, answering(ring, Reason.NONE, Reason.WRONG_STATE) as taken:
        client = ParameterClient(sender="a test")
        with pytest.raises(CommandError, match=r"limits\[1\] stays as it is: .* base rests; 1 of 3 numbers"):
            client.tune({0: 12.0, 1: 0.5, 2: 0.25}, timeout=30.0)
        assert len(taken) == 2


@pytest.mark.parametrize("wanted", [{0: 12.0, 1: 9.0}, {0: math.nan}, {4: 2.0}, {5: 1.0}, {-1: 1.0}])
def test_what_cannot_be_is_not_sent(wanted: dict[int, float]) -> None:
    with ring_of() as ring, answering(ring, Reason.NONE) as taken:
        with pytest.raises(CommandError):
            ParameterClient(sender="a test").tune(wanted, timeout=30.0)
        assert taken == []


# ---- files ----


@settings(max_examples=often(50), deadline=None)
@given(k_p=st.floats(3.0, 20.0), limits=st.tuples(*(st.floats(0.1, most) for most in LIMITS.most)))
def test_files_come_back(tmp_path_factory: pytest.TempPathFactory, k_p: float, limits: tuple[float, ...]) -> None:
    path = tmp_path_factory.mktemp("files") / "a.toml"
    save_parameters({"k_p": (k_p,), "limits": limits}, TABLE, path)
    assert load_parameters(path, TABLE) == dict(enumerate((k_p, *limits)))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("law = 'another'", "a.toml: it is for 'another', this is 'law of a test'"),
        ("[parameters]\nk_q = 1", "no parameter 'k_q'"),
        ("[parameters]\nk_p = 99", "a.toml: k_p is 99 1/s, it must be 3 to 20"),
        ("[parameters]\nk_p = nan", "k_p is nan"),
        ("[parameters]\nk_p = 'x'", "k_p is 'x', it must be a number or a list of numbers"),
        ("[parameters]\nk_p = []", "it must be a number"),
        ("[parameters]\nk_p = true", "it must be a number"),
        (f"[parameters]\nk_p = {10**400}", "k_p is beyond 1e308"),
        ("[parameters]\nlimits = [1, 0.5]", "limits has 3 numbers, 2 were given"),
        ("[parameters]\nl_low = 2.0", "l_low cannot be changed"),
        ("parameters = 3", "'parameters' must be a table"),
        ("gains = 3", "there is no key 'gains'; keys: law, parameters"),
        ("k_p = = 3", "not TOML"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(CommandError, match=sentence):
        load_parameters(path, TABLE)


@settings(max_examples=often(100), deadline=None)
@given(raw=st.binary(max_size=60))
def test_any_file_is_read_or_gets_a_sentence(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.mktemp("files") / "a.toml"
    path.write_bytes(b"[parameters]\n" + raw)
    try:
        wanted = load_parameters(path, TABLE)
    except MotionBaseError:
        return
    assert all(0 <= place < TABLE.size for place in wanted)


def test_files_elsewhere(tmp_path: Path) -> None:
    for name, sentence in (("a.txt", "must end in .toml"), ("none.toml", "cannot be read: No such file")):
        with pytest.raises(CommandError, match=sentence):
            load_parameters(tmp_path / name, TABLE)
    with pytest.raises(CommandError, match="cannot be written"):
        save_parameters({}, TABLE, tmp_path / "none" / "a.toml")
    with pytest.raises(CommandError, match="must end in .toml"):
        save_parameters({}, TABLE, tmp_path / "a.txt")


def test_values_at_is_checked_like_the_other_places() -> None:
    """A header that puts the block elsewhere is not believed; offsets are those of docs/ring.md."""
    with ring_of() as ring:
        layout = ring.header.layout
        assert layout.values_at % PAGE == 0 == VALUE_BYTES % PAGE and layout.schema_at == layout.values_at + VALUE_BYTES
        assert struct.unpack_from("<Q", ring.segment.memory, 64)[0] == layout.values_at

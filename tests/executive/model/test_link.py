"""Datagrams of a controller: only good ones are used, all others are counted, and none can do harm."""

import struct
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import UsageError
from motionbase.executive.mailbox import Mailbox
from motionbase.executive.model.frames import StateFrame, answer_bytes, answer_of, of_joints, state_bytes, state_of
from motionbase.executive.model.link import KNOWN, Answers, Link
from motionbase.executive.model.ports import HOST, bound, free_ports
from tests.ring.ring_processes import until

N, RUN, HOLD = 3, 0xFEEDFACECAFEBEEF, 100
TORQUES = np.array([1.5, -2.5, 1e3])
FLOATS = st.floats(width=64)


def fresh(sent: int = 10) -> Answers:
    answers = Answers(of_joints(N), RUN, HOLD)
    for k in range(sent):
        answers.sending(20 + k)
    return answers


def counts(answers: Answers) -> list[float]:
    """frames, late, duplicate, malformed, foreign."""
    return [float(x) for x in answers.row[1:6]]


def test_frames_are_what_the_page_says() -> None:
    state = StateFrame(of_joints(2), 7, 8, 9, 0.25, np.arange(10.0))
    data = state_bytes(state)
    assert data == struct.pack("<4sHHQQQd10d", b"MBQV", 1, 2, 7, 8, 9, 0.25, *range(10))
    found = state_of(data)
    assert found is not None and found[:4] == state[:4] and np.array_equal(found.numbers, state.numbers)
    assert answer_bytes(7, 8, TORQUES) == struct.pack("<4sHHQQ3d", b"MBTQ", 1, 3, 7, 8, *TORQUES)
    assert state_of(data[:-1]) is None and state_of(b"") is None and state_of(data + b"x") is None


def test_a_good_answer_is_taken_with_the_tick_it_answers() -> None:
    answers = fresh()
    answers.take(answer_bytes(RUN, 4, TORQUES), True)
    assert counts(answers) == [1, 0, 0, 0, 0] and answers.row[0] == 23
    np.testing.assert_array_equal(answers.row[6:], TORQUES)


def test_all_else_is_counted_and_changes_nothing() -> None:
    answers = fresh()
    answers.take(answer_bytes(RUN, 4, TORQUES), True)
    before = answers.row.copy()
    good = answer_bytes(RUN, 5, TORQUES)
    for data in (b"", good[:-1], good + b"\0", bytes(65_000), b"MBTX" + good[4:], good[:4] + b"\2" + good[5:]):
        answers.take(data, True)
    for number in (np.nan, np.inf, -np.inf):
        answers.take(answer_bytes(RUN, 5, np.array([0.0, number, 0.0])), True)
    answers.take(answer_bytes(RUN + 1, 5, TORQUES), True)  # of an earlier run
    answers.take(answer_bytes(RUN, 11, TORQUES), True)  # to a state that was never sent
    answers.take(answer_bytes(RUN, 0, TORQUES), True)
    assert counts(answers) == [1, 0, 0, 12, 0]
    answers.take(answer_bytes(RUN, 4, 2 * TORQUES), True)
    answers.take(answer_bytes(RUN, 3, 2 * TORQUES), True)
    answers.take(good, False)
    assert counts(answers) == [1, 1, 1, 12, 1]
    np.testing.assert_array_equal(answers.row[[0, *range(6, 9)]], before[[0, *range(6, 9)]])


def test_an_answer_to_an_old_state_is_late() -> None:
    answers = fresh(0)
    answers.sending(0)
    answers.sending(HOLD + 1)
    answers.take(answer_bytes(RUN, 1, TORQUES), True)
    assert counts(answers) == [0, 1, 0, 0, 0]
    slow = fresh(0)
    for _ in range(KNOWN + 1):
        slow.sending(0)
    slow.take(answer_bytes(RUN, 1, TORQUES), True)  # its tick is no longer known
    assert counts(slow) == [0, 1, 0, 0, 0]


@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.binary(max_size=200),
                st.builds(
                    lambda run, seq, torques: answer_bytes(run, seq, np.array(torques)),
                    st.sampled_from([RUN, 0, 1]), st.integers(0, 14), st.lists(FLOATS, min_size=N - 1, max_size=N + 1),
                ),
            ),
            st.booleans(),
        ),
        max_size=40,
    )
)  # fmt: skip
def test_any_datagrams(datagrams: list[tuple[bytes, bool]]) -> None:
    """Each is counted once; what the loop gets are finite numbers of a good answer, and the newest one."""
    answers = fresh()
    good = []
    for data, is_controller in datagrams:
        answers.take(data, is_controller)
        found = answer_of(data, of_joints(N))
        if is_controller and found is not None and found[0] == RUN and 0 < found[1] <= 10:
            good.append(found)
    assert sum(counts(answers)) == len(datagrams) and np.isfinite(answers.row).all()
    newest = max((sequence for _, sequence, _ in good), default=0)
    first = next((torques for _, sequence, torques in good if sequence == newest), np.zeros(N))
    np.testing.assert_array_equal(answers.row[6:], first)
    assert answers.row[0] == (19 + newest if newest else -HOLD - 1)


@pytest.fixture
def link() -> Iterator[tuple[Link, Mailbox, Mailbox, int]]:
    port = free_ports(20_000 + time.monotonic_ns() // 1000 % 20_000)
    states, answers = Mailbox(2 + 5 * N), Mailbox(6 + N)
    with Link(states, answers, of_joints(N), port=port, pause=1e-3, hold=HOLD, say=print) as made:
        yield made, states, answers, port


def reached(answers: Mailbox, counters: list[int], count: int) -> bool:
    """Whether the loop would see so many."""
    answers.taking()()
    return bool(answers.row[counters].sum() >= count)


def test_states_and_answers_over_sockets(link: tuple[Link, Mailbox, Mailbox, int]) -> None:
    """A controller that answers, a stranger that talks, a flood of nonsense: the loop gets the controller's torques."""
    made, states, answers, port = link
    rng = np.random.default_rng(1)
    with bound(port + 1) as controller, bound(0) as stranger:
        controller.setblocking(True)
        for k in range(300):  # more than the model takes at once
            stranger.sendto(rng.bytes(int(rng.integers(0, 300))), (HOST, port))
            controller.sendto(rng.bytes(int(rng.integers(0, 300))), (HOST, port))
            if k % 30 == 0:  # within the room of a socket
                until(partial(reached, answers, [4, 5], 2 * k + 2), "all datagrams counted")
        for tick in range(1, 20):
            states.row[:2], states.row[2:] = (tick, tick * 1e-3), tick
            states.sending()()
            frame = state_of(controller.recv(65536))
            assert frame is not None and frame.tick == tick and np.all(frame.numbers == tick)
            data = answer_bytes(frame.run, frame.sequence, frame.tick * TORQUES)
            stranger.sendto(answer_bytes(frame.run, frame.sequence, -TORQUES), (HOST, port))
            controller.sendto(data, (HOST, port))
            controller.sendto(data, (HOST, port))
            until(partial(reached, answers, [3], tick), "the second one counted as a duplicate")
            np.testing.assert_array_equal(answers.row[6:], tick * TORQUES)
            assert answers.row[0] == tick and answers.row[1] == tick
        until(partial(reached, answers, [5], 319), "the stranger's")
    assert answers.row[4] == 300 and made.error is None


def test_a_port_that_is_taken_gets_a_sentence(link: tuple[Link, Mailbox, Mailbox, int]) -> None:
    with pytest.raises(UsageError, match=rf"UDP port {link[3]} of 127.0.0.1 cannot be had: .* choose another port"):
        bound(link[3])
    assert free_ports(link[3]) > link[3] + 1


def test_nobody_listens_at_the_controllers_port(link: tuple[Link, Mailbox, Mailbox, int]) -> None:
    """Each datagram comes back as an error on the socket; the link goes on."""
    made, states, _, port = link
    for tick in range(1, 30):
        states.row[0] = tick
        states.sending()()
        until(partial(lambda tick: made.answers.sent == tick, tick), "a state sent")
    with bound(port + 1) as controller:
        controller.setblocking(True)
        controller.settimeout(30.0)
        states.row[0] = 100
        states.sending()()
        frame = state_of(controller.recv(65536))
        assert frame is not None and frame.tick == 100
    assert made.error is None

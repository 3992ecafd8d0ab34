"""Who is heard, what is counted, and what a host may ask."""

from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import NOTHING, Format, Frame, Kind, Options, Status
from motionbase.host.formats import FORMATS
from motionbase.host.protocol.own import answer_of, encoded
from motionbase.host.receiver import Receiver
from motionbase.host.url import Udp, source_of
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.requests import Kind as Request
from tests.host.protocol.frames import STATUS
from tests.tier import often

OWN = FORMATS["motionbase"]
HOST, OTHER = ("127.0.0.1", 5000), ("127.0.0.1", 5001)
ROWS = tuple(map(tuple, GeneratorSet().values.tolist()))


def data(sequence: int, request: Request | None = None, generators: object = None, run: int = 1) -> bytes:
    row = () if generators else (0.0,) * 18
    return encoded(Frame(row, sequence, 0.0, run, request, generators), Kind.POSE)  # type: ignore[arg-type]


def test_counters_are_those_of_the_record() -> None:
    receiver = Receiver(OWN)
    for what, sender in (
        (data(1), HOST), (data(4), HOST), (data(3), HOST), (data(3), HOST), (b"x", HOST), (bytes(65536), HOST),
        (data(5), ("10.0.0.1", 5000)), (data(5), OTHER),
    ):  # fmt: skip
        receiver.take(what, sender, 0.0)
    assert receiver.counts == [2, 1, 1, 1, 2, 2]


def test_another_sender_is_heard_when_the_first_is_silent() -> None:
    receiver = Receiver(OWN)
    for sequence in (6, 7):
        assert receiver.take(data(sequence), HOST, 0.0) is not None
    assert receiver.take(data(1, run=2), OTHER, 0.4) is None
    assert receiver.take(b"nonsense", OTHER, 0.6) is None  # does not take over
    assert receiver.sender == HOST
    for sequence in (1, 2):
        assert receiver.take(data(sequence, run=2), OTHER, 0.6) is not None
    assert receiver.sender == OTHER
    assert receiver.take(data(8), HOST, 0.7) is None
    assert receiver.counts == [4, 0, 0, 0, 1, 2]


def test_a_host_may_open_a_socket_for_every_frame() -> None:
    receiver = Receiver(OWN)
    for k in range(1000):
        assert receiver.take(data(k + 1), ("127.0.0.1", 1024 + k), k / 60) is not None
    assert receiver.counts == [1000, 0, 0, 0, 0, 0]
    assert receiver.take(data(1001), ("10.0.0.9", 7), 1000 / 60) is None  # of another address: foreign
    assert receiver.take(b"x", ("127.0.0.1", 9), 1000 / 60) is None
    assert receiver.counts == [1000, 0, 0, 0, 0, 2]


def test_of_two_hosts_at_once_the_first_that_sends_twice_is_heard() -> None:
    receiver = Receiver(OWN)
    used = [receiver.take(data(k // 2 + 1, run=k % 2), (HOST, OTHER)[k % 2], k / 120) is not None for k in range(100)]
    assert receiver.sender == HOST and not any(used[3::2])
    assert all(used[24::2])  # its run was interrupted by another: ten frames in order are believed


def test_networks_of_the_url_are_heard() -> None:
    url = source_of("udp://0.0.0.0:8730?from=192.168.1.0/24,10.0.0.7")
    assert isinstance(url, Udp)
    for address, good in (
        ("192.168.1.77", True), ("192.168.2.1", False), ("10.0.0.7", True), ("127.0.0.1", False),
        ("::ffff:10.0.0.7", True), ("fe80::1%eth0", False),
    ):  # fmt: skip
        receiver = Receiver(url.form, url.options, allowed=url.allowed)
        assert (receiver.take(data(1), (address, 9), 0.0) is not None) == good


def test_a_host_may_ask_to_stop_and_for_the_rest_needs_permission() -> None:
    for allowed in (False, True):
        receiver = Receiver(OWN, requests=allowed)
        asked = []
        for k, request in enumerate(Request(n) for n in range(1, 10)):
            frame = receiver.take(data(k + 1, request), HOST, 0.0)
            assert frame is not None
            asked.append(frame.request)
        wanted = [Request(n) if allowed or n in (7, 8) else None for n in range(1, 10)]
        assert asked == wanted
        assert receiver.refused == (0 if allowed else 7)
        frame = receiver.take(data(20, generators=ROWS), HOST, 0.1)
        assert frame is not None and (frame.generators == ROWS) == allowed


def test_a_request_in_every_frame_is_passed_on_once_a_second() -> None:
    receiver = Receiver(OWN, requests=True)
    heard = []
    for k in range(150):
        frame = receiver.take(data(k + 1, Request.DRIVE), HOST, k / 60)
        assert frame is not None
        heard.append(frame.request)
    assert [k for k, request in enumerate(heard) if request] == [0, 60, 120]


def test_answers_are_to_the_frame_taken_last() -> None:
    receiver = Receiver(OWN)
    assert receiver.answer(STATUS) is None
    receiver.take(data(3), HOST, 0.0)
    receiver.take(data(2), HOST, 0.0)
    answer = answer_of(receiver.answer(STATUS) or b"")
    assert answer is not None and answer.sequence == 3 and answer.status == STATUS


class Halves:
    """A format of legs whose datagrams may hold nothing of use."""

    def decode(self, data: bytes) -> Frame | None:
        return NOTHING if data == b"-" else Frame((float(len(data)),) * 6)

    def answer(self, frame: Frame, status: Status) -> bytes | None:
        return None


def test_rows_are_converted_and_datagrams_without_motion_are_not_counted() -> None:
    form = Format("halves", Kind.LEGS, "-", 1, lambda _: Halves())
    receiver = Receiver(form, Options(), converted=lambda row: row * 3 if row[0] < 5 else None)
    assert receiver.take(b"-", HOST, 0.0) is None and receiver.counts == [0] * 6
    frame = receiver.take(b"abc", HOST, 0.0)
    assert frame is not None and frame.row == (3.0,) * 18
    assert receiver.take(b"abcdef", HOST, 0.1) is None  # no pose has these legs
    assert receiver.counts == [1, 0, 0, 0, 1, 0]


@settings(max_examples=often(200))
@given(
    st.lists(
        st.tuples(
            st.one_of(st.binary(max_size=200), st.integers(0, 2**64 - 1).map(data)),
            st.sampled_from([HOST, OTHER, ("8.8.8.8", 53)]),
            st.floats(0, 10),
        ),
        max_size=50,
    )
)
def test_whatever_comes_is_counted_once(datagrams: list[tuple[bytes, tuple[str, int], float]]) -> None:
    receiver = Receiver(OWN)
    used = sum(receiver.take(what, sender, now) is not None for what, sender, now in datagrams)
    frames, lost, *others = receiver.counts
    assert frames == used and frames + sum(others) == len(datagrams) and min(receiver.counts) >= 0

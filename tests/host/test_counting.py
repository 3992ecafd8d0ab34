"""Lost, late and duplicate frames against a model that remembers every number."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.counting import ENOUGH_NEAR, FURTHEST, SILENCE_S, WINDOW, Sequence, Verdict
from motionbase.host.format import Frame
from tests.tier import often

F, LATE, TWICE = Verdict.FRAME, Verdict.LATE, Verdict.DUPLICATE
PERIOD = 1 / 60


def judged(numbers: list[int], bits: int = 64, runs: list[int] | None = None) -> tuple[list[Verdict], Sequence]:
    order = Sequence(bits)
    pairs = zip(numbers, runs or [1] * len(numbers), strict=True)
    return [order.judge(Frame((), n, run=run), k * 1e-3) for k, (n, run) in enumerate(pairs)], order


@pytest.mark.parametrize(
    ("numbers", "verdicts", "lost"),
    [
        ([1, 2, 3], [F, F, F], 0),
        ([1, 4, 5], [F, F, F], 2),
        ([1, 3, 2, 4], [F, F, LATE, F], 0),
        ([1, 3, 2, 2], [F, F, LATE, TWICE], 0),
        ([1, 1, 2, 2], [F, TWICE, F, TWICE], 0),
        ([5, 4, 6], [F, LATE, F], 0),  # what was sent before the first frame was never missed
        ([900, 1, 2, 3], [F, LATE, F, F], 0),  # a host that began again: two in order are believed
        ([1, 10**6, 2], [F, LATE, F], 0),  # one strange number does not make the others late
    ],
)
def test_known_sequences(numbers: list[int], verdicts: list[Verdict], lost: int) -> None:
    found, order = judged(numbers)
    assert (found, order.lost) == (verdicts, lost)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_sequences_wrap_around(bits: int) -> None:
    most = 2**bits - 1
    found, order = judged([most - 1, most, 1, 0, 2], bits)
    assert (found, order.lost) == ([F, F, F, LATE, F], 0)


@settings(max_examples=often(400))
@given(
    sent=st.integers(2, 200), first=st.integers(0, 2**16 - 1), dropped=st.sets(st.integers(1, 199)),
    delays=st.dictionaries(st.integers(0, 199), st.integers(1, ENOUGH_NEAR - 2), max_size=8),
    doubled=st.sets(st.integers(0, 199), max_size=20),
)  # fmt: skip
def test_every_frame_sent_is_counted_once(
    sent: int, first: int, dropped: set[int], delays: dict[int, int], doubled: set[int]
) -> None:
    """frames + late + lost is what was sent between the first and the newest that came, whatever happened."""
    way = sorted((k + delays.get(k, 0), k) for k in range(sent) if k not in dropped)
    way = [pair for _, k in way for pair in [k] * (1 + (k in doubled))]  # type: ignore[misc]
    came: list[int] = [int(k) for k in way]  # type: ignore[call-overload]
    found, order = judged([(first + k) % 2**16 for k in came], 16)
    newest, seen, wanted = -1, set[int](), []
    for k in came:
        wanted.append(TWICE if k in seen else F if k > newest else LATE)
        newest = max(newest, k)
        seen.add(k)
    assert found == wanted
    assert order.lost == newest - came[0] + 1 - sum(k >= came[0] for k in seen)


def test_runs_of_a_host_begin_sequences() -> None:
    found, order = judged([100, 1, 101, 2], runs=[7, 8, 7, 8])
    assert (found, order.lost) == ([F, F, LATE, F], 0)  # a straggler of the run before is late
    found, _ = judged([5] + [6] * 3, runs=[1, 2, 3, 4])
    assert found == [F] * 4


def test_a_host_that_restarts_soon_is_believed_after_some_frames() -> None:
    """Without a number of the run: the first thirty came, then it counts from 1 again."""
    found, _ = judged([*range(1, 31), *range(1, 31)])
    assert found[30:] == [TWICE] * (ENOUGH_NEAR - 1) + [F] * (31 - ENOUGH_NEAR)


def test_after_silence_anything_begins_a_sequence() -> None:
    order = Sequence()
    assert order.judge(Frame((), 30), 0.0) is F
    assert order.judge(Frame((), 29), 0.1) is LATE
    assert order.judge(Frame((), 1), 0.1 + SILENCE_S) is F
    assert order.judge(Frame((), 2), 0.2 + SILENCE_S) is F


def test_large_steps() -> None:
    found, order = judged([1, 1 + FURTHEST, 2 + 2 * FURTHEST, 3 + 2 * FURTHEST])
    assert (found, order.lost) == ([F, F, LATE, F], FURTHEST - 1)
    found, order = judged([1, 1 + WINDOW, 1, 2])
    assert (found, order.lost) == ([F, F, LATE, LATE], WINDOW - 2)  # too old to remember whether it came; 2 fills


def test_formats_without_numbers_are_judged_by_their_time() -> None:
    order = Sequence()
    stamps = [0.0, 1.0, 1.0, 0.9, 1.1, 0.2, 0.3]  # a paused simulator repeats itself; one rewound begins again
    assert [order.judge(Frame((), stamp=t), 0.01 * k) for k, t in enumerate(stamps)] == [F, F, F, LATE, F, F, F]
    order = Sequence()
    assert {order.judge(Frame(()), PERIOD * k) for k in range(100)} == {F}


@settings(max_examples=often(300))
@given(
    history=st.lists(
        st.tuples(st.integers(0, 3), st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 1)), st.floats(0, 0.3)),
        max_size=60,
    ),
    run=st.integers(0, 3), first=st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 1)),
)  # fmt: skip
def test_no_history_makes_it_deaf(history: list[tuple[int, int, float]], run: int, first: int) -> None:
    """Whatever came before: when a host sends in order, one of its first eleven frames is used, and all from there."""
    order, now = Sequence(32), 0.0
    for before, number, pause in history:
        now += pause
        order.judge(Frame((), number, run=before), now)
        assert order.lost >= 0
    found = [order.judge(Frame((), (first + k) % 2**32, run=run), now + (k + 1) * PERIOD) for k in range(40)]
    begun = found.index(F)
    assert begun <= ENOUGH_NEAR and found[begun:] == [F] * (40 - begun)

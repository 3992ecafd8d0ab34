"""Work ahead: in order, within its limit, with the help of the caller, and nothing continues after the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.recording import ahead
from motionbase.recording.ahead import done_ahead

PATIENCE_S = 10.0  # what never comes is given up then


@settings(max_examples=30, deadline=None)
@given(count=st.integers(0, 40), most=st.integers(1, 8), threads=st.integers(1, 4))
def test_results_come_in_order_and_no_more_jobs_are_begun_than_allowed(count: int, most: int, threads: int) -> None:
    taken = 0

    def jobs() -> Iterator[int]:
        nonlocal taken
        while taken < count:
            taken += 1
            yield taken

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "THREADS", threads)
        for k, found in enumerate(done_ahead(lambda job: job * job, jobs(), most), 1):
            assert found == k * k
            assert taken <= k + most
    assert taken == count


def test_the_caller_does_what_comes_next_while_another_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread waits in the first job for the second, which only the caller can do."""
    monkeypatch.setattr(ahead, "THREADS", 2)
    others, second = threading.Event(), threading.Event()
    by: dict[int, int] = {}

    def work(job: int) -> int:
        by[job] = threading.get_ident()
        if job == 0:
            others.set()
            assert second.wait(PATIENCE_S)
        if job == 1:
            second.set()
        return job

    def jobs() -> Iterator[int]:
        yield 0
        assert others.wait(PATIENCE_S)  # the pool's thread has it, so the caller cannot
        yield 1

    assert list(done_ahead(work, jobs(), 2)) == [0, 1]
    assert by[1] == threading.get_ident() != by[0]


def test_others_go_on_while_the_caller_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "THREADS", 2)
    done = threading.Semaphore(0)

    def work(job: int) -> int:
        done.release()
        return job

    results = done_ahead(work, range(5), 3)
    next(results)
    for _ in range(4):  # the first, and three more before they are asked for
        assert done.acquire(timeout=PATIENCE_S)
    assert not done.acquire(timeout=0.05)
    assert list(results) == [1, 2, 3, 4]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_arrives_and_ends_the_work(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(ahead, "THREADS", threads)

    def work(job: int) -> int:
        if job == 7:
            raise OSError("no more")
        return job

    with pytest.raises(OSError, match="no more"):
        list(done_ahead(work, range(100), 4))


def test_no_thread_is_left_when_the_caller_has_enough() -> None:
    before = set(threading.enumerate())

    def work(job: int) -> int:
        time.sleep(0.001)
        return job

    results = done_ahead(work, range(1000), 8)
    assert list(islice(results, 3)) == [0, 1, 2]
    results.close()  # type: ignore[attr-defined]
    assert not set(threading.enumerate()) - before

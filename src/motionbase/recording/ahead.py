"""Runs jobs ahead of their use in threads; a caller that would wait works on a job itself."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

THREADS = min(4, os.cpu_count() or 1)  # unpacking, packing and copying release Python's lock

Job = TypeVar("Job")
Result = TypeVar("Result")


def done_ahead(work: Callable[[Job], Result], jobs: Iterable[Job], most: int) -> Iterator[Result]:
    """Results of `work` for each job, in order; up to `most` jobs are started ahead of the one being consumed.

    The caller is one of the threads: it works on the next job instead of waiting for another to finish. While it
    uses a result the others go on, so there are never more busy threads than processors.
    """
    left = iter(jobs)
    pool = ThreadPoolExecutor(max(1, THREADS - 1))
    try:
        begun = deque((job, pool.submit(work, job)) for job in islice(left, most))
        while begun:
            while not begun[0][1].done() and _helped(work, begun):
                pass
            result = begun.popleft()[1].result()
            begun.extend((job, pool.submit(work, job)) for job in islice(left, 1))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def _helped(work: Callable[[Job], Result], begun: deque[tuple[Job, Future[Result]]]) -> bool:
    """Do one job that no thread has started; False if there is none."""
    for k, (job, future) in enumerate(begun):
        if future.cancel():
            finished: Future[Result] = Future()
            finished.set_result(work(job))
            begun[k] = job, finished
            return True
    return False

"""Work done before it is asked for, by threads, and by whoever asks where it would only wait."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

THREADS = min(4, os.cpu_count() or 1)  # at work together: unpacking, packing and copying let each other run

Job = TypeVar("Job")
Result = TypeVar("Result")


def done_ahead(work: Callable[[Job], Result], jobs: Iterable[Job], most: int) -> Iterator[Result]:
    """`work` of each job, in their order; up to `most` of them are begun before they are asked for.

    The caller is one of the threads: it works on what comes next instead of waiting for another to finish. While it is
    busy with a result, the others go on, so no more threads than there are processors are in each other's way.
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
    """Whether there was a job that nobody had taken up; it is done then."""
    for k, (job, future) in enumerate(begun):
        if future.cancel():
            finished: Future[Result] = Future()
            finished.set_result(work(job))
            begun[k] = job, finished
            return True
    return False

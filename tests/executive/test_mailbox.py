"""Mailboxes between the native loop and Python: whole rows only, whatever the two threads do."""

import threading

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, compile
from motionbase.executive import Clock, Executive, Job, Mode, Schedule, native_job
from motionbase.executive.mailbox import Mailbox, StopLatch

SIZE = 500  # numbers: long enough that a write can be met half-way


def test_the_loop_never_takes_a_row_that_is_being_written() -> None:
    """A thread writes rows of equal numbers as fast as it can; the loop counts rows that are not all equal."""
    box, over = Mailbox(SIZE), threading.Event()

    def expr(row: ca.SX, mixed: ca.SX, last: ca.SX, news: ca.SX) -> tuple[ca.SX, ...]:
        return mixed + (ca.mmax(row) != ca.mmin(row)), row[0], news + (row[0] != last)

    one = tuple(Port(name) for name in ("mixed", "last", "news"))
    count = Kernel("count_mixed", (Port("row", SIZE), *one), tuple(Port(f"{p.name}_next") for p in one), expr)
    arrays = {p.name: np.zeros(p.dims) for p in (*count.inputs[1:], *count.outputs)}
    job = native_job(compile(count), feedback={p.name: f"{p.name}_next" for p in one}, row=box.row, **arrays)
    executive = Executive(Schedule(1e-3, (Job("take", 1, box.taking()), Job("count", 1, job))), mode=Mode.FAST)

    def write() -> None:
        k = 0.0
        while not over.is_set():
            k += 1.0
            box.put(np.full(SIZE, k))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while arrays["news"] < 2000:
            Executive(executive.schedule, mode=Mode.FAST).run(ticks=20_000)
    finally:
        over.set()
        writer.join()
    assert arrays["mixed"] == 0


def test_python_never_gets_a_row_that_the_loop_is_writing() -> None:
    box = Mailbox(SIZE)
    fill = Kernel("fill_row", (Port("tick"),), (Port("row", SIZE),), lambda tick: ca.repmat(tick, SIZE, 1))
    clock = Clock()
    job = native_job(compile(fill), tick=clock.tick.reshape(()), row=box.row)
    schedule = Schedule(1e-3, (Job("fill", 1, job), Job("send", 1, box.sending())))
    executive = Executive(schedule, mode=Mode.FAST, clock=clock)
    assert box.get() is None
    thread = threading.Thread(target=executive.run)
    thread.start()
    seen, mixed = set[float](), 0
    while len(seen) <= 100 and thread.is_alive():
        row = box.get()
        if row is not None:
            mixed += row.min() != row.max()
            seen.add(float(row[0]))
    executive.stop()
    thread.join()
    assert len(seen) > 100 and mixed == 0


def test_a_row_that_is_never_written_leaves_the_loop_its_own() -> None:
    box = Mailbox(3)
    box.row[:] = 7.0
    box.taking()()
    np.testing.assert_array_equal(box.row, 7.0)
    box.put(np.array([1.0, 2.0, 3.0]))
    box.taking()()
    np.testing.assert_array_equal(box.row, [1.0, 2.0, 3.0])


def test_a_stop_acts_until_exactly_its_count_is_released() -> None:
    words = np.zeros(64, np.uint64)
    latch = StopLatch(words.ctypes.data, 0)
    look = latch.looking()
    look()
    assert latch.acts[0] == 0.0
    words[16] = 2**63 + 5  # the word of the command block that counts stops; no number of them is lost to rounding
    look()
    assert latch.acts[0] == 1.0
    latch.release(2**63 + 4)
    look()
    assert latch.acts[0] == 1.0
    latch.release(2**63 + 5)
    look()
    assert latch.acts[0] == 0.0

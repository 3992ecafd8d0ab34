"""Processes of the tests: a nursery that forks writers which are to be killed, and a reader that checks every word."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

import numpy as np

from benchmarks.peers.ring_loops import loops
from benchmarks.ring import address_of
from motionbase.ring.backend import AbstractBackend, find
from motionbase.ring.native_records import native
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from tests.ring.rings import small_schema

CHANNELS, CAPACITY = 178, 256


def write_for_ever(backend: AbstractBackend) -> None:
    """Record i of every writer has i in all of its words."""
    writer = Writer(small_schema(CHANNELS), capacity=CAPACITY, backend=backend)
    port, row, first = ctypes.addressof(writer.native_port()), writer.record.ctypes.data, 0
    while True:
        loops().hammer(address_of(native().write), port, row, CHANNELS, first, 50_000)
        first += 50_000


def nursery() -> None:
    """One line of input is one order: start a writer, or kill it wherever it is."""
    native(), loops()
    child = 0
    for order in sys.stdin:
        if order == "start\n":
            child = os.fork()
            if child == 0:
                ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: never outlives the test
                nothing = os.open(os.devnull, os.O_RDWR)
                os.dup2(nothing, 0)
                os.dup2(nothing, 1)
                write_for_ever(find())
        elif order == "kill\n":
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        print("done", flush=True)


def check(wanted: int) -> None:
    """Read so many records and say how many were torn, read and lost."""
    bad = good = 0
    with Reader(start="oldest", batch=64, timeout=20.0) as reader:
        while good < wanted:
            batch = reader.wait(0.1)
            first = batch.first
            numbers = np.arange(first, first + len(batch.rows), dtype=np.float64)
            bad += int(np.count_nonzero((batch.rows != numbers[:, None]).any(axis=1)))
            good += len(batch.rows)
        print(bad, good, reader.lost, reader.tail, flush=True)


if __name__ == "__main__":
    match sys.argv[1]:
        case "nursery":
            nursery()
        case "check":
            check(int(sys.argv[2]))
        case "write":
            write_for_ever(find())

"""Mailboxes: rows of numbers between the native loop and threads of Python, under a sequence lock, without waiting.

The loop's side is a native job: it makes no system call, takes no lock, and keeps its last whole row where it finds one
being written. The other side is Python. One side writes, the other reads; the protocol is that of the ring's blocks.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Unsigned
from motionbase.executive.control import address_of
from motionbase.executive.schedule import NativeJob
from motionbase.native.jit import loaded
from motionbase.ring.blocks.native_blocks import COPIED, IR, PAYLOAD_AT, SeqlockPort, block_native
from motionbase.ring.command_words import ESTOP_AT

TRIES = 8  # of the loop in one tick: a row is written within a microsecond, unless its thread is suspended
PATIENT = 10_000  # of a thread beside it

TAKE = f"""{IR}
; reads a block into the port's buffer, and from there, if it was whole and new, to where the word after the port
; points; the next word points to a double that counts such rows
define void @mailbox_take(i64 %address) {{
  call void @block_read(i64 %address)
  %port = inttoptr i64 %address to ptr
  %buffer.at = getelementptr i64, ptr %port, i64 1
  %bytes.at = getelementptr i64, ptr %port, i64 2
  %status.at = getelementptr i64, ptr %port, i64 5
  %row.at = getelementptr i64, ptr %port, i64 6
  %status = load i64, ptr %status.at
  %whole = icmp eq i64 %status, {COPIED}
  br i1 %whole, label %take, label %leave
take:
  %buffer.int = load i64, ptr %buffer.at
  %row.int = load i64, ptr %row.at
  %bytes = load i64, ptr %bytes.at
  %buffer = inttoptr i64 %buffer.int to ptr
  %row = inttoptr i64 %row.int to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %buffer, i64 %bytes, i1 false)
  %count.at = getelementptr i64, ptr %port, i64 7
  %count.int = load i64, ptr %count.at
  %count = inttoptr i64 %count.int to ptr
  %before = load double, ptr %count
  %after = fadd double %before, 1.0
  store double %after, ptr %count
  br label %leave
leave:
  ret void
}}

; a double of 1 while a word of the ring differs from the number that was released, else 0
define void @latch_look(i64 %address) {{
  %port = inttoptr i64 %address to ptr
  %word.int = load i64, ptr %port
  %released.at = getelementptr i64, ptr %port, i64 1
  %out.at = getelementptr i64, ptr %port, i64 2
  %word.at = inttoptr i64 %word.int to ptr
  %word = load atomic i64, ptr %word.at acquire, align 8
  %released = load atomic i64, ptr %released.at acquire, align 8
  %acts = icmp ne i64 %word, %released
  %value = uitofp i1 %acts to double
  %out.int = load i64, ptr %out.at
  %out = inttoptr i64 %out.int to ptr
  store double %value, ptr %out
  ret void
}}
"""


@final
class _TakePort(ctypes.Structure):
    _fields_ = (("lock", SeqlockPort), ("row", ctypes.c_uint64), ("count", ctypes.c_uint64))


@final
class _LatchPort(ctypes.Structure):
    _fields_ = (("word", ctypes.c_uint64), ("released", ctypes.c_uint64), ("out", ctypes.c_uint64))


@cache
def _native() -> Any:
    return loaded(TAKE, "mailbox")


@final
class Mailbox:
    """One row of numbers.

    Args:
        block: memory for the sequence and the row, such as that shared with another process; its own if None

    Attributes:
        row: (size,) the loop's own array: what it has taken, or what it sends
        taken: (1,) how many rows the loop has taken
    """

    def __init__(self, size: int, block: Unsigned | None = None) -> None:
        self.row: Array = np.zeros(size)
        self.taken: Array = np.zeros(1)
        self._block = np.zeros(PAYLOAD_AT // 8 + size, np.uint64) if block is None else block
        self._staged, self._own = np.zeros(size), np.zeros(size)
        # made once, because a thread that puts seldom finds nothing in its caches
        self._putting = self._port(self._own)
        self._put_at = ctypes.addressof(self._putting)

    def _port(self, buffer: Array, tries: int = 0) -> SeqlockPort:
        return SeqlockPort(self._block.ctypes.data, buffer.ctypes.data, buffer.nbytes, tries)

    def taking(self) -> NativeJob:
        """A job that brings `row` up to date."""
        port = _TakePort(self._port(self._staged, TRIES), self.row.ctypes.data, self.taken.ctypes.data)
        take = _native().function("mailbox_take", ctypes.c_uint64)
        return NativeJob([(address_of(take), ctypes.addressof(port))], [self, port, take])

    def sending(self) -> NativeJob:
        """A job that sends `row`."""
        port = self._port(self.row)
        return NativeJob([(address_of(block_native().write), ctypes.addressof(port))], [self, port])

    def put(self, values: Array) -> None:
        """Send from Python, to a loop that takes."""
        self._own[:] = values
        block_native().write(self._put_at)

    def get(self) -> Array | None:
        """The newest row that a loop has sent, a new array; None before the first."""
        port = self._port(self._own, PATIENT)
        block_native().read(ctypes.addressof(port))
        return self._own.copy() if port.status == COPIED else None


@final
class StopLatch:
    """The emergency stop as the loop sees it: straight from the ring, without Python.

    Args:
        commands: address of the ring's command block
        released: stops released so far

    Attributes:
        acts: (1,) 1 while a stop acts
    """

    def __init__(self, commands: int, released: int) -> None:
        self.acts: Array = np.zeros(1)
        self._port = _LatchPort(commands + ESTOP_AT, released, self.acts.ctypes.data)

    def looking(self) -> NativeJob:
        """A job that brings `acts` up to date."""
        look = _native().function("latch_look", ctypes.c_uint64)
        return NativeJob([(address_of(look), ctypes.addressof(self._port))], [self, look])

    def release(self, count: int) -> None:
        """Stops up to this count act no longer."""
        self._port.released = count

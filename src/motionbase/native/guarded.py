"""Mapped files that somebody may cut short: the process is told, instead of being killed by SIGBUS.

A load or store beyond the end of a file that was truncated after it was mapped raises SIGBUS. The handler here, machine
code as the ring's protocol is, knows the mappings that are guarded. Where the address lies in one of them it puts empty
memory of this process in the place of what is gone, notes that, and lets the instruction run again; the program looks
at the note afterwards. Anything else gets the handler of before. So guarding costs nothing before it is needed, and
nobody has to ask for the size of a file before every record, which another program could change at once after.

`pread` would do without a signal, but a system call for every look at the head is what shared memory is there to avoid.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any, final

import numpy as np

from motionbase.native.jit import loaded

SLOTS = 1024  # mappings at a time; further ones are not guarded
SIGBUS, SA_SIGINFO, SA_RESTART = 7, 4, 0x10000000
ADDRESS_AT, FLAGS_AT, ACTION_BYTES = 16, 136, 152  # in siginfo_t and struct sigaction, on 64-bit Linux
ANONYMOUS = 0x32  # MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS
HERE = sys.platform == "linux"

IR = f"""
@table = internal global [{3 * SLOTS} x i64] zeroinitializer, align 64
@before = internal global [{ACTION_BYTES} x i8] zeroinitializer, align 16

declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @sigaction(i32, ptr, ptr)

define void @guard_handle(i32 %number, ptr %info, ptr %context) {{
entry:
  %address.at = getelementptr i8, ptr %info, i64 {ADDRESS_AT}
  %address = load i64, ptr %address.at
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k.after, %on ]
  %row = mul i64 %k, 3
  %first.at = getelementptr i64, ptr @table, i64 %row
  %end.at = getelementptr i64, ptr %first.at, i64 1
  %first = load atomic i64, ptr %first.at acquire, align 8
  %end = load atomic i64, ptr %end.at acquire, align 8
  %above = icmp uge i64 %address, %first
  %below = icmp ult i64 %address, %end
  %inside = and i1 %above, %below
  br i1 %inside, label %ours, label %on
on:
  %k.after = add i64 %k, 1
  %more = icmp ult i64 %k.after, {SLOTS}
  br i1 %more, label %look, label %others
ours:
  %page = and i64 %address, {-mmap.PAGESIZE}
  %page.at = inttoptr i64 %page to ptr
  %bytes = sub i64 %end, %page
  %made = call ptr @mmap(ptr %page.at, i64 %bytes, i32 3, i32 {ANONYMOUS}, i32 -1, i64 0)
  %failed = icmp ne ptr %made, %page.at
  br i1 %failed, label %others, label %note
note:
  %cut.at = getelementptr i64, ptr %first.at, i64 2
  store atomic i64 1, ptr %cut.at release, align 8
  ret void
others:
  ; the instruction runs again and finds the handler of before
  %unused = call i32 @sigaction(i32 {SIGBUS}, ptr @before, ptr null)
  ret void
}}

; the handler from now on; gives the address of the table
define void @guard_install(i64 %out) {{
  %action = alloca [{ACTION_BYTES} x i8], align 16
  call void @llvm.memset.p0.i64(ptr %action, i8 0, i64 {ACTION_BYTES}, i1 false)
  store ptr @guard_handle, ptr %action
  %flags.at = getelementptr i8, ptr %action, i64 {FLAGS_AT}
  store i32 {SA_SIGINFO | SA_RESTART}, ptr %flags.at
  %unused = call i32 @sigaction(i32 {SIGBUS}, ptr %action, ptr @before)
  %out.at = inttoptr i64 %out to ptr
  %table = ptrtoint ptr @table to i64
  store i64 %table, ptr %out.at
  ret void
}}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


_LOCK = threading.Lock()
_CODE: list[Any] = []
_FREE = list(range(SLOTS - 1, -1, -1))


@cache
def _table() -> Any:
    """Rows of three: where a mapping begins, where it ends, whether its file was cut short."""
    at = ctypes.c_uint64()
    install = loaded(IR, "guarded").function("guard_install", ctypes.c_uint64)
    install(ctypes.addressof(at))
    _CODE.append(install)  # it must stay
    return (ctypes.c_uint64 * (3 * SLOTS)).from_address(at.value)


def guarded(mapped: mmap.mmap, address: int) -> Any:
    """Guard a mapping for as long as it is there.

    Returns:
        one number, not 0 once something was looked for beyond the end of the mapping's file
    """
    return _guard(mapped, address)[0]


@final
class Mapped(mmap.mmap):
    """A file as memory, to be read, and guarded until it is closed.

    What lies beyond the end of a file that was cut short reads as zeros: a reader looks at `is_cut` after it has read,
    unless a checksum tells it anyway.
    """

    _note: Any
    _end: Callable[[], object]

    @staticmethod
    def of(file: int, size: int = 0) -> Mapped:
        """So many bytes of an open file, all of them by default; errors as those of `mmap.mmap`."""
        made = Mapped(file, size, access=mmap.ACCESS_READ)
        made._note, made._end = _guard(made, int(np.frombuffer(made, np.uint8).ctypes.data))
        return made

    @property
    def is_cut(self) -> bool:
        """Whether something was looked for that the file has not any more."""
        return bool(self._note[0])

    def close(self) -> None:
        """Let go of the file; `BufferError` where somebody still looks at it."""
        was_cut = self.is_cut
        super().close()
        self._note = [was_cut]
        self._end()  # the addresses are free: whatever comes there next is none of ours

    def __exit__(self, *_: object) -> None:
        self.close()


def _guard(mapped: mmap.mmap, address: int) -> tuple[Any, Callable[[], object]]:
    """The note, and what ends the guarding before the mapping goes."""
    with _LOCK:  # one handler, however many threads begin
        table = _table() if HERE else None
    if table is None or not _FREE:
        return (ctypes.c_uint64 * 1)(), lambda: None
    slot = _FREE.pop()
    table[3 * slot + 2], table[3 * slot] = 0, address
    table[3 * slot + 1] = address + len(mapped)  # last: before it the row is empty
    end = weakref.finalize(mapped, _let_go, table, slot)
    end.atexit = False
    return (ctypes.c_uint64 * 1).from_address(ctypes.addressof(table) + 8 * (3 * slot + 2)), end


def _let_go(table: Any, slot: int) -> None:
    """Without the lock: the collector may call it anywhere."""
    table[3 * slot + 1] = 0
    _FREE.append(slot)

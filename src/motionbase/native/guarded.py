"""Mapped files that may be truncated by another process: the reader finds out instead of being killed by SIGBUS.

A load or store beyond the end of a file that was truncated after it was mapped raises SIGBUS. The handler here is
machine code, like the ring's protocol, and knows the guarded mappings. If the address lies in one of them, it maps
zeroed private memory over the missing part, sets a flag, and lets the instruction run again; the program checks the
flag afterwards. All other addresses go to the previous handler. Guarding therefore costs nothing until it is needed,
and no reader has to query the size of the file before every record, which could change right after the query anyway.

`pread` would need no signal, but shared memory exists to avoid a system call for every look at the head.
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

SLOTS = 1024  # mappings at a time; any further ones are not guarded
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
  ; the instruction runs again and reaches the previous handler
  %unused = call i32 @sigaction(i32 {SIGBUS}, ptr @before, ptr null)
  ret void
}}

; installs the handler; returns the address of the table
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
    """Rows of three: start of a mapping, its end, whether its file was truncated."""
    at = ctypes.c_uint64()
    install = loaded(IR, "guarded").function("guard_install", ctypes.c_uint64)
    install(ctypes.addressof(at))
    _CODE.append(install)  # the code must stay in memory
    return (ctypes.c_uint64 * (3 * SLOTS)).from_address(at.value)


def guarded(mapped: mmap.mmap, address: int) -> Any:
    """Guard a mapping for as long as it exists.

    Returns:
        an array of one number, nonzero once an access went beyond the end of the mapping's file
    """
    return _guard(mapped, address)[0]


@final
class Mapped(mmap.mmap):
    """A file mapped read-only, guarded until it is closed.

    Bytes beyond the end of a truncated file read as zeros: a reader checks `is_cut` after reading, unless a checksum
    reveals it anyway.
    """

    _note: Any
    _end: Callable[[], object]

    @staticmethod
    def of(file: int, size: int = 0) -> Mapped:
        """Map the first `size` bytes of an open file, all of it by default; raises the same errors as `mmap.mmap`."""
        made = Mapped(file, size, access=mmap.ACCESS_READ)
        made._note, made._end = _guard(made, int(np.frombuffer(made, np.uint8).ctypes.data))
        return made

    @property
    def is_cut(self) -> bool:
        """Whether an access went beyond the end of the truncated file."""
        return bool(self._note[0])

    def close(self) -> None:
        """Unmap the file; raises `BufferError` while a view of it exists."""
        was_cut = self.is_cut
        super().close()
        self._note = [was_cut]
        self._end()  # the addresses are free: the next mapping there is not ours

    def __exit__(self, *_: object) -> None:
        self.close()


def _guard(mapped: mmap.mmap, address: int) -> tuple[Any, Callable[[], object]]:
    """The flag, and a function that ends the guarding before the memory is unmapped."""
    with _LOCK:  # one handler for all threads
        table = _table() if HERE else None
    if table is None or not _FREE:
        return (ctypes.c_uint64 * 1)(), lambda: None
    slot = _FREE.pop()
    table[3 * slot + 2], table[3 * slot] = 0, address
    table[3 * slot + 1] = address + len(mapped)  # written last: until then the row is empty
    end = weakref.finalize(mapped, _let_go, table, slot)
    end.atexit = False
    return (ctypes.c_uint64 * 1).from_address(ctypes.addressof(table) + 8 * (3 * slot + 2)), end


def _let_go(table: Any, slot: int) -> None:
    """Takes no lock, because the garbage collector may call it anywhere."""
    table[3 * slot + 1] = 0
    _FREE.append(slot)

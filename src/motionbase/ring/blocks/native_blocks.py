"""The sequence lock and the polling of the command block in LLVM IR, because the order of memory operations matters.

    writer: sequence = odd | release fence | copy in  | sequence = even, release
    reader: sequence, acquire | copy out | acquire fence | sequence again: even and unchanged, or retry

A reader gives up after a given number of tries, so it never hangs on a writer that died between odd and even.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple, final

from motionbase.native.jit import loaded

UNCHANGED, COPIED, UNFINISHED = 0, 1, 2
PAYLOAD_AT = 64  # after the sequence, which has a cache line of its own


@final
class SeqlockPort(ctypes.Structure):
    """Argument block of the native lock functions; they take its address."""

    _fields_ = (
        ("block", ctypes.c_uint64),  # address of the sequence
        ("buffer", ctypes.c_uint64),  # address of the private copy
        ("bytes", ctypes.c_uint64),
        ("tries", ctypes.c_uint64),  # reader
        ("sequence", ctypes.c_uint64),  # reader: last sequence seen; writer: sequence written
        ("status", ctypes.c_uint64),  # reader: UNCHANGED, COPIED, UNFINISHED
    )


@final
class LookPort(ctypes.Structure):
    """The five words at the start of the command block, a cache line apart, polled together."""

    _fields_ = (
        ("block", ctypes.c_uint64),  # address of the first
        ("ready", ctypes.c_uint64),
        ("head", ctypes.c_uint64),
        ("estop", ctypes.c_uint64),
        ("ack", ctypes.c_uint64),
        ("estop_ack", ctypes.c_uint64),
    )


class BlockNative(NamedTuple):
    """The native functions; each takes the address of a port."""

    write: Any
    read: Any
    look: Any


@cache
def block_native() -> BlockNative:
    """The native functions, compiled once for this machine and then loaded from the object cache."""
    library = loaded(IR, "blocks")
    return BlockNative(*(library.function(f"block_{name}", ctypes.c_uint64) for name in BlockNative._fields))


_FIELD = {name: k for k, (name, _) in enumerate(SeqlockPort._fields_)}


def _word(name: str) -> str:
    return f"""
  %{name}.at = getelementptr i64, ptr %port, i64 {_FIELD[name]}
  %{name} = load i64, ptr %{name}.at"""


_PLACES = f"""
  %port = inttoptr i64 %address to ptr
  {_word("block")}
  {_word("buffer")}
  {_word("bytes")}
  %sequence.out = getelementptr i64, ptr %port, i64 {_FIELD["sequence"]}
  %lock = inttoptr i64 %block to ptr
  %private = inttoptr i64 %buffer to ptr
  %shared = getelementptr i8, ptr %lock, i64 {PAYLOAD_AT}"""

_LOOK = "\n".join(
    f"""  %word{k}.at = getelementptr i8, ptr %block, i64 {64 * k}
  %word{k} = load atomic i64, ptr %word{k}.at acquire, align 8
  %word{k}.out = getelementptr i64, ptr %port, i64 {k + 1}
  store i64 %word{k}, ptr %word{k}.out"""
    for k in range(len(LookPort._fields_) - 1)
)

IR = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; the caller holds the file lock; an odd sequence found here was left by a writer that died, and is repaired
define void @block_write(i64 %address) {{
  {_PLACES}
  %before = load atomic i64, ptr %lock monotonic, align 8
  %next = add i64 %before, 1
  %odd = or i64 %next, 1
  store atomic i64 %odd, ptr %lock monotonic, align 8
  fence release
  call void @llvm.memcpy.p0.p0.i64(ptr %shared, ptr %private, i64 %bytes, i1 false)
  %even = add i64 %odd, 1
  store atomic i64 %even, ptr %lock release, align 8
  store i64 %even, ptr %sequence.out
  ret void
}}

define void @block_read(i64 %address) {{
entry:
  {_PLACES}
  {_word("tries")}
  %status.at = getelementptr i64, ptr %port, i64 {_FIELD["status"]}
  %seen = load i64, ptr %sequence.out
  br label %try
try:
  %turn = phi i64 [ 0, %entry ], [ %turn.after, %again ]
  %before = load atomic i64, ptr %lock acquire, align 8
  %bit = and i64 %before, 1
  %odd = icmp ne i64 %bit, 0
  br i1 %odd, label %again, label %even
even:
  %same = icmp eq i64 %before, %seen
  br i1 %same, label %unchanged, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %private, ptr %shared, i64 %bytes, i1 false)
  fence acquire
  %after = load atomic i64, ptr %lock monotonic, align 8
  %whole = icmp eq i64 %after, %before
  br i1 %whole, label %copied, label %again
again:
  %turn.after = add i64 %turn, 1
  %more = icmp ult i64 %turn.after, %tries
  br i1 %more, label %try, label %tired
copied:
  store i64 %before, ptr %sequence.out
  store i64 {COPIED}, ptr %status.at
  ret void
unchanged:
  store i64 {UNCHANGED}, ptr %status.at
  ret void
tired:
  store i64 {UNFINISHED}, ptr %status.at
  ret void
}}

define void @block_look(i64 %address) {{
  %port = inttoptr i64 %address to ptr
  %block.int = load i64, ptr %port
  %block = inttoptr i64 %block.int to ptr
{_LOOK}
  ret void
}}
"""

"""Atomic 64-bit words in shared memory, with the memory order that other processes rely on."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

from motionbase.native.jit import loaded


class Atomics(NamedTuple):
    """The functions; every argument is an address or a 64-bit word.

    Attributes:
        load_acquire: (from, to)
        store_release: (to, value); ends in a full fence
        add: (to, value)
    """

    load_acquire: Any
    store_release: Any
    add: Any


@cache
def atomics() -> Atomics:
    """The atomics; compiled once for this machine, then loaded from the object cache."""
    library, two = loaded(IR, "atomics"), (ctypes.c_uint64, ctypes.c_uint64)
    return Atomics(*(library.function(f"atomic_{name}", *two) for name in ("load", "store", "add")))


IR = """
define void @atomic_load(i64 %from, i64 %to) {
  %from.at = inttoptr i64 %from to ptr
  %to.at = inttoptr i64 %to to ptr
  %value = load atomic i64, ptr %from.at acquire, align 8
  store i64 %value, ptr %to.at
  ret void
}

define void @atomic_store(i64 %to, i64 %value) {
  %to.at = inttoptr i64 %to to ptr
  store atomic i64 %value, ptr %to.at release, align 8
  fence seq_cst
  ret void
}

define void @atomic_add(i64 %to, i64 %value) {
  %at = inttoptr i64 %to to ptr
  %unused = atomicrmw add ptr %at, i64 %value seq_cst, align 8
  ret void
}
"""

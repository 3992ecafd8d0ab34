"""KLU (Davis & Palamadai Natarajan 2010) in a native loop: factors in a fixed order of pivots, and a solution."""

import ctypes
import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import Skip
from motionbase.native.jit import loaded

COMMON_BYTES = 4096  # of KLU's settings, which it fills itself: more than any version has

_LOOP = """
define void @klu_many(i64 %count, ptr %refactor, ptr %solve, i32 %n, ptr %starts, ptr %rows, ptr %values,
                      ptr %symbolic, ptr %numeric, ptr %common, ptr %right, ptr %x) {
entry:
  %n64 = sext i32 %n to i64
  %bytes = mul i64 %n64, 8
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %right, i64 %bytes, i1 false)
  %a = call i32 %refactor(ptr %starts, ptr %rows, ptr %values, ptr %symbolic, ptr %numeric, ptr %common)
  %b = call i32 %solve(ptr %symbolic, ptr %numeric, i32 %n, i32 1, ptr %x, ptr %common)
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def klu_loop(
    starts: np.ndarray, rows: np.ndarray, values: np.ndarray, right: np.ndarray, x: np.ndarray
) -> Callable[[int], None]:
    """`loop(n)` refactors and solves n times, into `x`; the matrix is given by columns."""
    library = _library()
    n, common = len(starts) - 1, ctypes.create_string_buffer(COMMON_BYTES)
    starts, rows = (np.ascontiguousarray(a, dtype=np.int32) for a in (starts, rows))
    kept = [starts, rows, values, right, x, common, library]  # must live as long as the pointers to them
    at = [a.ctypes.data for a in (starts, rows, values)]
    for name in ("klu_analyze", "klu_factor"):
        getattr(library, name).restype = ctypes.c_void_p
    library.klu_defaults(common)
    pointer = ctypes.c_void_p
    symbolic = library.klu_analyze(n, pointer(at[0]), pointer(at[1]), common)
    numeric = library.klu_factor(*map(pointer, at), pointer(symbolic), common)
    if not numeric:
        raise RuntimeError("KLU did not factorise the matrix")
    native = loaded(_LOOP, "klu_many").function(
        "klu_many", ctypes.c_int64, pointer, pointer, ctypes.c_int32, *[pointer] * 8
    )
    calls = [ctypes.cast(getattr(library, name), pointer).value for name in ("klu_refactor", "klu_solve")]
    own = [ctypes.addressof(common), right.ctypes.data, x.ctypes.data]

    def loop(count: int, _kept: object = kept) -> None:
        native(count, *calls, n, *at, symbolic, numeric, *own)

    return loop


def _library() -> ctypes.CDLL:
    """The library in kvxopt's wheel, with those it needs."""
    found = importlib.util.find_spec("kvxopt")
    if found is None or found.origin is None:
        raise Skip("kvxopt, whose wheel has KLU, is not installed; it comes with the development dependencies")
    importlib.import_module("kvxopt.klu")
    folder = Path(found.origin).parent
    for place in (folder.with_name("kvxopt.libs"), folder / ".dylibs"):
        for path in sorted(place.glob("libklu*")):
            return ctypes.CDLL(str(path))
    raise Skip("kvxopt's wheel has no KLU of its own on this system")

"""The numbers that Python and the native loop share: one block, a table of calls, a histogram."""

from __future__ import annotations

import ctypes
from enum import IntFlag
from typing import Any, final

FAST, REAL_TIME = 0, 1
BINS = 960  # sixteen to every doubling of the lateness [ns]
NEVER = 2**62


class Warnings(IntFlag):
    """Bits of the channel `warning` that belong to the executive; each holds for the ticks since the record before."""

    LOAD = 1 << 16  # a tick computed longer than the load margin allows
    LATE = 1 << 17  # a tick began later than the limit for being on time
    OVERRUN = 1 << 18  # a tick ended after the next was due
    SLIPPED = 1 << 19  # the origin of time was moved
    FAILED = 1 << 20  # a job failed in this very tick


OURS = 0xFF << 16  # what the loop clears and sets; the other bits are the jobs' own


def _whole(*names: str) -> list[tuple[str, Any]]:
    return [(name, ctypes.c_int64) for name in names]


@final
class Control(ctypes.Structure):
    """All the loop knows: eight bytes a field; times in ns of CLOCK_MONOTONIC, addresses as numbers."""

    _fields_ = (
        *_whole("mode", "stop_tick", "piece_end"),
        *_whole("calls", "call_count", "copies", "port", "ring_write", "record_every", "clock", "histogram"),
        ("dt", ctypes.c_double),  # [s]
        ("period", ctypes.c_double),  # [ns], with its fraction: due times are derived from the tick and never drift
        *_whole("on_time_limit", "slip_limit", "load_limit", "busy_limit", "lead", "margin_min", "margin_max"),
        *_whole("at_t", "at_tick", "at_lateness", "at_compute", "at_overruns", "at_load", "at_warning"),
        # changed by the loop
        *_whole("tick", "started", "origin", "margin", "record_next", "stop", "failed", "end"),
        *_whole("compute", "peak", "bits"),
        *_whole("on_time", "late", "slipped", "slipped_time", "overruns", "load_warnings"),
        *_whole("max_lateness", "max_compute", "sum_compute"),
    )


@final
class Call(ctypes.Structure):
    """One entry of the loop's table: the next tick on which to call, and what."""

    _fields_ = tuple(_whole("every", "next", "function", "argument"))


FIELD = {name: k for k, (name, *_) in enumerate(Control._fields_)}
CLOCK = ("t", "tick", "lateness", "compute", "overruns", "load")


def address_of(function: Any) -> int:
    """Where a ctypes function or callback begins."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def bin_top(index: int) -> int:
    """The largest lateness [ns] that a bin of the histogram counts."""
    shift = max(0, index // 16 - 1)
    return ((index - 16 * shift + 1) << shift) - 1

"""Kernels of the loop's side: which rows of the host are used, and what the host is told."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port, Struct, q
from motionbase.compile.struct import MIXED
from motionbase.executive.exchange import BOUND, SMALL
from motionbase.executive.host.rows import FRAME_AT, MOTION, TOLD
from motionbase.host.format import Kind
from motionbase.record.axes import DOFS
from motionbase.record.cueing import LINK
from motionbase.spatial.rotations import Expr

COUNTERS = tuple(channel.name.removeprefix("link_") for channel in LINK)
LOST = tuple(COUNTERS.index(name) for name in ("lost", "late", "malformed"))  # what `host_lost` adds up
MALFORMED = COUNTERS.index("malformed")
WORDS = ("state", "fault", "warning", "mode_used")
MOST = 2.0**53  # of a count: whole numbers up to here are doubles


class Heard(Struct):
    """What the loop keeps of the host's rows."""

    taken: Expr = q("-", text="rows seen")
    count: Expr = q("-", text="of the newest row, by its process")
    frames: Expr = q("-", text="used since the start of the run")
    spoilt: Expr = q("-", text="rows that held something that is no number or no count")
    now: Expr = q("-", FRAME_AT, "counters of the process that tells rows now")
    before: Expr = q("-", FRAME_AT, "sums of the counters of processes that ended before")


def accept(kind: Kind) -> Kernel:
    """A row, as the exchange holds it -> the newest motion and how many frames have come, for law or cueing.

    A restarted process counts from 0 again; the run's counters go on. A row with a number that is not finite is
    refused; the law judges whether a motion goes too far.
    """
    size = MOTION[kind]

    def expr(heard: Heard, motion: Expr, row: Expr, taken: Expr, on: Expr) -> tuple[Expr | Heard, ...]:
        count, told = row[0], row[: 1 + FRAME_AT]
        new = ca.ne(taken, heard.taken)
        finite = ca.sum1(ca.fabs(SMALL * row)) < BOUND
        whole = ca.logic_and(
            ca.sum1(told != ca.floor(told)) == 0, ca.logic_and(ca.mmin(told) >= 0, ca.mmax(told) < MOST)
        )
        used = ca.logic_and(new, ca.logic_and(finite, whole))
        restarted = ca.logic_and(used, count < heard.count)
        fresh = ca.logic_and(ca.logic_and(used, on), ca.logic_and(ca.ne(count, heard.count), count > 0))
        after = Heard(
            taken=taken,
            count=ca.if_else(used, count, heard.count),
            frames=heard.frames + fresh,
            spoilt=heard.spoilt + ca.logic_and(new, ca.logic_not(used)),
            now=ca.if_else(used, told[1:], heard.now),
            before=heard.before + ca.if_else(restarted, heard.now, 0),
        )
        link = after.before + after.now
        link[MALFORMED] += after.spoilt
        lost = sum((link[k] for k in LOST), ca.SX(0))
        return after, ca.if_else(fresh, row[1 + FRAME_AT :], motion), after.frames, lost, link

    inputs = (
        Heard.port("heard"), Port("motion", size, MIXED, "in use"),
        Port("row", 1 + FRAME_AT + size, MIXED, "newest of the exchange"), Port("taken", (), "-", "rows so far"),
        Port("on", (), "-", "0: frames are not heard, as a fault that is tried"),
    )  # fmt: skip
    outputs = (
        Heard.port("heard_next"), Port("motion_next", size, MIXED), Port("frames"), Port("lost"),
        Port("link", FRAME_AT, "-", "counters of the run"),
    )  # fmt: skip
    return Kernel(f"accept_{kind.value}", inputs, outputs, expr)


def _told(tick: Expr, t: Expr, pose_hat: Expr, *words: Expr) -> Expr:
    return ca.vertcat(tick, t, pose_hat[:, 0], pose_hat[:, 1], *words)


TELL = Kernel(
    "tell_host",
    (Port("tick"), Port("t", (), "s"), Port("pose_hat", (len(DOFS), 2), MIXED), *map(Port, WORDS)),
    (Port("told", 2 + TOLD, MIXED, "what answers to the host are made of"),),
    _told,
)  # fmt: skip
"""The state of the base after a tick."""

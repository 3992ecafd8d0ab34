"""An exchange of states and answers with another process through shared memory, beside the ring.

    0    4s   what exchanges: MBCX a robot and MBRX a rotor with its controller, MBHX a base with its host,
              MBPX a base with the planner of its cueing, MBVX that planner with the host: what its vehicle will do,
              MBWX a base with the world of its host's vehicle, for the record,
              MBAX a base with the process that moves its legs, MBOX that process with its overseer
    4    u16  version, 1
    6    u16  n, numbers of an answer
    8    u16  m, numbers of a state
    64   u64  sequence of the state; its numbers follow at 128, 2 + m f64: tick, t, then the state
    A    u64  sequence of the answer, A = 128 + 8 (2 + m), up to a multiple of 64;
              its numbers follow at A + 64, 1 + n f64: a count or tick, then the answer

docs/robot.md and docs/host.md say what the numbers are. The loop writes states and takes answers itself, under the
sequence lock of mailboxes; neither side needs a system call for it. Every run has a file of its own, which is there
under its name when it is complete.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.errors import UsageError
from motionbase.executive.mailbox import Mailbox
from motionbase.native.guarded import guarded
from motionbase.private import open_file
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.native_blocks import PAYLOAD_AT
from motionbase.ring.lock import is_own, user_name
from motionbase.ring.names import EXCHANGE
from motionbase.spatial.rotations import Expr

ROBOT, ROTOR, HOST, PLANNER, PREVIEW, WORLD = b"MBCX", b"MBRX", b"MBHX", b"MBPX", b"MBVX", b"MBWX"
RIG, OVERSEER = b"MBAX", b"MBOX"
NAMES = {  # the others are controllers
    HOST: "host", PLANNER: "planner", PREVIEW: "preview", WORLD: "world", RIG: "rig", OVERSEER: "overseer",
}  # fmt: skip
VERSION = 1
HEAD = struct.Struct("<4sHHH")
LINE = 64  # [bytes] blocks begin at multiples of it
SMALL, BOUND = 1e-20, 1e300  # a sum of so much of finite numbers is below the bound, and a NaN or infinity is not


class Blocks(NamedTuple):
    """What is exchanged.

    Attributes:
        magic: who exchanges
        n: numbers of an answer, beside its count or tick
        size: numbers of a state, beside its tick and time
    """

    magic: bytes
    n: int
    size: int


def exchange_path(backend: AbstractBackend, ending: str = EXCHANGE) -> Path:
    """The file of the exchange, beside the lock of the ring's writer."""
    return backend.lock_path.with_name(f"{backend.lock_path.stem}{ending}")


@final
class Exchange:
    """The mapped file, as a context manager.

    Attributes:
        blocks: of states and answers
        states: from the ring's writer; answers: from the other process
        is_ours: this process made it
    """

    def __init__(self, path: Path, file: int, blocks: Blocks, made: bool) -> None:
        self.path, self.blocks, self._file, self.is_ours = path, blocks, file, made
        self.inode = os.fstat(file).st_ino
        self._map = mmap.mmap(file, _places(blocks)[1])
        whole = np.frombuffer(self._map, np.uint64)
        self._cut = guarded(self._map, int(whole.ctypes.data))  # a file cut short is silence, not the end of the loop
        answers_at = _places(blocks)[0]
        self.states = Mailbox(2 + blocks.size, whole[LINE // 8 : answers_at // 8])
        self.answers = Mailbox(1 + blocks.n, whole[answers_at // 8 :])

    @staticmethod
    def made(backend: AbstractBackend, blocks: Blocks, ending: str = EXCHANGE) -> Exchange:
        """A new one, by the ring's writer; what another run left under the name is replaced."""
        path = exchange_path(backend, ending)
        new = path.with_name(f"{path.name}.new")
        try:
            new.unlink(missing_ok=True)  # of a writer that died; there is no other one, as the ring is ours
            file = open_file(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW)
            os.posix_fallocate(file, 0, _places(blocks)[1])
            os.pwrite(file, HEAD.pack(blocks.magic, VERSION, blocks.n, blocks.size), 0)
            new.replace(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be made: {error.strerror or error}") from None
        return Exchange(path, file, blocks, True)

    @staticmethod
    def attached(
        backend: AbstractBackend, ending: str = EXCHANGE, magics: tuple[bytes, ...] = (ROBOT, ROTOR), *,
        only_reads: bool = False,
    ) -> Exchange | None:  # fmt: skip
        """That of a running ring, for the one process at its other side until that ends; None if there is none.

        Args:
            only_reads: besides the one that answers
        """
        path = exchange_path(backend, ending)
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path} cannot be opened: {error.strerror or error}") from None
        try:
            return Exchange(path, file, _checked(path, file, magics, only_reads), False)
        except BaseException:
            os.close(file)
            raise

    def is_replaced(self) -> bool:
        """Whether the writer has ended, or another one has the name."""
        try:
            return os.stat(self.path).st_ino != self.inode
        except OSError:
            return True

    def close(self) -> None:
        """Let go of it; the writer also removes its name."""
        if self.is_ours and not self.is_replaced():
            with suppress(OSError):
                self.path.unlink()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _places(blocks: Blocks) -> tuple[int, int]:
    """Where the answer begins, and the size of the file [bytes]."""
    answers_at = _lined(LINE + PAYLOAD_AT + 8 * (2 + blocks.size))
    return answers_at, _lined(answers_at + PAYLOAD_AT + 8 * (1 + blocks.n))


def _lined(size: int) -> int:
    return -(-size // LINE) * LINE


def _checked(path: Path, file: int, magics: tuple[bytes, ...], only_reads: bool) -> Blocks:
    """Of an exchange that is ours; who answers is alone at its other side."""
    info = os.fstat(file)
    if not is_own(info.st_uid):
        raise UsageError(f"{path} belongs to {user_name(info.st_uid)}, not to you")
    head = os.pread(file, HEAD.size, 0)
    magic, version, n, size = HEAD.unpack(head) if len(head) == HEAD.size else (b"", 0, 0, 0)
    blocks = Blocks(magic, n, size)
    if magic not in magics or version != VERSION or info.st_size != _places(blocks)[1]:
        raise UsageError(f"{path} is no exchange with a {NAMES.get(magics[0], 'controller')}, version {VERSION}")
    if only_reads:
        return blocks
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path}: another process answers already") from None
    return blocks


def judge(n: int, hold: int) -> Kernel:
    """Which answers are used, and how many of other kinds came: as `link.Answers`, in the loop.

    Args:
        hold: ticks after which an answer is too old to be used
    """

    def expr(count: Expr, seen: Expr, row: Expr, kept: Expr, tick: Expr) -> Any:
        answered, newest = row[0], kept[0]
        finite = ca.sum1(ca.fabs(SMALL * row)) < BOUND
        a_tick = ca.logic_and(answered == ca.floor(answered), ca.logic_and(answered >= 0, answered < tick))
        sound = ca.logic_and(finite, a_tick)
        again = answered == newest
        late = ca.logic_or(answered < newest, tick - answered > hold)
        new = count != seen
        kinds = (  # frames, late, duplicate, malformed, foreign
            ca.logic_and(sound, ca.logic_not(ca.logic_or(again, late))),
            ca.logic_and(ca.logic_and(sound, late), ca.logic_not(again)),
            ca.logic_and(sound, again),
            ca.logic_not(sound),
            ca.SX(0),
        )
        counts = ca.vertcat(*(ca.logic_and(new, kind) for kind in kinds))
        good = counts[0]
        return count, ca.vertcat(
            ca.if_else(good, answered, newest), kept[1:6] + counts, ca.if_else(good, row[1:], kept[6:])
        )

    inputs = Port("count"), Port("seen"), Port("row", 1 + n), Port("kept", 6 + n), Port("tick")
    return Kernel(f"judge_answers_{n}", inputs, (Port("seen_next"), Port("kept_next", 6 + n)), expr)

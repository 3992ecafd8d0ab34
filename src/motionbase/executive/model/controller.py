"""The joint controllers of a model as a process of their own: states in, torques out, at a rate of its own.

python -m motionbase.executive.model.controller PORT RATE
"""

from __future__ import annotations

import select
import signal
import socket
import sys
import time
from types import FrameType
from typing import final

import numpy as np

from motionbase.compile import Bound, compile
from motionbase.executive.model.frames import StateFrame, answer_bytes, state_of
from motionbase.executive.model.law import controller
from motionbase.executive.model.link import LARGEST
from motionbase.executive.model.ports import HOST, bound
from motionbase.interpreter import python

NAMES = ("position", "speed", "ref", "kp", "kd")


@final
class JointController:
    """The compiled law, for models of any number of joints; compiled when the first state of a model comes."""

    def __init__(self) -> None:
        self._laws: dict[int, tuple[Bound, dict[str, np.ndarray]]] = {}

    def __call__(self, frame: StateFrame) -> bytes:
        """The answer to a state."""
        n = frame.numbers.shape[1]
        if n not in self._laws:
            arrays = {name: np.zeros(n) for name in (*NAMES, "torque")}
            self._laws[n] = compile(controller(n)).bind(**arrays), arrays
        law, arrays = self._laws[n]
        for name, numbers in zip(NAMES, frame.numbers, strict=True):
            arrays[name][:] = numbers
        law()
        return answer_bytes(frame.run, frame.sequence, arrays["torque"])


def serve(port: int, rate: float) -> None:
    """Answer the newest state of the model at `port`, `rate` times a second, until the process is told to end."""
    law, model, due = JointController(), (HOST, port), time.monotonic()
    with bound(port + 1) as own:
        while True:
            newest = _newest(own, model)
            if newest is not None:
                own.sendto(law(newest), model)
            due = max(due + 1 / rate, time.monotonic() - 1 / rate)
            time.sleep(max(0.0, due - time.monotonic()))
            select.select([own], [], [])  # nothing to answer: wait for the model


def _newest(own: socket.socket, model: tuple[str, int]) -> StateFrame | None:
    """Of all states that wait; others than the model's are ignored."""
    found = None
    while True:
        try:
            data, source = own.recvfrom(LARGEST)
        except BlockingIOError:
            return found
        except ConnectionError:  # the model does not listen any more
            continue
        frame = state_of(data) if source == model else None
        if frame is not None and (found is None or frame.run != found.run or frame.sequence > found.sequence):
            found = frame


def command(port: int, rate: float) -> tuple[str, ...]:
    """The command line of the process."""
    return python("-m", __name__, str(port), f"{rate:g}")


def main(arguments: list[str]) -> None:
    """Serve until a signal."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the supervisor ends its readers
    print(f"answers states at UDP port {int(arguments[0]) + 1}, {float(arguments[1]):g} times a second", flush=True)
    serve(int(arguments[0]), float(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])

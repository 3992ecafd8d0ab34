"""The controllers of a model as a process of their own: states in, torques or settings out, at a rate of its own.

python -m motionbase.executive.model.controller PORT RATE
python -m motionbase.executive.model.controller ring:NAME RATE
"""

from __future__ import annotations

import select
import socket
import sys
import time
from typing import Never, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Bound, compile
from motionbase.executive.exchange import ROBOT, ROTOR, Exchange
from motionbase.executive.model.frames import Form, StateFrame, answer_bytes, state_of
from motionbase.executive.model.law import controller
from motionbase.executive.model.link import LARGEST
from motionbase.executive.model.ports import HOST, bound
from motionbase.executive.serving import LOOK_S, awaited, until_told
from motionbase.interpreter import python
from motionbase.ring.backend import find
from motionbase.ring.names import EXCHANGE

RING = "ring:"  # before the name of a ring
NAMES = ("position", "speed", "ref", "kp", "kd")


@final
class Controller:
    """The joint controllers of robots of any number of joints; to rotors it passes on their set points."""

    def __init__(self) -> None:
        self._laws: dict[int, tuple[Bound, dict[str, np.ndarray]]] = {}  # compiled when a robot's first state comes

    def __call__(self, frame: StateFrame) -> bytes:
        """The answer to a state."""
        numbers = self.numbers(frame.form, frame.numbers)
        return answer_bytes(frame.run, frame.sequence, numbers, frame.form.answer_magic)

    def numbers(self, form: Form, state: Array) -> Array:
        """(n,) from the numbers of a state."""
        return state[: form.n] if form.of_rotor else self._torques(state.reshape(5, form.n))

    def _torques(self, states: Array) -> Array:
        """(n,) from (5, n) positions, speeds, set points, kp, kd."""
        n = states.shape[1]
        if n not in self._laws:
            arrays = {name: np.zeros(n) for name in (*NAMES, "torque")}
            self._laws[n] = compile(controller(n)).bind(**arrays), arrays
        law, arrays = self._laws[n]
        for name, numbers in zip(NAMES, states, strict=True):
            arrays[name][:] = numbers
        law()
        return arrays["torque"]


def serve(port: int, rate: float) -> Never:
    """Answer the newest state of the model at `port`, `rate` times a second, until the process is told to end."""
    law, model, due = Controller(), (HOST, port), time.monotonic()
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


def serve_ring(ring: str, rate: float) -> Never:
    """The same for the model that writes a ring, through shared memory; waits for one, and for the next one."""
    law, backend = Controller(), find(ring)
    while True:
        with awaited(backend, EXCHANGE, (ROBOT, ROTOR)) as exchange:
            _exchange(law, exchange, rate)


def _exchange(law: Controller, exchange: Exchange, rate: float) -> None:
    """Answer the newest state until the model ends."""
    due = looked = time.monotonic()
    last = -1.0
    while True:
        row, now = exchange.states.get(), time.monotonic()
        if row is not None and row[0] != last:
            last, looked = row[0], now
            exchange.answers.put(np.concatenate([row[:1], law.numbers(Form.of_blocks(exchange.blocks), row[2:])]))
        elif now - looked > LOOK_S:
            looked = now
            if exchange.is_replaced():
                return
        due = max(due + 1 / rate, now - 1 / rate)
        time.sleep(max(0.0, due - time.monotonic()))


def command(port: int, rate: float) -> tuple[str, ...]:
    """The command line of the process."""
    return python("-m", __name__, str(port), f"{rate:g}")


def ring_command(ring: str, rate: float) -> tuple[str, ...]:
    """The command line of the process, through shared memory."""
    return python("-m", __name__, f"{RING}{ring}", f"{rate:g}")


def main(arguments: list[str]) -> None:
    """Serve until a signal."""
    until_told("controller", _serve, *arguments)


def _serve(where: str, rate_hz: str) -> Never:
    rate = float(rate_hz)
    if where.startswith(RING):
        print(f"answers states of ring {where.removeprefix(RING)!r}, {rate:g} times a second", flush=True)
        serve_ring(where.removeprefix(RING), rate)
    print(f"answers states at UDP port {int(where) + 1}, {rate:g} times a second", flush=True)
    serve(int(where), rate)


if __name__ == "__main__":
    main(sys.argv[1:])

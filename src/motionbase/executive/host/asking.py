"""Requests and generators of a host: put into the ring by a thread, as an operator's would be."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Self, final

import numpy as np

from motionbase.errors import MotionBaseError
from motionbase.host.format import Rows
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.requests import Command
from motionbase.record.requests import Kind as Request
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.generators import GeneratorClient

SENDER = "host"
MOST = 16  # that wait; a host that asks for more in a moment is not heard
Wish = tuple[Request | None, Rows | None]


@final
class Asking:
    """The thread, as a context manager; frames never wait for it."""

    def __init__(self, ring: str) -> None:
        self._ring, self._wishes = ring, queue.Queue[Wish | None](MOST)
        self._thread = threading.Thread(target=self._serve, name="motionbase asking", daemon=True)

    def ask(self, request: Request | None, generators: Rows | None) -> None:
        """A wish of the host; the base decides."""
        try:
            self._wishes.put_nowait((request, generators))
        except queue.Full:
            print("a request of the host is dropped: too many wait", file=sys.stderr, flush=True)

    def _serve(self) -> None:
        while (wish := self._wishes.get()) is not None:
            request, generators = wish
            try:
                if generators is not None:
                    GeneratorClient(self._ring, author=SENDER).write(GeneratorSet.from_values(np.array(generators)))
                if request is not None:
                    CommandSender(self._ring, sender=SENDER).send(Command(request))
            except MotionBaseError as error:
                print(f"a request of the host comes to nothing: {error}", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._wishes.put(None)
        self._thread.join(1.0)

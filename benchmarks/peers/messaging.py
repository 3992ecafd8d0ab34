"""Public libraries for sending records between processes from Python: iceoryx2 and ZeroMQ, each with a receiver."""

import ctypes
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.harness import Skip

CHANNELS = 178
Send = Callable[[int], object]


@contextmanager
def beside(target: Callable[..., None], *args: Any) -> Iterator[None]:
    """Another process, on other processors, until the block ends."""
    context = multiprocessing.get_context("spawn")
    ready, stop = context.Event(), context.Event()
    process = context.Process(target=_elsewhere, args=(target, ready, stop, *args), daemon=True)
    process.start()
    if not ready.wait(30):
        process.kill()
        raise Skip("the receiving process did not start")
    try:
        yield
    finally:
        stop.set()
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()


def _elsewhere(target: Callable[..., None], ready: Any, stop: Any, *args: Any) -> None:
    if hasattr(os, "sched_setaffinity"):
        everywhere = set(range(os.cpu_count() or 1))
        others = everywhere - {max(everywhere)} or everywhere  # the runner pins itself to the last
        os.sched_setaffinity(0, others)
    target(ready, stop, *args)


@contextmanager
def iceoryx2_sender() -> Iterator[Send]:
    """`send(n)`: n records by send_copy, its fastest way from Python."""
    try:
        import iceoryx2 as iox2
    except ImportError:
        raise Skip("iceoryx2 is not installed") from None
    iox2.set_log_level(iox2.LogLevel.Error)
    name = f"motionbase/bench/{os.getpid()}"
    _, service = _iceoryx2(iox2, name)
    publisher = service.publisher_builder().create()
    record = _record()()

    def send(n: int) -> None:
        for _ in range(n):
            publisher.send_copy(record)

    with beside(_iceoryx2_receiver, name):
        yield send


def _record() -> Any:
    return type("Record", (ctypes.Structure,), {"_fields_": [("values", ctypes.c_double * CHANNELS)]})


def _iceoryx2(iox2: Any, name: str) -> tuple[Any, Any]:
    node = iox2.NodeBuilder.new().create(iox2.ServiceType.Ipc)
    builder = node.service_builder(iox2.ServiceName.new(name)).publish_subscribe(_record())
    return node, builder.subscriber_max_buffer_size(64).open_or_create()


def _iceoryx2_receiver(ready: Any, stop: Any, name: str) -> None:
    import iceoryx2 as iox2

    iox2.set_log_level(iox2.LogLevel.Error)
    _node, service = _iceoryx2(iox2, name)
    subscriber = service.subscriber_builder().buffer_size(64).create()
    ready.set()
    while not stop.is_set():
        for _ in range(1000):
            if subscriber.receive() is None:
                break


@contextmanager
def zmq_sender() -> Iterator[Send]:
    """`send(n)`: n records by PUB over ipc, which like the ring never waits for a receiver."""
    try:
        import zmq
    except ImportError:
        raise Skip("pyzmq is not installed") from None
    with tempfile.TemporaryDirectory() as folder, zmq.Context() as context, context.socket(zmq.PUB) as socket:
        address = f"ipc://{folder}/bench"
        socket.setsockopt(zmq.LINGER, 0)
        socket.bind(address)
        record = np.zeros(CHANNELS).data

        def send(n: int) -> None:
            for _ in range(n):
                socket.send(record)

        with beside(_zmq_receiver, address):
            yield send


def _zmq_receiver(ready: Any, stop: Any, address: str) -> None:
    import zmq

    with zmq.Context() as context, context.socket(zmq.SUB) as socket:
        socket.setsockopt(zmq.SUBSCRIBE, b"")
        socket.setsockopt(zmq.RCVTIMEO, 100)
        socket.connect(address)
        ready.set()
        while not stop.is_set():
            try:
                for _ in range(1000):
                    socket.recv()
            except zmq.Again:
                pass

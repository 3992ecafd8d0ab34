"""Ending in good order: Ctrl-C, a polite kill and a closed terminal are an event that loops look at."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_requested() -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM, SIGHUP and SIGQUIT set; what they did before comes back afterwards.

    SIGHUP stays ignored where it is, as under nohup.
    """
    stop = threading.Event()
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, *hangup)
    before = [signal.signal(number, lambda *_: stop.set()) for number in signals]
    try:
        yield stop
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)

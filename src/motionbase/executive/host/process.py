"""The process that hears a host: it decodes and counts, passes frames on to the loop and answers them.

python -m motionbase.executive.host URL RING PLATFORM [JOYSTICK]

Whatever a host sends, and however much, costs only this process time: the loop takes the newest frame from shared
memory. A process that was killed is restarted, and the run's counters go on.
"""

from __future__ import annotations

import gc
import os
import resource
from contextlib import suppress
from typing import Never

from motionbase.errors import UsageError
from motionbase.executive.exchange import HOST, Exchange
from motionbase.executive.host.datagrams import Datagrams
from motionbase.executive.host.feed import Feed
from motionbase.executive.host.rows import kind_of
from motionbase.executive.host.source import Shared, Source, host_source, told_by
from motionbase.executive.preview import previews
from motionbase.executive.process import Process
from motionbase.executive.serving import awaited, until_told
from motionbase.host.format import Kind
from motionbase.host.sockets import bound
from motionbase.host.url import Played, Udp
from motionbase.interpreter import python
from motionbase.ring import names
from motionbase.ring.backend import AbstractBackend, find
from motionbase.worlds.hands.choice import ALL
from motionbase.worlds.library import WorldUrl

PRIORITY = 40  # of SCHED_FIFO: above everything but the loop, which has 80
BUSY_US = 200_000  # without a pause, after which the system ends a process that has such a priority
WORLD_BUSY_US = 1_000_000  # of a world, which may take a while to begin again


def command(url: str, ring: str, platform: str, joystick: str | None = None) -> tuple[str, ...]:
    """The command line of the process."""
    more = () if joystick is None else (joystick,)
    return python("-m", "motionbase.executive.host", url, ring, platform, *more)


def processes(url: str, ring: str, platform: str, joystick: str | None = None) -> list[Process]:
    """What a supervisor starts for a URL, nothing for a foreign program; raises one sentence if it cannot work.

    Args:
        joystick: of a world: which devices of the machine steer, see `worlds.hands.choice`
    """
    source = host_source(url)
    if isinstance(source, Shared):
        return []
    if isinstance(source, Udp):
        bound(source).close()
    return [Process("host", command(url, ring, platform, joystick), prompt=True)]


def serve(url: str, ring: str, platform: str, joystick: str = ALL) -> Never:
    """Hear the host for the base that writes a ring, and for the next one, until the process is told to end."""
    source, backend = host_source(url), find(ring)
    with feed_of(source, ring, platform, joystick) as feed:
        print(feed.sentence, flush=True)
        while True:
            with _attached(source, backend) as exchange, previews(backend, only_reads=False) as told:
                gc.collect()
                gc.freeze()
                be_urgent(WORLD_BUSY_US if isinstance(source, WorldUrl) else BUSY_US)
                feed.serve(exchange, told)


def be_urgent(busy_us: int = BUSY_US) -> None:
    """Ask for a priority above all but the loop, so that frames need not wait; nothing where that is not allowed.

    It cannot take a processor from others for long: it pauses in a flood, and the system ends it if it never pauses.
    """
    with suppress(OSError, ValueError, AttributeError):
        resource.setrlimit(resource.RLIMIT_RTTIME, (busy_us, busy_us))
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(PRIORITY))


def feed_of(source: Source, ring: str, platform: str, joystick: str = ALL) -> Feed:
    """What hears a source."""
    if isinstance(source, Played):
        from motionbase.executive.host.playing import Playing

        return Playing(source)
    if isinstance(source, WorldUrl):
        from motionbase.executive.worlds.feed import WorldFeed

        return WorldFeed(source, find(ring), joystick)
    if isinstance(source, Shared):
        raise UsageError(f"{source.text!r} is for a program of yours; no process hears it")
    if source.kind is not Kind.LEGS:
        return Datagrams(source, ring)
    from motionbase.host.legs import PoseOfLegs  # compiles
    from motionbase.platform.load import load_platform

    return Datagrams(source, ring, PoseOfLegs(load_platform(platform, sized=False), source.options))


def _attached(source: Source, backend: AbstractBackend) -> Exchange:
    """The exchange of the base, as soon as there is one."""
    exchange = awaited(backend, names.HOST, (HOST,))
    told, wanted = told_by(source), kind_of(exchange.blocks)
    if told is wanted:
        return exchange
    exchange.close()
    other = "something else" if wanted is None else f"a {wanted.value}"
    raise UsageError(f"{source.text!r} tells a {told.value}, and the base of this ring follows {other}")


def main(arguments: list[str]) -> None:
    """Serve until a signal."""
    until_told("host", serve, *arguments)

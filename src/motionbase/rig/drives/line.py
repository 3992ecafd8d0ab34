"""A CAN bus by URL, through python-can, as frames in and out; and one that loses, delays and floods."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, final, runtime_checkable

from motionbase.errors import UsageError
from motionbase.rig.drives.canopen import FUNCTION, Frame
from motionbase.rig.drives.local_bus import LocalBus
from motionbase.rig.drives.reach import BusError

if TYPE_CHECKING:
    import can

MOST_FRAMES = 100  # that are read in one cycle; six drives send ten at most


class Bus(Protocol):
    """What is used of `can.BusABC`."""

    def send(self, msg: can.Message, timeout: float | None = None) -> None: ...

    def recv(self, timeout: float | None = None) -> can.Message | None: ...

    def shutdown(self) -> None: ...


@runtime_checkable
class FrameBus(Protocol):
    """A bus that takes and gives many frames at once."""

    def put(self, frames: Sequence[Frame]) -> None: ...

    def take(self, most: int, wait: float = 0.0) -> list[Frame]: ...

    def shutdown(self) -> None: ...


def open_bus(url: str, functions: tuple[int, ...] = ()) -> Bus | LocalBus:
    """A bus of python-can (`socketcan:can0`, `virtual:NAME`, `udp_multicast:239.74.163.2`), or `local:FOLDER`.

    Args:
        url: interface and channel
        functions: those whose frames are wanted; Linux leaves the others out
    """
    interface, colon, channel = url.partition(":")
    if not (interface and colon and channel):
        raise UsageError(
            f"CAN bus {url!r} must be an interface and a channel of python-can, such as socketcan:can0, or local:FOLDER"
        )
    if interface == "local":
        return LocalBus(channel)
    can = _python_can()
    filters: Any = None
    if interface == "socketcan":  # elsewhere python-can filters, and a read without waiting ends at a foreign frame
        filters = [{"can_id": f, "can_mask": FUNCTION, "extended": False} for f in functions] or None
    try:
        bus: Bus = can.Bus(interface=interface, channel=channel, can_filters=filters)
        return bus
    except (can.CanError, OSError, ValueError, ImportError) as error:
        raise UsageError(f"CAN bus {url!r} cannot be opened: {' '.join(str(error).split())}") from None


def _python_can() -> Any:
    try:
        import can
    except ImportError:
        raise UsageError("drives on a CAN bus need python-can: install motionbase with its extra 'can'") from None
    return can


@final
class Line:
    """Frames to and from a bus; anything but data frames with short identifiers is dropped."""

    def __init__(self, bus: Bus | FrameBus) -> None:
        self.bus, self._many = bus, bus if isinstance(bus, FrameBus) else _Single(bus)
        self._errors: tuple[type[Exception], ...] = (OSError,)
        if isinstance(self._many, _Single):
            self._errors += (_python_can().CanError,)

    def send(self, frames: Sequence[Frame]) -> None:
        """Send frames, without waiting."""
        try:
            self._many.put(frames)
        except self._errors as error:
            raise BusError(f"the CAN bus does not send: {error}") from None

    def received(self, most: int = MOST_FRAMES, wait: float = 0.0) -> list[Frame]:
        """What has arrived.

        Args:
            most: frames, the others stay for the next call
            wait: for the first one [s]
        """
        try:
            return self._many.take(most, wait)
        except self._errors as error:
            raise BusError(f"the CAN bus does not receive: {error}") from None

    def close(self) -> None:
        """Release the bus."""
        self.bus.shutdown()


@final
class _Single:
    """A bus of python-can, whose messages come and go one by one."""

    def __init__(self, bus: Bus) -> None:
        self._bus, self._message = bus, _python_can().Message

    def put(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            self._bus.send(self._message(arbitration_id=frame.id, data=frame.data, is_extended_id=False))

    def take(self, most: int, wait: float = 0.0) -> list[Frame]:
        frames: list[Frame] = []
        for k in range(most):
            message = self._bus.recv(0.0 if k else wait)
            if message is None:
                break
            if not (message.is_extended_id or message.is_error_frame or message.is_remote_frame):
                frames.append(Frame(message.arbitration_id, bytes(message.data)))
        return frames


@final
class TroubledBus:
    """A bus with faults put in, for tests.

    Attributes:
        loss: share of the frames, in and out, that get lost
        delay: shortest and longest time that a sent frame takes [s]
        flood: foreign frames that arrive before every other one
        off: the controller has gone bus-off: it refuses to send
    """

    def __init__(self, bus: Bus, clock: Callable[[], float], seed: int = 0) -> None:
        self._bus, self._clock, self._random = bus, clock, random.Random(seed)
        self._can = _python_can()
        self._late: list[tuple[float, int, can.Message]] = []
        self._count = itertools.count()
        self.loss, self.delay, self.flood, self.off = 0.0, (0.0, 0.0), 0, False
        self._foreign = 0

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Send now or later, or never."""
        if self.off:
            raise self._can.CanOperationError("bus off")
        if self._random.random() < self.loss:
            return
        due = self._clock() + self._random.uniform(*self.delay)
        heapq.heappush(self._late, (due, next(self._count), msg))
        self.deliver(timeout)

    def recv(self, timeout: float | None = None) -> can.Message | None:
        """What arrives of the others."""
        self.deliver(timeout)
        if self._foreign < self.flood:
            self._foreign += 1
            foreign: can.Message = self._can.Message(arbitration_id=self._random.randrange(0x800), is_extended_id=False)
            return foreign
        self._foreign = 0
        while (message := self._bus.recv(timeout)) is not None and self._random.random() < self.loss:
            pass
        return message

    def shutdown(self) -> None:
        """Release the bus."""
        self._bus.shutdown()

    def deliver(self, timeout: float | None = None) -> None:
        """Put on the bus what has been late until now."""
        while self._late and self._late[0][0] <= self._clock():
            self._bus.send(heapq.heappop(self._late)[2], timeout)

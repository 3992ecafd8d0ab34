"""Six numbers as text: position and orientation, or displacements of six legs.

The laboratory of Lin, Hou, Shen and Garcia (2008) sent x, y, z, roll, pitch, yaw of a boat as character strings over
UDP, and six displacements of cylinders to the program that moved them. Neither separators nor units are published; here
numbers are separated by commas, semicolons or white space, and a seventh is the host's time.
"""

from __future__ import annotations

from functools import partial
from operator import mul
from typing import final

from motionbase.host.differences import Differences
from motionbase.host.format import Format, Frame, Kind, Options, Status, Told
from motionbase.host.protocol.common import finite, signs, state_of, summary

LONGEST = 512  # [bytes] of a datagram
PORT = 8731
SPACES = bytes.maketrans(b",;\t\r\n\0", b"      ")
ENOUGH = (6, 7)


def numbers_of(data: bytes) -> tuple[float, ...] | None:
    """Six or seven finite numbers of a text, or of its last line if it has more; None if there are none."""
    if not 0 < len(data) <= LONGEST or b"_" in data:
        return None
    if b";" in data and b"." not in data:  # a decimal comma needs another separator
        data = data.replace(b",", b".")
    pieces = data.translate(SPACES).split()
    if len(pieces) not in ENOUGH:
        lines = data.strip().splitlines()
        pieces = lines[-1].translate(SPACES).split() if lines else []
        if len(pieces) not in ENOUGH:
            return None
    try:
        numbers = tuple(map(float, pieces))
    except ValueError:
        return None
    return numbers if finite(numbers) else None


@final
class TextDecoder:
    """Decodes texts of one host; velocities and accelerations of poses follow from the positions."""

    def __init__(self, options: Options, of_legs: bool) -> None:
        length, angle = options.units or (1.0, 1.0)
        units = (length,) * 6 if of_legs else (length,) * 3 + (angle,) * 3
        self._scale = tuple(u * s for u, s in zip(units, signs(options, True), strict=True)) if not of_legs else units
        self._of_legs, self._clock = of_legs, options.clock
        self._timed = Differences(exact=True), Differences()

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are none."""
        numbers = numbers_of(data)
        if numbers is None:
            return None
        x = tuple(map(mul, numbers, self._scale))
        stamp = numbers[6] if len(numbers) == 7 else None
        if self._of_legs:
            return Frame(x, stamp=stamp)
        with_stamp, by_arrival = self._timed
        row = by_arrival(self._clock(), x) if stamp is None else with_stamp(stamp, x)
        return Frame(row, stamp=stamp)

    def answer(self, frame: Frame, status: Status) -> bytes:
        """A line: time, state, fault, and the pose in the host's units and axes."""
        scale = (1.0,) * 6 if self._of_legs else self._scale
        pose = " ".join(f"{x / u:.6g}" for x, u in zip(status.pose, scale, strict=True))
        return f"{status.t:.4f} {status.state} {status.fault} {pose}\n".encode()


@final
class TextEncoder:
    """Makes texts of poses."""

    def __init__(self, options: Options) -> None:
        length, angle = options.units or (1.0, 1.0)
        self._scale = tuple(u * s for u, s in zip((length,) * 3 + (angle,) * 3, signs(options, True), strict=True))

    def encode(self, frame: Frame) -> bytes:
        """A line of six numbers, and the stamp if there is one."""
        numbers = [x / u for x, u in zip(frame.row, self._scale, strict=False)]
        if frame.stamp is not None:
            numbers.append(frame.stamp)
        return (" ".join(f"{x:.9g}" for x in numbers) + "\n").encode()

    def told(self, data: bytes) -> Told | None:
        """What an answer says."""
        pieces = data.split()
        if len(pieces) != 9 or len(data) > LONGEST:
            return None
        try:
            t, state, fault = float(pieces[0]), int(pieces[1]), int(pieces[2])
            pose = tuple(float(x) * u for x, u in zip(pieces[3:], self._scale, strict=True))
        except ValueError:
            return None
        status = Status(0, t, pose, (0.0,) * 6, state, fault, 0, 0)
        return Told(None, None, status, summary(status), state_of(status))


FORMATS = (
    Format(
        "text",
        Kind.POSE,
        "x y z roll pitch yaw as text [m, rad unless units= says otherwise], and the host's time if there is a seventh",
        PORT,
        partial(TextDecoder, of_legs=False),
        options=("units", "axes", "flip"),
        encoder=TextEncoder,
    ),
    Format(
        "text-legs",
        Kind.LEGS,
        "displacements of six legs as text, from the shortest length, or from neutral with zero=neutral",
        PORT,
        partial(TextDecoder, of_legs=True),
        options=("units", "zero"),
    ),
)

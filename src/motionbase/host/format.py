"""What a wire format is: how datagrams of one kind of host become rows of numbers, and what answers them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from time import monotonic
from typing import NamedTuple, Protocol, final

from motionbase.record.requests import Kind as Request
from motionbase.record.states import State
from motionbase.record.vehicle import G

Rows = tuple[tuple[float, ...], ...]


class Kind(Enum):
    """What a host tells."""

    POSE = "pose"
    """(18,) positions, velocities, accelerations of the degrees of freedom of the platform, in rows of six."""
    VEHICLE = "vehicle"
    """(13,) the motion of a vehicle at the pilot's head, in the order of `record.vehicle.VEHICLE`."""
    LEGS = "legs"
    """(6,) displacements of the legs [m]; `host.legs` makes a pose of them."""


class Frame(NamedTuple):
    """One datagram, decoded.

    Attributes:
        row: of the format's kind; all numbers are finite; () in a datagram that holds no motion
        sequence: number that the host gives its frames, to find lost and late ones; None if it gives none
        stamp: the host's own time [s]; None if it tells none
        run: number that distinguishes the runs of a host; a new one restarts the sequence
        request: what the host asks of the base; the receiver drops what the operator has not allowed
        generators: rows of function generators to be set, in the order of `record.generators.COLUMNS`
        preview: of a vehicle: what comes, as rows of `host.preview`; () if the host tells nothing
    """

    row: tuple[float, ...]
    sequence: int | None = None
    stamp: float | None = None
    run: int = 0
    request: Request | None = None
    generators: Rows | None = None
    preview: Rows = ()


NOTHING = Frame(())
"""A datagram that belongs to the format and holds nothing of use: counted neither as good nor as malformed."""


class Status(NamedTuple):
    """State of a base, for the answer to a frame; SI.

    Attributes:
        pose, velocity: (6,) estimated degrees of freedom and their rates
        state, fault, warning, mode: as in the record
    """

    tick: int
    t: float
    pose: tuple[float, ...]
    velocity: tuple[float, ...]
    state: int
    fault: int
    warning: int
    mode: int


class Decoder(Protocol):
    """Decodes the datagrams of one host; it may remember earlier ones."""

    def decode(self, data: bytes) -> Frame | None:
        """The frame; None if the bytes are no frame of this format, or hold a number that is not finite.

        `NOTHING` is for datagrams that belong to the format but hold nothing of use.
        """

    def answer(self, frame: Frame, status: Status) -> bytes | None:
        """The answer to a frame just decoded; None if the format has no answers."""


class Told(NamedTuple):
    """An answer as a host reads it.

    Attributes:
        sequence, stamp: of the frame that is answered; None if the format does not tell
        status: None if the format has other codes than ours; what it does not tell is 0
        text: for people
        state: nearest state of ours; None if it is none of them, or on the way
    """

    sequence: int | None
    stamp: float | None
    status: Status | None
    text: str
    state: State | None = None


class Encoder(Protocol):
    """The other side: makes the datagrams of one host, and reads what the base answers."""

    def encode(self, frame: Frame) -> bytes:
        """The frame as a datagram."""

    def told(self, data: bytes) -> Told | None:
        """What an answer says; None if the bytes are no answer."""


@final
@dataclass(frozen=True)
class Statement:
    """What the numbers of a vehicle format are, before they are converted.

    Attributes:
        axes: of the source, for people, such as "x right, y up, z forward"
        gravity: whether its accelerations are specific force (True), kinematic (False), or not told reliably (None)
        point: where they are, for people, such as "centre of gravity" or "pilot's eye"
        source: where the layout is published
        derived: quantities that are differences of others because the format does not have them
    """

    axes: str
    gravity: bool | None
    point: str
    source: str
    derived: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Options:
    """How a person wants a format to be read. A `Format` names the options that it knows.

    Attributes:
        lever: (3,) from the point that the host tells to the pilot's head, in vehicle axes x forward, y left, z up [m]
        gravity: overrides the format's statement; None keeps it
        units: [m] and [rad] of one unit of the host; None are those of the format
        z_up: whether the host's axes are x forward, y left, z up, or x forward, y right, z down; None is the format's
        neutral: heave that the host tells for the neutral pose [m], in its own axes; None is the format's
        zero: of displacements of legs: "retracted" or "neutral"
        clock: time of arrival [s], for formats without a stamp
        flip: quantities whose sign the host has the other way round: of a vehicle, such as "f_y" or "pitch", before
            gravity is added, or degrees of freedom of a pose
        layout: file that describes the datagrams, for hosts whose user chooses what is in them
    """

    lever: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gravity: bool | None = None
    units: tuple[float, float] | None = None
    z_up: bool | None = None
    neutral: float | None = None
    zero: str = "retracted"
    clock: Callable[[], float] = monotonic
    flip: tuple[str, ...] = ()
    layout: str = ""


@final
@dataclass(frozen=True)
class Format:
    """A wire format.

    Attributes:
        name: as in URLs: `udp://127.0.0.1:4567?format=beamng`
        about: one line for people
        port: UDP port that is usual for it
        decoder: makes a decoder for one host
        statement: of formats of vehicles
        options: of URLs that it knows: lever, gravity, flip, layout, units, axes, neutral, zero; None for those of its
            kind
        bits: of its sequence numbers, which then begin again at 0
        encoder: for formats in which `motionbase host send` can speak
    """

    name: str
    kind: Kind
    about: str
    port: int
    decoder: Callable[[Options], Decoder]
    statement: Statement | None = None
    options: tuple[str, ...] | None = None
    bits: int = 64
    encoder: Callable[[Options], Encoder] | None = None

    @property
    def known_options(self) -> tuple[str, ...]:
        """Options of URLs that say how it is read."""
        if self.options is None:
            return ("lever", "gravity", "flip") if self.kind is Kind.VEHICLE else ()
        return self.options


AT_REST = (0.0, 0.0, G, *(0.0,) * 9, 1.0)
"""A vehicle that stands on the ground, as a row."""

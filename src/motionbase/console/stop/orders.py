"""What the console tells its stop post: at the start, and while both live. Lines of JSON into the post's stdin."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, final

Seat: TypeAlias = tuple[str, str]  # client and name
PATIENCE_S = 60.0
ENDS_S = 5.0  # within which a post that ends has answered everybody whom it has accepted
MOST_PLACES = 8  # a post answers the pages of its own console, and of the last ones before


@final
@dataclass(frozen=True)
class Place:
    """Where the pages of one console find the post.

    Attributes:
        socket: number of the open file that listens already
        port: on which it does; console_port: of the pages that may ask
        host, allow_hosts, operator_token, viewer_token, anyone_may_stop: as that console's own
    """

    socket: int
    port: int
    console_port: int
    host: str
    allow_hosts: tuple[str, ...]
    operator_token: str
    viewer_token: str | None
    anyone_may_stop: bool = False

    @staticmethod
    def of(found: dict[str, Any], socket: int) -> Place:
        """As it came, with the number that its open file has here."""
        return Place(**{**found, "allow_hosts": tuple(found["allow_hosts"]), "socket": socket})


@final
@dataclass(frozen=True)
class Orders:
    """The first line.

    Attributes:
        places: its own console's first, then those of consoles before whose posts it takes over
        patience_s: how long after the last writer of the ring it ends, once the console is gone [s]
    """

    ring: str
    places: tuple[Place, ...]
    patience_s: float = PATIENCE_S

    @property
    def line(self) -> bytes:
        """As it is sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def of(line: bytes) -> Orders:
        """As it came."""
        found: dict[str, Any] = json.loads(line)
        places = tuple(Place.of(place, place["socket"]) for place in found["places"])
        return Orders(found["ring"], places, found["patience_s"])


END = b'{"end": true}\n'


def seat_line(seat: Seat | None) -> bytes:
    """Who operates from now on."""
    return json.dumps({"seat": seat}).encode() + b"\n"

"""Orders from the console to its stop post, at the start and later: lines of JSON to the post's stdin."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, final

Seat: TypeAlias = tuple[str, str]  # client and name
PATIENCE_S = 60.0
ENDS_S = 5.0  # time limit for an ending post to answer accepted connections
MOST_PLACES = 8  # consoles whose pages a post answers: its own and the last ones before


@final
@dataclass(frozen=True)
class Place:
    """Address of the post for the pages of one console.

    Attributes:
        socket: number of the open file that listens already
        port: of that socket; console_port: port of the pages
        host, allow_hosts, operator_token, viewer_token, anyone_may_stop: as in that console's settings
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
        """A received place, with the number of its open file in this process."""
        return Place(**{**found, "allow_hosts": tuple(found["allow_hosts"]), "socket": socket})


@final
@dataclass(frozen=True)
class Orders:
    """The first line.

    Attributes:
        places: of its own console first, then of earlier consoles whose posts it takes over
        patience_s: time from the end of the last writer until the post ends, once the console is gone [s]
    """

    ring: str
    places: tuple[Place, ...]
    patience_s: float = PATIENCE_S

    @property
    def line(self) -> bytes:
        """The orders as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def of(line: bytes) -> Orders:
        """The orders in a line."""
        found: dict[str, Any] = json.loads(line)
        places = tuple(Place.of(place, place["socket"]) for place in found["places"])
        return Orders(found["ring"], places, found["patience_s"])


END = b'{"end": true}\n'


def seat_line(seat: Seat | None) -> bytes:
    """The line that names the operator."""
    return json.dumps({"seat": seat}).encode() + b"\n"

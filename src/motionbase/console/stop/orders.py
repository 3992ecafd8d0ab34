"""What the console tells its stop post: at the start, and while both live. Lines of JSON into the post's stdin."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, final

Seat: TypeAlias = tuple[str, str]  # client and name
FOLDER = "stop_posts"
PATIENCE_S = 60.0


@final
@dataclass(frozen=True)
class Orders:
    """The first line.

    Attributes:
        socket: number of the open file that listens already
        port: on which it does; console_port: of the pages that may ask
        host, allow_hosts, operator_token, viewer_token, ring: as the console's own
        data: the console's folder
        patience_s: how long after the last writer of the ring it ends, once the console is gone [s]
    """

    socket: int
    port: int
    console_port: int
    ring: str
    host: str
    allow_hosts: tuple[str, ...]
    operator_token: str
    viewer_token: str | None
    data: str
    patience_s: float = PATIENCE_S

    @property
    def line(self) -> bytes:
        """As it is sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def of(line: bytes) -> Orders:
        """As it came."""
        found: dict[str, Any] = json.loads(line)
        return Orders(**{**found, "allow_hosts": tuple(found["allow_hosts"])})

    @property
    def lock(self) -> Path:
        """Held by the post that has these orders, and by no other: a console that is started again finds it by it."""
        same = replace(self, socket=0, patience_s=0.0, viewer_token=None)  # who may look is another with every console
        return Path(self.data) / FOLDER / f"{self.port}-{hashlib.sha256(same.line).hexdigest()[:32]}.lock"


END = b'{"end": true}\n'


def seat_line(seat: Seat | None) -> bytes:
    """Who operates from now on."""
    return json.dumps({"seat": seat}).encode() + b"\n"

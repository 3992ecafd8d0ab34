"""Who asks, and who operates."""

from __future__ import annotations

from pydantic import Field

from motionbase.console.models.base import Model
from motionbase.console.tokens import Role


class Me(Model):
    """The role of who asks. `seated`: holds the operator's seat, so that what changes state is taken from here.

    `waiting`: place in the queue for the seat, 1 for who is next; None for who does not wait. `may_stop`: whether the
    emergency stop is taken from it: with the operator token, or from all that may look. `stop_port`: where the stop
    post listens, at the console's own address; None where there is none.
    """

    role: Role
    client: str
    seated: bool
    waiting: int | None = None
    may_stop: bool
    stop_port: int | None


class Seat(Model):
    """Who operates; one at a time.

    `away`: its page has lost its connection, and keeps the seat for 30 s; `waiting`: names of who is next, in order.
    """

    client: str
    name: str
    since_utc: float
    away: bool = False
    waiting: list[str] = []


class TakeSeat(Model):
    """`force` takes it from `from_client`, the one whom the page named, and from nobody else; both are told.

    `wait` gets into the queue where somebody has it, instead of being refused.
    """

    name: str = Field(default="operator", min_length=1, max_length=40)
    force: bool = False
    from_client: str | None = Field(default=None, max_length=64)
    wait: bool = False

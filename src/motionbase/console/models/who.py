"""The caller's role, and the operator's seat."""

from __future__ import annotations

from pydantic import Field

from motionbase.console.models.base import Model
from motionbase.console.tokens import Role


class Me(Model):
    """Role of the caller. `seated`: holds the operator's seat, and so may change state.

    `waiting`: place in the queue for the seat, 1 for the next; None if not waiting. `may_stop`: whether it may request
    the emergency stop: with the operator token, or as a viewer if anyone may stop. `stop_port`: port of the stop post
    at the console's address; None if there is none.
    """

    role: Role
    client: str
    seated: bool
    waiting: int | None = None
    may_stop: bool
    stop_port: int | None


class Seat(Model):
    """The holder of the operator's seat.

    `away`: its page has lost its connection, and keeps the seat for 30 s; `waiting`: names in the queue, in order.
    """

    client: str
    name: str
    since_utc: float
    away: bool = False
    waiting: list[str] = []


class TakeSeat(Model):
    """Request for the seat. `force` takes it from `from_client`, the holder that the page showed, and from no other.

    `wait` joins the queue if another page has the seat, instead of being refused.
    """

    name: str = Field(default="operator", min_length=1, max_length=40)
    force: bool = False
    from_client: str | None = Field(default=None, max_length=64)
    wait: bool = False

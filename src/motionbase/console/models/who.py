"""Who asks, and who operates."""

from __future__ import annotations

from pydantic import Field

from motionbase.console.models.base import Model
from motionbase.console.tokens import Role


class Me(Model):
    """The role of who asks. `seated`: holds the operator's seat, so that what changes state is taken from here.

    `may_stop`: whether the emergency stop is taken from it: with the operator token, or from all that may look.
    `stop_port`: where the stop post listens, at the console's own address; None where there is none.
    """

    role: Role
    client: str
    seated: bool
    may_stop: bool
    stop_port: int | None


class Seat(Model):
    """Who operates; one at a time."""

    client: str
    name: str
    since_utc: float


class TakeSeat(Model):
    """`force` takes it from `from_client`, the one whom the page named, and from nobody else; both are told."""

    name: str = Field(default="operator", min_length=1, max_length=40)
    force: bool = False
    from_client: str | None = Field(default=None, max_length=64)

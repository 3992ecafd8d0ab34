"""Access control: tokens, roles, and the dependencies of routers (`Depends(seated)`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from fastapi import HTTPException, Request

from motionbase.console.models import Me
from motionbase.console.room import Rank
from motionbase.console.seat import OperatorSeat
from motionbase.console.tokens import BAD_CLIENT, CLIENT, NEEDS_OPERATOR, Role, Tokens, bearer, no_role


@final
@dataclass(frozen=True)
class Caller:
    """The sender of a request. `client`: the page's random name, "" if it gave none."""

    role: Role
    client: str


@final
class Access:
    """Tokens and the operator's seat.

    Args:
        operator_token: allows operating
        viewer_token: allows viewing; None lets everybody view
        tell: called with a sentence whenever the seat changes hands
        anyone_may_stop: viewers may request an emergency stop
    """

    def __init__(
        self,
        operator_token: str,
        viewer_token: str | None,
        tell: Callable[[str], object],
        anyone_may_stop: bool = False,
    ) -> None:
        self._anyone_may_stop = anyone_may_stop
        self.role = Tokens(operator_token, viewer_token).role
        self.seat = OperatorSeat(tell)
        self.stop_port: int | None = None  # port of the stop post, for pages

    def me(self, caller: Caller) -> Me:
        """The caller's role, seat and rights, for its page."""
        is_operator = caller.role == "operator"
        return Me(
            role=caller.role,
            client=caller.client,
            seated=is_operator and self.seat.is_held_by(caller.client),
            waiting=self.seat.place(caller.client) if is_operator else None,
            may_stop=self.may_stop(caller.role),
            stop_port=self.stop_port,
        )

    def may_stop(self, role: Role) -> bool:
        """Whether a role may request an emergency stop."""
        return role == "operator" or self._anyone_may_stop


def rank_of(role: Role, token: str | None) -> Rank:
    """The rank by which a caller's connections are limited; without a token a stranger, even if anyone may view."""
    if role == "operator":
        return Rank.OPERATOR
    return Rank.VIEWER if token else Rank.STRANGER


async def viewer(request: Request) -> Caller:
    """The caller, who may at least view."""
    client = request.headers.get("x-client", "")
    if client and not CLIENT.fullmatch(client):
        raise HTTPException(400, BAD_CLIENT)
    token = bearer(request.headers.get("authorization"))
    role = _access(request).role(token)
    if role is None:
        raise HTTPException(401, no_role(token), {"WWW-Authenticate": "Bearer"})
    shown: Callable[[Rank], object] | None = getattr(request.state, "shown", None)
    if shown is not None:
        shown(rank_of(role, token))
    return Caller(role, client)


async def stopper(request: Request) -> Caller:
    """The caller, who may request an emergency stop."""
    caller = await viewer(request)
    if not _access(request).may_stop(caller.role):
        raise HTTPException(401, NEEDS_OPERATOR, {"WWW-Authenticate": "Bearer"})
    return caller


async def operator(request: Request) -> Caller:
    """The caller, who has the operator token."""
    caller = await viewer(request)
    if caller.role != "operator":
        raise HTTPException(401, NEEDS_OPERATOR, {"WWW-Authenticate": "Bearer"})
    return caller


async def seated(request: Request) -> Caller:
    """The caller, who has the operator token and the seat."""
    caller, seat = await operator(request), _access(request).seat
    if not (caller.client and seat.is_held_by(caller.client)):
        holder = seat.holder
        whose = f"{holder.name!r} operates" if holder else "nobody operates"
        raise HTTPException(409, f"this needs the operator's seat, and {whose}; take the seat first")
    return caller


def _access(request: Request) -> Access:
    found = request.app.state.console.access
    assert isinstance(found, Access)
    return found

"""Who may do what: tokens, roles, and the dependencies that routers name (`Depends(seated)`)."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from fastapi import HTTPException, Request

from motionbase.console.models import Me, Role
from motionbase.console.seat import OperatorSeat
from motionbase.errors import UsageError

CLIENT = re.compile(r"[A-Za-z0-9_-]{1,64}")
SHORTEST_TOKEN = 16


@final
@dataclass(frozen=True)
class Caller:
    """Who asks. `client`: the page's own random name, "" where it gave none."""

    role: Role
    client: str


@final
class Access:
    """Tokens and the seat.

    Args:
        operator_token: of who may operate
        viewer_token: of who may look; None lets everybody look
        tell: takes a sentence whenever the seat changes hands
    """

    def __init__(self, operator_token: str, viewer_token: str | None, tell: Callable[[str], object]) -> None:
        self._operator = checked_token("the operator token", operator_token).encode()
        self._viewer = None if viewer_token is None else checked_token("the viewer token", viewer_token).encode()
        if self._viewer == self._operator:
            raise UsageError("the viewer token is the operator token: whoever looks could operate; give two")
        self.seat = OperatorSeat(tell)

    def role(self, token: str | None) -> Role | None:
        """What a token allows; None where it is wrong, or missing where one is needed."""
        given = (token or "").encode(errors="surrogateescape")
        if secrets.compare_digest(given, self._operator):
            return "operator"
        if self._viewer is not None and secrets.compare_digest(given, self._viewer):
            return "viewer"
        return "viewer" if not given and self._viewer is None else None

    def me(self, caller: Caller) -> Me:
        """The caller as it is told."""
        seated = caller.role == "operator" and self.seat.is_held_by(caller.client)
        return Me(role=caller.role, client=caller.client, seated=seated)


def new_token() -> str:
    """Nobody guesses it."""
    return secrets.token_urlsafe(24)


def checked_token(what: str, token: str) -> str:
    """A token that can stand in a header and in an address, and is long enough."""
    if not re.fullmatch(r"[A-Za-z0-9._~-]+", token) or len(token) < SHORTEST_TOKEN:
        raise UsageError(
            f"{what} has {len(token)} characters; it must have {SHORTEST_TOKEN} or more, letters, digits and . _ ~ -"
        )
    return token


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def viewer(request: Request) -> Caller:
    """Who may look."""
    client = request.headers.get("x-client", "")
    if client and not CLIENT.fullmatch(client):
        raise HTTPException(400, "X-Client must be 1 to 64 letters, digits, - or _")
    token = bearer(request.headers.get("authorization"))
    role = _access(request).role(token)
    if role is None:
        what = "this token is not the console's" if token else "a token is needed here"
        raise HTTPException(401, f"{what}; open the address that the console printed", {"WWW-Authenticate": "Bearer"})
    return Caller(role, client)


async def operator(request: Request) -> Caller:
    """Who has the operator token."""
    caller = await viewer(request)
    if caller.role != "operator":
        raise HTTPException(
            401,
            "this needs the operator token; open the address that the console printed",
            {"WWW-Authenticate": "Bearer"},
        )
    return caller


async def seated(request: Request) -> Caller:
    """Who has the operator token and the seat."""
    caller, seat = await operator(request), _access(request).seat
    if not (caller.client and seat.is_held_by(caller.client)):
        holder = seat.holder
        whose = f"it is {holder.name!r} who operates" if holder else "nobody operates"
        raise HTTPException(409, f"this needs the operator's seat, and {whose}; take the seat first")
    return caller


def bearer(header: str | None) -> str | None:
    """The token of an Authorization header; the whole text where it is of another kind, which no token equals."""
    if header is None:
        return None
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else header


def _access(request: Request) -> Access:
    found = request.app.state.console.access
    assert isinstance(found, Access)
    return found

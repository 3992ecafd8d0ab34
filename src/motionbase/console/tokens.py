"""Tokens: their rights and their form. Needs nothing but Python."""

from __future__ import annotations

import re
import secrets
from typing import Literal, TypeAlias, final

from motionbase.errors import UsageError

Role: TypeAlias = Literal["viewer", "operator"]
CLIENT = re.compile(r"[A-Za-z0-9_-]{1,64}")
BAD_CLIENT = "X-Client must be 1 to 64 letters, digits, - or _"
PRINTED = "open the address that `motionbase run` or `motionbase console` printed"
NEEDS_OPERATOR = f"this needs the operator token; {PRINTED}"
SHORTEST_TOKEN = 16


@final
class Tokens:
    """Tokens of one console.

    Args:
        operator_token: allows operating
        viewer_token: allows viewing; None lets everybody view
    """

    def __init__(self, operator_token: str, viewer_token: str | None) -> None:
        self._operator = checked_token("the operator token", operator_token).encode()
        self._viewer = None if viewer_token is None else checked_token("the viewer token", viewer_token).encode()
        if self._viewer == self._operator:
            raise UsageError("the viewer token equals the operator token, so viewers could operate; give two")

    def role(self, token: str | None) -> Role | None:
        """Role of a token; None if it is wrong, or missing where one is needed."""
        given = (token or "").encode(errors="surrogatepass")
        is_operator = secrets.compare_digest(given, self._operator)
        is_viewer = self._viewer is not None and secrets.compare_digest(given, self._viewer)
        if is_operator:
            return "operator"
        if is_viewer:
            return "viewer"
        return "viewer" if not given and self._viewer is None else None


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(24)


def checked_token(what: str, token: str) -> str:
    """A token that is long enough and valid in headers and addresses; an error otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9._~-]+", token) or len(token) < SHORTEST_TOKEN:
        raise UsageError(
            f"{what} has {len(token)} characters; it must have {SHORTEST_TOKEN} or more, letters, digits and . _ ~ -"
        )
    return token


def bearer(header: str | None) -> str | None:
    """The token of an Authorization header; the whole text, which no token equals, if it is of another kind."""
    if header is None:
        return None
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else header


def no_role(token: str | None) -> str:
    """Why a token is refused, as a sentence."""
    if token:
        return f"this token is not the console's; {PRINTED}, or paste its token"
    return f"this console shows nothing without a token; {PRINTED}, or paste the viewer token"

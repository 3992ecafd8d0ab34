"""Every refusal is one sentence: errors of motionbase, bad requests and trouble with files as `{"detail": ...}`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from motionbase.console.api.folders import shown
from motionbase.errors import MotionBaseError, RingError

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
SHOWN = 60  # letters of what was given


class NotThere(MotionBaseError):
    """What was asked for does not exist: 404."""


class WrongState(MotionBaseError):
    """It could be done, but not now: 409."""


class TooLarge(MotionBaseError):
    """More than is taken: 413."""


class TooMany(MotionBaseError):
    """More often, or more of it, than one page may ask: 429."""


STATUS: tuple[tuple[type[MotionBaseError], int], ...] = (
    (NotThere, 404),
    (WrongState, 409),
    (TooLarge, 413),
    (TooMany, 429),
    (RingError, 409),  # no ring, no writer, or one that takes no commands
)


class SentenceRoute(APIRoute):
    """Answers a refusal with a sentence and a status instead of a traceback."""

    def get_route_handler(self) -> Handler:
        """The usual one, with what it raises turned into an answer."""
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                raise HTTPException(422, invalid(error)) from None
            except MotionBaseError as error:
                text = shown(request.app.state.console, str(error))
                raise HTTPException(status_of(error), text) from None
            except OSError as error:
                why = error.strerror or shown(request.app.state.console, str(error))
                raise HTTPException(500, f"the server's disk or memory: {why}") from None

        return answered


def status_of(error: MotionBaseError) -> int:
    """422 for what can never work as it was asked."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 422)


def invalid(error: RequestValidationError) -> str:
    """The first thing that is wrong with a request: where, what is wanted, what was given."""
    first: Mapping[str, Any] = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    message = str(first["msg"]).removeprefix("Value error, ")  # a sentence of ours
    given = repr(first.get("input"))
    shown = given if len(given) <= SHOWN else given[:SHOWN] + "..."
    return f"{where}: {message[:1].lower()}{message[1:]}; {shown} was given"

"""Answers every error with one sentence as `{"detail": ...}`: errors of motionbase, bad requests and file errors."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from motionbase.console.api.folders import shown
from motionbase.errors import MotionBaseError, RingError

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
SHOWN = 60  # characters shown of a bad value


class NotThere(MotionBaseError):
    """The requested object does not exist: 404."""


class WrongState(MotionBaseError):
    """Not possible in the present state: 409."""


class TooLarge(MotionBaseError):
    """The request is too large: 413."""


class TooMany(MotionBaseError):
    """Too many requests of one page: 429."""


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
        """The usual handler, with its errors turned into answers."""
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
    """HTTP status of an error; 422 for a request that can never succeed."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 422)


def invalid(error: RequestValidationError) -> str:
    """The first error of a request: the field, what is wanted, what was given."""
    first: Mapping[str, Any] = error.errors()[0]
    return told({**first, "loc": first["loc"][1:] or first["loc"]})


def told(first: Mapping[str, Any]) -> str:
    """An error of a model as text: the field, what is wanted, what was given."""
    where = ".".join(str(part) for part in first["loc"])
    message = str(first["msg"]).removeprefix("Value error, ")  # our own message
    given = repr(first.get("input"))
    shown = given if len(given) <= SHOWN else given[:SHOWN] + "..."
    sentence = f"{message[:1].lower()}{message[1:]}"
    return f"{where}: {sentence}; {shown} was given" if where else sentence

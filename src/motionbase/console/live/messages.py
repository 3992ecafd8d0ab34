"""Messages of a page over the WebSocket, as types; everything else is answered with one sentence."""

from __future__ import annotations

import json
from typing import Annotated, Literal, TypeAlias, final

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from motionbase.console.models import DeviceSays, Model, PoseName, SourceName
from motionbase.errors import MotionBaseError

MOST_CHANNELS, MOST_PIXELS, MOST_CURVE_PIXELS = 256, 8192, 1 << 19
LONGEST_SPAN = 1e6  # [s]
Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Places: TypeAlias = Annotated[tuple[Annotated[int, Field(ge=0, le=100_000)], ...], Field(max_length=MOST_CHANNELS)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]


class _Drawn(Model):
    channels: Places
    pixels: int = Field(ge=1, le=MOST_PIXELS)

    @model_validator(mode="after")
    def _is_drawable(self) -> _Drawn:
        if len(self.channels) * self.pixels > MOST_CURVE_PIXELS:
            raise ValueError(f"channels times pixels must be {MOST_CURVE_PIXELS} or less")
        return self


@final
class Hello(Model):
    """The first message."""

    do: Literal["hello"]
    client: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    token: str | None = Field(default=None, max_length=256)
    source: SourceName = "live"


@final
class Source(Model):
    """Request frames of another ring from now on."""

    do: Literal["source"]
    source: SourceName


@final
class Subscribe(_Drawn):
    """Subscribe to live frames of these channels."""

    do: Literal["subscribe"]
    span: Finite = Field(gt=0, le=LONGEST_SPAN)


@final
class AskWindow(_Drawn):
    """Request one window frame."""

    do: Literal["window"]
    id: Number
    begin: Finite = Field(alias="from")
    end: Finite = Field(alias="to")


@final
class AskStatistics(Model):
    """Request statistics of a stretch of time."""

    do: Literal["statistics"]
    id: Number
    channels: Places
    begin: Finite = Field(alias="from")
    end: Finite = Field(alias="to")


@final
class Ack(Model):
    """A live frame has been drawn."""

    do: Literal["ack"]
    frame: Number


@final
class Watch(Model):
    """Request the kinematics of a pose from now on; of None, end them."""

    do: Literal["watch"]
    pose: PoseName | None


@final
class Estop(Model):
    """Request an emergency stop of the live base; needs the operator token."""

    do: Literal["estop"]
    id: Number
    press: str | None = None


@final
class Steer(DeviceSays):
    """State of a device, for the vehicle of the live base's world; needs the operator's seat."""

    do: Literal["steer"]


Message: TypeAlias = Hello | Source | Subscribe | AskWindow | AskStatistics | Ack | Watch | Estop | Steer
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="do")])


@final
class NotJson(MotionBaseError):
    """A text that is not a JSON object."""


@final
class NotUnderstood(MotionBaseError):
    """A JSON object that is not a valid message. `id` is that of the request, if it had one."""

    def __init__(self, text: str, number: int | None = None) -> None:
        super().__init__(text)
        self.id = number


def understood(text: str) -> Message:
    """Parse the message in a text."""
    try:
        given = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise NotJson("a message must be a JSON object") from None
    if not isinstance(given, dict):
        raise NotJson("a message must be a JSON object")
    try:
        return _ADAPTER.validate_python(given, strict=False)
    except ValidationError as error:
        number = given.get("id")
        raise NotUnderstood(one_sentence(error), number if isinstance(number, int) else None) from None


def one_sentence(error: ValidationError) -> str:
    """The first error: its field, and what is wanted."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    given = first.get("input")
    short = "" if isinstance(given, dict | list | tuple) or given is None else f" (it is {given!r:.60})"
    return f"{where or 'the message'}: {first['msg'][:1].lower()}{first['msg'][1:]}{short}"


def _refused(constant: str) -> float:
    raise ValueError(constant)

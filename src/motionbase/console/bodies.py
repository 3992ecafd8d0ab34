"""Bodies of requests, limited in size and time."""

from __future__ import annotations

import asyncio
import math
from typing import NamedTuple, final

from starlette.types import Message, Receive

LARGEST_BODY = 1024 * 1024  # of an ordinary request [bytes]
BODY_S = 10.0  # time limit for a whole body
PIECE_S = 30.0  # time limit for the next piece of a file


class Refusal(NamedTuple):
    """Why a request is refused: status and sentence."""

    status: int
    why: str


@final
class Body:
    """Body of one request.

    Args:
        receive: the server's receive function
        announced: size in the request's header [bytes]
        is_streamed: may have any size and take any time, as long as data arrives
    """

    def __init__(self, receive: Receive, announced: int, is_streamed: bool) -> None:
        self._receive, self._is_streamed = receive, is_streamed
        self._size, self._announced, self._is_whole = 0, announced, False
        self._end = asyncio.get_running_loop().time() + BODY_S
        self._is_late = False

    @property
    def refusal(self) -> Refusal | None:
        """The refusal of a body that is too large or too late; None otherwise."""
        if not self._is_streamed and max(self._size, self._announced) > LARGEST_BODY:
            return Refusal(413, f"the request has more than {LARGEST_BODY} bytes, which is the most")
        if self._is_late:
            wanted = f"no more of it for {PIECE_S:g} s" if self._is_streamed else f"not whole after {BODY_S:g} s"
            return Refusal(408, f"the body of the request came too slowly, {wanted}")
        return None

    async def receive(self) -> Message:
        """The next message; a disconnect once the body is refused."""
        if self._is_whole:
            return await self._receive()  # only the disconnect is still to come
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(loop.time() + PIECE_S if self._is_streamed else self._end):
                message = await self._receive()
        except TimeoutError:
            self._is_late = True
            return {"type": "http.disconnect"}
        self._size += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return {"type": "http.disconnect"} if self.refusal else message


def announced(lengths: list[str]) -> int:
    """The size in Content-Length headers [bytes]; 0 if there is no valid one."""
    return int(lengths[0]) if lengths and lengths[0].isdecimal() and len(lengths[0]) < math.log10(2**63) else 0

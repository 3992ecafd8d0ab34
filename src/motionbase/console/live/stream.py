"""One page's WebSocket: what it asks for, what it is sent, and when it is let go.

All sending is done by one task, which takes texts from a bounded queue and frames when the page is ready for one. A
page that is slow delays itself alone.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, final

from starlette.websockets import WebSocket, WebSocketDisconnect

from motionbase.console.access import Caller
from motionbase.console.api.estop import stopped
from motionbase.console.live import answers, messages
from motionbase.console.live.curves import Curves, Subscription
from motionbase.console.live.follower import Follower
from motionbase.console.live.runs import Run
from motionbase.console.models import Answer
from motionbase.errors import MotionBaseError

if TYPE_CHECKING:
    from motionbase.console.live.hub import Hub

PROTOCOL = "motionbase.1"
HELLO_S, SILENT_S, CLOSE_S = 5.0, 5.0, 1.0
IN_FLIGHT = 3
FRAME_S = 1 / 60
EARLY_S = 0.002  # timers are not exact
MOST_QUEUED, MOST_QUEUED_BYTES = 256, 64 * 1024 * 1024
MOST_ASKED = 256  # questions that wait for their answers
WRONG_IN_A_ROW = 3
BAD_DATA, POLICY, TRY_LATER, NO_TOKEN = 1007, 1008, 1013, 4401


class SessionState(Enum):
    """Where a connection is."""

    GREETING = "waits for hello"
    OPEN = "is served"
    ENDING = "is let go"


class _Ended(Exception):
    """The server closes, with this code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


@final
class Session:
    """One WebSocket; everything here happens in the event loop."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self._socket, self._hub, self._loop = socket, hub, asyncio.get_running_loop()
        self.state = SessionState.GREETING
        self.caller = Caller("viewer", "")
        self.follower: Follower = hub.console.source("live")
        self._curves = Curves(hub.bodies(self.follower))
        self._queue: deque[str | bytes] = deque()
        self._queued_bytes = 0
        self._wake = asyncio.Event()
        self._sent = self._acked = 0
        self._frame_at, self._heard_at = -math.inf, math.inf
        self._sending_since: float | None = None
        self._shown: tuple[int, int] | None = None  # generation and revision that the page was told
        self._wrong = 0
        self._asked: asyncio.Queue[messages.AskWindow | messages.AskStatistics] = asyncio.Queue()
        self._stops: set[asyncio.Task[None]] = set()
        self._end: asyncio.Future[_Ended] = self._loop.create_future()

    # ---- its life ----

    async def serve(self) -> None:
        """From the first message to the last."""
        await self._socket.accept(PROTOCOL if PROTOCOL in self._socket.scope["subprotocols"] else None)
        tasks = {self._loop.create_task(work) for work in (self._talk(), self._answer(), self._send())}
        try:
            waited: set[asyncio.Future[Any]] = {*tasks, self._end}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.state = SessionState.ENDING
            self._hub.left(self)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        await self._close(next((e for e in ended if isinstance(e, _Ended)), None))
        for error in ended:
            if isinstance(error, Exception) and not isinstance(error, _Ended | WebSocketDisconnect):
                raise error

    async def _close(self, ended: _Ended | None) -> None:
        if ended is None and self._end.done():
            ended = self._end.result()
        if ended is None:
            return
        try:
            while self._queue and self._sending_since is None:  # last words first: why it is let go
                await asyncio.wait_for(self._send_one(self._queue.popleft()), CLOSE_S)
            await asyncio.wait_for(self._socket.close(ended.code, ended.reason), CLOSE_S)
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            abort: Callable[[], object] | None = self._socket.scope.get("state", {}).get("abort")
            if abort is not None:
                abort()  # it takes nothing any more, not even a farewell

    def end(self, code: int, reason: str) -> None:
        """Let it go."""
        if not self._end.done():
            self._end.set_result(_Ended(code, reason))

    def check(self) -> None:
        """Let a page go that has acknowledged nothing, or taken nothing, for 5 s."""
        now = self._loop.time()
        if self._sent > self._acked and now - self._heard_at > SILENT_S:
            self.end(TRY_LATER, f"no frame was acknowledged for {SILENT_S:g} s")
        elif self._sending_since is not None and now - self._sending_since > SILENT_S:
            self.end(TRY_LATER, f"nothing was taken for {SILENT_S:g} s")

    # ---- sending ----

    def wake(self) -> None:
        """There may be something to send."""
        self._wake.set()

    def say(self, message: str | bytes, first: bool = False) -> None:
        """Put it in the queue, or before all others; who lets the queue grow without end is let go."""
        (self._queue.appendleft if first else self._queue.append)(message)
        self._queued_bytes += len(message)
        if len(self._queue) > MOST_QUEUED or self._queued_bytes > MOST_QUEUED_BYTES:
            self.end(TRY_LATER, "more is asked for than is taken")
        self._wake.set()

    async def _send(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                message = self._queue.popleft()
                self._queued_bytes -= len(message)
                await self._send_one(message)
            if self.state is SessionState.OPEN:
                await self._send_frame()

    async def _send_frame(self) -> None:
        run = self.follower.run
        if run is None:
            return
        if self._shown != (run.generation, run.revision):
            self._shown = (run.generation, run.revision)
            await self._send_one(self._hub.schema_text(self.follower, run))
        if self._sent - self._acked >= IN_FLIGHT:
            return
        now = self._loop.time()
        if (early := self._frame_at + FRAME_S - EARLY_S - now) > 0:
            self._loop.call_later(early, self._wake.set)
            return
        frame = self._curves.next(run, self._sent + 1)
        if frame is None:
            return
        if self._sent == self._acked:
            self._heard_at = now
        self._sent, self._frame_at = self._sent + 1, now
        await self._send_one(frame)

    async def _send_one(self, message: str | bytes) -> None:
        self._sending_since = self._loop.time()
        kind = "text" if isinstance(message, str) else "bytes"
        await self._socket.send({"type": "websocket.send", kind: message})
        self._sending_since = None

    # ---- receiving ----

    async def _talk(self) -> None:
        try:
            text = await asyncio.wait_for(self._receive(), HELLO_S)
        except TimeoutError:
            raise _Ended(POLICY, f"no hello within {HELLO_S:g} s") from None
        self._greet(text)
        while True:
            text = await self._receive()
            try:
                message = self._understood(text)
                if message is not None:
                    self._obey(message)
            except MotionBaseError as error:
                self._complain(str(error), getattr(message, "id", None))

    async def _receive(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code") or 1005)
        text = message.get("text")
        if text is None:
            raise _Ended(BAD_DATA, "messages are text")
        return str(text)

    def _greet(self, text: str) -> None:
        try:
            hello = messages.understood(text)
        except messages.NotJson as error:
            raise _Ended(BAD_DATA, str(error)) from None
        except messages.NotUnderstood as error:
            self._complain(str(error), error.id)
            raise _Ended(POLICY, "the first message must be hello") from None
        if not isinstance(hello, messages.Hello):
            raise _Ended(POLICY, "the first message must be hello")
        role = self._hub.console.access.role(hello.token)
        if role is None:
            what = "this token is not the console's" if hello.token else "a token is needed here"
            self._complain(f"{what}; open the address that the console printed")
            raise _Ended(NO_TOKEN, what)
        self.caller = Caller(role, hello.client)
        self._follow(hello.source)
        self.state = SessionState.OPEN
        self._hub.arrived(self)

    def _understood(self, text: str) -> messages.Message | None:
        try:
            message = messages.understood(text)
            if isinstance(message, messages.Hello):
                raise messages.NotUnderstood("hello has been said already")
        except messages.NotJson as error:
            raise _Ended(BAD_DATA, str(error)) from None
        except messages.NotUnderstood as error:
            self._wrong += 1
            self._complain(str(error), error.id)
            if self._wrong >= WRONG_IN_A_ROW:
                raise _Ended(POLICY, f"{WRONG_IN_A_ROW} messages in a row were not understood") from None
            return None
        self._wrong = 0
        return message

    def _obey(self, message: messages.Message) -> None:
        match message:
            case messages.Ack(frame=frame):
                self._acknowledge(frame)
            case messages.Subscribe():
                self._known(message.channels)
                self._curves.subscribe(Subscription(message.channels, message.span, message.pixels))
                self._wake.set()
            case messages.Source(source=source):
                self._follow(source)
            case messages.AskWindow() | messages.AskStatistics():
                self._known(message.channels)
                self._asked.put_nowait(message)
                if self._asked.qsize() > MOST_ASKED:
                    self.end(TRY_LATER, "more is asked for than can be answered")
            case messages.Estop(id=number):
                stop = self._loop.create_task(self._stop(number))
                self._stops.add(stop)
                stop.add_done_callback(self._stops.discard)

    async def _answer(self) -> None:
        """Questions one by one, beside the receiving: a stop that is asked for meanwhile does not wait for them."""
        while True:
            asked = await self._asked.get()
            try:
                run = answers.there(self._known(asked.channels), self.follower)
                self.say(await self._hub.console.turns.looking.take(partial(answers.answer, run, asked)))
            except MotionBaseError as error:
                self._complain(str(error), asked.id)

    async def _stop(self, number: int) -> None:
        try:
            if self.caller.role != "operator":
                raise MotionBaseError("this needs the operator token; open the address that the console printed")
            answer = await stopped(self._hub.console, self.caller)
        except MotionBaseError as error:
            answer = Answer(accepted=False, text=str(error))
        except OSError as error:
            answer = Answer(accepted=False, text=f"the ring cannot be reached: {error.strerror or error}")
        self.say(json.dumps({"kind": "estop", "id": number, **answer.model_dump()}), first=True)

    def _acknowledge(self, frame: int) -> None:
        if frame > self._sent:
            raise MotionBaseError(f"frame {frame} was never sent; the last was {self._sent}")
        self._acked, self._heard_at = max(self._acked, frame), self._loop.time()
        self._wake.set()

    def _follow(self, source: str) -> None:
        self.follower = self._hub.console.source("replay" if source == "replay" else "live")
        self._curves.move(self._hub.bodies(self.follower))
        self._shown = None
        self._wake.set()

    def _known(self, places: tuple[int, ...]) -> Run | None:
        """The run that is shown; refuses places that it does not have."""
        run = self.follower.run
        if run is not None and (unknown := [p for p in places if p >= run.history.width]):
            raise MotionBaseError(f"there is no channel at place {unknown[0]}; there are {run.history.width}")
        return run

    def _complain(self, text: str, number: int | None = None) -> None:
        self.say(json.dumps({"kind": "error", "id": number, "text": text}))

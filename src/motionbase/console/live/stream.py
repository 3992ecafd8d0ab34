"""One page's WebSocket: its requests, its output, and its end."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, final

from starlette.websockets import WebSocket, WebSocketDisconnect

from motionbase.console.access import Caller, rank_of
from motionbase.console.api.estop import stopped
from motionbase.console.live import answers, messages
from motionbase.console.live.curves import Curves, Subscription
from motionbase.console.live.endings import BAD_DATA, NO_ROOM, NO_TOKEN, POLICY, TRY_LATER, Ended, SessionState
from motionbase.console.live.follower import Follower
from motionbase.console.live.helm import Rate
from motionbase.console.live.outbox import Outbox
from motionbase.console.live.runs import Run
from motionbase.console.models import Answer, PoseName, Steered
from motionbase.console.protocols import address_of
from motionbase.console.room import Rank
from motionbase.console.tokens import NEEDS_OPERATOR, no_role
from motionbase.errors import MotionBaseError

if TYPE_CHECKING:
    from motionbase.console.live.hub import Hub

PROTOCOL = "motionbase.1"
HELLO_S, CLOSE_S = 5.0, 1.0
MOST_ASKED = 256  # requests waiting for answers
WRONG_IN_A_ROW = 3
NUMBERS = itertools.count()  # of sessions, in order of arrival


@final
class Session:
    """One WebSocket; used only in the event loop."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self._socket, self._hub, self._loop = socket, hub, asyncio.get_running_loop()
        self.state, self.number = SessionState.GREETING, next(NUMBERS)
        self.caller, self.rank = Caller("viewer", ""), Rank.STRANGER
        self.address = address_of(socket.scope.get("client"))
        self.follower: Follower = hub.console.source("live")
        self._curves = Curves(hub.bodies(self.follower))
        self._outbox = Outbox(socket, partial(self.end, TRY_LATER))
        self.say, self.wake = self._outbox.put, self._outbox.wake
        self._shown: tuple[int, int] | None = None  # generation and revision sent to the page
        self.watched: PoseName | None = None  # pose whose kinematics the page watches
        self._wrong = 0
        self._steering, self._steered = Rate(), Steered(why_not="nothing was said yet")
        self._asked: asyncio.Queue[messages.AskWindow | messages.AskStatistics] = asyncio.Queue()
        self._stops: set[asyncio.Task[None]] = set()
        self._end: asyncio.Future[Ended] = self._loop.create_future()

    # ---- life cycle ----

    async def serve(self) -> None:
        """Serve the page from its first message to its last."""
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
        await self._close(next((e for e in ended if isinstance(e, Ended)), None))
        for error in ended:
            if isinstance(error, Exception) and not isinstance(error, Ended | WebSocketDisconnect):
                raise error

    async def _close(self, ended: Ended | None) -> None:
        if ended is None and self._end.done():
            ended = self._end.result()
        if ended is None:
            return
        abort: Callable[[], object] = self._socket.scope.get("state", {}).get("abort", lambda: None)
        try:
            if not self._outbox.is_stuck:
                await asyncio.wait_for(self._outbox.flush(), CLOSE_S)  # first the reason for closing
            await asyncio.wait_for(self._socket.close(ended.code, ended.reason), CLOSE_S)
            self._loop.call_later(CLOSE_S, abort)  # if the page does not take that either
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            abort()  # it takes no more data, not even the close frame

    @property
    def behind_s(self) -> float:
        """How far the page is behind its output [s]."""
        return self._outbox.behind_s

    @property
    def is_ending(self) -> bool:
        """Whether it is being closed, so that its place is free."""
        return self._end.done() or self.state is SessionState.ENDING

    def end(self, code: int, reason: str) -> None:
        """Close the connection."""
        if not self._end.done():
            self._end.set_result(Ended(code, reason))

    def check(self) -> None:
        """Close the connection of a page that no longer responds."""
        if why := self._outbox.why_lost:
            self.end(TRY_LATER, why)

    # ---- sending ----

    async def _send(self) -> None:
        while True:
            await self._outbox.woken()
            await self._outbox.flush()
            if self.state is SessionState.OPEN:
                await self._send_frame()

    async def _send_frame(self) -> None:
        run = self.follower.run
        if run is None:
            return
        if self._shown != (run.generation, run.revision):
            self._shown = (run.generation, run.revision)
            await self._outbox.send(self._hub.schema_text(self.follower, run))
        number = self._outbox.next_frame()
        if number is not None and (frame := self._curves.next(run, number)) is not None:
            await self._outbox.send_frame(frame)

    # ---- receiving ----

    async def _talk(self) -> None:
        try:
            text = await asyncio.wait_for(self._receive(), HELLO_S)
        except TimeoutError:
            raise Ended(POLICY, f"no hello within {HELLO_S:g} s") from None
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
            raise Ended(BAD_DATA, "messages are text")
        return str(text)

    def _greet(self, text: str) -> None:
        try:
            hello = messages.understood(text)
        except messages.NotJson as error:
            raise Ended(BAD_DATA, str(error)) from None
        except messages.NotUnderstood as error:
            self._complain(str(error), error.id)
            raise Ended(POLICY, "the first message must be hello") from None
        if not isinstance(hello, messages.Hello):
            raise Ended(POLICY, "the first message must be hello")
        role = self._hub.console.access.role(hello.token)
        if role is None:
            why = no_role(hello.token)
            self._complain(why)
            raise Ended(NO_TOKEN, why)
        self.caller, self.rank = Caller(role, hello.client), rank_of(role, hello.token)
        if why := self._hub.why_no_room(self):
            raise Ended(NO_ROOM, why)
        self._follow(hello.source)
        self.state = SessionState.OPEN
        self._hub.arrived(self)

    def _understood(self, text: str) -> messages.Message | None:
        try:
            message = messages.understood(text)
            if isinstance(message, messages.Hello):
                raise messages.NotUnderstood("hello has been said already")
        except messages.NotJson as error:
            raise Ended(BAD_DATA, str(error)) from None
        except messages.NotUnderstood as error:
            self._wrong += 1
            self._complain(str(error), error.id)
            if self._wrong >= WRONG_IN_A_ROW:
                raise Ended(POLICY, f"{WRONG_IN_A_ROW} messages in a row were not understood") from None
            return None
        self._wrong = 0
        return message

    def _obey(self, message: messages.Message) -> None:
        match message:
            case messages.Ack(frame=frame):
                self._outbox.acknowledge(frame)
            case messages.Subscribe():
                self._known(message.channels)
                self._curves.subscribe(Subscription(message.channels, message.span, message.pixels))
                self.wake()
            case messages.Source(source=source):
                self._follow(source)
                self._hub.watched()
            case messages.Watch(pose=pose):
                self.watched = pose
                self._hub.watched()
            case messages.AskWindow() | messages.AskStatistics():
                self._known(message.channels)
                self._asked.put_nowait(message)
                if self._asked.qsize() > MOST_ASKED:
                    self.end(TRY_LATER, "more is asked for than can be answered")
            case messages.Steer():
                self._steer(message)
            case messages.Estop(id=number, press=press):
                stop = self._loop.create_task(self._stop(number, press))
                self._stops.add(stop)
                stop.add_done_callback(self._stops.discard)

    async def _answer(self) -> None:
        """Answer requests one by one, apart from receiving, so that an emergency stop does not wait for them."""
        while True:
            asked = await self._asked.get()
            try:
                run = answers.there(self._known(asked.channels), self.follower)
                self.say(await self._hub.console.turns.looking.take(partial(answers.answer, run, asked)))
            except MotionBaseError as error:
                self._complain(str(error), asked.id)

    async def _stop(self, number: int, press: str | None) -> None:
        try:
            if not self._hub.console.access.may_stop(self.caller.role):
                raise MotionBaseError(NEEDS_OPERATOR)
            answer = await stopped(self._hub.console, self.caller, press)
        except MotionBaseError as error:
            answer = Answer(accepted=False, text=str(error))
        except OSError as error:
            answer = Answer(accepted=False, text=f"the ring cannot be reached: {error.strerror or error}")
        self.say(json.dumps({"kind": "estop", "id": number, **answer.model_dump()}), first=True)

    def _steer(self, said: messages.Steer) -> None:
        """Pass on the state of a device; the page is told when that begins or ceases to reach the vehicle."""
        if not self._steering.admits():
            return
        steered = Steered(why_not=self._hub.helm.steer(self.caller, said.hand))
        if steered != self._steered:
            self._steered = steered
            self.say(steered.model_dump_json())

    def _follow(self, source: str) -> None:
        self.follower = self._hub.console.source("replay" if source == "replay" else "live")
        self._curves.move(self._hub.bodies(self.follower))
        self._shown = None
        self.wake()

    def _known(self, places: tuple[int, ...]) -> Run | None:
        """The run on display; an error for channels that it does not have."""
        run = self.follower.run
        if run is not None and (unknown := [p for p in places if p >= run.history.width]):
            raise MotionBaseError(f"there is no channel at place {unknown[0]}; there are {run.history.width}")
        return run

    def _complain(self, text: str, number: int | None = None) -> None:
        self.say(json.dumps({"kind": "error", "id": number, "text": text}))

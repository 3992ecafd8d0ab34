"""The server: routers behind the guard, the WebSocket and the page; runs until a signal."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, final

import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.websockets import WebSocket

from motionbase.console import core
from motionbase.console.access import viewer
from motionbase.console.api import (
    alarms,
    cueing,
    derive,
    export,
    generators,
    kinematics,
    layouts,
    operate,
    parameters,
    recorder,
    recordings,
    replay,
    scene,
    strip,
    world,
)
from motionbase.console.api.sentences import invalid, status_of
from motionbase.console.console import VERSION
from motionbase.console.guard import Guard
from motionbase.console.listening import listening
from motionbase.console.live.hub import Hub
from motionbase.console.origins import own_names
from motionbase.console.pages import add_pages
from motionbase.console.protocols import AT_ONCE, IDLE_S, STATE, HttpProtocol, Room, WebSocketProtocol
from motionbase.console.stop.keeper import StopPost
from motionbase.errors import MotionBaseError

if TYPE_CHECKING:
    from motionbase.console.console import Console

ROUTERS = (
    core.router, derive.router, operate.router, generators.router, parameters.router, recorder.router, strip.router,
    recordings.router, export.router, replay.router, layouts.router, scene.router,
    world.router, kinematics.router, alarms.router, cueing.router,
)  # fmt: skip
LARGEST_MESSAGE = 64 * 1024
GRACE_S = 3
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def create_app(console: Console) -> FastAPI:
    """The application; it starts and closes the console."""
    hub = Hub(console)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[dict[str, Room]]:
        console.start()
        await hub.start()
        try:
            yield {STATE: Room(console.settings.limits)}
        finally:
            await hub.close()
            await asyncio.to_thread(console.close)

    app = FastAPI(
        title="motionbase console", version=VERSION, lifespan=life, openapi_url=None, docs_url=None, redoc_url=None,
    )  # fmt: skip
    app.state.console = console
    for router in ROUTERS:
        app.include_router(router(console), dependencies=[Depends(viewer)])
    app.include_router(recordings.download_router(console))

    @app.websocket("/ws")
    async def stream(websocket: WebSocket) -> None:
        await hub.serve(websocket)

    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(MotionBaseError, _refused)
    app.add_exception_handler(Exception, _failed)
    add_pages(app, console.settings.static)
    names = own_names(console.settings.host, console.settings.allow_hosts)
    app.add_middleware(Guard, names=names, stop_port=lambda: console.access.stop_port)
    return app


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": invalid(error)}, 422)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, MotionBaseError)
    return JSONResponse({"detail": str(error)}, status_of(error))


async def _failed(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": f"the console failed with {type(error).__name__}; its log has more"}, 500)


@final
class Server(uvicorn.Server):
    """A uvicorn server without signal handlers; the caller sets `should_exit`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; connections that outlast its grace are aborted, so that none outlives the event loop."""
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # the loop closes them


def new_server(console: Console) -> Server:
    """A server ready to run on a socket."""
    config = uvicorn.Config(
        create_app(console), http=HttpProtocol, ws=WebSocketProtocol, ws_max_size=LARGEST_MESSAGE, lifespan="on",
        ws_per_message_deflate=False, log_config=None, access_log=False, server_header=False, backlog=AT_ONCE,
        timeout_graceful_shutdown=GRACE_S, timeout_keep_alive=IDLE_S,
    )  # fmt: skip
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    return Server(config)


def address_of(made: socket.socket, host: str, token: str) -> str:
    """The address to open; the token comes after #, which browsers do not send."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{made.getsockname()[1]}/#token={token}"


def serve(console: Console, ready: Callable[[str], object]) -> None:
    """Run until a signal, in the main thread; `ready` is called once it serves."""
    settings = console.settings
    made = listening(settings.host, settings.port)
    server = new_server(console)
    with made, StopPost(console, made.getsockname()[1]):
        asyncio.run(_served(server, made, lambda: ready(address_of(made, settings.host, settings.operator_token))))


async def _served(server: Server, made: socket.socket, ready: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, _stop, server)
    task = loop.create_task(server.serve(sockets=[made]))
    while not server.started and not task.done():
        await asyncio.sleep(0.01)
    if server.started:
        await asyncio.to_thread(ready)
    await task


def _stop(server: Server) -> None:
    server.should_exit = True

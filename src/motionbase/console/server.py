"""The server: all routers behind one gate, the WebSocket, the page, and running it to a good end."""

from __future__ import annotations

import asyncio
import errno
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
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from motionbase.console import core
from motionbase.console.access import viewer
from motionbase.console.api import (
    export,
    generators,
    layouts,
    operate,
    parameters,
    recorder,
    recordings,
    replay,
    scene,
    strip,
)
from motionbase.console.api.sentences import invalid, status_of
from motionbase.console.console import VERSION
from motionbase.console.guard import Guard
from motionbase.console.live.hub import Hub
from motionbase.console.pages import add_pages
from motionbase.errors import MotionBaseError, UsageError

if TYPE_CHECKING:
    from motionbase.console.console import Console

ROUTERS = (
    core.router, operate.router, generators.router, parameters.router, recorder.router, strip.router,
    recordings.router, export.router, replay.router, layouts.router, scene.router,
)  # fmt: skip
LARGEST_MESSAGE = 64 * 1024
GRACE_S = 3
MOST_CONNECTIONS = 512  # of 128 pages: a browser keeps one or two of its six open when nothing is asked
IDLE_S, LAST_LOOK_S = 5, 0.1  # after which a connection that says nothing is closed
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def create_app(console: Console) -> FastAPI:
    """The application; the console is started and closed with it."""
    hub = Hub(console)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        console.start()
        await hub.start()
        try:
            yield
        finally:
            await hub.close()
            await asyncio.to_thread(console.close)

    app = FastAPI(
        title="motionbase console", version=VERSION, lifespan=life, openapi_url="/api/openapi.json", docs_url=None,
        redoc_url=None,
    )  # fmt: skip
    app.state.console = console
    for router in ROUTERS:
        app.include_router(router(console), dependencies=[Depends(viewer)])

    @app.websocket("/ws")
    async def stream(websocket: WebSocket) -> None:
        await hub.serve(websocket)

    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(MotionBaseError, _refused)
    app.add_exception_handler(Exception, _failed)
    add_pages(app, console.settings.static)
    app.add_middleware(Guard, host=console.settings.host, allow_hosts=console.settings.allow_hosts)
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
class _Protocol(WebSocketsSansIOProtocol):
    """Lets the session cut a connection that takes nothing any more, which ASGI cannot."""

    async def run_asgi(self) -> None:
        self.scope["state"]["abort"] = self.transport.abort
        await super().run_asgi()


@final
class _Http(H11Protocol):
    """Closes a connection that never asks for anything, as it does with one that has asked before."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(IDLE_S, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        """Look once more first: after a halt of the process, timers run before what has come meanwhile is read."""
        self.timeout_keep_alive_task = self.loop.call_later(LAST_LOOK_S, super().timeout_keep_alive_handler)


@final
class Server(uvicorn.Server):
    """Leaves signals alone: whoever runs it sets `should_exit`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing."""
        yield


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; one sentence where that cannot be."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(address)
            made.listen(128)
        except OSError:
            made.close()
            raise
        return made
    except OSError as error:
        used = error.errno == errno.EADDRINUSE
        hint = "another console may be there; choose another with --port, or 0 for any" if used else "choose another"
        raise UsageError(f"address {host}:{port} cannot be used: {error.strerror or error}; {hint}") from None


def new_server(console: Console) -> Server:
    """Ready to run on a socket."""
    config = uvicorn.Config(
        create_app(console), http=_Http, ws=_Protocol, ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False,
        lifespan="on", log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=GRACE_S,
        limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=IDLE_S,
    )  # fmt: skip
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    return Server(config)


def address_of(made: socket.socket, host: str, token: str) -> str:
    """What a person opens; the token stands behind #, where browsers keep it to themselves."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{made.getsockname()[1]}/#token={token}"


def serve(console: Console, ready: Callable[[str], object]) -> None:
    """Run until a signal; `ready` gets the address once it is served. From the main thread."""
    settings = console.settings
    made = listening(settings.host, settings.port)
    server = new_server(console)
    try:
        asyncio.run(_served(server, made, lambda: ready(address_of(made, settings.host, settings.operator_token))))
    finally:
        made.close()


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

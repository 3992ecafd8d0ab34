"""Sockets of the console: an answer goes out at once, and does not wait for the one before to be acknowledged."""

import asyncio
import socket

from motionbase.console.listening import listening


def test_connections_do_not_wait_as_nagle_would() -> None:
    async def connected() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def take(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening("127.0.0.1", 0) as made:
            server = await asyncio.start_server(take, sock=made)
            _, writer = await asyncio.open_connection(*made.getsockname()[:2])
            number = await asyncio.wait_for(found, 20)
            writer.close()
            server.close()
        return number

    assert asyncio.run(connected()) != 0

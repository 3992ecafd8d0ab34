"""Many viewers of a console in one process, and one that stops reading.

As a program it views until SIGTERM and reports: python -m benchmarks.peers.console_viewers ADDRESS COUNT PLACES
"""

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_sync
from websockets.typing import Subprotocol

from benchmarks.harness import Skip
from benchmarks.peers.console_server import Console

PROTOCOL = Subprotocol("motionbase.1")
SPAN_S, PIXELS = 10, 640
NICE = 10  # real viewers are on other machines: here they yield to everything that is measured
LONGEST_S = 20.0


@dataclass
class Tally:
    """Received frames, and the viewers that received some."""

    frames: int = 0
    served: int = 0
    gone: int = 0


def questions(name: str, places: list[int]) -> tuple[str, str]:
    """The first messages of a page."""
    hello = {"do": "hello", "client": name, "source": "live"}
    return json.dumps(hello), json.dumps({"do": "subscribe", "channels": places, "span": SPAN_S, "pixels": PIXELS})


async def view(address: str, name: str, places: list[int], tally: Tally) -> None:
    """One viewer that receives and acknowledges everything."""
    has_some = False
    with suppress(ConnectionClosed):
        async with connect(address, subprotocols=[PROTOCOL], compression=None, max_size=None) as socket:
            for question in questions(name, places):
                await socket.send(question)
            async for message in socket:
                if isinstance(message, str):
                    continue
                frame = json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])["frame"]
                await socket.send(f'{{"do":"ack","frame":{frame}}}')
                tally.frames += 1
                tally.served += not has_some
                has_some = True
    tally.gone += 1


async def look(address: str, count: int, places: list[int]) -> None:
    """All viewers; prints "ready" when each has received a frame, and JSON at the end."""
    stop, tally = asyncio.Event(), Tally()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    viewers = [asyncio.create_task(view(address, f"viewer{k}", places, tally)) for k in range(count)]
    while tally.served < count and tally.gone == 0:
        await asyncio.sleep(0.01)
    print("ready", flush=True)
    begin, before = time.monotonic(), tally.frames
    await stop.wait()
    rate = (tally.frames - before) / (time.monotonic() - begin) / count
    print(json.dumps({"frames_per_s": rate, "gone": tally.gone}), flush=True)
    for viewer in viewers:
        viewer.cancel()
    await asyncio.gather(*viewers, return_exceptions=True)


def dropped_after(console: Console, places: list[int]) -> float:
    """Time [s] from the last message of a viewer that stops reading until the console drops it."""
    before = console.status()["viewers"]
    with connect_sync(
        console.socket, subprotocols=[PROTOCOL], compression=None, max_queue=1, close_timeout=0.1
    ) as socket:
        for question in questions("silent", places):
            socket.send(question)
        begin = time.monotonic()
        has_come = False
        while time.monotonic() < begin + LONGEST_S:
            there = console.status()["viewers"] > before
            if has_come and not there:
                return time.monotonic() - begin
            has_come = has_come or there
            time.sleep(0.1)
    if not has_come:
        raise Skip("the viewer was never counted")
    return LONGEST_S


if __name__ == "__main__":
    os.nice(NICE)
    asyncio.run(look(sys.argv[1], int(sys.argv[2]), [int(place) for place in sys.argv[3].split(",")]))

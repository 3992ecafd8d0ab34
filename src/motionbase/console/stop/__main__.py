"""Runs the stop post, which needs little more than Python: no NumPy, no machine code, a quarter of the memory."""

import asyncio
import os
import signal

if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # signals of a terminal, which must not end it
        signal.signal(number, signal.SIG_IGN)
    from motionbase.console.stop.post import serve  # imported late: a signal may come meanwhile

    asyncio.run(serve())
    os._exit(0)  # skips waiting; every stop has been requested by now

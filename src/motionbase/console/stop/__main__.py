"""Runs the stop post; it needs little more than Python: no NumPy, no machine code, a quarter of the memory."""

import asyncio
import os
import signal

if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # of a terminal that it does not belong to
        signal.signal(number, signal.SIG_IGN)
    from motionbase.console.stop.post import serve  # takes a while, in which a signal may come

    asyncio.run(serve())
    os._exit(0)  # a stop that is still being waited for has been pressed

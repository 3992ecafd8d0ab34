"""`motionbase shadow`: a law looks on while another one commands a base."""

import math
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from motionbase.errors import UsageError


def shadow(
    live: Annotated[str, typer.Argument(metavar="RING", help="Ring of the base, live or replayed.")] = "motionbase",
    law: Annotated[
        str | None,
        typer.Option(metavar="FILE.py:NAME", help="A control law of your own; without it, that of the platform."),
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Parameters saved by `motionbase tune --save`.")
    ] = None,
    ring: Annotated[str, typer.Option(help="Name of the shadow's own ring.")] = "shadow",
    duration: Annotated[float | None, typer.Option(help="Stop after this many seconds; without it, at Ctrl-C.")] = None,
) -> None:
    """Run a control law on the measurements of a live base without commanding it.

    The law gets what the base measures and the demand that the base follows. What it would do is written into a ring of
    its own, each command beside the one that is really given (channels ..._done), for `motionbase console --ring
    shadow`, `motionbase record --ring shadow` and all other readers. So a new law, or new gains, can be tried on an
    old machine before they move it. The law goes along with the states of the base; where it would have stopped, that
    is said and counted. The base cannot notice any of this.

    Between two records of the base its measurements are interpolated: `motionbase run ... --rate 2000` gives the truest
    picture.

    Example: motionbase shadow --law new_law.py:law

    Example: motionbase shadow motionbase --parameters stiffer.toml
    """
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    from motionbase.executive.shadow import ShadowRun

    run = ShadowRun(live, ring, law, parameters)

    def end(_number: int, _frame: FrameType | None) -> None:
        run.is_over = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    run.run(duration)

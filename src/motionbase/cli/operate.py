"""`motionbase operate`: what an operator asks of a running base, from the command line."""

import sys
import time
from typing import Annotated

import typer

from motionbase.errors import CommandError, RingError, UsageError
from motionbase.record.requests import ACTIONS, ESTOP, SENTENCE, Result, operator_command

SENDER = "motionbase operate"
REACHED = {
    "down": ("DOWN",), "standby": ("STANDBY",), "drive": ("DRIVE",), "settle": ("STANDBY",), "lower": ("DOWN",),
    "off": ("OFF",), "freeze": ("FREEZE",), "abort": ("OFF", "HELD"), "estop": ("OFF", "HELD"),
}  # fmt: skip
SOON_S, PAUSE_S = 0.3, 0.02


def operate(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(ACTIONS)}.")],
    ring: Annotated[str, typer.Option("--ring", metavar="RING", help="Name of the ring.")] = "motionbase",
    wait: Annotated[
        float | None, typer.Option(metavar="S", help="Wait until the base is there, at most so many seconds.")
    ] = None,
) -> None:
    """Ask a running base for a change of state, as the operator's panel does.

    The control law decides: what it cannot do from where it is, or with a fault, is refused and nothing changes. From
    the first request on the automatic operator of a simulation is silent. An emergency stop always works: a base that
    has not begun yet keeps it and does not rise. Nothing here replaces a hardware stop.

    Example: motionbase operate standby --wait 30

    Example: motionbase operate estop
    """
    from motionbase.cli.suggest import unknown
    from motionbase.ring.blocks.commands import CommandSender
    from motionbase.ring.command_words import signed

    if action not in ACTIONS:
        raise unknown("action", action, ACTIONS)
    if wait is not None and not 0 < wait <= 3600:
        raise UsageError(f"--wait is {wait:g} s, it must be above 0 and at most 3600")
    if wait is not None and action not in REACHED:
        raise UsageError(f"--wait: {action} leads to no state; leave it out")
    if action == ESTOP:
        _stop(ring, wait)
        return
    ack = CommandSender(ring, sender=signed(SENDER)).request(operator_command(action))
    if ack.result is not Result.ACCEPTED:
        raise CommandError(f"{action} was refused: {SENTENCE[ack.reason]} (now {_state(ring) or 'unknown'})")
    if wait is None:
        time.sleep(PAUSE_S)  # a few ticks, so that the state told is the one asked for
        print(f"{action}: accepted, now {_state(ring) or 'unknown'}")
        return
    _await(ring, action, wait)


def _stop(ring: str, wait: float | None) -> None:
    """Exit code 1 where the base does not show that it stops: whoever called must use the hardware stop."""
    from motionbase.ring.command_words import signed
    from motionbase.ring.emergency import NoAnswer, Stopper

    is_silent = False
    try:
        text = Stopper(ring).stop(signed(SENDER))
    except NoAnswer as error:
        text, is_silent = str(error), True
    if wait is not None:
        try:
            return _await(ring, "estop", wait)
        except RingError:
            if not is_silent:
                raise
    if not is_silent:
        print(f"estop: {text}")
        return
    print(f"motionbase: estop: {text}", file=sys.stderr)
    raise typer.Exit(1)


def _await(ring: str, action: str, wait: float) -> None:
    end, wanted = time.monotonic() + wait, {name.lower() for name in REACHED[action]}
    state = None
    while time.monotonic() < end:
        state = _state(ring)
        if state in wanted:
            print(f"{action}: done, now {state}")
            return
    raise RingError(f"{action} was accepted, but after {wait:g} s the base is in {state or 'an unknown state'}")


def _state(ring: str) -> str | None:
    """The state in the newest record that comes soon; None if none comes, or the records have no state."""
    from motionbase.record.states import State
    from motionbase.ring.reader import Reader

    reader, end = Reader(ring), time.monotonic() + SOON_S
    while time.monotonic() < end:
        rows = reader.read().rows
        if len(rows):
            place = reader.schema.index.get("state")
            code = None if place is None else float(rows[-1, place])
            return State(int(code)).name.lower() if code in [s.value for s in State] else None
        time.sleep(PAUSE_S)
    return None

"""What people may ask of a ring's writer, by the words they use: one table for the command line and the console."""

from __future__ import annotations

from motionbase.errors import CommandError
from motionbase.ring.blocks.command import Command, Kind

ESTOP = "estop"
ACTIONS = {
    "down": "switch on: down, ready to rise",
    "standby": "rise to neutral, or come back to it",
    "drive": "follow the host, or the generators in maintenance",
    "settle": "back to neutral, generators fade",
    "lower": "go down",
    "off": "switch off, where it is down or held",
    "freeze": "stop and stay",
    "abort": "stop and go down",
    "reset": "clear a fault, and release the emergency stop",
    "host": "take the trajectory from the host",
    "maintenance": "generators about neutral, no host",
    ESTOP: "emergency stop",
}
KINDS = {
    **{name: Kind[name.upper()] for name in ("down", "standby", "drive", "settle", "lower", "off", "freeze", "abort")},
    "reset": Kind.RESET_FAULT,
    "host": Kind.HOST_MODE,
    "maintenance": Kind.MAINTENANCE_MODE,
}
REPLAY_KINDS = {
    "play": Kind.PLAY,
    "pause": Kind.PAUSE,
    "rewind": Kind.REWIND,
    "step": Kind.STEP,
    "seek": Kind.SEEK,
    "speed": Kind.SPEED,
    "loop": Kind.LOOP,
    "loop-off": Kind.LOOP_OFF,
    "stop": Kind.END_REPLAY,
}


def operator_command(action: str) -> Command:
    """The command of an action; the emergency stop has none, it is a latch of its own."""
    if action not in KINDS:
        raise CommandError(f"there is no action {action!r:.40}; actions: {', '.join(KINDS)}")
    return Command(KINDS[action])


def replay_command(action: str, values: tuple[float, ...] = ()) -> Command:
    """The command of an action of a replay, with its numbers."""
    if action not in REPLAY_KINDS:
        raise CommandError(f"there is no action {action!r:.40}; actions: {', '.join(REPLAY_KINDS)}")
    return Command(REPLAY_KINDS[action], values)

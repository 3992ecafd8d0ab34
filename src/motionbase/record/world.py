"""A host's vehicle in its world: channels of a record, and what the devices of a driver say."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, final

from motionbase.record.schema import Channel, Schema
from motionbase.record.vehicle import AXES

NOBODY, SCRIPT, KEYBOARD, GAMEPAD, JOYSTICK = range(5)
HANDS = ("0 nobody", "1 a script", "2 keyboard", "3 gamepad", "4 joystick")

WORLD = (
    Channel("world_t", "s", "time of the world, by which its waves and other craft move", "world"),
    *(Channel(f"world_{x}", "m", f"place of the vehicle's own point along {x} of its world", "world") for x in AXES),
    *(Channel(f"world_q{x}", "-", f"attitude of the vehicle in its world, quaternion {x}", "world") for x in "wxyz"),
    *(Channel(f"world_v{x}", "m/s", f"velocity of that point along {x} of its world", "world") for x in AXES),
    Channel("world_hand", "-", "who steers the vehicle", "world", codes=HANDS),
)  # fmt: skip
"""Of every world, in front of its own: its controls and instruments."""


@cache
def worldly_schema(base: Schema, own: tuple[Channel, ...]) -> Schema:
    """A record that also has the world's channels: those of every world, then its own."""
    return Schema(base.name, (*base.channels, *WORLD, *own))


KEYS = (
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "KeyW", "KeyS", "KeyA", "KeyD", "KeyQ", "KeyE", "KeyR", "KeyF",
    "KeyG", "KeyB", "KeyV", "KeyC", "Space", "ShiftLeft", "PageUp", "PageDown",
)  # fmt: skip
"""Keys that steer, as browsers name them by their place on the keyboard; bit 0 first."""
KEY_PLACES = {name: place for place, name in enumerate(KEYS)}

AXIS_COUNT, BUTTON_COUNT = 8, 24


@final
class Hand(NamedTuple):
    """What one device says.

    Attributes:
        device: KEYBOARD, GAMEPAD or JOYSTICK; NOBODY if nobody steers; SCRIPT if the script is asked for
        axes: -1 to 1; of a gamepad in the order of the browsers' standard layout: left stick to the right and down,
            right stick to the right and down; then how far the left and the right trigger are pressed, 0 to 1
        buttons: bits; of a gamepad in the order of the standard layout
        keys: bits, in the order of KEYS
    """

    device: int = NOBODY
    axes: tuple[float, ...] = (0.0,) * AXIS_COUNT
    buttons: int = 0
    keys: int = 0


LEFT_TRIGGER, RIGHT_TRIGGER = 6, 7  # buttons of the standard layout
TRIGGERS = {LEFT_TRIGGER: 4, RIGHT_TRIGGER: 5}  # and the axes that say how far they are pressed

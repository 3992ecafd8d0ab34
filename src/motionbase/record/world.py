"""A host's vehicle in its world: channels of a record, and the state of a driver's device."""

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
"""Channels of every world; its own follow: controls and instruments."""


@cache
def worldly_schema(base: Schema, own: tuple[Channel, ...]) -> Schema:
    """A record with the channels of every world, then the world's own, after its base's."""
    return Schema(base.name, (*base.channels, *WORLD, *own))


KEYS = (
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "KeyW", "KeyS", "KeyA", "KeyD", "KeyQ", "KeyE", "KeyR", "KeyF",
    "KeyG", "KeyB", "KeyV", "KeyC", "Space", "ShiftLeft", "PageUp", "PageDown",
)  # fmt: skip
"""Keys that steer, by the names that browsers give to positions on the keyboard; bit 0 first."""
KEY_PLACES = {name: place for place, name in enumerate(KEYS)}

AXIS_COUNT, BUTTON_COUNT = 8, 24


@final
class Hand(NamedTuple):
    """State of one device.

    Attributes:
        device: KEYBOARD, GAMEPAD or JOYSTICK; NOBODY if nobody steers; SCRIPT if the script is requested
        axes: -1 to 1; of a gamepad in the order of the browsers' standard layout: left stick to the right and down,
            right stick to the right and down; then the left and the right trigger, 0 to 1
        buttons: bits; of a gamepad in the order of the standard layout
        keys: bits, in the order of KEYS
    """

    device: int = NOBODY
    axes: tuple[float, ...] = (0.0,) * AXIS_COUNT
    buttons: int = 0
    keys: int = 0


LEFT_TRIGGER, RIGHT_TRIGGER = 6, 7  # buttons of the standard layout
TRIGGERS = {LEFT_TRIGGER: 4, RIGHT_TRIGGER: 5}  # and the axes that say how far they are pressed

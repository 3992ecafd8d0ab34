"""State of a page's devices, which steer the vehicle of a world."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from motionbase.console.models.base import Model, OneOf
from motionbase.record.world import (
    AXIS_COUNT,
    BUTTON_COUNT,
    GAMEPAD,
    JOYSTICK,
    KEY_PLACES,
    KEYBOARD,
    KEYS,
    NOBODY,
    SCRIPT,
    Hand,
)

DEVICES = {"nobody": NOBODY, "script": SCRIPT, "keyboard": KEYBOARD, "gamepad": GAMEPAD, "joystick": JOYSTICK}


class DeviceSays(Model):
    """State of a page's device; "nobody" releases the vehicle, "script" hands it to its script.

    `axes`: in the browsers' standard layout of gamepads, then the triggers; `buttons`: bits in that order.
    """

    device: Literal["nobody", "script", "keyboard", "gamepad", "joystick"]
    axes: Annotated[list[Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]], Field(max_length=AXIS_COUNT)] = []
    buttons: int = Field(default=0, ge=0, lt=1 << BUTTON_COUNT)
    keys: Annotated[list[Annotated[str, OneOf(KEYS)]], Field(max_length=len(KEYS))] = []

    @property
    def hand(self) -> Hand:
        """For the world."""
        axes = (*self.axes, *(0.0,) * (AXIS_COUNT - len(self.axes)))
        keys = sum(1 << KEY_PLACES[key] for key in set(self.keys))
        return Hand(DEVICES[self.device], axes, self.buttons, keys)


class Steered(Model):
    """Whether a page's devices reach the vehicle. `why_not`: one sentence, "" if they do."""

    kind: Literal["steered"] = "steered"
    why_not: str

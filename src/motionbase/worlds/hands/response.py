"""Response of axes: rest position, dead zone and curve; and what a device asks of a control."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, final

from motionbase.record.world import GAMEPAD, JOYSTICK, KEY_PLACES, KEYBOARD, TRIGGERS, Hand
from motionbase.worlds.world import Control


@final
class Response(NamedTuple):
    """Dead zone and curve for the axes of a kind of device.

    Attributes:
        dead: share of an axis's travel about its rest that has no effect
        expo: 0 for a straight line, up to 1 for a cubic, which is less sensitive near rest; both reach the same end
    """

    dead: float
    expo: float

    def __call__(self, share: float) -> float:
        """The effective position, -1 to 1, of an axis at a share of its travel, -1 to 1."""
        way = abs(share)
        if way <= self.dead:
            return 0.0
        x = min(1.0, (way - self.dead) / (1.0 - self.dead))
        y = x * (1.0 - self.expo + self.expo * x * x)
        return y if share > 0.0 else -y


RESPONSES = {GAMEPAD: Response(0.12, 0.4), JOYSTICK: Response(0.03, 0.2)}
"""Sticks of gamepads are short and do not return to their middle exactly; those of joysticks are long."""

TRIGGER = Response(0.04, 0.0)


@final
class Way(Enum):
    """How a device moves a control: it sets its speed, its position, or its position once a lever has been moved."""

    PUSHED, PLACED, LEVER = range(3)


def rest_of(value: float) -> float:
    """Rest position of an axis from its first reading: in the middle, as sticks have it, or at an end, as pedals do."""
    return float(max(-1, min(1, round(value))))


def pressed_share(value: float, rest: float) -> float:
    """How far a pedal is pressed, 0 to 1, whose axis rests at an end."""
    return (value - rest) / 2.0 if rest < 0.0 else (rest - value) / 2.0


@final
class Asked(NamedTuple):
    """What a device asks of a control.

    Attributes:
        way: how
        share: -1 for its least, or full speed towards it; 1 for its most
    """

    way: Way
    share: float


def asked(control: Control, hand: Hand, rests: Sequence[float]) -> Asked:
    """What a device asks of a control, given the rest positions of its axes.

    Keys and buttons push. Sticks of a gamepad place a control that springs back, and push one that stays; axes of a
    joystick place both, because its lever stays as well.
    """
    push = _pushed(control, hand)
    if push:
        return Asked(Way.PUSHED, push)
    if hand.device == KEYBOARD:
        return Asked(Way.PUSHED, 0.0)
    share = _trigger(control.buttons[1], hand) - _trigger(control.buttons[0], hand)
    if not share and control.axis is not None:
        share = _axis(control, hand, rests)
    if hand.device == JOYSTICK and control.axis is not None and not control.springs:
        return Asked(Way.LEVER, share)
    return Asked(Way.PLACED if control.springs and has_way(control) else Way.PUSHED, share)


def has_way(control: Control) -> bool:
    """Whether a stick or trigger of a gamepad moves it."""
    return control.axis is not None or any(button in TRIGGERS for button in control.buttons)


def _axis(control: Control, hand: Hand, rests: Sequence[float]) -> float:
    assert control.axis is not None
    value, rest = hand.axes[control.axis], rests[control.axis]
    turned = -value if control.turned else value
    if hand.device == JOYSTICK and not control.springs:
        return turned  # a lever
    return RESPONSES[hand.device](turned if rest == 0.0 else pressed_share(value, rest))


def _pushed(control: Control, hand: Hand) -> float:
    """By keys, and by buttons that are not triggers: -1, 0 or 1."""
    down, up = (
        (key is not None and hand.keys >> KEY_PLACES[key] & 1)
        or (button is not None and not _is_trigger(button, hand) and hand.buttons >> button & 1)
        for key, button in zip(control.keys, control.buttons, strict=True)
    )
    return float(bool(up) - bool(down))


def _trigger(button: int | None, hand: Hand) -> float:
    return TRIGGER(hand.axes[TRIGGERS[button]]) if button is not None and _is_trigger(button, hand) else 0.0


def _is_trigger(button: int, hand: Hand) -> bool:
    """Whether a button also reports how far it is pressed."""
    return hand.device == GAMEPAD and button in TRIGGERS and hand.axes[TRIGGERS[button]] > 0.0

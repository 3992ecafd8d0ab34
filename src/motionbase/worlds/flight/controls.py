"""The pilot's controls. Positive is: nose up, roll to the right, nose to the left."""

from __future__ import annotations

from typing import NamedTuple, final

from motionbase.record.schema import Channel
from motionbase.worlds.world import Control


@final
class Surfaces(NamedTuple):
    """Positions of the controls, in the order of `controls_at`."""

    elevator: float = 0.0
    aileron: float = 0.0
    rudder: float = 0.0
    throttle: float = 0.0
    flaps: float = 0.0
    brakes: float = 0.0
    gear: float = 1.0
    trim: float = 0.0


def controls_at(rest: Surfaces) -> tuple[Control, ...]:
    """The controls, with their positions while nobody touches them.

    Spring-centred controls rest in the middle; what a trimmed start needs is added to them by the world.
    """
    return (
        Control("elevator", "elevator: pull lifts the nose", keys=("ArrowUp", "ArrowDown"), axis=1, seconds=1.6),
        Control("aileron", "ailerons: roll to the right", keys=("ArrowLeft", "ArrowRight"), axis=0, seconds=1.2),
        Control("rudder", "rudder: nose to the left", keys=("KeyE", "KeyQ"), axis=2, turned=True, seconds=1.6),
        Control("throttle", "throttle", 0.0, 1.0, rest.throttle, ("KeyS", "KeyW"), 3, True, springs=False, seconds=2.5),
        Control("flaps", "flaps: out is down", 0.0, 1.0, rest.flaps, ("KeyR", "KeyF"), buttons=(4, 5), springs=False,
                seconds=3.0),
        Control("brakes", "wheel brakes", 0.0, 1.0, 0.0, (None, "Space"), buttons=(None, 7), seconds=0.8),
        Control("gear", "landing gear: up and down", 0.0, 1.0, rest.gear, ("KeyG", "KeyB"), buttons=(3, 0),
                springs=False, seconds=0.4),
        Control("trim", "trim: nose up", -1.0, 1.0, rest.trim, ("PageUp", "PageDown"), buttons=(12, 13), springs=False,
                seconds=12.0),
    )  # fmt: skip


CONTROL_CHANNELS = tuple(
    Channel(f"control_{name}", "-", text, "controls")
    for name, text in (
        ("elevator", "elevator control, 1 pulled: nose up"), ("aileron", "aileron control, 1 roll to the right"),
        ("rudder", "rudder pedals, 1 nose to the left"), ("throttle", "throttle, 1 full"),
        ("flaps", "flaps, 1 all out"),
        ("brakes", "wheel brakes, 1 full"), ("gear", "landing gear, 1 down"), ("trim", "pitch trim, 1 nose up"),
    )
)  # fmt: skip

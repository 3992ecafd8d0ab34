"""Parts of a scene that all worlds share; see docs/worlds.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from motionbase.worlds.world import Control

AXES = ("left stick", "left stick", "right stick", "right stick", "left trigger", "right trigger")


def shown_controls(controls: Sequence[Control]) -> list[dict[str, Any]]:
    """The controls with what moves them, for the page's help and its stick on the screen."""
    return [
        {
            "name": c.name,
            "label": c.text,
            "channel": f"control_{c.name}",
            "least": c.least,
            "most": c.most,
            "rest": c.rest,
            "springs": c.springs,
            "keys": list(c.keys),
            "gamepad": AXES[c.axis] if c.axis is not None and c.axis < len(AXES) else "",
            "axis": c.axis,
            "turned": c.turned,
            "buttons": list(c.buttons),
        }
        for c in controls
    ]

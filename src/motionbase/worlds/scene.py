"""Parts of scenes that all worlds have; docs/worlds.md describes a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from motionbase.worlds.world import Control

AXES = ("left stick", "left stick", "right stick", "right stick", "left trigger", "right trigger")


def shown_controls(controls: Sequence[Control]) -> list[dict[str, Any]]:
    """What moves the controls, for the page's help."""
    return [
        {
            "name": c.name,
            "label": c.text,
            "channel": f"control_{c.name}",
            "least": c.least,
            "most": c.most,
            "keys": [key for key in c.keys if key is not None],
            "gamepad": AXES[c.axis] if c.axis is not None and c.axis < len(AXES) else "",
        }
        for c in controls
    ]

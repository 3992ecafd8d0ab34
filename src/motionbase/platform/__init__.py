"""Platforms on six legs: geometry and parameters as data, presets, kinematics."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["Hexapod", "PRESETS", "load_platform"]

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.platform.load import PRESETS, load_platform
else:
    __getattr__, __dir__ = lazily(__name__, {"hexapod": ("Hexapod",), "load": ("PRESETS", "load_platform")})

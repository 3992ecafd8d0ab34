"""Stage: the control law of a motion base, from states and trajectories to valve commands; its page is control.md."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["ControlLaw", "OwnLaw"]

if TYPE_CHECKING:
    from motionbase.control.law import ControlLaw
    from motionbase.control.own_law import OwnLaw
else:
    __getattr__, __dir__ = lazily(__name__, {"law": ("ControlLaw",), "own_law": ("OwnLaw",)})

"""Recordings: write, read, export, split, replay."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["Recording", "open_recording"]

if TYPE_CHECKING:
    from motionbase.recording.open import open_recording
    from motionbase.recording.recording import Recording
else:
    __getattr__, __dir__ = lazily(__name__, {"open": ("open_recording",), "recording": ("Recording",)})

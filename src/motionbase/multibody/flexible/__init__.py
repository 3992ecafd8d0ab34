"""Flexible bodies by assumed modes: modal data, built-in beams, imported data."""

from motionbase.multibody.flexible.modes import ModalPoint, Modes

__all__ = ["ModalPoint", "Modes"]

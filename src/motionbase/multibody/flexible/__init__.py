"""Flexible bodies by assumed modes: modal data, built-in beams, component modes of finite elements, files."""

from motionbase.multibody.flexible.beams import beam
from motionbase.multibody.flexible.craig_bampton import craig_bampton
from motionbase.multibody.flexible.finite_elements import FiniteElements
from motionbase.multibody.flexible.imported import load_finite_elements, load_modes, save_modes
from motionbase.multibody.flexible.modes import ModalPoint, Modes

__all__ = [
    "FiniteElements",
    "ModalPoint",
    "Modes",
    "beam",
    "craig_bampton",
    "load_finite_elements",
    "load_modes",
    "save_modes",
]

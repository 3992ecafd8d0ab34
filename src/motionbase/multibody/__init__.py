"""Multibody systems: one model description, solved in minimal coordinates (tree) and, later, in redundant ones."""

from motionbase.multibody.body import Body
from motionbase.multibody.joint import Joint
from motionbase.multibody.model import GROUND, Model

__all__ = ["GROUND", "Body", "Joint", "Model"]

"""The two floating-point modes."""

from enum import Enum


class Mode(Enum):
    """Strict: the same bits everywhere. Fast: contraction and reassociation are allowed."""

    STRICT = "strict"
    FAST = "fast"

"""Our own sin, exp, pow and the rest: written once over basic operations, so that every target gives the same bits."""

from motionbase.compile.maths import (  # noqa: F401  (these register)
    error_function,
    euclidean,
    exponential,
    hyperbolic,
    inverse_trigonometric,
    trigonometric,
)
from motionbase.compile.maths.registry import MATHS, MathsFunction

__all__ = ["MATHS", "MathsFunction"]

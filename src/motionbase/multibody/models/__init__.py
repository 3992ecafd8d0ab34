"""Built-in models, each with its source, its assumptions, and a mark if numbers are illustrative."""

from motionbase.multibody.models import (
    benchmarks,
    classics,
    comau,
    flexible_arm,
    gimbal,
    handoff,
    loops,
    manipulators,
    mechanisms,
    puma560,
    robot,
    rotating_beam,
    squeezer,
)
from motionbase.multibody.models.example import Example

MODELS: dict[str, Example] = {
    example.name: example
    for module in (
        classics,
        mechanisms,
        loops,
        squeezer,
        gimbal,
        rotating_beam,
        manipulators,
        flexible_arm,
        handoff,
        puma560,
        comau,
        benchmarks,
        robot,
    )  # fmt: skip
    for example in module.EXAMPLES
}

__all__ = ["MODELS", "Example"]

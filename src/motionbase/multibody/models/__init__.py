"""Built-in models, each with its source, its assumptions, and a mark if numbers are illustrative."""

from motionbase.multibody.models import (
    benchmarks,
    classics,
    flexible_arm,
    gimbal,
    handoff,
    manipulators,
    mechanisms,
    robot,
)
from motionbase.multibody.models.example import Example

MODELS: dict[str, Example] = {
    example.name: example
    for module in (classics, mechanisms, gimbal, manipulators, flexible_arm, handoff, benchmarks, robot)
    for example in module.EXAMPLES
}

__all__ = ["MODELS", "Example"]

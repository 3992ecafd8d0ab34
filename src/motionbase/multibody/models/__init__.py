"""Built-in models, each with its source, its assumptions, and a mark where numbers are illustrative."""

from motionbase.multibody.models import benchmarks, classics, flexible_arm, handoff, manipulators, mechanisms
from motionbase.multibody.models.example import Example

MODELS: dict[str, Example] = {
    example.name: example
    for module in (classics, mechanisms, manipulators, flexible_arm, handoff, benchmarks)
    for example in module.EXAMPLES
}

__all__ = ["MODELS", "Example"]

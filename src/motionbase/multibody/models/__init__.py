"""Built-in models, each with its source, its assumptions, and a mark where numbers are illustrative."""

from motionbase.multibody.models import benchmarks, classics, manipulators, mechanisms
from motionbase.multibody.models.example import Example

MODELS: dict[str, Example] = {
    example.name: example for module in (classics, mechanisms, manipulators, benchmarks) for example in module.EXAMPLES
}

__all__ = ["MODELS", "Example"]

"""Maths functions by name, each written once over basic operations and traced when first used."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

from motionbase.compile.block import Block, Builder, Value


@final
@dataclass(frozen=True)
class MathsFunction:
    """A function of doubles: its arity, its accuracy and the Python function that builds its block.

    Attributes:
        ulp: largest error in units in the last place over the documented range
    """

    name: str
    arity: int
    ulp: float
    build: Callable[..., Value]

    @cached_property
    def block(self) -> Block:
        """The function's instructions."""
        builder = Builder()
        return builder.block(self.build(*(builder.argument(k) for k in range(self.arity))))


MATHS: dict[str, MathsFunction] = {}


def maths(arity: int, ulp: float) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a function of `arity` values under its own name, accurate to `ulp`."""

    def register(build: Callable[..., Value]) -> Callable[..., Value]:
        MATHS[build.__name__] = MathsFunction(build.__name__, arity, ulp, build)
        return build

    return register

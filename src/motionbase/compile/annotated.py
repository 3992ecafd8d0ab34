"""Kernels and programs from annotated functions: `@kernel` and `@program`.

    Metres = Annotated[SX, q("m")]

    @program
    def moved(x: Platform, h: Annotated[SX, q("s", text="step")]) -> tuple[Platform, Annotated[SX, q("N", 6), "f"]]:
        ...

A parameter is a struct or an annotated expression. A result is a struct, named after the parameter of the same type
plus `_next`, or after its own type; or an expression whose annotation ends with its name. A decorated method gives each
object its own unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from motionbase.compile.kernels import Kernel
from motionbase.compile.port import Port
from motionbase.compile.programs import Program
from motionbase.compile.struct import Spec, Struct
from motionbase.errors import KernelError

Kind = type[Kernel] | type[Program]


class Authored:
    """A method that is a separate kernel or program for each object."""

    def __init__(self, function: Callable[..., Any], kind: Kind) -> None:
        self.function, self.kind = function, kind
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            return self
        known = instance.__dict__
        if self.name not in known:
            known[self.name] = _made(self.function, self.kind, self.function.__get__(instance))
        return known[self.name]


def kernel(function: Callable[..., Any]) -> Any:
    """A leaf kernel; its calls are inlined."""
    return _decorated(function, Kernel)


def program(function: Callable[..., Any]) -> Any:
    """A program; its calls stay calls."""
    return _decorated(function, Program)


def _decorated(function: Callable[..., Any], kind: Kind) -> Any:
    if next(iter(function.__code__.co_varnames[: function.__code__.co_argcount]), "") == "self":
        return Authored(function, kind)
    return _made(function, kind, function)


def _made(function: Callable[..., Any], kind: Kind, expr: Callable[..., Any]) -> Kernel | Program:
    hints = get_type_hints(function, include_extras=True)
    owner = f"{kind.__name__.lower()} {function.__name__!r}"
    result = hints.pop("return", None)
    if result is None:
        raise KernelError(f"{owner}: the result has no annotation")
    inputs = tuple(_port(owner, name, hint) for name, hint in hints.items())
    results = get_args(result) if get_origin(result) is tuple else (result,)
    outputs = tuple(_output(owner, function.__name__, hint, inputs, len(results)) for hint in results)
    text = (function.__doc__ or "").strip().partition("\n")[0]
    return kind(function.__name__, inputs, outputs, expr, text)


def _port(owner: str, name: str, hint: Any) -> Port:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return hint.port(name)
    for extra in getattr(hint, "__metadata__", ()):
        if isinstance(extra, Spec):
            return extra.named(name)
    raise KernelError(f"{owner}: {name!r} is annotated {hint!r}; a struct or Annotated[SX, q(...)] is wanted")


def _output(owner: str, function: str, hint: Any, inputs: tuple[Port, ...], count: int) -> Port:
    if isinstance(hint, type) and issubclass(hint, Struct):
        before = next((p for p in inputs if p.struct is hint), None)
        return hint.port(f"{before.name}_next" if before else re.sub(r"(?<!^)([A-Z])", r"_\1", hint.__name__).lower())
    names = [extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, str)]
    if not names and count > 1:
        raise KernelError(f"{owner}: a result has no name; Annotated[SX, q(...), 'name'] gives it one")
    return _port(owner, names[0] if names else function, hint)


__all__ = ["Annotated", "Authored", "kernel", "program"]

"""A user's function, run while tracing: an exception becomes one sentence with its line and a suggestion."""

import inspect
import os
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from motionbase.errors import KernelError, MotionBaseError

# library code that a user's function calls
_LIBRARIES = tuple(os.path.dirname(path) + os.sep for path in (__file__, ca.__file__, np.__file__))
_CURES = (  # part of a message, and the suggestion for it
    ("truth value", "a symbol has no truth value while tracing; use ca.if_else, ca.fmin, ca.fmax or ca.logic_and"),
    ("interpreted as an integer", "a symbol is not a number while tracing; loops and indices need whole numbers"),
    ("to_int not defined", "a symbol is not a number while tracing; loops and indices need whole numbers"),
    ("passed to a numpy function", "use CasADi's functions, such as ca.sin, on symbols"),
    ("numeric matrix", "use CasADi's functions, such as ca.sin or ca.vertcat, on symbols"),
)


def run_authored(owner: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call the function; an exception that is not a MotionBaseError becomes one, with owner, file and line."""
    try:
        return function(*arguments)
    except MotionBaseError:
        raise
    except Exception as error:
        text = str(error).strip()
        said = f"{type(error).__name__}: {_brief(text)}" if text else type(error).__name__
        cure = next((f"; {cure}" for part, cure in _CURES if part in text), "")
        raise KernelError(f"{owner}: {said} ({_place(error, function)}){cure}") from error


def run_law(owner: str, function: Callable[..., Any], wanted: str, *arguments: Any) -> Any:
    """Call a function that must take these arguments; `wanted` describes them: "length [m] and rate [m/s]"."""
    check_takes(owner, function, wanted, len(arguments))
    return run_authored(owner, function, *arguments)


def check_takes(owner: str, function: Callable[..., Any], wanted: str, count: int) -> None:
    """Check the number of arguments of a function; for functions that are called often, done once."""
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):  # a function without a signature: the call itself will fail
        return
    try:
        takes.bind(*range(count))
    except TypeError:
        has = f"takes {takes}" if takes.parameters else "takes no arguments"
        place = _place(TypeError(), function)
        raise KernelError(f"{owner} {has}, it is called with {wanted} ({place})") from None


def _brief(text: str) -> str:
    """The first line, without CasADi's source location; the second line for a failed assertion."""
    first, _, rest = text.partition("\n")
    if first.endswith("failed:"):
        first = rest.partition("\n")[0]
    return first.rpartition(".cpp:")[2].partition(": ")[2] if ".cpp:" in first else first


def _place(error: Exception, function: Callable[..., Any]) -> str:
    """File and line of the innermost frame in user code, or of the function itself if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith(_LIBRARIES):
            return f"{shown(frame.filename)}:{frame.lineno}"
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{shown(code.co_filename)}:{code.co_firstlineno}" if code else repr(function)


def shown(file: str) -> str:
    """A file's path, relative to the current folder if it is inside it."""
    return os.path.relpath(file) if file.startswith(os.getcwd() + os.sep) else file


def check_order(owner: str, function: Callable[..., Any], names: Sequence[str]) -> None:
    """Refuse parameters named like the ports but in another order: arguments are passed by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function without a signature
        return
    found = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if found != list(names) and sorted(found) == sorted(names):
        raise KernelError(
            f"{owner}: the expression takes {', '.join(found)}, but the ports come in the order {', '.join(names)}"
        )

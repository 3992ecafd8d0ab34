"""A user's control law by FILE.py:NAME; an exception in the file becomes one sentence with its line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from motionbase.compile.reference import is_unit, module_of
from motionbase.control.own_law import OwnLaw
from motionbase.errors import MotionBaseError, UsageError, unknown
from motionbase.platform.hexapod import Hexapod

Result = TypeVar("Result")


def load_law(reference: str, hexapod: Hexapod) -> OwnLaw:
    """The `OwnLaw` of that name, or the result of a function of that name for the platform; it has been traced."""
    where, _, name = reference.rpartition(":")
    if not (where.endswith(".py") and name.isidentifier()):
        raise UsageError(f"--law {reference!r}: it must be FILE.py:NAME")
    module = _guarded(where, lambda: module_of(where))
    if not hasattr(module, name):
        there = [n for n, v in vars(module).items() if isinstance(v, OwnLaw) or _is_own(v, where)]
        raise unknown(f"law in {where}", name, there, "laws and functions there")
    value: Any = getattr(module, name)
    made = _guarded(where, lambda: value(hexapod), value) if _is_function(value) else value
    if not isinstance(made, OwnLaw):
        kind = f"{'is' if made is value else 'returns'} {type(made).__name__}"
        wrap = (
            ": OwnLaw(it, parameters, state)" if is_unit(made) else ", or a function of the platform that returns one"
        )
        raise UsageError(f"{name!r} in {where} {kind}, an OwnLaw is wanted{wrap}")
    _guarded(where, lambda: made.program.routine.callees(), value)  # runs all of the user's code
    return made


def _is_function(value: Any) -> bool:
    return callable(value) and hasattr(value, "__code__")


def _is_own(value: Any, where: str) -> bool:
    """Whether it is a function defined in that file."""
    return _is_function(value) and Path(value.__code__.co_filename) == Path(where).resolve()


def _guarded(where: str, run: Callable[[], Result], function: Any = None) -> Result:
    """Run a user's code; an exception becomes one sentence with the file, and its last line there if there is one.

    Args:
        function: its first line is named if the error is not from a line of the file
    """
    try:
        return run()
    except Exception as raised:
        error = raised.__cause__ if isinstance(raised, UsageError) and raised.__cause__ is not None else raised
        if isinstance(raised, UsageError) and error is raised:
            raise  # about the call itself, such as a missing file
        what = str(error) if isinstance(error, MotionBaseError) else f"{type(error).__name__}: {error}"
        if isinstance(error, SyntaxError):
            what = f"SyntaxError: {error.msg}"
        path = str(Path(where).resolve())
        if f"{path}:" in what:  # a kernel's message already names the line of its expression
            raise UsageError(what) from error
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        if isinstance(error, SyntaxError) and error.filename == path:
            lines.append(error.lineno)
        elif not lines and (code := getattr(function, "__code__", None)) is not None:
            lines.append(code.co_firstlineno)
        raise UsageError(f"{where}, line {lines[-1]}: {what}" if lines else f"{where}: {what}") from error

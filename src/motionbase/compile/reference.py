"""References to users' kernels and programs: a file or module, and a name."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from motionbase.errors import MotionBaseError, UsageError, unknown

if TYPE_CHECKING:
    from motionbase.compile import Unit

Result = TypeVar("Result")
_NEEDED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
FORMS = "path/to/file.py:NAME, package.module:NAME, or a short name"


def load(reference: str) -> Unit:
    """The kernel, program or primitive at "path/to/file.py:NAME" or "package.module:NAME"."""
    where, _, name = reference.rpartition(":")
    if not where or not name:
        raise UsageError(f"REF {reference!r}: it must be {FORMS}")
    module = module_of(where)
    if not hasattr(module, name):
        raise unknown(f"kernel or program of {where}", name, units_of(module), "kernels and programs there")
    return _unit(where, name, getattr(module, name), module)


def units_of(module: ModuleType) -> list[str]:
    """Names in a module that refer to units."""
    return [name for name, value in vars(module).items() if is_unit(value) and not name.startswith("_")]


def is_unit(value: object) -> bool:
    """Whether a value is a kernel, program or primitive."""
    from motionbase.compile import Kernel, Primitive, Program

    return isinstance(value, (Kernel, Primitive, Program))


def _unit(where: str, name: str, value: Any, module: ModuleType) -> Unit:
    """The value itself, or its result if it is a function without arguments."""
    made = value
    if not is_unit(value) and inspect.isfunction(value):
        if any(p.default is p.empty and p.kind in _NEEDED for p in inspect.signature(value).parameters.values()):
            raise UsageError(f"{name!r} in {where} is a function with arguments; only one without can be used")
        made = guarded(f"{where}:{name}()", value)
    if not is_unit(made):
        there = ", ".join(units_of(module)) or "nothing that could be used"
        what = f"is {type(value).__name__}" if made is value else f"returns {type(made).__name__}"
        raise UsageError(f"{name!r} in {where} {what}, not a kernel, program or primitive; there are: {there}")
    unit: Unit = made
    return unit


def module_of(where: str) -> ModuleType:
    """The module at a path or with a name; an exception in it becomes one sentence."""
    if where.endswith(".py") or os.sep in where:
        path = Path(where)
        if not path.is_file():
            folder = path.parent
            if not folder.is_dir():
                raise UsageError(f"no file {where!r}; the folder {str(folder)!r} does not exist")
            files = sorted(p.name for p in folder.glob("*.py"))
            raise unknown(f"file in {folder}", path.name, files, "Python files there")
        return guarded(where, lambda: _from_file(path))
    sys.path.insert(0, os.getcwd())  # as `python -m` does; our launcher removes the folder
    try:
        found = importlib.util.find_spec(where)
    except (ModuleNotFoundError, ValueError):
        found = None
    if found is None:
        raise UsageError(
            f"no module {where!r}; give package.module:NAME of an installed package or path/to/file.py:NAME"
        )
    return guarded(where, lambda: importlib.import_module(where))


def _from_file(path: Path) -> ModuleType:
    """A module from a file of any name; it can import files in the same folder."""
    sys.path.insert(0, str(path.resolve().parent))
    name = f"motionbase_ref_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def guarded(what: str, run: Callable[[], Result]) -> Result:
    """Run user code; an exception becomes one sentence with its line."""
    try:
        return run()
    except MotionBaseError:
        raise
    except Exception as e:
        frame = traceback.extract_tb(e.__traceback__)[-1]
        line = getattr(e, "lineno", None) or frame.lineno
        file = getattr(e, "filename", None) or frame.filename
        raise UsageError(f"{what} cannot be used: {type(e).__name__}: {e} ({file}, line {line})") from e

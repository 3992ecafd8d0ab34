"""The `c` target on this machine: compiles the generated C with the available compiler and calls it."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from motionbase.compile.programs import Unit
from motionbase.compile.render.c import render
from motionbase.compile.stack import check_stack
from motionbase.errors import CompilerRefused, TargetUnavailable
from motionbase.interpreter import python

USER_FLAGS = ("-std=c99", "-O2", "-ffp-contract=off")  # warnings of other compilers must not cause failures
STRICT_FLAGS = (*USER_FLAGS, "-Wall", "-Wextra", "-Werror", "-pedantic")  # for tests of the generated code


def find_compiler() -> list[str]:
    """The command of a C compiler: $CC, cc, gcc, clang, or zig's clang from PyPI."""
    if chosen := os.environ.get("CC"):
        return chosen.split()
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    if importlib.util.find_spec("ziglang"):
        return [*python("-m", "ziglang", "cc")]
    raise TargetUnavailable("target 'c': no C compiler; install gcc or clang, or `pip install ziglang`")


def compile_source(unit: Unit, folder: Path, command: Sequence[str], flags: Sequence[str] = USER_FLAGS) -> Path:
    """Write the unit's C files into a folder and compile them to a shared library."""
    source = render(unit)
    (folder / f"{unit.name}.h").write_text(source.header, encoding="utf-8")
    (folder / f"{unit.name}.c").write_text(source.source, encoding="utf-8")
    library = folder / f"{unit.name}.so"
    line = [*command, *flags, "-shared", "-fPIC", str(folder / f"{unit.name}.c"), "-o", str(library), "-lm"]
    try:
        done = subprocess.run(line, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        raise TargetUnavailable(f"target 'c': cannot run {command[0]!r}: {error.strerror}; is $CC right?") from None
    if done.returncode:
        raise CompilerRefused(f"target 'c': {command[0]} refused {unit.name}.c: {done.stderr.strip()[:2000]}")
    return library


def native(unit: Unit, command: Sequence[str] | None = None, flags: Sequence[str] = USER_FLAGS) -> Callable[..., Any]:
    """A function of addresses; the files are deleted once the library is loaded."""
    check_stack(unit.routine, 1)
    with tempfile.TemporaryDirectory(prefix="motionbase-c-") as name:
        library = ctypes.CDLL(str(compile_source(unit, Path(name), command or find_compiler(), flags)))
    function = library[unit.name]
    function.restype = None
    function.argtypes = [ctypes.c_void_p] * len(unit.routine.arguments)
    return function

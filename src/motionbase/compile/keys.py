"""Keys of objects: the content, the options, and the compiler that made them."""

from functools import cache
from pathlib import Path

from motionbase.native import jit
from motionbase.native.cache import source_digest


@cache
def compiler_digest() -> str:
    """Of this compiler's own source and of CasADi: a changed compiler never finds old objects."""
    return source_digest(Path(__file__).parent, "casadi")


def code_key(digest: str, options: str) -> str:
    """The key under which compiled code is kept."""
    return jit.object_key(digest, f"{options} {compiler_digest()}")

"""Cache keys of object code: content, options, and the compiler version."""

from functools import cache
from pathlib import Path

from motionbase.native import jit
from motionbase.native.cache import source_digest


@cache
def compiler_digest() -> str:
    """Digest of this compiler's source and of CasADi, so that a changed compiler never finds old objects."""
    return source_digest(Path(__file__).parent, "casadi")


def code_key(digest: str, options: str) -> str:
    """The cache key of compiled code."""
    return jit.object_key(digest, f"{options} {compiler_digest()}")

"""Names of a package that are imported on first use (PEP 562), so that importing the package itself is fast."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec


def lazily(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package; its submodules are found as well.

    Type checkers and editors do not follow this, so the package imports the same names under TYPE_CHECKING.

    Args:
        homes: module below the package -> names that it provides
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def found(name: str) -> object:
        if name in home_of:
            value = getattr(import_module(f"{package}.{home_of[name]}"), name)
            setattr(sys.modules[package], name, value)
            return value
        if not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
            return import_module(f"{package}.{name}")
        message = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[package])

    return found, lambda: sorted({*vars(sys.modules[package]), *home_of})

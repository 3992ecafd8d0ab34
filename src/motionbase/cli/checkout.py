"""Finding the source checkout: tests, benchmarks and examples are there and not in the installed package."""

from pathlib import Path

import motionbase
from motionbase.errors import UsageError


def find() -> Path | None:
    """The checkout this package runs from, else the one around the current folder."""
    for start in (Path(motionbase.__file__).resolve().parent, Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / "pyproject.toml").is_file() and (folder / "src" / "motionbase").is_dir():
                return folder
    return None


def require(purpose: str) -> Path:
    """The checkout, or one sentence saying that `purpose` needs it."""
    if (root := find()) is None:
        raise UsageError(f"{purpose} are only in a source checkout of motionbase; call this inside one")
    return root

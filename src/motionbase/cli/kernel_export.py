"""Writing generated C and CUDA files, without overwriting what somebody else wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.compile import Unit


def texts(unit: Unit, target: str) -> dict[str, str]:
    """File names and contents."""
    from motionbase.compile.render import c, cuda

    if target == "cuda":
        return {f"{unit.name}.cu": cuda.render(unit)}
    made = c.render(unit)
    return {f"{unit.name}.h": made.header, f"{unit.name}.c": made.source}


def export(unit: Unit, target: str, folder: Path, force: bool) -> None:
    """Write the files and tell how to compile them."""
    files = {folder / name: text for name, text in texts(unit, target).items()}
    for path, text in files.items():
        if path.exists() and not force and path.read_bytes() != text.encode():
            raise UsageError(f"{path} exists with other contents; --force overwrites it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise UsageError(f"cannot write to {folder}: {e.strerror}") from e
    for path, text in files.items():
        print(f"wrote {path} ({len(text.splitlines())} lines)")
    print(f"compile with: {command(unit, target, folder)}")


def command(unit: Unit, target: str, folder: Path) -> str:
    """A compiler call that keeps the bits of strict mode."""
    from motionbase.compile.render import cuda

    if target == "cuda":
        return f"nvcc {' '.join(cuda.OPTIONS[False])} -c {folder / unit.name}.cu"
    return f"cc -std=c99 -O2 -ffp-contract=off -c {folder / unit.name}.c   (link with -lm)"

"""Who may import whom: the table below is the rule, for the packages that exist and for those still to come."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src" / "motionbase"

# Libraries, each may use those before it.
LIBRARIES = ("record", "native", "report", "compile", "spatial", "multibody", "actuators", "platform", "rotor")
# Stages of the pipeline use the libraries, never each other; only `system` composes them.
STAGES = ("plant", "control", "cueing", "host", "worlds", "rig")

MAY_IMPORT: dict[str, set[str]] = {
    **{name: set(LIBRARIES[:i]) for i, name in enumerate(LIBRARIES)},
    "native": set(),
    "report": set(),
    **{name: set(LIBRARIES) for name in STAGES},
    "system": {*LIBRARIES, *STAGES},
    "ring": {"native", "record"},
    "executive": {*LIBRARIES, *STAGES, "system", "ring", "recording"},
    "campaign": {*LIBRARIES, "system"},
    "recording": {"native", "record", "ring"},
    "workbench": {*LIBRARIES, "ring", "recording"},
    "identify": {*LIBRARIES, "recording"},
    # shows platforms and recordings, and what cueing would make of them; no control law, no executive
    "console": {*LIBRARIES, "ring", "recording", "workbench", "cueing"},
}
EVERYONE = {
    "arrays",
    "errors",
    "interpreter",
    "lazy",
    "private",
}  # may be imported by all, and import nothing of motionbase but errors
ROOT_MODULES = {
    "__init__": {*MAY_IMPORT, "errors", "lazy"},  # lazily: tests/test_face.py
    "arrays": set[str](), "errors": set[str](), "interpreter": set[str](), "lazy": set[str](), "private": {"errors"},
    "__main__": {"cli", *EVERYONE},
}  # fmt: skip


def allowed(package: str) -> set[str] | None:
    """What a package may import besides itself; None for `cli`, which calls everything."""
    if package == "cli":
        return None
    if package in ROOT_MODULES:
        return ROOT_MODULES[package]
    return MAY_IMPORT[package] | EVERYONE


def imported(source: str, module: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and top-level part of every import of motionbase in a file; "" stands for `motionbase` itself.

    Args:
        source: text of the file
        module: parts of its name below motionbase, `__init__` included
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = ("motionbase", *module)[: -node.level]
                base = ".".join([*parents, *([base] if base else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "motionbase":
                part = rest.partition(".")[0]
                yield node.lineno, part if (SRC / part).is_dir() or (SRC / f"{part}.py").is_file() else ""


def violations(source: str, module: tuple[str, ...]) -> list[str]:
    package = module[0]
    may = allowed(package)
    return [
        f"line {line}: {'.'.join(module)} may not import {part or 'motionbase itself'}"
        for line, part in imported(source, module)
        if may is not None and part != package and part not in may
    ]


def test_imports_follow_the_table() -> None:
    wrong = [
        f"{path.relative_to(SRC)}: {violation}"
        for path in sorted(SRC.rglob("*.py"))
        for violation in violations(path.read_text(), path.relative_to(SRC).with_suffix("").parts)
    ]
    assert wrong == []


def test_every_package_is_in_the_table() -> None:
    packages = {p.name for p in SRC.iterdir() if p.is_dir() and any(p.rglob("*.py"))}
    modules = {p.stem for p in SRC.glob("*.py")}
    assert packages - {"cli"} <= MAY_IMPORT.keys()
    assert modules <= ROOT_MODULES.keys()


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from motionbase.cli import main", ("compile", "kernel")),
        ("def f():\n    import motionbase.cli.main", ("compile", "kernel")),
        ("from motionbase import cli", ("compile", "kernel")),
        ("from motionbase import __version__", ("compile", "cache")),
        ("from ..cli import main", ("compile", "kernel")),
        ("from .. import cli", ("compile", "__init__")),
        ("from ...cli import main", ("compile", "render", "llvm")),
        ("from motionbase.cli import main", ("errors",)),
    ],
)
def test_wrong_imports_are_caught(source: str, module: tuple[str, ...]) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from motionbase.errors import KernelError", ("compile", "kernel")),
        ("from motionbase.compile import kernel", ("plant", "legs")),
        ("from . import ops\nfrom .render import llvm", ("compile", "kernel")),
        ("from ..ops import Op", ("compile", "render", "llvm")),
        ("import motionbase.compile.kernels, numpy", ("cli", "kernel")),
    ],
)
def test_right_imports_pass(source: str, module: tuple[str, ...]) -> None:
    assert violations(source, module) == []

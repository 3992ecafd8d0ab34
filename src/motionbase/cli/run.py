"""`motionbase run`: the main job. The closed loop is still to come, so it says what is there to try."""

import ast
from pathlib import Path

from motionbase import __version__
from motionbase.cli import checkout
from motionbase.cli.commands import COMMANDS

INTERNAL = ("run", "bench", "test")  # the first is this command, the others have their own lines below


def run() -> None:
    """Simulate a motion platform.

    The hexapod in closed loop is not in this version yet; until then this lists what there is to try.

    Example: motionbase run
    """
    root = checkout.find()
    call = "./motionbase" if root else "motionbase"
    ideas = [(f"{call} {name} --help", c.help) for name, c in COMMANDS.items() if name not in INTERNAL]
    if root:
        ideas += [(f".venv/bin/python {p.relative_to(root)}", _title(p)) for p in _examples(root)]
        ideas += [(f"{call} bench", "List the benchmarks."), (f"{call} test", "Run the test suite.")]
    print(f"motionbase {__version__} has no platform to run yet: the hexapod in closed loop is the next step.")
    print("To try now:")
    width = max((len(command) for command, _ in ideas), default=0)
    for command, text in ideas or [(f"{call} --help", "List the commands.")]:
        print(f"  {command:<{width}}  {text}".rstrip())


def _examples(root: Path) -> list[Path]:
    return sorted(p for p in (root / "examples").glob("**/*.py") if p.name[0].isdigit())


def _title(example: Path) -> str:
    """First line of an example's docstring."""
    return (ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or "").partition("\n")[0]

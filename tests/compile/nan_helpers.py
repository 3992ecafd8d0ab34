"""For the tests of the diagnosis: markers in the source, and a helper in another file than the kernel that uses it."""

from pathlib import Path
from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.compile.inspection.finding import Finding


def ratio(a: ca.SX, b: ca.SX) -> ca.SX:
    return a / b  # here: ratio


def marked_in(file: str, name: str) -> tuple[str, int]:
    """File and number of the line that ends with the comment `here: name`."""
    lines = Path(file).read_text().splitlines()
    (number,) = [k for k, line in enumerate(lines, start=1) if line.endswith(f"# here: {name}")]
    return file, number


def place(finding: Finding | None) -> tuple[str, int]:
    assert finding is not None and finding.line is not None
    return finding.line.file, finding.line.line


def kernel(expr: Any, size: int = 2, name: str = "k") -> Kernel:
    return Kernel(name, (Port("q", size),), (Port("y"),), expr)

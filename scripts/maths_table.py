"""Write the table of functions in docs/maths.md: bounds and operations from the package, errors from the tests.

Example: uv run python scripts/maths_table.py     (runs the accuracy tests of the maths functions: about a minute)
"""

import importlib
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from motionbase.compile.maths import MATHS
from motionbase.compile.ops import Op

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "maths.md"
BEGIN = "<!-- table: begin (written by scripts/maths_table.py) -->"
END = "<!-- table: end -->"
FREE = {Op.CONST, Op.ICONST, Op.ARG, Op.BITS, Op.FROM_BITS}  # no instruction, or a move between registers
HEAD = (
    "function",
    "computes",
    "range",
    "bound [ulp]",
    "worst [ulp]",
    "operations",
    "beyond it; special values",
    "fast variant",
)


class Row(NamedTuple):
    """Facts about a function that cannot be computed."""

    computes: str
    range: str
    special: str


ANNEX_F = "as C99 Annex F"
ROWS = {
    "sin": Row("sine", "abs ≤ 2²⁷ rad", "NaN"),
    "cos": Row("cosine", "abs ≤ 2²⁷ rad", "NaN"),
    "tan": Row("tangent", "abs ≤ 2²⁷ rad", "NaN"),
    "asin": Row("arc sine", "[-1, 1]", "NaN"),
    "acos": Row("arc cosine", "[-1, 1]", "NaN"),
    "atan": Row("arc tangent", "all", "±π/2 at ±∞"),
    "atan2": Row("angle of the point (x, y)", "all", ANNEX_F),
    "hypot": Row("√(x² + y²) without overflow on the way", "all", "∞ if a side is, even beside NaN"),
    "remainder": Row("x - n y, n = x/y to the nearest, ties to even", "all", "exact; NaN for x = ±∞ or y = 0"),
    "exp": Row("eˣ", "all", "∞ above 709.7827; gradual underflow, 0 below -745.1332"),
    "expm1": Row("eˣ - 1", "all", "∞ above 709.7827; -1 at -∞"),
    "log": Row("natural logarithm", "x > 0, denormals too", "-∞ at 0, NaN below, ∞ at ∞"),
    "log1p": Row("log(1 + x)", "x > -1", "-∞ at -1, NaN below, ∞ at ∞"),
    "pow": Row("xʸ", "all", ANNEX_F),
    "sinh": Row("hyperbolic sine", "all", "±∞ beyond ±710.4758"),
    "cosh": Row("hyperbolic cosine", "all", "∞ beyond ±710.4758"),
    "tanh": Row("hyperbolic tangent", "all", "±1 far out"),
    "asinh": Row("inverse of sinh", "all", "±∞ at ±∞"),
    "acosh": Row("inverse of cosh", "x ≥ 1", "NaN below, ∞ at ∞"),
    "atanh": Row("inverse of tanh", "(-1, 1)", "±∞ at ±1, NaN outside"),
    "erf": Row("error function", "all", "±1 far out"),
    "erfinv": Row("inverse of erf", "(-1, 1)", "±∞ at ±1, NaN outside"),
    "fast_sin": Row(
        "sine, fast mode", "abs ≤ π/4", "3e-16 absolute to 2²², 3e-16 (1 + abs(x)) to 2⁵⁰, then no meaning"
    ),
    "fast_cos": Row("cosine, fast mode", "abs ≤ π/4", "as fast_sin"),
    "fast_exp": Row("eˣ, fast mode", "x ≥ -708", "∞ above 709.7827; stays at e⁻⁷⁰⁸ below"),
    "fast_log": Row("logarithm, fast mode", "x > 0, normal", "as log, but wrong for denormals"),
}


def operations(name: str) -> int:
    """Instructions of the function that compute something."""
    return sum(instruction.op not in FREE for instruction in MATHS[name].block.instructions)


def worst_errors() -> dict[str, float]:
    """The largest error in the accuracy tests, by function; an error if a test fails."""
    tests = sorted(str(p) for p in (ROOT / "tests" / "compile").glob("test_maths_*.py"))
    if pytest.main(
        ["-q", "--all", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", "ulp or hard or absolute", *tests]
    ):
        raise SystemExit("maths_table: the tests fail")
    worst: dict[str, float] = importlib.import_module("tests.compile.ulp").WORST  # as the tests have imported it
    return worst


def table(worst: dict[str, float]) -> str:
    """The lines between the markers."""
    if ROWS.keys() != MATHS.keys():
        raise SystemExit(f"maths_table: rows and functions differ: {ROWS.keys() ^ MATHS.keys()}")
    lines = [f"| {' | '.join(HEAD)} |", "|---|---|---|--:|--:|--:|---|---|"]
    for name, row in ROWS.items():
        measured = f"{worst[name]:.3f}" if name in worst else "0"  # the remainder is compared exactly
        figures = (f"{MATHS[name].ulp:g}", measured, str(operations(name)))
        fast = f"`fast_{name}`" if f"fast_{name}" in MATHS else ""
        cells = (f"`{name}`", row.computes, row.range, *figures, row.special, fast)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Measure and write the table."""
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table(worst_errors())}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

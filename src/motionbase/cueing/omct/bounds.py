"""Bounds of gain and phase from a user's table, CSV or TOML; the package has none, because open text has none."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.omct.measure import Curve
from motionbase.cueing.omct.motions import FREQUENCIES, TESTS
from motionbase.errors import ModelError, UsageError
from motionbase.multibody.loaders.toml_source import TomlSource, read_text

AGREES = 0.01  # relative: a frequency of a table this near to one of the tests is that one
LIMITS = ("gain_min", "gain_max", "phase_min", "phase_max")
COLUMNS = ("test", "omega", *LIMITS)
ENDINGS = (".csv", ".toml")
ABOUT = (
    "Bounds of the objective motion cueing test, to be filled in from the standard that applies to you.",
    "test: 1 to 10; omega: rad/s; gains: plain numbers as docs/omct.md defines them; phases: degrees.",
    "A limit that is left out is no limit. A line without any may be deleted.",
)


@final
@dataclass(frozen=True)
class Bound:
    """Limits at one frequency of one test; an infinite one is none.

    Attributes:
        test: its number
        omega: [rad/s]
        gain: least and largest [-]
        phase: least and largest [deg]
    """

    test: int
    omega: float
    gain: tuple[float, float] = (0.0, math.inf)
    phase: tuple[float, float] = (-math.inf, math.inf)

    @property
    def empty(self) -> bool:
        """Whether it limits nothing."""
        return self.gain == (0.0, math.inf) and self.phase == (-math.inf, math.inf)

    def near(self, phase: float) -> float:
        """The phase, changed by whole turns so that it is nearest to the middle of the bounds [deg]."""
        low, high = self.phase
        if math.isinf(low) and math.isinf(high):
            return phase
        middle = low if math.isinf(high) else high if math.isinf(low) else 0.5 * (low + high)
        return phase - 360.0 * round((phase - middle) / 360.0)

    def broken(self, gain: float, phase: float) -> tuple[str, ...]:
        """What of a measured tone is outside: "gain", "phase", both or neither."""
        pairs = ("gain", gain, self.gain), ("phase", self.near(phase), self.phase)
        return tuple(name for name, value, (low, high) in pairs if not low <= value <= high)


@final
@dataclass(frozen=True, eq=False)
class Bounds:
    """A user's table.

    Attributes:
        name: of the file
        source: where its numbers are from, as the file says; "" if it does not
    """

    name: str
    source: str
    rows: tuple[Bound, ...]

    def of(self, test: int, omega: float) -> Bound | None:
        """The bound at a frequency of a test, if there is one that limits something."""
        for row in self.rows:
            if row.test == test and abs(row.omega - omega) <= AGREES * omega and not row.empty:
                return row
        return None

    def along(self, test: int) -> tuple[Array, Array, Array]:
        """Frequencies of a test's bounds, (k, 2) limits of the gain and of the phase."""
        rows = sorted((row for row in self.rows if row.test == test and not row.empty), key=lambda row: row.omega)
        omega = np.array([row.omega for row in rows])
        return omega, np.reshape([r.gain for r in rows], (-1, 2)), np.reshape([r.phase for r in rows], (-1, 2))

    def broken(self, curve: Curve) -> list[tuple[str, ...] | None]:
        """For each tone what of it is outside; None where there is no bound."""
        tones = zip(curve.omega.tolist(), curve.gain.tolist(), curve.phase.tolist(), strict=True)
        pairs = [(self.of(curve.test.number, omega), gain, phase) for omega, gain, phase in tones]
        return [None if bound is None else bound.broken(gain, phase) for bound, gain, phase in pairs]


def verdict(broken: tuple[str, ...] | None) -> str:
    """In words: "within", "outside: gain" and the like; "" without a bound."""
    if broken is None:
        return ""
    return f"outside: {', '.join(broken)}" if broken else "within"


def load_bounds(path: Path) -> Bounds:
    """Read a table; one sentence says what is wrong with it, and where."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{str(path)!r}: a table of bounds ends in {' or '.join(ENDINGS)}")
    try:
        text = read_text(path)
        found = _from_toml(TomlSource.of(str(path), text)) if path.suffix.lower() == ".toml" else _from_csv(path, text)
    except ModelError as e:
        raise UsageError(str(e)) from None
    source, rows = found
    seen: list[Bound] = []
    for where, row in rows:
        if any(one.test == row.test and abs(one.omega - row.omega) <= AGREES * row.omega for one in seen):
            raise UsageError(f"{where}: test {row.test} has two bounds at {row.omega:g} rad/s")
        seen.append(row)
    return Bounds(path.name, source, tuple(seen))


def template(ending: str) -> str:
    """A table for all tests and frequencies without any limits, as text of a file with this ending."""
    rows = [(test, omega) for test in TESTS for omega in FREQUENCIES]
    head = [f"# {line}" for line in ABOUT]
    if ending == ".csv":
        return "\n".join([*head, ",".join(COLUMNS), *(f"{t.number},{w:g},,,," for t, w in rows)]) + "\n"
    lines = [*head, 'source = ""    # where the numbers are from']
    for test, omega in rows:
        lines += ["", "[[bound]]", f"test = {test.number}    # {test.name}", f"omega = {omega:g}"]
        lines += [f"# {name} =" for name in LIMITS]
    return "\n".join(lines) + "\n"


def _from_csv(path: Path, text: str) -> tuple[str, list[tuple[str, Bound]]]:
    lines = text.splitlines()
    comments = [line.lstrip("# ").strip() for line in lines if line.startswith("#")]
    given = [(k, line) for k, line in enumerate(lines, start=1) if line.strip() and not line.startswith("#")]
    try:
        cells = [(k, [cell.strip() for cell in row]) for k, line in given for row in csv.reader([line], strict=True)]
    except csv.Error as e:
        raise UsageError(f"{path}: not a table of comma-separated values: {e}") from None
    if not cells or tuple(cells[0][1]) != COLUMNS:
        raise UsageError(f"{path}: the first line must be {','.join(COLUMNS)}")
    rows = []
    for k, row in cells[1:]:
        where = f"{path}, line {k}"
        if len(row) != len(COLUMNS):
            raise UsageError(f"{where}: {len(row)} cells, there must be {len(COLUMNS)}: {','.join(COLUMNS)}")
        rows.append((where, _bound(where, {name: x for name, x in zip(COLUMNS, row, strict=True) if x})))
    return next((c.removeprefix("source:").strip() for c in comments if c.startswith("source:")), ""), rows


def _from_toml(source: TomlSource) -> tuple[str, list[tuple[str, Bound]]]:
    for key in source.data:
        if key not in ("source", "bound"):
            source.complain((key,), f"the file has no key {key!r}; keys: source, bound")
    told, tables = source.data.get("source", ""), source.data.get("bound", [])
    if not isinstance(told, str):
        source.complain(("source",), "source must be a text")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        source.complain(("bound",), "bounds are tables, [[bound]]")
    rows = []
    for k, table in enumerate(tables):
        where = source.located(("bound", str(k)), "").rstrip(": ")
        rows.append((where, _bound(where, table)))
    return told, rows


def _bound(where: str, given: Mapping[str, Any]) -> Bound:
    """A bound from cells or keys."""
    numbers = dict(_numbers(where, given))
    for name in ("test", "omega"):
        if name not in numbers:
            raise UsageError(f"{where}: {name} is missing; a bound has {', '.join(COLUMNS)}")
    if numbers["test"] not in {test.number for test in TESTS}:
        raise UsageError(f"{where}: test is {numbers['test']:g}, it must be 1 to {len(TESTS)}")
    if not any(abs(numbers["omega"] - one) <= AGREES * one for one in FREQUENCIES):  # nothing would be judged there
        known = ", ".join(f"{one:g}" for one in FREQUENCIES)
        raise UsageError(f"{where}: omega is {numbers['omega']:g} rad/s, the test has tones at {known}")
    if numbers.get("gain_min", 0.0) < 0:
        raise UsageError(f"{where}: gain_min is {numbers['gain_min']:g}, a gain is not negative")
    pairs = {}
    for name, widest in (("gain", (0.0, math.inf)), ("phase", (-math.inf, math.inf))):
        low, high = numbers.get(f"{name}_min", widest[0]), numbers.get(f"{name}_max", widest[1])
        if low > high:
            raise UsageError(f"{where}: {name}_min {low:g} is above {name}_max {high:g}")
        pairs[name] = (low, high)
    if pairs["phase"][1] - pairs["phase"][0] > 360 and math.isfinite(pairs["phase"][1] - pairs["phase"][0]):
        raise UsageError(f"{where}: phases {pairs['phase'][0]:g} to {pairs['phase'][1]:g} deg are more than a turn")
    return Bound(int(numbers["test"]), numbers["omega"], **pairs)


def _numbers(where: str, given: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in given.items():
        if name not in COLUMNS:
            raise UsageError(f"{where}: a bound has no {name!r}; it has {', '.join(COLUMNS)}")
        try:
            number = math.nan if isinstance(value, bool | list | dict) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(f"{where}: {name} is {str(value)[:40]!r}, a finite number is wanted")
        yield name, number

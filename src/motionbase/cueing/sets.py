"""Sets of washout parameters from TOML, presets or a user's file; docs/cueing.md describes the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct
from motionbase.cueing.tuning import Adapting, Tuning, Weighing
from motionbase.errors import ModelError, UsageError, unknown
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.load import illustrative_keys
from motionbase.platform.table import Table
from motionbase.record.axes import DOFS

FOLDER = Path(__file__).parent / "presets"
Values = Mapping[str, tuple[float, ...]]  # a number for each element of each quantity of Tuning, by its name


@final
@dataclass(frozen=True)
class CueSet:
    """Parameters of a washout, in the air and on the ground.

    Attributes:
        summary: one line for users
        sources: where published numbers are from
        illustrative: keys whose numbers nobody published
        air, ground: values of `Tuning`'s quantities by name
        adaptive: of `Adapting`'s, for the adaptive washout
        optimal: of `Weighing`'s, for the design of the optimal washout
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    air: Values = field(hash=False)
    ground: Values = field(hash=False)
    adaptive: Values = field(hash=False)
    optimal: Values = field(hash=False)

    def vector(self, situation: str) -> Array:
        """The numbers of a situation, "air" or "ground", in the order of `Tuning`."""
        return Tuning.layout.vector(getattr(self, situation))


def set_names() -> tuple[str, ...]:
    """Names of the presets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_set(reference: Path | str) -> CueSet:
    """The preset of that name, or the set in a TOML file; errors name the file, the line and the key."""
    known = str(reference) in set_names()
    if not known and Path(reference).suffix.lower() != ".toml":
        raise unknown("cueing set", str(reference), [*set_names(), "a .toml file"])
    path = FOLDER / f"{reference}.toml" if known else Path(reference)
    try:
        source = TomlSource.read(path)
        return _set(Table(source, (), source.data), path.stem)
    except ModelError as e:
        raise UsageError(str(e)) from None


def _set(top: Table, name: str) -> CueSet:
    needed = ("summary", "sources", "illustrative", "air")
    top.check_keys((*needed, "ground", "adaptive", "optimal"), needed)
    air = _values(top, "air", Tuning)
    return CueSet(
        name, top.text("summary"), top.texts("sources"), illustrative_keys(top),
        _washed_out(top, "air", air), _washed_out(top, "ground", _values(top, "ground", Tuning, air)),
        _values(top, "adaptive", Adapting), _values(top, "optimal", Weighing),
    )  # fmt: skip


def _values(top: Table, key: str, kind: type[Struct], others: Values | None = None) -> Values:
    """All quantities of a struct: those of the file's table, the others as given or by default."""
    made = dict(others or {p.name: tuple(p.start_values.tolist()) for p in kind.layout.ports})
    if key not in top.data:
        return made
    table = top.table(key)
    table.check_keys((p.name for p in kind.layout.ports), ())
    for port in kind.layout.ports:
        if port.name not in table.data:
            continue
        given = table.numbers(port.name, port.dims) if port.dims else np.array([table.number(port.name)])
        (least, most), where = port.bounds, f"{key}.{port.name}"
        for k, value in enumerate(given):
            if not least[k] <= value <= most[k]:
                number = where if port.size == 1 else f"{where}[{k + 1}]"
                unit = "" if port.unit == "-" else f" {port.unit.split(', ')[min(k // 3, port.unit.count(','))]}"
                message = f"{number} is {value:g}{unit}, it must be {least[k]:g} to {most[k]:g}"
                table.complain(port.name, message)
        made[port.name] = tuple(given.tolist())
    return made


def _washed_out(top: Table, key: str, values: Values) -> Values:
    """The values of a situation, refused if an angle would stay for ever."""
    for k in range(3, 6):
        if values["high_pass"][k] == values["first_order"][k] == 0:
            sentence = f"{key}: high_pass and first_order of {DOFS[k]} are both 0, so it would never wash out"
            top.table(key).complain("high_pass", sentence) if key in top.data else top.complain("air", sentence)
    return values

"""A computed motion: columns with names and units, which can be written as CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.multibody.names import Quantity


class Column(NamedTuple):
    """One quantity over time."""

    name: str
    unit: str
    values: Array


@final
@dataclass(frozen=True)
class Trajectory:
    """Samples of a motion; row 0 is the start.

    Attributes:
        t: (n,) time [s]
        q, v: (n, nq) coordinates, (n, nv) speeds, with names and units
        energy: kinetic, potential (gravity) and strain (modes, springs), each (n,) [J]
        steps: steps taken, rejected ones included
        wall_s: duration of the integration, without compilation [s]
        more: further requested columns
    """

    model: str
    method: str
    t: Array
    q: Array
    v: Array
    q_names: tuple[Quantity, ...]
    v_names: tuple[Quantity, ...]
    steps: int
    wall_s: float
    energy: dict[str, Array]
    more: tuple[Column, ...] = ()

    def columns(self) -> Iterator[Column]:
        """Time, coordinates as "q.NAME", speeds as "v.NAME", energies as "energy.NAME", and the further columns."""
        yield Column("t", "s", self.t)
        for letter, names, values in (("q", self.q_names, self.q), ("v", self.v_names, self.v)):
            for k, (name, unit) in enumerate(names):
                yield Column(f"{letter}.{name}", unit, values[:, k])
        for name, joules in self.energy.items():
            yield Column(f"energy.{name}", "J", joules)
        yield from self.more

    def column(self, name: str) -> Array:
        """One column by name."""
        for column in self.columns():
            if column.name == name:
                return column.values
        raise KeyError(f"no column {name!r}; columns: {', '.join(c.name for c in self.columns())}")

    @property
    def total_energy(self) -> Array:
        """(n,) sum of all energies [J]."""
        return np.asarray(sum(self.energy.values()))

    @property
    def energy_drift(self) -> float:
        """Largest change of the total energy over the exchanged energy: largest kinetic plus ranges of the others.

        Only meaningful for a motion without damping and drives.
        """
        total = self.total_energy
        others = sum(float(np.ptp(e)) for name, e in self.energy.items() if name != "kinetic")
        scale = float(self.energy["kinetic"].max()) + others
        return float(np.abs(total - total[0]).max() / scale) if scale else 0.0

    @property
    def real_time_factor(self) -> float:
        """Simulated over elapsed time."""
        return float(self.t[-1] / self.wall_s) if self.wall_s else float("inf")

    # ---- files -----------------------------------------------------------------------------------------------------

    def write(self, path: Path | str) -> None:
        """Write CSV or Parquet, by the suffix of the name."""
        path = Path(path)
        writers = {".csv": self.write_csv, ".parquet": self.write_parquet}
        if path.suffix not in writers:
            raise UsageError(f"cannot write {str(path)!r}: the name must end in {' or '.join(writers)}")
        try:
            writers[path.suffix](path)
        except OSError as e:
            raise UsageError(f"cannot write {str(path)!r}: {e.strerror or e}") from None

    def write_csv(self, path: Path) -> None:
        """A header "name [unit]", then one row per sample, each number with all its digits."""
        columns = list(self.columns())
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(f"{c.name} [{c.unit}]" for c in columns)
            writer.writerows(np.column_stack([c.values for c in columns]).tolist())

    def write_parquet(self, path: Path) -> None:
        """One float64 column per quantity; units in the fields' metadata, model and method in the schema's."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = list(self.columns())
        fields = [pa.field(c.name, pa.float64(), metadata={"unit": c.unit}) for c in columns]
        schema = pa.schema(fields, metadata={"model": self.model, "method": self.method})
        arrays = [pa.array(np.ascontiguousarray(c.values)) for c in columns]
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)

"""The result of a search: a front, a choice on it, and the choice as a set of parameters with its provenance."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile import Struct
from motionbase.cueing.cueing import PARTS
from motionbase.cueing.tune.scores import Scores
from motionbase.cueing.tune.search import Search, State
from motionbase.cueing.tuning import Adapting, Tuning, Weighing
from motionbase.errors import UsageError

TABLES: dict[str, type[Struct]] = {
    "air": Tuning,
    "ground": Tuning,
    "adaptive": Adapting,
    "optimal": Weighing,
}  # of a set
DIGITS = 4  # of numbers that were tuned; scores are those of the rounded ones


@final
@dataclass(frozen=True, eq=False)
class Tuned:
    """The candidate with the least error + weight * stroke.

    Attributes:
        weight: of the stroke
    """

    search: Search
    state: State
    weight: float

    @cached_property
    def front(self) -> Indices:
        """Numbers of the candidates on the front, by stroke."""
        members = np.flatnonzero(self.state.front)
        return members[np.lexsort((members, self.state.scores.goals[members, 1]))]

    @cached_property
    def number(self) -> int:
        """Of the choice."""
        found = self.state.best(self.weight)
        if found is None:
            raise UsageError(
                "no candidate keeps all constraints; go on for more generations, ask for less (--reserve, "
                "--allow-saturation, --allow-tilt), or free more parameters"
            )
        return found

    @cached_property
    def vector(self) -> Array:
        """The choice, rounded."""
        space = self.search.space
        made: Array = space.vectors(self.state.cube[self.number][None])[0]
        made[space.places] = [float(f"{x:.{DIGITS}g}") for x in made[space.places]]
        return made

    @cached_property
    def scores(self) -> Scores:
        """Of the choice as it is rounded."""
        return self.search.space.judge.scores(self.vector[None])

    def values(self, table: str) -> dict[str, list[float]]:
        """Numbers of every quantity of a table of the set, by name."""
        cueing = self.search.space.judge.cueing
        known, prefix = {p.name for p in cueing.parameters.ports}, PARTS.get(table, "")
        before: Any = getattr(cueing.cue_set, table)
        return {
            p.name: cueing.parameters.part(self.vector, prefix + p.name).tolist()
            if prefix + p.name in known else list(before[p.name])
            for p in TABLES[table].layout.ports
        }  # fmt: skip

    def _keys(self) -> list[str]:
        """Keys of the set that were tuned."""
        by_length = sorted(PARTS.items(), key=lambda part: -len(part[1]))  # cue_ground_ before cue_
        found = [next((t, name, p) for t, p in by_length if name.startswith(p)) for name in self.search.space.names]
        return [f"{table}.{name.removeprefix(prefix)}" for table, name, prefix in found]

    def text(self) -> str:
        """The set as TOML, with where it comes from."""
        judge, cueing, scores = self.search.space.judge, self.search.space.judge.cueing, self.scores
        cases = ", ".join(case.name for case in judge.cases)
        start, alike = self.state.start, ", axes counted alike" if judge.alike else ""
        about = [
            f"tuned by motionbase cue tune from set {cueing.cue_set.name}, {cueing.algorithm}, for platform "
            f"{cueing.platform.name} over {cases}",
            f"seed {self.search.seed}, {self.state.generation} generations of {self.search.population}, weight of the "
            f"stroke {self.weight:g}{alike}; error {_of(start, 0)} -> {_of(scores, 0)} of that of a platform at rest, "
            f"stroke {_of(start, 1)} -> {_of(scores, 1)}",
            *(f"set {cueing.cue_set.name}: {source}" for source in cueing.cue_set.sources),
        ]
        others = [key for key in cueing.cue_set.illustrative if key not in self._keys()]
        tuned = [key for key in self._keys() if key.partition(".")[0] not in others]  # else all of their table are
        lines = [
            f"summary = {json.dumps(f'{cueing.cue_set.name}, tuned for {cueing.platform.name}', ensure_ascii=False)}",
            f"sources = {json.dumps(about, indent=4, ensure_ascii=False)}",
            f"illustrative = {json.dumps([*tuned, *others])}",
        ]
        for table, kind in TABLES.items():
            values = self.values(table)
            named = any(key.partition(".")[0] == table for key in (*tuned, *others))
            if not named and all(values[p.name] == p.start_values.tolist() for p in kind.layout.ports):
                continue  # all by default
            lines += ["", f"[{table}]"]
            lines += [f"{p.name} = {values[p.name] if p.dims else values[p.name][0]}" for p in kind.layout.ports]
        return "\n".join(lines) + "\n"

    def write(self, path: Path) -> None:
        """Write the set."""
        try:
            path.write_text(self.text(), encoding="utf-8")
        except OSError as e:
            raise UsageError(f"cannot write {str(path)!r}: {e.strerror or e}") from None

    def data(self) -> dict[str, Any]:
        """For JSON."""
        names = [case.name for case in self.search.space.judge.cases]

        def one(scores: Scores, k: int = 0) -> dict[str, Any]:
            return {
                "error": float(scores.goals[k, 0]), "stroke": float(scores.goals[k, 1]),
                "errors": dict(zip(names, scores.errors[k].tolist(), strict=True)),
                "strokes": dict(zip(names, scores.strokes[k].tolist(), strict=True)),
            }  # fmt: skip

        return {
            "generations": self.state.generation, "ten_second_runs": self.state.runs, "seed": self.search.seed,
            "weight": self.weight, "alike": self.search.space.judge.alike,
            "parameters": list(self.search.space.names), "before": one(self.state.start),
            "after": one(self.scores), "front": self.state.scores.goals[self.front].tolist(),
        }  # fmt: skip


def _of(scores: Scores, goal: int) -> str:
    return f"{scores.goals[0, goal]:.3f}"

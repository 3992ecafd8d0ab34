"""A search in progress: generations, and its state in a file from which it can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from motionbase import private
from motionbase.arrays import Array, Flags
from motionbase.cueing.tune.front import best_of, children, ranked
from motionbase.cueing.tune.scores import Scores
from motionbase.cueing.tune.space import Space, first_points
from motionbase.errors import UsageError

VERSION = 1
LARGEST_FILE = 50_000_000  # [bytes]


@final
@dataclass(frozen=True, eq=False)
class State:
    """Between two generations.

    Attributes:
        generation: number of those that are done
        cube: (m, n) the candidates, best first
        scores: of them
        violation: (m,) how far they break constraints
        start: scores of the set that the search began with
        random: state of the generator of random numbers
        runs: of ten seconds so far
    """

    generation: int
    cube: Array
    scores: Scores
    violation: Array
    start: Scores
    random: dict[str, Any]
    runs: float

    @property
    def front(self) -> Flags:
        """Which candidates nobody dominates, if they keep all constraints."""
        return np.asarray((ranked(self.scores.goals, self.violation) == 0) & (self.violation <= 0))

    def best(self, weight: float) -> int | None:
        """Number of the candidate on the front with the least error + weight * stroke; None without a front."""
        front = self.front
        if not front.any():
            return None
        cost = self.scores.goals @ (1.0, weight)
        return int(np.argmin(np.where(front, cost, np.inf)))


@final
@dataclass(frozen=True, eq=False)
class Search:
    """A search from a seed.

    Attributes:
        population: candidates of a generation
    """

    space: Space
    population: int = 64
    seed: int = 1

    def __post_init__(self) -> None:
        if not 8 <= self.population <= 4096:
            raise UsageError(f"a population is {self.population} candidates, it must be 8 to 4096")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}, it must be 0 or above")

    @property
    def key(self) -> str:
        """Hash of everything that decides how the search goes; states of other searches are refused."""
        judge = self.space.judge
        digest = hashlib.sha256()
        for case in judge.cases:
            digest.update(case.name.encode() + case.t.tobytes() + case.rows.tobytes())
        digest.update(judge.cueing.program.digest.encode() + judge.cueing.parameter_vector().tobytes())
        digest.update(
            repr(
                (self.space.names, self.space.allowed, judge.alike, self.population, self.seed, judge.cueing.dt)
            ).encode()
        )
        return digest.hexdigest()

    def begun(self) -> State:
        """The first generation."""
        random = np.random.Generator(np.random.PCG64(self.seed))
        cube = first_points(self.space, self.population, random)
        start = self.space.judge.scores(self.space.judge.cueing.parameter_vector()[None])
        return self._chosen(0, cube, self._judged(cube), start, random, self.population)

    def _judged(self, cube: Array) -> tuple[Scores, Array]:
        vectors = self.space.vectors(cube)
        scores = self.space.judge.scores(vectors)
        return scores, self.space.violation(vectors, scores)

    def _chosen(
        self, generation: int, cube: Array, judged: tuple[Scores, Array], start: Scores, random: Any, runs: float
    ) -> State:
        scores, violation = judged
        best = best_of(scores.goals, violation, self.population)
        kept = Scores(*(part[best] for part in scores))
        used = runs * self.space.judge.ten_second_runs
        return State(generation, cube[best], kept, violation[best], start, random.bit_generator.state, used)

    def after(self, state: State) -> State:
        """The next generation: the best of candidates and their children."""
        random = np.random.Generator(np.random.PCG64(0))
        random.bit_generator.state = state.random
        young = children(state.cube, random)
        scores, violation = self._judged(young)
        together = Scores(*(np.concatenate(pair) for pair in zip(state.scores, scores, strict=True)))
        cube, broken = np.concatenate([state.cube, young]), np.concatenate([state.violation, violation])
        runs = state.runs / self.space.judge.ten_second_runs + len(young)
        return self._chosen(state.generation + 1, cube, (together, broken), state.start, random, runs)

    def states(self, generations: int, state: State | None = None) -> Iterator[State]:
        """States up to a generation, from the first on, or from a given one on; that one comes first."""
        now = self.begun() if state is None else state
        yield now
        while now.generation < generations:
            now = self.after(now)
            yield now

    # ---- a file to go on from ----

    def save(self, state: State, path: Path) -> None:
        """Write a state; the file is always whole."""
        data = {
            "motionbase": "cue tune", "version": VERSION, "key": self.key, "generation": state.generation,
            "cube": state.cube.tolist(), "scores": [part.tolist() for part in state.scores],
            "violation": state.violation.tolist(), "start": [part.tolist() for part in state.start],
            "random": state.random, "runs": state.runs,
        }  # fmt: skip
        part = path.with_name(path.name + ".part")
        try:
            private.write_file(part, json.dumps(data).encode())
            os.replace(part, path)
        except OSError as e:
            raise UsageError(f"cannot write {str(path)!r}: {e.strerror or e}") from None

    def load(self, path: Path) -> State:
        """A state of this very search."""
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise UsageError(f"{str(path)!r} is too large for the state of a search")
            data = json.loads(path.read_bytes())
        except OSError as e:
            raise UsageError(f"cannot read {str(path)!r}: {e.strerror or e}") from None
        except (ValueError, RecursionError):
            raise UsageError(f"{str(path)!r} is not the state of a search") from None
        if not isinstance(data, dict) or data.get("motionbase") != "cue tune" or data.get("version") != VERSION:
            raise UsageError(f"{str(path)!r} is not the state of a search")
        if data.get("key") != self.key:
            raise UsageError(
                f"{str(path)!r} belongs to another search: set, manoeuvres, parameters, constraints, population and "
                "seed must be the same to go on"
            )
        try:
            state = State(
                int(data["generation"]), np.array(data["cube"], float),
                Scores(*(np.array(part, float) for part in data["scores"])), np.array(data["violation"], float),
                Scores(*(np.array(part, float) for part in data["start"])), data["random"], float(data["runs"]),
            )  # fmt: skip
            np.random.PCG64(0).state = data["random"]
        except (KeyError, TypeError, ValueError):
            raise UsageError(f"{str(path)!r} is damaged: it is not the state of a search") from None
        if state.cube.shape != (self.population, len(self.space.places)):
            raise UsageError(f"{str(path)!r} is damaged: it is not the state of a search")
        return state

"""Several scenarios at once on the lanes of one compiled loop, for studies of hundreds of cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.system.runnable import Runnable
from motionbase.system.runs import PIECE_S, ROWS, Scenario

LANES = 8


@final
@dataclass(frozen=True, eq=False)
class LanePiece:
    """A piece of a run on all lanes.

    Attributes:
        first: (lanes,) tick of each lane before the piece
        rows: requested outputs, a row per tick, the lanes last
        states: states of each lane after the piece, to continue from, with the count of host frames
    """

    first: Array
    rows: dict[str, Array]
    states: tuple[dict[str, Any], ...]


@final
@dataclass(frozen=True, eq=False)
class LaneRunner:
    """Runs `LANES` scenarios in one go.

    Attributes:
        outputs: outputs of the loop to keep
    """

    loop: Runnable
    outputs: tuple[str, ...]

    @cached_property
    def _scan(self) -> Scan:
        return scan(self.loop.program, self.loop.feedback, per_step=list(ROWS), record=list(self.outputs), lanes=LANES)

    @cached_property
    def rest(self) -> dict[str, Any]:
        """State at rest, down."""
        return self.loop.at_rest() | {"frames": 0.0}

    def pieces(
        self,
        scenarios: Sequence[Scenario],
        duration: float,
        starts: Sequence[Mapping[str, Any]] | None = None,
        length: float = PIECE_S,
    ) -> Iterator[LanePiece]:
        """The run piece by piece; the caller may stop at any piece.

        If there are fewer scenarios than lanes, the last one fills the remaining lanes.

        Args:
            duration: length of the run [s]
            starts: initial states of the lanes; at rest by default
            length: length of a piece [s]
        """
        filled = [*scenarios, *[scenarios[-1]] * (LANES - len(scenarios))]
        given = [self.rest] * LANES if starts is None else [*starts, *[starts[-1]] * (LANES - len(starts))]
        frames = [float(start["frames"]) for start in given]
        state = {name: _stacked([start[name] for start in given]) for name in given[0] if name != "frames"}
        quiet = {name: x for name, x in self.loop.quiet_inputs().items() if name not in ROWS}
        held = [quiet | s.held() for s in filled]
        inputs = {name: _stacked([h[name] for h in held]) for name in held[0]}
        dt, left = self.loop.dt, round(duration / self.loop.dt)
        piece = max(1, round(length / dt))
        while left > 0:
            n, first = min(left, piece), np.array(state["tick"])
            parts = [s.rows(round(float(t)), n, dt, f) for s, t, f in zip(filled, first, frames, strict=True)]
            rows = {name: _stacked([part[name] for part in parts]) for name in ROWS}
            now: dict[str, Any] = {**inputs, **state, **rows}
            out = self._scan(n, **now)
            state, frames = {name: out[name] for name in state}, [float(part["host_count"][-1]) for part in parts]
            states = tuple(
                {name: np.array(x[..., k]) for name, x in state.items()} | {"frames": frames[k]} for k in range(LANES)
            )
            yield LanePiece(first, {name: out[name] for name in self.outputs}, states)
            left -= n


def _stacked(values: Sequence[Any]) -> Array:
    return np.stack([np.asarray(v, dtype=np.float64) for v in values], axis=-1)

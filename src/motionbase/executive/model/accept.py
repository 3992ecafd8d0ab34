"""Judging a step: one that was solved is taken, any other is tried again with ever shorter steps from one state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.multibody.network.solved import is_solved

SHORTER = 8  # lengths of a step that is tried again, each half of the one before


def accept(states: Sequence[Port], firsts: Sequence[Sequence[float]], weights: Sequence[float]) -> Kernel:
    """A step that was solved is taken; after any other the model stays as it is, and tries again from one state alone.

    Where joints stick and brakes close, a step may have no solution that corrections find; a shorter one has.

    Args:
        states: of the step, without `worst`
        firsts: weights of a step that looks back at one state: of the usual length, and of ever shorter ones
        weights: of every other step
    """

    def expr(*given: Any) -> Any:
        residual, count, unsolved = given[:3]
        before, after = given[3 : 3 + len(states)], given[3 + len(states) :]
        names = [p.name for p in states]
        solved = is_solved(residual, *(dict(zip(names, values, strict=True)) for values in (before, after)))
        kept = [ca.if_else(solved, new, old) for new, old in zip(after, before, strict=True)]
        again = ca.DM(firsts[-1])
        for k in reversed(range(len(firsts) - 1)):
            again = ca.if_else(unsolved <= k, ca.DM(firsts[k]), again)
        short = unsolved > 1  # of the step that was solved now: the next one cannot look back beyond it
        after_this = ca.if_else(short, ca.DM(firsts[0]), ca.DM(weights))
        return (
            *kept,
            count + 1 - solved,
            ca.if_else(ca.logic_not(solved), unsolved + 1, 0),
            ca.if_else(solved, after_this, again),
        )

    plain = [Port(p.name, p.shape, p.unit, p.description) for p in states]
    new = [Port(f"{p.name}_next", p.shape) for p in states]
    taken = [Port(f"{p.name}_taken", p.shape) for p in states]
    told = (Port("count_next"), Port("unsolved_next"), Port("weights", len(weights)))
    inputs = (Port("residual"), Port("count"), Port("unsolved"), *plain, *new)
    return Kernel("accept", inputs, (*taken, *told), expr)

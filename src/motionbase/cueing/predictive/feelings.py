"""What a person feels of an error, over the horizon: parts of the organs, exact for errors linear between nodes."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.vestibular import CANAL, OTOLITH, Organ

ORGANS = ((OTOLITH, slice(0, 3)), (CANAL, slice(3, 6)))
"""And their channels: specific force feels with the otoliths, turning with the canals."""


class Response(NamedTuple):
    """Response of an organ at the nodes.

    Attributes:
        free: (n, parts) from its parts at the present
        forced: (n, n + 1) from its input at the present and the nodes
    """

    free: Array
    forced: Array


def response(organ: Organ, times: Array) -> Response:
    """At times after the first, of an input that is linear between them."""
    n, size = times.size, organ.poles.size
    inputs, parts, kept = np.eye(n), np.zeros((size, n)), np.eye(size)
    free, forced = [], []
    for k, h in enumerate(np.diff(times)):
        decay, begin, end = organ.step(float(h))
        parts = decay[:, None] * parts + np.outer(begin, inputs[k]) + np.outer(end, inputs[k + 1])
        kept = decay[:, None] * kept
        free.append(organ.residues @ kept)
        forced.append(organ.residues @ parts + organ.direct * inputs[k + 1])
    return Response(np.array(free), np.array(forced))


@final
class Felt:
    """Parts of the organs for the error in all six channels, carried on from plan to plan.

    Attributes:
        parts: (parts, 3) for the otoliths and for the canals
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As after a long time without an error."""
        self.parts = [np.zeros((organ.poles.size, 3)) for organ, _ in ORGANS]
        self._before = np.zeros(6)

    def advance(self, error: Array, elapsed: float) -> None:
        """To a new error (6,), which grew linearly during the time since the last one [s]."""
        if elapsed > 0:
            for k, (organ, at) in enumerate(ORGANS):
                decay, begin, end = organ.step(elapsed)
                self.parts[k] = (
                    decay[:, None] * self.parts[k] + np.outer(begin, self._before[at]) + np.outer(end, error[at])
                )
        self._before = np.array(error)

    def now(self) -> Array:
        """(6,) what is felt of the error."""
        return np.concatenate(
            [
                organ.residues @ parts + organ.direct * self._before[at]
                for parts, (organ, at) in zip(self.parts, ORGANS, strict=True)
            ]
        )

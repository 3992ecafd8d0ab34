"""Systems whose frequency response is known, for the motion cueing test."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import signal

from motionbase.arrays import AnyArray, Array
from motionbase.cueing.omct.measure import Observed
from motionbase.cueing.omct.motions import Excitation
from motionbase.record.vehicle import G

DT = 0.02
REST = np.array([0, 0, G, 0, 0, 0])


class Answer:
    """A platform that makes of the vehicle's six signals what a function says, in pieces."""

    def __init__(self, answer: Callable[[Array], Array]) -> None:
        self.answer = answer
        self.runs: list[tuple[int, float]] = []

    def observed(self, vehicles: Sequence[Excitation], duration: float) -> Iterator[Observed]:
        """As in `System`."""
        self.runs.append((len(vehicles), duration))
        t = DT * np.arange(round(duration / DT), dtype=np.float64)
        y = np.stack([self.answer(v.rows(t)[:, :6] - REST) + REST for v in vehicles], axis=-1)
        for k in range(0, len(t), 333):
            yield Observed(t[k : k + 333], y[k : k + 333])


def bilinear(numerator: list[float], denominator: list[float]) -> tuple[Answer, Callable[[Array], AnyArray]]:
    """All six signals through one discrete filter, and its response at frequencies [rad/s]."""
    b, a = signal.bilinear(numerator, denominator, fs=1 / DT)
    return Answer(lambda u: signal.lfilter(b, a, u, axis=0)), lambda w: signal.freqz(b, a, worN=w * DT)[1]


def delayed(ticks: int) -> Answer:
    """All six signals some ticks later."""
    return Answer(lambda u: np.vstack([np.zeros((ticks, 6)), u[:-ticks]]))

"""New pivots for a network that runs in real time: chosen and compiled in another thread, then put in place of the old.

    from motionbase.executive import Job, ReplaceableJob

    arrays = step_arrays(network)
    job = ReplaceableJob(step_code(network), feedback=FEEDBACK, **arrays)
    with Repivoting(network, arrays, job.replace):
        ...  # a loop that calls job.job

Until new code is there, the old goes on. Its solves are refined with the true residual of the linear system, a fixed
number of times in every step (`Network.refinements`), so its time does not vary.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.errors import MotionBaseError
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.step import FEEDBACK

LOOK_EVERY_S = 0.005
SEEN = 3  # steps beyond the limit since the last look: one or two are a pivot that passes through zero
CALM = 100  # looks in a row without such steps, after which all is well
TRIED = 3  # orders chosen in a row without success, after which dense factors are taken
COPIES = 100  # attempts to copy a state that the loop does not change meanwhile


def step_arrays(network: Network) -> dict[str, Array]:
    """Arrays for every port of a step, with the state of the network's start; weights are those of the first step."""
    arrays: dict[str, Array] = {port.name: np.zeros(port.dims) for port in network.program.ports}
    for name, value in {**network.start().ports(), **network.inputs}.items():
        arrays[name][...] = value
    for port in network.network.ports:
        if port.name.endswith("_active") and port.name not in network.inputs:
            arrays[port.name][...] = 1.0
    arrays["weights"][...] = network.method.start().row(network.step_size)
    return arrays


def step_code(network: Network, mode: Literal["strict", "fast"] = "strict") -> Compiled:
    """Machine code of one step."""
    return compile(network.program, mode=mode)


@final
class Repivoting:
    """Watches the growth of a running network's pivots; a context manager.

    Args:
        put: takes new code
        may_be_dense: whether the loop has time for dense factors, where no order of pivots lasts

    Attributes:
        network: with the pivots in use
        chosen: how often others were put in place
        failed: why a choice failed, if one did; the code in use goes on
    """

    def __init__(
        self,
        network: Network,
        arrays: Mapping[str, Array],
        put: Callable[[Compiled], None],
        mode: Literal["strict", "fast"] = "strict",
        *,
        may_be_dense: bool = True,
    ) -> None:
        self.network, self.chosen, self.failed = network, 0, ""
        self._arrays, self._put, self._mode = arrays, put, mode
        self._may_be_dense = may_be_dense and network.may_be_dense
        self._over, self._in_a_row, self._calm = float(arrays["worst"][1]), 0, 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="repivoting", daemon=True)

    def __enter__(self) -> Repivoting:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ends.wait(LOOK_EVERY_S):
            self.look()

    def look_is_due(self) -> bool:
        """Whether pivots were poor in several steps since the last choice."""
        return float(self._arrays["worst"][1]) - self._over >= SEEN and not self.network.dense

    def look(self) -> bool:
        """Choose new pivots if the steps since the last look need them; whether they did."""
        poor = self.look_is_due()
        self._calm, self._over = 0 if poor else self._calm + 1, float(self._arrays["worst"][1])
        if self._calm >= CALM:
            self._in_a_row = 0
        if not poor:
            return False
        self._in_a_row += 1
        if self._in_a_row > TRIED and not self._may_be_dense:
            self.failed = f"{TRIED} orders in a row did not last, and dense factors would take too long"
            return False
        try:
            better = self._better()
            code = step_code(better, self._mode)
        except MotionBaseError as error:
            self.failed = str(error)
            return False
        self._put(code)
        self.network, self.chosen = better, self.chosen + 1
        self._over = float(self._arrays["worst"][1])  # those while it was compiled were of the old pivots
        return True

    def _better(self) -> Network:
        if self._in_a_row > TRIED:
            return replace(self.network, dense=True)
        return self.network.repivoted(self._state())

    def _state(self) -> dict[str, Any]:
        """The state between two steps; of a loop that is too quick for that the last one seen, which is near enough."""
        state: dict[str, Any] = {}
        for _ in range(COPIES):
            state = {name: self._arrays[name].copy() for name in FEEDBACK}
            if all(np.array_equal(state[name], self._arrays[name]) for name in FEEDBACK):
                break
        return state

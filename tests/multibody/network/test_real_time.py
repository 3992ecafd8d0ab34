"""Pivots chosen anew in the background while steps go on: none is lost, none is poor, and the motion is right."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.errors import ScheduleError
from motionbase.executive import ReplaceableJob
from motionbase.multibody.closed import Start
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.real_time import Repivoting, step_arrays, step_code
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.network.step import FEEDBACK

# Coupler and rocker without mass: their rows are those of constraints alone, whose entries turn with the crank, so that
# pivots chosen at one place vanish at another (growth 3e7). With mass, pivots are good wherever the crank is.
MASSLESS = ("coupler", "rocker")
LIMIT = 100.0


def four_bar(**more: Any) -> Network:
    model = MODELS["four_bar"].build()
    begin = Start(np.array(q_of(model, {"j_crank": 0.5})), np.array(v_of(model, {"j_crank": 8.0})))
    q, v, dropped = assembled(model, begin, 1e-3)
    return Network(model, 1e-3, q, v, dropped=dropped, massless=MASSLESS, growth_limit=LIMIT, **more)


class Ticks:
    """A job called tick by tick, as the native loop does, with a record of how well each was solved."""

    def __init__(self, network: Network) -> None:
        self.arrays = step_arrays(network)
        self.job = ReplaceableJob(step_code(network), feedback=FEEDBACK, **self.arrays)
        self.residual, self.growth, self.nodes = list[float](), list[float](), list[Array]()
        self()
        self.arrays["weights"][...] = network.method.weights(1.0).row(network.step_size)

    def __call__(self) -> None:
        self.job.job()
        self.residual.append(float(self.arrays["residual"]))
        self.growth.append(float(self.arrays["growth"]))
        self.nodes.append(self.arrays["one"].copy())


def test_pivots_are_replaced_between_ticks_while_the_old_ones_go_on() -> None:
    network = four_bar(refinements=2)
    ticks = Ticks(network)
    watch = Repivoting(network, ticks.arrays, ticks.job.replace)
    while not watch.look_is_due() or max(ticks.growth) < 1e3:  # the first order fails on the way
        ticks()
    background = threading.Thread(target=watch.look)
    background.start()
    meanwhile = 0
    while background.is_alive():
        background.join(1e-3)  # a tick a millisecond
        ticks()
        meanwhile += 1
    assert (ticks.job.replaced, watch.chosen, watch.failed) == (1, 1, "")
    assert meanwhile > 10  # ticks went on while the new code was made
    for _ in range(2000):
        ticks()
    forces = float(np.abs(ticks.arrays["own_one"]).max())
    assert max(ticks.residual) < 1e-9 * forces  # and yet every step was solved
    exact = Ticks(replace(network, dense=True))
    for _ in range(len(ticks.nodes) - 1):
        exact()
    assert max(exact.growth) < 10.0
    # positions, quaternions and velocities; what refinement leaves is of the order of eps, and drifts over the steps
    found, right = (np.array(of.nodes)[:, :, :13] for of in (ticks, exact))
    np.testing.assert_allclose(found, right, atol=1e-9)


def test_where_no_order_lasts_the_watch_takes_dense_factors() -> None:
    network = four_bar(refinements=1)
    arrays = step_arrays(network)
    put: list[Any] = []
    watch = Repivoting(network, arrays, put.append)
    for _ in range(4):
        arrays["worst"][1] += 10  # as the step counts
        assert watch.look()
    assert watch.network.dense and len(put) == 4
    arrays["worst"][1] += 10
    assert not watch.look()  # there is nothing better


def test_a_loop_without_time_for_dense_factors_keeps_the_third_order() -> None:
    network = four_bar()
    arrays = step_arrays(network)
    put: list[Any] = []
    watch = Repivoting(network, arrays, put.append, may_be_dense=False)
    for _ in range(5):
        arrays["worst"][1] += 10
        watch.look()
    assert len(put) == watch.chosen == 3 and not watch.network.dense
    assert watch.failed == "3 orders in a row did not last, and dense factors would take too long"


def test_code_with_other_ports_is_refused() -> None:
    def kernel(name: str) -> Kernel:
        return Kernel("twice", (Port(name),), (Port("y"),), lambda x: 2 * x)

    job = ReplaceableJob(compile(kernel("x")), x=np.ones(()), y=np.zeros(()))
    with pytest.raises(ScheduleError, match="has other ports"):
        job.replace(compile(kernel("z")))


def test_a_run_takes_dense_factors_where_growth_stays() -> None:
    network = replace(four_bar(), growth_limit=1.0)  # which no order can keep
    held = {port.name: np.zeros(port.dims) for port in network.network.ports}
    run = run_network(RunJob(network, 200, held, {}))
    exact = run_network(RunJob(replace(network, dense=True), 200, held, {}))
    assert run.repivots == 3 and exact.repivots == 0
    np.testing.assert_allclose(run.q, exact.q, atol=1e-9)

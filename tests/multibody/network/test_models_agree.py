"""Every built-in model that both engines take: the same motion, constraints that are met, energy that only falls."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from motionbase.multibody.closed import Start
from motionbase.multibody.compare import Comparison, compare
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import given_coordinates, given_speeds, q_of, v_of
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import METHODS
from motionbase.multibody.network.run import NetworkRun, RunJob, run_network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.simulate import simulate
from motionbase.multibody.watch import SimulationWarning

CLOSE = 1e-6  # [m, rad] between the engines, after Richardson's extrapolation of the network at two steps
ROUNDING = 1e-9  # [m, rad] below which differences tell no order: the tree's own error and rounding over 10 s


class Case(NamedTuple):
    """Steps of the network [s] and durations [s] of a long and a short comparison.

    What extrapolation leaves is of fourth order in the step, so fast motions need short ones.
    """

    dt: float
    seconds: float
    short_dt: float
    short_seconds: float
    why: str = ""  # shorter than 10 s


CASES = {
    "pendulum": Case(1e-4, 10.0, 1e-3, 1.0),
    "two_link": Case(2.5e-5, 5.0, 1e-3, 0.5, "chaotic: roundings grow to 2e-6 within ten seconds"),
    "top": Case(2e-5, 10.0, 1e-4, 0.02),
    "four_bar": Case(5e-5, 10.0, 2e-4, 0.1),
    "slider_crank": Case(5e-5, 10.0, 2e-4, 0.1),
    # near their singular positions, where the tips lie flat, shorter steps amplify roundings more often
    "double_four_bar": Case(2.5e-4, 10.0, 1e-3, 0.5),
    "n_four_bar": Case(5e-4, 10.0, 1e-3, 0.5),
    "bricard": Case(2e-4, 10.0, 1e-3, 0.5),
    "flyball_governor": Case(1e-4, 10.0, 1e-4, 0.05),
    "andrews": Case(2e-6, 0.03, 1e-5, 0.005, "30 ms are its 15 rad; then the spring's motion is chaotic"),
    "gimbal_rig": Case(2e-4, 10.0, 1e-3, 0.2),
    "rotating_beam": Case(2e-5, 0.05, 5e-5, 0.005, "760 rad/s along the beam, followed for 38 rad"),
    "srms": Case(2e-3, 10.0, 1e-2, 1.0),
    "ssrms": Case(2e-3, 10.0, 1e-2, 1.0),
    "srms_on_orbiter": Case(2e-3, 10.0, 1e-2, 1.0),
    "srms_flexible": Case(5e-5, 2.0, 5e-5, 0.02, "modes of 100 Hz, which need short steps, and 236 equations"),
    "puma560": Case(2e-4, 10.0, 1e-3, 0.1),
    "comau": Case(2e-4, 10.0, 2e-4, 0.05),
    "comau_flexible": Case(5e-6, 0.02, 5e-6, 2e-3, "beams of 1e4 rad/s and more, which the tree's steps must follow"),
    "arm7": Case(2e-4, 10.0, 1e-3, 0.1),
    "arm7_free": Case(1e-3, 10.0, 1e-2, 1.0),
    "chain30": Case(1e-3, 0.1, 1e-3, 0.1, "chaotic, and 510 equations"),
    "robot6": Case(1e-4, 1.0, 1e-3, 0.1, "chaotic: it falls apart from itself within three seconds"),
    "robot6_servos": Case(2e-4, 10.0, 2e-4, 0.05),
}
QUICK = ("pendulum", "top", "four_bar", "slider_crank")
LARGE = pytest.mark.long("networks take seconds to compile")


def some(names: Iterable[str], quick: tuple[str, ...]) -> list[object]:
    """All of them as parameters, a few of them in every run."""
    return [pytest.param(name, marks=() if name in quick else LARGE) for name in names]


def test_every_shared_model_is_compared() -> None:
    assert {name for name, example in MODELS.items() if len(example.engines) == 2} == set(CASES)
    assert all(case.why for case in CASES.values() if case.seconds < 10.0)


def compared(name: str, seconds: float, dt: float) -> Comparison:
    example = MODELS[name]
    found = compare(example.build(), seconds, dt, q0=example.q0, v0=example.v0)
    print(found)
    return found


def is_second_order(found: Comparison) -> bool:
    return float(found.fine.max()) < ROUNDING or 1.9 < found.order < 2.1


@pytest.mark.parametrize("name", some(CASES, QUICK))
def test_engines_agree_shortly(name: str) -> None:
    case = CASES[name]
    found = compared(name, case.short_seconds, case.short_dt)
    assert found.difference < CLOSE / 10 and is_second_order(found), str(found)


@pytest.mark.long("many seconds at short steps")
@pytest.mark.parametrize("name", CASES)
def test_engines_agree(name: str) -> None:
    case = CASES[name]
    found = compared(name, case.seconds, case.dt)
    assert found.difference < CLOSE and is_second_order(found), str(found)


# ---- constraints ---------------------------------------------------------------------------------------------------


def run(name: str, seconds: float, dt: float, method: str = "ms") -> NetworkRun:
    """From the example's start, with nothing at its inputs."""
    example = MODELS[name]
    model = example.build()
    begin = Start(
        q_of(model, example.q0), v_of(model, example.v0),
        given_coordinates(model, example.q0), given_speeds(model, example.v0),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # starts are given with few digits
        q, v, dropped = assembled(model, begin, dt)
    network = Network(model, dt, q, v, METHODS[method], dropped=dropped)  # type: ignore[arg-type]
    held = {port.name: np.zeros(port.dims) for port in network.network.ports}
    return run_network(RunJob(network, round(seconds / dt), held, {}))


IN_NETWORK = tuple(name for name, example in MODELS.items() if "network" in example.engines)


@pytest.mark.parametrize("name", some(IN_NETWORK, ("top", "four_bar", "bricard")))
def test_constraints_are_met(name: str) -> None:
    """To 1e-9 m and rad in every sample: steps are solved to rounding, for bodies of up to 10 m and 1e5 kg."""
    case = CASES.get(name)
    seconds, dt = (case.short_seconds, case.short_dt) if case else (0.2, 5e-4)
    assert run(name, seconds, dt).miss <= 1e-9


# ---- energy --------------------------------------------------------------------------------------------------------

# conservative ones: seconds and step [s], long enough to lose more than a method of second order gives and takes
CONSERVATIVE = {
    "pendulum": (30.0, 1e-2), "two_link": (20.0, 5e-3), "top": (2.0, 5e-4), "four_bar": (10.0, 2e-3),
    "slider_crank": (10.0, 2e-3), "double_four_bar": (8.0, 2.5e-3), "bricard": (30.0, 2e-2),
    "puma560": (60.0, 1e-2), "rotating_beam": (1.0, 1e-3),
}  # fmt: skip


@cache
def energy(name: str, method: str, dt: float) -> np.ndarray:
    """Over time, less that of the start, as a part of the largest kinetic energy."""
    example = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        found = simulate(
            example.build(), CONSERVATIVE[name][0], dt, engine="network", method=method, q0=example.q0, v0=example.v0
        )
    return np.asarray((found.total_energy - found.total_energy[0]) / found.energy["kinetic"].max())


@pytest.mark.parametrize("method", ["ms", "bdf2"])
@pytest.mark.parametrize("name", some(CONSERVATIVE, ("pendulum", "top", "bricard")))
def test_energy_falls(name: str, method: str) -> None:
    """Peaks of three parts of a run fall, and what is given back within a swing falls with the square of the step."""
    dt = CONSERVATIVE[name][1]
    E = energy(name, method, dt)
    peaks = [part.max() for part in np.array_split(E, 3)]
    assert peaks[2] < peaks[1] < peaks[0]
    if (given := largest_rise(E)) > 1e-5:
        assert given > 3.0 * largest_rise(energy(name, method, dt / 2))  # 3.3 to 4.0 measured


def largest_rise(E: np.ndarray) -> float:
    """By how much energy ever stands above what it was before."""
    return float((E - np.minimum.accumulate(E)).max())

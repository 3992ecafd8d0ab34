"""A free-floating Shuttle arm: its drift in a minute, and the cost of its momentum as a state."""

import functools
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.compile import compile, scan
from motionbase.multibody import Model
from motionbase.multibody.integrators import METHODS, AbstractMethod, System
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.flight import Flight
from motionbase.multibody.tree.outputs import Outputs

# every joint at 0.5 rad/s and the base tumbling at 0.1 rad/s; the light wrist reaches 29 rad/s by itself. Signs
# matter: with others it reaches 58 rad/s, and the same method is a hundred times worse
FREE_RATES = {
    "shoulder_yaw": 0.5, "shoulder_pitch": 0.5, "elbow_pitch": -0.5, "wrist_pitch": 0.5, "wrist_yaw": -0.5,
    "wrist_roll": 0.5, "flight.wx": 0.06, "flight.wy": 0.05, "flight.wz": 0.06,
}  # fmt: skip


@functools.cache
def free_flight(settings: Settings, by_momentum: bool) -> tuple[float, float, float]:
    """Relative drift of energy, angular and linear momentum: the Shuttle arm on a free orbiter, RK4 at 1 kHz.

    Linear momentum is relative to the largest one of the orbiter, which is what the arm exchanges with it; angular
    momentum is about the centre of mass.
    """
    whole = MODELS["srms_on_orbiter"].build()
    model = Model(
        "srms_free",
        tuple(b for b in whole.bodies if b.name != "payload"),
        tuple(j for j in whole.joints if j.child != "payload"),
        whole.gravity,
    )
    tree = Tree(model)
    start = {"shoulder_pitch": 0.6, "elbow_pitch": -1.2, "wrist_pitch": 0.4}
    run = simulate(
        Flight(tree) if by_momentum else tree, 6.0 if settings.quick else 60.0, 1e-3, q0=start, v0=FREE_RATES, every=10
    )
    momenta = compile(Outputs(tree).momenta).map(q=np.ascontiguousarray(run.q), v=np.ascontiguousarray(run.v))
    angular, linear = momenta["angular"], momenta["linear"]
    exchanged = model.body("orbiter").mass * np.linalg.norm(run.v[:, 3:6], axis=1).max()
    return (
        float(run.energy_drift),
        float(np.abs(angular - angular[0]).max() / np.linalg.norm(angular[0])),
        float(np.abs(linear - linear[0]).max() / exchanged),
    )


def momentum_drift(settings: Settings, by_momentum: bool) -> Samples:
    """The larger drift of angular and linear momentum."""
    energy, angular, linear = free_flight(settings, by_momentum)
    return Samples((max(angular, linear),), f"angular {angular:.1e}, linear {linear:.1e}, energy {energy:.1e}")


@functools.cache
def steps(settings: Settings) -> Rounds:
    """Time per RK4 step [s] of the Shuttle arm with payload on a free orbiter, by momentum and by speeds."""
    example = MODELS["srms_on_orbiter"]
    model = example.build()
    tree, rk4 = Tree(model), METHODS["rk4"]
    assert isinstance(rk4, AbstractMethod)
    flight, q, v = Flight(tree), q_of(model, example.q0), v_of(model, example.v0)

    def side(system: System, start: np.ndarray) -> Callable[[], float]:
        run = scan(rk4.step(system), {"q": "q_next", "v": "v_next"})
        return per_evaluation(lambda n: run(n, h=1e-3, q=q, v=start, tau=np.zeros(model.nv)), 2_000)

    sides = {
        "momentum": side(System(model, flight.forward_dynamics, flight.speeds_of), compile(flight.momenta)(q=q, v=v)),
        "speeds": side(System(model, tree.forward_dynamics), v),
    }
    return interleaved(sides, settings)


def flight_cost(settings: Settings) -> Samples:
    """Time of a step with `Flight` over that of the tree."""
    rounds = steps(settings)
    micros = (rounds.side(name, 1e6).median for name in ("momentum", "speeds"))
    return Samples(rounds.ratio("momentum", "speeds").values, "{:.1f} against {:.1f} us".format(*micros))

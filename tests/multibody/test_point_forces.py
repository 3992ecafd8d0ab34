"""Forces and moments at points, in world and body axes: both engines against the balance of momentum."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.elements import PointForce
from motionbase.multibody.flexible import beam
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.start import places_at
from motionbase.multibody.simulate import simulate

FORCE, MOMENT = np.array([3.0, -1.0, 2.0]), np.array([0.2, 0.4, -0.3])
INERTIAS = {"hub": np.array([0.2, 0.3, 0.4]), "flap": np.array([0.02, 0.05, 0.05])}
MASSES = {"hub": 3.0, "flap": 1.0}


def flyer(axes: Literal["world", "body"]) -> Model:
    """A hub that flies with a flap on a hinge, pushed and turned at the flap's tip."""
    hub = Body("hub", 3.0, (0.0, 0.0, 0.0), tuple(INERTIAS["hub"]))
    flap = Body("flap", 1.0, (0.3, 0.0, 0.0), tuple(INERTIAS["flap"]), {"tip": (0.6, 0.1, 0.0)})
    joints = Joint("flight", GROUND, "hub", Free()), Joint("hinge", "hub", "flap", revolute((0, 1, 0)), (0.5, 0, 0))
    return Model("flyer", (hub, flap), joints, (0.0, 0.0, 0.0), (PointForce("push", "flap", "tip", axes, moment=True),))


def momenta(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """(samples, 6) momentum and angular momentum about the origin, and (samples, 18) places of the flap."""
    network, linear, angular, flaps = Network(model, 1e-3).network, [], [], []
    for q_now, v_now in zip(q, v, strict=True):
        places, p, L = places_at(network, q_now, v_now), np.zeros(3), np.zeros(3)
        for body, place in zip(model.bodies, places, strict=True):
            R, own = place[3:12].reshape(3, 3), MASSES[body.name] * place[12:15]
            p += own
            L += np.cross(place[:3], own) + R @ np.diag(INERTIAS[body.name]) @ R.T @ place[15:18]
        linear.append(p)
        angular.append(L)
        flaps.append(places[1])
    return np.hstack([linear, angular]), np.array(flaps)


@pytest.mark.parametrize("engine", ["tree", "network"])
@pytest.mark.parametrize("axes", ["world", "body"])
def test_momentum_grows_by_the_force_and_the_moment(engine: str, axes: Literal["world", "body"]) -> None:
    """d/dt (p, L) = (F, M + x F), integrated over the run by Simpson's rule at samples of 1 ms."""
    model = flyer(axes)
    inputs = {"push_force": FORCE, "push_moment": MOMENT}
    dt = 1e-4 if engine == "network" else 1e-3
    v0, every = {"flight.wz": 1.0, "hinge": 2.0}, round(1e-3 / dt)
    run = simulate(model, 0.5, dt, engine=engine, v0=v0, inputs=inputs, every=every)  # type: ignore[arg-type]
    found, flap = momenta(model, run.q, run.v)
    R = flap[:, 3:12].reshape(-1, 3, 3)
    arms = flap[:, :3] + R @ np.array([0.3, 0.1, 0.0])
    turned = R if axes == "body" else np.tile(np.eye(3), (len(R), 1, 1))
    force, moment = turned @ FORCE, turned @ MOMENT
    rates = np.hstack([force, moment + np.cross(arms, force)])
    weights = np.ones(len(R))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    grown = 1e-3 / 3 * weights @ rates
    # second order in the step for the network (some 1e-7 of the way), rk4 and Simpson's rule far less
    np.testing.assert_allclose(found[-1] - found[0], grown, atol=2e-6 if engine == "network" else 1e-9)


@pytest.mark.parametrize("engine", ["tree", "network"])
def test_a_force_at_the_tip_of_a_flexible_body_bends_it(engine: str) -> None:
    """A cantilever that has come to rest: K eta = shape' F, and nearly F L^3 / (3 E I), of which two modes miss 1 %."""
    modes = beam(2.0, 1.0, EI_y=50.0, EI_z=80.0, bending=(2, 2), damping=0.7)
    model = Model(
        "cantilever", (Body("boom", modes=modes),), (Joint("clamp", GROUND, "boom", fixed()),), (0.0, 0.0, 0.0),
        (PointForce("push", "boom", "tip"),),
    )  # fmt: skip
    run = simulate(model, 5.0, 2e-3, engine=engine, inputs={"push_force": (0.0, 0.0, 0.05)})  # type: ignore[arg-type]
    eta = np.linalg.solve(modes.stiffness, modes.points["tip"].shape.T @ np.array([0.0, 0.0, 0.05]))
    np.testing.assert_allclose(run.q[-1], eta, atol=1e-7)
    tip = modes.points["tip"].shape @ run.q[-1]
    assert tip[2] == pytest.approx(0.05 * 2.0**3 / (3 * 50.0), rel=0.01)

"""Velocity, Jacobian and acceleration of points against finite differences along the motion."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody import Model
from motionbase.multibody.tree.state import TreeState
from tests.multibody.random_models import random_model, random_state

KINDS = ["revolute", "prismatic", "universal", "cylindrical", "planar", "spherical"]


def functions(model: Model, body: str, point: tuple[float, float, float]) -> Any:
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    at = TreeState.of(model, q, v).point(body, point)
    rates = [
        j.motion.rate(q[s[0]], v[w[0]]) for j, s, w in zip(model.joints, model.q_slices, model.v_slices, strict=True)
    ]
    place = ca.Function("place", [q, v], [at.p, at.R, at.velocity, at.J, at.acceleration])
    return place, ca.Function("rate", [q, v], [ca.vertcat(*rates)])


@pytest.mark.parametrize("seed", range(6))
def test_point_motion(seed: int) -> None:
    """Central differences with h = 1e-5: error about h^2 times third derivatives (below 1e3) and 1e-16 / h."""
    model = random_model(seed, 5, KINDS, free_base=seed % 2 == 0)
    q, v, _ = random_state(model, seed)
    place, rate = functions(model, "b4", (0.1, -0.2, 0.3))
    h = 1e-5

    def at(t: float) -> list[np.ndarray]:
        """Constant speeds, coordinates by a fourth-order step."""
        k1 = np.array(rate(q, v)).ravel()
        k2 = np.array(rate(q + t / 2 * k1, v)).ravel()
        k3 = np.array(rate(q + t / 2 * k2, v)).ravel()
        k4 = np.array(rate(q + t * k3, v)).ravel()
        return [np.array(x).squeeze() for x in place(q + t / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v)]

    now, after, before = at(0.0), at(h), at(-h)
    p_dot = (after[0] - before[0]) / (2 * h)
    R_dot = (after[1] - before[1]) / (2 * h)
    W = R_dot @ now[1].T
    np.testing.assert_allclose(now[2][3:], p_dot, atol=1e-6)
    np.testing.assert_allclose(now[2][:3], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-6)
    np.testing.assert_allclose(now[3] @ v, now[2], atol=1e-12)
    np.testing.assert_allclose(now[4], (after[2] - before[2]) / (2 * h), atol=1e-5)

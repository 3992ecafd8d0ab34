"""Random trees, the same for every engine."""

import numpy as np
from numpy.typing import NDArray

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.joints import AbstractMotion, Free, Spherical, cylindrical, fixed, planar, prismatic, revolute
from motionbase.multibody.joints import universal as universal_joint

Array = NDArray[np.float64]


def random_rotation(rng: np.random.Generator) -> Array:
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    turned: Array = Q * np.linalg.det(Q)
    return turned


def random_inertia(rng: np.random.Generator) -> Array:
    """Of a cloud of particles, so that it is physical."""
    points = rng.standard_normal((8, 3)) * rng.uniform(0.1, 0.5, 3)
    points -= points.mean(axis=0)
    return sum((np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in points), np.zeros((3, 3)))


def unit(rng: np.random.Generator) -> tuple[float, float, float]:
    v = rng.standard_normal(3)
    x, y, z = v / np.linalg.norm(v)
    return (float(x), float(y), float(z))


def random_motion(rng: np.random.Generator, kinds: list[str]) -> AbstractMotion:
    kind = kinds[rng.integers(len(kinds))]
    makers = {
        "revolute": lambda: revolute(unit(rng)),
        "prismatic": lambda: prismatic(unit(rng)),
        "universal": lambda: universal_joint(unit(rng), unit(rng)),
        "cylindrical": lambda: cylindrical(unit(rng)),
        "planar": lambda: planar((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        "spherical": Spherical,
        "fixed": fixed,
        "free": Free,
    }
    return makers[kind]()


def random_model(seed: int, bodies: int, kinds: list[str], free_base: bool) -> Model:
    """A tree of any shape with masses, joint places and gravity that have nothing special about them."""
    rng = np.random.default_rng(seed)
    made, joints = [], []
    for k in range(bodies):
        made.append(
            Body(f"b{k}", float(rng.uniform(0.5, 5)), tuple(rng.standard_normal(3) * 0.3), random_inertia(rng).tolist())
        )
        parent = GROUND if k == 0 else f"b{rng.integers(k)}"
        motion = Free() if k == 0 and free_base else random_motion(rng, kinds)
        joints.append(
            Joint(f"j{k}", parent, f"b{k}", motion, tuple(rng.standard_normal(3) * 0.4), random_rotation(rng).tolist())
        )
    order = rng.permutation(bodies)  # the model sorts them itself
    return Model("random", tuple(made), tuple(joints[k] for k in order), tuple(rng.standard_normal(3) * 5))


def random_state(model: Model, seed: int) -> tuple[Array, Array, Array]:
    """Coordinates (quaternions of length one), speeds and forces."""
    rng = np.random.default_rng(seed + 1000)
    q = rng.uniform(-1.5, 1.5, model.nq)
    for joint, (at, _) in zip(model.joints, model.q_slices, strict=True):
        if joint.motion.has_quaternion:
            q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
    return q, rng.standard_normal(model.nv), 3 * rng.standard_normal(model.nv)

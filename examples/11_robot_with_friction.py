"""A PUMA 560 that follows a path with and without friction that sticks, by the network engine.

`python examples/11_robot_with_friction.py FOLDER` saves the plot in the folder. Arm, motors, Coulomb and viscous
friction are published; servo gains, static friction and the bristles are illustrative (`motionbase models`).
"""

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from motionbase.compile import compile
from motionbase.multibody import Model
from motionbase.multibody.models.puma560 import (
    AXES,
    JOINTS,
    NOMINAL,
    coulomb_friction,
    puma560,
    puma560_friction,
    viscous_friction,
)
from motionbase.multibody.models.robot import servos
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree

Array = NDArray[np.float64]
DT, MOVES, HOLDS = 1e-3, 2.0, 1.0  # [s]: step, time out and back, time at rest
SWING = np.array([0.6, 0.3, -0.4, 0.8, 0.5, -1.0])  # [rad]
# 1. Servos: 20 rad/s and critically damped for the inertia that each axis has in this pose.
INERTIA = np.array([3.66, 4.41, 0.94, 0.193, 0.171, 0.194])  # [kg m^2]
KP, KD = 400.0 * INERTIA, 40.0 * INERTIA


def path(t: Array) -> tuple[Array, Array, Array]:
    """Coordinates, speeds and accelerations that are wanted: out and back once, then at rest."""
    w = 2 * math.pi / MOVES
    phase = np.where(t < MOVES, w * t, 0.0)[:, None]
    moving = (t < MOVES)[:, None]
    q = np.array(NOMINAL) + SWING * (1 - np.cos(phase)) / 2
    return q, SWING * w / 2 * np.sin(phase), moving * (SWING * w**2 / 2 * np.cos(phase))


def torques(t: Array) -> Array:
    """What the servos' springs and dampers lack, and what the arm needs without friction: one row a time [N m]."""
    q, v, a = path(t)
    tree = Tree(puma560())
    M = compile(tree.mass_matrix).map(q=q)["M"]
    bias = compile(tree.bias_force).map(q=q, v=v)["G"]
    return np.asarray(KP * q + KD * v + np.einsum("kij,kj->ki", M, a) - bias)


def followed(arm: Model) -> Trajectory:
    """The arm under its servos along the path."""
    driven = replace(arm, elements=(*arm.elements, *servos(JOINTS, KP.tolist(), KD.tolist(), [0.0] * 6)))
    times = DT * np.arange(1, round((MOVES + HOLDS) / DT) + 1, dtype=np.float64)  # an implicit step asks for its end
    start = dict(zip(JOINTS, NOMINAL, strict=True))
    return simulate(driven, MOVES + HOLDS, DT, engine="network", q0=start, inputs={"tau": torques(times)})


def main() -> None:
    """Follow the path twice, compare the errors with those expected, and draw them."""
    # 2. Without friction the feed-forward torque is exact, and what is left is the error of the steps.
    free = followed(puma560())
    error_free = free.q - path(free.t)[0]
    print(f"without friction: {1e3 * np.abs(error_free).max():.4f} mrad off the path at most, 0.1 allowed")
    assert np.abs(error_free).max() < 1e-4

    # 3. With it the servos must press: kp error is about Coulomb's friction and the viscous one at that speed.
    rubs = followed(puma560_friction())
    error = rubs.q - path(rubs.t)[0]
    print("with friction, largest error [mrad] and friction at full speed over the servo's stiffness:")
    for k, axis in enumerate(AXES):
        full = abs(SWING[k]) * math.pi / MOVES
        expected = (coulomb_friction(axis) + viscous_friction(axis) * full) / KP[k]
        largest = np.abs(error[:, k]).max()
        print(f"  {JOINTS[k]}: {1e3 * largest:5.1f}   {1e3 * expected:5.1f}")
        assert 0.95 * expected < largest < 1.2 * expected  # static friction is higher by a fifth

    # 4. At rest it sticks off its goal, and does not creep.
    held = rubs.q[rubs.t > MOVES + 0.8 * HOLDS]
    print(f"at rest: {1e3 * np.abs(error[-1]).max():.1f} mrad off, creeping by {np.ptp(held, axis=0).max():.0e} rad")
    assert np.ptp(held, axis=0).max() < 1e-6

    # 5. A plot.
    with tempfile.TemporaryDirectory() as temporary:
        picture = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / "robot_with_friction.png"
        draw(picture, free.t, error_free, error)
        print(f"wrote {picture.name}")


def draw(picture: Path, t: Array, free: Array, rubbing: Array) -> None:
    """Errors of all joints over time."""
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    for axes, errors, unit, scale in ((top, free, "µrad", 1e6), (bottom, rubbing, "mrad", 1e3)):
        for k, name in enumerate(JOINTS):
            axes.plot(t, scale * errors[:, k], label=name)
        axes.axvline(MOVES, color="k", linewidth=0.6, linestyle=":")
        axes.set_ylabel(f"off the path [{unit}]")
        axes.grid(alpha=0.3)
        axes.margins(x=0)
    top.set_title("PUMA 560 without friction: the error of the steps")
    bottom.set_title("with friction: the servos press, and at rest the joints stick")
    bottom.set_xlabel("t [s]")
    top.legend(ncols=6, loc="upper left")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()

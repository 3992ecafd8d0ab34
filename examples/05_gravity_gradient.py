"""Gravity gradient: a satellite that hangs in its orbit like a pendulum, and an orbiter with an arm and a payload.

`python examples/05_gravity_gradient.py FOLDER` saves the plot in the folder.
"""

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ellipk

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import GravityGradient, JointDamper, JointSpring
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree

# All numbers are illustrative: round, and of the right size for a low orbit.
ORBITAL_PERIOD = 5560.0  # [s]
N = 2 * math.pi / ORBITAL_PERIOD  # orbital rate [rad/s]
ORBIT = GravityGradient("orbit", rate=N)  # the world is now x forward, y along the orbit's normal, z up
NO_GRAVITY = (0.0, 0.0, 0.0)


# 1. One body. Its long axis points to the Earth, so the smallest moment of inertia is that of yaw.
def satellite() -> Model:
    """A free body; roll, pitch and yaw moments are about x, y and z."""
    body = Body("satellite", mass=500.0, inertia=(900.0, 1000.0, 200.0))
    return Model("satellite", (body,), (Joint("flight", GROUND, "satellite", Free()),), NO_GRAVITY, (ORBIT,))


# 2. An orbiter with a payload on a two-link arm, held by its drives (a spring and a damper in each joint).
ORBITER = Body("orbiter", 9.5e4, inertia=(1.2e6, 9.5e6, 1.0e7))
LINK = Body("upper", 140.0, (3.5, 0, 0), (3.0, 600.0, 600.0), {"end": (7.0, 0, 0)})
FORE = Body("fore", 90.0, (3.5, 0, 0), (2.0, 400.0, 400.0), {"end": (7.0, 0, 0)})
PAYLOAD = Body("payload", 1.45e4, (2.0, 0, 0), (3.5e4, 6.0e4, 6.0e4))
NOSE = 12.0  # position of the arm [m]
UP = -math.pi / 2  # rotation about y by this angle points x up


def orbiter() -> Model:
    """The arm is held straight, on the nose."""
    springs = [JointSpring(f"{joint}_drive", joint, 5e5) for joint in ("shoulder", "elbow")]
    dampers = [JointDamper(f"{joint}_loss", joint, 5e5) for joint in ("shoulder", "elbow")]
    joints = (
        Joint("flight", GROUND, "orbiter", Free()),
        Joint("shoulder", "orbiter", "upper", revolute((0, 1, 0)), (NOSE, 0.0, 0.0)),
        Joint("elbow", "upper", "fore", revolute((0, 1, 0)), "end"),
        Joint("grapple", "fore", "payload", fixed(), "end"),
    )
    return Model("orbiter", (ORBITER, LINK, FORE, PAYLOAD), joints, NO_GRAVITY, (ORBIT, *springs, *dampers))


def pitched(angle: float) -> list[float]:
    """Position and quaternion of a body at the world's origin, rotated about y by an angle [rad]."""
    return [0.0, 0.0, 0.0, math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


def pitch(run: Trajectory) -> NDArray[np.float64]:
    """Pitch angle [deg]."""
    angle = 2 * np.arctan2(run.column("q.flight.qy"), run.column("q.flight.qw"))
    return np.degrees(np.unwrap(angle))


def measured_period(t: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    """Mean time between upward crossings of the mean of a swing, each found by linear interpolation [s]."""
    x = x - 0.5 * (x.max() + x.min())
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    passages = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    return float(np.diff(passages).mean())


def libration_period(roll: float, pitch: float, yaw: float, amplitude: float = 0.0) -> float:
    """Period of pitch with an amplitude [rad], from the moments about forward, normal and up [kg m^2]; in seconds.

    Small: omega_p = n sqrt(3 (I_roll - I_yaw) / I_pitch). A swing by a is a pendulum's by 2 a, slower by the elliptic
    integral K: 8e-5 for 1 degree.
    """
    return 4 * float(ellipk(math.sin(amplitude) ** 2)) / (N * math.sqrt(3 * (roll - yaw) / pitch))


def composite_inertia(bodies: list[tuple[Body, float]]) -> NDArray[np.float64]:
    """Inertia of bodies in a row, each with the x of its origin [m], about their centre of mass [kg m^2]."""
    mass = np.array([b.mass for b, _ in bodies])
    com = np.array([np.asarray(b.com) + (x, 0.0, 0.0) for b, x in bodies])
    from_common = com - mass @ com / mass.sum()
    I = np.zeros((3, 3))
    for (body, _), m, c in zip(bodies, mass, from_common, strict=True):
        I += np.asarray(body.inertia) + m * (c @ c * np.eye(3) - np.outer(c, c))
    return I


def main() -> None:
    """Swing the satellite, then the orbiter from two attitudes; compare the periods with the closed form."""
    # 3. Pitch against the closed form. The remaining error is the linear interpolation of samples 5 s apart.
    amplitude = math.radians(1.0)
    swing = simulate(satellite(), 3 * ORBITAL_PERIOD, 5.0, q0={"flight": pitched(amplitude)})
    small = libration_period(roll=900.0, pitch=1000.0, yaw=200.0)
    expected = libration_period(roll=900.0, pitch=1000.0, yaw=200.0, amplitude=amplitude)
    found = measured_period(swing.t, pitch(swing))
    print(f"satellite: period {found:.3f} s, closed form {expected:.3f} s ({small:.3f} s for the smallest swing)")
    print(f"           difference {found / expected - 1:+.0e}, 1e-6 allowed; Jacobi's integral kept to", end=" ")
    print(f"{swing.energy_drift:.0e}")
    assert abs(found / expected - 1) < 1e-6

    # 4. Nose forward, an orbiter topples: its long axis tends to point to the Earth. The joints are stiff and the
    #    motion is slow, so an implicit method takes steps of 2 s. The tree is made once and run twice.
    stiff: dict[str, Any] = {"dt": 2.0, "method": "rodas3", "every": 10}
    tree, off = Tree(orbiter()), math.radians(2.0)
    topples = simulate(tree, ORBITAL_PERIOD, q0={"flight": pitched(off)}, **stiff)
    print(f"orbiter nose forward: from 2 deg of pitch to {np.abs(pitch(topples)).max():.0f} deg in an orbit")

    # 5. Nose up, orbiter, arm and payload hang like one long satellite.
    hangs = simulate(tree, 3 * ORBITAL_PERIOD, q0={"flight": pitched(UP + off)}, **stiff)
    I = composite_inertia([(ORBITER, 0.0), (LINK, NOSE), (FORE, NOSE + 7.0), (PAYLOAD, NOSE + 14.0)])
    expected_arm = libration_period(
        roll=I[2, 2], pitch=I[1, 1], yaw=I[0, 0], amplitude=off
    )  # nose up, x is the yaw axis
    found_arm = measured_period(hangs.t, pitch(hangs))
    print(f"orbiter nose up: period {found_arm:.1f} s, closed form of a rigid stack {expected_arm:.1f} s,")
    print(f"           difference {found_arm / expected_arm - 1:+.0e}, 1e-5 allowed: the joints give")
    assert abs(found_arm / expected_arm - 1) < 1e-5

    # 6. A plot.
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / "gravity_gradient.png"
        draw(path, swing, expected, topples, hangs, expected_arm)
        print(f"wrote {path.name}")


def draw(
    path: Path, swing: Trajectory, period: float, topples: Trajectory, hangs: Trajectory, period_arm: float
) -> None:
    """Pitch of the satellite, and of the orbiter from both attitudes, over orbits, with the closed forms."""
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    top, left, right = (figure.add_subplot(2, 2, place) for place in ((1, 2), 3, 4))
    top.plot(swing.t * N / (2 * np.pi), pitch(swing), label="simulated")
    cosine = np.cos(2 * np.pi * swing.t / period)
    top.plot(swing.t[::40] * N / (2 * np.pi), cosine[::40], "k.", markersize=4, label="1° cos(ω t), closed form")
    top.set_title(f"satellite: pitch librates, period {period:.0f} s")
    left.plot(topples.t * N / (2 * np.pi), pitch(topples), "C3")
    left.set_title("orbiter and payload, nose forward: topple")
    swings = pitch(hangs) - np.degrees(UP)
    right.plot(hangs.t * N / (2 * np.pi), swings, "C2")
    right.set_title(f"orbiter and payload, nose up: hang, period {period_arm:.0f} s")
    for axes, label in ((top, "pitch [°]"), (left, "pitch [°]"), (right, "pitch from nose up [°]")):
        axes.set(xlabel="orbits", ylabel=label)
        axes.grid(alpha=0.3)
        axes.margins(x=0)
    top.set_ylim(-1.2, 1.6)
    top.legend(loc="upper right", ncols=2)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()

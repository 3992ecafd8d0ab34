"""Springs between frames against closed forms: frequencies, torsion, decay, preload, energy; both engines; files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.analysis import modes
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.compare import compare
from motionbase.multibody.elements import FrameSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.loaders.toml import load_toml
from motionbase.multibody.model import Model
from motionbase.multibody.network.static import static
from motionbase.multibody.network.vibration import vibration
from motionbase.multibody.simulate import simulate

NONE = (0.0, 0.0, 0.0)
MASS, INERTIA, ARM = 2.0, np.diag([0.03, 0.05, 0.04]), np.array([0.1, -0.2, 0.3])
QUARTER = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def full() -> Array:
    """Some stiffness that couples everything, with moments in keeping with forces and lengths of 0.3 m."""
    rng = np.random.default_rng(3)
    size = np.diag([1.0, 1.0, 1.0, 0.3, 0.3, 0.3])
    A = rng.standard_normal((6, 6))
    return np.asarray(200.0 * size @ (A @ A.T + np.eye(6)) @ size)


def block(spring: FrameSpring, gravity: tuple[float, float, float] = NONE, at: Array = ARM) -> Model:
    """A body that flies, held by the spring at a point `at` from its centre."""
    body = Body("block", MASS, NONE, tuple(np.diag(INERTIA)), {"mount": tuple(at)})
    return Model("block", (body,), (Joint("j", GROUND, "block", Free()),), gravity, (spring,))


def as_tuple(matrix: Array) -> Any:
    return tuple(map(tuple, matrix.tolist()))


def test_frequencies_of_a_body_on_a_full_stiffness() -> None:
    """z = (x + theta x r, theta) for small motions of the body, so w^2 are eigenvalues of M^-1 B' K B, to rounding."""
    x, y, z = ARM
    B = np.eye(6)
    B[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    M = np.diag([MASS] * 3 + np.diag(INERTIA).tolist())
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, B.T @ full() @ B)).real))
    spring = FrameSpring("s", "block", as_tuple(full()), "mount", position=tuple(ARM))
    model = block(spring)
    np.testing.assert_allclose(2 * np.pi * np.sort(modes(model).frequencies), expected, rtol=1e-9)
    np.testing.assert_allclose(np.sort(vibration(static(model)).frequencies), expected, rtol=1e-9)


@pytest.mark.parametrize("engine", ["tree", "network"])
def test_torsion_is_linear_in_the_angle_at_large_angles(engine: str) -> None:
    """The rotation vector is the angle: a swing of 2.5 rad is harmonic, with the period of a small one."""
    J, k, q0 = 0.04, 1.6, 2.5
    body = Body("disc", 1.0, NONE, (0.03, 0.03, J))
    stiffness = (0.0, 0.0, 0.0, 5.0, 5.0, k)
    joint = Joint("hinge", GROUND, "disc", revolute((0.0, 0.0, 1.0)))
    model = Model("disc", (body,), (joint,), NONE, (FrameSpring("s", "disc", stiffness),))
    dt = 5e-5 if engine == "network" else 1e-3
    run = simulate(model, 1.0, dt, engine=engine, q0={"hinge": q0}, every=round(1e-2 / dt))  # type: ignore[arg-type]
    expected = q0 * np.cos(np.sqrt(k / J) * run.t)
    # second order: t w^3 h^2 / 12 of the amplitude for the network, far less for rk4
    np.testing.assert_allclose(run.q[:, 0], expected, atol=2e-6 if engine == "network" else 1e-8)


def test_decay_and_preload() -> None:
    """Along one axis: m x'' + c x' + k x = preload - m g from rest, a damped oscillation about where it will rest."""
    k, c, preload, g = 50.0, 4.0, 30.0, 9.81
    spring = FrameSpring(
        "s", "block", (0.0, 0.0, k, 0.0, 0.0, 0.0), damping=(0.0, 0.0, c, 0.0, 0.0, 0.0),
        preload=(0.0, 0.0, preload, 0.0, 0.0, 0.0),
    )  # fmt: skip
    run = simulate(block(spring, (0.0, 0.0, -g)), 2.0, 1e-3)
    rest, w, zeta = (preload - MASS * g) / k, np.sqrt(k / MASS), c / (2 * np.sqrt(k * MASS))
    wd = w * np.sqrt(1 - zeta**2)
    z = rest * (1 - np.exp(-zeta * w * run.t) * (np.cos(wd * run.t) + zeta * w / wd * np.sin(wd * run.t)))
    np.testing.assert_allclose(run.column("q.j.z"), z, atol=1e-10)  # rk4 at 200 steps a radian


def tumbling() -> tuple[Model, dict[str, dict[str, float]]]:
    """Two bodies that fly, joined by a full spring with a quarter turn at rest, and turned 0.9 rad from that."""
    a = Body("a", MASS, NONE, (0.03, 0.05, 0.04), {"mount": tuple(ARM)})
    b = Body("b", 1.0, NONE, (0.02, 0.03, 0.04), {"mount": (0.0, 0.1, 0.0)})
    spring = FrameSpring(
        "s", "a", as_tuple(full()), "mount", "b", "mount", position=(0.2, 0.0, 0.3), orientation=QUARTER
    )
    joints = Joint("ja", GROUND, "a", Free()), Joint("jb", GROUND, "b", Free())
    c, s = np.sqrt(0.5) * np.cos(0.45), np.sqrt(0.5) * np.sin(0.45)  # a quarter turn about z, then 0.9 rad about x
    start = {"q0": {"ja.qw": c, "ja.qx": s, "ja.qy": -s, "ja.qz": c}, "v0": {"ja.wx": 3.0, "ja.wz": 1.0, "jb.wy": -2.0}}
    return Model("pair", (a, b), joints, NONE, (spring,)), start


def test_energy_is_kept_at_large_rotations() -> None:
    """Moments are derivatives of the energy: what is left is the error of rk4."""
    model, start = tumbling()
    energy = [simulate(model, 1.0, dt, **start).total_energy for dt in (5e-4, 2.5e-4)]  # type: ignore[arg-type]
    drifts = [float(np.abs(e - e[0]).max()) for e in energy]
    assert energy[0][0] > 10.0 and drifts[1] < 1e-6 * energy[0][0] and drifts[0] / drifts[1] > 10.0


def test_both_engines_agree() -> None:
    model, start = tumbling()
    found = compare(model, 0.3, 1e-4, **start)  # type: ignore[arg-type]
    assert found.difference < 1e-6, str(found)  # fourth order in the step times 90 rad/s
    assert 1.9 < found.order < 2.1


def test_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text("""
[bodies.block]
mass = 2.0
inertia = [0.03, 0.05, 0.04]
[joints.j]
type = "free"
parent = "ground"
child = "block"
[elements.mount]
type = "frame_spring"
body_a = "block"
stiffness = [100, 100, 200, 1, 2, 3]
damping = [
    [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
]
preload = [0, 0, 19.62, 0, 0, 0]
position = [0, 0, 0.1]
""")
    (spring,) = load_toml(file).elements
    assert isinstance(spring, FrameSpring)
    assert np.diag(spring.stiffness).tolist() == [100.0, 100.0, 200.0, 1.0, 2.0, 3.0]
    assert np.diag(spring.damping).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert spring.preload[2] == 19.62 and spring.position == (0.0, 0.0, 0.1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"stiffness": (1.0, 2.0)}, "stiffness is .*, 6 or 6x6 finite numbers are wanted"),
        ({"stiffness": (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0)}, "stiffness has the negative eigenvalue"),
        ({"stiffness": as_tuple(np.triu(np.ones((6, 6))))}, "stiffness is not symmetric"),
        ({"preload": (1.0,)}, "preload is .*, six finite numbers are wanted"),
        ({"body_b": "block"}, "both ends are on 'block'"),
    ],
)
def test_bad_springs_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=f"frame spring 's': {said}"):
        FrameSpring("s", "block", **{"stiffness": (1.0,) * 6, **given})  # type: ignore[arg-type]

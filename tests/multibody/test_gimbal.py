"""The ideal gimbal: its equations, constant velocity at any tilt, virtual work, and its three forms."""

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.closed import Start
from motionbase.multibody.closures import GimbalClosure
from motionbase.multibody.closures.shafts import GimbalAngles, gimbal_rotation
from motionbase.multibody.joint import IDENTITY
from motionbase.multibody.models.gimbal import INNER, Coupling, gimbal_rig
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.network.constraints import Frame, pushed
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.run import NetworkRun, RunJob, run_network
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.loops import Loops
from motionbase.spatial import R_axis_angle, R_quaternion

H = 1e-3
E1, E2 = ca.DM([1, 0, 0]), ca.DM([0, 1, 0])


def test_rows_of_the_angles_are_the_corrected_equations() -> None:
    """e2' (I + exp(phi e1)' exp(theta e2)') lambda = 0 and e1' exp(theta e2)' lambda = 0, with lambda in frame a.

    As printed, without the transposes, they differ by as much as lambda itself.
    """
    theta, phi = 0.4, -0.7
    s, force = ca.DM([theta, phi]), ca.DM([0.3, -1.1, 0.8])
    R_a = R_quaternion(ca.DM([0.5, 0.5, -0.5, 0.5]))
    R_b = R_a @ gimbal_rotation(s)
    still = [ca.SX.zeros(3), ca.SX.zeros(3)]
    places = [Place(ca.SX.zeros(3), ca.SX(R), *still) for R in (R_a, R_b)]
    of = GimbalAngles((0.0, 0.0, 1.0), IDENTITY)
    frames = [np.array(x) for x in of._frames]
    numbers = ca.DM([*frames[0].ravel(), *frames[1].ravel()])

    def rows(at: Any, s: Any) -> Any:
        return of.phi(Frame(at[1].x, at[1].R), Frame(at[0].x, at[0].R), numbers, s, ca.SX(0, 1))

    found = pushed(places, ca.SX(force), ca.SX(s), rows)
    inner, on_a, on_b = (
        np.array(ca.evalf(x)).ravel() for x in (found.inner, found.wrenches[0][1], found.wrenches[1][1])
    )
    T, P = R_axis_angle(E2, theta), R_axis_angle(E1, phi)
    corrected = np.array([E2.T @ (force + P.T @ T.T @ force), E1.T @ T.T @ force], dtype=float).ravel()
    printed = np.array([E2.T @ (force + P @ T @ force), E1.T @ T @ force], dtype=float).ravel()
    np.testing.assert_allclose(inner, -corrected, rtol=0, atol=1e-14)
    assert np.abs(inner + printed).max() > 0.5
    # C_b = R_a lambda and C_a = -R_a lambda: equations 11 and 12, with our sign of lambda
    np.testing.assert_allclose(on_b, np.array(R_a @ force).ravel(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(on_a, -on_b, rtol=0, atol=1e-14)


def test_one_row_holds_what_the_angles_hold() -> None:
    """R = exp(theta e2) exp(phi e1) exp(theta e2) iff its quaternion has no z, iff D R D = R', D = diag(-1, -1, 1)."""
    rng, D = np.random.default_rng(0), np.diag([-1.0, -1.0, 1.0])
    for theta, phi in rng.uniform(-3, 3, (20, 2)):
        R = np.array(gimbal_rotation(ca.DM([theta, phi])))
        assert abs(R[1, 0] - R[0, 1]) < 1e-14
        np.testing.assert_allclose(D @ R @ D, R.T, rtol=0, atol=1e-14)
    for w, x, y in rng.standard_normal((20, 3)):  # and back: any quaternion without z has such angles
        length = np.hypot(np.hypot(w, x), y)
        theta, phi = np.arctan2(y, w), 2 * np.arctan2(x, np.hypot(w, y))
        R = np.array(R_quaternion(ca.DM([w / length, x / length, y / length, 0.0])))
        np.testing.assert_allclose(np.array(gimbal_rotation(ca.DM([theta, phi]))), R, rtol=0, atol=1e-14)
    Q = rng.standard_normal(4)  # with a z the symmetry is lost
    R = np.array(R_quaternion(ca.DM(Q / np.linalg.norm(Q))))
    assert np.abs(D @ R @ D - R.T).max() > 0.1
    assert abs(float(quaternion_of(ca.DM(R))[3])) > 0.1


@cache
def loops(tilt: float, coupling: Coupling) -> Loops:
    return Loops(gimbal_rig(tilt, coupling), H)


@pytest.mark.parametrize("tilt", [10.0, 20.0, 40.0])
def test_speeds_are_equal_at_any_tilt(tilt: float) -> None:
    """The gimbal keeps angle and speed; one Cardan joint has cos b / (1 - sin^2 b cos^2 angle) between the speeds.

    The angle counts from where the driver's cross axis lies in the plane of both shafts.
    """
    project = loops(tilt, "compact").velocity_projection().function
    b = np.radians(tilt)
    cardan = loops(tilt, "cardan")
    place, speed = cardan.position_projection(iterations=6).function, cardan.velocity_projection().function
    for angle in np.linspace(0.0, 6.0, 7):
        v = np.array(project([angle, angle], [1.0, 0.0])).ravel()
        assert v[1] / v[0] == pytest.approx(1.0, abs=1e-14)
        # the shaft is tilted about y, so its cross axis, x of the driver, begins in the plane of both shafts
        q = np.array(place([angle, angle])[0]).ravel()
        v = np.array(speed(q, [1.0, 0.0])).ravel()
        assert v[1] / v[0] == pytest.approx(np.cos(b) / (1 - (np.sin(b) * np.cos(q[0])) ** 2), abs=1e-12)


@pytest.mark.parametrize("coupling", ["compact", "angles"])
def test_moment_is_along_the_bisector_and_does_no_work(coupling: Coupling) -> None:
    """A torque on the driver, both shafts turning: the flywheel's share comes through the joint, at equal power."""
    model, tilt = gimbal_rig(40.0, coupling), np.radians(40.0)
    q, v, tau = np.array([0.7, 0.7]), np.array([20.0, 20.0]), np.array([5.0, 0.0])
    axes = np.array([[0.0, 0.0, 1.0], [np.sin(tilt), 0.0, np.cos(tilt)]])
    bisector = axes.sum(axis=0) / np.linalg.norm(axes.sum(axis=0))
    moment = np.array(loops(40.0, "compact").reactions.function(q, v, tau)).ravel()[:3]
    if coupling == "angles":
        network = Network(model, H, q, v, inputs={"tau": tau})
        start = network.start()
        own = dict(zip(network.network.assembly.names[-len(start.own) :], start.own, strict=True))
        force = np.array([own[f"joint.turn_{axis}"] for axis in "xyz"])
        R_driver = np.array(R_axis_angle(ca.DM([0, 0, 1]), q[0]))
        found = R_driver @ force
        np.testing.assert_allclose(found, moment, rtol=0, atol=1e-8)
        moment = found
    np.testing.assert_allclose(np.cross(moment, bisector), 0.0, atol=1e-9)
    # power in the driven shaft, and taken from the driver: M . omega of each, with omega = speed along the axes
    assert moment @ axes[0] * v[0] == pytest.approx(moment @ axes[1] * v[1], rel=1e-9)
    # both shafts together turn as one of their summed inertia
    assert moment @ axes[1] == pytest.approx(5.0 * 0.5 / 0.52, rel=1e-9)


@cache
def ran(coupling: Coupling, massless: bool = False) -> tuple[NetworkRun, Network]:
    model = gimbal_rig(40.0, coupling)
    q, v, dropped = assembled(model, Start(q_of(model, None), v_of(model, {"j_driver": 20.0}), (), (0,)), H)
    network = Network(model, H, q, v, dropped=dropped, massless=INNER if massless else ())
    t = H * np.arange(1, 201)
    tau = np.zeros((len(t), model.nv))
    tau[:, 0] = 5 * np.sin(20 * t)
    return run_network(RunJob(network, len(t), {}, {"tau": tau})), network


@pytest.mark.long("compiles two networks of 35 and 39 equations")
def test_five_rows_move_as_one_row_does() -> None:
    """200 steps with a torque: to 1e-9 of coordinates of order 4 and speeds of order 20, both solved to rounding."""
    one, five = ran("compact")[0], ran("angles")[0]
    np.testing.assert_allclose(five.q, one.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(five.v, one.v, rtol=0, atol=2e-8)
    np.testing.assert_allclose(one.q[:, 0], one.q[:, 1], rtol=0, atol=1e-10)
    assert max(one.miss, five.miss) < 1e-11
    assert ran("angles")[1].equations - ran("compact")[1].equations == 4


@pytest.mark.long("compiles the assembly of 59 equations")
def test_assembly_of_25_equations_moves_alike() -> None:
    """Two massless bodies with joints for the gimbal: 20 equations more than the five, and the same motion."""
    built, network = ran("assembly", massless=True)
    one = ran("compact")[0]
    np.testing.assert_allclose(built.q[:, :2], one.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(built.q[:, 2], -built.q[:, 3], rtol=0, atol=1e-10)  # half the tilt each
    assert network.equations - ran("angles")[1].equations == 20
    assert built.miss < 1e-11


def test_rig_runs_in_the_tree_with_either_form() -> None:
    """The tree has one row for both; energy is kept, and the assembly moves the same but for its light bodies."""
    model = gimbal_rig(40.0, "angles")
    run = simulate(model, 0.2, H, v0={"j_driver": 20.0})
    np.testing.assert_allclose(run.q[:, 0], run.q[:, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.v, 20.0, rtol=0, atol=1e-9)
    assert isinstance(model.closures[0], GimbalClosure) and model.closures[0].rows == ("twist",)

"""The masses of a hexapod: closures by construction, virtual work, energy, and the same accelerations as MuJoCo's."""

from functools import cache

import mujoco
import numpy as np
import pytest

from benchmarks.mechanics import stewart
from motionbase.compile import Kernel, Port, compile, scan
from motionbase.multibody.integrators import METHODS, AbstractMethod, System
from motionbase.multibody.simulate import simulate
from motionbase.platform.mechanism import POSE, TWIST, Mechanism

Array = np.ndarray


@cache
def gs() -> Mechanism:
    return stewart.mechanism()


def state(seed: int) -> dict[str, Array]:
    """A pose and a velocity with nothing special about them."""
    rng = np.random.default_rng(seed)
    Q = np.array([1.0, *(0.1 * rng.standard_normal(3))])
    p = gs().p_neutral + 0.15 * rng.standard_normal(3)
    return {"p_W": p, "Q_WP": Q / np.linalg.norm(Q), "V_P": 0.5 * rng.standard_normal(6)}


def tree_state(at: dict[str, Array]) -> tuple[Array, Array]:
    """q and v of the whole tree."""
    nq, nv = gs().model.nq, gs().model.nv
    kernel = Kernel("tree", (*POSE, TWIST), (Port("q", nq), Port("v", nv)), lambda p, Q, V: gs()._legs(p, Q, V)[:2])
    q, v = compile(kernel)(**at)
    return np.asarray(q), np.asarray(v)


@pytest.mark.parametrize("seed", range(5))
def test_closures_are_met_by_construction(seed: int) -> None:
    q, v = tree_state(state(seed))
    kernel = gs().loops.residuals
    values = dict(zip((p.name for p in kernel.outputs), compile(kernel)(q=q, v=v), strict=True))
    for name, value in values.items():
        np.testing.assert_allclose(value, 0.0, atol=2e-15, err_msg=name)  # a few roundings of metres


@pytest.mark.parametrize("seed", range(5))
def test_same_accelerations_as_the_whole_system(seed: int) -> None:
    """The kernel of 13 numbers against the tree's, which takes 55; and the legs' against geometry."""
    at, rng = state(seed), np.random.default_rng(seed)
    f, load = 1e4 * rng.standard_normal(6), 1e3 * rng.standard_normal(6)
    V_dot, l, l_dot, l_ddot, F = compile(gs().forward_dynamics)(**at, f=f, load_P=load)
    q, v = tree_state(at)
    tau = np.concatenate([load, np.column_stack([np.zeros((6, 2)), f]).ravel()])
    v_dot, rows = compile(gs().loops.forward_dynamics)(q=q, v=v, tau=tau)
    np.testing.assert_allclose(V_dot, v_dot[:6], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(l_ddot, v_dot[8::3], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(np.ravel(F), rows, rtol=1e-9, atol=1e-7)
    w, x, y, z = at["Q_WP"]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    legs = at["p_W"] + gs().joints @ R.T - gs().base
    np.testing.assert_allclose(l, np.linalg.norm(legs, axis=1), rtol=1e-15)
    ends = (at["V_P"][3:] + np.cross(at["V_P"][:3], gs().joints)) @ R.T
    np.testing.assert_allclose(l_dot, np.sum(ends * legs, axis=1) / l, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_power_of_the_legs_is_the_change_of_energy(seed: int) -> None:
    """d(kinetic + potential)/dt = sum f l_dot: the virtual work of leg forces, with the inertia of the legs in it."""
    at, rng = state(seed), np.random.default_rng(seed + 10)
    f = 1e4 * rng.standard_normal(6)
    energies, legs = compile(gs().energies), compile(gs().legs)
    h, rk4 = 1e-4, METHODS["rk4"]
    assert isinstance(rk4, AbstractMethod)

    def drift(sign: float) -> float:
        q, v = tree_state(at)
        tau = np.concatenate([np.zeros(6), np.column_stack([np.zeros((6, 2)), f]).ravel()])
        step = compile(rk4.step(System(gs().model, gs().loops.forward_dynamics)))
        q, v = step(h=sign * h, q=q, v=v, tau=tau)
        return float(sum(energies(p_W=q[:3], Q_WP=q[3:7], V_P=v[:6])))

    power = (drift(1.0) - drift(-1.0)) / (2 * h)
    _, l_dot = legs(**at)
    # central difference: h^2 times the third derivative of an energy of 1e5 J that changes within a second
    np.testing.assert_allclose(power, f @ l_dot, rtol=1e-5, atol=0.05)


def test_energy_is_kept_without_drives() -> None:
    """Half a second of free fall with swinging legs, by the tree's own integrator."""
    at = state(1)
    q, v = tree_state(at)
    run = simulate(gs().loops, 0.3, 1e-3, q0=q, v0=v)
    assert run.energy_drift < 1e-9


def test_motion_under_a_drive_equals_MuJoCo() -> None:
    """One second of the common benchmark; MuJoCo's closures open by a micrometre, and so far the two are apart."""
    of = gs()
    loop, _, data = stewart.mujoco_steps(of)
    loop(stewart.STEPS)
    out = scan(stewart.step(of), stewart.FEEDBACK)(stewart.STEPS, **stewart.start(of))
    assert np.linalg.norm(out["p_W"] - of.p_neutral) > 0.01  # it moves
    np.testing.assert_allclose(out["p_W"], data.qpos[:3], atol=2e-5)
    np.testing.assert_allclose(out["Q_WP"], data.qpos[3:7], atol=2e-5)


def test_accelerations_at_neutral_equal_MuJoCo() -> None:
    of = gs()
    built = mujoco.MjModel.from_xml_string(stewart.xml(of))
    data = mujoco.MjData(built)
    built.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    f = np.array([9e3, 7e3, 1.1e4, 8e3, 9.5e3, 1e4])
    for i in range(6):
        data.qfrc_applied[built.joint(f"s{i}").dofadr[0]] = f[i]
    mujoco.mj_forward(built, data)
    V_dot, *_ = compile(of.forward_dynamics)(
        p_W=of.p_neutral, Q_WP=[1.0, 0, 0, 0], V_P=np.zeros(6), f=f, load_P=np.zeros(6)
    )
    # MuJoCo's closures have an impedance of 0.999 where they are met: a thousandth of gravity passes by them
    np.testing.assert_allclose(V_dot, np.r_[data.qacc[3:6], data.qacc[:3]], rtol=1e-3, atol=1e-2)

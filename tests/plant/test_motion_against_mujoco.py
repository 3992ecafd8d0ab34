"""The plant's motion under given leg forces: order of its step, and the same motion as MuJoCo's.

The forces are given as those of a brake, beside actuators too small to push: so it is the plant's own step that runs.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.mechanics import stewart
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Scan, scan
from motionbase.plant.motion import STATE, Motion, next_of
from motionbase.plant.rest import holding_forces
from motionbase.platform.load import load_platform

Array = NDArray[np.float64]
SAMPLES = 100  # of a second
STEPS = (2e-3, 1e-3, 5e-4)  # [s]
PART = np.array([0.5, -0.4, 0.35, -0.5, 0.4, -0.45])  # of the weight, by which each leg's force changes
OMEGA = 2 * np.pi * np.array([1.0, 1.3, 1.8, 1.6, 1.1, 1.4])


@cache
def motion() -> Motion:
    """SIMONA with payload, cylinders and rods, and pistons of 1e-15 m^2."""
    h = load_platform("simona")
    assert isinstance(h.actuator, HydraulicActuator)
    free = replace(h.actuator.friction, coulomb=1e-9, static=1e-9, sigma0=1.0, sigma1=0.0, sigma2=0.0)
    return Motion(replace(h, actuator=replace(h.actuator, area_cap=1e-15, area_rod=1e-15, friction=free)))


@cache
def stepper() -> Scan:
    return scan(motion().step, {p.name: next_of(p).name for p in STATE}, per_step=["f_brake"], record=["l", "f"])


@cache
def start() -> dict[str, Any]:
    actuator = motion().actuator
    assert isinstance(actuator, HydraulicActuator)
    legs = np.zeros((6, 5))
    legs[:, 2:4] = actuator.p_return
    return {**motion().at_rest(), "legs": legs}


def forces(t: Array) -> Array:
    """(n, 6) leg forces [N]: the weight, and sines of other frequencies on every leg."""
    weight = holding_forces(motion(), start()["p_W"], start()["Q_WP"])
    return np.asarray(weight * (1 + PART * np.sin(np.multiply.outer(t, OMEGA))))


@cache
def ours(h: float) -> dict[str, Array]:
    """A second in steps of h; the force of a step's end acts at its end."""
    n = round(1 / h)
    actuator = motion().actuator
    assert isinstance(actuator, HydraulicActuator)
    held: dict[str, Any] = {"p_supply": actuator.p_supply, "p_return": actuator.p_return, "abort": 0.0, "h": h}
    held |= {"u": np.zeros(6), "load_P": np.zeros(6), "f_brake": forces(h * np.arange(1.0, n + 1))}
    out: dict[str, Array] = stepper()(n, every=n // SAMPLES, **start(), **held)
    assert np.abs(out["f"]).max() < 1e-8  # the actuators do nothing
    return out


@cache
def theirs(h: float) -> tuple[Array, Array, Array]:
    """Position, attitude at the end and leg lengths by MuJoCo, RK4; a step's force is that of its middle."""
    of = motion().mechanism
    built = mujoco.MjModel.from_xml_string(stewart.xml(of))
    built.opt.gravity[:], built.opt.timestep = of.gravity, h
    built.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    built.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    built.opt.tolerance, built.opt.iterations = 0.0, 100
    built.eq_solref[:], built.eq_solimp[:] = (2 * h, 1.0), (0.9999, 0.9999, 1e-3, 0.5, 2)  # as stiff as it allows
    data, slides = mujoco.MjData(built), [built.joint(f"s{i}") for i in range(6)]
    dofs, places = [s.dofadr[0] for s in slides], [s.qposadr[0] for s in slides]
    n, l = round(1 / h), []
    for k, f in enumerate(forces(h * (np.arange(n, dtype=np.float64) + 0.5)), start=1):
        data.qfrc_applied[dofs] = f
        mujoco.mj_step(built, data)
        if k % (n // SAMPLES) == 0:
            l.append(data.qpos[places] + of.neutral_legs[0])
    return data.qpos[:3].copy(), data.qpos[3:7].copy(), np.array(l)


def test_the_motion_is_large_and_meets_no_end() -> None:
    """Otherwise the comparisons below would prove little."""
    run, stroke = ours(STEPS[-1]), motion().hexapod.stroke
    assert np.ptp(run["l"], axis=0).min() > 0.05 and np.ptp(run["l"], axis=0).max() > 0.5  # [m]
    assert 2 * np.arcsin(np.linalg.norm(run["Q_WP"][1:])) > 0.4  # [rad]
    assert stroke.hard_min < run["l"].min() and run["l"].max() < stroke.hard_max


def test_second_order() -> None:
    """Steps halved have a quarter of the error; the reference, 32 times finer, has a thousandth of it."""
    exact = ours(STEPS[-1] / 32)
    for name in ("l", "p_W", "Q_WP"):
        errors = [np.abs(ours(h)[name] - exact[name]).max() for h in STEPS]
        slopes = np.log2(np.divide(errors[:-1], errors[1:]))
        np.testing.assert_allclose(slopes, 2.0, atol=0.05, err_msg=name)
    assert np.abs(ours(5e-4)["l"] - exact["l"]).max() < 1e-6  # 8.1e-7 m in a second of the control law's ticks


def test_the_same_motion_as_MuJoCo() -> None:
    """MuJoCo's closures open by what its step lets them, of second order, so two of its steps tell where it goes to.

    From 1 and 0.5 ms it is extrapolated to within 1e-8 m; what is left between the engines is then our own error, which
    shrinks with our step.
    """
    coarse, fine = theirs(1e-3), theirs(5e-4)
    p, Q, l = (b + (b - a) / 3 for a, b in zip(coarse, fine, strict=True))
    apart = [np.abs(ours(h)["l"] - l).max() for h in STEPS]
    np.testing.assert_allclose(np.log2(np.divide(apart[:-1], apart[1:])), 2.0, atol=0.05)
    best = ours(STEPS[-1] / 32)
    np.testing.assert_allclose(best["l"], l, rtol=0, atol=1e-8)
    np.testing.assert_allclose(best["p_W"], p, rtol=0, atol=1e-8)
    np.testing.assert_allclose(best["Q_WP"], Q, rtol=0, atol=1e-8)
    assert np.abs(fine[2] - best["l"]).max() < 1e-6  # without extrapolation 3.6e-7 m

"""Rotors that turn with the legs: their mass acts along each leg, exactly, and only there."""

from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import mujoco
import numpy as np
import pytest

from benchmarks.mechanics import stewart
from motionbase.compile import Kernel, compile
from motionbase.platform.mechanism import Mechanism

Array = np.ndarray
ROTOR = 400.0  # [kg]


@cache
def mechanism(reflected: float) -> Mechanism:
    return replace(stewart.mechanism(), reflected=reflected)


def state(seed: int) -> dict[str, Array]:
    """A pose and a velocity with nothing special about them."""
    rng = np.random.default_rng(seed)
    Q = np.array([1.0, *(0.1 * rng.standard_normal(3))])
    p = mechanism(0.0).p_neutral + 0.15 * rng.standard_normal(3)
    return {"p_W": p, "Q_WP": Q / np.linalg.norm(Q), "V_P": 0.5 * rng.standard_normal(6)}


@pytest.mark.parametrize("seed", range(5))
def test_rotors_take_their_mass_times_the_acceleration_of_the_leg(seed: int) -> None:
    """f acting on rotors is f - m l_ddot acting without them: the same motion, the same forces in the joints."""
    at, rng = state(seed), np.random.default_rng(seed)
    f, load = 1e4 * rng.standard_normal(6), 1e3 * rng.standard_normal(6)
    with_rotors = compile(mechanism(ROTOR).forward_dynamics)(**at, f=f, load_P=load)
    left = f - ROTOR * np.asarray(with_rotors[3])
    without = compile(mechanism(0.0).forward_dynamics)(**at, f=left, load_P=load)
    unlike = compile(mechanism(0.0).forward_dynamics)(**at, f=f, load_P=load)
    for got, wanted in zip(with_rotors, without, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-7)  # two solves of a system of condition 1e4
    assert np.abs(np.asarray(with_rotors[0]) - unlike[0]).max() > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_rotors_have_their_kinetic_energy(seed: int) -> None:
    at = state(seed)
    _, l_dot = compile(mechanism(0.0).legs)(**at)
    kinetic, potential = compile(mechanism(ROTOR).energies)(**at)
    still, same = compile(mechanism(0.0).energies)(**at)
    assert kinetic - still == pytest.approx(0.5 * ROTOR * float(np.sum(np.square(l_dot))), rel=1e-9)
    assert potential == same


def test_accelerations_equal_MuJoCo_with_armature() -> None:
    """MuJoCo's closures as hard as they can be (0.9999): some ten thousandths of gravity pass by them."""
    of = mechanism(ROTOR)
    text = stewart.xml(of).replace('type="slide"', f'type="slide" armature="{ROTOR}"').replace("0.999 ", "0.9999 ")
    built = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(built)
    built.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    f = np.array([9e3, 7e3, 1.1e4, 8e3, 9.5e3, 1e4])
    for i in range(6):
        data.qfrc_applied[built.joint(f"s{i}").dofadr[0]] = f[i]
    mujoco.mj_forward(built, data)
    rest: dict[str, Any] = {"p_W": of.p_neutral, "Q_WP": [1.0, 0, 0, 0], "V_P": np.zeros(6)}
    V_dot, *_ = compile(of.forward_dynamics)(**rest, f=f, load_P=np.zeros(6))
    np.testing.assert_allclose(V_dot, np.r_[data.qacc[3:6], data.qacc[:3]], rtol=1e-3, atol=1e-2)


def operations(of: Mechanism) -> int:
    """Of the accelerations; numbers that are only given are none."""
    unit = of.forward_dynamics
    whole = Kernel("whole", unit.inputs, unit.outputs, unit.expr).function
    return sum(whole.instruction_id(k) != ca.OP_CONST for k in range(whole.n_instructions()))


def test_rotors_cost_nothing() -> None:
    """Along the slide the rod's own mass is a constant of the mass matrix; the rotor's is added to it beforehand."""
    bare, loaded = (operations(mechanism(m)) for m in (0.0, ROTOR))
    assert bare == loaded
    assert not mechanism(0.0).model.elements

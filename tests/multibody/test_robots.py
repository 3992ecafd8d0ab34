"""The PUMA 560 against published numbers and Pinocchio; the robot of a COMAU's lengths, rigid and with soft arms."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import brentq

from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody import Model
from motionbase.multibody.elements import JointDamper, JointSpring, PointForce, Stiction
from motionbase.multibody.models.comau import A2, A3, D1, D4, JOINTS, KP, PROFILES, RIGID, Arm, comau
from motionbase.multibody.models.puma560 import (
    AXES,
    NOMINAL,
    READY,
    STRETCHED,
    coulomb_friction,
    puma560,
    puma560_friction,
    viscous_friction,
)
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.network.static import static
from motionbase.multibody.network.vibration import vibration
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.test_against_pinocchio import in_pinocchio

# ---- PUMA 560 ------------------------------------------------------------------------------------------------------

# Robotics Toolbox for Python 1.5.0, models.DH.Puma560: gravload(q) [N m] and inertia(q) [kg m^2], rotors included.
Pose = tuple[float, ...]
GRAVITY: dict[Pose, Pose] = {
    (0.0,) * 6: (0.0, 37.48366665, 0.24892875, 0.0, 0.0, 0.0),
    READY: (0.0, -0.77523525, 0.24892875, 0.0, 0.0, 0.0),
    STRETCHED: (0.0, 46.006938, 8.7722001, 0.0, 0.0282528, 0.0),
    NOMINAL: (0.0, 31.63988037836, 6.035138023011, 0.0, 0.0282528, 0.0),
}
INERTIA: dict[Pose, tuple[tuple[float, ...], ...]] = {
    READY: (
        (2.337351052267, -0.829305154, -0.1389138105, 0.00164, -4.32144e-4, 4e-5),
        (5.2069480015, 0.7478992765, 0.0, 3.129328e-3, 0.0),
        (0.938652730438, 0.0, 1.885744e-3, 0.0),
        (0.1924306261237, 0.0, 4e-5),
        (0.1713484516570, 0.0),
        (0.1941045056680,),
    ),
    NOMINAL: (
        (3.659375412153, -0.4043612460415, 0.1006136477798, -2.516955828031e-3, 0.0, 0.0),
        (4.413741933636, 0.3508906649564, 0.0, 2.359513067895e-3, 0.0),
        (0.9378415752150, 0.0, 1.480166388520e-3, 0.0),
        (0.1925317061237, 0.0, 2.828427124746e-5),
        (0.1713484516570, 0.0),
        (0.1941045056680,),
    ),
}


@cache
def puma() -> Tree:
    return Tree(puma560())


@pytest.mark.parametrize("pose", GRAVITY)
def test_gravity_load_is_the_published_one(pose: Pose) -> None:
    """To the 12 digits printed."""
    found = -np.array(puma().bias_force.function(pose, np.zeros(6))).ravel()
    np.testing.assert_allclose(found, GRAVITY[pose], rtol=0, atol=5e-11)


@pytest.mark.parametrize("pose", INERTIA)
def test_inertia_matrix_is_the_published_one(pose: Pose) -> None:
    """To the 12 digits printed, although the moments of link 3 had to be repaired."""
    found = np.array(puma().mass_matrix.function(pose))
    for k, row in enumerate(INERTIA[pose]):
        np.testing.assert_allclose(found[k, k:], row, rtol=0, atol=5e-12)


def test_forward_dynamics_against_pinocchio() -> None:
    """Random states and torques; rounding of sums of some hundred terms."""
    model = puma560()
    theirs, _ = in_pinocchio(model)
    theirs.armature = np.array([axis.ratio**2 * axis.rotor for axis in AXES])
    data, forward, rng = theirs.createData(), compile(puma().forward_dynamics), np.random.default_rng(1)
    for _ in range(20):
        q, v, motors = rng.uniform(-3, 3, 6), rng.uniform(-2, 2, 6), rng.uniform(-0.5, 0.5, 6)
        torques = {f"m{k + 1}_torque": motors[k] for k in range(6)}
        tau = motors * [axis.ratio for axis in AXES]
        expected = pin.aba(theirs, data, q, v, tau)
        np.testing.assert_allclose(forward(q=q, v=v, tau=np.zeros(6), **torques), expected, rtol=0, atol=1e-10)


def test_friction_of_the_puma() -> None:
    """At the joints: viscous B G^2, and the mean Coulomb torque times |G|; the published products, by hand."""
    np.testing.assert_allclose(
        [coulomb_friction(axis) for axis in AXES], (25.9836, 10.6198, 6.3642, 1.0683, 0.8544, 0.5544), atol=5e-5
    )
    np.testing.assert_allclose(
        [viscous_friction(axis) for axis in AXES], (5.8018, 9.4969, 3.9804, 0.41164, 0.42728, 0.21582), rtol=5e-5
    )
    rub = [e for e in puma560_friction().elements if isinstance(e, Stiction)]
    assert [e.coulomb for e in rub] == [coulomb_friction(axis) for axis in AXES]
    assert Network(puma560_friction(), 1e-3).equations - Network(puma560(), 1e-3).equations == 6


def first_axis() -> Model:
    """Link 1 alone with its friction."""
    whole = puma560_friction()
    rub = next(e for e in whole.elements if isinstance(e, Stiction))
    return replace(whole, bodies=whole.bodies[:1], joints=whole.joints[:1], elements=(rub,))


def test_steady_torque_of_the_first_axis() -> None:
    """Coulomb's level and viscous friction at 1 rad/s, far beyond Stribeck's speed: it neither gains nor loses."""
    axis, h = AXES[0], 1e-3
    torque = coulomb_friction(axis) + viscous_friction(axis)
    network = Network(first_axis(), h, None, np.array([1.0]))
    run = run_network(RunJob(network, 1000, {"tau": np.array([torque])}, {}))
    assert np.abs(run.v[:, 0] - 1.0).max() < 1e-9


# ---- COMAU ---------------------------------------------------------------------------------------------------------

FORE: tuple[Arm, ...] = ("fore",)
BOTH: tuple[Arm, ...] = ("upper", "fore")


def test_equations_are_those_the_formulations_authors_count() -> None:
    """Six nodes of 12, six joints of 5, ground node and clamp; one more for the friction of each joint.

    An arm of one beam with three nodes has two nodes more: 24 equations.
    """
    counts = [
        Network(model, 5e-4, ground_node=True).equations
        for model in (comau(), comau(friction=True), comau(flexible=FORE), comau(flexible=BOTH))
    ]
    assert counts == [114, 120, 138, 162]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"flexible": ("hand",)}, "no arm 'hand'; arms: upper, fore"),
        ({"beams": 0}, "beams is 0, a whole number from 1"),
    ],
)
def test_bad_calls_are_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        comau(**wrong)


def weightless(model: Model, stiffer: float = 1.0) -> Model:
    """Servos at zero, without damping; a force at the wrist as an input."""
    elements: list[Any] = [PointForce("load", "wrist")]
    for element in model.elements:
        if isinstance(element, JointSpring):
            element = replace(element, rest=0.0, stiffness=stiffer * element.stiffness)
        if not isinstance(element, JointDamper):
            elements.append(element)
    return replace(model, gravity=(0.0, 0.0, 0.0), elements=tuple(elements))


def stiffness(arm: Arm) -> tuple[float, ...]:
    """EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2] of a tube."""
    return tuple(float(k) for k in np.array(PROFILES[arm].stiffness))


@pytest.mark.parametrize("flexible", [FORE, ("upper",), BOTH])
def test_tip_deflection(flexible: tuple[Arm, ...]) -> None:
    """1 N down at the wrist: servos 2 and 3, bending and shear of the forearm, bending and stretch of the upper arm.

    Castigliano's theorem; a quadratic beam meets it exactly, and what is left is the load times 8e-6 of geometry.
    """
    EA, GA, _, _, EI, _ = stiffness("fore")
    compliance = D4**2 * (1 / KP[1] + 1 / KP[2])
    if "fore" in flexible:
        compliance += D4**3 / (3 * EI) + D4 / GA
    EA, GA, _, _, EI, _ = stiffness("upper")
    if "upper" in flexible:
        compliance += D4**2 * A2 / EI + A2 / EA
    rest = static(weightless(comau(flexible=flexible)), {"load_force": (0.0, 0.0, -1.0)})
    assert D1 + A2 + A3 - rest.position("wrist")[2] == pytest.approx(compliance, rel=1e-5)


def cantilever_with_tip_body(EI: float, per_length: float, m: float, e: float, J: float) -> float:
    """First frequency [rad/s] of a clamped Euler-Bernoulli beam of length D4 with a rigid body at its end.

    Its mass is m at a distance e beyond the end, and J about its centre. With w = A (cosh - cos) + B (sinh - sin),
    EI w'' = W^2 ((J + m e^2) w' + m e w) and EI w''' = -W^2 (m w + m e w') at the end.
    """

    def determinant(W: float) -> float:
        b = (per_length * W**2 / EI) ** 0.25
        ch, sh, c, s = np.cosh(b * D4), np.sinh(b * D4), np.cos(b * D4), np.sin(b * D4)
        shapes = (
            (ch - c, b * (sh + s), b**2 * (ch + c), b**3 * (sh - s)),
            (sh - s, b * (ch - c), b**2 * (sh + s), b**3 * (ch + c)),
        )
        rows = [
            (EI * w2 - W**2 * ((J + m * e**2) * w1 + m * e * w), EI * w3 + W**2 * (m * w + m * e * w1))
            for w, w1, w2, w3 in shapes
        ]
        return float(rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0])

    return float(brentq(determinant, 10.0, 1000.0))


def test_frequency_of_the_forearm() -> None:
    """All servos locked: a clamped tube that carries wrist and flange.

    Shear, which the closed form lacks, softens it by 2.8 % (the ratio of its compliances); what is left is below 0.5 %.
    """
    _, GA, _, _, EI, _ = stiffness("fore")
    (m5, (x5, _, _), (_, J5, _)), (m6, (x6, _, _), (_, J6, _)) = RIGID["wrist"], RIGID["flange"]
    m, e = m5 + m6, (m5 * x5 + m6 * x6) / (m5 + m6)
    J = J5 + J6 + m5 * (x5 - e) ** 2 + m6 * (x6 - e) ** 2
    bending, shear = D4**3 / (3 * EI), D4 / GA
    closed = cantilever_with_tip_body(EI, PROFILES["fore"].mass, m, e, J) * np.sqrt(bending / (bending + shear))
    found = vibration(static(weightless(comau(flexible=FORE, beams=2), 1e6))).frequencies
    assert found[0] == pytest.approx(closed, rel=5e-3)  # in the plane of the arm and across it
    assert found[1] == pytest.approx(closed, rel=5e-3)
    assert found[0] / (2 * np.pi) == pytest.approx(21.0, abs=0.1)  # [Hz]


def test_arms_that_deform_have_the_mass_of_rigid_ones() -> None:
    """Mass, its first and its second moment: Simpson's shares integrate a square exactly."""
    rigid, flexible = comau(), comau(flexible=BOTH)
    for name in ("upper", "fore"):
        nodes = [(b, j) for b, j in zip(flexible.bodies, flexible.joints, strict=True) if b.name.startswith(name)]
        begin = np.array(nodes[0][1].position, dtype=float)
        arm, x = rigid.body(name), [np.linalg.norm(np.array(j.position, dtype=float) - begin) for _, j in nodes]
        m = np.array([b.mass for b, _ in nodes])
        com = np.linalg.norm(arm.com)
        assert m.sum() == pytest.approx(arm.mass, rel=1e-12)
        assert m @ x == pytest.approx(arm.mass * com, rel=1e-12)
        rotary = sum(np.diag(b.inertia)[1] for b, _ in nodes)
        assert m @ np.square(x) + rotary == pytest.approx(np.max(arm.inertia) + arm.mass * com**2, rel=1e-12)


@pytest.mark.long("compiles 120 equations")
def test_the_comau_settles_under_friction() -> None:
    """At rest within 4 s, and held: friction carries what servos and weight leave, below its static level."""
    run = simulate(comau(friction=True), 4.0, 5e-4, engine="network", every=40)
    assert np.abs(run.v[-1]).max() < 1e-4
    free = simulate(comau(), 4.0, 5e-4, engine="network", every=40)
    off = np.abs(run.q[-1] - free.q[-1])
    assert 1e-5 < off.max() < 1.5 * 150.0 / min(KP)  # [rad]
    assert run.q_names[0][0] == JOINTS[0]

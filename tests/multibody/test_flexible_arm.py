"""The Space Shuttle arm with flexible booms: the rigid arm when undeformed, closed forms, and published frequencies."""

from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody.analysis import modes
from motionbase.multibody.flexible import beam
from motionbase.multibody.models.flexible_arm import (
    BOOM_LENGTHS,
    FREQUENCIES,
    POSES,
    TUNED,
    Stiffness,
    flexible_arm,
)
from motionbase.multibody.models.manipulators import SRMS, srms
from motionbase.multibody.names import q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from scripts import tune_srms as tune


def test_undeformed_it_is_the_rigid_arm() -> None:
    """Masses of tube and housings add up to the published ones: the joints' mass matrix is equal to rounding."""
    model, pose = flexible_arm(), {"shoulder_yaw": 0.1, "elbow_pitch": -1.2, "wrist_pitch": 0.4, "wrist_yaw": 0.3}
    joints = [turns.start for turns, _ in model.v_slices if turns.stop > turns.start]
    M = np.array(Tree(model).mass_matrix.function(q_of(model, pose)))[np.ix_(joints, joints)]
    rigid = np.array(Tree(srms()).mass_matrix.function(q_of(srms(), pose)))
    np.testing.assert_allclose(M, rigid, rtol=0, atol=1e-12 * np.abs(rigid).max())


def test_stored_stiffness_is_the_fitted_one() -> None:
    assert tune.is_stored(tune.fitted())


@pytest.mark.parametrize("pose", POSES)
def test_published_frequencies(pose: str) -> None:
    """Three stiffnesses for six frequencies leave 1.5 % at most; the tolerance is that, rounded up."""
    K, M = tune.stiffness_matrix(TUNED), tune.mass_matrix(pose)
    np.testing.assert_allclose(tune.frequencies(K, M), FREQUENCIES[pose].unloaded, rtol=0.016)


def test_analysis_finds_the_frequencies_of_the_fit() -> None:
    """The engine's own linearisation of the whole model against mass matrix and stiffness put together here."""
    K, M = tune.stiffness_matrix(TUNED), tune.mass_matrix("folded")
    found = modes(flexible_arm("folded"), POSES["folded"]).frequencies[:2]
    np.testing.assert_allclose(found, tune.frequencies(K, M), rtol=1e-8)


def test_free_orbiter_and_heavy_payload() -> None:
    """Not fitted. One point mass meets three published numbers of the straight arm within 6 %, also the one that the
    free orbiter raises by half; unloaded, the orbiter shifts little, and 2 % are what the fit itself leaves."""
    mass, wanted = tune.payload_mass("straight"), FREQUENCIES["straight"]
    assert mass == pytest.approx(21_300, rel=0.01)
    K = tune.stiffness_matrix(TUNED)
    loaded = tune.frequencies(K, tune.mass_matrix("straight", payload=mass))
    np.testing.assert_allclose(loaded, wanted.loaded, rtol=0.06)
    assert tune.free_frequency("straight", mass) == pytest.approx(wanted.loaded_free, rel=0.06)
    for pose, published in FREQUENCIES.items():
        assert tune.free_frequency(pose) == pytest.approx(published.unloaded_free, rel=0.02)


def test_heavy_tip_on_booms_alone() -> None:
    """Stiff gearboxes, straight: a cantilever of both booms with a rigid wrist a, w / F = (l^3/3 + l^2 a + l a^2) / EI.

    The payload hangs 0.3 m below the line of 15.3 m, which moves it along too: (0.3 / 15.3)^2 / 2 = 2e-4 slower.
    """
    mass, EI = 1e7, 1e6
    M = tune.mass_matrix("straight", payload=mass)
    K = tune.stiffness_matrix(Stiffness(EI, 1e12, 1e12))
    l = sum(BOOM_LENGTHS.values())
    a = SRMS[5].at[0] + SRMS[6].at[0] + SRMS[6].points["grapple"][0]
    compliance = (l**3 / 3 + l**2 * a + l * a**2) / EI
    expected = np.sqrt(1 / (mass * compliance)) / (2 * np.pi)
    assert np.abs(tune.frequencies(K, M) / expected - 1).max() < 3e-4


def test_two_shapes_are_enough() -> None:
    """Twice the shapes lower the first two frequencies by 1.2e-5 at most, also where the elbow twists a boom."""
    few, many = (
        tune.frequencies(
            tune.stiffness_matrix(TUNED, bending=n, torsion=twist),
            tune.mass_matrix("folded", bending=n, torsion=twist),
        )
        for n, twist in ((2, 1), (4, 2))
    )
    assert np.all(many <= few * (1 + 1e-9)) and np.all(few < many * (1 + 3e-5))


def test_it_swings_without_losing_energy() -> None:
    """After the brakes close on a moving arm; RK4 at 0.5 ms, where the fastest mode has 100 Hz; 1.4e-6 is lost."""
    run = simulate(
        flexible_arm(), 2.0, 5e-4, every=10, q0=POSES["bent"], v0={"shoulder_yaw": 0.02, "shoulder_pitch": 0.02}
    )
    assert run.energy_drift < 5e-6
    tip = run.column("q.upper_boom.mode1")
    assert 0.01 < np.abs(tip).max() < 0.03  # [m]; 0.0197 at any shorter step


def test_unknown_pose() -> None:
    with pytest.raises(ModelError, match="no pose 'curled'; poses: folded, bent, straight"):
        flexible_arm("curled")


def test_loaded_shapes_know_force_and_moment() -> None:
    """Two shapes of a beam loaded by mass and inertia bend like it: l^3/3, l^2/2 and l over EI, to 4e-10; by mass
    alone they miss 11 % of the rotation under a moment."""
    l, EI, heavy = 2.0, 50.0, 1e4

    def compliance(moment: float) -> Any:
        tip = beam(l, 3.0, EI_z=EI, bending=(2, 0), loading=heavy, loading_inertia=(0.0, 0.0, moment))
        S = np.stack([tip.points["tip"].shape[1], tip.points["tip"].slope[2]])
        return S @ np.linalg.solve(tip.stiffness, S.T)

    exact = np.array([[l**3 / 3, l**2 / 2], [l**2 / 2, l]]) / EI
    np.testing.assert_allclose(compliance(heavy), exact, rtol=1e-8)
    assert compliance(0.0)[1, 1] < 0.9 * exact[1, 1]
    with pytest.raises(ModelError, match="loading_inertia about z is -1.0; a finite number, not negative, is wanted"):
        compliance(-1.0)

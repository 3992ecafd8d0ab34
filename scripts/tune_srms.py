"""Tune the Space Shuttle arm's boom and gearbox stiffness to the published natural frequencies.

    uv run scripts/tune_srms.py             fit, compare with what is stored
    uv run scripts/tune_srms.py --poses     how well other poses would fit, the best first

Prints the fitted stiffnesses beside those stored in `models/flexible_arm.py`, then published and computed frequencies:
six that are fitted (unloaded, fixed base), three with a free orbiter as a check, and those with the heavy payload,
whose mass is unpublished: the point mass that fits each pose best is computed. Exit code 1 if the stored numbers
differ from the fitted ones.
"""

import sys
from collections.abc import Mapping
from dataclasses import astuple
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import least_squares

from motionbase.multibody.model import Model
from motionbase.multibody.models.flexible_arm import FREQUENCIES, POSES, TUNED, Stiffness, flexible_arm, gear_stiffness
from motionbase.multibody.names import q_of
from motionbase.multibody.tree.dynamics import Tree

Array = NDArray[np.float64]
ROUNDING = 5e-4  # of the stored stiffnesses, which have four digits


def fitted() -> Stiffness:
    """The fit to the stored poses."""
    return fit(unit_stiffnesses(), {pose: mass_matrix(pose) for pose in POSES})[0]


def fit(units: Array, masses: Mapping[str, Array]) -> tuple[Stiffness, float]:
    """Least-squares fit to the logarithms of the six unloaded frequencies, and the remaining RMS error."""

    def errors(logarithms: Array) -> Array:
        K = np.einsum("s,sij->ij", np.exp(logarithms), units)
        return np.concatenate([np.log(frequencies(K, M) / FREQUENCIES[pose].unloaded) for pose, M in masses.items()])

    found = least_squares(errors, np.log([1e6, 1e6, 1e6]), bounds=(np.log(1e4), np.log(1e9)), xtol=1e-10)
    return Stiffness(*(float(x) for x in np.exp(found.x))), float(np.sqrt(np.mean(found.fun**2)))


def scan_poses() -> None:
    """Fits over elbow and wrist of the folded pose and elbow of the bent one; the wrist is level with the shoulder."""
    units, (model, M, _) = unit_stiffnesses(), traced()

    def at(elbow: int, wrist: int = 0) -> Array:
        angles = {"shoulder_pitch": -elbow / 2, "elbow_pitch": elbow, "wrist_pitch": wrist}
        return np.array(M(q_of(model, {joint: np.radians(angle) for joint, angle in angles.items()})))

    rows = []
    for folded, wrist, bent in product((-150, -140, -130, -120), (-90, -60, -30, 0, 30, 60, 90), (-50, -45, -40, -30)):
        found, error = fit(units, {"folded": at(folded, wrist), "bent": at(bent), "straight": at(0)})
        rows.append((error, folded, wrist, bent, found))
    print(f"{'folded: elbow':>14}{'wrist':>8}{'bent: elbow':>14}{'error [%]':>12}{'EI':>10}{'yaw':>10}{'pitch':>10}")
    for error, folded, wrist, bent, found in sorted(rows, key=lambda row: row[0])[:12]:
        numbers = "".join(f"{x:10.3g}" for x in astuple(found))
        print(f"{folded:14}{wrist:8}{bent:14}{100 * error:12.2f}{numbers}")


def unit_stiffnesses() -> Array:
    """(3, nv, nv) stiffness matrices for one unit of each number."""
    return np.array([stiffness_matrix(Stiffness(*unit)) for unit in ((1, 0, 0), (0, 1, 0), (0, 0, 1))])


@cache
def traced(orbiter: bool = False, payload: float = 0.0, bending: int = 2, torsion: int = 1) -> tuple[Model, Any, Array]:
    """The model with a unit of every stiffness, its mass matrix as a function, and the stiffness of its booms."""
    unit = Stiffness(1.0, 1.0, 1.0)
    model = flexible_arm(stiffness=unit, orbiter=orbiter, payload=payload, bending=bending, torsion=torsion)
    tree = Tree(model)
    return model, tree.mass_matrix.function, np.array(tree.stiffness)


def mass_matrix(pose: str, **options: Any) -> Array:
    """Mass matrix at rest in a pose; options as in `traced`."""
    model, M, _ = traced(**options)
    return np.array(M(q_of(model, POSES[pose])))


def stiffness_matrix(stiffness: Stiffness, **options: Any) -> Array:
    """Of booms and gearboxes; linear in the three numbers, as the shapes of a uniform beam do not depend on EI."""
    model, _, booms = traced(**options)
    K = stiffness.EI * booms
    gears = gear_stiffness(stiffness)
    for joint, (turns, _) in zip(model.joints, model.v_slices, strict=True):
        if joint.name in gears:
            K[turns, turns] += gears[joint.name]
    return K


def frequencies(K: Array, M: Array) -> Array:
    """The lowest two frequencies [Hz], as the largest squared periods, so that gearboxes may be arbitrarily stiff."""
    n = len(K)
    squared = eigh(M, K, eigvals_only=True, subset_by_index=[n - 2, n - 1])[::-1]
    return np.asarray(1 / (2 * np.pi * np.sqrt(squared)))


def free_frequency(pose: str, payload: float = 0.0) -> float:
    """The lowest frequency with a free orbiter, after its six rigid motions [Hz]."""
    M = mass_matrix(pose, orbiter=True, payload=payload)
    squared = eigh(stiffness_matrix(TUNED, orbiter=True), M, eigvals_only=True, subset_by_index=[6, 6])
    return float(np.sqrt(squared[0]) / (2 * np.pi))


def payload_mass(pose: str) -> float:
    """The point mass at the grapple point that best fits the loaded frequencies of a pose [kg]."""
    K, M = stiffness_matrix(TUNED), mass_matrix(pose)
    of_a_tonne = mass_matrix(pose, payload=1e3) - M

    def errors(logarithm: Array) -> Array:
        tonnes = np.exp(logarithm[0])
        return np.asarray(np.log(frequencies(K, M + tonnes * of_a_tonne) / FREQUENCIES[pose].loaded))

    return float(1e3 * np.exp(least_squares(errors, [np.log(10.0)]).x[0]))


def is_stored(found: Stiffness) -> bool:
    """Whether the stored stiffnesses equal the fitted ones, to their digits."""
    return bool(np.allclose(astuple(found), astuple(TUNED), rtol=ROUNDING, atol=0))


def main() -> int:
    """Fit, compare, print."""
    if sys.argv[1:] == ["--poses"]:
        scan_poses()
        return 0
    if sys.argv[1:]:
        print("tune_srms: the only option is --poses", file=sys.stderr)
        return 2
    found = fitted()
    print(f"fitted  EI {found.EI:.4g} N m^2, yaw {found.yaw:.4g} N m/rad, pitch {found.pitch:.4g} N m/rad")
    print(f"stored  EI {TUNED.EI:.4g} N m^2, yaw {TUNED.yaw:.4g} N m/rad, pitch {TUNED.pitch:.4g} N m/rad")
    K = stiffness_matrix(TUNED)
    print(f"\n{'unloaded':10}{'published':>16}{'ours':>16}{'error [%]':>14}{'free, published':>18}{'ours':>8}")
    for pose, wanted in FREQUENCIES.items():
        own = frequencies(K, mass_matrix(pose))
        error = 100 * (own / wanted.unloaded - 1)
        print(
            f"{pose:10}{wanted.unloaded[0]:8.3f}{wanted.unloaded[1]:8.3f}{own[0]:8.3f}{own[1]:8.3f}"
            f"{error[0]:+7.1f}{error[1]:+7.1f}{wanted.unloaded_free:18.3f}{free_frequency(pose):8.3f}"
        )
    print(f"\n{'loaded':10}{'published':>16}{'mass [t]':>10}{'ours with it':>16}{'free, published':>18}{'ours':>8}")
    for pose, wanted in FREQUENCIES.items():
        mass = payload_mass(pose)
        own = frequencies(K, mass_matrix(pose, payload=mass))
        print(
            f"{pose:10}{wanted.loaded[0]:8.3f}{wanted.loaded[1]:8.3f}{1e-3 * mass:10.1f}{own[0]:8.3f}{own[1]:8.3f}"
            f"{wanted.loaded_free:18.3f}{free_frequency(pose, mass):8.3f}"
        )
    if not is_stored(found):
        print("the stored numbers are not the fitted ones", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

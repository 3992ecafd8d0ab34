"""Component modes of finite elements, and modes in files: what comes back, and what is refused."""

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from motionbase.errors import ModelError
from motionbase.multibody.flexible import (
    FiniteElements,
    Modes,
    beam,
    craig_bampton,
    imported,
    load_finite_elements,
    load_modes,
    save_modes,
)
from motionbase.multibody.flexible.imported import MODES

Array = Any
L, MU, EI_Y, EI_Z, EA, GJ, JX = 2.0, 3.0, 50.0, 80.0, 1e4, 30.0, 0.1


def beam_elements(n: int) -> FiniteElements:
    """A straight beam along x of Euler-Bernoulli elements, six unknowns a node, consistent mass: textbook matrices."""
    h = L / n
    M, K = np.zeros((6 * (n + 1), 6 * (n + 1))), np.zeros((6 * (n + 1), 6 * (n + 1)))
    bend = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                     [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]) / h**3  # fmt: skip
    mass = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                     [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]) * h / 420  # fmt: skip
    turned = np.diag([1, -1, 1, -1])  # deflection along z turns about -y
    bar, share = np.array([[1, -1], [-1, 1]]) / h, np.array([[2, 1], [1, 2]]) * h / 6
    for e in range(n):
        for at, k, m in (
            ([1, 5, 7, 11], EI_Z * bend, MU * mass),
            ([2, 4, 8, 10], EI_Y * turned @ bend @ turned, MU * turned @ mass @ turned),
            ([0, 6], EA * bar, MU * share),
            ([3, 9], GJ * bar, JX * share),
        ):
            rows = np.ix_(6 * e + np.array(at), 6 * e + np.array(at))
            K[rows] += k
            M[rows] += m
    return FiniteElements(M, K, np.column_stack([np.linspace(0, L, n + 1), np.zeros((n + 1, 2))]))


def springs(nodes: int = 9) -> FiniteElements:
    """Point masses at random places, every two joined by a spring: three unknowns a node."""
    rng = np.random.default_rng(2)
    r = rng.uniform(-1, 1, (nodes, 3))
    K = np.zeros((3 * nodes, 3 * nodes))
    for a in range(nodes):
        for b in range(a):
            u = (r[a] - r[b]) / np.linalg.norm(r[a] - r[b])
            k = rng.uniform(10, 20) * np.outer(u, u)
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += sign * k
    return FiniteElements(np.diag(np.repeat(rng.uniform(0.5, 1, nodes), 3)), K, r)


def frequencies(modes: Modes) -> Array:
    return np.sqrt(eigh(modes.stiffness, modes.modal_mass, eigvals_only=True))


def test_frequencies_and_statics_of_a_beam() -> None:
    """Closed forms of the clamped beam; a force and a moment at the tip bend it exactly, whatever the fixed modes."""
    elements = beam_elements(20)
    modes = craig_bampton(elements, root=0, interface={"tip": 20}, fixed_modes=12)
    assert modes.n == 18
    bending = np.array([1.87510407, 4.69409113]) ** 2 / L**2
    exact = np.sort([*bending * np.sqrt(EI_Y / MU), *bending * np.sqrt(EI_Z / MU), np.pi / 2 / L * np.sqrt(GJ / JX)])
    np.testing.assert_allclose(frequencies(modes)[:5], exact, rtol=1e-3)
    clamped = eigh(elements.stiffness[6:, 6:], elements.mass[6:, 6:], eigvals_only=True)
    np.testing.assert_allclose(frequencies(modes)[:5], np.sqrt(clamped[:5]), rtol=5e-4)
    statics = craig_bampton(elements, root=0, interface={"tip": 20}, fixed_modes=0)
    tip = statics.points["tip"]
    for shapes, expected in (
        ((tip.shape[1], tip.shape[1]), L**3 / (3 * EI_Z)),
        ((tip.shape[2], tip.shape[2]), L**3 / (3 * EI_Y)),
        ((tip.slope[2], tip.shape[1]), L**2 / (2 * EI_Z)),
        ((tip.slope[1], tip.shape[2]), -(L**2) / (2 * EI_Y)),
        ((tip.slope[0], tip.slope[0]), L / GJ),
        ((tip.shape[0], tip.shape[0]), L / EA),
    ):
        found = shapes[0] @ np.linalg.solve(statics.stiffness, shapes[1])
        assert found == pytest.approx(expected, rel=1e-8)


def test_same_body_as_the_built_in_beam() -> None:
    """One bending mode each: the integrals are those of the beam's own, up to elements of L/40."""
    own = beam(L, MU, EI_z=EI_Z, bending=(1, 0), inertia_per_length=(JX, 0, 0))
    modes = craig_bampton(beam_elements(40), root=0, interface={"tip": 40}, fixed_modes=20)
    k = [i for i in range(modes.n) if abs(modes.points["tip"].shape[1, i]) > 0.9][0]
    sign = np.sign(modes.points["tip"].shape[1, k])
    for name, ours, theirs in (
        ("mass", own.mass, modes.mass),
        ("first", own.first, modes.first),
        ("second", own.second, modes.second),
        ("shape_mass", own.shape_mass[:, 0], sign * modes.shape_mass[:, k]),
        ("shape_moment", own.shape_moment[:, 0], sign * modes.shape_moment[:, k]),
        ("modal_mass", own.modal_mass[0, 0], modes.modal_mass[k, k]),
        ("inertia_first", own.inertia_first[0], sign * modes.inertia_first[k]),
        ("inertia_second", own.inertia_second[0, 0], modes.inertia_second[k, k]),
        ("shape_cross", own.shape_cross[0, 0], modes.shape_cross[k, k]),
        ("stiffness", own.stiffness[0, 0], modes.stiffness[k, k]),
    ):
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-3 * np.abs(ours).max() + 1e-6, err_msg=name)


def test_free_body() -> None:
    """Without a root the frame is the mean one: free frequencies, no momentum in any mode."""
    elements = beam_elements(20)
    modes = craig_bampton(elements, interface={"root": 0, "tip": 20}, fixed_modes=12)
    bending = 4.73004074**2 / L**2 * np.sqrt(np.array([EI_Y, EI_Z]) / MU)
    exact = [bending[0], np.pi / L * np.sqrt(GJ / JX), bending[1]]
    np.testing.assert_allclose(frequencies(modes)[:3], exact, rtol=2e-3)
    assert modes.n == 18
    scale = modes.mass * 1e-8
    assert np.abs(modes.shape_mass).max() < scale and np.abs(modes.shape_moment).max() < scale


def test_lumped_masses_are_particles() -> None:
    """All modes of a cloud of springs: integrals of the particles, frequencies of the whole."""
    body = springs()
    modes = craig_bampton(body, root=[0, 1, 2], interface={"hand": [3, 4, 5], "pin": 6}, fixed_modes=6)
    assert modes.n == 18
    full = eigh(body.stiffness[9:, 9:], body.mass[9:, 9:], eigvals_only=True)
    np.testing.assert_allclose(frequencies(modes), np.sqrt(full), rtol=1e-9)
    origin = body.positions[:3].mean(axis=0)
    np.testing.assert_allclose(modes.points["pin"].position, body.positions[6] - origin)
    masses = np.diag(body.mass)[::3]
    # shapes of the particles from those of single-node interfaces
    every = craig_bampton(body, root=[0, 1, 2], interface={f"n{k}": k for k in range(3, 9)}, fixed_modes=0)
    shapes = np.concatenate([np.zeros((3, 3, 18)), [every.points[f"n{k}"].shape for k in range(3, 9)]])
    particles = Modes.from_particles(masses, body.positions - origin, shapes, stiffness=every.stiffness)
    for name in MODES:
        ours, theirs = np.asarray(getattr(every, name)), np.asarray(getattr(particles, name))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()), err_msg=name)


def test_a_patch_turns_with_its_nodes() -> None:
    """A small rotation of three nodes is the slope of their point."""
    body = springs()
    modes = craig_bampton(body, root=[0, 1, 2], interface={"hand": [3, 4, 5]}, fixed_modes=3)
    every = craig_bampton(body, root=[0, 1, 2], interface={f"n{k}": k for k in (3, 4, 5)}, fixed_modes=3)
    shape = np.array([every.points[f"n{k}"].shape for k in (3, 4, 5)])
    rotation, middle = np.array([0.1, -0.2, 0.3]), body.positions[3:6].mean(axis=0)
    moved = np.cross(rotation, body.positions[3:6] - middle)
    eta = np.linalg.lstsq(shape.reshape(9, -1), moved.ravel(), rcond=None)[0]
    np.testing.assert_allclose(modes.points["hand"].slope @ eta, rotation, atol=1e-9)
    np.testing.assert_allclose(modes.points["hand"].shape @ eta, 0, atol=1e-9)


def test_keep_and_damping() -> None:
    body = beam_elements(6)
    everything = craig_bampton(body, root=0, interface={"tip": 6}, fixed_modes=4, damping=0.01)
    few = craig_bampton(body, root=0, interface={"tip": 6}, fixed_modes=4, keep=3)
    np.testing.assert_allclose(frequencies(few), frequencies(everything)[:3], rtol=1e-9)
    ratio = np.diag(everything.damping) / np.diag(everything.modal_mass) / (2 * frequencies(everything))
    np.testing.assert_allclose(ratio, 0.01, rtol=1e-6)


@pytest.mark.parametrize("kind", ["beam", "component"])
def test_files_bring_modes_back(kind: str, tmp_path: Path) -> None:
    if kind == "beam":
        modes = beam(L, MU, EI_z=EI_Z, EI_y=EI_Y, bending=(2, 1), damping=0.01, points={"mid": 1.0})
    else:
        modes = craig_bampton(beam_elements(4), root=0, interface={"tip": 4}, fixed_modes=2)
    path = tmp_path / "modes.npz"
    save_modes(path, modes)
    back = load_modes(path)
    pairs = [(modes, back)]
    assert (modes.bow is None) == (back.bow is None)
    if modes.bow is not None and back.bow is not None:
        np.testing.assert_array_equal(back.bow.amounts, modes.bow.amounts)
        pairs.append((modes.bow.modes, back.bow.modes))
    for a, b in pairs:
        for name in MODES:
            np.testing.assert_array_equal(getattr(b, name), getattr(a, name))
        assert list(b.points) == list(a.points)
        for name, point in a.points.items():
            np.testing.assert_array_equal(b.points[name].shape, point.shape)
            np.testing.assert_array_equal(b.points[name].slope, point.slope)


def test_files_of_finite_elements(tmp_path: Path) -> None:
    body = springs()
    path = tmp_path / "body.npz"
    np.savez(path, mass=body.mass, stiffness=np.asfortranarray(body.stiffness), positions=body.positions)
    back = load_finite_elements(path)
    np.testing.assert_array_equal(back.stiffness, body.stiffness)
    np.savez(path, mass=body.mass, stiffness=body.stiffness[:5], positions=body.positions)
    with pytest.raises(ModelError, match=r"body.npz: finite elements: stiffness has shape \(5, 27\)"):
        load_finite_elements(path)


def arrays() -> dict[str, Any]:
    body = springs()
    return {"mass": body.mass, "stiffness": body.stiffness, "positions": body.positions}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": None}, "mass not found; the file has positions, stiffness"),
        ({"mass": np.array([{}, 1], dtype=object)}, "mass is made of Python objects (a pickle); real numbers"),
        ({"mass": np.eye(27) * 1j}, "mass is made of complex128; real numbers"),
        ({"mass": np.full((27, 27), "x")}, "mass is made of <U1; real numbers"),
        ({"stiffness": np.full((27, 27), np.nan)}, "stiffness has entries that are not finite"),
        ({"positions": np.zeros((9, 2))}, "positions has shape (9, 2), (nodes, 3) is wanted"),
        ({"positions": np.zeros((8, 3))}, "mass has shape (27, 27); for 8 nodes (24, 24) or (48, 48)"),
        ({"mass": np.arange(729.0).reshape(27, 27)}, "mass is not symmetric"),
        ({"mass": -np.eye(27)}, "mass is -9, -9, -9 kg along x, y, z; one positive mass"),
        ({"mass": np.eye(27) + np.diag([1.0, 0, 0] * 9)}, "mass is 18, 9, 9 kg"),
        ({"stiffness": np.eye(27)}, "stiffness resists a rigid motion"),
        ({"mass": np.zeros(27)}, "mass is float64 of shape (27,)"),
    ],
)
def test_refused_files(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "body.npz"
    np.savez(path, **{k: v for k, v in {**arrays(), **change}.items() if v is not None})
    with pytest.raises(ModelError) as error:
        load_finite_elements(path)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_hostile_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickles, headers that lie, archives that are none: one sentence each, and nothing is run or allocated."""
    path = tmp_path / "bad.npz"

    def refused(words: str) -> None:
        for load in (load_modes, load_finite_elements):
            with pytest.raises(ModelError) as error:
                load(path)
            assert words in str(error.value) and "\n" not in str(error.value)

    refused("there is no such file")
    path.write_bytes(b"")
    refused("not a .npz file")
    path.write_bytes(pickle.dumps({"mass": 1}))
    refused("not a .npz file")
    path.unlink()
    path.mkdir()
    refused("not a .npz file")
    path.rmdir()

    good = tmp_path / "good.npz"
    save_modes(good, beam(L, MU, EI_z=EI_Z, bending=(1, 0)))

    def with_mass(data: bytes, name: str = "mass.npy") -> None:
        with zipfile.ZipFile(good) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
            for entry in source.namelist():
                target.writestr(entry, data if entry == name else source.read(entry))

    def refused_modes(words: str) -> None:
        with pytest.raises(ModelError) as error:
            load_modes(path)
        assert words in str(error.value) and "\n" not in str(error.value)

    with_mass(b"\x80\x04K\x01.")
    refused_modes("mass is not an array that can be read")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    with_mass(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    refused_modes("mass says it has shape (1000000000000,), but the file holds")
    with_mass(b"\x93NUMPY\x01\x00" + (5).to_bytes(2, "little") + b"{'a':")
    refused_modes("mass is not an array that can be read")
    monkeypatch.setattr(imported, "LARGEST", 1000)
    with_mass(bytes(2000))
    refused_modes("GB is the most")
    monkeypatch.undo()
    whole = good.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused_modes("not a .npz file")
    for name, value, words in (
        ("mass", np.array(np.nan), "mass is nan kg"),
        ("mass", np.zeros(2), "mass has shape (2,)"),
        ("modal_mass", np.zeros((2, 3)), "has shape"),
        ("modal_mass", -np.eye(1), "not positive definite"),
        ("point_shapes", np.zeros((1, 3, 4)), "point_shapes has shape (1, 3, 4); finite numbers of shape (2, 3, 1)"),
        ("point_names", np.array(["tip", "tip"]), "different names"),
        ("point_names", np.array([1, 2]), "point_names is made of int64; text"),
        ("bow_amounts", np.zeros((3, 1, 1)), "bow_amounts has shape (3, 1, 1)"),
    ):
        with np.load(good) as source:
            np.savez(path, **{**{k: source[k] for k in source.files}, name: value})
        refused_modes(words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"root": 40}, "root is 40; different nodes from 0 to 8"),
        ({"interface": {"tip": [1, 1]}}, "interface 'tip' is [1, 1]"),
        ({"interface": {"tip": 0}}, "interface 'tip' has nodes of the root"),
        ({"root": 0, "interface": {}}, "can still move without deforming"),
        ({"root": None, "interface": {"tip": 0}}, "can still move without deforming"),
        ({"fixed_modes": 100}, "fixed_modes is 100; 0 to"),
        ({"fixed_modes": 0, "interface": {}}, "or an interface"),
        ({"keep": 0}, "keep is 0; 1 to"),
        ({"origin": (0, 0)}, "origin is (0, 0)"),
        ({"damping": -1}, "damping ratio is -1"),
    ],
)
def test_refused_components(change: dict[str, Any], words: str) -> None:
    good: dict[str, Any] = {"root": [0, 1, 2], "interface": {"tip": 5}, "fixed_modes": 2}
    with pytest.raises(ModelError) as error:
        craig_bampton(springs(), **{**good, **change})
    assert words in str(error.value)

"""Modes and finite elements as .npz files: named arrays, no pickles, sizes known before anything is read."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.arrays import AnyArray
from motionbase.errors import ModelError
from motionbase.multibody.flexible.finite_elements import FiniteElements
from motionbase.multibody.flexible.modes import Bow, ModalPoint, Modes

LARGEST = 1 << 30  # bytes of all arrays of a file
MODES = (
    "mass", "first", "second", "shape_mass", "shape_moment", "shape_cross", "modal_mass", "inertia_first",
    "inertia_second", "stiffness", "damping", "centrifugal", "accelerated",
)  # fmt: skip
POINTS: dict[str, tuple[int | str, ...]] = {
    "point_positions": (3,), "point_shapes": (3, "n"), "point_slopes": (3, "n"), "point_shortenings": (3, "n", "n"),
}  # fmt: skip
BOW = ("bow_amounts", *(f"bow_{name}" for name in (*MODES, "point_names", *POINTS)))


def save_modes(path: str | Path, modes: Modes) -> None:
    """Write a body's modes: the attributes of `Modes` by name, its points one after the other, its bow with "bow_"."""
    arrays = _arrays(modes, "")
    if modes.bow is not None:
        arrays |= {**_arrays(modes.bow.modes, "bow_"), "bow_amounts": modes.bow.amounts}
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def _arrays(modes: Modes, prefix: str) -> dict[str, Any]:
    n, points = modes.n, list(modes.points.values())
    bows = [np.zeros((3, n, n)) if p.shortening is None else p.shortening for p in points]
    arrays: dict[str, Any] = {name: np.asarray(getattr(modes, name)) for name in MODES}
    arrays["point_names"] = np.array(list(modes.points), dtype=np.str_)
    arrays["point_positions"] = np.array([p.position for p in points]).reshape(-1, 3)
    arrays["point_shapes"] = np.array([p.shape for p in points]).reshape(-1, 3, n)
    arrays["point_slopes"] = np.array([p.slope for p in points]).reshape(-1, 3, n)
    arrays["point_shortenings"] = np.array(bows).reshape(-1, 3, n, n)
    return {prefix + name: array for name, array in arrays.items()}


def load_modes(path: str | Path) -> Modes:
    """Read a file of `save_modes`, or of another program in the same format; shortenings and bow are optional."""
    arrays = read_arrays(path, (*MODES, "point_names", *POINTS, *BOW), optional=("point_shortenings", *BOW))
    modes = _modes(path, arrays, "", None)
    there = [name for name in BOW if name in arrays]
    if not there:
        return modes
    if missing := [name for name in BOW if name not in arrays and name != "bow_point_shortenings"]:
        raise ModelError(f"{path}: {', '.join(missing)} not found, although {there[0]} is there")
    whole, amounts = _modes(path, arrays, "bow_", None), arrays["bow_amounts"]
    wanted = (whole.n - modes.n, modes.n, modes.n)
    if amounts.shape != wanted or not np.all(np.isfinite(amounts)):
        raise ModelError(f"{path}: bow_amounts has shape {amounts.shape}; finite numbers of shape {wanted} are wanted")
    if list(whole.points) != list(modes.points):
        raise ModelError(f"{path}: bow_point_names are not point_names")
    return _modes(path, arrays, "", Bow(whole, amounts))


def _modes(path: str | Path, arrays: dict[str, AnyArray], prefix: str, bow: Bow | None) -> Modes:
    mass, modal_mass, names = (arrays[prefix + name] for name in ("mass", "modal_mass", "point_names"))
    if mass.shape != () or modal_mass.ndim != 2:
        raise ModelError(
            f"{path}: {prefix}mass has shape {mass.shape} and {prefix}modal_mass {modal_mass.shape}; () and (n, n) are "
            "wanted"
        )
    n = modal_mass.shape[0]
    if names.ndim != 1 or len(set(names.tolist())) < len(names):
        raise ModelError(f"{path}: {prefix}point_names has shape {names.shape}; a list of different names is wanted")
    values = []
    for key, shape in POINTS.items():
        wanted = (len(names), *(n if isinstance(s, str) else s for s in shape))
        value = arrays.get(prefix + key, np.zeros(wanted))
        if value.shape != wanted or not np.all(np.isfinite(value)):
            raise ModelError(
                f"{path}: {prefix}{key} has shape {value.shape}; finite numbers of shape {wanted} are wanted"
            )
        values.append(value)
    points = {str(name): ModalPoint(*(value[k] for value in values)) for k, name in enumerate(names)}
    integrals: dict[str, Any] = {name: arrays[prefix + name] for name in MODES}
    try:
        return Modes(**{**integrals, "mass": float(mass)}, points=points, bow=bow)
    except ModelError as error:
        raise ModelError(f"{path}: {prefix and 'bow: '}{error}") from None


def load_finite_elements(path: str | Path) -> FiniteElements:
    """Read mass, stiffness and positions; see `FiniteElements`."""
    arrays = read_arrays(path, ("mass", "stiffness", "positions"))
    try:
        return FiniteElements(arrays["mass"], arrays["stiffness"], arrays["positions"])
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def read_arrays(path: str | Path, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, AnyArray]:
    """Named arrays of a .npz file: float64, or text if the name ends with "names"."""
    found: dict[str, AnyArray] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {info.filename.removesuffix(".npy"): info.file_size for info in archive.infolist()}
            missing = [name for name in names if name not in sizes and name not in optional]
            if missing:
                there = ", ".join(sorted(sizes)[:20]) or "nothing"
                raise ModelError(f"{path}: {', '.join(missing)} not found; the file has {there}")
            if (total := sum(sizes.get(name, 0) for name in names)) > LARGEST:
                raise ModelError(f"{path}: its arrays take {total / 1e9:.3g} GB, {LARGEST / 1e9:.3g} GB is the most")
            for name in names:
                if name in sizes:
                    found[name] = _array(path, archive, name, sizes[name])
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such file") from None
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise ModelError(f"{path}: not a .npz file that can be read ({error})") from None
    return found


def _array(path: str | Path, archive: zipfile.ZipFile, name: str, size: int) -> AnyArray:
    """One array; its header is checked before its numbers are read."""
    with archive.open(f"{name}.npy") as file:
        try:
            version = np.lib.format.read_magic(file)
            read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
            shape, fortran, dtype = read(file)
        except Exception as error:  # a header is parsed as Python: hostile ones fail in many ways
            what = str(error).splitlines() or [type(error).__name__]
            raise ModelError(f"{path}: {name} is not an array that can be read ({what[0]})") from None
        text = name.endswith("names")
        if dtype.kind not in ("U" if text else "fiu"):
            kind = "Python objects (a pickle)" if dtype.hasobject else f"{dtype}"
            raise ModelError(f"{path}: {name} is made of {kind}; {'text' if text else 'real numbers'} is wanted")
        count = int(np.prod(shape, dtype=object)) if shape else 1
        if any(s < 0 for s in shape) or count * dtype.itemsize > size:
            raise ModelError(f"{path}: {name} says it has shape {shape}, but the file holds {size} bytes for it")
        data = file.read(count * dtype.itemsize)
    if len(data) < count * dtype.itemsize:
        raise ModelError(f"{path}: {name} ends too early")
    array = np.frombuffer(data, dtype=dtype, count=count).reshape(shape, order="F" if fortran else "C")
    return array if text else array.astype(np.float64)

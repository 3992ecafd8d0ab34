"""Beams as flexible bodies: assumed modes along x of the body frame, which is at the root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.eigen import ratio_damping
from motionbase.multibody.flexible.directions import (
    Direction,
    bar_direction,
    bending_direction,
    evaluate,
    shortening,
)
from motionbase.multibody.flexible.line import gauss_stations, mesh
from motionbase.multibody.flexible.modes import ModalPoint, Modes
from motionbase.multibody.flexible.section import (
    Property,
    Table,
    checked_bar,
    checked_boundary,
    checked_counts,
    checked_number,
    checked_stations,
    table,
)


def beam(
    length: float,
    mass_per_length: Property,
    *,
    EI_y: Property | None = None,
    EI_z: Property | None = None,
    EA: Property | None = None,
    GJ: Property | None = None,
    bending: tuple[int, int] = (0, 0),
    axial: int = 0,
    torsion: int = 0,
    formulation: Literal["euler_bernoulli", "timoshenko"] = "euler_bernoulli",
    shear_y: Property | None = None,
    shear_z: Property | None = None,
    inertia_per_length: tuple[Property, Property, Property] = (0.0, 0.0, 0.0),
    boundary: str = "clamped-free",
    axial_boundary: str | None = None,
    torsion_boundary: str | None = None,
    tip_mass: float = 0.0,
    tip_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0),
    loading: float = 0.0,
    loading_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0),
    damping: float | Sequence[float] | None = None,
    rayleigh: tuple[float, float] | None = None,
    points: Mapping[str, float] | None = None,
    elements: int | None = None,
) -> Modes:
    """A beam's modes, integrals, stiffness, damping and geometric stiffness.

    A property is one number, or pairs (station [m], value) with linear interpolation; two pairs at one station define
    a jump. Shapes are the natural modes of the beam with its `boundary`; motions without deformation are those of
    the body's frame. A unit amplitude deflects (or stretches) the beam by at most 1 m, or twists it by 1 rad.
    The order of the amplitudes: bending along y, along z, stretch, twist.

    Args:
        length: [m]
        mass_per_length: [kg/m]
        EI_y, EI_z: bending stiffness about y (deflection along z) and about z (deflection along y) [N m^2]
        EA, GJ: stiffness of stretch [N] and of twist [N m^2]
        bending: number of modes along y and along z
        axial, torsion: number of modes
        formulation: a Timoshenko beam also shears and needs shear_y, shear_z
        shear_y, shear_z: shear stiffness k G A for deflection along y and z [N]
        inertia_per_length: moments of inertia of a slice about x, y, z [kg m]; those about y and z turn an
            Euler-Bernoulli beam into a Rayleigh beam
        boundary: root and tip, each clamped, pinned, sliding or free
        axial_boundary, torsion_boundary: fixed-free, free-fixed or free-free; by default fixed-free, or free-free
            if bending is free-free
        tip_mass, tip_inertia: a rigid end of this body [kg], about x, y, z at the tip [kg m^2]
        loading, loading_inertia: mass at the tip [kg] and moments of inertia about x, y, z [kg m^2] that only affect
            the shapes, for a heavy body that will be carried there; two bending modes of a beam with much of both
            are nearly its deflections under a force and a moment at the tip
        damping: fraction of critical damping of all modes, or of each in ascending frequency [-]
        rayleigh: alpha [1/s] and beta [s] of alpha M + beta K
        points: named stations [m]; "root" and "tip" always exist
        elements: smallest number of elements; by default 20, or five for each mode
    """
    counts = checked_counts(bending, axial, torsion)
    length = checked_number("length", length, positive=True)
    tip_mass, loading = checked_number("tip_mass", tip_mass), checked_number("loading", loading)
    ends = [checked_number(f"tip_inertia about {a}", j) for a, j in zip("xyz", tip_inertia, strict=True)]
    loads = [checked_number(f"loading_inertia about {a}", j) for a, j in zip("xyz", loading_inertia, strict=True)]
    held = checked_boundary(boundary)
    held_axial = checked_bar("axial_boundary", axial_boundary, boundary)
    held_torsion = checked_bar("torsion_boundary", torsion_boundary, boundary)
    stations = checked_stations(points, length)
    if formulation not in ("euler_bernoulli", "timoshenko"):
        raise ModelError(f"beam: formulation {formulation!r} is not known; euler_bernoulli or timoshenko")
    if elements is not None and (not isinstance(elements, int) or elements < 1):
        raise ModelError(f"beam: elements is {elements!r}; a whole number above zero is wanted")
    corners: list[float] = []

    def along(name: str, value: Property | None, positive: bool = True) -> Table:
        found, at = table(name, value, length, positive)
        corners.extend(at)
        return found

    mu = along("mass_per_length", mass_per_length)
    j = [
        along(f"inertia_per_length about {axis}", value, positive=axis == "x" and counts[3] > 0)
        for axis, value in zip("xyz", inertia_per_length, strict=True)
    ]
    shearing = formulation == "timoshenko"
    EIs = [along("EI_z", EI_z) if counts[0] else None, along("EI_y", EI_y) if counts[1] else None]
    shears = [
        along("shear_y", shear_y) if counts[0] and shearing else None,
        along("shear_z", shear_z) if counts[1] and shearing else None,
    ]
    stretch = along("EA", EA) if axial else None
    twist = along("GJ", GJ) if torsion else None

    nodes = mesh(length, elements or max(20, 5 * max(counts)), np.array(corners))
    directions: list[Direction] = []
    for k, EI in enumerate(EIs):
        if EI is not None:  # deflection along y rotates about z, and vice versa
            tip = (tip_mass + loading, ends[2 - k] + loads[2 - k])
            directions.append(bending_direction(1 + k, counts[k], nodes, mu, j[2 - k], EI, shears[k], held, tip))
    if stretch is not None:
        directions.append(bar_direction(0, axial, nodes, mu, stretch, held_axial, tip_mass + loading))
    if twist is not None:
        directions.append(bar_direction(3, torsion, nodes, j[0], twist, held_torsion, ends[0] + loads[0]))

    x, weight = gauss_stations(nodes)
    x = np.append(x, length)  # the tip's own mass, which may be zero
    masses = np.append(weight * mu(x[:-1]), tip_mass)
    rotary = np.zeros((len(x), 3, 3))
    for k in range(3):
        rotary[:, k, k] = np.append(weight * j[k](x[:-1]), ends[k])
    undamped = _integrals(directions, nodes, x, masses, rotary, held_axial, stations)
    return _damped(undamped, damping, rayleigh)


def _integrals(
    directions: list[Direction],
    nodes: Array,
    x: Array,
    masses: Array,
    rotary: Array,
    held: tuple[str, str],
    stations: Mapping[str, float],
) -> Modes:
    """Sums over the particles; shortening counts from the axially fixed end, or has zero mean if there is none."""
    at = np.array(list(stations.values()))
    everywhere = np.concatenate([x, at])
    along = shortening(directions, nodes, everywhere)
    if held == ("free", "fixed"):
        along = along - shortening(directions, nodes, nodes[-1:])
    elif held == ("free", "free"):
        along = along - np.einsum("p,pjk->jk", masses, along[: len(x)]) / masses.sum()
    shapes = evaluate(directions, nodes, everywhere)
    n, here = shapes.phi.shape[2], slice(len(x))
    bow = np.zeros((len(everywhere), 3, n, n))
    bow[:, 0] = along
    positions = np.column_stack([everywhere, np.zeros((len(everywhere), 2))])
    stiffness = np.zeros((n, n))
    k = 0
    for d in directions:
        size = len(d.stiffness)
        stiffness[k : k + size, k : k + size] = d.stiffness
        k += size
    points = {
        name: ModalPoint(positions[p], shapes.phi[p], shapes.psi[p], bow[p]) for p, name in enumerate(stations, len(x))
    }
    return Modes.from_particles(
        masses, positions[here], shapes.phi[here], stiffness=stiffness, rotary=rotary, slopes=shapes.psi[here],
        shortenings=bow[here], points=points,
    )  # fmt: skip


def _damped(modes: Modes, ratio: float | Sequence[float] | None, rayleigh: tuple[float, float] | None) -> Modes:
    if ratio is not None and rayleigh is not None:
        raise ModelError("beam: give damping or rayleigh, not both")
    if ratio is not None:
        return modes.with_damping(ratio_damping(modes.stiffness, modes.modal_mass, ratio))
    if rayleigh is not None:
        if np.shape(rayleigh) != (2,):
            raise ModelError(f"beam: rayleigh is {rayleigh!r}; alpha [1/s] and beta [s] are wanted")
        alpha, beta = (checked_number("rayleigh's factor", factor) for factor in rayleigh)
        return modes.with_damping(alpha * modes.modal_mass + beta * modes.stiffness)
    return modes

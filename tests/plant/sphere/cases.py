"""Spheres on wheels for the tests, and their energies and momenta, written apart from the plant."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from motionbase.compile import Scan, scan
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.plant import SpherePlant
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.load import load_atlas

Array = NDArray[np.float64]
G = 9.80665
PRESET = load_atlas("atlas")


@cache
def sphere_on(
    wheels: int = 3,
    gamma: float = 45.0,
    com: tuple[float, float, float] = (0.0, 0.0, 0.0),
    inertia: float | None = None,
    lossy: bool = False,
    profile: str = "elliptical",
) -> Atlas:
    """The preset with other wheels, rings of four (they are quicker to compile), and no losses but slip and damping.

    Args:
        gamma: roller angle [degrees]
        inertia: the same about every axis [kg m^2]; that of the preset if not given
    """
    area = PRESET.wheels[0].contact_area if lossy else 1e-30
    driven = tuple(
        replace(
            PRESET.wheels[0],
            azimuth=2 * math.pi * k / wheels,
            roller_angle=math.radians(gamma),
            contact_area=area,
            speed_max=1e6,
            torque_max=1e6,
            rollers=replace(PRESET.wheels[0].rollers, profile=profile),
        )
        for k in range(wheels)
    )
    rings = tuple(
        replace(r, count=4, preload=3 * r.preload, stiffness=3 * r.stiffness, damping=3 * r.damping,
                rolling=r.rolling if lossy else 0.0)
        for r in PRESET.rings
    )  # fmt: skip
    own = PRESET.sphere.inertia if inertia is None else (inertia,) * 3 + (0.0,) * 3
    return replace(PRESET, sphere=replace(PRESET.sphere, com=com, inertia=own), wheels=driven, rings=rings)


@cache
def plant_of(atlas: Atlas, dt: float = 5e-4, ripple: bool = False) -> SpherePlant:
    return SpherePlant(atlas, dt, ripple=ripple)


@cache
def runner(atlas: Atlas, dt: float = 5e-4, ripple: bool = False) -> Scan:
    plant = plant_of(atlas, dt, ripple)
    kept = [*(next_of(p).name for p in plant.state_ports), *(p.name for p in plant.motion.ports.results)]
    return scan(plant.step, plant.feedback, per_step=["tau_motor", "a_stage"], record=kept)


def moved(
    atlas: Atlas, ticks: int, dt: float = 5e-4, ripple: bool = False, start: dict[str, Any] | None = None, **given: Any
) -> dict[str, Array]:
    """Every tick of a motion: results, and the state under its own names with the start as the first row."""
    plant = plant_of(atlas, dt, ripple)
    start = {**plant.at_rest(), **(start or {})}
    inputs = {**plant.quiet, **given}
    for name in ("tau_motor", "a_stage"):
        inputs[name] = np.ascontiguousarray(np.broadcast_to(inputs[name], (ticks, *plant.quiet[name].shape)))
    out = runner(atlas, dt, ripple)(ticks, **start, **inputs)
    rows = {p.name: np.concatenate([[start[p.name]], out[next_of(p).name]]) for p in plant.state_ports}
    return {**{p.name: out[p.name] for p in plant.motion.ports.results}, **rows}


def turn_of(Q: Array) -> Rotation:
    return Rotation.from_quat(Q, scalar_first=True)


def kinetic(atlas: Atlas, run: dict[str, Array]) -> Array:
    """Of sphere and wheels at every state [J]; velocities are against the support."""
    s, omega = atlas.sphere, run["omega_S"]
    v = turn_of(run["Q_WS"]).inv().apply(run["v_C"])
    at_com = v + np.cross(omega, s.com)
    about_com = s.inertia_matrix - s.mass * (np.dot(s.com, s.com) * np.eye(3) - np.outer(s.com, s.com))
    axles = np.array([w.axle_inertia for w in atlas.wheels])
    sphere = s.mass * np.sum(at_com**2, axis=1) + np.einsum("ti,ij,tj->t", omega, about_com, omega)
    return np.asarray(0.5 * (sphere + run["omega_wheel"] ** 2 @ axles))


def momenta(atlas: Atlas, run: dict[str, Array]) -> tuple[Array, Array]:
    """Linear momentum of the sphere, and angular momentum about its place in the support, in W."""
    s, turn = atlas.sphere, turn_of(run["Q_WS"])
    c_W = turn.apply(s.com)
    p = s.mass * (run["v_C"] + turn.apply(np.cross(run["omega_S"], s.com)))
    about_com = s.inertia_matrix - s.mass * (np.dot(s.com, s.com) * np.eye(3) - np.outer(s.com, s.com))
    return p, turn.apply(run["omega_S"] @ about_com) + np.cross(run["d_C"] + c_W, p)

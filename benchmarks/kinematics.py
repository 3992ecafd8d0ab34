"""The workbench and the sphere: postures, extremes, workspace, clearances; Atlas in closed loop; on one core."""

import functools
import time
from collections.abc import Callable
from typing import Any

import coal
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.arrays import Array
from motionbase.compile import compile, scan
from motionbase.platform.atlas.analysis import analyse
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.gimbals import Gimbals, neutral_frames
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_platform
from motionbase.system.atlas_loop import AtlasLoop
from motionbase.system.manoeuvre import Manoeuvre, drive
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.spins import tumbling
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.distance import surface_tree, transforms
from motionbase.workbench.geometry import FRAME, geometry_of
from motionbase.workbench.poses import LANES, compiled, on_lanes
from motionbase.workbench.posture import posture_kernel
from motionbase.workbench.sweep import sweep
from motionbase.workbench.workspace import Workspace

PLATFORM = load_platform("simona")
POSES = 2048  # a block of on_lanes
SPREAD = np.array([0.3, 0.3, 0.25, 0.15, 0.15, 0.2])  # poses are drawn from neutral plus or minus this [m, rad]
NEAREST = 10  # requested pairs of parts
FREQUENCIES = np.array([0.10, 0.13, 0.17, 0.23, 0.07, 0.19])  # of the trajectory's degrees of freedom [Hz]
SHARE = 0.3  # of the limits of position, all at once
STEP = 0.01  # [s] between its poses
TICKS = 20_000  # of the sphere's loop per call: makes the cost of a call from Python negligible


def poses(n: int) -> dict[str, Array]:
    """Random poses about neutral."""
    dof = np.random.default_rng(9).uniform(-1, 1, (n, 6)) * SPREAD
    found: dict[str, Array] = compiled(kinematics_of(PLATFORM).pose_of_dof).map(dof=dof)
    return found


def packed(rows: Array) -> Array:
    """(n, ...) -> (n / lanes, ..., lanes)."""
    return np.ascontiguousarray(np.moveaxis(rows.reshape(-1, LANES, *rows.shape[1:]), 1, -1))


def unpacked(lanes: Array) -> Array:
    """(n / lanes, ..., lanes) -> (n, ...)."""
    return np.moveaxis(lanes, -1, 1).reshape(-1, *lanes.shape[1:-1])


def numpy_posture(p: Array, Q: Array) -> dict[str, Array]:
    """Inverse kinematics and all angles of many poses with NumPy arrays; without dexterity."""
    w, x, y, z = Q.T
    R = np.empty((len(p), 3, 3))
    R[:, 0] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)
    R[:, 1] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1)
    R[:, 2] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    legs = p[:, None] + np.asarray(PLATFORM.joints) @ np.swapaxes(R, 1, 2) - np.asarray(PLATFORM.base)
    l = np.sqrt(np.einsum("nki,nki->nk", legs, legs))
    u = legs / l[:, :, None]
    axes = neutral_frames(PLATFORM)
    first = axes[:, :, 0]
    carried = first @ np.swapaxes(R, 1, 2)
    along = np.einsum("ki,nki->nk", first, u) * np.einsum("nki,nki->nk", carried, u)
    sine = np.einsum("nki,nki->nk", u, np.cross(first, carried))
    return {
        "l": l,
        "base": _bearings(axes, u),
        "platform": _bearings(axes, u @ R),
        "rotation": np.arctan2(sine, np.einsum("ki,nki->nk", first, carried) - along),
        "actuator": np.stack([np.arcsin(np.clip(u[:, :, 2], -1, 1)), np.arctan2(u[:, :, 1], u[:, :, 0])], axis=2),
    }


def _bearings(axes: Array, u: Array) -> Array:
    x, y, z = (np.einsum("ki,nki->nk", axes[:, :, k], u) for k in range(3))
    return np.stack([np.arctan2(-y, z), np.arcsin(np.clip(x, -1, 1))], axis=2)


@functools.cache
def postures(settings: Settings) -> Rounds:
    """Both sides on the same poses; their results must agree."""
    at = poses(POSES)
    kernel = compile(posture_kernel(PLATFORM), lanes=LANES, mode="fast")
    arrays = {name: packed(rows) for name, rows in at.items()}
    found = kernel.map(**arrays)
    for name, expected in numpy_posture(at["p_W"], at["Q_WP"]).items():
        if not np.abs(unpacked(found[name]) - expected).max() <= 1e-12:
            raise RuntimeError(f"{name} of the kernel is not that of NumPy")
    run = kernel.bind_map(**arrays, **found)
    sides = {"ours": _times(run), "numpy": _times(lambda: numpy_posture(at["p_W"], at["Q_WP"]))}
    return interleaved({side: per_evaluation(loop) for side, loop in sides.items()}, settings)


@functools.cache
def forward(settings: Settings) -> Rounds:
    """From neutral to poses about it, on lanes."""
    at = poses(POSES)
    l = compiled(kinematics_of(PLATFORM).inverse).map(**at)["l"]
    program = compile(kinematics_of(PLATFORM).forward, lanes=LANES)
    starts = np.tile(PLATFORM.p_neutral, (POSES, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (POSES, 1))
    arrays = {"l": packed(l), "p_start": packed(starts[0]), "Q_start": packed(starts[1])}
    found = program.map(**arrays)
    if not np.abs(unpacked(found["p_W"]) - at["p_W"]).max() <= 1e-9:
        raise RuntimeError("forward kinematics did not come back to the poses")
    run = program.bind_map(**arrays, **found)
    return interleaved({"ours": per_evaluation(_times(run))}, settings)


@functools.cache
def extremes(settings: Settings) -> Rounds:
    """Poses of all 64, angles and dexterity; everything is compiled beforehand."""
    program, kernel = compiled(kinematics_of(PLATFORM).forward), posture_kernel(PLATFORM)
    out = (np.arange(64)[:, None] >> np.arange(6)) & 1
    l = np.where(out == 1, PLATFORM.stroke.l_max, PLATFORM.stroke.l_min)
    start = {"p_start": np.tile(PLATFORM.p_neutral, (64, 1)), "Q_start": np.tile([1.0, 0.0, 0.0, 0.0], (64, 1))}

    def once() -> None:
        found = program.map(l=l, **start)
        if not np.all(found["converged"] == 1):
            raise RuntimeError("an extreme was not found")
        on_lanes(kernel, p_W=found["p_W"], Q_WP=found["Q_WP"])

    return interleaved({"ours": per_evaluation(_times(once))}, settings)


@functools.cache
def workspace(settings: Settings) -> Samples:
    """Margins with limits of strokes and bearings; a quick run uses a tenth of the poses."""
    n = 100_000 if settings.quick else 1_000_000
    at, space = poses(n), Workspace(PLATFORM, Gimbals((0.6, 0.5), (0.7, 0.4)))
    space.margins(at["p_W"][:8], at["Q_WP"][:8])
    rounds = interleaved({"ours": per_evaluation(_times(lambda: space.margins(**at)), 1)}, min(settings.repeats, 5))
    note = "ten times what a tenth of the poses takes" if settings.quick else ""
    return Samples(tuple(t * 1e6 / n for t in rounds.seconds["ours"]), note)


@functools.cache
def clearance_of_platform() -> Clearance:
    """The clearance model, created once."""
    found = Clearance(geometry_of(PLATFORM))
    found.at(PLATFORM.p_neutral, (1.0, 0.0, 0.0, 0.0))
    return found


def every_pair(clearance: Clearance, p_W: Array, Q_WP: Array) -> float:
    """The smallest clearance by measuring every pair as whole surfaces."""
    geometry, where = clearance.geometry, clearance.geometry.placed(p_W, Q_WP)
    trees, T = _trees(), transforms(where.R[0], where.p[0])
    placed: list[tuple[Any, Any]] = [(trees[k], T[FRAME[part.frame]]) for k, part in enumerate(geometry.parts)]
    request = coal.DistanceRequest()
    return min(float(coal.distance(*placed[i], *placed[j], request, coal.DistanceResult())) for i, j in geometry.pairs)


@functools.cache
def _trees() -> list[Any]:
    return [surface_tree(part.mesh) for part in clearance_of_platform().geometry.parts]


@functools.cache
def clearances(settings: Settings) -> Rounds:
    """The ten nearest of all pairs at one pose, and every pair measured; both must have the same minimum."""
    clearance, at = clearance_of_platform(), poses(1)
    p, Q = at["p_W"], at["Q_WP"]
    least = clearance.at(p, Q, NEAREST)[0].distance
    if least is None or not abs(least - every_pair(clearance, p, Q)) <= 1e-12:
        raise RuntimeError("the nearest pair is not the nearest of all")
    sides = {
        "ours": per_evaluation(_times(lambda: clearance.at(p, Q, NEAREST))),
        "every": per_evaluation(_times(lambda: every_pair(clearance, p, Q)), 1),
    }
    return interleaved(sides, settings)


@functools.cache
def trajectory(settings: Settings) -> Samples:
    """Time per pose [ms] for 10 s of motion in all degrees of freedom."""
    n = 250 if settings.quick else 1000
    t = STEP * np.arange(n)[:, None]
    dof = SHARE * np.asarray(PLATFORM.limits.position) * np.sin(2 * np.pi * FREQUENCIES * t + FREQUENCIES)
    at = compiled(kinematics_of(PLATFORM).pose_of_dof).map(dof=dof)
    clearance = clearance_of_platform()

    def seconds() -> float:
        begin = time.perf_counter()
        found = sweep(clearance, at["p_W"], at["Q_WP"])
        taken = time.perf_counter() - begin
        if found.least is None or not np.all(np.isfinite(found.distance)):
            raise RuntimeError("parts interfere, or none is near")
        return taken / n

    rounds = interleaved({"ours": seconds}, min(settings.repeats, 5), seconds=settings.seconds)
    return rounds.side("ours", 1e3)


@functools.cache
def atlas_factor(settings: Settings) -> Samples:
    """Simulated over real time of sphere, wheels, support, stage and both control laws, with the rollers' ripple."""
    atlas = load_atlas("atlas")
    loop = AtlasLoop.of(atlas, load_platform(atlas.stage))
    run, state = scan(loop.program, loop.feedback), {**loop.quiet_inputs(), **loop.at_rest()}
    run(TICKS, **state)

    def seconds() -> float:
        begin = time.perf_counter()
        run(TICKS, **state)
        return time.perf_counter() - begin

    rounds = interleaved({"ours": seconds}, settings)
    return rounds.rate("ours", TICKS * loop.dt)


@functools.cache
def tumbled(settings: Settings) -> Manoeuvre:
    """Ten minutes at the largest spin about continuously changing axes; a minute in a quick run."""
    atlas = load_atlas("atlas")
    loop = SphereLoop(atlas)
    return drive(loop, tumbling(60.0 if settings.quick else 600.0, atlas.limits.velocity, loop.dt), every=20)


def drift_deg(settings: Settings) -> Samples:
    """Largest drift of the last second [deg]."""
    last = round(1 / (20 * tumbled(settings).loop.dt))
    note = "after one minute" if settings.quick else ""
    return Samples((float(np.degrees(tumbled(settings).drift[-last:].max())),), note)


def direction_gap(settings: Settings) -> Samples:
    """Relative difference between the worst case by search and the best of a fine grid about it."""
    atlas = load_atlas("atlas")
    found = analyse(atlas).traction["least_squares"]
    rows = np.asarray(np.linalg.pinv(atlas.J_tau), float)
    polar = np.linspace(0, np.pi, 721 if settings.quick else 2881)
    azimuth = np.linspace(-np.pi, np.pi, 2 * len(polar) - 1)
    best, at = _finest(rows, polar, azimuth)
    for _ in range(4):  # the grid again, finer each time, about its best point
        span = 2 * (polar[1] - polar[0])
        polar, azimuth = np.linspace(at[0] - span, at[0] + span, 201), np.linspace(at[1] - span, at[1] + span, 201)
        best, at = _finest(rows, polar, azimuth)
    return Samples((abs(best - found.demand.worst) / found.demand.worst,))


def _finest(rows: Array, polar: Array, azimuth: Array) -> tuple[float, tuple[float, float]]:
    a, b = np.meshgrid(polar, azimuth, indexing="ij")
    m = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], axis=-1)
    torque = np.abs(m @ rows.T).max(axis=-1)
    k = int(torque.argmax())
    return float(torque.flat[k]), (float(a.flat[k]), float(b.flat[k]))


def _times(once: Callable[[], object]) -> Callable[[int], None]:
    def loop(n: int) -> None:
        for _ in range(n):
            once()

    return loop


BENCHMARKS = [
    Benchmark("kinematics.ik_poses_per_s", "1/s", ">= 5e6", "leg lengths, all angles, dexterity of packed poses",
              lambda s: postures(s).rate("ours", POSES), "fast", LANES),
    Benchmark("kinematics.ik_vs_numpy", "x", None, "leg lengths and angles in NumPy, without dexterity / ours",
              lambda s: postures(s).ratio("numpy", "ours"), "fast", LANES),
    Benchmark("kinematics.fk_poses_per_s", "1/s", ">= 5e5", "forward kinematics from neutral of packed leg lengths",
              lambda s: forward(s).rate("ours", POSES), "strict", LANES),
    Benchmark("kinematics.extremes_ms", "ms", "<= 5", "64 extremes with angles and dexterity, compiled before",
              lambda s: extremes(s).side("ours", 1e3), "strict"),
    Benchmark("kinematics.workspace_1e6_s", "s", "<= 3", "margins of a million poses with limits of the joints",
              workspace, "strict", LANES),
    Benchmark("kinematics.clearance_ms", "ms", "<= 5", "the ten nearest of 1099 pairs of parts at a pose, exactly",
              lambda s: clearances(s).side("ours", 1e3)),
    Benchmark("kinematics.clearance_vs_every_pair", "x", None, "coal on every pair as whole surfaces / ours",
              lambda s: clearances(s).ratio("every", "ours")),
    Benchmark("kinematics.clearance_trajectory_ms", "ms", None, "a pose of 10 s at 100 Hz, all pairs within 0.25 m",
              trajectory),
    Benchmark("atlas.realtime_factor", "x", ">= 50", "sphere on its stage, both control laws, 2 kHz, one core",
              atlas_factor, "strict"),
    Benchmark("atlas.drift_deg", "deg", "<= 0.1", "from the integrated command, after 10 min of tumbling at 35 deg/s",
              drift_deg, "strict"),
    Benchmark("atlas.quaternion_off_unit", "-", "<= 1e-12", "of the sphere, largest in these ten minutes",
              lambda s: Samples((tumbled(s).tally.unit_error,)), "strict"),
    Benchmark("atlas.worst_direction_gap", "-", "<= 1e-9", "largest wheel torque by search against a fine grid",
              direction_gap),
]  # fmt: skip

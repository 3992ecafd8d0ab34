"""The Gough-Stewart platform `GS` with massive legs: one explicit step of ours and of MuJoCo's, the same leg drive."""

import ctypes
import functools
import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.harness import Rounds, Samples, Settings, interleaved, per_evaluation
from benchmarks.peers import engines
from motionbase.compile import Kernel, Port, Program, Scan, compile, scan
from motionbase.multibody.integrators.local import moved
from motionbase.platform.mechanism import POSE, TWIST, Mechanism
from motionbase.platform.parts import LegPart, Payload
from motionbase.spatial import R_quaternion

DT, STEPS = 5e-4, 2000
KP, KD, AMPLITUDE, FREQUENCY = 2e6, 4e4, 0.08, 1.0  # N/m, N s/m, m, Hz
RADIUS_BASE, RADIUS_PLATFORM, HEIGHT = 2.0, 1.5, 2.5
BASE_DEG, PLATFORM_DEG = (-10, 10, 110, 130, 230, 250), (-50, 50, 70, 170, 190, 290)
GRAVITY = 9.81


def mechanism() -> Mechanism:
    """The common model."""

    def ring(radius: float, degrees: tuple[int, ...]) -> np.ndarray:
        a = np.deg2rad(degrees)
        return np.column_stack([radius * np.cos(a), radius * np.sin(a), np.zeros(6)])

    return Mechanism(
        ring(RADIUS_BASE, BASE_DEG),
        ring(RADIUS_PLATFORM, PLATFORM_DEG),
        np.array([0.0, 0.0, HEIGHT]),
        Payload(5000.0, (0.0, 0.0, 0.3), (4000.0, 4000.0, 6000.0, 0.0, 0.0, 0.0)),
        LegPart(60.0, 0.6, 12.0, 0.6),
        LegPart(30.0, 0.6, 6.0, 0.15),
        (0.0, 0.0, -GRAVITY),
    )


def demand(t: Any, i: int) -> Any:
    """Demanded extension of leg i from neutral [m]."""
    return AMPLITUDE * ca.sin(2 * math.pi * FREQUENCY * t + i * math.pi / 3)


def step(of: Mechanism) -> Program:
    """Semi-implicit Euler: velocity first, then pose with the new velocity."""
    lengths = of.neutral_legs[0]

    def expr(t: Any, p_W: Any, Q_WP: Any, V_P: Any) -> Any:
        l, l_dot = of.leg_lengths(p_W, Q_WP, V_P)
        f = [KP * (demand(t, i) + lengths[i] - l[i]) - KD * l_dot[i] for i in range(6)]
        V_dot, *_ = of.accelerations(p_W, Q_WP, V_P, ca.vertcat(*f), ca.DM.zeros(6))
        V = V_P + DT * V_dot
        rest = ca.SX(18, 1)  # the legs follow
        local = ca.vertcat(DT * V[:3], DT * (R_quaternion(Q_WP) @ V[3:]), rest)
        pose = moved(of.model, ca.vertcat(p_W, Q_WP, rest), local)
        return t + DT, pose[:3], pose[3:7], V

    outputs = (Port("t_next", (), "s"), Port("p_next", 3, "m"), Port("Q_next", 4), Port("V_next", 6, TWIST.unit))
    return Program("gs_step", (Port("t", (), "s"), *POSE, TWIST), outputs, expr)


FEEDBACK = {"t": "t_next", "p_W": "p_next", "Q_WP": "Q_next", "V_P": "V_next"}


def xml(of: Mechanism) -> str:
    """The same in MuJoCo: position drives on the slides, stiff `connect` constraints at the platform."""

    def text(values: Any) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(values))

    lengths, frames = of.neutral_legs
    platform, cylinder, rod = of.payload, of.cylinder, of.rod
    legs, holds, drives = "", "", ""
    for i in range(6):
        x, y = frames[i][:, 0], frames[i][:, 1]
        legs += (
            f'<body name="c{i}" pos="{text(of.base[i])}" xyaxes="{text(x)} {text(y)}">'
            f'<joint type="hinge" axis="1 0 0"/><joint type="hinge" axis="0 1 0"/>'
            f'<inertial pos="0 0 {cylinder.com}" mass="{cylinder.mass}" '
            f'diaginertia="{cylinder.inertia_lateral} {cylinder.inertia_lateral} {cylinder.inertia_axial}"/>'
            f'<body name="r{i}" pos="0 0 {lengths[i]}"><joint name="s{i}" type="slide" axis="0 0 1"/>'
            f'<inertial pos="0 0 {-rod.com}" mass="{rod.mass}" '
            f'diaginertia="{rod.inertia_lateral} {rod.inertia_lateral} {rod.inertia_axial}"/></body></body>'
        )
        holds += (
            f'<connect body1="p" body2="r{i}" anchor="{text(of.joints[i])}" solref="0.001 1" '
            'solimp="0.999 0.9999 0.001 0.5 2"/>'
        )
        drives += f'<general joint="s{i}" gainprm="{KP}" biastype="affine" biasprm="0 {-KP} {-KD}"/>'
    body = (
        f'<body name="p" pos="{text(of.p_neutral)}"><freejoint/><inertial pos="{text(platform.com)}" '
        f'mass="{platform.mass}" diaginertia="{text(platform.inertia[:3])}"/></body>'
    )
    option = f'<option timestep="{DT}" integrator="Euler" gravity="0 0 {-GRAVITY}"><flag contact="disable"/></option>'
    return (
        f'<mujoco><compiler angle="radian"/>{option}<worldbody>{body}{legs}</worldbody>'
        f"<equality>{holds}</equality><actuator>{drives}</actuator></mujoco>"
    )


def mujoco_steps(of: Mechanism) -> tuple[Callable[[int], object], Any, Any]:
    """`loop(n)`: n steps in a native loop that also sets the demand; MuJoCo's model and data."""
    import mujoco

    library = engines.mujoco_library()
    built = mujoco.MjModel.from_xml_string(xml(of))
    data = mujoco.MjData(built)
    addresses = [ctypes.c_void_p(built._address), ctypes.c_void_p(data._address)]
    numbers = [ctypes.c_double(x) for x in (AMPLITUDE, 2 * math.pi * FREQUENCY, math.pi / 3)]

    def loop(n: int) -> None:
        mujoco.mj_resetData(built, data)
        library.drive_loop(ctypes.c_long(n), *addresses, *numbers)

    return loop, built, data


def start(of: Mechanism) -> dict[str, Any]:
    """The state at rest at neutral."""
    return {"t": np.array(0.0), "p_W": of.p_neutral, "Q_WP": np.array([1.0, 0, 0, 0]), "V_P": np.zeros(6)}


def _steps(run: Scan, begin: dict[str, Any], n: int) -> object:
    return run(n, **begin)


@functools.cache
def race(settings: Settings) -> tuple[Rounds, float, float, float]:
    """Both in one run, our largest closure error, MuJoCo's, and the final distance of the platforms [m]."""
    of = mechanism()
    loop, _, data = mujoco_steps(of)
    sides: dict[str, Callable[[], float]] = {"mujoco": per_evaluation(loop, STEPS)}
    record = ["p_next", "Q_next", "V_next"]
    runs = {"fast": scan(step(of), FEEDBACK, mode="fast"), "strict": scan(step(of), FEEDBACK)}
    for mode, run in runs.items():
        sides[mode] = per_evaluation(functools.partial(_steps, run, start(of)), STEPS)
    rounds = interleaved(sides, settings)
    loop(STEPS)
    out = scan(step(of), FEEDBACK, record=record)(STEPS, **start(of))
    apart = float(np.linalg.norm(out["p_W"] - data.qpos[:3]))
    if not apart < 2e-3:  # after a second of motion; MuJoCo's soft closures and implicit damping of drives differ
        raise RuntimeError(f"MuJoCo's platform and ours end {apart:.1e} m apart")
    return rounds, closure_error(of, out), mujoco_closure(of, data), apart


def closure_error(of: Mechanism, out: dict[str, np.ndarray]) -> float:
    """Largest distance between a rod's end and its joint over a run [m], by the tree's own residuals."""
    q = Kernel("q", POSE, (Port("q", of.model.nq),), of.coordinates)
    rows = {"p_W": np.ascontiguousarray(out["p_next"]), "Q_WP": np.ascontiguousarray(out["Q_next"])}
    coordinates = compile(q).map(**rows)["q"]
    speeds = np.zeros((len(coordinates), of.model.nv))
    residuals = compile(of.loops.residuals).map(q=np.ascontiguousarray(coordinates), v=speeds)
    ends = [np.linalg.norm(values, axis=1).max() for name, values in residuals.items() if name.endswith("_residual")]
    return float(max(ends))


def mujoco_closure(of: Mechanism, data: Any) -> float:
    """The same at the end of MuJoCo's run."""
    import mujoco

    model = data.model if hasattr(data, "model") else None
    assert model is not None
    mujoco.mj_forward(model, data)
    R = data.body("p").xmat.reshape(3, 3)
    joints = data.body("p").xpos + of.joints @ R.T
    return float(max(np.linalg.norm(data.body(f"r{i}").xpos - joints[i]) for i in range(6)))


def us(mode: str) -> Callable[[Settings], Samples]:
    """Time of one step [us]."""
    return lambda settings: race(settings)[0].side(mode, 1e6)


def against_mujoco(mode: str) -> Callable[[Settings], Samples]:
    """MuJoCo's time over ours."""

    def measure(settings: Settings) -> Samples:
        rounds, _, theirs, apart = race(settings)
        note = f"its loops open by {theirs:.1e} m, the platforms end {apart:.1e} m apart"
        return Samples(rounds.ratio("mujoco", mode).values, note)

    return measure

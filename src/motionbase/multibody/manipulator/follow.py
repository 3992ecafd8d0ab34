"""Following a path of the tip by resolved rates with feedback of the pose error, assuming ideal joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, scan
from motionbase.compile.guarded import norm
from motionbase.errors import SimulationError, told_apart
from motionbase.multibody.manipulator.paths import JointSamples, LinePath
from motionbase.multibody.manipulator.poses import pose_error, quaternion_of
from motionbase.multibody.manipulator.resolved_rate import MONITORS, ResolvedRate
from motionbase.multibody.names import State, q_of
from motionbase.spatial.rotations import Expr

ARRIVED = 0.01  # [m], [rad] from the end of a path at which the tip has reached it


@final
@dataclass(frozen=True, eq=False)
class Followed:
    """Joint motion along a path; row k of a quantity per step is that of the step from t[k] to t[k + 1].

    Attributes:
        t: (n + 1,) time [s]
        q: (n + 1, nq) coordinates of the whole model
        v: (n, joints) speeds of the driven joints
        path_time: (n + 1,) position along the path [s]; it runs slower than t while limits slow the joints
        scale, damping, sigma, manipulability: (n,) as for ResolvedRate
        position_error, angle_error: (n,) from the path at path_time [m], [rad]
        finished: whether the tip reached the end of the path in time: path time ran to its end, and the tip is within
            1 cm and 0.01 rad of it (for the rows of the law's task)
    """

    t: Array
    q: Array
    v: Array
    path_time: Array
    scale: Array
    damping: Array
    sigma: Array
    manipulability: Array
    position_error: Array
    angle_error: Array
    finished: bool
    at_q: tuple[int, ...]

    def references(self) -> JointSamples:
        """The driven joints at the middle of each step, for a servo: one row per step."""
        own = self.q[:, list(self.at_q)]
        h = self.t[1] - self.t[0]
        a = np.gradient(self.v, h, axis=0) if len(self.v) > 1 else np.zeros_like(self.v)
        return JointSamples(0.5 * (own[1:] + own[:-1]), self.v, a)


def follow(
    law: ResolvedRate,
    path: LinePath,
    q0: State,
    dt: float = 1e-3,
    *,
    gain: float = 2.0,
    extra: float = 0.5,
) -> Followed:
    """Joint motion that moves the tip along a path.

    Path time runs at the law's `scale`, so if limits slow the joints the tip stays on its line and arrives later.

    Args:
        q0: coordinates of the whole model, as an array or by name; the driven joints within their limits
        dt: step [s]
        gain: gain of the pose error's feedback [1/s]
        extra: longest time beyond the path's duration, as a fraction of it
    """
    model = law.arm.model
    for what, value in (("dt", dt), ("gain", gain), ("extra", extra)):
        if not (math.isfinite(value) and value >= 0 and (what != "dt" or value > 0)):
            raise SimulationError(f"follow: {what} is {value!r}; finite and not negative is wanted, and dt above 0")
    if gain * dt >= 1.0:
        raise SimulationError(f"follow: gain = {gain:g} 1/s and dt = {dt:g} s overshoot; their product must be below 1")
    steps = math.ceil(path.timing.duration * (1.0 + extra) / dt)
    recorded = ["q_next", "t_next", "v_cmd", *(p.name for p in MONITORS), "position_error", "angle_error"]
    loop = scan(follow_step(law, path), {"q": "q_next", "t": "t_next"}, record=recorded)
    q = q_of(model, q0)
    _check_limits(law, q)
    given: dict[str, Any] = {"h": dt, "gain": gain, "q": q, "t": 0.0, **path.ends}
    rows = loop(steps, **given)
    time = np.concatenate([[0.0], rows["t_next"]])
    if not np.all(np.isfinite(rows["q_next"])):
        raise SimulationError(f"follow: the joints of {law.arm.owner} ran away; take a smaller dt")
    ended = np.nonzero(time >= path.timing.duration * (1 - 1e-12))[0]
    count = int(ended[0]) if ended.size else steps
    values = {name: rows[name][:count] for name in recorded}
    return Followed(
        np.arange(count + 1, dtype=np.float64) * dt,
        np.concatenate([q[None], values["q_next"]]),
        values["v_cmd"],
        time[: count + 1],
        values["scale"],
        values["damping"],
        values["sigma"],
        values["manipulability"],
        values["position_error"],
        values["angle_error"],
        bool(ended.size) and _arrived(law, values),
        law.arm.at_q,
    )


def _check_limits(law: ResolvedRate, q: Array) -> None:
    """Refuse joints outside their limits: they could not move back, because their speed is scaled to zero."""
    if law.arm.limits is None:
        return
    lower, upper, _ = law.arm.limits.columns
    for name, at, low, high in zip(law.arm.joints, law.arm.at_q, lower, upper, strict=True):
        if not low <= q[at] <= high:
            start, least, most = told_apart(float(q[at]), low, high)
            raise SimulationError(f"follow: joint {name!r} starts at {start}, outside its limits {least} to {most}")


def _arrived(law: ResolvedRate, values: dict[str, Array]) -> bool:
    """Whether the last errors, of position and of angle, are small; each only if the task has all its three rows."""
    wanted = (("v", "position_error"), ("w", "angle_error"))
    asked = [error for letter, error in wanted if {f"{letter}{axis}" for axis in "xyz"} <= set(law.task)]
    return all(float(values[error][-1]) <= ARRIVED for error in asked)


def follow_step(law: ResolvedRate, path: LinePath) -> Kernel:
    """(h, gain, ends of the path, q, t) -> q_next, t_next, v_cmd, the law's monitors, position_error, angle_error."""
    arm = law.arm
    ends = path.kernel.inputs[:-1]

    def expr(h: Expr, gain: Expr, *rest: Expr) -> Any:
        *given, q, t = rest
        p_ref, Q_ref, twist_ref, _ = path.kernel(*given, t)
        tip = arm.tip(q)
        error = pose_error(tip.p, quaternion_of(tip.R), p_ref, Q_ref)
        v, scale, *monitors = law.speeds(q, twist_ref + gain * error)
        change = ca.SX(arm.model.nq, 1)
        for k, at in enumerate(arm.at_q):
            change[at] = h * v[k]
        return q + change, t + h * scale, v, scale, *monitors, norm(error[3:]), norm(error[:3])

    along = Port("t", (), "s", "along the path")
    inputs = Port("h", (), "s"), Port("gain", (), "1/s"), *ends, arm.state_ports[0], along
    outputs = (
        Port("q_next", arm.model.nq, "-"),
        Port("t_next", (), "s"),
        Port("v_cmd", arm.n, "-"),
        *MONITORS,
        Port("position_error", (), "m"),
        Port("angle_error", (), "rad"),
    )
    return Kernel("follow_step", inputs, outputs, expr)

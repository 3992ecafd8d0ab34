"""Hand a payload from the Shuttle's arm to the Station's: plan, fly, grapple, release; everything floats freely.

The Station's arm moves its end effector along a straight line to the payload and grapples it; then the Shuttle's arm
releases it and backs away. Give a file name to keep the plot: `python examples/04_handoff.py handoff.png`.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.multibody.manipulator import (
    Driven,
    Followed,
    JointServo,
    LinePath,
    ResolvedRate,
    follow,
    inverse_kinematics,
    quickest,
    seen_inertia,
)
from motionbase.multibody.manipulator.paths import JointSamples
from motionbase.multibody.models import MODELS
from motionbase.multibody.models import handoff as parts
from motionbase.multibody.names import q_of
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.spatial import R_quaternion

DT = 0.005  # [s]
FREQUENCY = 2.0  # of the servos [rad/s]
JOINTS = (*parts.SRMS_JOINTS, *parts.SSRMS_JOINTS)
N_SRMS = len(parts.SRMS_JOINTS)


def main(picture: Path) -> None:
    """Three phases, a report and a plot."""
    example = MODELS["handoff"]
    model = example.build()
    q_held = q_of(model, example.q0)  # both end effectors at their fixtures
    loops = Loops(model, step=DT, around=q_held)
    servo = JointServo(loops, JOINTS, frequency=FREQUENCY, torque_limit=(*parts.SRMS_TORQUES, *parts.SSRMS_TORQUES))
    driven = Driven(loops, servo)
    residuals, momenta = compile(loops.residuals), compile(Outputs(loops.tree).momenta)

    def flown(q: Array, v: Array, references: JointSamples, active: dict[str, float]) -> Trajectory:
        """A phase under the servo, with gains that suit the load of the arms."""
        inputs: dict[str, ArrayLike] = {"inertia": seen_inertia(servo, q, active), **active}
        return driven.run(references, DT, q, v, inputs=inputs)

    def held(q: Array, plan: Followed | None = None, arm: str = "", seconds: float = 0.0) -> JointSamples:
        """References: every joint stays, except those of an arm that follows a plan."""
        own = q[list(servo.places[0])]
        steps = len(plan.v) if plan else round(seconds / DT)
        still = JointSamples(np.tile(own, (steps, 1)), np.zeros((steps, own.size)), np.zeros((steps, own.size)))
        if plan:
            moving = slice(N_SRMS, None) if arm == "ssrms" else slice(0, N_SRMS)
            for whole, part in zip(still, plan.references(), strict=True):
                whole[:, moving] = part
        return still

    # 1. Plan. The Station's arm waits 2 m behind its fixture and 1 m aside; a line leads from there to the grapple.
    station_arm = parts.ssrms_arm(model)
    p_end, Q_end = compile(station_arm.pose)(q=q_held)
    back = np.array(R_quaternion(Q_end)) @ [-2.0, 0.6, -0.8]
    start = inverse_kinematics(station_arm, p_end + back, Q_end, q_held)
    assert start.converged
    length = float(np.linalg.norm(back))
    timing = quickest(length, rate=0.12, acceleration=0.02)
    line = LinePath(p_end + back, Q_end, p_end, Q_end, timing)
    plan = follow(ResolvedRate(station_arm, posture=0.01), line, start.q, DT)
    fastest = np.degrees(np.abs(plan.v).max())
    print(f"plan: {length:.2f} m in {plan.t[-1]:.1f} s, joints up to {fastest:.2f} deg/s,")
    off = plan.position_error.max() * 1e3
    print(f"      off the line by {off:.2f} mm at most, sigma at least {plan.sigma.min():.2f}")

    # 2. Fly. The Shuttle's arm holds the payload, the base floats freely, and the drives' torques are limited.
    only_srms, both, only_ssrms = (
        {"srms_grapple_active": a, "ssrms_grapple_active": b} for a, b in ((1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    )
    approach = flown(start.q, np.zeros(model.nv), held(start.q, plan, "ssrms"), only_srms)
    q, v = approach.q[-1], approach.v[-1]
    gap, speed = (residuals(q=q, v=v)[k] for k in (2, 3))
    off, turned = np.linalg.norm(gap[:3]) * 1e3, np.degrees(np.linalg.norm(gap[3:]))
    closing = np.linalg.norm(speed[:3]) * 1e3
    print(f"at the fixture: {off:.1f} mm and {turned:.2f} deg away, moving at {closing:.2f} mm/s")

    # 3. Grapple. The snare closes the gap (the smallest shift in the metric of mass); speeds jump, momentum does not.
    project = compile(loops.position_projection("mass"))
    for _ in range(4):  # Newton steps
        q, _ = project(q=q, **both)
    before = momenta(q=q, v=v)
    v, impulse = compile(loops.capture)(q=q, v=v, **both)
    change = max(np.abs(a - b).max() for a, b in zip(momenta(q=q, v=v), before, strict=True))
    print(f"capture: impulse of {np.linalg.norm(impulse[6:9]):.2g} N s, momentum changed by {change:.0e}")
    together = flown(q, v, held(q, seconds=8.0), both)

    # 4. Release, and back away along the end effector's axis.
    q, v = together.q[-1], together.v[-1]
    shuttle_arm = parts.srms_arm(model)
    p, Q = compile(shuttle_arm.pose)(q=q)
    away = np.array(R_quaternion(Q)) @ [-2.0, 0.0, 0.0]
    leave = LinePath(p, Q, p + away, Q, quickest(2.0, rate=0.12, acceleration=0.02))
    retreat = follow(ResolvedRate(shuttle_arm), leave, q, DT)
    apart = flown(q, v, held(q, retreat, "srms"), only_ssrms)

    # 5. Report and draw.
    q, v = (np.concatenate([getattr(x, name) for x in (approach, together, apart)]) for name in ("q", "v"))
    ends = np.cumsum([approach.t[-1], together.t[-1], apart.t[-1]])
    t = np.concatenate([approach.t, together.t + ends[0], apart.t + ends[1]])
    rows = residuals.map(q=q, v=v)
    gaps = {name: np.linalg.norm(rows[f"{name}_grapple_residual"][:, :3], axis=1) for name in ("srms", "ssrms")}
    widest = max(gaps["srms"][t < ends[1]].max(), gaps["ssrms"][t > ends[0] + DT].max())
    print(f"both held for {together.t[-1]:.0f} s, the Shuttle's arm is {gaps['srms'][-1]:.2f} m away at the end")
    print(f"welds that held kept their ends within {widest:.0e} m")
    linear = np.abs(momenta.map(q=q, v=v)["linear"]).max(axis=1)
    print("inner forces only, so linear momentum stays zero:")
    print(f"      {linear[t < ends[0]].max():.0e} N s in flight, {linear.max():.0e} N s after the snare's shift")
    draw(picture, t, ends, gaps, np.degrees(v[:, servo.places[1]]))
    print(f"wrote {picture.name}")


def draw(picture: Path, t: Array, ends: Array, gaps: dict[str, Array], rates: Array) -> None:
    """Distances of the end effectors from their fixtures, and joint rates."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6.5), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for name, gap in gaps.items():
        axes[0].plot(t, gap, label=f"{name.upper()} to fixture")
    axes[0].set_ylabel("distance [m]")
    axes[0].legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for k, (panel, part) in enumerate(((axes[1], rates[:, N_SRMS:]), (axes[2], rates[:, :N_SRMS]))):
        names = [name.split("_", 1)[1].replace("_", " ") for name in (JOINTS[N_SRMS:], JOINTS[:N_SRMS])[k]]
        panel.plot(t, part, linewidth=1.0, label=names)
        panel.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        panel.set_ylabel(f"{('SSRMS', 'SRMS')[k]} rates [deg/s]")
    for panel in axes:
        panel.grid(alpha=0.3)
        panel.margins(x=0)
        for end in ends[:2]:
            panel.axvline(end, color="0.4", linestyle=":")
    axes[0].set_title("the Station's arm approaches | both hold | the Shuttle's arm leaves", fontsize="medium")
    axes[2].set_xlabel("time [s]")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder) / "handoff.png")

"""Docking: a chaser touches a target's ring with three bumpers, is caught softly, aligned and latched.

`python examples/06_docking.py FOLDER` saves the plot in the folder.
"""

import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import WeldClosure
from motionbase.multibody.elements import Custom, PlaneContact, Wrench
from motionbase.multibody.joints import Free
from motionbase.multibody.names import q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.multibody.tree.state import TreeState

# All numbers are illustrative: round, and of the right size for two small spacecraft.
STEP = 1e-3  # [s]
RING, BUMPER, HARD = 0.4, 0.05, 2e4  # circle of the bumpers and radius of each [m], stiffness [N/m]
CLOSING = 0.05  # [m/s]
PULL, DRAG, TURN_DRAG, INSET = 400.0, 450.0, 60.0, 0.03  # soft capture: [N/m], [N s/m], [N m s/rad], [m]
SEATED = PULL * INSET / (3 * HARD + PULL)  # deflection of the bumpers under the pull [m]
FACE, PORT = 0.6, -0.8  # x of the two faces, each in its body [m]
SOFT, LATCH = "soft_capture", "latch"
NO_GRAVITY = (0.0, 0.0, 0.0)
APART = {"target.x": FACE + BUMPER - PORT}  # the faces touch if both bodies are otherwise neutral


# 1. Soft capture as a user-defined force: a spring and dampers, switched by an input. Both bodies are pushed at one
#    point, the probe's tip, so that linear and angular momentum are conserved for any gap.
def soft_capture(state: TreeState, active: Any) -> tuple[Wrench, Wrench]:
    """Wrenches on chaser and target."""
    a, b = state.point("chaser", "probe"), state.point("target", "port")
    apart, omega = a.p - b.p, a.velocity[:3] - b.velocity[:3]
    speed = a.velocity[3:] - b.velocity[3:] - ca.cross(b.velocity[:3], apart)
    force = -active * (PULL * (apart - INSET * b.R[:, 0]) + DRAG * speed)
    moment = -active * TURN_DRAG * omega
    on_target = ca.vertcat(-moment - ca.cross(apart, force), -force)
    return Wrench("chaser", "probe", ca.vertcat(moment, force)), Wrench("target", "port", on_target)


# 2. Two free bodies: bumpers are spheres on the chaser, which meet the plane of the target's face; the latch is a
#    weld that can be switched on.
def pair() -> Model:
    """Chaser behind, target ahead, along x."""
    angles = [2 * math.pi * k / 3 for k in range(3)]
    points = {f"bumper{k}": (FACE, RING * math.cos(a), RING * math.sin(a)) for k, a in enumerate(angles)}
    bumpers = [
        PlaneContact(
            name, "chaser", HARD, BUMPER, name, "target", "port",
            normal=(-1, 0, 0), exponent=1.0, damping=8.0, friction=0.05, v_s=2e-3,
        )
        for name in points
    ]  # fmt: skip
    points |= {"probe": (FACE + BUMPER, 0, 0), "seat": (FACE + BUMPER - SEATED, 0, 0)}
    chaser = Body("chaser", 400.0, inertia=(60.0, 90.0, 90.0), points=points)
    target = Body("target", 900.0, inertia=(200.0, 300.0, 300.0), points={"port": (PORT, 0.0, 0.0)})
    joints = Joint("chaser", GROUND, "chaser", Free()), Joint("target", GROUND, "target", Free())
    pull = Custom(SOFT, soft_capture, ports=(Port("active", (), "-"),))
    latch = WeldClosure(LATCH, "chaser", "seat", "target", "port", switchable=True)
    return Model("docking", (chaser, target), joints, NO_GRAVITY, (*bumpers, pull), (latch,))


# 3. Outputs: the gap between probe and port, its rate, the tilt between the faces, and the bumpers' forces.
def relative(loops: Loops) -> Kernel:
    """(q, v) -> gap [m], closing speed [m/s], tilt [rad], force of each bumper [N]."""
    bumpers = [e for e in loops.model.elements if isinstance(e, PlaneContact)]

    def expr(q: Any, v: Any) -> Any:
        state = loops.tree.state(q, v)
        a, b = state.point("chaser", "probe"), state.point("target", "port")
        ahead, axis = a.R[:, 0], b.R[:, 0]
        closing = ca.dot(axis, a.velocity[3:] - b.velocity[3:])
        tilt = ca.atan2(ca.norm_2(ca.cross(ahead, axis)), ca.dot(ahead, axis))
        forces = ca.vertcat(*(bumper.normal_force(state) for bumper in bumpers))
        return ca.dot(axis, b.p - a.p), closing, tilt, forces

    outputs = (Port("gap", (), "m"), Port("closing", (), "m/s"), Port("tilt", (), "rad"), Port("force", 3, "N"))
    return Kernel("relative", loops.tree.state_ports, outputs, expr)


@dataclass(frozen=True)
class Docking:
    """A run with its outputs, and the times of capture and latching [s]."""

    run: Trajectory
    seen: dict[str, Array]
    momenta: dict[str, Array]
    caught: float
    latched: float


def dock(loops: Loops, caught: float = math.inf, latched: float = math.inf) -> Docking:
    """The chaser approaches with a tilt of 2 degrees and an offset of 3 mm."""
    half = math.radians(1.0)
    q0: dict[str, Any] = {
        "chaser": [-0.08, 0.003, 0.0, math.cos(half), 0.0, 0.8 * math.sin(half), 0.6 * math.sin(half)],
        **APART,
    }
    inputs = {f"{SOFT}_active": lambda t: float(t >= caught), f"{LATCH}_active": lambda t: float(t >= latched)}
    run = simulate(loops, 12.0, STEP, inputs=inputs, q0=q0, v0={"chaser.vx": CLOSING})
    momenta = compile(Outputs(loops.tree).momenta).map(q=run.q, v=run.v)
    return Docking(run, compile(relative(loops)).map(q=run.q, v=run.v), momenta, caught, latched)


def main() -> None:
    """Bounce without capture, then dock."""
    model = pair()
    loops = Loops(model, STEP, around=q_of(model, APART))
    free = dock(loops)
    first = float(free.run.t[np.flatnonzero(free.seen["force"].any(axis=1))[0]])
    energy = free.run.total_energy
    rise = float(np.diff(energy).max() / energy[0])
    leaving, lost = -free.seen["closing"][-1], 1 - energy[-1] / energy[0]
    print(f"first touch after {first:.3f} s; with nothing to catch it, the chaser leaves at {leaving:.4f} m/s")
    print(f"bumpers took {100 * lost:.1f} % of the energy; in no step did it rise by more than {max(rise, 0):.0e}")
    assert rise < 1e-9  # rounding, and the kink of the force at first contact

    # 4. Soft capture when the faces are closest; the bumpers align; the latch closes when everything is at rest.
    caught = float(free.run.t[np.argmin(free.seen["gap"])])
    held = dock(loops, caught, latched=9.0)
    before = round(held.latched / STEP)
    impulse = compile(loops.capture)(q=held.run.q[before], v=held.run.v[before], latch_active=1.0)[1]
    print(f"soft capture at {caught:.2f} s, latch at {held.latched:.2f} s with an impulse of", end=" ")
    print(f"{np.linalg.norm(impulse[:3]):.1e} N s")
    gap, tilt = (float(held.seen[name][-1]) for name in ("gap", "tilt"))
    print(f"at the end: gap {1e3 * gap:.3f} mm ({-1e3 * SEATED:.3f} seated), tilt {np.degrees(tilt):.1e} deg")
    # A weld that takes hold with a gap r pushes the bodies at two points, so r x force is lost or gained.
    for name, unit, allowed in (("linear", "N s", 1e-10), ("angular", "N m s", 1e-5)):
        rows = held.momenta[name]
        change, size = np.abs(rows - rows[0]).max(axis=1), np.abs(rows).max()
        until, after = change[:before].max() / size, change.max() / size
        print(f"{name} momentum of {size:.3g} {unit}: kept to {until:.0e} until the latch,", end=" ")
        print(f"{after:.0e} with it (1e-10 and {allowed:.0e} allowed)")
        assert until < 1e-10 and after < allowed

    # 5. A plot.
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(sys.argv[1] if len(sys.argv) > 1 else temporary) / "docking.png"
        draw(path, free, held)
        print(f"wrote {path.name}")


def draw(path: Path, free: Docking, held: Docking) -> None:
    """Relative motion, forces, and conserved quantities."""
    figure = Figure(figsize=(11, 7.5), layout="constrained")
    gap, speed, tilt, force, energy, momentum = figure.subplots(3, 2, sharex=True).flat
    for docking, style, label in ((free, "C7--", "nothing catches it"), (held, "C0", "caught and latched")):
        t = docking.run.t
        gap.plot(t, 1e3 * docking.seen["gap"], style, label=label)
        speed.plot(t, 1e3 * docking.seen["closing"], style)
        tilt.plot(t, np.degrees(docking.seen["tilt"]), style)
        energy.plot(t, docking.run.total_energy, style)
    for k in range(3):
        force.plot(held.run.t, held.seen["force"][:, k], label=f"bumper {k + 1}")
    for name, unit in (("linear", "N s"), ("angular", "N m s")):
        rows = held.momenta[name]
        momentum.semilogy(held.run.t[1:], np.linalg.norm(rows[1:] - rows[0], axis=1) + 1e-16, label=f"{name} [{unit}]")
    labels = {
        gap: "gap [mm]", speed: "closing speed [mm/s]", tilt: "tilt [°]", force: "force on bumpers [N]",
        energy: "energy of motion and bumpers [J]", momentum: "change of momentum",
    }  # fmt: skip
    for axes, label in labels.items():
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
        axes.margins(x=0)
        for moment in (held.caught, held.latched):
            axes.axvline(moment, color="0.4", linewidth=0.8, linestyle=":")
    gap.set_ylim(-10, 100)
    tilt.set_ylim(-0.2, 3.5)
    for axes in (gap, force, momentum):
        axes.legend(fontsize="small")
    for axes in (gap, speed):
        above = axes.secondary_xaxis("top")
        above.set_xticks([held.caught, held.latched], ["caught softly", "latched"])
    for axes in (energy, momentum):
        axes.set_xlabel("time [s]")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()

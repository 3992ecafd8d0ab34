"""A user control law: six legs under PI control rise from the floor, then heave as a sine.

`python examples/07_own_control_law.py` runs it in the closed loop as fast as the machine can;
`motionbase run simona --law examples/07_own_control_law.py:heaving` runs it in real time, with a ring through which
`motionbase tune amplitude 0.1` changes it meanwhile.
"""

import casadi as ca
import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Struct, cond, q
from motionbase.control.own_law import OwnLaw
from motionbase.control.ports import Inputs
from motionbase.errors import ModelError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario

SX = ca.SX
DT = 1 / 2000  # [s]
RISE = 6.0  # [s] from down to neutral
FADE = 4.0  # [s] in which the sine grows to full amplitude
OPENS = 40.0  # [1/s] largest rate of a command: the guard between law and plant stops a law whose commands jump


# 1. Parameters and state have names. Tunable parameters can be changed while it runs, within their bounds. All numbers
#    are illustrative; they were tried in all corners of these bounds on the model of simona, and nowhere else.
class Gains(Struct):
    """Parameters."""

    k_p: SX = q("1/s", text="length error to velocity", start=6.0, tunable=True, least=2.0, most=10.0)
    k_i: SX = q("1/s^2", text="its integral to velocity", start=4.0, tunable=True, least=0.0, most=10.0)
    k_dp: SX = q("m/(s N)", text="fast part of the force to velocity", start=5e-6, tunable=True, least=2e-6, most=8e-6)
    amplitude: SX = q("m", text="of heave", start=0.2, tunable=True, least=0.0, most=0.3)
    frequency: SX = q("Hz", text="of heave", start=0.25, tunable=True, least=0.05, most=0.4)


class Kept(Struct):
    """State."""

    ticks: SX = q("-", text="since the start")
    phase: SX = q("rad", text="of heave")
    integral: SX = q("m/s", 6, "of the length errors")
    force: SX = q("N", 6, "slow part of each leg's force")
    command: SX = q("-", 6, "of the last tick")


def heaving(hexapod: Hexapod) -> OwnLaw:
    """The law for a platform, whose data are constants in it."""
    actuator = hexapod.actuator
    if not isinstance(actuator, HydraulicActuator):
        raise ModelError(f"heaving: platform {hexapod.name!r} has no hydraulic legs")
    legs = np.asarray(hexapod.p_neutral) + np.asarray(hexapod.joints) - np.asarray(hexapod.base)
    # the speed of a fully open valve without load, from the orifice law of both lands
    areas = actuator.area_cap**3 + actuator.area_rod**3
    v_full = actuator.flow_gain * np.sqrt(actuator.area_cap * actuator.p_supply / areas)

    def law(p: Gains, x: Kept, given: Inputs) -> tuple[Kept, dict[str, SX]]:
        """One tick. Missing outputs (pose, limits, faults) are 0 in the record."""
        # 2. Desired leg lengths: a smooth rise, then heave about neutral, which grows smoothly.
        s = smooth(x.ticks * DT / RISE)
        grown = smooth((x.ticks * DT - RISE) / FADE)
        heave = p.amplitude * grown * ca.sin(x.phase)
        moved = [ca.sqrt(a * a + b * b + (c + heave) ** 2) for a, b, c in legs.tolist()]
        l_ref = hexapod.l_down + s * (ca.vertcat(*moved) - hexapod.l_down)

        # 3. PI control, with damping of the oil by the fast part of the force, measured by the pressures.
        e = l_ref - given.l_meas
        f = actuator.area_cap * given.p_cap - actuator.area_rod * given.p_rod
        v = p.k_p * e + x.integral - p.k_dp * (f - x.force)
        u = clipped(clipped(v / v_full, -1.0, 1.0), x.command - OPENS * DT, x.command + OPENS * DT)
        stopped = given.estop > 0.5
        u = ca.if_else(stopped, 0.0, u)

        # 4. The next state; an emergency stop closes the valves, and the motion continues where it was interrupted.
        after = Kept(
            ticks=x.ticks + 1,
            phase=x.phase + ca.if_else(grown > 0, 2 * ca.pi * p.frequency * DT, 0.0),
            integral=clipped(x.integral + p.k_i * e * DT, -0.05, 0.05),
            force=x.force + 5.0 * DT * (f - x.force),
            command=u,
        )
        after = cond(stopped, lambda: x.replace(command=u), lambda: after)
        return after, {
            "valve_cmd": u,
            "state": ca.if_else(s < 1, float(State.RISING), float(State.DRIVE)),
            "legs_cmd": ca.horzcat(l_ref, ca.SX.zeros(6, 2)),
        }

    return OwnLaw.of("heaving", law, Gains, Kept, DT)


def clipped(x: SX, least: SX | float, most: SX | float) -> SX:
    """x limited to both bounds."""
    return ca.fmin(ca.fmax(x, least), most)


def smooth(x: SX) -> SX:
    """From 0 to 1 as x goes from 0 to 1, with continuous velocity and acceleration."""
    x = ca.fmin(ca.fmax(x, 0.0), 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2)


def main() -> None:
    """Rise, heave, and report the tracking error."""
    hexapod = load_platform("simona")
    law = heaving(hexapod)
    runner = Runner(ClosedLoop.of(hexapod, law=law), ("l", "l_dot", "legs_cmd", "state", "p_W_next"))
    run = runner.run(Scenario(), 22.0, every=20)
    error = np.abs(run["l"] - run["legs_cmd"][:, :, 0]).max(axis=1)
    risen = run["state"] == State.DRIVE
    heave = run["p_W_next"][run.t > 14.0, 2] - hexapod.p_neutral[2]
    print(
        f"it stands up in {run.t[risen][0]:.2f} s; no leg is more than {1e3 * error[~risen].max():.1f} mm off meanwhile"
    )
    print(f"it heaves from {heave.min():+.3f} to {heave.max():+.3f} m, {1e3 * error[risen].max():.1f} mm off at most")


if __name__ == "__main__":
    main()

"""Six legs: a program with a loop, a choice, a table, a delay and noise.

A kernel is straight-line code. A program is an ordinary function too, but its loops, choices and calls are kept in the
compiled code. Here a platform's pose becomes six leg lengths and the sensors' measurements of them.
`motionbase kernel show six_legs` shows the result.
"""

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, Program, compile, delay, for_each, random, switch, table

# Illustrative geometry [m]: joints in pairs on two circles, base and platform rotated against each other.
BASE = np.array([[1.5 * np.cos(a), 1.5 * np.sin(a), 0.0] for a in np.radians([55, 65, 175, 185, 295, 305])])
TOP = np.array([[1.2 * np.cos(a), 1.2 * np.sin(a), 0.0] for a in np.radians([5, 115, 125, 235, 245, 355])])
HOME = np.full(6, 2.0)


# 1. One leg, a plain function: inside a program it needs no ports. Rotation ZYX: yaw, pitch, roll.
def leg_length(pose: ca.SX, base: ca.SX, top: ca.SX) -> ca.SX:
    """Distance of a base joint from its platform joint."""
    cr, cp, cy = (ca.cos(pose[k]) for k in (3, 4, 5))
    sr, sp, sy = (ca.sin(pose[k]) for k in (3, 4, 5))
    R_WP = ca.vertcat(
        ca.horzcat(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        ca.horzcat(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        ca.horzcat(-sp, cp * sr, cp * cr),
    )
    return ca.norm_2(pose[:3] + R_WP @ top - base)


# With ports it is also a kernel, which can be shown, tested and exported alone: `motionbase kernel show leg_length`.
POSE = Port("pose", 6, "m, rad", "surge, sway, heave, roll, pitch, yaw")
LEG = Kernel(
    "leg_length",
    (POSE, Port("base", 3, "m", "joint in W"), Port("top", 3, "m", "joint in P")),
    (Port("l", (), "m", "length"),),
    leg_length,
)

# 2. A sensor's measurement of a length: delayed, drifting with temperature, and noisy.
CELSIUS = Port("celsius", (), "°C", "temperature of the sensors")
LATE = delay("late", Port("l", 6, "m"), samples=2)
DRIFT = table("drift", [[-20.0, 20.0, 60.0]], [-1e-4, 0.0, 3e-4], inputs=[CELSIUS], output=Port("drift", (), "m"))
NOISE = random("noise", Port("noise", 6), kind="normal")


# 3. The program. The rotation is the same for all legs, so it is computed once, before the loop.
def six_legs(celsius: ca.SX, seed: ca.SX, pose: ca.SX, mode: ca.SX, tick: ca.SX, line: ca.SX) -> Any:
    """Command by mode, then the sensors."""
    l_cmd = switch(
        mode,
        {1: lambda: for_each(lambda base, top: leg_length(pose, base, top), BASE, TOP)},  # drive: lengths from the pose
        lambda: HOME,  # anything else: stay at home
    )
    late = LATE(l_cmd, l_line=line)
    return l_cmd, late + DRIFT(celsius) + 1e-5 * NOISE(seed, tick)


SIX_LEGS = Program(
    "six_legs",
    inputs=(
        CELSIUS,
        Port("seed", (), "-", "number of the scenario"),
        POSE,
        Port("mode", (), "-", "1 drive, else home"),
        Port("tick", (), "-", "number of the tick"),
    ),
    outputs=(Port("l_cmd", 6, "m", "commanded lengths"), Port("l_meas", 6, "m", "measured lengths")),
    memory=(Port("line", LATE.memory[0].size, "-", "delay line of the sensors"),),
    expr=six_legs,
    description="six leg lengths and their measurement",
)


def main() -> None:
    """Run a few ticks, one scenario and then four at once."""
    step = compile(SIX_LEGS)
    line = np.zeros(SIX_LEGS.memory[0].size)  # the caller owns the memory and keeps it between calls
    pose = np.array([0.05, 0.0, 1.8, 0.02, -0.01, 0.1])
    for tick in range(4):
        l_cmd, l_meas = step(celsius=35.0, seed=7.0, pose=pose, mode=float(tick > 0), tick=float(tick), line=line)
        print(f"tick {tick}: leg 1 commanded {l_cmd[0]:.6f} m, measured {l_meas[0]:.6f} m")

    # On lanes, every array has one more axis: the scenario. The seed makes them differ.
    lanes = compile(SIX_LEGS, lanes=4)
    arrays = lanes.arrays()
    arrays["pose"][:], arrays["mode"][:], arrays["seed"][:] = pose[:, None], 1.0, np.arange(4.0)
    tick4 = lanes.bind(**arrays)
    for tick in range(4):
        arrays["tick"][:] = tick
        tick4()
    print("four scenarios, leg 1:", " ".join(f"{x:.6f}" for x in arrays["l_meas"][0]))


if __name__ == "__main__":
    main()

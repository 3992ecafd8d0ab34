"""Six legs by one kernel: a program with a loop, a switch, a table, a delay and noise.

A kernel is straight-line code. Above kernels stands a small program form, so that six legs call one piece of code
instead of repeating it. Here a platform's pose becomes six leg lengths, and what the sensors would say of them.
`motionbase kernel show six_legs` tells what became of it.
"""

import casadi as ca
import numpy as np

from motionbase.compile import Body, Kernel, OldProgram, Port, compile, delay, random, table

# Illustrative geometry [m]: joints in pairs on two circles, base and platform turned against each other.
BASE = [[1.5 * np.cos(a), 1.5 * np.sin(a), 0.0] for a in np.radians([55, 65, 175, 185, 295, 305])]
TOP = [[1.2 * np.cos(a), 1.2 * np.sin(a), 0.0] for a in np.radians([5, 115, 125, 235, 245, 355])]
HOME = np.full(6, 2.0)


# 1. One leg. Rotation ZYX: yaw, pitch, roll.
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


POSE = Port("pose", 6, "m, rad", "surge, sway, heave, roll, pitch, yaw")
LEG = Kernel(
    "leg_length",
    (POSE, Port("base", 3, "m", "joint in W"), Port("top", 3, "m", "joint in P")),
    (Port("l", (), "m", "length"),),
    leg_length,
)

# 2. What a sensor makes of a length: it is late, drifts with temperature, and is noisy.
LATE = delay("late", Port("l", 6, "m"), samples=2)
CELSIUS = Port("celsius", (), "°C", "temperature of the sensors")
DRIFT = table("drift", [[-20.0, 20.0, 60.0]], [-1e-4, 0.0, 3e-4], inputs=[CELSIUS], output=Port("drift", (), "m"))
NOISE = random("noise", Port("noise", 6), kind="normal")
SENSOR = Kernel(
    "sensor",
    (Port("l", (), "m"), Port("drift", (), "m"), Port("noise", (), "-")),
    (Port("l_meas", (), "m"),),
    lambda l, drift, noise: l + drift + 1e-5 * noise,
)


# 3. The program: places instead of values, calls instead of copies.
def six_legs(b: Body) -> None:
    """Command by mode, then the sensors."""
    base, top, home = b.constant("base", BASE), b.constant("top", TOP), b.constant("home", HOME)
    with b.switch(b["mode"]) as mode:
        with mode.case(1):  # drive: lengths from the pose
            with b.loop(6) as i:
                b.call(LEG, pose=b["pose"], base=base[i], top=top[i], l=b["l_cmd"][i])
        with mode.default():  # anything else: stay at home
            b.copy(home, b["l_cmd"])
    late, drift, noise = b.local("late", 6), b.local("drift"), b.local("noise", 6)
    b.call(LATE, l=b["l_cmd"], l_delayed=late, l_line=b["line"])
    b.call(DRIFT, celsius=b["celsius"], drift=drift)
    b.call(NOISE, seed=b["seed"], counter=b["tick"], noise=noise)
    with b.loop(6) as i:
        b.call(SENSOR, l=late[i], drift=drift, noise=noise[i], l_meas=b["l_meas"][i])


SIX_LEGS = OldProgram(
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
    body=six_legs,
    description="six leg lengths and their measurement",
)


def main() -> None:
    """Run a few ticks, one scenario and then four at once."""
    step = compile(SIX_LEGS)
    line = np.zeros(SIX_LEGS.memory[0].size)  # memory is the caller's: it lives from call to call
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

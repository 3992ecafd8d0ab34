"""A first kernel: one step of a damped pendulum, compiled for three targets, and its exact derivative.

A kernel is a pure Python function over CasADi expressions, with a port for every input and output. It is traced once.
`motionbase kernel show pendulum` shows the result.
"""

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, compile, jacobian, probe
from motionbase.errors import TargetUnavailable

g = 9.80665  # [m/s²]; a constant is folded into the code, a port can change from call to call


# 1. The function. Python's `if` and `for` run while tracing; use `ca.if_else` for a choice that depends on values.
def pendulum_step(l: ca.SX, d: ca.SX, dt: ca.SX, q: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX]:
    """One step, velocity first: the energy of an undamped pendulum stays bounded."""
    probe("energy", 0.5 * (l * v) ** 2 - g * l * ca.cos(q))  # an inner value that can be read out on demand
    v_next = v + dt * (-g / l * ca.sin(q) - d * v)
    return q + dt * v_next, v_next


# 2. The kernel: the function with its ports, in the order parameters, state, input.
PENDULUM = Kernel(
    name="pendulum",
    inputs=(
        Port("l", (), "m", "length"),
        Port("d", (), "1/s", "damping"),
        Port("dt", (), "s", "step"),
        Port("q", (), "rad", "angle from hanging down"),
        Port("v", (), "rad/s", "angular velocity"),
    ),
    outputs=(Port("q_next", (), "rad", "angle after the step"), Port("v_next", (), "rad/s", "velocity after the step")),
    expr=pendulum_step,
    description="one step of a damped pendulum",
)


def main() -> None:
    """Compile, call, swing, differentiate."""
    # 3. Compile and call. In strict mode every target gives the same bits.
    for target in ("python", "llvm", "c"):
        try:
            step = compile(PENDULUM, target)
        except TargetUnavailable as reason:  # the target c needs a C compiler; the others need nothing
            print(f"{target:<7} not here: {reason}")
            continue
        q_next, v_next = step(l=1.0, d=0.1, dt=0.001, q=0.5, v=0.0)
        print(f"{target:<7} q_next = {float(q_next).hex()}  v_next = {float(v_next).hex()}")

    # 4. Many calls: bind the arrays once. Outputs must not overlap inputs, so two arrays alternate.
    step = compile(PENDULUM)
    here, there = np.array([0.5, 0.0]), np.empty(2)
    fixed = {"l": np.array(1.0), "d": np.array(0.1), "dt": np.array(0.001)}
    to = [
        step.bind(**fixed, q=a[:1], v=a[1:], q_next=b[:1], v_next=b[1:])  # views: no copies anywhere
        for a, b in ((here, there), (there, here))
    ]
    for k in range(2000):
        to[k % 2]()
    print(f"after 2 s: q = {here[0]:.6f} rad, v = {here[1]:.6f} rad/s")

    # 5. The exact derivative is another kernel.
    slope = compile(jacobian(PENDULUM, "v_next", "q"))(l=1.0, d=0.1, dt=0.001, q=0.5, v=0.0)
    print(f"d v_next / d q = {float(slope[0]):.9f}, by hand {-0.001 * g * np.cos(0.5):.9f}")

    # 6. Inner values by name.
    *_, energy = compile(PENDULUM.with_probes("energy"))(l=1.0, d=0.1, dt=0.001, q=0.5, v=0.0)
    print(f"energy = {float(energy):.6f} J/kg")


if __name__ == "__main__":
    main()

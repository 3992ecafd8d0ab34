"""A serial arm with full inertias and skew offsets: forward dynamics as one leaf kernel.

The numbers are illustrative; they are chosen so that nothing vanishes and every term costs its operations.
"""

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve

GRAVITY = 9.81  # [m/s^2]


def _skew(a: ca.SX | ca.DM) -> ca.SX:
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def _rotation(axis: int, q: ca.SX) -> ca.SX:
    """R_pc of a joint about x, y or z of the child."""
    c, s = ca.cos(q), ca.sin(q)
    y, z = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX(3, 3)
    R[axis, axis] = 1
    R[y, y], R[y, z], R[z, y], R[z, z] = c, -s, s, c
    return R


def _links(n: int) -> list[tuple[int, ca.DM, float, ca.DM, ca.DM]]:
    """Joint axis, joint origin in the parent [m], mass [kg], centre of mass [m] and inertia about it [kg m^2]."""
    inertia = ca.DM(np.diag([0.1, 0.2, 0.15]) + 0.01)
    return [
        (
            i % 3,
            ca.DM([0.0, 0, 0] if i == 0 else [0.3, 0.1 * (i % 2), 0.05]),
            5.0 + i,
            ca.DM([0.15, 0.02, 0.03]),
            inertia,
        )
        for i in range(n)
    ]


def _bias(q: ca.SX, v: ca.SX) -> ca.SX:
    """Torques that hold the arm at zero acceleration: Newton-Euler, out and back (Luh, Walker & Paul 1980)."""
    links, n = _links(q.numel()), q.numel()
    unit = ca.DM.eye(3)
    R, force, moment = [], [], []
    omega, alpha, a = ca.SX(3, 1), ca.SX(3, 1), ca.SX([0, 0, GRAVITY])
    for i, (axis, p, m, c, inertia) in enumerate(links):
        R.append(_rotation(axis, q[i]))
        at_joint = a + ca.cross(alpha, p) + ca.cross(omega, ca.cross(omega, p))
        carried = R[i].T @ omega
        spin = unit[:, axis] * v[i]
        alpha = R[i].T @ alpha + ca.cross(carried, spin)
        omega, a = carried + spin, R[i].T @ at_joint
        f = m * (a + ca.cross(alpha, c) + ca.cross(omega, ca.cross(omega, c)))
        force.append(f)
        moment.append(inertia @ alpha + ca.cross(omega, inertia @ omega) + ca.cross(c, f))
    bias = [ca.SX(0)] * n
    for i in range(n - 1, -1, -1):
        axis, p = links[i][:2]
        bias[i] = moment[i][axis]
        if i:
            f = R[i] @ force[i]
            force[i - 1] += f
            moment[i - 1] += R[i] @ moment[i] + ca.cross(p, f)
    return ca.vertcat(*bias)


def _mass_matrix(q: ca.SX) -> ca.SX:
    """Joint-space inertia by composite bodies (Featherstone 2008, ch. 6)."""
    links, n = _links(q.numel()), q.numel()
    unit = ca.DM.eye(3)
    R = [_rotation(links[i][0], q[i]) for i in range(n)]
    mass = [link[2] for link in links]
    first = [ca.SX(link[2] * link[3]) for link in links]
    second = [ca.SX(link[4] - link[2] * ca.DM(_skew(link[3]) @ _skew(link[3]))) for link in links]
    M = ca.SX(n, n)
    for i in range(n - 1, -1, -1):
        axis, p = links[i][:2]
        f, moment = ca.cross(unit[:, axis], first[i]), second[i] @ unit[:, axis]
        M[i, i] = moment[axis]
        for j in range(i, 0, -1):
            f = R[j] @ f
            moment = R[j] @ moment + ca.cross(links[j][1], f)
            M[i, j - 1] = M[j - 1, i] = moment[links[j - 1][0]]
        if i:
            h = R[i] @ first[i]
            cross = _skew(p) @ _skew(h)
            first[i - 1] += h + mass[i] * p
            second[i - 1] += R[i] @ second[i] @ R[i].T - cross - cross.T - mass[i] * (_skew(p) @ _skew(p))
            mass[i - 1] += mass[i]
    return M


def arm(n: int = 7) -> Kernel:
    """Forward dynamics of an n-joint arm."""

    def accelerations(q: ca.SX, v: ca.SX, tau: ca.SX) -> ca.SX:
        """M(q) a = tau - bias(q, v)."""
        M = _mass_matrix(q)
        sample = np.array(ca.Function("M", [q], [M])(np.linspace(0.3, 1.2, n)))
        return solve(M, tau - _bias(q, v), [sample], symmetric=True).x

    return Kernel(
        f"arm{n}",
        (
            Port("q", n, "rad", "joint angles"),
            Port("v", n, "rad/s", "joint rates"),
            Port("tau", n, "N m", "joint torques"),
        ),
        (Port("a", n, "rad/s^2", "joint accelerations"),),
        accelerations,
        f"forward dynamics of a {n}-joint arm",
    )


def arm_step(n: int = 7, h: float = 1e-3) -> Kernel:
    """One semi-implicit Euler step of the arm with light joint damping."""
    dynamics = arm(n)

    def step(q: ca.SX, v: ca.SX, tau: ca.SX) -> tuple[ca.SX, ca.SX]:
        """v first, then q with the new v."""
        v_next = v + h * dynamics(q, v, tau - 2.0 * v)
        return q + h * v_next, v_next

    states = (Port("q_next", n, "rad"), Port("v_next", n, "rad/s"))
    return Kernel(f"arm{n}_step", dynamics.inputs, states, step, f"a step of {h} s of a {n}-joint arm")

"""A row of the record of a sphere: each channel's name and what it is, as one kernel."""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.compile.struct import MIXED
from motionbase.control.faults import WarningBit
from motionbase.spatial.rotations import Expr, R_quaternion, euler_zyx

WHEEL = {
    "speed": ("omega_wheel", "rad/s"), "torque": ("tau_motor", "N m"), "normal": ("N_wheel", "N"),
    "force": ("f_contact", "N"), "slip": ("slip", "m/s"), "slip_hat": ("slip_hat", "m/s"), "grip": ("grip", "-"),
}  # fmt: skip
"""End of the name of a wheel's channel -> port and its unit."""


def sphere_row(channels: tuple[str, ...], wheels: int, passive: int) -> Kernel:
    """The numbers of these channels, in their order."""
    inputs = (
        Port("Q_WS", 4, "-"), Port("omega_S", 3, "rad/s"), Port("Q_ref", 4, "-"), Port("omega_ref", 3, "rad/s"),
        Port("error", 3, "rad"), Port("d_C", 3, "m"), Port("N_passive", passive, "N"),
        *(Port(name, wheels, unit) for name, unit in WHEEL.values()),
    )  # fmt: skip

    def expr(
        Q: Expr, omega_S: Expr, Q_ref: Expr, omega_ref: Expr, error: Expr, d: Expr, N: Expr, *of_wheels: Expr
    ) -> Any:  # fmt: skip
        R = R_quaternion(Q)
        found: dict[str, Expr] = {"sphere_error": ca.sqrt(ca.sumsqr(error))}
        vectors = {
            ("sphere_q_", "wxyz"): Q, ("sphere_ref_q_", "wxyz"): Q_ref, ("sphere_omega_", "xyz"): R @ omega_S,
            ("sphere_ref_omega_", "xyz"): omega_ref, ("sphere_shift_", "xyz"): d,
            ("sphere_", ("roll", "pitch", "yaw")): euler_zyx(R),
        }  # fmt: skip
        for (name, parts), vector in vectors.items():
            found |= {f"{name}{part}": vector[k] for k, part in enumerate(parts)}
        least_and_most = (ca.mmin(N), ca.mmax(N)) if passive else (0.0, 0.0)
        found["passive_normal_min"], found["passive_normal_max"] = least_and_most
        for word, vector in zip(WHEEL, of_wheels, strict=True):
            found |= {f"wheel{k + 1}_{word}": vector[k] for k in range(wheels)}
        return ca.vertcat(*(found[name] for name in channels))

    return Kernel("sphere_row", inputs, (Port("row", len(channels), MIXED),), expr)


def _warn(warning: Expr, slips: Expr, lost: Expr, limited: Expr) -> Any:
    first = 2 ** len(WarningBit)
    return warning + first * (slips + 2 * lost + 4 * limited)


WARN = Kernel(
    "sphere_warnings",
    (Port("warning", (), "-"), Port("slips", (), "-"), Port("lost", (), "-"), Port("limited", (), "-")),
    (Port("shown", (), "-", "bits of the warnings, those of the stage first"),),
    _warn,
)

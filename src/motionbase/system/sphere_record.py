"""A row of the record of a sphere: each channel's name and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from motionbase.control.faults import WarningBit
from motionbase.spatial.rotations import Expr, R_quaternion, euler_zyx

WHEEL = {
    "speed": "omega_wheel", "torque": "tau_motor", "normal": "N_wheel", "force": "f_contact", "slip": "slip",
    "slip_hat": "slip_hat", "grip": "grip",
}  # fmt: skip
"""End of the name of a wheel's channel -> port."""


def sphere_row(known: Mapping[str, Any], channels: tuple[str, ...]) -> list[Expr]:
    """The numbers of these channels, in their order, from the values of the loop's ports by name."""
    R, N = R_quaternion(known["Q_WS"]), known["N_passive"]
    found: dict[str, Expr] = {"sphere_error": ca.sqrt(ca.sumsqr(known["error"]))}
    vectors = {
        ("sphere_q_", "wxyz"): known["Q_WS"], ("sphere_ref_q_", "wxyz"): known["Q_ref"],
        ("sphere_omega_", "xyz"): R @ known["omega_S"], ("sphere_ref_omega_", "xyz"): known["omega_ref"],
        ("sphere_shift_", "xyz"): known["d_C"], ("sphere_", ("roll", "pitch", "yaw")): euler_zyx(R),
    }  # fmt: skip
    for (name, parts), vector in vectors.items():
        found |= {f"{name}{part}": vector[k] for k, part in enumerate(parts)}
    found["passive_normal_min"], found["passive_normal_max"] = ca.mmin(N), ca.mmax(N)
    for word, port in WHEEL.items():
        found |= {f"wheel{k + 1}_{word}": known[port][k] for k in range(known[port].numel())}
    return [found[name] for name in channels]


def sphere_warnings(known: Mapping[str, Any]) -> Expr:
    """Bits of the warnings, those of the stage first."""
    return known["warning"] + 2 ** len(WarningBit) * (known["slips"] + 2 * known["lost"] + 4 * known["limited"])

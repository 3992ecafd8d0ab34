"""Resolved rates: joint speeds for a desired twist of the tip, by damped least squares (Whitney 1969).

    v = s (J' (J J' + lambda^2)^-1 twist + N z)

Linear rows are divided by a length, so that all are angles. Near a singularity lambda grows (Chiaverini 1997):
lambda^2 = lambda_max^2 (1 - (sigma / sigma_0)^2) for sigma < sigma_0. sigma stands for the smallest singular value:
1 / sigma^2 is the trace of (J J')^-1, the sum of the inverse squares of all singular values, so sigma is at most the
smallest one and at least 1 / sqrt(6) of it, and it is smooth, which a singular value is not.
s slows all joints by the same factor until each keeps its limits, so the tip keeps its direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.compile.guarded import sqrt_guarded
from motionbase.compile.linear import factorize
from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_positive
from motionbase.multibody.manipulator.arm import Arm
from motionbase.spatial.rotations import Expr

FLOOR = 1e-10  # added to J J' before it is inverted for sigma, which is then at least 1e-5
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


@final
@dataclass(frozen=True, eq=False)
class ResolvedRate:
    """A law for the speeds of an arm's driven joints.

    Attributes:
        length: divisor of linear speeds [m]; about the reach, so that unit rows are equally demanding
        damping: lambda_max [-]
        threshold: sigma_0 [-], below which damping starts
        task: relevant rows of the twist, of wx, wy, wz, vx, vy, vz; all by default
        posture: gain [1/s] that pulls joints to the middle of their limits without moving the tip, if there are more
            joints than rows; it grows with the square of the distance from the middle, and nothing else moves the
            joints in that space
        approach: shortest time [s] in which a joint may reach its limit: it slows down before; 20 steps or more
    """

    arm: Arm
    length: float = 10.0
    damping: float = 0.1
    threshold: float = 0.05
    task: tuple[str, ...] = TWIST
    posture: float = 0.0
    approach: float = 0.5

    def __post_init__(self) -> None:
        owner = f"resolved rates of {self.arm.owner}"
        for what, unit in (("length", "m"), ("damping", ""), ("threshold", ""), ("approach", "s")):
            checked_positive(owner, what, getattr(self, what), unit)
        for row in self.task:
            if row not in TWIST:
                raise ModelError(f"{owner}: task has {row!r}; rows: {', '.join(TWIST)}")
        if not self.task or len(set(self.task)) < len(self.task):
            raise ModelError(f"{owner}: task is {self.task}, it must name each row once, and one at least")
        if len(self.task) > self.arm.n:
            raise ModelError(f"{owner}: {len(self.task)} rows for {self.arm.n} joints; name as many rows at most")
        limits = self.arm.limits
        if self.posture < 0 or (self.posture and (limits is None or not np.all(np.isfinite(limits.columns[:2])))):
            raise ModelError(
                f"{owner}: posture is {self.posture:g} 1/s; it must not be negative and needs finite limits"
            )

    @cached_property
    def rows(self) -> list[int]:
        """Indices of the task in a twist."""
        return [TWIST.index(row) for row in self.task]

    @property
    def scaling(self) -> Expr:
        """(6,) factors that scale a twist's rows alike."""
        return ca.DM([1.0] * 3 + [1.0 / self.length] * 3)

    def speeds(self, q: Expr, twist: Expr) -> tuple[Expr, Expr, Expr, Expr, Expr]:
        """Speeds of the driven joints, then scale, lambda, sigma and manipulability, all as expressions."""
        arm, m = self.arm, len(self.rows)
        J = (ca.repmat(self.scaling, 1, arm.n) * arm.driven(arm.tip(q).J))[self.rows, :]
        wanted = (self.scaling * twist)[self.rows]
        A, I = J @ J.T, ca.SX(ca.DM.eye(m))
        plain = factorize(A + FLOOR * I, symmetric=True)
        sigma = 1 / ca.sqrt(ca.trace(plain.solve(I).x))
        volume = ca.SX(1)
        for step in plain.steps:
            if step.pivot is None:  # a positive definite matrix only has 1x1 pivots
                raise ModelError(f"resolved rates of {arm.owner}: J J' took a pivot of two rows")
            volume = volume * step.pivot
        near = ca.fmax(0.0, 1 - (sigma / self.threshold) ** 2)
        lambda2 = self.damping**2 * near
        damped = factorize(A + (lambda2 + FLOOR) * I, symmetric=True)
        v = J.T @ damped.solve(wanted).x
        if arm.n > m and self.posture:
            z = self._to_the_middle(q)
            v = v + z - J.T @ plain.solve(J @ z).x  # a projection, never long: it needs no damping
        scale = self._scale(q, v)
        return v * scale, scale, sqrt_guarded(lambda2), sigma, sqrt_guarded(volume)

    def _to_the_middle(self, q: Expr) -> Expr:
        assert self.arm.limits is not None
        lower, upper, _ = self.arm.limits.columns
        half = ca.DM(0.5 * (upper - lower))
        away = q[list(self.arm.at_q)] - ca.DM(0.5 * (upper + lower))
        return -self.posture * away * (away / half) ** 2

    def _scale(self, q: Expr, v: Expr) -> Expr:
        """The largest factor up to 1 with which every joint keeps its rate and slows down before its limit."""
        scale: Expr = ca.SX(1)
        if self.arm.limits is None:
            return scale
        lower, upper, rate = self.arm.limits.columns
        for k, at in enumerate(self.arm.at_q):
            up, down = ca.SX(rate[k]), ca.SX(rate[k])
            if np.isfinite(upper[k]):
                up = ca.fmin(up, ca.fmax(0.0, upper[k] - q[at]) / self.approach)
            if np.isfinite(lower[k]):
                down = ca.fmin(down, ca.fmax(0.0, q[at] - lower[k]) / self.approach)
            room, speed = ca.if_else(v[k] > 0, up, down), ca.fabs(v[k])
            scale = ca.fmin(scale, ca.if_else(speed > room, room / ca.if_else(speed > room, speed, 1), 1))
        return scale

    @cached_property
    def kernel(self) -> Kernel:
        """(q, twist) -> v_cmd (n), scale, damping, sigma, manipulability."""

        def expr(q: Expr, twist: Expr) -> Any:
            return self.speeds(q, twist)

        inputs = self.arm.state_ports[0], Port("twist", 6, "-", "wanted, angular first, base's axes")
        return Kernel("resolved_rate", inputs, (Port("v_cmd", self.arm.n, "-", "speeds"), *MONITORS), expr)


MONITORS = (
    Port("scale", (), "-", "1 unless limits slow the joints"),
    Port("damping", (), "-", "lambda; 0 away from singular places"),
    Port("sigma", (), "-", "lower bound of the smallest singular value, linear rows divided by the length"),
    Port("manipulability", (), "-", "product of all singular values (Yoshikawa 1985)"),
)

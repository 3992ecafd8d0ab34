"""Forces of a tyre: the Magic Formula with load sensitivity and combined slip, and its transients down to standstill.

Steady state. With the load F_z, the slips s_x = -v_sx / |r Omega| and s_y = -v_sy / |r Omega|, v_s the velocity of the
contact over the ground, and S = sqrt((B_x s_x)^2 + (B_y s_y)^2),

    F_x = D_x f(S) B_x s_x / S,   F_y = D_y f(S) B_y s_y / S,   f(S) = sin(C atan(S - E (S - atan S)))

which is the Magic Formula in each direction alone (Pacejka 2012, eq. 4.6), and the similarity method in both (ibid.,
section 4.2): the total lies on an ellipse with the half axes D_x, D_y. Peaks are D = mu F_z (1 - d (F_z / F_0 - 1)),
slopes at the origin B C D are proportional to the load lengthwise and K sin(2 atan(F_z / (c F_0))) sideways (ibid.,
eq. 4.25). Slips refer to the rolling speed, so they are also defined when the car stands and its wheels spin.

Transients. The tyre is a spring and a damper between rim and contact, c x + d x_dot, whose other end slides by the law
above, linearised about the sliding velocity (Rill 2012, section 3.4.6, "first order tire dynamics"):

    x_dot = -(v_T c x + f v_s) / (v_T d + f),   F = f (c x - d v_s) / (v_T d + f),   f = F_steady / s,  v_T = |r Omega|

Rolling, that is a relaxation length (dF/ds) / c; at a standstill it is the spring and damper themselves, which hold a
car on a slope. The spring holds no more than the peak of the force.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca

from motionbase.spatial.rotations import Expr
from motionbase.worlds.drive.parts import Tyre

LAG = 0.004  # [s] d / c: damping of the carcass; illustrative
CREEP = 1e-3  # [m/s] added to the rolling speed, so that nothing is divided by zero
LEAST_GRIP = 0.35  # share of the grip that remains at any load
RIM, RIM_STIFFNESS = (
    0.12,
    4.0,
)  # deflection at which the rim touches [m], and how many times stiffer it is; illustrative
TINY = 1e-9


@final
class Laws(NamedTuple):
    """Parameters of the Magic Formula at a load and grip; pairs are longitudinal and lateral.

    Attributes:
        peak: D [N]
        slope: B C D, at small slip [N]
    """

    peak: tuple[Expr, Expr]
    slope: tuple[Expr, Expr]


def laws(tyre: Tyre, load: Expr, grip: Expr) -> Laws:
    """At a load [N], on ground with a share of the nominal grip."""
    drop = ca.fmin(ca.fmax(1 - tyre.grip_drop * (load / tyre.load - 1), LEAST_GRIP), 2.0)
    usable = ca.fmin(load, 2 * tyre.cornering_load * tyre.load)  # beyond this load the slope grows no more
    sideways = ca.sin(2 * ca.atan(ca.fmin(load / (tyre.cornering_load * tyre.load), 1.0)))
    return Laws(
        (tyre.grip_x * grip * drop * load, tyre.grip_y * grip * drop * load),
        (tyre.slip_stiffness * usable, tyre.cornering * tyre.load * sideways),
    )


def magic(tyre: Tyre, S: Expr) -> Expr:
    """f(S): 1 at the peak, slope C at the origin."""
    return ca.sin(tyre.shape * ca.atan(S - tyre.curvature * (S - ca.atan(S))))


@final
class Contact(NamedTuple):
    """State of a contact; pairs are longitudinal and lateral.

    Attributes:
        force: on the wheel [N]
        rate: of the deflections [m/s]
        peak: largest possible forces [N]
        slip: S, 0 without slip
    """

    force: tuple[Expr, Expr]
    rate: tuple[Expr, Expr]
    peak: tuple[Expr, Expr]
    slip: Expr


def springs(tyre: Tyre) -> tuple[float, float]:
    """Longitudinal and lateral stiffness [N/m]: slope at the nominal load over the relaxation length."""
    sideways = tyre.cornering * tyre.load * math.sin(2 * math.atan(1 / tyre.cornering_load))
    return tyre.slip_stiffness * tyre.load / tyre.relaxation_x, sideways / tyre.relaxation_y


def contact(tyre: Tyre, load: Expr, grip: Expr, sliding: tuple[Expr, Expr], rolling: Expr, bent: Expr) -> Contact:
    """Forces of a tyre and rates of its deflections.

    Args:
        load: [N]
        sliding: velocity of the contact over the ground, longitudinal and lateral [m/s]
        rolling: rolling speed, not negative [m/s]
        bent: (2,) deflections [m]
    """
    law = laws(tyre, load, grip)
    v_T = rolling + CREEP
    B = [slope / (tyre.shape * ca.fmax(peak, TINY)) for slope, peak in zip(law.slope, law.peak, strict=True)]
    S = ca.sqrt(sum(((b * v / v_T) ** 2 for b, v in zip(B, sliding, strict=True)), ca.SX(TINY**2)))
    share = magic(tyre, S) / S  # the slope C at small slip
    forces, rates = [], []
    for k, c in enumerate(springs(tyre)):
        d, f = LAG * c, law.peak[k] * B[k] * share + TINY
        stretch = c * ca.fmin(ca.fmax(bent[k], -law.peak[k] / c), law.peak[k] / c)
        forces.append(f * (stretch - d * sliding[k]) / (v_T * d + f))
        rates.append(-(v_T * stretch + f * sliding[k]) / (v_T * d + f))
    return Contact((forces[0], forces[1]), (rates[0], rates[1]), law.peak, S)


def held(tyre: Tyre, bent: Expr, peak: Expr) -> Expr:
    """(2,) deflections limited to the ellipse of the largest forces."""
    c = springs(tyre)
    share = ca.sqrt(sum(((c[k] * bent[k] / (peak[k] + TINY)) ** 2 for k in range(2)), ca.SX(0)))
    return bent / ca.fmax(share, 1.0)


def trail(tyre: Tyre, S: Expr) -> Expr:
    """Pneumatic trail [m]: t0 cos(atan S), the Magic Formula of the trail with C = 1 and E = 0 (Pacejka, eq. 4.E33)."""
    return tyre.trail / ca.sqrt(1 + S * S)


def vertical(tyre: Tyre, depth: Expr, rate: Expr) -> Expr:
    """Load [N] of a tyre compressed by a depth [m] at a rate [m/s]; never negative."""
    damped = tyre.damping * ca.fmin(ca.fmax(depth, 0.0) * tyre.stiffness / tyre.load, 1.0)
    rim = RIM_STIFFNESS * tyre.stiffness * ca.fmax(depth - RIM, 0.0)
    return ca.fmax(tyre.stiffness * ca.fmax(depth, 0.0) + rim + damped * rate, 0.0)

"""Flow of the valves from the oil's balance: what the edges let through is what the piston displaces, and the rest.

For each chamber, filtered like everything else so that no pressure is differentiated,

    A l_dot = k (flow per k) - leakage - V p_dot / E - c (change of flow with the spool)

which is linear in rated flow, leakage and 1/E. Two errors of the measurement are estimated as well: c, the offset of
each leg's spool sensor, and how much later than lengths the spools are read. The flows are the actuator model's own
expressions and their derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import casadi as ca
import numpy as np

from motionbase.actuators.chambers import Pair, inflow, network, restrictions, volumes
from motionbase.actuators.common import Lines
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import limited
from motionbase.actuators.live import with_live
from motionbase.arrays import Array
from motionbase.identify.bristle import LEGS, path_of
from motionbase.identify.load import usual_smoother
from motionbase.identify.regression import Fit, blocks_of, least_squares
from motionbase.identify.signals import Signals, Stretch
from motionbase.identify.smoothing import Smoother
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.parts import Stroke

LIVE = ("rated_flow", "leakage_internal", "leakage_external")
NAMES = (*LIVE, "compressibility", "delay")
SIDES = ("cap", "rod")


@final
@dataclass(frozen=True, eq=False)
class FlowFit:
    """Flow of one leg or of all alike.

    Attributes:
        fit: in the order of `NAMES`, then for each leg the offset of its spool sensor times its rated flow
        t: (n,) times; measured, given: (n, 6) filtered flow that the piston displaces at the cap end, and the model's
            [m^3/s]
    """

    fit: Fit
    t: Array
    measured: Array
    given: Array


@lru_cache(maxsize=4)
def _flows(actuator: HydraulicActuator, stroke: Stroke) -> ca.Function:
    """(p_cap, p_rod, spool, l, p_supply, p_return) -> for each side: flow per LIVE, flow without them, by the spool."""
    live, p_cap, p_rod, spool, l, supply, back = ca.SX.sym("live", len(LIVE)), *(ca.SX.sym(n) for n in "pqslab")
    own = with_live(actuator, LIVE, ca.vertsplit(live))
    p, lines = Pair(p_cap, p_rod), Lines(supply, back, ca.SX(0))
    ways = network(own, p, limited(spool, 1), restrictions(actuator, stroke, l), lines)
    net, across = inflow(own, ways, lines, ca.SX(0)).at(p), own.leakage_internal * (p_cap - p_rod)
    usual = ca.DM([getattr(actuator, name) for name in LIVE])
    found = []
    for flow in (net.cap - across, net.rod + across):
        by = ca.jacobian(flow, live)  # flows are linear in them
        found.append(ca.horzcat(by, ca.substitute(flow, live, ca.DM.zeros(len(LIVE))),
                                ca.substitute(ca.jacobian(flow, spool), live, usual)))  # fmt: skip
    volume = volumes(actuator, stroke, l)
    return ca.Function("flows", [ca.vertcat(p_cap, p_rod, spool, l, supply, back)],
                       [ca.vertcat(ca.horzcat(*found).T, volume.cap, volume.rod)])  # fmt: skip


def fit_flow(signals: Signals, platform: Hexapod, legs: tuple[int, ...] = tuple(range(LEGS))) -> FlowFit:
    """Rated flow, leakages, compressibility of these legs as one, and the offset of each spool sensor."""
    actuator = platform.actuator
    assert isinstance(actuator, HydraulicActuator)
    smoother = usual_smoother(signals.dt)
    parts = [_rows(stretch, platform, actuator, smoother, signals.dt) for stretch in signals.stretches]
    t = np.concatenate([smoother.times(stretch.t) for stretch in signals.stretches])
    X, y = (np.concatenate(x) for x in zip(*parts, strict=True))  # (n, sides, 6, columns), (n, sides, 6)
    kept, own = [*range(len(NAMES)), *(len(NAMES) + k for k in legs)], list(legs)
    X, y = X[:, :, own][..., kept], y[:, :, own]
    block = np.repeat(blocks_of(t), len(SIDES) * len(own))
    fit = least_squares(X.reshape(-1, len(kept)), y.ravel(), block)
    return FlowFit(fit, t, y[:, 0], (X @ fit.theta)[:, 0])


def _rows(
    stretch: Stretch, platform: Hexapod, actuator: HydraulicActuator, smoother: Smoother, dt: float
) -> tuple[Array, Array]:
    """Regressors and displaced flow of both chambers of six legs."""
    n, l = len(stretch), stretch["l_meas"]
    lines = [stretch.columns.get(name, np.full(n, getattr(actuator, name))) for name in ("p_supply", "p_return")]
    given = [stretch["p_cap"], stretch["p_rod"], stretch["valve_meas"], l, *(np.tile(x[:, None], LEGS) for x in lines)]
    found = np.array(_flows(actuator, platform.stroke)(np.stack([x.ravel() for x in given])))
    wide = len(LIVE) + 2
    found = found.T.reshape(n, LEGS, 2 * wide + 2)
    path = path_of(stretch, dt)
    l_dot = np.concatenate([path.speed[:1].repeat(path.margin, axis=0), path.speed,
                            path.speed[-1:].repeat(path.margin, axis=0)])  # fmt: skip
    rows, sides = [], []
    for k, (side, area) in enumerate((("p_cap", actuator.area_cap), ("p_rod", -actuator.area_rod))):
        own, volume, p = found[..., k * wide : (k + 1) * wide], found[..., 2 * wide + k], stretch[side]
        filled = smoother.rate(volume * p) - smoother.value(p * area * l_dot)  # V p_dot, without differentiating p
        flows = smoother.value(own)
        offsets = -flows[..., -1:] / actuator.rated_flow * np.eye(LEGS)
        late = actuator.rated_flow * smoother.rate(own[..., :1])
        rows.append(np.concatenate([flows[..., : len(LIVE)], -filled[..., None], late, offsets], axis=2))
        sides.append(area * smoother.rate(l) - flows[..., len(LIVE)])
    return np.stack(rows, axis=1), np.stack(sides, axis=1)

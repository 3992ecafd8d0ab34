"""Where the work of the motors goes: motion, height, springs, and every loss, each by a formula of its own."""

from dataclasses import dataclass

import numpy as np
import pytest

from motionbase.plant.sphere.ripple import Ripple
from motionbase.platform.atlas.atlas import Atlas
from tests.plant.sphere.cases import Array, G, kinetic, moved, plant_of, sphere_on, turn_of

SECONDS = 2.0
RUNS = {
    "holding": {"amplitude": 15.0, "slick": 1.0, "ripple": False},
    "holding on rollers": {"amplitude": 15.0, "slick": 1.0, "ripple": True},
    "slipping": {"amplitude": 30.0, "slick": 0.3, "ripple": False},
}


@dataclass(frozen=True)
class Audit:
    """Over a run [J]; the states' powers are integrated by the trapezoidal rule."""

    work: float
    gained: float
    swung: float
    losses: dict[str, float]

    @property
    def left(self) -> float:
        return self.work - self.gained - sum(self.losses.values())


def waves(atlas: Atlas, psi: Array) -> tuple[Array, Array]:
    """(t, n) reach of the wheels and its slope, from the series itself."""
    series = Ripple.of(atlas.wheels[0], atlas.sphere.radius)
    k = series.count * np.arange(1, len(series.reach) + 1)
    return np.cos(psi[..., None] * k) @ series.reach, -np.sin(psi[..., None] * k) @ (k * series.reach)


def audit(name: str, dt: float) -> Audit:
    how = RUNS[name]
    atlas = sphere_on(com=(0.02, -0.03, -0.06), lossy=True)
    plant, s = plant_of(atlas, dt, bool(how["ripple"])), atlas.sphere
    at, n, ticks = plant.motion.contacts, 3, round(SECONDS / dt)
    t = dt * (np.arange(ticks)[:, None] + 0.5)  # a torque holds over a tick
    tau = how["amplitude"] * np.sin(2 * np.pi * np.array([1.0, 1.5, 0.5]) * t)
    slick = np.array([how["slick"], 1.0, 1.0])
    run = moved(atlas, ticks, dt, bool(how["ripple"]), tau_motor=tau, friction_scale=slick)
    turn, wheels = turn_of(run["Q_WS"]), run["omega_wheel"]
    Omega = turn.apply(run["omega_S"])

    spring = at.at_rest + run["d_C"] @ at.outward.T * at.stiffness
    closing = run["v_C"] @ at.outward.T
    if how["ripple"]:
        reach, slope = waves(atlas, run["psi"])
        spring[:, :n] += at.stiffness[:n] * reach
        closing[:, :n] += slope * wheels
    elastic = np.maximum(spring, 0)
    N = np.maximum(spring + at.damping * closing, 0)
    potential = s.mass * G * (run["d_C"] + turn.apply(s.com))[:, 2] + (elastic**2 / (2 * at.stiffness)).sum(axis=1)
    total = kinetic(atlas, run) + potential

    surface = run["v_C"][:, None] + np.cross(Omega[:, None], s.radius * at.outward[n:])
    along = surface - (surface * at.outward[n:]).sum(axis=2, keepdims=True) * at.outward[n:]
    speed2 = (along**2).sum(axis=2)
    spin = Omega @ at.outward[:n].T
    mu = slick * atlas.wheels[0].friction
    powers = {
        "damping": ((N - elastic) * closing).sum(axis=1),
        "rolling": (at.rolling * N[:, n:] * speed2 / np.sqrt(speed2 + 5e-3**2)).sum(axis=1),
        "drilling": (2 / 3 * mu * N[:, :n] * at.patch_radius * spin**2 / np.sqrt(spin**2 + 0.02**2)).sum(axis=1),
    }
    losses = {key: float(dt * (p.sum() - 0.5 * (p[0] + p[-1]))) for key, p in powers.items()}
    slip = np.concatenate([np.zeros((1, n)), run["slip"]])
    losses["slip"] = float(-dt * (run["f_contact"] * 0.5 * (slip[1:] + slip[:-1])).sum())
    gear = np.array([w.gear for w in atlas.wheels])
    work = float(dt * (gear * tau * 0.5 * (wheels[1:] + wheels[:-1])).sum())
    return Audit(work, float(total[-1] - total[0]), float(np.ptp(total)), losses)


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_lost_on_the_way(name: str) -> None:
    """What is left is the step's error: 1.2e-7, 9.4e-6 on rollers and 1.4e-7 of the energy exchanged."""
    coarse, fine = audit(name, 5e-4), audit(name, 2.5e-4)
    assert abs(coarse.left) < 2e-5 * coarse.swung
    order = np.log2(coarse.left / fine.left)
    assert order == pytest.approx(1 if RUNS[name]["ripple"] else 2, abs=0.1)


def test_the_runs_have_every_kind_of_loss() -> None:
    """Otherwise the audit would prove little."""
    held, slipping = audit("holding on rollers", 5e-4), audit("slipping", 5e-4)
    assert held.losses["rolling"] > 20 and held.losses["drilling"] > 20 and held.losses["damping"] > 1
    assert abs(held.losses["slip"]) < 1e-6 and slipping.losses["slip"] > 50

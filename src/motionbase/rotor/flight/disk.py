"""What blade sections meet over a revolution: angle of attack, Mach number and lift over the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.multibody.network.motion import places_of
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.network.parts import GROUND_PLACE, Moment
from motionbase.rotor.elements.blade_air import BladeLoads
from motionbase.rotor.elements.sections import section, station_size
from motionbase.rotor.flight.march import March

SHOWN = 4.0  # [%] of the values at either end that are beyond the colours


@final
@dataclass(frozen=True, eq=False)
class Disk:
    """Stations of the first blade over a revolution.

    Attributes:
        psi: (n,) azimuth, ascending [rad]
        r: (n, stations) radius [m]
        width: (stations,) length of blade that each stands for [m]
        alpha: (n, stations) angle of attack at three quarters of the chord [rad]
        mach: (n, stations)
        lift: (n, stations) per length [N/m]
    """

    psi: Array
    r: Array
    width: Array
    alpha: Array
    mach: Array
    lift: Array


def disk(march: March) -> Disk:
    """Of the next revolution, on one lane or the first of several."""
    kernel = compile(_sections(march))
    V, angle = march.flight[0]
    seen, nodes = march.watched()
    wind = np.broadcast_to([-V * np.cos(angle), 0.0, V * np.sin(angle)], (len(nodes), 3))
    given = {"nodes": nodes[..., 0], "wind": wind, "induced": seen.induced[..., 0]}
    found = kernel.map(**{name: np.ascontiguousarray(value) for name, value in given.items()})["sections"]
    order = np.argsort(seen.psi[:, 0, 0])
    r, alpha, mach = (found[order][:, k] for k in range(3))
    stations = [s for part in blade_loads(march, 0) for s in part.stations]
    planform = march.rotor.planform
    cl = planform.airfoil.at(alpha.ravel(), mach.ravel())[:, 0].reshape(alpha.shape)
    chord, lifting = (np.array([getattr(s, what) for s in stations]) for what in ("chord", "lifting"))
    lift = 0.5 * planform.density * (mach * planform.sound) ** 2 * chord * lifting * cl
    width = np.array([s.width for s in stations])
    return Disk(seen.psi[order, 0, 0], r, width, alpha, mach, lift)


def blade_loads(march: March, blade: int) -> list[BladeLoads]:
    """Air on a blade, from the root."""
    own = f"{march.rotor.blades[blade].bodies[0][:-1]}_air"  # bodies and elements of a blade begin with its name
    parts = march.flying.network.network.assembly.parts
    return [part for part in parts if isinstance(part, BladeLoads) and part.name.startswith(own)]


def _sections(march: March) -> Kernel:
    """(nodes, wind, induced) -> (3, stations) radius, angle of attack, Mach number."""
    parts, count = blade_loads(march, 0), len(march.flying.network.network.assembly.bodies)
    none = ca.SX(0, 1)

    def expr(nodes: Any, wind: ca.SX, induced: ca.SX) -> ca.SX:
        places, columns = places_of(nodes), []
        for part in parts:
            own = tuple(GROUND_PLACE if n is None else places[n] for n in part.nodes)
            numbers, size = ca.SX(part.numbers), station_size(len(own) - 1)
            at = Moment(own, none, none, numbers, none, ca.vertcat(wind, induced), none, ca.SX(0), none, ())
            for k, row in enumerate(ca.vertsplit(part.asked(at))):
                p = section(own[:-1], numbers[k * size : (k + 1) * size]).p
                columns.append(ca.vertcat(ca.norm_2(p[:2]), row.T))
        found: ca.SX = ca.horzcat(*columns)
        return found

    stations = sum(len(part.stations) for part in parts)
    inputs = Node.port("nodes", rows=count), Port("wind", 3, "m/s"), Port("induced", 3, "m/s, 1/s")
    return Kernel("sections", inputs, (Port("sections", (3, stations), "m, rad, -"),), expr)


def thousands(values: Array) -> tuple[float, str]:
    """What to divide values by for a picture, and the prefix of their unit."""
    return (1e3, "k") if np.abs(values).max(initial=0.0) >= 1e3 else (1.0, "")


def write_disk(found: Disk, name: str, path: Path | str) -> None:
    """Angle of attack and lift over the disk, seen from above, flight to the top; by the suffix PNG, PDF or SVG."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(10, 5), layout="constrained")
    closed = np.append(found.psi, found.psi[0] + 2 * np.pi)
    r = np.vstack([found.r, found.r[:1]])
    psi = np.broadcast_to(closed[:, None], r.shape)
    size, prefix = thousands(found.lift)
    parts = ("angle of attack [deg]", np.degrees(found.alpha)), (f"lift per length [{prefix}N/m]", found.lift / size)
    for axes, (title, values) in zip(figure.subplots(1, 2, subplot_kw={"projection": "polar"}), parts, strict=True):
        axes.set_theta_zero_location("S")  # azimuth zero is over the tail; it grows counter-clockwise
        low, high = np.percentile(values, [SHOWN, 100 - SHOWN])  # reversed flow would take all colours
        levels = MaxNLocator(24, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        drawn = axes.contourf(psi, r, np.vstack([values, values[:1]]), levels, cmap="viridis", extend="both")
        axes.set_rlim(0, found.r.max())
        axes.set_yticklabels([])
        axes.set_title(title, fontsize=10)
        figure.colorbar(drawn, ax=axes, shrink=0.75, ticks=levels[:: -(-len(levels) // 9)])
    figure.suptitle(f"{name}: advancing side to the right, tail below", fontsize=11)
    figure.savefig(path, dpi=110)

"""`motionbase rotor stability tiltrotor`: modes of a proprotor on its wing against airspeed."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motionbase.cli import terminal

if TYPE_CHECKING:
    from motionbase.rotor.stability.whirl import Whirl

COLUMNS = (
    "airspeed [m/s]", "collective [deg]", "least stable", "frequency [rad/s]", "[Hz]", "growth [1/s]", "damping ratio",
)  # fmt: skip


def show_whirl(airspeeds: Sequence[float], plot: Path | None, as_json: bool) -> None:
    """Compute, draw, and print a table or JSON."""
    from motionbase.rotor.models.library import rotor_model
    from motionbase.rotor.stability.whirl import whirl

    rotor = rotor_model("tiltrotor", wing=True, inflow="none")
    title = f"Tiltrotor on its wing, windmilling at {rotor.speed * 30 / math.pi:.0f} rpm"
    with terminal.progress_bar("tiltrotor", "flying the tiltrotor") as show:
        found = whirl(rotor, airspeeds, progress=show)
    if plot is not None:
        from motionbase.rotor.stability.plot import write_stability

        write_stability(found.stability, plot, title, rotor.speed)
    if as_json:
        print(json.dumps(_facts(found), indent=2))
        return
    screen = terminal.console()
    table = terminal.table(title, *COLUMNS, right=tuple(c for c in COLUMNS if c != "least stable"))
    for point, collective in zip(found.stability.points, found.collective, strict=True):
        k = point.worst
        table.add_row(
            f"{point.speed:.1f}", f"{math.degrees(collective):.2f}", point.kinds[k],
            f"{point.frequency[k]:.2f}", f"{point.frequency[k] / math.tau:.2f}", f"{point.growth[k]:+.3f}",
            f"{point.damping_ratio[k]:+.4f}",
        )  # fmt: skip
    screen.print(table)
    zones = ", ".join(f"{a:.1f} to {b:.1f} m/s" for a, b in found.stability.unstable)
    screen.print(f"Unstable: {zones or 'at none of these airspeeds'}.", style="bold")


def _facts(found: "Whirl") -> dict[str, object]:
    return {
        "model": "tiltrotor",
        "unstable_m_s": [list(zone) for zone in found.stability.unstable],
        "airspeeds": [
            {
                "airspeed_m_s": point.speed,
                "collective_deg": math.degrees(collective),
                "torque_n_m": float(torque),
                "modes": [
                    {"kind": kind, "frequency_rad_s": s.imag, "growth_1_s": s.real}
                    for kind, s in zip(point.kinds, point.exponents.tolist(), strict=True)
                ],
            }
            for point, collective, torque in zip(
                found.stability.points, found.collective, found.torque, strict=True
            )
        ],
    }  # fmt: skip

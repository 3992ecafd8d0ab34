"""The Puma's rotor in a wind tunnel: from hover to 60 m/s, then what a revolution of steady flight is made of.

`python examples/12_rotor_in_flight.py FOLDER` saves the plot in the folder. Blades are those of the published multibody
model; the airfoil is our own table and illustrative. Nothing is trimmed here: see `motionbase rotor trim`.
"""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from motionbase.rotor.flight.flying import Flown, Flying
from motionbase.rotor.flight.harmonics import harmonics
from motionbase.rotor.models.library import rotor_model

RISE, HOLD = 3.0, 4.0  # [s]: pitch and airspeed rise, then stay
HOVER = {"collective": math.radians(9.0)}
# 1. Collective and cyclic pitch [rad], speed of the air [m/s], the shaft tilted into it [rad].
CRUISE = {
    "collective": math.radians(11.0), "cyclic_cos": math.radians(2.0), "cyclic_sin": math.radians(-4.5),
    "airspeed": 60.0, "shaft_angle": math.radians(-4.0),
}  # fmt: skip


def settings(t: float) -> dict[str, float]:
    """All of them go to their values together."""
    part = min(1.0, t / RISE)
    return {name: (1 - part) * HOVER.get(name, 0.0) + part * value for name, value in CRUISE.items()}


def draw(flown: Flown, path: Path) -> None:
    """Thrust over time, flapping of the first blade over azimuth in the last revolution."""
    seen, last = flown.observed, slice(-91, None)
    figure = Figure(figsize=(10, 4), layout="constrained")
    thrust, flap = figure.subplots(1, 2)
    thrust.plot(flown.t, seen["air_fz"] / 1e3)
    thrust.set(xlabel="time [s]", ylabel="thrust [kN]", title="from hover to 60 m/s", ylim=(0, None))
    order = np.argsort(seen["azimuth"][last] % math.tau)
    flap.plot(np.rad2deg(seen["azimuth"][last] % math.tau)[order], np.rad2deg(seen["b1_flap"][last])[order])
    flap.set(xlabel="azimuth, 0 over the tail [deg]", ylabel="flap of blade 1 [deg]", title="the last revolution")
    flap.set_xticks(range(0, 361, 90))
    for axes in (thrust, flap):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def main(folder: Path) -> None:
    """Fly, and tell the harmonics."""
    # 2. The rotor with lag and flap about one centre has 211 equations; `puma` has 283, `puma_beams` 763.
    flying = Flying.of(rotor_model("puma_compact"))
    steps = round((RISE + HOLD) / flying.network.step_size)
    flown = flying.fly(steps, settings)
    # 3. The last five revolutions: mean, and harmonics per revolution, of flapping and of what the shaft carries.
    seen, last = flown.observed, slice(-450, None)
    psi = np.unwrap(seen["azimuth"])[last]
    flap = harmonics(np.rad2deg(seen["b1_flap"])[last], psi, highest=4)
    load = harmonics(seen["shaft_fz"][last], psi, highest=8)
    print(f"thrust {seen['air_fz'][last].mean() / 1e3:.1f} kN, power {seen['drive_power'][last].mean() / 1e3:.0f} kW")
    print(f"flapping: coning {flap.mean:.2f} deg, amplitudes of its harmonics", np.round(flap.amplitude, 2).tolist())
    print("axial load on the shaft [N], 1 to 8 per revolution:", np.round(load.amplitude).tolist())
    draw(flown, folder / "rotor_in_flight.png")
    print(f"wrote {folder / 'rotor_in_flight.png'}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as name:
            main(Path(name))

"""A sphere on Mecanum wheels: how the wheels turn it, and the demands of a tumbling host on wheels and stage.

The platform is the preset `atlas`; `motionbase atlas analyse` shows its static analysis. The page is docs/atlas.md.
"""

import math

import numpy as np

from motionbase.compile import compile
from motionbase.platform.atlas.decoupling import Decoupling
from motionbase.platform.atlas.layouts import best_layout
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import load_platform

ATLAS = load_atlas("atlas")
SECONDS, RATE = 30.0, 200


def tumbling() -> dict[str, np.ndarray]:
    """Steady rolling at 30 degrees per second with a surge of 5 cm: two and a half turns, without washout."""
    t = np.arange(0.0, SECONDS, 1 / RATE)
    rate, surge, w = math.radians(30), 0.05, 2 * math.pi / 5
    zero = np.zeros((len(t), 3))
    half = 0.5 * rate * t
    return {
        "p_host": np.stack([surge * np.sin(w * t), 0 * t, 0 * t], axis=1),
        "v_host": np.stack([surge * w * np.cos(w * t), 0 * t, 0 * t], axis=1),
        "a_host": np.stack([-surge * w * w * np.sin(w * t), 0 * t, 0 * t], axis=1),
        "Q_host": np.stack([np.cos(half), np.sin(half), 0 * t, 0 * t], axis=1),
        "omega_W": zero + [rate, 0, 0],
        "alpha_W": zero,
    }


def main() -> None:
    """Jacobian, layouts, and the tumbling with the host's point at the centre and at the pilot's head."""
    print("moment on the sphere for a torque of each wheel:")
    print(np.array_str(ATLAS.J_tau, precision=3, suppress_small=True))
    print(f"J_omega is its transpose to {np.abs(ATLAS.J_omega - ATLAS.J_tau.T).max():.0e}")
    best = best_layout(3, elevation=math.radians(-45))
    print(f"at -45 degrees rollers at {math.degrees(best.roller_angle):.2f} degrees turn it evenly about every axis")

    stage = load_platform(ATLAS.stage)
    reach = np.asarray(stage.limits.position[:3])
    for point in ("centre", "head"):
        found = compile(Decoupling(ATLAS, point).decoupled).map(**tumbling())
        speed = np.abs(found["omega"]).max()
        travel = np.abs(found["p_stage"]).max(axis=0)
        fits = "within" if np.all(travel <= reach) else "beyond"
        print(
            f"{point}: wheels up to {speed:.2f} of {ATLAS.wheels[0].speed_limit:.2f} rad/s, stage up to "
            f"({', '.join(f'{x:.2f}' for x in travel)}) m, {fits} its ({', '.join(f'{x:.2f}' for x in reach)}) m"
        )


if __name__ == "__main__":
    main()

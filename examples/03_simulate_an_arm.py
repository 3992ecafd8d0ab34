"""Simulate an arm: a model in Python, its motion, its conserved quantities, and a plot.

The same from the command line: `motionbase simulate examples/03_simulate_an_arm.py:arm --plot run.png`.
"""

import tempfile
from pathlib import Path

import numpy as np

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import JointDamper
from motionbase.multibody.joints import revolute
from motionbase.multibody.plot import write_plot
from motionbase.multibody.simulate import simulate

DOWN = (0.0, -1.0, 0.0)  # rotation about -y lifts the arm


# 1. A model is data: bodies, and a joint for each. Names identify parts in errors and in files.
def arm(damping: float = 0.0) -> Model:
    """Two slender links of 1 m, hanging from the ground."""
    rod = (0.0, 1 / 12, 1 / 12)  # for 1 kg, about its middle [kg m²]
    upper = Body("upper", mass=1.0, com=(0.5, 0.0, 0.0), inertia=rod, points={"elbow": (1.0, 0.0, 0.0)})
    fore = Body("fore", mass=1.0, com=(0.5, 0.0, 0.0), inertia=rod)
    return Model(
        "arm",
        bodies=(upper, fore),
        joints=(
            Joint("shoulder", GROUND, "upper", revolute(DOWN)),
            Joint("elbow", "upper", "fore", revolute(DOWN), position="elbow"),
        ),
        elements=(JointDamper("grease", "elbow", damping),) if damping else (),
    )


def main() -> None:
    """Let it fall, hold it up, and draw it."""
    # 2. Let it fall from the horizontal. The step is compiled once and runs in a native loop.
    fall = simulate(arm(), duration=5.0, dt=1e-3)
    print(f"fell for {fall.t[-1]:g} s in {fall.steps} steps; energy kept to {fall.energy_drift:.0e}")
    print(
        "ends at "
        + ", ".join(f"{name} = {x:.3f} {unit}" for (name, unit), x in zip(fall.q_names, fall.q[-1], strict=True))
    )

    # 3. An adaptive method takes the steps it needs; dt is then the time between samples.
    careful = simulate(arm(), duration=5.0, dt=0.05, method="dopri5")
    difference = np.abs(careful.q[-1] - fall.q[-1]).max()
    print(f"dopri5 took {careful.steps} steps and ends {difference:.0e} rad away")

    # 4. Stiff damping rules out long explicit steps; an implicit method can take them.
    stiff = simulate(arm(damping=1e4), duration=5.0, dt=0.02, method="rodas3")
    print(f"with a stiff elbow it bends by {np.abs(stiff.column('q.elbow')).max():.4f} rad at most")

    # 5. Forces are inputs: constants, rows, or functions of time. These hold the arm in place.
    g = 9.81
    held = simulate(arm(), duration=1.0, inputs={"tau": [2.0 * g, 0.5 * g]})
    print(f"held up, it moves by {np.abs(held.q).max():.1g} rad")

    # 6. Save it: CSV, Parquet or a plot.
    with tempfile.TemporaryDirectory() as folder:
        fall.write(Path(folder) / "fall.csv")
        write_plot(fall, Path(folder) / "fall.png")
        print("wrote " + ", ".join(sorted(p.name for p in Path(folder).iterdir())))


if __name__ == "__main__":
    main()

"""The handoff of a payload between two arms: accuracy of a closed chain.

The Station's arm swings its elbow, initially with 1.8 rad/s, while it holds the payload, without drives or friction;
the swing shakes the payload and the Shuttle's arm with it. Not every motion is followed so well: of six random motions
of the whole chain that start with 0.6 rad/s, two stay below 3e-7 m; in four the light wrist of the Shuttle's arm
reaches 60 to 160 rad/s when the payload pulls the arm straight, and the gap reaches 3e-6 to 4e-4 m.
"""

import functools

import numpy as np

from benchmarks.harness import Samples, Settings
from motionbase.compile import compile
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.handoff import SRMS_JOINTS, SSRMS_JOINTS
from motionbase.multibody.names import q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.loops import Loops

WELDS = "srms_grapple", "ssrms_grapple"


@functools.cache
def swing(settings: Settings) -> tuple[Trajectory, np.ndarray]:
    """A minute at 1 kHz by RK4 (six seconds in a quick run), and the residuals of both welds: (samples, 2, 6)."""
    example = MODELS["handoff"]
    model = example.build()
    loops = Loops(model, step=1e-3, around=q_of(model, example.q0))
    run = simulate(loops, 6.0 if settings.quick else 60.0, 1e-3, q0=example.q0, v0=example.v0)
    rows = compile(loops.residuals).map(q=run.q, v=run.v)
    return run, np.stack([rows[f"{weld}_residual"] for weld in WELDS], axis=1)


def closure_error(settings: Settings) -> Samples:
    """Largest distance between the two ends of a weld."""
    run, residuals = swing(settings)
    rates = np.abs([run.column(f"v.{name}") for name in (*SRMS_JOINTS, *SSRMS_JOINTS)])
    fastest = rates.max(axis=0)
    angle = np.linalg.norm(residuals[:, :, 3:], axis=2).max()
    note = (
        f"{run.t[-1]:.0f} s, a joint faster than 0.5 rad/s for {np.mean(fastest > 0.5):.0%} of it and up to "
        f"{fastest.max():.1f} rad/s, turned by {angle:.1e} rad at most, energy drift {run.energy_drift:.1e}"
    )
    return Samples((float(np.linalg.norm(residuals[:, :, :3], axis=2).max()),), note)

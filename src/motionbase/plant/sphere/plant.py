"""The plant of a sphere on wheels over one tick: motors drive, wheels grip or slip, sphere and support move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Port, Program, repeat
from motionbase.errors import PlatformError
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.motion import SphereMotion
from motionbase.plant.sphere.rest import UPRIGHT, holding_torque, resting_state
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class SpherePlant:
    """An Atlas platform's sphere, wheels and support, as one program.

    Attributes:
        dt: period of a tick [s]
        substeps: steps of the motion per tick
        ripple: whether the outlines of the rollers are modelled
    """

    atlas: Atlas
    dt: float = 5e-4
    substeps: int = 1
    ripple: bool = True

    def __post_init__(self) -> None:
        if type(self.substeps) is not int or self.substeps < 1:
            raise PlatformError(f"sphere plant: substeps is {self.substeps!r}, a whole number of at least 1 is wanted")
        if not 0 < self.dt < np.inf:
            raise PlatformError(f"sphere plant: dt is {self.dt!r} s, a finite number above 0 is wanted")

    @cached_property
    def motion(self) -> SphereMotion:
        """The motion over one substep."""
        return SphereMotion(self.atlas, self.dt / self.substeps, self.ripple)

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """Q_WS, omega_S, d_C, v_C, psi, omega_wheel."""
        return self.motion.ports.state

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @cached_property
    def step(self) -> Program:
        """(state, tau_motor, a_stage, friction_scale, preload_scale) -> state_next, forces, sliding, load_stage."""
        unit, n = self.motion.step, len(self.state_ports)

        def expr(*given: Expr) -> Any:
            found, held = unit(*given), given[n:]
            return found if self.substeps == 1 else repeat(self.substeps - 1, lambda *x: unit(*x[:n], *held), *found)

        return Program("sphere_plant", unit.inputs, unit.outputs, expr)

    def at_rest(self, Q: ArrayLike = UPRIGHT, preload_scale: ArrayLike = 1.0) -> dict[str, Array]:
        """The state at rest at an orientation, held by `holding_torque`."""
        return resting_state(self.motion, Q, preload_scale)

    def holding_torque(self, Q: ArrayLike = UPRIGHT) -> Array:
        """(n,) least-squares motor torques [N m] that balance an eccentric centre of mass."""
        return holding_torque(self.motion, Q)

    @property
    def quiet(self) -> dict[str, Array]:
        """Inputs without torque, motion of the support or faults."""
        p = self.motion.ports
        return {
            "tau_motor": np.zeros(p.wheels),
            "a_stage": np.zeros(3),
            "friction_scale": np.ones(p.wheels),
            "preload_scale": np.ones(p.rings),
        }

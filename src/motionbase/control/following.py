"""Legs that follow lengths by themselves: the drives or valves of a rig close the loop, the law only says where to be.

The command of such a leg is the rate that is sent with its length, over the largest one. Pressures, spools and forces
are not measured; what the rig monitors itself (following error, overload, limit switches) stops the legs there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.design import LinearLeg, Margins
from motionbase.control.electric_design import LinearDrive
from motionbase.control.leg_control import SPEED_FACTOR, LegControl, drift
from motionbase.control.quantities import SX
from motionbase.control.supply_lines import Lines
from motionbase.control.watchdogs import Watch
from motionbase.errors import PlatformError
from motionbase.platform.hexapod import Hexapod

RATE_PART = 4.0  # a command may change that much faster than the limits of leg acceleration and velocity make it
POWER_LOSS_S = 0.01  # [s] for which legs may lack power
NEVER = 1e9  # [N] force of a stall: none is measured


class Gains(Struct):
    """Parameters of the command."""

    ff_velocity: SX = q("-", text="part of the commanded rate that is sent with the length", start=1.0)


class LegState(Struct):
    """State of a leg's command."""

    command: SX = q("-", text="of the last tick")


@final
@dataclass(frozen=True)
class FollowerControl:
    """Legs that follow lengths, whatever moves them; while they are quiet, they hold where they are."""

    platform: Hexapod
    gains: type[Struct] = Gains
    state: type[Struct] = LegState
    brakes: bool = True
    areas: tuple[float, float] | None = None

    @property
    def designed(self) -> dict[str, float]:
        """Nothing depends on the platform."""
        return {}

    @property
    def thresholds(self) -> dict[str, float]:
        """Of what can be measured: lengths, and the rates made of them."""
        speed_max = SPEED_FACTOR * self.platform.limits.leg_velocity
        known = {"pressure_max": 1.0, "speed_max": speed_max, "supply_time": POWER_LOSS_S, "stall_force": NEVER}
        return known | drift(self.platform)

    @property
    def p_supply(self) -> float:
        """Nominal supply: pressure [Pa], or full power as 1."""
        return self.platform.actuator.p_supply

    @property
    def p_return(self) -> float:
        """Nominal [Pa]."""
        return self.platform.actuator.p_return

    @property
    def command_rate(self) -> float:
        """Largest rate of a command that a sound law gives [1/s]."""
        limits = self.platform.limits
        return RATE_PART * max(limits.leg_acceleration, limits.leg_braking) / limits.leg_velocity

    @property
    def _no_loop(self) -> PlatformError:
        return PlatformError(
            f"platform {self.platform.name!r} on a rig: the rig closes the loops, so there are no margins"
        )

    @property
    def linear(self) -> LinearLeg | LinearDrive:
        """There is nothing here to be linearised."""
        raise self._no_loop

    @property
    def masses(self) -> tuple[float, ...]:
        """Likewise."""
        raise self._no_loop

    def frequency(self, mass: float) -> float:
        """Likewise."""
        raise self._no_loop

    def margins(self, *masses: float, late: float = 0.0) -> Margins:
        """Likewise."""
        raise self._no_loop

    def command(
        self, gains: Any, dt: SX, state: Any, reference: SX, f_ff: SX, quiet: SX, leg: Watch, l_ddot: SX, lines: Lines
    ) -> tuple[Any, SX, SX, SX]:
        """The rate to be sent with the length, over the largest one; there is no feedback here."""
        wanted = gains.ff_velocity * reference[1] / self.platform.limits.leg_velocity
        u_ff = ca.if_else(ca.ne(quiet, 0), 0.0, wanted)
        u = ca.fmin(ca.fmax(u_ff, -1.0), 1.0)
        return LegState(command=u), u, u_ff, ca.SX(0)

    def actuation(self, model: SX, command: SX, quiet: SX, valve_meas: SX, f: SX) -> tuple[SX, SX, SX, SX]:
        """Nothing is known of valve or drive but what the rig says itself."""
        nothing = ca.SX(0)
        return nothing, nothing, nothing, nothing


def follower_control(platform: Hexapod, dt: float) -> LegControl:
    """As `leg_control`, for legs of a rig."""
    return FollowerControl(platform)

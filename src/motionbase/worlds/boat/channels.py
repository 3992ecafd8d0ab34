"""Controls and channels of worlds of kind boat: the same for every vessel, the simple mode too."""

from __future__ import annotations

import math
from collections.abc import Sequence

from motionbase.record.schema import Channel
from motionbase.worlds.world import Control

CONTROLS = (
    Control("throttle", "throttle: ahead and astern", keys=("ArrowDown", "ArrowUp"), axis=1, turned=True, springs=False,
            buttons=(6, 7), seconds=2.0),
    Control("rudder", "rudder: to the left is positive", keys=("ArrowRight", "ArrowLeft"), axis=0, turned=True),
)  # fmt: skip

CHANNELS = (
    Channel("control_throttle", "-", "throttle, 1 full ahead", "controls"),
    Channel("control_rudder", "-", "rudder, 1 full to the left", "controls"),
    Channel("boat_speed", "m/s", "speed ahead through the water", "boat"),
    Channel("boat_heading", "rad", "heading, from x towards y", "boat"),
    Channel("boat_rudder", "rad", "angle of rudder or outboard, positive for a turn to the left", "boat"),
    Channel("boat_engine", "-", "revolutions over those of full ahead, mean of the propellers", "boat"),
    Channel("boat_propeller", "rad", "angle of the (left) propeller", "boat"),
    Channel("boat_thrust", "N", "thrust of all propellers", "boat"),
    Channel("boat_water", "m", "height of the water at the boat over still water", "boat"),
    Channel("boat_wet", "-", "wet area of the hull over that at rest; 0: out of the water", "boat"),
    Channel("boat_lift", "-", "lift of the planing bottom over the weight", "boat"),
    Channel("boat_contact", "N", "force of what touches the hull", "boat"),
    Channel("boat_buoy", "-", "number of the buoy that is farthest from its place; 0: all are in place", "boat"),
    Channel("boat_buoy_x", "m", "how far it has been pushed along x of the world", "boat"),
    Channel("boat_buoy_y", "m", "and along y", "boat"),
    Channel("sea_progress", "-", "of the simple mode: the number that moves the waves, 0 to 500 in a loop", "boat"),
)


def throttle_and_rudder(controls: Sequence[float]) -> tuple[float, float]:
    """Both controls, limited to -1 to 1; a value that is not finite counts as 0."""
    throttle, rudder = (max(-1.0, min(1.0, c)) if math.isfinite(c) else 0.0 for c in controls)
    return throttle, rudder

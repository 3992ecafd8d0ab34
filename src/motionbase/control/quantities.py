"""Quantities for the control law's functions: expressions with their unit, for annotations."""

from typing import Annotated, TypeAlias

import casadi as ca

from motionbase.compile import q
from motionbase.compile.struct import MIXED

SX: TypeAlias = ca.SX
Flag = Annotated[SX, q("-")]  # 0 or 1; an input other than 0 counts as 1
Number = Annotated[SX, q("-")]
ValveCommand = Annotated[SX, q("-"), "valve_cmd"]  # valve or drive command, -1 to 1, positive extends
FeedForward = Annotated[SX, q("-"), "u_ff"]  # part of it, before limits
Feedback = Annotated[SX, q("-"), "u_fb"]  # part of it, before limits
Seconds = Annotated[SX, q("s")]
Metres = Annotated[SX, q("m")]
Speed = Annotated[SX, q("m/s")]
Acceleration = Annotated[SX, q("m/s^2")]
Newtons = Annotated[SX, q("N")]
Pascals = Annotated[SX, q("Pa")]
PerSecond = Annotated[SX, q("rad/s")]
Some = Annotated[SX, q(MIXED)]  # of a degree of freedom or a leg
Six = Annotated[SX, q(MIXED, 6)]
SixFlags = Annotated[SX, q("-", 6)]
SixMetres = Annotated[SX, q("m", 6)]
Motion = Annotated[SX, q(MIXED, 3)]  # position, velocity, acceleration of an axis
Motions = Annotated[SX, q(MIXED, (6, 3))]  # of the degrees of freedom, or of the legs
Axes = Annotated[SX, q(MIXED, (12, 3))]  # of the degrees of freedom, then additions to the legs
Frame = Annotated[SX, q(MIXED, (3, 6))]  # positions, velocities, accelerations of the degrees of freedom

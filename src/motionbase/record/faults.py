"""Faults and warnings: their numbers in the record, a sentence for each, and what each of them forbids."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class Fault(IntEnum):
    """Why the motion base stopped; if several occur in one tick, the smallest number counts."""

    NONE = 0
    ESTOP = 1
    MEASUREMENT = 2
    VALVE = 3
    LEG_VELOCITY = 4
    TRACKING = 5
    SUPPLY = 6
    PRESSURE = 7
    LIMIT_CONTACT = 8
    KINEMATICS = 9
    TIMEOUT = 10
    OPERATOR_ABORT = 11
    BLIND = 12
    GUARD_NUMBER = 13
    GUARD_BOUNDS = 14
    GUARD_RATE = 15
    GUARD_LATE = 16
    GUARD_SPHERE = 17

    @property
    def sentence(self) -> str:
        """Explanation for users."""
        return SENTENCES[self]


SENTENCES = {
    Fault.NONE: "no fault",
    Fault.ESTOP: "the emergency stop acts",
    Fault.MEASUREMENT: "the measured length or rate of a leg is no number, out of range, frozen or contradicted",
    Fault.VALVE: "the valve or the drive of a leg does not do what it was told",
    Fault.LEG_VELOCITY: "a leg is faster than it may be",
    Fault.TRACKING: "a leg does not follow its command and may be seized",
    Fault.SUPPLY: "the supply pressure, or the power of the drives, is too low",
    Fault.PRESSURE: "a measured pressure is no number, out of range or contradicts the measured force",
    Fault.LIMIT_CONTACT: "a leg is at its hard end",
    Fault.KINEMATICS: "no pose of the platform has the measured leg lengths",
    Fault.TIMEOUT: "a change of state takes too long",
    Fault.OPERATOR_ABORT: "the operator asked for an abort",
    Fault.BLIND: "neither the length nor the rate of a leg can be believed",
    Fault.GUARD_NUMBER: "the guard stopped the law: a command, a code or an estimate of it is no finite number",
    Fault.GUARD_BOUNDS: "the guard stopped the law: a command is beyond what the legs may be told",
    Fault.GUARD_RATE: "the guard stopped the law: a command changes faster than valve or drive can follow",
    Fault.GUARD_LATE: "the guard stopped the law: it did not answer in time",
    Fault.GUARD_SPHERE: "the guard stopped the sphere's law: torques that its motors may not be told",
}
GUARDED = frozenset(f for f in Fault if f.name.startswith("GUARD"))
"""Faults of the law itself, detected by the guard (`control/guard.py`): the legs are held whatever the law commands."""
BLOCKING = frozenset({Fault.BLIND, Fault.VALVE, Fault.LEG_VELOCITY, Fault.TRACKING, Fault.SUPPLY})
"""Faults that make a controlled descent impossible: the legs are stopped and held."""
SHUTTING = frozenset({Fault.VALVE, Fault.LEG_VELOCITY, Fault.SUPPLY})
"""Faults for which a closed command does not hold the leg: the hardware must shut the valves off (output `abort`)."""


class WarningBit(IntFlag):
    """Bits for conditions that are abnormal but do not stop the base."""

    HOST_SILENT = 1  # host mode, and no frame for longer than the horizon
    FRAME_REFUSED = 2  # the newest host frame holds a NaN or is far beyond the limits
    DOF_LIMIT = 4  # limits keep a degree of freedom more than a thousandth of its range from its demand
    LEG_LIMIT = 8  # limits keep a leg as far from its demand
    DEMAND_OUTSIDE = 16  # host mode, and the host asks for more than the limits allow
    GYROS_WRONG = 32  # the rate gyros contradict the leg rates and are no longer used


class SphereWarningBit(IntFlag):
    """Bits of a sphere on wheels, above those of its stage."""

    SPHERE_SLIPS = 64
    SPHERE_HAS_LOST_TRACTION = 128
    SPHERE_MOTOR_AT_ITS_LIMIT = 256


class ModelFault(IntEnum):
    """Why the brakes of a multibody model in real time closed; if several occur in one tick, the smallest counts."""

    NONE = 0
    ESTOP = 1
    UNSOLVED = 2
    CONTROLLER_SILENT = 3
    OPERATOR_ABORT = 4

    @property
    def sentence(self) -> str:
        """Explanation for users."""
        return MODEL_SENTENCES[self]


MODEL_SENTENCES = {
    ModelFault.NONE: "no fault",
    ModelFault.ESTOP: "the emergency stop acts",
    ModelFault.UNSOLVED: "a step was not solved, nor were shorter ones; the model waits at its last good state",
    ModelFault.CONTROLLER_SILENT: "no answers from the controller for longer than the time it has",
    ModelFault.OPERATOR_ABORT: "the operator asked for an abort",
}


class ModelWarningBit(IntFlag):
    """Bits of a multibody model in real time that do not stop it."""

    TORQUE_LIMIT = 1  # a joint's torque was cut to what its drive has
    GROWTH = 2  # pivots of the step grew beyond the alarm: its order of elimination suits another place
    STEP_REPEATED = 4  # the last step was not solved and is tried again
    TAIL_SILENT = 8  # the tail rotor's process tells no thrust; a thrust as asked for acts instead


def words(code: IntEnum | IntFlag) -> str:
    """Name of a code as shown to users: `leg velocity`."""
    return (code.name or "").lower().replace("_", " ")


FAULTS = tuple(f"{words(f)}: {f.sentence}" for f in Fault)  # as stored in the schema
WARNINGS = tuple(map(words, WarningBit))
MODEL_FAULTS = tuple(f"{words(f)}: {f.sentence}" for f in ModelFault)
MODEL_WARNINGS = tuple(map(words, ModelWarningBit))
SPHERE_WARNINGS = tuple(map(words, SphereWarningBit))

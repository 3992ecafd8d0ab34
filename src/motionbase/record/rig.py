"""States, faults and orders of the actuators of a real machine: words that every backend and every viewer shares."""

from enum import IntEnum


class LegState(IntEnum):
    """Activity of the actuator of one leg."""

    OFF = 0  # without power: valve shut, brake closed or drive disabled
    STARTING = 1  # being switched on
    UNHOMED = 2  # holds, but its length is unknown: nothing but homing may move it
    HOMING = 3  # looking for its reference
    READY = 4  # holds its length and follows nothing
    FOLLOWING = 5  # follows the demand
    STOPPING = 6  # on its way to a stop by the fastest means that still controls it
    FAULT = 7  # latched: holds or is without power until a reset


class RigFault(IntEnum):
    """Why an actuator stopped; if several occur at once, the smallest counts."""

    NONE = 0
    EMERGENCY_STOP = 1  # somebody asked for it
    SILENT_LAW = 2  # demands have ceased
    SILENT_LEG = 3  # a drive or a sensor does not answer
    STALE = 4  # the newest measurement is too old
    DEMAND = 5  # the demand is no number, outside the range, or jumps
    SENSOR = 6  # a reading is outside what its sensor can give
    FOLLOWING_ERROR = 7  # the leg is too far from its demand
    LIMIT_SWITCH = 8
    OVERLOAD = 9  # too much current or pressure
    TEMPERATURE = 10  # of motor, drive or oil
    SUPPLY = 11  # too little voltage, oil or pressure
    HOMING = 12  # the reference was not found
    DEVICE = 13  # anything else; the device's own code tells more


class Order(IntEnum):
    """What an operator asks of all actuators at once."""

    NONE = 0
    ENABLE = 1  # switch on; they hold
    HOME = 2  # find the references
    DISABLE = 3  # switch off, once they stand
    RESET = 4  # acknowledge a fault; nothing moves by it


class Silence(IntEnum):
    """What actuators do by themselves when demands cease."""

    HOLDS = 0  # stay where they are, under control or shut in
    STOPS = 1  # brake under control, then hold
    DROPS = 2  # lose power: brakes or check valves hold, or nothing does

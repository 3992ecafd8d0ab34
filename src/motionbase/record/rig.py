"""States, faults and orders of the actuators of a real machine: words that every backend and every viewer shares."""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache

from motionbase.record.axes import LEGS
from motionbase.record.schema import Channel, Schema


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

    @property
    def word(self) -> str:
        """Its name for users."""
        return self.name.lower().replace("_", " ")

    @property
    def sentence(self) -> str:
        """Explanation for users."""
        return WHY_STOPPED[self]


WHY_STOPPED = {
    RigFault.NONE: "no fault",
    RigFault.EMERGENCY_STOP: "somebody asked for a stop",
    RigFault.SILENT_LAW: "demands of the control law have ceased",
    RigFault.SILENT_LEG: "a drive or a sensor does not answer",
    RigFault.STALE: "the newest measurement is too old",
    RigFault.DEMAND: "the demand is no number, outside the range, or jumps",
    RigFault.SENSOR: "a reading is outside what the sensor can give",
    RigFault.FOLLOWING_ERROR: "the leg is too far from its demand",
    RigFault.LIMIT_SWITCH: "the leg has met a limit switch",
    RigFault.OVERLOAD: "too much current or pressure",
    RigFault.TEMPERATURE: "motor, drive or oil is too hot",
    RigFault.SUPPLY: "too little voltage, oil or pressure",
    RigFault.HOMING: "the reference was not found",
    RigFault.DEVICE: "a fault of the device's own",
}


def device_code(code: float) -> str:
    """A device's own code as its maker writes it: in hexadecimal for drives on a bus; those of drivers are negative."""
    return f"{int(code):#06x}" if code > 0 else f"{int(code)}"


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


class StopCause(IntEnum):
    """Who asked a rig to stop, beside its own faults and the law."""

    NONE = 0
    GUARD = 1
    OVERSEER_SILENT = 2
    READING = 3
    SPEED = 4
    RANGE = 5
    UNASKED = 6
    AWAY = 7
    SILENT = 8
    BLIND = 9

    @property
    def sentence(self) -> str:
        """Explanation for users."""
        return CAUSES[self]


CAUSES = {
    StopCause.NONE: "nobody",
    StopCause.GUARD: "the guard stopped the law",
    StopCause.OVERSEER_SILENT: "the overseer has died or hangs",
    StopCause.READING: "the overseer reads another length of a leg than the rig tells",
    StopCause.SPEED: "the overseer reads a leg that is faster than it may be",
    StopCause.RANGE: "the overseer reads a leg that is outside its range",
    StopCause.UNASKED: "the overseer reads a leg that moves though nothing should",
    StopCause.AWAY: "the overseer reads a leg that is far from its demand",
    StopCause.SILENT: "the overseer hears nothing from the process that moves the legs",
    StopCause.BLIND: "the overseer has no new reading of the legs",
}


GROUPS = {"rig_l": "rig_length"}  # others have the names of their channels


def _of_legs(name: str, unit: str, text: str, codes: type[IntEnum] | None = None) -> Iterator[Channel]:
    for leg in LEGS:
        about = f"leg {leg}: {text}"
        words = None if codes is None else _words(codes)
        yield Channel(f"leg{leg}_{name}", unit, about, GROUPS.get(name, name), leg=leg, codes=words)


def _words(codes: type[IntEnum]) -> tuple[str, ...]:
    return tuple(code.name.lower().replace("_", " ") for code in codes)


RIG = (
    *_of_legs("rig_l", "m", "length as the rig read it last"),
    *_of_legs("rig_state", "-", "state of its actuator", LegState),
    *_of_legs("rig_fault", "-", "why its actuator stopped, latched", RigFault),
    *_of_legs("rig_code", "-", "the device's own code of this fault"),
    Channel("rig_measured", "s", "time of the oldest of these lengths, on the clock of the rig", "rig_timing"),
    Channel("rig_delay", "s", "age of the lengths when the rig's process handed them to the law", "rig_timing"),
    Channel("rig_latency", "s", "from the measurement of lengths to the command that was made of them", "rig_timing"),
    Channel("rig_lateness", "s", "start of the rig's cycle behind its due time", "rig_timing"),
    Channel("rig_compute", "s", "duration of the rig's cycle before", "rig_timing"),
    Channel("rig_cycles", "-", "cycles of the rig since its process started", "rig_timing"),
    Channel("rig_stop", "-", "who asked the rig to stop", "rig_stop", codes=tuple(c.sentence for c in StopCause)),
    Channel(
        "power_supply", "Pa", "supply pressure; without a unit that tells, the platform's nominal one", "power_unit"
    ),
    Channel("power_return", "Pa", "return pressure", "power_unit"),
    Channel("power_oil", "K", "temperature of the oil, 0 if it is not measured", "power_unit"),
    Channel("power_fault", "-", "fault of the hydraulic power unit", "power_unit", codes=_words(RigFault)),
)
"""What the process of a rig tells in every cycle, in this order."""
RIG_PLACES = {channel.name: place for place, channel in enumerate(RIG)}
RIG_AGE = Channel("rig_age", "s", "age of the lengths that the law used", "rig_age")


@cache
def rigged_schema(base: Schema) -> Schema:
    """The record of a base on a rig: also the channels of the rig."""
    return Schema(base.name, (*base.channels, *RIG, RIG_AGE))

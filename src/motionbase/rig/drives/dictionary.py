"""The object dictionary of a simulated drive, and its server for expedited transfers."""

from __future__ import annotations

from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.canopen import Transfer
from motionbase.rig.drives.profile import Object

_CAN = {  # with the values after power-up, as in what follows
    profile.CONSUMER_HEARTBEAT: 0, profile.PRODUCER_HEARTBEAT: 0,
    profile.RECEIVE_PDO: canopen.DISABLED, profile.RECEIVE_PDO_TYPE: 255,
    profile.TRANSMIT_PDO: canopen.DISABLED, profile.TRANSMIT_PDO_TYPE: 255,
}  # fmt: skip
_ETHERCAT = dict.fromkeys((*profile.RECEIVE_ASSIGN, *profile.TRANSMIT_ASSIGN), 0)
_PROFILE = {
    **dict.fromkeys((*profile.RECEIVE_MAP, *profile.TRANSMIT_MAP), 0),
    profile.ABORT_CONNECTION_OPTION: 1, profile.CONTROLWORD: 0, profile.QUICK_STOP_OPTION: 2,
    profile.FAULT_REACTION_OPTION: 2, profile.MODE: 0, profile.FOLLOWING_WINDOW: 2**32 - 1, profile.FOLLOWING_TIME: 0,
    profile.TARGET_POSITION: 0, profile.HOME_OFFSET: 0,
    profile.LEAST_POSITION: -(2**31), profile.MOST_POSITION: 2**31 - 1, profile.QUICK_STOP_DECELERATION: 1,
    profile.HOMING_METHOD: 0, profile.HOMING_FAST: 1, profile.HOMING_SLOW: 1, profile.HOMING_ACCELERATION: 1,
    profile.INTERPOLATION_TIME: 1, profile.INTERPOLATION_EXPONENT: -3,
}  # fmt: skip
_READ_ONLY = {
    profile.DEVICE_TYPE: 0x0002_0192, profile.ERROR_CODE: 0, profile.STATUSWORD: 0, profile.MODE_DISPLAY: 0,
    profile.ACTUAL_POSITION: 0,
}  # fmt: skip
CAN_DRIVE = {**_CAN, **_PROFILE, **_READ_ONLY}
ETHERCAT_DRIVE = {**_ETHERCAT, **_PROFILE, **_READ_ONLY}
ENTRIES = {(entry.number, entry.sub): entry for entry in (*CAN_DRIVE, *ETHERCAT_DRIVE)}


def served(values: dict[Object, int], request: Transfer) -> Transfer:
    """The answer to a request, which may change a value."""
    entry = ENTRIES.get((request.number, request.sub))
    if request.abort or entry not in values:
        return request._replace(abort=request.abort or canopen.NO_OBJECT)
    if not request.is_write:
        return request._replace(data=canopen.packed(entry, values[entry]))
    value = canopen.unpacked(entry, request.data)
    if entry in _READ_ONLY or value is None:
        return request._replace(abort=canopen.READ_ONLY if entry in _READ_ONLY else canopen.BAD_LENGTH)
    values[entry] = value
    return request


def mapping(values: dict[Object, int], places: tuple[Object, ...]) -> tuple[Object, ...]:
    """The objects that a PDO holds; those that do not exist are left out."""
    wanted = (values[place] for place in places[1 : 1 + values[places[0]]])
    found = (ENTRIES.get((w >> 16, w >> 8 & 0xFF)) for w in wanted)
    return tuple(entry for entry in found if entry is not None)

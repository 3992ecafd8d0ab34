"""What a master writes into each drive before it uses it, in this order."""

from __future__ import annotations

import struct

from motionbase.errors import UsageError
from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.setup import Axis, Setup

HEARTBEAT_TIME = 0.1  # of the drives; in a cycle their positions show sooner that they live
QUICK_STOP_AND_HOLD, QUICK_STOP_RAMP, QUICK_STOP = 6, 2, 3  # for 605Ah, 605Eh, 6007h
ON_EVERY_SYNC = 1
MARGIN = 1e-3  # of the drive's own limits around where a leg may come to rest [m]


Values = dict[tuple[Object, int], int]  # of objects; the number tells apart repeated writes of one object


def settings(axis: Axis, setup: Setup) -> Values:
    """For a drive on CAN."""
    heartbeats = {
        profile.CONSUMER_HEARTBEAT: canopen.MASTER << 16 | round(1e3 * setup.watchdog),
        profile.PRODUCER_HEARTBEAT: round(1e3 * HEARTBEAT_TIME),
    }
    return _checked(axis, {
        **_pdo(profile.RECEIVE_PDO, profile.RECEIVE_PDO_TYPE, profile.RECEIVE_MAP, canopen.RECEIVE_PDO1 + axis.node,
               (profile.CONTROLWORD, profile.TARGET_POSITION)),
        **_pdo(profile.TRANSMIT_PDO, profile.TRANSMIT_PDO_TYPE, profile.TRANSMIT_MAP, canopen.TRANSMIT_PDO1 + axis.node,
               (profile.STATUSWORD, profile.ACTUAL_POSITION)),
        **{(entry, 0): value for entry, value in (heartbeats | _behaviour(axis, setup)).items()},
    })  # fmt: skip


def ethercat_settings(axis: Axis, setup: Setup) -> Values:
    """For a drive on EtherCAT; the error code comes with every position, as emergencies come by the slow mailbox."""
    received = profile.CONTROLWORD, profile.TARGET_POSITION
    sent = profile.STATUSWORD, profile.ACTUAL_POSITION, profile.ERROR_CODE
    return _checked(axis, {
        **_assigned(profile.RECEIVE_ASSIGN, profile.RECEIVE_MAP, received),
        **_assigned(profile.TRANSMIT_ASSIGN, profile.TRANSMIT_MAP, sent),
        **{(entry, 0): value for entry, value in _behaviour(axis, setup).items()},
    })  # fmt: skip


def _assigned(assign: tuple[Object, ...], mapping: tuple[Object, ...], entries: tuple[Object, ...]) -> Values:
    """A PDO belongs to no sync manager while its contents change (ETG.1000.6)."""
    return {
        (assign[0], 0): 0,
        (mapping[0], 0): 0,
        **{(place, 0): canopen.mapped(entry) for place, entry in zip(mapping[1:], entries, strict=False)},
        (mapping[0], 1): len(entries),
        (assign[1], 0): mapping[0].number,
        (assign[0], 1): 1,
    }


def _checked(axis: Axis, values: Values) -> Values:
    for (entry, _), value in values.items():
        try:
            canopen.packed(entry, value)
        except struct.error:
            raise UsageError(f"drive {axis.node}: {entry.words} would be {value}, which it cannot hold") from None
    return values


def _pdo(
    identifier: Object, kind: Object, mapping: tuple[Object, ...], cob: int, entries: tuple[Object, Object]
) -> Values:
    """A PDO is switched off while its contents change (CiA 301)."""
    return {
        (identifier, 0): canopen.DISABLED | cob,
        (mapping[0], 0): 0,
        **{(place, 0): canopen.mapped(entry) for place, entry in zip(mapping[1:], entries, strict=False)},
        (mapping[0], 1): len(entries),
        (kind, 0): ON_EVERY_SYNC,
        (identifier, 1): cob,
    }


def _behaviour(axis: Axis, setup: Setup) -> dict[Object, int]:
    """What the profile says, on any bus."""
    leg = setup.axes.index(axis)
    return {
        profile.ABORT_CONNECTION_OPTION: QUICK_STOP,
        profile.QUICK_STOP_OPTION: QUICK_STOP_AND_HOLD,
        profile.FAULT_REACTION_OPTION: QUICK_STOP_RAMP,
        profile.QUICK_STOP_DECELERATION: axis.magnitude(setup.deceleration),
        profile.FOLLOWING_WINDOW: axis.magnitude(setup.following),
        profile.FOLLOWING_TIME: round(1e3 * setup.following_time),
        profile.INTERPOLATION_TIME: round(1e3 * setup.period),
        profile.INTERPOLATION_EXPONENT: -3,
        profile.HOMING_METHOD: setup.homing_method,
        profile.HOMING_FAST: axis.magnitude(setup.homing_fast),
        profile.HOMING_SLOW: axis.magnitude(setup.homing_slow),
        profile.HOMING_ACCELERATION: axis.magnitude(setup.homing_acceleration),
        profile.HOME_OFFSET: 0,
    } | _limits(axis, setup, float(setup.least[leg]), float(setup.most[leg]))


def _limits(axis: Axis, setup: Setup, least: float, most: float) -> dict[Object, int]:
    """Around the reference and where a stop may carry a leg, as a drive would pull it inside when it is enabled."""
    beyond = setup.speed**2 / (2 * setup.deceleration) + MARGIN
    ends = axis.increments(min(least, axis.home) - beyond), axis.increments(max(most, axis.home) + beyond)
    return {profile.LEAST_POSITION: min(ends), profile.MOST_POSITION: max(ends)}

"""Frames of CANopen: bytes as in the standard's tables, and any bytes from outside."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.rig.drives import canopen, dictionary, profile
from motionbase.rig.drives.canopen import Manage, Network, Transfer
from tests.tier import often


def test_frames_as_in_the_standard() -> None:
    assert canopen.manage(Manage.START, 5) == (0x000, bytes.fromhex("0105"))
    assert canopen.heartbeat(5, Network.OPERATIONAL) == (0x705, b"\x05")
    assert canopen.emergency(5, 0x8130, 0x11) == (0x085, bytes.fromhex("3081110000000000"))
    assert canopen.write_request(5, profile.MODE, 8) == (0x605, bytes.fromhex("2f60600008000000"))
    assert canopen.write_request(5, profile.QUICK_STOP_OPTION, -1) == (0x605, bytes.fromhex("2b5a6000ffff0000"))
    assert canopen.write_request(5, profile.HOME_OFFSET, 1) == (0x605, bytes.fromhex("237c600001000000"))
    assert canopen.read_request(5, profile.HOMING_SLOW) == (0x605, bytes.fromhex("4099600200000000"))
    assert canopen.answer(5, Transfer(0x6060, 0, True)) == (0x585, bytes.fromhex("6060600000000000"))
    refusal = Transfer(0x6060, 0, True, abort=canopen.NO_OBJECT)
    assert canopen.answer(5, refusal) == (0x585, bytes.fromhex("8060600000000206"))
    assert canopen.mapped(profile.TARGET_POSITION) == 0x607A0020


@pytest.mark.parametrize("entry", list(dictionary.CAN_DRIVE), ids=lambda entry: entry.words)
def test_every_object_can_be_read_and_what_is_writable_set(entry: profile.Object) -> None:
    values = dict(dictionary.CAN_DRIVE)
    read = canopen.request_of(canopen.read_request(1, entry).data)
    assert read is not None
    reply = canopen.answer_of(canopen.answer(1, dictionary.served(values, read)).data)
    assert reply is not None and canopen.unpacked(entry, reply.data) == values[entry]
    write = canopen.request_of(canopen.write_request(1, entry, 7).data)
    assert write is not None
    confirmed = dictionary.served(values, write)
    assert values[entry] == 7 or confirmed.abort == canopen.READ_ONLY


@pytest.mark.parametrize(
    "request_,abort",
    [
        (Transfer(0x2000, 0, False), canopen.NO_OBJECT),
        (Transfer(0x6060, 1, False), canopen.NO_OBJECT),
        (Transfer(0x6064, 0, True, b"\1\2\3\4"), canopen.READ_ONLY),
        (Transfer(0x6060, 0, True, b"\1\2"), canopen.BAD_LENGTH),
        (Transfer(0x6060, 0, False, abort=canopen.BAD_COMMAND), canopen.BAD_COMMAND),
    ],
)
def test_refused_transfers(request_: Transfer, abort: int) -> None:
    values = dict(dictionary.CAN_DRIVE)
    assert dictionary.served(values, request_).abort == abort
    assert values == dict(dictionary.CAN_DRIVE)


@given(st.binary(max_size=8))
@settings(max_examples=often(300), deadline=None)
def test_any_bytes_are_a_transfer_or_none(data: bytes) -> None:
    for transfer in (canopen.request_of(data), canopen.answer_of(data)):
        assert transfer is None or len(transfer.data) <= 4
    code = canopen.emergency_code(data)
    assert code is None or 0 <= code < 1 << 16

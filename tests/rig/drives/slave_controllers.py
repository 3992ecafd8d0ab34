"""A line of EtherCAT slave controllers in software, with a simulated drive in each, behind a network interface.

    python -m tests.rig.drives.slave_controllers INTERFACE PERIOD

It answers the frames of a real master: commands of datagrams, registers, EEPROM, mailboxes with CoE, process data
through FMMUs (ETG.1000.4 and ETG.1000.6), as far as SOEM uses them. Lines on the standard input change the world:
`cut K`, `mend`, `heat K`, `cool K`, `leave K`, `restart K`.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
import time

import numpy as np

from motionbase.rig.drives import canopen, dictionary
from tests.rig.drives.bench import setup
from tests.rig.drives.fake_pysoem import OP, PREOP, SAFEOP, Device, SafeOutputs, Wires

ETHERTYPE, HEADER = 0x88A4, 16  # of Ethernet and EtherCAT together
APRD, APWR, APRW, FPRD, FPWR, FPRW, BRD, BWR, BRW, LRD, LWR, LRW, ARMW, FRMW = range(1, 15)
READS, WRITES, BOTH = (APRD, FPRD, BRD), (APWR, FPWR, BWR), (APRW, FPRW, BRW)
STATION, DL_STATUS, AL_CONTROL, AL_STATUS, AL_CODE = 0x010, 0x110, 0x120, 0x130, 0x134
WATCHDOG, EEPROM, EEPROM_DATA, FMMU, SYNC_MANAGER = 0x420, 0x502, 0x508, 0x600, 0x800
SYSTEM_TIME, SYNC0_TIME = 0x910, 0x9A0
MAILBOX, OUT, IN = 128, 0x1100, 0x1180  # bytes; addresses of process data
MANAGERS = ((0x1000, MAILBOX, 0x26, 1), (0x1080, MAILBOX, 0x22, 2), (OUT, 6, 0x64, 3), (IN, 8, 0x20, 4))
FULL, IN_STATUS = 0x08, SYNC_MANAGER + 8 + 5  # of the mailbox to the master
COE, EMERGENCY, REQUEST, RESPONSE = 3, 1, 2, 3  # type of a mailbox, services
KINDS = 0x1C00  # object: what each sync manager is for


def eeprom(position: int) -> bytes:
    """Identity, mailboxes and sync managers, as a slave tells its master."""
    words = bytearray(0x80)
    for word, value in ((0x08, 0x1234), (0x0A, 0x402), (0x0C, 1), (0x0E, position)):
        struct.pack_into("<I", words, 2 * word, value)
    struct.pack_into("<5H", words, 2 * 0x18, 0x1000, MAILBOX, 0x1080, MAILBOX, 1 << 2)
    struct.pack_into("<2H", words, 2 * 0x3E, 0x0F, 1)
    general = bytearray(32)
    general[3], general[5] = 1, 0x0F  # number of the name; CoE with SDO, information, assignment and configuration
    managers = b"".join(struct.pack("<HHBBBB", a, n, control, 0, 1, kind) for a, n, control, kind in MANAGERS)
    categories = ((10, b"\x01\x05drive"), (30, bytes(general)), (40, b"\x01\x02"), (41, managers))
    for kind, data in categories:
        padded = data + bytes(len(data) % 2)
        words += struct.pack("<HH", kind, len(padded) // 2) + padded
    return bytes(words) + b"\xff\xff"


class Controller:
    """A slave controller; its application is a `Device`."""

    def __init__(self, device: Device, position: int, is_last: bool) -> None:
        self.device, self._eeprom, self._is_last = device, eeprom(position), is_last
        self.power_up()

    def power_up(self) -> None:
        self._memory, self._count = bytearray(0x2000), 0
        self._memory[0:9] = bytes((0x11, 0, 0, 0, 8, 8, 8, 0x0F, 0x0C))  # 8 FMMUs, 8 sync managers, a clock
        self._put(0x400, "H", 2498)
        self._put(WATCHDOG, "H", 1000)
        self._put(DL_STATUS, "H", 0x5211 | (0x0400 if self._is_last else 0x0820))  # which ports have a link

    @property
    def station(self) -> int:
        return self._get(STATION, "H")

    def read(self, address: int, size: int) -> bytes | None:
        """Bytes from registers or memory; None if a mailbox is empty."""
        self._put(AL_STATUS, "H", self.device.state)
        self._put(AL_CODE, "H", self.device.code)
        self._put(SYSTEM_TIME, "Q", time.time_ns())
        mailbox = self._get(SYNC_MANAGER + 8, "H")
        if address == IN_STATUS and not self._memory[IN_STATUS] & FULL and self.device.mailbox:
            code, register = self.device.mailbox.popleft()
            self._reply(EMERGENCY, struct.pack("<HB5x", code, register))
        data = bytes(self._memory[address : address + size])
        if mailbox and address == mailbox:
            if not self._memory[IN_STATUS] & FULL:
                return None
            self._memory[IN_STATUS] &= ~FULL
        return data

    def write(self, address: int, data: bytes) -> bool:
        """Bytes to registers or memory; whether they were taken."""
        mailbox, end = self._get(SYNC_MANAGER, "H"), address + len(data)
        is_mail = mailbox != 0 and address == mailbox
        if is_mail and self.device.state & 15 < PREOP:
            return False
        self._memory[address:end] = data
        if is_mail:
            self._mail(data)
        if address <= AL_CONTROL < end:
            self.device.request(self._get(AL_CONTROL, "H"))
        if address <= EEPROM < end:
            self._serve_eeprom()
        if address == WATCHDOG:
            self.device.watchdog = 1e-4 * self._get(WATCHDOG, "H")
        if address == SYNC0_TIME:
            self.device.sync0 = self._get(SYNC0_TIME, "I")
        return True

    def logical(self, command: int, address: int, data: bytearray) -> int:
        """Process data pass; what is added to the working counter."""
        if self.device.state & 15 not in (SAFEOP, OP):
            return 0
        wrote = read = False
        for begin, size, place, kind in self._windows(address, len(data)):
            if kind & 2 and command in (LWR, LRW):
                self._memory[place : place + size] = data[begin : begin + size]
                wrote = True
        _, given = self.device.frame(bytes(self._memory[OUT : OUT + 6]), SafeOutputs.TAKEN)
        self._memory[IN : IN + 8] = (given or b"").ljust(8, b"\0")
        for begin, size, place, kind in self._windows(address, len(data)):
            if kind & 1 and command in (LRD, LRW):
                data[begin : begin + size] = self._memory[place : place + size]
                read = True
        return (2 if command == LRW else 1) * wrote + read

    def _windows(self, address: int, size: int) -> list[tuple[int, int, int, int]]:
        """Of FMMUs in a datagram: where in it, bytes, where in the memory, 1 to read and 2 to write."""
        found = []
        for k in range(8):
            start, length, _, _, place, _, kind, active = struct.unpack_from("<IHBBHBBB", self._memory, FMMU + 16 * k)
            low, high = max(start, address), min(start + length, address + size)
            if active and low < high:
                found.append((low - address, high - low, place + low - start, kind))
        return found

    def _serve_eeprom(self) -> None:
        if self._get(EEPROM, "H") & 0x0700 == 0x0100:  # read
            at = 2 * self._get(EEPROM + 2, "I")
            self._memory[EEPROM_DATA : EEPROM_DATA + 8] = self._eeprom[at : at + 8].ljust(8, b"\xff")
        self._put(EEPROM, "H", 0x0040)  # done, eight bytes at once

    def _mail(self, data: bytes) -> None:
        size, kind = struct.unpack_from("<H3xB", data)
        coe = data[6 : 6 + size]
        if kind & 15 != COE or struct.unpack_from("<H", coe)[0] >> 12 != REQUEST:
            return
        index, sub = struct.unpack_from("<xHB", coe, 2)
        request = canopen.request_of(coe[2:10])
        if index == KINDS and sub <= 4:
            self._reply(RESPONSE, struct.pack("<BHBI", 0x4F, index, sub, sub or 4))
        elif request is not None:
            answer = canopen.answer(1, dictionary.served(self.device.drive.values, request)).data
            self._reply(REQUEST if answer[0] == 0x80 else RESPONSE, answer)  # an abort is a request

    def _reply(self, service: int, data: bytes) -> None:
        self._count = self._count % 7 + 1
        coe = struct.pack("<H", service << 12) + data
        message = struct.pack("<H3xB", len(coe), COE | self._count << 4) + coe
        place = self._get(SYNC_MANAGER + 8, "H")
        self._memory[place : place + MAILBOX] = message.ljust(MAILBOX, b"\0")
        self._memory[IN_STATUS] |= FULL

    def _get(self, address: int, code: str) -> int:
        return int(struct.unpack_from(f"<{code}", self._memory, address)[0])

    def _put(self, address: int, code: str, value: int) -> None:
        struct.pack_into(f"<{code}", self._memory, address, value)


class Line:
    """Controllers one after the other; a frame runs through all of them and back."""

    def __init__(self, wires: Wires) -> None:
        self.wires = wires
        last = len(wires.devices) - 1
        self.controllers = [Controller(device, k + 1, k == last) for k, device in enumerate(wires.devices)]

    def passed(self, frame: bytes) -> bytes:
        """A frame as it comes back."""
        head, body, at, goes_on = frame[:HEADER], bytearray(frame[HEADER:]), 0, True
        while goes_on:
            command, position, address, size = struct.unpack_from("<BxHHH", body, at)
            goes_on, size = bool(size & 0x8000), size & 0x7FF
            end = at + 10 + size
            data, counter = bytearray(body[at + 10 : end]), struct.unpack_from("<H", body, end)[0]
            for k, controller in enumerate(self.controllers):
                if self.wires.reaches(k):
                    counter += self._datagram(controller, command, position, address, data)
                    position += command in (APRD, APWR, APRW, ARMW, *READS[2:], *WRITES[2:], *BOTH[2:])
                    position &= 0xFFFF
            if command in (LRD, LWR, LRW):
                position = struct.unpack_from("<H", body, at + 2)[0]
            struct.pack_into("<H", body, at + 2, position)
            body[at + 10 : end] = data
            struct.pack_into("<H", body, end, counter)
            at = end + 2
        return head + bytes(body)

    def _datagram(self, c: Controller, command: int, position: int, address: int, data: bytearray) -> int:
        """What one controller does with a datagram; what it adds to the working counter."""
        if command in (LRD, LWR, LRW):
            return c.logical(command, position | address << 16, data)
        is_all = command in (BRD, BWR, BRW)
        is_mine = is_all or (position == (c.station if command in (FPRD, FPWR, FPRW, FRMW) else 0))
        if command in (ARMW, FRMW):
            command = FPRD if is_mine else FPWR  # one gives, all others take
        elif not is_mine:
            return 0
        counter, written = 0, bytes(data)
        if command in READS + BOTH:
            found = c.read(address, len(data))
            if found is None:
                return 0
            data[:] = bytes(a | b for a, b in zip(data, found, strict=True)) if is_all else found
            counter += 1
        if command in WRITES + BOTH and c.write(address, written):
            counter += 2 if command in BOTH else 1
        return counter


def play(interface: str, period: float) -> None:
    """Answer frames in real time until the standard input ends."""
    line = Line(Wires(setup(bitrate=None, period=period, watchdog=0.2, silence=0.2), np.full(6, 1.01)))
    lock, begin = threading.Lock(), time.monotonic()
    wires, devices = line.wires, line.wires.devices
    offset = wires.now
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
    wire.bind((interface, 0))
    wire.settimeout(1e-3)

    def answer() -> None:
        while True:
            try:
                frame = wire.recv(2000)
            except TimeoutError:
                frame = b""
            with lock:
                wires.advance(offset + time.monotonic() - begin)
                if frame and wires.reaches(0):
                    wire.send(line.passed(frame))

    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))  # slaves are never busy with anything else
    threading.Thread(target=answer, daemon=True).start()
    print("ready", flush=True)
    for text in sys.stdin:
        what, *number = text.split()
        leg = int(number[0]) if number else 0
        with lock:
            match what:
                case "cut":
                    wires.cuts.add(leg)
                case "mend":
                    wires.cuts.clear()
                case "heat" | "cool":
                    devices[leg].drive.motor.temperature = 200.0 if what == "heat" else 25.0
                case "leave":
                    devices[leg].leave_op(0x0024)
                case "restart":
                    devices[leg].power_up()
                    line.controllers[leg].power_up()


if __name__ == "__main__":
    play(sys.argv[1], float(sys.argv[2]))

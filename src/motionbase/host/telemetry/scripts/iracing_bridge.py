"""iRacing to motionbase, through the shared memory that it offers.

    python iracing_bridge.py 192.168.1.10

Run it on the simulator's machine with any Python 3. The argument is the address of the machine on which motionbase
listens; without it, this one. It sends a datagram at every tick of the simulator, 60 a second, to port 8742:
udp://ADDRESS:8742?format=iracing&from=ADDRESS-OF-THE-SIMULATOR

It is written from the documents of the SDK; it has not been tried with the simulator itself.
"""

import mmap
import socket
import struct
import sys
import time

PORT = 8742
NAME, SIZE = "Local\\IRSDKMemMapFileName", 1164 * 1024
LAYOUT = struct.Struct("<4s4sIId10d")  # as motionbase.host.telemetry.bridged has it
VARIABLES = (
    *("LatAccel", "LongAccel", "VertAccel", "RollRate", "PitchRate", "YawRate", "Roll", "Pitch", "Yaw", "IsOnTrack"),
)
TIME = "SessionTime"
CODES = {0: "<c", 1: "<?", 2: "<i", 3: "<I", 4: "<f", 5: "<d"}  # types of variables
CONNECTED = 1
HEADER, VARIABLE, BUFFERS = struct.Struct("<10i"), 144, 48  # bytes of a variable's header; where the buffers' begin
WAIT_S = 1e-3

Memory = bytes | mmap.mmap
Table = dict[str, tuple[str, int]]


def table_of(memory: Memory) -> Table | None:
    """Type and offset of the variables by name; None before a session, or if one is missing."""
    _, status, _, _, _, _, count, at, _, _ = HEADER.unpack(memory[: HEADER.size])
    if not status & CONNECTED or not 0 < count < 4096:
        return None
    found: Table = {}
    for k in range(count):
        header = memory[at + VARIABLE * k : at + VARIABLE * (k + 1)]
        if len(header) < VARIABLE:
            return None
        kind, offset = struct.unpack_from("<2i", header)
        name = header[16:48].split(b"\0")[0].decode("latin-1")
        if name in (*VARIABLES, TIME) and kind in CODES:
            found[name] = CODES[kind], offset
    return found if len(found) == len(VARIABLES) + 1 else None


def newest(memory: Memory) -> tuple[int, int]:
    """Tick and place of the newest buffer."""
    count = min(max(struct.unpack("<i", memory[32:36])[0], 1), 4)
    return max(struct.unpack("<2i", memory[BUFFERS + 16 * k : BUFFERS + 16 * k + 8]) for k in range(count))


def sample(memory: Memory, table: Table, at: int) -> tuple[float, ...]:
    """Time and the variables' values in the buffer there."""
    found = []
    for name in (TIME, *VARIABLES):
        code, offset = table[name]
        found.append(float(struct.unpack(code, memory[at + offset : at + offset + struct.calcsize(code)])[0]))
    return tuple(found)


def datagram(number: int, values: tuple[float, ...]) -> bytes:
    """What is sent of a sample."""
    return LAYOUT.pack(b"MBSB", b"IRAC", 1, number & 0xFFFFFFFF, *values)


def main() -> int:
    """Read until Ctrl-C."""
    if sys.platform != "win32":
        print("this script runs on the Windows machine of the simulator", file=sys.stderr)
        return 2
    else:
        address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        memory = mmap.mmap(-1, SIZE, tagname=NAME, access=mmap.ACCESS_READ)
        print(f"sending to {address}:{PORT} whenever you are in the car; Ctrl-C stops it")
        last = -1
        while True:
            table = table_of(memory)
            if table is None:
                time.sleep(0.5)
                continue
            for _ in range(60_000):  # then the table is read again, since a new session may have another
                tick, at = newest(memory)
                if tick != last:
                    values = sample(memory, table, at)
                    if newest(memory)[0] - tick < 2:  # the buffer has not been written meanwhile
                        link.sendto(datagram(tick, values), (address, PORT))
                        last = tick
                time.sleep(WAIT_S)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)

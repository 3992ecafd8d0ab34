"""Assetto Corsa and Assetto Corsa Competizione to motionbase, through the shared memory that they offer.

    python acc_bridge.py 192.168.1.10

Run it on the simulator's machine with any Python 3. The argument is the address of the machine on which motionbase
listens; without it, this one. It sends a datagram for every step that the simulator tells to port 8743:
udp://ADDRESS:8743?format=acc&from=ADDRESS-OF-THE-SIMULATOR

It is written from Kunos' document; it has not been tried with the simulator itself.
"""

import mmap
import socket
import struct
import sys
import time

PORT = 8743
NAME, SIZE = "Local\\acpmf_physics", 800
LAYOUT = struct.Struct("<4s4sIId9d")  # as motionbase.host.telemetry.bridged has it
STEP, ACC_G, ANGLES, RATES = 0, 44, 208, 296  # offsets of packetId, accG, heading, pitch and roll, localAngularVel
WAIT_S = 1e-3


def datagram(memory: bytes, number: int, t: float) -> bytes:
    """What is sent of the page `SPageFilePhysics`."""
    numbers = (
        *struct.unpack_from("<3f", memory, ACC_G),
        *struct.unpack_from("<3f", memory, RATES),
        *struct.unpack_from("<3f", memory, ANGLES),
    )
    return LAYOUT.pack(b"MBSB", b"ACC ", 1, number & 0xFFFFFFFF, t, *numbers)


def main() -> int:
    """Read until Ctrl-C."""
    if sys.platform != "win32":
        print("this script runs on the Windows machine of the simulator", file=sys.stderr)
        return 2
    else:
        address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        page = mmap.mmap(-1, SIZE, tagname=NAME, access=mmap.ACCESS_READ)
        print(f"sending to {address}:{PORT}; Ctrl-C stops it")
        last, number = b"", 0
        while True:
            memory = page[:SIZE]
            if memory[STEP : STEP + 4] != last:
                last, number = memory[STEP : STEP + 4], number + 1
                link.sendto(datagram(memory, number, time.perf_counter()), (address, PORT))
            time.sleep(WAIT_S)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)

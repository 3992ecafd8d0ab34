"""Microsoft Flight Simulator 2020 and 2024 (and Prepar3D) to motionbase, through SimConnect.

    python msfs_bridge.py 192.168.1.10

Run it on the simulator's machine with a 64-bit Python 3 from python.org, with SimConnect.dll of the SDK beside this
file. The argument is the address of the machine on which motionbase listens; without it, this one. It sends a datagram
each frame of the simulation to port 8741: udp://ADDRESS:8741?format=msfs&from=ADDRESS-OF-THE-SIMULATOR

It is written from the SDK's documents; it has not been tried with the simulator itself.
"""

import ctypes
import socket
import struct
import sys
import time
from pathlib import Path

PORT = 8741
LAYOUT = struct.Struct("<4s4sIId13d")  # as motionbase.host.telemetry.bridged has it
VARIABLES = (
    *((f"ACCELERATION BODY {axis}", "feet per second squared") for axis in "XYZ"),
    *((f"ROTATION VELOCITY BODY {axis}", "radians per second") for axis in "XYZ"),
    *((f"ROTATION ACCELERATION BODY {axis}", "radians per second squared") for axis in "XYZ"),
    ("PLANE PITCH DEGREES", "radians"),
    ("PLANE BANK DEGREES", "radians"),
    ("PLANE HEADING DEGREES TRUE", "radians"),
    ("SIM ON GROUND", "bool"),
)
FLOAT64, UNUSED, USER, SIM_FRAME = 4, 0xFFFFFFFF, 0, 3
QUIT, SIMOBJECT_DATA = 3, 8
HEAD = 40  # bytes of a SIMCONNECT_RECV_SIMOBJECT_DATA before its data
WAIT_S = 2e-3


def numbers_in(message: bytes) -> tuple[float, ...] | None:
    """The numbers in a message of SimConnect; None if it holds no data."""
    if len(message) < HEAD + 8 * len(VARIABLES) or struct.unpack_from("<I", message, 8)[0] != SIMOBJECT_DATA:
        return None
    return struct.unpack_from(f"<{len(VARIABLES)}d", message, HEAD)


def datagram(number: int, t: float, numbers: tuple[float, ...]) -> bytes:
    """What is sent."""
    return LAYOUT.pack(b"MBSB", b"MSFS", 1, number & 0xFFFFFFFF, t, *numbers)


def main() -> int:
    """Read until the simulator quits."""
    if sys.platform != "win32":
        print("this script runs on the Windows machine of the simulator", file=sys.stderr)
        return 2
    else:
        address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
        library = ctypes.WinDLL(str(Path(__file__).resolve().parent / "SimConnect.dll"))
        handle = ctypes.c_void_p()
        if library.SimConnect_Open(ctypes.byref(handle), b"motionbase", None, 0, None, 0) != 0:
            print("no simulator answers: start it first", file=sys.stderr)
            return 1
        for name, unit in VARIABLES:
            library.SimConnect_AddToDataDefinition(
                handle, 0, name.encode(), unit.encode(), FLOAT64, ctypes.c_float(0.0), UNUSED
            )
        library.SimConnect_RequestDataOnSimObject(handle, 0, 0, USER, SIM_FRAME, 0, 0, 0, 0)
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        data, size, number = ctypes.c_void_p(), ctypes.c_uint32(), 0
        print(f"sending to {address}:{PORT}; Ctrl-C stops it")
        while True:
            if library.SimConnect_GetNextDispatch(handle, ctypes.byref(data), ctypes.byref(size)) != 0:
                time.sleep(WAIT_S)
                continue
            message = ctypes.string_at(data, size.value)
            if len(message) >= 12 and struct.unpack_from("<I", message, 8)[0] == QUIT:
                return 0
            numbers = numbers_in(message)
            if numbers is not None:
                number += 1
                link.sendto(datagram(number, time.perf_counter(), numbers), (address, PORT))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)

"""Scripts that run beside simulators: what they send is what the formats decode."""

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motionbase.host.format import Options
from motionbase.host.formats import format_of
from motionbase.host.telemetry import scripts
from motionbase.host.telemetry.scripts import acc_bridge, iracing_bridge, msfs_bridge
from tests.host.telemetry import layouts
from tests.host.telemetry.doing import DOINGS, G
from tests.host.telemetry.layouts import put

FOLDER = Path(scripts.__file__).parent
ALL = DOINGS["everything"]
IRSDK_FLOAT, IRSDK_DOUBLE, IRSDK_BOOL = 4, 5, 1


def rows_equal(name: str, ours: bytes, theirs: bytes) -> None:
    frames = [format_of(name).decoder(Options()).decode(data) for data in (ours, theirs)]
    assert frames[0] is not None and frames[1] is not None
    np.testing.assert_allclose(frames[0].row, frames[1].row, atol=1e-5)


def test_msfs_message() -> None:
    """A SIMCONNECT_RECV_SIMOBJECT_DATA: size, version, 8, seven more words, then float64s."""
    built = layouts.msfs(ALL, 2.0)
    numbers = built[24:]
    message = struct.pack("<10I", 40 + len(numbers), 4, 8, *(0,) * 7) + numbers
    found = msfs_bridge.numbers_in(message)
    assert found is not None
    rows_equal("msfs", msfs_bridge.datagram(120, 2.0, found), built)
    assert msfs_bridge.numbers_in(message[:-1]) is None
    assert msfs_bridge.numbers_in(message[:8] + struct.pack("<I", 4) + message[12:]) is None


def iracing_memory(values: dict[str, tuple[int, float]]) -> bytes:
    """The shared memory of the SDK: a header, headers of variables, and two buffers, of which the second is newer."""
    at, size, buffers = 112, 144, 8192
    memory = bytearray(16384)
    struct.pack_into("<10i", memory, 0, 2, 1, 60, 0, 0, 0, len(values), at, 2, 4096)
    struct.pack_into("<2i", memory, 48, 100, buffers)
    struct.pack_into("<2i", memory, 64, 101, buffers + 4096)
    offset = 0
    for k, (name, (kind, value)) in enumerate(values.items()):
        struct.pack_into("<2i", memory, at + size * k, kind, offset)
        memory[at + size * k + 16 : at + size * k + 16 + len(name)] = name.encode()
        code = {IRSDK_FLOAT: "<f", IRSDK_DOUBLE: "<d", IRSDK_BOOL: "<?"}[kind]
        struct.pack_into(code, memory, buffers + 4096 + offset, value)
        offset += struct.calcsize(code)
    return bytes(memory)


def test_iracing_memory() -> None:
    x, y, z = ALL.felt
    values = {
        "SessionTime": (IRSDK_DOUBLE, 2.0),
        "Gear": (IRSDK_FLOAT, 3.0),
        "YawRate": (IRSDK_FLOAT, -ALL.turns_right),
        "PitchRate": (IRSDK_FLOAT, -ALL.noses_up),
        "RollRate": (IRSDK_FLOAT, ALL.rolls_right),
        "LongAccel": (IRSDK_FLOAT, x),
        "LatAccel": (IRSDK_FLOAT, y),
        "VertAccel": (IRSDK_FLOAT, z),
        "Yaw": (IRSDK_FLOAT, -ALL.heading),
        "Pitch": (IRSDK_FLOAT, -ALL.nose_up),
        "Roll": (IRSDK_FLOAT, ALL.right_down),
        "IsOnTrack": (IRSDK_BOOL, True),
    }
    memory = iracing_memory(values)
    table = iracing_bridge.table_of(memory)
    tick, at = iracing_bridge.newest(memory)
    assert table is not None and tick == 101
    rows_equal(
        "iracing", iracing_bridge.datagram(tick, iracing_bridge.sample(memory, table, at)), layouts.iracing(ALL, 2.0)
    )
    assert iracing_bridge.table_of(memory[:4] + bytes(4) + memory[8:]) is None  # not connected
    del values["LatAccel"]
    assert iracing_bridge.table_of(iracing_memory(values)) is None


def test_acc_page() -> None:
    """SPageFilePhysics: accG at 44 as right, up, forward; heading, pitch, roll at 208; localAngularVel at 296."""
    page = put(
        800,
        (0, "<i", 77),
        (44, "<3f", (-ALL.left / G, ALL.up / G, ALL.forward / G)),
        (208, "<3f", (ALL.heading, -ALL.nose_up, -ALL.right_down)),
        (296, "<3f", (-ALL.noses_up, ALL.turns_right, -ALL.rolls_right)),
    )
    rows_equal("acc", acc_bridge.datagram(page, 120, 2.0), layouts.acc(ALL, 2.0))


@pytest.mark.parametrize("name", ["msfs_bridge", "iracing_bridge", "acc_bridge"])
def test_on_another_system_they_say_so(name: str, tmp_path: Path) -> None:
    """Copied alone, without motionbase."""
    copy = tmp_path / f"{name}.py"
    copy.write_text((FOLDER / f"{name}.py").read_text())
    done = subprocess.run([sys.executable, "-I", "-S", str(copy)], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and "Windows machine of the simulator" in done.stderr


def test_the_lua_script_sends_what_is_decoded() -> None:
    """Its format has sixteen numbers, in the order of the decoder."""
    text = (FOLDER / "motionbase.lua").read_text()
    form = text.split('"%.4f;', 1)[1].split('",', 1)[0]
    assert 1 + len(form.split(";")) == 16
    assert "t, pitch, bank, yaw, rate.z, rate.x, rate.y, rate.z, rate.x, rate.y, load.z, load.y, load.x" in text

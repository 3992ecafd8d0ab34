"""A headset that follows a ring: records in, datagrams out."""

import socket
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError
from motionbase.executive.host.headset import Records, tell
from motionbase.host.formats import FORMATS
from motionbase.host.headset import Headset
from motionbase.host.receiver import Receiver
from motionbase.host.sending import Sender
from motionbase.host.url import target_of
from motionbase.platform.load import platform_text
from motionbase.record.axes import DOFS
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.writer import Writer

SCHEMA = hexapod_schema()
PLATFORM = platform_text("simona")


def record(t: float, heave: float) -> np.ndarray:
    row = np.zeros(len(SCHEMA.channels))
    row[0] = t
    row[SCHEMA.place("pose_hat_heave")] = heave
    row[SCHEMA.place("pose_hat_heave_dot")] = 0.5
    row[SCHEMA.place("cmd_heave_ddot")] = 2.0
    return row


def test_records_of_a_ring_are_motions(ring_folder: Path) -> None:
    records = Records("rig")
    assert records.new() == []
    assert records.point(None) is None
    with Writer(SCHEMA, name="rig", capacity=100, dt=1e-3, every=1, platform=PLATFORM) as writer:
        time.sleep(0.06)  # a reader looks for a new ring so often
        assert records.new() == []
        for k in range(3):
            writer.write(record(k * 1e-3, 0.1 * k))
        writer.write(np.full(len(SCHEMA.channels), np.nan))
        found = records.new()
        assert [motion.t for motion in found] == [0.0, 1e-3, 2e-3]
        assert found[2].p[2] == 0.2 and found[2].v[2] == 0.5 and found[2].a[2] == 2.0
        assert records.point(None) == records.point("eye") == (0.0, 0.0, 1.2075)
        with pytest.raises(MotionBaseError, match="no point 'ey'; did you mean 'eye'.*or give x,y,z in metres"):
            records.point("ey")
    records.close()
    with pytest.raises(MotionBaseError, match="no pose 'host'"):
        Records("rig", "host")


def test_datagrams_are_sent_while_records_come(ring_folder: Path) -> None:
    with (
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as app,
        Writer(SCHEMA, name="rig", capacity=100, dt=1e-3, every=1, platform=PLATFORM) as writer,
    ):
        app.bind(("127.0.0.1", 0))
        app.settimeout(1)
        receiver = Receiver(FORMATS["motionbase"])
        records, headset, begin = Records("rig"), Headset((0.0, 0.0, 1.0), 0.02), time.monotonic()
        with Sender(target_of(f"udp://127.0.0.1:{app.getsockname()[1]}")) as sender:

            def stopped() -> bool:
                t = time.monotonic() - begin
                writer.write(record(t, 0.5 * t))
                return sender.sent >= 20 or t > 30

            tell(records, headset, sender, 500.0, stopped)
            rows = [frame.row for _ in range(20) if (frame := receiver.take(*app.recvfrom(1000), 0.0)) is not None]
        assert len(rows) == 20 and all(row[2] > 0 and row[14] == pytest.approx(2.0, abs=1e-6) for row in rows)
        assert all(abs(row[k]) < 1e-12 for row in rows for k in range(len(DOFS)) if k != 2)
        records.close()

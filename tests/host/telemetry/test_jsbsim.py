"""Datagrams that JSBSim 1.3.3 itself sent, of a c172x that is trimmed, rolls and noses up, against its own properties.

Each record is a datagram of 408 bytes, then nine float64 little-endian: accelerations/a-pilot-{x,y,z}-ft_sec2,
velocities/{p,q,r}-rad_sec, attitude/{phi,theta,psi}-rad. The output directive was `type="FLIGHTGEAR" protocol="UDP"`.
"""

import struct
from pathlib import Path

import numpy as np

from motionbase.host.format import Options
from motionbase.host.formats import format_of
from motionbase.host.guess import guessed

SIZE, FOOT = 408, 0.3048
DATA = (Path(__file__).parent / "data" / "jsbsim_c172x.bin").read_bytes()
RECORDS = [DATA[at : at + SIZE + 72] for at in range(0, len(DATA), SIZE + 72)]


def test_jsbsim_itself() -> None:
    """float32 of up to 50 ft/s^2 and of Euler rates that are turned back into those about the axes."""
    decoder = format_of("flightgear").decoder(Options())
    assert len(RECORDS) == 24
    for record in RECORDS:
        frame = decoder.decode(record[:SIZE])
        x, y, z, p, q, r, phi, theta, psi = struct.unpack("<9d", record[SIZE:])
        assert frame is not None
        expected = (FOOT * x, -FOOT * y, -FOOT * z, p, -q, -r, phi, -theta)
        row = np.array(frame.row)
        np.testing.assert_allclose(row[[0, 1, 2, 3, 4, 5, 9, 10]], expected, atol=1e-6)
        assert abs((row[11] + psi + np.pi) % (2 * np.pi) - np.pi) < 1e-6


def test_in_level_flight_it_is_one_g() -> None:
    frame = format_of("flightgear").decoder(Options()).decode(RECORDS[2][:SIZE])
    assert frame is not None
    np.testing.assert_allclose(np.linalg.norm(frame.row[:3]), 9.80665, rtol=0.03)
    assert frame.row[2] > 9.4 and frame.row[12] == 0.0


def test_it_is_recognised() -> None:
    assert guessed([record[:SIZE] for record in RECORDS])[0].form.name == "flightgear"

"""The program of docs/host.md that fills the exchange itself, as a process."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.executive.exchange import HOST, Exchange
from motionbase.executive.host.rows import blocks_of
from motionbase.host.format import Kind
from motionbase.ring import names
from motionbase.ring.backend import find
from tests.ring.ring_processes import until

PAGE = Path(__file__).resolve().parents[3] / "docs" / "host.md"


def test_the_program_of_the_page_is_heard(ring_folder: Path) -> None:
    """Its frames are whole, whenever they are taken: position and acceleration of a sine belong together."""
    program = PAGE.read_text().split("### Through shared memory")[1].split("```python\n")[1].split("```")[0]
    with Exchange.made(find("rig"), blocks_of(Kind.POSE), names.HOST) as exchange:
        take, row = exchange.answers.taking(), exchange.answers.row
        with subprocess.Popen([sys.executable, "-c", program, str(exchange.path)]) as host:
            try:

                def frames() -> float:
                    take()
                    return float(row[0])

                until(lambda: frames() > 0, "a frame")
                first = row.copy()
                until(lambda: frames() > 20, "frames")
                assert row[1] == row[0] and not row[2:7].any()
                for taken in (first, row):
                    heave, velocity, acceleration = taken[7:].reshape(3, 6)[:, 2]
                    w = 2 * np.pi / 4
                    assert acceleration == pytest.approx(-w * w * heave, abs=1e-12)
                    assert np.hypot(heave, velocity / w) == pytest.approx(0.03, rel=1e-9)
                with pytest.raises(UsageError, match="another process answers already"):
                    Exchange.attached(find("rig"), names.HOST, (HOST,))
            finally:
                host.kill()

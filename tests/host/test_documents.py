"""The program in docs/host.md runs, and its frames are ours."""

import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from motionbase.host.formats import FORMATS
from motionbase.host.receiver import Receiver
from tests.host.protocol.frames import STATUS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "host.md").read_text()


def test_the_host_of_the_page_moves_a_base(tmp_path: Path) -> None:
    program = next(found for found in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "my_host.py" in found)
    script = tmp_path / "my_host.py"
    script.write_text(program.replace("range(1, 601)", "range(1, 21)"))
    receiver = Receiver(FORMATS["motionbase"])
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as base:
        base.bind(("127.0.0.1", 0))
        base.settimeout(30)
        call = [sys.executable, str(script), str(base.getsockname()[1])]
        with subprocess.Popen(call, text=True, stdout=subprocess.PIPE) as host:
            for k in range(20):
                data, sender = base.recvfrom(1000)
                frame = receiver.take(data, sender, k / 60)
                assert frame is not None and frame.sequence == k + 1 and -1 < frame.row[14] < 1
                base.sendto(receiver.answer(STATUS) or b"", sender)
            out, _ = host.communicate(timeout=30)
    assert host.returncode == 0 and out.count("heave 0.3000 m") > 0


def test_every_format_of_a_base_has_its_place_on_the_page() -> None:
    missing = [name for name, form in FORMATS.items() if form.statement is None and f"format={name}" not in PAGE]
    assert missing in ([], ["motionbase"])

"""The program in docs/host.md runs, and its frames are ours."""

import math
import re
import shutil
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from motionbase.host.formats import FORMATS
from motionbase.host.receiver import Receiver
from tests.host.protocol.frames import STATUS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "host.md").read_text()


def served(call: list[str]) -> str:
    """What a host prints that sends twenty frames of heave to a base."""
    receiver = Receiver(FORMATS["motionbase"])
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as base:
        base.bind(("127.0.0.1", 0))
        base.settimeout(30)
        with subprocess.Popen([*call, str(base.getsockname()[1])], text=True, stdout=subprocess.PIPE) as host:
            for k in range(20):
                data, sender = base.recvfrom(1000)
                frame = receiver.take(data, sender, k / 60)
                assert frame is not None and frame.sequence == k + 1
                assert frame.row[14] == pytest.approx(-((2 * math.pi * 0.3) ** 2) * frame.row[2])  # it is a sine
                base.sendto(receiver.answer(STATUS) or b"", sender)
            out, _ = host.communicate(timeout=30)
    assert host.returncode == 0
    return out


def program(language: str) -> str:
    texts: list[str] = [
        found for found in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if "my_host" in found
    ]
    return texts[0]


def test_the_host_of_the_page_moves_a_base(tmp_path: Path) -> None:
    script = tmp_path / "my_host.py"
    script.write_text(program("python").replace("range(1, 601)", "range(1, 21)"))
    assert served([sys.executable, str(script)]).count("heave 0.3000 m") > 0


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_host_in_c_moves_a_base(tmp_path: Path) -> None:
    source, made = tmp_path / "my_host.c", tmp_path / "my_host"
    source.write_text(program("c").replace("<= 600", "<= 20"))
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(made), "-lm"], check=True)
    assert served([str(made)]).count("heave 0.3000 m, state 5") > 0


def test_every_format_of_a_base_has_its_place_on_the_page() -> None:
    missing = [name for name, form in FORMATS.items() if form.statement is None and f"format={name}" not in PAGE]
    assert missing in ([], ["motionbase"])

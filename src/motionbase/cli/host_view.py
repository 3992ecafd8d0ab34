"""What `motionbase host listen` shows while it listens, and if nothing comes."""

import time
from collections import deque
from typing import TYPE_CHECKING, final

from motionbase.cli import terminal
from motionbase.cli.ring_watch import sparkline
from motionbase.record.vehicle import VEHICLE

if TYPE_CHECKING:
    from rich.console import RenderableType

    from motionbase.cli.host_listener import Listener

CURVE = 40
SILENT_S = 2.0


def line(listener: "Listener") -> str:
    """For a pipe."""
    heard = listener.main
    size = heard.sizes.most_common(1)[0][0]
    start = f"{heard.count} datagrams, {heard.rate:.1f} Hz, {size} bytes, port {listener.port}"
    if heard.form is None:
        return f"{start}; format not known"
    score = f" ({heard.guesses[0].score:.0%})" if heard.guesses else ""
    if heard.frame is None or len(heard.frame.row) != len(VEHICLE):
        return f"{start}; {heard.form.name}{score}"
    f = " ".join(f"{x:z.2f}" for x in heard.frame.row[:3])
    omega = " ".join(f"{x:z.3f}" for x in heard.frame.row[3:6])
    return f"{start}; {heard.form.name}{score}; f {f} m/s^2, omega {omega} rad/s"


@final
class Picture:
    """For a terminal: what arrives, and the motion with small curves."""

    def __init__(self) -> None:
        self._curves = [deque[float](maxlen=CURVE) for _ in VEHICLE]

    def __call__(self, listener: "Listener") -> "RenderableType":
        """The picture of now."""
        from rich.console import Group
        from rich.text import Text

        heard = listener.main
        if not heard.count:
            return nothing_came(listener, waiting=True)
        state = "silent" if heard.silence(time.monotonic()) > SILENT_S else "arriving"
        first, *others = listener.sentences()
        parts: list[RenderableType] = [Text(f"{state}: {first}", style="bold"), *map(Text, others)]
        if heard.frame is not None and len(heard.frame.row) == len(VEHICLE):
            table = terminal.table("", "quantity", "value", "unit", "curve", right=("value",))
            for channel, value, curve in zip(VEHICLE, heard.frame.row, self._curves, strict=True):
                curve.append(value)
                table.add_row(channel.name.removeprefix("vehicle_"), f"{value:z.3f}", channel.unit, sparkline(curve))
            parts.append(table)
        elif heard.frame is not None:
            parts.append(Text("row: " + " ".join(f"{x:.4g}" for x in heard.frame.row)))
        parts.append(Text("Ctrl-C stops and tells the URL", style="dim"))
        return Group(*parts)


def nothing_came(listener: "Listener", waiting: bool = False) -> "RenderableType":
    """Which simulator needs which port, and what to switch on."""
    from rich.console import Group
    from rich.text import Text

    from motionbase.host.formats import FORMATS
    from motionbase.host.telemetry.setup import SETUP

    ports = ", ".join(map(str, sorted(listener.heard)))
    verb = "nothing has come yet at" if waiting else "nothing came at"
    table = terminal.table("What to switch on", "format", "port", "in the simulator", right=("port",))
    for name, text in SETUP.items():
        form = listener.given
        if form is None or form.name == name:
            table.add_row(name, str(FORMATS[name].port), text)
    lines = [Text(f"{verb} {listener.address}, port {ports}", style="bold")]
    if listener.taken:
        lines.append(Text(f"other programs listen at port {', '.join(map(str, listener.taken))}"))
    if listener.address in ("127.0.0.1", "::1"):
        text = "a simulator on another machine needs a URL such as 'udp://0.0.0.0:5300?from=192.168.1.20'"
        lines.append(Text(text))
    return Group(*lines, table)

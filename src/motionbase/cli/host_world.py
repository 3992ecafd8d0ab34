"""`motionbase host boat`, `flight`, `drive` and `world`: a world without a platform, shown or sent to a base."""

import json
import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, unquote

import typer

from motionbase.cli import terminal
from motionbase.cli.host_send import sink_to
from motionbase.cli.options import Duration, Force, JsonAtEnd, check_duration
from motionbase.cli.run_beside import Browser, Extras, NoConsole, Port, check_console, console_of
from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.executive.worlds.alone import Alone
    from motionbase.host.url import Stored, Udp
    from motionbase.worlds.library import WorldUrl

RATE = 100.0  # frames per second
FASTEST = 1000.0
STOP_S = 10.0
PLAIN = "/:,.-_+ "  # characters of options that are not quoted in a URL
WAYS = {
    "boat": ("VESSEL", "boat launch sea=5"),
    "flight": ("AIRCRAFT", "flight"),
    "drive": ("CAR", "drive"),
    "world": ("FILE.py:NAME", "world my_world.py:Glider"),
}
ABOUT = {
    "boat": "Simulate a boat at sea",
    "flight": "Simulate an aircraft",
    "drive": "Simulate a car",
    "world": "Simulate a world of your own",
}
HELP = """{about} without a platform: steer it in the console, or send its motion to a base elsewhere.

    It writes a ring, which console, recorder and your own programs can read. A script steers until you move a joystick
    or gamepad, or press a key in the console. With --to, the motion felt in the vehicle is sent to a base as its host.

    {more}

    Example: motionbase host {example}

    Example: motionbase host {kind} --no-console --to "udp://127.0.0.1:8730?format=motionbase-vehicle"
    """


def command_of(kind: str) -> Callable[..., None]:
    """The command for a kind of world."""

    def command(
        words: Annotated[
            list[str] | None,
            typer.Argument(
                metavar=f"{WAYS[kind][0]} OPTION=VALUE", help="See `motionbase host worlds`.", show_default=False
            ),
        ] = None,
        to: Annotated[
            str | None,
            typer.Option(metavar="URL", help="Send the motion: udp://ADDRESS:PORT?format=NAME, or file://PATH."),
        ] = None,
        script: Annotated[str, typer.Option(metavar="NAME", help="Steers while no person does, or none.")] = "",
        joystick: Annotated[
            str,
            typer.Option(
                metavar="NAME|FILE",
                help="Only devices whose name contains this, a .toml file that defines axes, or none.",
            ),
        ] = "",
        scale: Annotated[
            float | None,
            typer.Option(
                metavar="PART",
                help="Of a boat, with --to a format of poses such as text: send so much of its heave, roll and pitch; "
                "1 is all.",
            ),
        ] = None,
        ring: Annotated[str, typer.Option(help="Name of the ring.")] = kind,
        rate: Annotated[float, typer.Option(metavar="HZ", help="Frames per second for --to.")] = RATE,
        duration: Duration = None,
        no_console: NoConsole = False,
        port: Port = None,
        browser: Browser = None,
        force: Force = False,
        as_json: JsonAtEnd = False,
    ) -> None:
        check_duration(duration)
        url = url_of(kind, words or [], script)
        check_console("--no-console" if no_console else "--json" if as_json else None, port, browser)
        target = target_of(to, rate, poses=kind == "boat" and scale is not None)
        _check_scale(scale, target)
        _check_joystick(joystick)
        if not no_console and not as_json:
            _refuse_taken(ring)
            given = {"--to": to, "--script": script or None, "--joystick": joystick or None, "--duration": duration,
                     "--scale": scale}  # fmt: skip
            named = [part for name, value in given.items() if value is not None for part in (name, str(value))]
            own = ["--ring", ring, "--rate", f"{rate:g}", *named, *(["--force"] if force else [])]
            world = motionbase_command("host", kind, *(words or []), *own, "--no-console")
            code = _with_console(url, world, ring, Extras(None, True, False, port, browser, False, False, True))
            raise typer.Exit(code)
        found = _alone(url, ring, joystick, target, rate, duration, force, quiet=as_json, scale=scale)
        print(json.dumps(found, indent=2) if as_json else _sentence(found))

    more = f"Vehicles, their options and scripts: `motionbase host worlds {kind}`."
    if kind == "world":
        more = "Its members are those of `motionbase.worlds.world.World`; examples/14_own_world.py is one."
    command.__doc__ = HELP.format(about=ABOUT[kind], kind=kind, example=WAYS[kind][1], more=more)
    return command


def url_of(kind: str, words: list[str], script: str = "") -> "WorldUrl":
    """The world named by words: a vehicle, then options as NAME=VALUE; raises `UsageError` with one sentence.

    The first word may also be a whole URL, such as boat://launch?sea=5.
    """
    from motionbase.worlds.library import SCRIPT, world_url

    if words and words[0].startswith(f"{kind}://"):
        name, _, query = words[0].removeprefix(f"{kind}://").partition("?")
        words = [unquote(word) for word in (name, *query.split("&")) if word] + words[1:]
    vehicle, options = ("", words) if not words or "=" in words[0] else (words[0], words[1:])
    if strange := [word for word in options if "=" not in word]:
        raise UsageError(f"{strange[0]!r:.60}: give options as NAME=VALUE, after the name of the vehicle")
    parts = [f"{name}={quote(value, PLAIN)}" for name, _, value in (word.partition("=") for word in options)]
    parts += [f"{SCRIPT}={quote(script, PLAIN)}"] if script else []
    url = world_url(f"{kind}://{quote(vehicle, PLAIN)}{'?' if parts else ''}{'&'.join(parts)}")
    assert url is not None
    url.made()
    return url


def target_of(to: str | None, rate: float, poses: bool = False) -> "Udp | Stored | None":
    """Where frames go; raises `UsageError` with one sentence.

    Args:
        poses: whether the world tells a pose
    """
    from motionbase.host.format import Kind
    from motionbase.host.url import Stored, sink_of

    if not 0 < rate <= FASTEST:
        raise UsageError(f"--rate is {rate:g} Hz, it must be above 0 and at most {FASTEST:g} Hz")
    if to is None:
        return None
    target = sink_of(to)
    if isinstance(target, Stored):
        if target.scheme == "ring":
            raise UsageError(f"--to {to}: --to sends to udp:// or file://; --ring names its ring")
    elif target.kind is not Kind.VEHICLE and not (poses and target.kind is Kind.POSE):
        takes = f"format {target.form.name} takes a {target.kind.value}; add format=motionbase-vehicle"
        takes += ", or --scale PART for the pose of a boat" if target.kind is Kind.POSE else ""
        raise UsageError(f"--to {to}: a world tells a vehicle, and {takes}")
    return target


def _check_scale(scale: float | None, target: "Udp | Stored | None") -> None:
    from motionbase.host.format import Kind
    from motionbase.host.url import Udp

    if scale is None:
        return
    if not (isinstance(target, Udp) and target.kind is Kind.POSE):
        raise UsageError(f"--scale {scale:g}: it is for a boat with --to a format of poses, such as format=text")
    if not 0 < scale <= 10:
        raise UsageError(f"--scale is {scale:g}, it must be above 0 and at most 10")


def _check_joystick(joystick: str) -> None:
    from motionbase.worlds.hands.choice import sticks_of

    sticks_of(joystick)  # refuses what cannot be used


def _refuse_taken(ring: str) -> None:
    """Before a console starts that would show another program's ring."""
    from motionbase.executive.base import refuse_taken
    from motionbase.ring.backend import find

    refuse_taken(find(ring))


def _with_console(url: "WorldUrl", world: tuple[str, ...], ring: str, extras: Extras) -> int:
    """The world in a process of its own, beside the console."""
    from motionbase.executive.supervisor import Process, Role, Supervisor

    process = Process("world", world, Role.WRITER, stop_s=STOP_S, prompt=True)
    ending = Supervisor([process, console_of(ring, extras)]).run()
    print(f"ended: {ending.why}")
    return ending.code


def _alone(
    url: "WorldUrl",
    ring: str,
    joystick: str,
    target: "Udp | Stored | None",
    rate: float,
    duration: float | None,
    force: bool,
    quiet: bool,
    scale: float | None = None,
) -> dict[str, Any]:
    """Simulate until the end; returns what to report."""
    from motionbase.executive.worlds.alone import Alone
    from motionbase.executive.worlds.posing import Posing
    from motionbase.host.format import Kind
    from motionbase.host.url import Udp
    from motionbase.ring.gentle import be_prompt, stop_after, stop_requested

    with ExitStack() as stack:
        sink, told = None, {}
        if target is not None:
            kind = target.kind if isinstance(target, Udp) else Kind.VEHICLE
            sink = stack.enter_context(sink_to(url.text, target, kind, rate, True, force))
            if scale is not None:
                told = {"told": Posing(scale)}
        dt = url.made().dt
        alone = stack.enter_context(Alone(url, ring, joystick, sink, max(1, round(1 / (rate * dt))), **told))
        stop = stack.enter_context(stop_requested())
        be_prompt()
        if not quiet:
            print(f"simulating {alone.world.name} at {1 / dt:g} Hz, ring {ring!r}; Ctrl-C stops", flush=True)
        stack.enter_context(terminal.status_line(lambda: _line(alone, begin)))
        stack.enter_context(stop_after(duration, stop))
        begin = time.monotonic()
        alone.run(stop.is_set)
        seconds = time.monotonic() - begin
    return {
        "world": url.text, "steps": alone.steps, "missed": alone.missed, "seconds": round(seconds, 3),
        "steps_per_s": round(alone.steps / max(seconds, alone.world.dt), 2),
        "to": None if target is None else target.text, "sent": 0 if sink is None else sink.sent,
        "base": None if sink is None or sink.told is None else sink.told.text,
    }  # fmt: skip


def _line(alone: "Alone", begin: float) -> str:
    from motionbase.record.world import HANDS

    f_x, f_y, f_z, *_, roll, pitch, yaw, _ = alone.vehicle
    turned = " ".join(f"{math.degrees(x):z.1f}" for x in (roll, pitch, yaw))
    rate = alone.steps / max(1e-3, time.monotonic() - begin)
    return (
        f"{rate:.1f} steps/s; {HANDS[alone.hand].partition(' ')[2]} steers; f {f_x:z.2f} {f_y:z.2f} {f_z:z.2f} m/s^2; "
        f"roll pitch yaw {turned} deg"
    )


def _sentence(found: dict[str, Any]) -> str:
    text = f"{found['steps']} steps in {found['seconds']:.1f} s, {found['steps_per_s']:.1f} per second"
    if found["missed"]:
        text += f"; {found['missed']} were skipped because the world or the machine was too slow"
    if found["to"] is not None:
        text += f"; sent {found['sent']} frames to {found['to']}"
    return text + (f"; the base is in {found['base']}" if found["base"] else "")

"""`motionbase run`: a motion platform or a multibody model in soft real time, with its recorder and console."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from motionbase.cli.console import AnyoneMayStop, Group, share_with
from motionbase.cli.run_beside import AnyoneMayView, Browser, Extras, NoConsole, Port, check_console, readers_of
from motionbase.errors import UsageError
from motionbase.executive.base_setup import BaseOptions, preset_names
from motionbase.executive.model.setup import (
    CONTROL_PORT,
    SIMPLE,
    TIMEOUT_S,
    ModelOptions,
    is_model,
    is_rotor,
    model_meant,
)  # fmt: skip

if TYPE_CHECKING:
    from motionbase.executive.process import Process

RATES = (100, 200, 250, 400, 500, 1000, 2000)


def run(
    platform: Annotated[
        str,
        typer.Argument(
            help="A preset (see `motionbase platforms`), `robot`, `puma`, `tiltrotor`, a model (see `motionbase "
            "models`), or a TOML or URDF file of a platform, model or rotor."
        ),
    ] = "simona",
    ring: Annotated[str, typer.Option(help="Name of the ring.")] = "motionbase",
    rate: Annotated[int, typer.Option(help="Records per second: 100 to 2000, a divisor of 2000.")] = 100,
    duration: Annotated[float | None, typer.Option(help="Stop after this many seconds; without it, at Ctrl-C.")] = None,
    faults: Annotated[Path | None, typer.Option(help="A TOML file of faults, see docs/plant.md.")] = None,
    manual: Annotated[bool, typer.Option(help="Stay down until an operator commands; no automatic operator.")] = False,
    parameters: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Start with parameters saved by `motionbase tune --save`.")
    ] = None,
    law: Annotated[
        str | None, typer.Option(metavar="FILE.py:NAME", help="A control law of your own, see docs/control.md.")
    ] = None,
    generators: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Motion to drive: gentle (the default), tour, swell, identify, none, or a file.",
        ),
    ] = None,
    point: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a sphere: the point that a host moves; by default its centre."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Motion comes from a host: udp://ADDRESS:PORT?format=NAME, file://PATH, ring://NAME, "
            "manoeuvre://NAME, or shared://pose and shared://vehicle for a program of your own, see docs/host.md; or "
            "from a simulated world: boat, flight, drive, or boat://NAME?OPTION=VALUE, see docs/worlds.md.",
        ),
    ] = None,
    cueing: Annotated[
        str | None,
        typer.Option(
            metavar="SET", help="Of a host that tells a vehicle's motion: a set (`motionbase cue sets`) or its file."
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of the cueing: classical (the default), adaptive, optimal or predictive."),
    ] = None,
    forecast: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of predictive cueing, what it expects of the vehicle: driver (the default), constant, or preview: "
            "what the host tells (file://, manoeuvre://, frames with a preview), and driver while it tells nothing.",
        ),
    ] = None,
    joystick: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="With a world: only joysticks and gamepads whose name contains this, a .toml file that defines their "
            "axes, or none; default: all of this machine. See `motionbase host sticks`.",
        ),
    ] = None,
    rig: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.toml",
            help="A machine moves the legs, instead of a simulated plant: a rig file or a preset (`motionbase rig "
            "list`), see docs/rigs.md.",
        ),
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Run a real machine although no check of its rig file was passed.")
    ] = False,
    controller: Annotated[
        str | None,
        typer.Option(
            help="Of a model's joints: udp (the default), in a process of its own; ring, the same through shared "
            "memory; internal, in the model's loop; none, for a program of your own, see docs/robot.md. Of a rotor: "
            "internal (the default), set points are followed; the others as for a robot."
        ),
    ] = None,
    control_port: Annotated[
        int | None,
        typer.Option(help="UDP port of a model; its controller has the next. By default 8720, or two that are free."),
    ] = None,
    controller_timeout: Annotated[
        float | None,
        typer.Option(help="Silence of a model's controller [s] after which the brakes close; by default 0.1."),
    ] = None,
    free: Annotated[
        bool, typer.Option("--free", help="A rotor flies with its airframe and a stabiliser, see docs/rotor_run.md.")
    ] = False,
    tail: Annotated[
        str | None,
        typer.Option(
            help="With --free: simple (the default), the tail rotor's thrust is as asked for; process, it is simulated "
            "in a process of its own."
        ),
    ] = None,
    tail_of: Annotated[
        str | None, typer.Option(metavar="RING", help="Run as the tail rotor of the helicopter that writes this ring.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Where to record; without it, the default folder.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Do not record.")] = False,
    no_console: NoConsole = False,
    port: Port = None,
    browser: Browser = None,
    anyone_may_view: AnyoneMayView = False,
    anyone_may_stop: AnyoneMayStop = False,
    ends_with_base: Annotated[
        bool,
        typer.Option(
            "--ends-with-base",
            help="End when the base ends, for scripts; otherwise the console stays and offers to restart it.",
        ),
    ] = False,
    group: Group = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="Run the base alone, in this process, without recorder and console.")
    ] = False,
) -> None:
    """Simulate a motion platform, or a robot or rotor under its controller, and record it.

    The platform rises, goes to standby and drives its function generators. By default these are slow sines of all six
    axes, one starting after another, with a seventh of the platform's travel; --generators names others, and with
    --manual or --law there are none by default. When the generators are set again (`motionbase generators set FILE`),
    it settles and drives them. Watch and operate it in the browser, at the address that is printed, or with
    `motionbase ring watch`, `motionbase operate` and `motionbase tune`. The console, the recorder and the watch for
    ESTOP files run in processes of their own; none of them can disturb the base.

    With --host a simulator or another program moves the platform: poses are followed, the motion of a vehicle goes
    through motion cueing first. A process of its own hears the host; if it falls silent, the platform comes to rest,
    settles, and goes on when frames come again. There are no generators then unless --generators names them.

    If the base fails, console and recorder stay, so that you can see what happened, and an operator can restart the
    base, at rest and switched off. Ctrl-C ends everything; the exit code is then 1, because the base failed. With
    --ends-with-base, --duration or --no-console the run ends with its base.

    A multibody model, such as the six-axis robot, is driven to set points by joint controllers, which run in a process
    of their own and exchange datagrams with the model. Set points, gains and friction are parameters for
    `motionbase tune` and the console. If the controller falls silent, the brakes close. A rotor follows the set points
    of its controls and its flight, which are parameters too, or the answers of a program of yours.

    Example: motionbase run simona --duration 20

    Example: motionbase run robot --duration 20

    Example: motionbase run cmf --generators tour

    Example: motionbase run puma --free --tail process

    Example: motionbase run atlas --generators tumble

    Example: motionbase run cmf --host udp://127.0.0.1:8730 --manual

    Example: motionbase run simona --host udp://127.0.0.1:4444?format=beamng --cueing simona

    Example: motionbase run simona --host manoeuvre://take_off

    Example: motionbase run simona --host boat

    Example: motionbase run odu --rig odu-onoff

    Example: motionbase run simona --law examples/07_own_control_law.py:heaving
    """
    if rate not in RATES:
        raise UsageError(f"--rate is {rate}, it must be one of {', '.join(map(str, RATES))} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    if record is not None and (no_record or alone):
        raise UsageError(f"--record and {'--no-record' if no_record else '--alone'} cannot be asked for together")
    link = Link(controller, control_port, controller_timeout)
    of_platform = {
        "--faults": faults, "--law": law, "--generators": generators, "--point": point, "--host": host,
        "--cueing": cueing, "--algorithm": algorithm, "--forecast": forecast, "--joystick": joystick, "--rig": rig,
    }  # fmt: skip
    of_rotor = {"free": free, "tail": tail, "tail-of": tail_of}
    options: BaseOptions | ModelOptions
    if is_model(platform):
        if given := next((name for name, value in of_platform.items() if value is not None), None):
            raise UsageError(f"{given} is for platforms, and {platform!r} is a multibody model")
        options = link.options(platform, ring, rate, duration, manual, parameters)
        options = options._replace(free=free, tail=tail or SIMPLE, tail_of=tail_of)
    elif given := link.given or next((f"--{name}" for name, on in of_rotor.items() if on), None):
        kind = "multibody models" if link.given else "rotors"
        raise UsageError(f"{given} is for {kind}, and {platform!r} is a platform")
    elif platform not in preset_names() and not Path(platform).suffix and (meant := model_meant(platform)):
        raise UsageError(f"no platform, model or rotor {platform!r}; did you mean {meant!r}?")
    else:
        own = faults, manual, parameters, law, generators, point
        hosted = _with_port(host), cueing, algorithm, forecast, joystick
        options = BaseOptions(platform, ring, rate, duration, *own, *hosted, rig, unchecked)
    check_console("--no-console" if no_console else "--alone" if alone else None, port, browser)
    share_with(group)
    extras = Extras(record, no_record, no_console, port, browser, anyone_may_view, anyone_may_stop, ends_with_base)
    code = _alone(options) if alone else _supervised(options, extras)
    if code:
        raise typer.Exit(code)


def _with_port(host: str | None) -> str | None:
    """The URL of a host, with a free port where it says 0."""
    if host is None or ":0" not in host:
        return host
    from motionbase.executive.base import signals_blocked

    with signals_blocked():
        from motionbase.executive.host.source import with_port

        return with_port(host)


class Link(NamedTuple):
    """Options for the link between a model and its controller; None where one was not given."""

    controller: str | None
    port: int | None
    timeout: float | None

    @property
    def given(self) -> str | None:
        """The first option that was given."""
        names = {"--controller": self.controller, "--control-port": self.port, "--controller-timeout": self.timeout}
        return next((name for name, value in names.items() if value is not None), None)

    def options(
        self, model: str, ring: str, rate: int, duration: float | None, manual: bool, parameters: Path | None
    ) -> ModelOptions:
        """With what is usual; a controller of ours may have any port, a foreign program expects the usual one."""
        controller, port = self.controller or ("internal" if is_rotor(model) else "udp"), self.port
        if port is None and controller == "udp":
            from motionbase.executive.model.ports import free_ports

            port = free_ports(CONTROL_PORT)
        timeout = TIMEOUT_S if self.timeout is None else self.timeout
        link = controller, port or CONTROL_PORT, timeout
        return ModelOptions(model, ring, rate, duration, manual, parameters, *link)


def _alone(options: BaseOptions | ModelOptions) -> int:
    from motionbase.executive import base
    from motionbase.executive.model import process

    alone = process.run_alone(options) if isinstance(options, ModelOptions) else base.run_alone(options)
    report, stopped = alone
    print(report)
    if stopped:
        print(f"motionbase: {stopped}", file=sys.stderr)
    return 0 if report.error is None and not stopped else 1


def _supervised(options: BaseOptions | ModelOptions, extras: Extras) -> int:
    """Base or model, recorder, console and the watch for ESTOP files, until the end."""
    from motionbase.executive import base
    from motionbase.executive.model import process

    stays = not (extras.ends_with_base or extras.no_console or options.duration is not None)

    def readers() -> "list[Process]":
        return readers_of(options.ring, extras)

    if isinstance(options, ModelOptions):
        ending = process.run_supervised(options, readers, stays=stays)
    else:
        ending = base.run_supervised(options, readers, stays=stays)
    print(f"ended: {ending.why}")
    for file in ending.files:
        print(f"saved: {file}")
    return ending.code

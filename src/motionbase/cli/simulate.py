"""`motionbase simulate`: the motion of a multibody model, or of a platform under its control law."""

from pathlib import Path
from typing import Annotated, Any

import typer

from motionbase.cli.options import PICTURES, Json, Mimic, Strict, check_writable
from motionbase.errors import UsageError, unknown

MODEL_KEYS = ("bodies", "gravity", "elements", "closures")
PLATFORM_KEYS = ("summary", "base", "p_neutral", "l_down", "stroke", "payload", "cylinder", "rod", "limits", "actuator")


def simulate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|PRESET",
            help="A model (see `motionbase models`, or .toml, .urdf, file.py:NAME) or a platform (`platforms`, .toml).",
        ),
    ],
    duration: Annotated[
        float | None, typer.Option(help="Simulated time [s]; default: 10 for a model, 20 for a platform.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the samples: .csv or .parquet.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the motion: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
    generators: Annotated[
        Path | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Platform: function generators: gentle, tour, swell, identify, or a file as for `generators set`.",
        ),
    ] = None,
    faults: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Platform: a TOML file of faults, see docs/plant.md.")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="S=REQUEST",
            help="Platform: request at a time [s], such as 12=settle, also reset, host, maintenance; the first request "
            "disables the automatic operator.",
        ),
    ] = None,
    estop_at: Annotated[float | None, typer.Option(metavar="S", help="Platform: emergency stop at a time [s].")] = None,
    manual: Annotated[
        bool | None, typer.Option("--manual", help="Platform: no automatic operator, only the requests of --at.")
    ] = None,
    rate: Annotated[int | None, typer.Option(help="Platform: records per second in --out; default: 1000.")] = None,
    seed: Annotated[int | None, typer.Option(help="Platform: seed of the sensors' noise; default: 0.")] = None,
    law: Annotated[
        str | None,
        typer.Option(metavar="FILE.py:NAME", help="Platform: a user law, see docs/control.md."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Platform: motion to follow, file://PATH or manoeuvre://NAME, see docs/host.md."
        ),
    ] = None,
    cueing: Annotated[
        str | None,
        typer.Option(metavar="SET", help="Platform: set of motion cueing for a vehicle's motion; default: simona."),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Platform: cueing algorithm, classical (default), adaptive, optimal."),
    ] = None,
    allow_fault: Annotated[
        bool | None,
        typer.Option("--allow-fault", help="Platform: exit code 0 even if a fault is active at the end."),
    ] = None,
    dt: Annotated[
        float | None,
        typer.Option(help="Model: step [s]; for adaptive methods the time between samples; default: 0.001."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="Model: rk4 (default), euler, dopri5 (adaptive), rodas3 or rodas3_adaptive (stiff); of the network "
            "engine ms (default), bdf2, implicit_euler, trapezoidal, ms_adaptive or bdf2_adaptive."
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="Model: tree (minimal coordinates, default) or network (redundant coordinates, implicit)."),
    ] = None,
    q0: Annotated[
        list[str] | None,
        typer.Option(
            "--q0",
            metavar="NAME=VALUE",
            help="Model: initial value of a coordinate, or of a joint: base=0,0,0,1,0,0,0.",
        ),
    ] = None,
    v0: Annotated[
        list[str] | None,
        typer.Option("--v0", metavar="NAME=VALUE", help="Model: initial value of a speed, or of a joint's speeds."),
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="Model: steps between samples; default: about 2000 samples.")
    ] = None,
    momentum: Annotated[
        bool | None,
        typer.Option("--momentum", help="Model: keep the momentum of free flight to rounding; steps cost more."),
    ] = None,
    redundancy: Annotated[
        str | None,
        typer.Option(help="Model: redundant rows of closures: drop (default), regularise or raise."),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Model: more columns, separated by commas: tip=BODY.POINT, com, loads, reactions, accelerations.",
        ),
    ] = None,
    strict: Strict = None,
    mimic: Mimic = None,
) -> None:
    """Simulate a multibody model, or a motion platform in closed loop, as fast as the machine can.

    A platform starts down and at rest; its automatic operator takes it to drive, where the generators move it. With
    --host it follows a recording or a manoeuvre from then on; the motion of a vehicle goes through motion cueing first.
    The summary has states, faults, tracking, forces and the remaining stroke; --out has the 178 channels of its record,
    then those of a vehicle and its cueing. The exit code is 1 if a fault, an emergency stop or an abort is active at
    the end; --allow-fault makes it 0.

    A built-in model starts with its own initial motion, a model from a file at rest with all coordinates zero; --q0 and
    --v0 change that by name. No drives act. Angles are in rad, lengths in m.

    Example: motionbase simulate simona --generators examples/generators.toml --duration 30 --plot run.png

    Example: motionbase simulate simona --host manoeuvre://slalom --out slalom.csv

    Example: motionbase simulate simona --law examples/07_own_control_law.py:heaving

    Example: motionbase simulate pendulum --duration 5 --q0 pivot=1.5 --plot run.png
    """
    _check_files(out, plot)
    of_platform: dict[str, Any] = {
        "generators": generators, "faults": faults, "at": at, "estop_at": estop_at, "manual": manual, "rate": rate,
        "seed": seed, "law": law, "allow_fault": allow_fault, "host": host, "cueing": cueing, "algorithm": algorithm,
    }  # fmt: skip
    of_model: dict[str, Any] = {
        "dt": dt, "method": method, "engine": engine, "q0": q0, "v0": v0, "every": every, "momentum": momentum,
        "redundancy": redundancy, "outputs": outputs, "strict": strict, "mimic": mimic,
    }  # fmt: skip
    if is_platform(what):
        from motionbase.cli.simulate_platform import PlatformOptions, simulate_platform

        _refuse(what, "platform", "multibody models", of_model, of_platform)
        if simulate_platform(what, duration, PlatformOptions(**of_platform), out, plot, as_json):
            raise typer.Exit(1)
    else:
        from motionbase.cli.simulate_model import ModelOptions, simulate_model

        _refuse(what, "multibody model", "platforms", of_platform, of_model)
        simulate_model(what, duration, ModelOptions(**of_model), out, plot, as_json)


def is_platform(reference: str) -> bool:
    """Whether a reference is a preset or a TOML file with a platform; anything else may be a model."""
    from motionbase.platform.load import PRESETS

    if reference in PRESETS:
        return True
    if Path(reference).suffix.lower() != ".toml":
        _check_name(reference)
        return False
    from motionbase.multibody.loaders.toml_source import TomlSource

    data = TomlSource.read(reference).data
    model, platform = ([key for key in keys if key in data] for keys in (MODEL_KEYS, PLATFORM_KEYS))
    if model and platform:
        raise UsageError(f"{reference} has {model[0]!r} of a multibody model and {platform[0]!r} of a platform")
    if not model and not platform:
        raise UsageError(
            f"{reference} is neither a multibody model, with [bodies.NAME] and [joints.NAME] (docs/models.md), nor a "
            "platform, with [stroke], [payload], [actuator] and others (docs/platforms.md)"
        )
    return bool(platform)


def _check_name(reference: str) -> None:
    """Raise an error for an unknown bare name, with the names of models and platforms."""
    from motionbase.multibody.models import MODELS
    from motionbase.platform.load import PRESETS

    if reference.replace("-", "_").isidentifier() and reference not in MODELS:
        from motionbase.cli.model_ref import FORMS

        raise UsageError(f"{unknown('model or platform', reference, [*MODELS, *PRESETS], 'names')}; a model is {FORMS}")


def _refuse(what: str, kind: str, others: str, wrong: dict[str, Any], right: dict[str, Any]) -> None:
    """Raise an error for options of the other kind."""
    if given := [name for name, value in wrong.items() if value is not None]:
        known = ", ".join(_option(name) for name in right)
        raise UsageError(f"{_option(given[0])} is for {others}, and {what!r} is a {kind}; its options: {known}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _check_files(out: Path | None, plot: Path | None) -> None:
    """Check folders and endings before anything is computed."""
    check_writable(out, (".csv", ".parquet"))
    check_writable(plot, PICTURES)

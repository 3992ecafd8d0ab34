"""The table of commands. A new command is one line here and one module beside this one."""

from typing import NamedTuple


class Command(NamedTuple):
    """Where a command lives.

    The module is imported only when the command is the one called, so `--help` and `--version` stay quick.

    Attributes:
        target: "module:name" of a function, or of a `typer.Typer` with sub-commands
        help: its line in `motionbase --help`; the function's docstring is the long text of `motionbase NAME --help`
        pass_options: options which the command does not have are no errors but arguments for another program
    """

    target: str
    help: str
    pass_options: bool = False


COMMANDS: dict[str, Command] = {
    "run": Command("motionbase.cli.run:run", "Simulate a motion platform; the main job."),
    "simulate": Command(
        "motionbase.cli.simulate:simulate", "Simulate a multibody model: built-in, TOML, URDF or Python."
    ),
    "modes": Command(
        "motionbase.cli.modes:modes", "Natural frequencies, damping and mode shapes of a multibody model."
    ),
    "models": Command("motionbase.cli.models:models", "List the built-in multibody models with their sources."),
    "platforms": Command(
        "motionbase.cli.platforms:platforms", "List platforms on six legs with their sources, or show one in full."
    ),
    "kernel": Command("motionbase.cli.kernel:app", "Inspect, run and export kernels and programs."),
    "dcu": Command("motionbase.cli.dcu:dcu", "Write a ring of known waveforms, to try whatever reads one."),
    "ring": Command("motionbase.cli.ring:app", "List, inspect, watch, save and clean rings."),
    "mirror": Command("motionbase.cli.mirror:mirror", "Copy a live ring to another machine over TCP."),
    "generators": Command(
        "motionbase.cli.generators:app", "Show, set or clear the function generators of a running ring."
    ),
    "cache": Command("motionbase.cli.cache:cache", "Show or clear the compiled code kept on disk."),
    "bench": Command("motionbase.cli.bench:bench", "Measure speed against the project's bars."),
    "test": Command("motionbase.cli.test:test", "Run the test suite of a checkout.", pass_options=True),
}

"""The table of commands. A new command is one line here and a function in the file of its group."""

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
    "console": Command(
        "motionbase.cli.console:console", "Serve the operator console: curves, the platform, generators, recordings."
    ),
    "operate": Command(
        "motionbase.cli.operate:operate", "Ask a running base for standby, drive, an emergency stop and so on."
    ),
    "tune": Command("motionbase.cli.operate:tune", "Show and change parameters of the control law of a running ring."),
    "simulate": Command(
        "motionbase.cli.simulate:simulate",
        "Simulate a platform in closed loop or a multibody model, as fast as possible.",
    ),
    "modes": Command(
        "motionbase.cli.models:modes", "Natural frequencies, damping and mode shapes of a multibody model."
    ),
    "models": Command("motionbase.cli.models:models", "List the built-in multibody models with their sources."),
    "platforms": Command(
        "motionbase.cli.platforms:platforms", "List platforms on six legs with their sources, or show one in full."
    ),
    "atlas": Command("motionbase.cli.atlas:app", "Analyse a sphere on Mecanum wheels, and find layouts of its wheels."),
    "kinematics": Command(
        "motionbase.cli.kinematics:app",
        "Bearing angles, dexterity, workspace, clearance of a platform; maps and a report.",
    ),
    "control": Command("motionbase.cli.control:app", "Gains and margins of the control law."),
    "step-response": Command(
        "motionbase.cli.control:step_response", "Measure a step of one axis: overshoot, rise, settling."
    ),
    "frequency-response": Command(
        "motionbase.cli.control:frequency_response",
        "Measure gain and phase of one axis tone by tone, and the turnaround bump.",
    ),
    "loads": Command("motionbase.cli.sizing:loads", "Predict the loads of every fault out of full speed."),
    "size": Command(
        "motionbase.cli.sizing:size",
        "Show what a manoeuvre asks of every leg: force, speed, torque, power, flow, heat.",
    ),
    "kernel": Command("motionbase.cli.kernel:app", "Inspect, run and export kernels and programs."),
    "export": Command(
        "motionbase.cli.export:app", "Write control law and plant as C99, or a recording as CSV, Parquet, MCAP."
    ),
    "info": Command("motionbase.cli.recordings:info", "Show what a recording holds: channels, gaps, events, extremes."),
    "split": Command(
        "motionbase.cli.recordings:split", "Break a recording into smaller files, with all channels or some."
    ),
    "dcu": Command("motionbase.cli.ring_writers:dcu", "Write a ring of known waveforms, to try whatever reads one."),
    "ring": Command("motionbase.cli.ring:app", "List, inspect, watch, save and clean rings."),
    "record": Command("motionbase.cli.record:record", "Record a ring into MCAP files, as its records come."),
    "record-control": Command(
        "motionbase.cli.record:record_control", "Start, stop, split or note in a recording that runs."
    ),
    "replay": Command("motionbase.cli.replay:replay", "Play a recording into a ring, as if it happened now."),
    "replay-control": Command(
        "motionbase.cli.replay:replay_control", "Pause, seek, step, loop a replay that runs.", pass_options=True
    ),
    "strip": Command("motionbase.cli.strip:strip", "Draw a recording or a live ring on strip chart paper."),
    "estop": Command("motionbase.cli.estop:estop", "List and describe the files of unexpected stops."),
    "mirror": Command("motionbase.cli.ring_writers:mirror", "Copy a live ring to another machine over TCP."),
    "generators": Command(
        "motionbase.cli.generators:app", "Show, set or clear the function generators of a running ring."
    ),
    "cache": Command("motionbase.cli.kernel:cache", "Show or clear the compiled code kept on disk."),
    "bench": Command("motionbase.cli.bench:bench", "Measure speed against the project's bars."),
    "test": Command("motionbase.cli.checkout:test", "Run the test suite of a checkout.", pass_options=True),
}

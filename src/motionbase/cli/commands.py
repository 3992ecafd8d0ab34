"""The table of commands. A new command is one line here and a function in the file of its group."""

from typing import NamedTuple


class Command(NamedTuple):
    """Location and help of a command.

    The module is imported only when the command is called, so `--help` and `--version` stay quick.

    Attributes:
        target: "module:name" of a function, or of a `typer.Typer` with sub-commands
        help: its line in `motionbase --help`; the function's docstring is the long text of `motionbase NAME --help`
        pass_options: unknown options are passed on, to another program or as a value such as -0.1, instead of being
            errors
    """

    target: str
    help: str
    pass_options: bool = False


COMMANDS: dict[str, Command] = {
    "run": Command("motionbase.cli.run:run", "Simulate a motion platform in real time, with recorder and console."),
    "demo": Command(
        "motionbase.cli.demo:demo", "Sail, fly and drive a simulated platform, with captions in the console."
    ),
    "console": Command(
        "motionbase.cli.console:console", "Serve the operator console: curves, the platform, generators, recordings."
    ),
    "operate": Command(
        "motionbase.cli.operate:operate", "Request standby, drive, an emergency stop and so on of a running base."
    ),
    "tune": Command(
        "motionbase.cli.operate:tune", "Show and change parameters of control law and cueing of a running ring.", True
    ),
    "shadow": Command(
        "motionbase.cli.shadow:shadow", "Run a control law on the measurements of a live base without commanding it."
    ),
    "simulate": Command(
        "motionbase.cli.simulate:simulate",
        "Simulate a platform in closed loop or a multibody model, as fast as possible.",
    ),
    "modes": Command(
        "motionbase.cli.models:modes", "Show natural frequencies, damping and mode shapes of a multibody model."
    ),
    "models": Command("motionbase.cli.models:models", "List the built-in multibody models with their sources."),
    "platforms": Command(
        "motionbase.cli.platforms:platforms", "List platforms on six legs with their sources, or show one in full."
    ),
    "atlas": Command("motionbase.cli.atlas:app", "Analyse a sphere on Mecanum wheels, and find layouts of its wheels."),
    "rotor": Command(
        "motionbase.cli.rotor:app", "Analyse rotors: hover, modes of blades, trim, loads, level flight, stability."
    ),
    "kinematics": Command(
        "motionbase.cli.kinematics:app",
        "Show bearing angles, dexterity, workspace and clearance of a platform; maps and a report.",
    ),
    "control": Command("motionbase.cli.control:app", "Show gains and margins of the control law."),
    "step-response": Command(
        "motionbase.cli.control:step_response", "Measure a step of one axis: overshoot, rise, settling."
    ),
    "frequency-response": Command(
        "motionbase.cli.control:frequency_response",
        "Measure gain and phase of one axis tone by tone, and the turnaround bump.",
    ),
    "loads": Command("motionbase.cli.sizing:loads", "Predict the loads of every fault during motion at full speed."),
    "host": Command(
        "motionbase.cli.host:app",
        "Show what simulators and other hosts tell over UDP; send motion to a base; tell a headset its motion.",
    ),
    "cue": Command(
        "motionbase.cli.cue:app", "Run and tune motion cueing over recordings and manoeuvres; show what people feel."
    ),
    "size": Command(
        "motionbase.cli.sizing:size",
        "Show what a manoeuvre requires of every leg: force, speed, torque, power, flow, heat.",
    ),
    "kernel": Command("motionbase.cli.kernel:app", "Inspect, run and export kernels and programs."),
    "rig": Command("motionbase.cli.rig:app", "List and show rig files; check a rig with a person beside the machine."),
    "export": Command(
        "motionbase.cli.export:app", "Write control law and plant as C99, or a recording as CSV, Parquet, MCAP."
    ),
    "info": Command("motionbase.cli.recordings:info", "Show what a recording holds: channels, gaps, events, extremes."),
    "split": Command(
        "motionbase.cli.recordings:split", "Split a recording into smaller files, with all channels or some."
    ),
    "dcu": Command(
        "motionbase.cli.ring_writers:dcu", "Write a ring of known waveforms, to test programs that read rings."
    ),
    "ring": Command("motionbase.cli.ring:app", "List, inspect, watch, save and clean rings."),
    "record": Command("motionbase.cli.record:record", "Record a live ring into MCAP files."),
    "record-control": Command(
        "motionbase.cli.record:record_control", "Control a running recorder: start, stop, split, note."
    ),
    "replay": Command("motionbase.cli.replay:replay", "Play a recording into a ring, as if it were live."),
    "replay-control": Command(
        "motionbase.cli.replay:replay_control", "Control a running replay: pause, seek, step, loop.", pass_options=True
    ),
    "strip": Command("motionbase.cli.strip:strip", "Draw a recording or a live ring as a strip chart."),
    "identify": Command(
        "motionbase.cli.identify:identify", "Identify friction, flow, masses and delays from a recording of a motion."
    ),
    "estop": Command("motionbase.cli.estop:estop", "List and describe the files of unexpected stops."),
    "mirror": Command("motionbase.cli.ring_writers:mirror", "Copy a live ring to another machine over TCP."),
    "generators": Command(
        "motionbase.cli.generators:app", "Show, set or clear the function generators of a running ring."
    ),
    "cache": Command("motionbase.cli.kernel:cache", "Show or clear the cache of compiled code."),
    "bench": Command("motionbase.cli.bench:bench", "Measure speed against the project's bars."),
    "test": Command("motionbase.cli.checkout:test", "Run the test suite of a checkout.", pass_options=True),
}

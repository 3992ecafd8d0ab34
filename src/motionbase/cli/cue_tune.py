"""`motionbase cue tune`: parameters of cueing for a set of manoeuvres."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Force, JsonAtEnd, check_new, check_writable, drivable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.cueing.tune.result import Tuned
    from motionbase.cueing.tune.search import Search, State

LISTED = 12  # candidates of the front in the table
MOST = 100_000  # generations
RATE, HOST_RATE = 200.0, 60.0  # [Hz] of the cueing, and of a manoeuvre's samples as a host would send them
STOPPED = 130


def tune(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The set to write: a .toml file.")],
    manoeuvres: Annotated[
        str, typer.Option(metavar="LIST", help="Manoeuvres or recordings, such as landing,'turn?amplitude=20'.")
    ] = "take_off,turn,landing",
    platform: Annotated[str, typer.Option(metavar="NAME|FILE", help="The platform.")] = "simona",
    cueing: Annotated[str, typer.Option(metavar="SET|FILE", help="The set to begin with.")] = "simona",
    algorithm: Annotated[str, typer.Option(metavar="NAME", help="The algorithm.")] = "classical",
    parameters: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Parameters to tune; default: gain, high_pass, tilt_gain, tilt_low_pass and those of the algorithm.",
        ),
    ] = None,
    weight: Annotated[float, typer.Option(metavar="W", help="Of the stroke, where the error has 1.")] = 0.25,
    alike: Annotated[
        bool, typer.Option("--alike", help="Axes that are felt count alike in the error, however strongly.")
    ] = False,
    generations: Annotated[int, typer.Option(metavar="N", help="Generations.")] = 150,
    population: Annotated[int, typer.Option(metavar="N", help="Candidates of each generation.")] = 64,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the random numbers: the same gives the same set.")] = 1,
    reserve: Annotated[
        float, typer.Option(metavar="M", help="Way of each leg that must be left beyond its margin.")
    ] = 0.02,
    allow_saturation: Annotated[bool, typer.Option("--allow-saturation", help="Signals may saturate.")] = False,
    allow_tilt: Annotated[bool, typer.Option("--allow-tilt", help="The tilt may be as fast as people notice.")] = False,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Ticks of the cueing per second.")] = RATE,
    host_rate: Annotated[float, typer.Option(metavar="HZ", help="Samples of a manoeuvre per second.")] = HOST_RATE,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the front, and before and after: .png, .pdf, .svg.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a search that was stopped.")] = False,
    force: Force = False,
    as_json: JsonAtEnd = False,
) -> int:
    """Tune parameters of cueing for manoeuvres: least perceived error for the stroke that is used.

    Candidates run over all manoeuvres, eight at a time on every core. The front has those of which no other is better
    in both error and stroke; the set written is the one with the least error + weight * stroke. It keeps legs off their
    ends, does not saturate, and does not tilt faster than people notice. Ctrl-C keeps the best so far, and --resume
    goes on; the search stands in a file beside the set.

    Example: motionbase cue tune --manoeuvres landing,turn,stall --out mine.toml --plot front.png

    Example: motionbase cue tune --manoeuvres landing,turn,stall --out mine.toml --resume --generations 200
    """
    check_writable(out, (".toml",))
    check_writable(plot, PICTURES)
    state_file = out.with_suffix(".tune.json")
    if not resume:
        check_new([out, state_file], force)
    if not 0 <= weight <= 100:
        raise UsageError(f"--weight is {weight:g}, it must be 0 to 100")
    if not 1 <= generations <= MOST:
        raise UsageError(f"--generations is {generations}, it must be 1 to {MOST}")
    if not 0 <= reserve < 1:
        raise UsageError(f"--reserve is {reserve:g} m, it must be 0 or above, and below 1 m")
    check_rate(rate)
    hexapod = drivable(platform)
    from motionbase.cli.cue_source import samples_of

    named = [part.strip() for part in manoeuvres.split(",") if part.strip()]
    cases = [samples_of(name, host_rate) for name in named]
    with terminal.working("compiling the cueing"):
        from motionbase.cueing.cueing import Cueing
        from motionbase.cueing.tune.result import Tuned
        from motionbase.cueing.tune.scores import Judge, cases_of
        from motionbase.cueing.tune.search import Search
        from motionbase.cueing.tune.space import Allowed, Space

        judge = Judge(Cueing.of(hexapod, cueing, algorithm=algorithm, dt=1 / rate), cases_of(cases), alike)
        free = tuple(part.strip() for part in (parameters or "").split(",") if part.strip())
        space = Space(judge, free, Allowed(reserve, allow_saturation, allow_tilt))
        search = Search(space, population, seed)
        begun = search.load(state_file) if resume else None
    state, stopped = _search(search, generations, begun, state_file)
    tuned = Tuned(search, state, weight)
    tuned.write(out)
    if plot is not None:
        from motionbase.cueing.tune.plot import write_tuned

        write_tuned(tuned, plot)
    files = [str(path) for path in (out, state_file, plot) if path is not None]
    if as_json:
        print(json.dumps({**tuned.data(), "stopped": stopped, "files": files}, indent=2))
    else:
        _show(tuned, stopped, generations)
        for file in files:
            terminal.console().print(f"wrote {file}")
    return STOPPED if stopped else 0


def check_rate(rate: float) -> None:
    """Refuse rates at which cueing does not work, or needs more memory than it tells."""
    if not 50 <= rate <= 20_000:
        raise UsageError(f"--rate is {rate:g} Hz, it must be 50 to 20000 Hz")


def _search(search: "Search", generations: int, begun: "State | None", file: Path) -> "tuple[State, bool]":
    """The last state, and whether somebody stopped it before the end; each state is in the file."""
    from motionbase.ring.gentle import stop_requested

    state, line = begun, "the first generation"
    first, start = begun, time.monotonic()
    with stop_requested() as stop, terminal.status_line(lambda: f"tuning: {line}"):
        for state in search.states(generations, begun):
            if first is None:
                first, start = state, time.monotonic()
            if state is not begun:
                search.save(state, file)
            line = _line(state, first, generations, time.monotonic() - start)
            if stop.is_set() and state.generation < generations:
                return state, True
    assert state is not None
    return state, False


def _line(state: "State", first: "State", generations: int, elapsed: float) -> str:
    """Where a search stands, its speed in runs of ten seconds, and the time left."""
    text = f"generation {state.generation} of {generations}"
    if (best := state.best(0.0)) is not None:
        text += f", least error {100 * state.scores.goals[best, 0]:.1f} %"
    done = state.generation - first.generation
    if done and elapsed > 0:
        text += f", {(state.runs - first.runs) / elapsed:,.0f} runs/s"
        text += f", {elapsed / done * max(generations - state.generation, 0):.0f} s left"
    return text


def _show(tuned: "Tuned", stopped: bool, generations: int) -> None:
    screen, cases = terminal.console(), tuned.search.space.judge.cases
    numbers = ("error before", "error after", "stroke before", "stroke after")
    table = terminal.table("Before and after [%]", "manoeuvre", *numbers, right=numbers)
    start, end = tuned.state.start, tuned.scores
    for k, case in enumerate(cases):
        row = (start.errors[0, k], end.errors[0, k], start.strokes[0, k], end.strokes[0, k])
        table.add_row(case.name, *(f"{100 * x:.1f}" for x in row))
    goals = (start.goals[0, 0], end.goals[0, 0], start.goals[0, 1], end.goals[0, 1])
    table.add_row("mean error, largest stroke", *(f"{100 * x:.1f}" for x in goals))
    screen.print(table)
    front = tuned.front
    title = f"Front: {len(front)} candidates" + (f", {LISTED} of them" if len(front) > LISTED else "")
    columns = ("stroke [%]", "error [%]", "error + weight * stroke")
    listed = terminal.table(title, *columns, "", right=columns)
    shown = sorted({*(round(k * (len(front) - 1) / (LISTED - 1)) for k in range(LISTED)),
                    front.tolist().index(tuned.number)})  # fmt: skip
    for k in shown:
        error, stroke = tuned.state.scores.goals[front[k]]
        mark = "chosen" if front[k] == tuned.number else ""
        listed.add_row(
            f"{100 * stroke:.1f}", f"{100 * error:.1f}", f"{100 * (error + tuned.weight * stroke):.1f}", mark
        )
    screen.print(listed)
    alike = ", axes counted alike" if tuned.search.space.judge.alike else ""
    screen.print(f"Error: perceived, of that on a platform at rest{alike}. Stroke: of the way from neutral to the "
                 "nearer end.", style="dim")  # fmt: skip
    if stopped:
        screen.print(f"stopped after generation {tuned.state.generation} of {generations}; --resume goes on",
                     style="yellow")  # fmt: skip

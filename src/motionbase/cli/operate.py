"""Requests to a running base: `motionbase operate` for changes of state, `tune` for parameters of its control law."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Json
from motionbase.errors import CommandError, RingError, UsageError, unknown
from motionbase.record.requests import ACTIONS, ESTOP, RIG_ACTIONS, SENTENCE, Result, operator_command

if TYPE_CHECKING:
    from motionbase.record.parameters import ParameterTable
    from motionbase.ring.blocks.parameters import ParameterClient, Parameters
    from motionbase.ring.segment import Segment

SENDER = "motionbase operate"
TUNER = "motionbase tune"
TIMEOUT_S = 2.0
REACHED = {
    "down": ("DOWN",), "standby": ("STANDBY",), "drive": ("DRIVE",), "settle": ("STANDBY",), "lower": ("DOWN",),
    "off": ("OFF",), "freeze": ("FREEZE",), "abort": ("OFF", "HELD"), "estop": ("OFF", "HELD"),
}  # fmt: skip
SOON_S, PAUSE_S = 0.3, 0.02


def operate(
    action: Annotated[
        str,
        typer.Argument(
            metavar="ACTION",
            help=f"One of {', '.join(a for a in ACTIONS if a not in RIG_ACTIONS)}; of a base on a rig "
            f"(docs/rigs.md) also {', '.join(RIG_ACTIONS)}.",
        ),
    ],
    ring: Annotated[str, typer.Option("--ring", metavar="RING", help="Name of the ring.")] = "motionbase",
    wait: Annotated[
        float | None, typer.Option(metavar="S", help="Wait up to S seconds until the base is in the requested state.")
    ] = None,
) -> None:
    """Request a change of state of a running base, as the operator's panel does.

    The control law decides: a request that is impossible in its present state, or with a fault, is refused and changes
    nothing. The first request disables the automatic operator of a simulation. An emergency stop always works: a base
    that is still starting latches it and does not rise. Nothing here replaces a hardware stop.

    Example: motionbase operate standby --wait 30

    Example: motionbase operate estop
    """
    from motionbase.ring.blocks.commands import CommandSender
    from motionbase.ring.command_words import signed

    if action not in ACTIONS:
        raise unknown("action", action, ACTIONS)
    if wait is not None and not 0 < wait <= 3600:
        raise UsageError(f"--wait is {wait:g} s, it must be above 0 and at most 3600")
    if wait is not None and action not in REACHED:
        raise UsageError(f"--wait: {action} leads to no state; leave it out")
    if action == ESTOP:
        _stop(ring, wait)
        return
    ack = CommandSender(ring, sender=signed(SENDER)).request(operator_command(action))
    if ack.result is not Result.ACCEPTED:
        raise CommandError(f"{action} was refused: {SENTENCE[ack.reason]} (now {_state(ring) or 'unknown'})")
    if wait is None:
        time.sleep(PAUSE_S)  # a few ticks, so that the printed state is the requested one
        print(f"{action}: accepted, now {_state(ring) or 'unknown'}")
        return
    _await(ring, action, wait)


def _stop(ring: str, wait: float | None) -> None:
    """Request an emergency stop; exit code 1 if the base does not show that it stops, so use the hardware stop."""
    from motionbase.ring.command_words import signed
    from motionbase.ring.emergency import NoAnswer, Stopper

    is_silent = False
    try:
        text = Stopper(ring).stop(signed(SENDER))
    except NoAnswer as error:
        text, is_silent = str(error), True
    if wait is not None:
        try:
            return _await(ring, "estop", wait)
        except RingError:
            if not is_silent:
                raise
    if not is_silent:
        print(f"estop: {text}")
        return
    print(f"motionbase: estop: {text}", file=sys.stderr)
    raise typer.Exit(1)


def _await(ring: str, action: str, wait: float) -> None:
    end, wanted = time.monotonic() + wait, {name.lower() for name in REACHED[action]}
    state = None
    while time.monotonic() < end:
        state = _state(ring)
        if state in wanted:
            print(f"{action}: done, now {state}")
            return
    raise RingError(f"{action} was accepted, but after {wait:g} s the base is in {state or 'an unknown state'}")


def _state(ring: str) -> str | None:
    """The state in the next record; None if there is no record soon, or records have no state."""
    from motionbase.record.states import State

    code = _recorded(ring, "state")
    return State(int(code)).name.lower() if code is not None and code in [s.value for s in State] else None


def _recorded(ring: str, channel: str) -> float | None:
    """A channel of the next record; None if there is no record soon, or records do not have the channel."""
    from motionbase.ring.reader import Reader

    reader, end = Reader(ring), time.monotonic() + SOON_S
    while time.monotonic() < end:
        rows = reader.read().rows
        if len(rows):
            place = reader.schema.index.get(channel)
            return None if place is None else float(rows[-1, place])
        time.sleep(PAUSE_S)
    return None


def _half_in_use(ring: str) -> str:
    """Which parameters of the motion cueing are in use; "" if that is not known."""
    share = _recorded(ring, "cue_set")
    if share is None or not 0 <= share <= 1:
        return ""
    halves = {0.0: "in the air: cue_NAME, not cue_ground_NAME", 1.0: "on the ground: cue_ground_NAME, not cue_NAME"}
    return f"in use are the parameters {halves.get(round(share, 2), 'of air and ground, mixed')}"


def tune(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A parameter, or NAME[3] for its third number; without it, lists all."),
    ] = None,
    value: Annotated[
        str | None,
        typer.Argument(metavar="[VALUE]", help="New value: one number for all, or one each as in 1,1,0.9,0.6,0.6,0.8."),
    ] = None,
    ring: Annotated[str, typer.Option("--ring", metavar="RING", help="Name of the ring.")] = "motionbase",
    reset: Annotated[bool, typer.Option("--reset", help="Restore the design values of NAME, or of all.")] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="Write the parameters that differ from their design values to a .toml file."
        ),
    ] = None,
    load: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Set all parameters in a .toml file.")] = None,
    as_json: Json = False,
) -> None:
    """Show the parameters of the control law and of the motion cueing of a running ring, or change some.

    Gains move to their new values within a second; limits and monitors change only while the base is at rest
    (`rest` in the list) and only to stricter values. Other changes are refused.

    Example: motionbase tune k_p 12

    Example: motionbase tune --save mine.toml
    """
    if name is not None and name.startswith("-"):  # so that negative values need no -- before them
        raise UsageError(f"no such option: {name:.40}; see motionbase tune --help")
    if name is not None and "=" in name:
        spaced = name.replace("=", " ", 1)
        raise UsageError(f"{name!r:.80} is no parameter; write it as in motionbase tune {spaced:.80}")
    asked = [
        what for what, given in (("VALUE", value), ("--reset", reset), ("--save", save), ("--load", load)) if given
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} and {asked[1]} cannot be asked for together")
    if name is not None and (save or load):
        raise UsageError(f"{asked[0]} is about all parameters; leave {name!r} out")
    if asked in ([], ["--save"]):
        _show_parameters(ring, name, save, as_json)
    else:
        _change_parameters(ring, name, value, load, as_json)


def _show_parameters(ring: str, name: str | None, save: Path | None, as_json: bool) -> None:
    from motionbase.ring.blocks.parameter_files import save_parameters
    from motionbase.ring.blocks.parameters import shown

    found, segment = shown(ring)
    if save is None:
        _list_parameters(found, segment, name, as_json)
        if found.table.cueing and not as_json:
            _print_cueing(ring, found.table)
        return
    save_parameters(found.tuned, found.table, save)
    if as_json:
        print(json.dumps({"saved": str(save), "parameters": found.tuned}, indent=2))
    else:
        print(f"wrote {save}: {', '.join(found.tuned) or 'nothing, all parameters are as designed'}")


def _change_parameters(ring: str, name: str | None, value: str | None, load: Path | None, as_json: bool) -> None:
    from motionbase.ring.blocks.parameter_files import load_parameters
    from motionbase.ring.blocks.parameters import ParameterClient
    from motionbase.ring.command_words import signed

    client = ParameterClient(ring, sender=signed(TUNER))
    table, before = client.table, client.read()
    if load is not None:
        wanted = load_parameters(load, table)
    elif value is not None:
        assert name is not None  # NAME comes before VALUE
        wanted = table.wanted(name, _numbers(name, value))
    else:
        wanted = _designed(client, name)
    wanted = {place: x for place, x in wanted.items() if before.goals[place] != x}
    client.tune(wanted, TIMEOUT_S)
    changes = [(*table.places[place], float(before.goals[place]), x) for place, x in wanted.items()]
    if as_json:
        listed = [{"name": p.label(k), "before": old, "value": new, "unit": p.unit} for p, k, old, new in changes]
        print(json.dumps({"changed": listed}, indent=2))
        return
    for p, k, old, new in changes:
        print(f"{p.label(k)}: from {old:.6g} to {new:.6g} {p.unit}".removesuffix(" -"))
    if not changes:
        print(f"{name or 'every parameter'} is so already")
    if any(p.name.startswith("cue_") for p, *_ in changes):
        _print_cueing(ring, table)


def _print_cueing(ring: str, table: "ParameterTable") -> None:
    """Algorithm and set of the motion cueing, and which of its parameters are in use."""
    print("; ".join(filter(None, (table.cueing, _half_in_use(ring)))))


def _designed(client: "ParameterClient", name: str | None) -> dict[int, float]:
    """Design values of one parameter, of one of its numbers, or of all that may be tuned."""
    if name is None:
        return {place: p.designed[k] for place, (p, k) in enumerate(client.table.places) if p.tunable}
    parameter, numbers = client.table.named(name)
    return client.table.wanted(name, tuple(parameter.designed[k] for k in numbers))


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"{name}: {text!r} is not a number, or numbers separated by commas") from None


def _list_parameters(found: "Parameters", segment: "Segment", name: str | None, as_json: bool) -> None:
    from motionbase.ring.blocks.mapping import absence

    note, table = absence(segment), found.table
    wanted = table.parameters if name is None else (table.named(name)[0],)
    if as_json:
        rows: list[dict[str, Any]] = [
            {
                "name": p.name,
                "unit": p.unit,
                "description": p.description,
                "value": found.of(p.name).tolist(),
                "designed": list(p.designed),
                "least": list(p.least),
                "most": list(p.most),
                "tunable": p.tunable,
                "at_rest": p.at_rest,
            }
            for p in wanted
        ]
        about = {"law": table.law, "cueing": table.cueing, "note": note, "version": found.version}
        print(json.dumps({**about, "parameters": rows}, indent=2))
        return
    print(f"ring  {segment.backend}{'; ' + note if note else ''}")
    shown = terminal.table(table.law, "name", "unit", "value", "designed", "bounds", "tunable")
    for p in wanted:
        now, designed = ([f"{v:.4g}" for v in values] for values in (found.of(p.name), p.designed))
        bounds = [f"{a:.4g} to {b:.4g}" for a, b in zip(p.least, p.most, strict=True)]
        when = ("at rest" if p.at_rest else "always") if p.tunable else "no"
        shown.add_row(p.name, p.unit, _cell(now), _cell(designed), _cell(bounds), when)
    terminal.console().print(shown)
    if name is not None:
        print(wanted[0].description)


def _cell(texts: list[str]) -> str:
    """The texts joined, or one text if all are equal."""
    return ", ".join(texts if len(set(texts)) > 1 else texts[:1]) or "-"

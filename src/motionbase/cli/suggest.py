"""One-sentence complaints which name what would have worked."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from motionbase.errors import UsageError

if TYPE_CHECKING:
    import typer


def unknown(kind: str, name: str, choices: Iterable[str], plural: str = "") -> UsageError:
    """A name that is not among the choices: "no command 'bnech'; did you mean 'bench'? Commands: run, bench, test"."""
    known = list(choices)
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]!r}?" if close else ";"
    names = plural or f"{kind}s"
    listed = f"{names}: {', '.join(known)}" if known else f"there are no {names}"
    return UsageError(f"no {kind} {name!r}{guess} {listed if not close else f'({listed})'}")


def sentence(error: "typer.TyperException", program: str) -> str:
    """Typer's complaint as one sentence in our form, with the place where the help is."""
    # Typer keeps its context classes private, so the attribute is looked up by name.
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", program)
    message = " ".join(error.format_message().split()).rstrip(".")
    if option := getattr(error, "option_name", None):
        params = getattr(getattr(context, "command", None), "params", ())
        options = [o for p in params for o in getattr(p, "opts", ()) if o.startswith("-")] + ["--help"]
        if message.startswith("No such option"):
            message = str(unknown("option", option, options))
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"

"""Every error a person can cause; each message is one sentence with the name, the value and what would work."""

from collections.abc import Iterable

FEWEST_DIGITS, MOST_DIGITS = 4, 17  # 17 tell any two doubles apart


def told_apart(value: float, *bounds: float, digits: int = FEWEST_DIGITS) -> tuple[str, ...]:
    """Texts of a value and of its bounds with enough digits to see on which side of each bound the value is.

    0.849996 against 0.85 and 1.15 is "0.849996", "0.85", "1.15", where four digits would read 0.85 twice.
    """
    numbers = (value, *bounds)
    for count in range(digits, MOST_DIGITS):
        texts = tuple(f"{x:.{count}g}" for x in numbers)
        if all((float(texts[0]) == float(text)) == (value == x) for text, x in zip(texts, numbers, strict=True)):
            return texts
    return tuple(f"{x:.{MOST_DIGITS}g}" for x in numbers)


class MotionBaseError(Exception):
    """Root of all errors raised by motionbase; the command line prints it as one sentence and exits with code 2."""


class PortError(MotionBaseError):
    """An array, name or shape does not fit a kernel's port."""


class KernelError(MotionBaseError):
    """A kernel or program is not well formed."""


class UnsupportedOp(MotionBaseError):
    """A target cannot render an operation; no target at all where none is named."""

    def __init__(self, op: str, kernel: str, target: str, hint: str = "") -> None:
        where = f"target {target!r}" if target else "any target"
        super().__init__(f"kernel {kernel!r}: operation {op} is not supported on {where}{hint}")
        self.op, self.kernel, self.target = op, kernel, target


class ModelError(MotionBaseError):
    """A multibody model is not well formed; the message names the body or joint."""


class SimulationError(MotionBaseError):
    """A motion cannot be computed as asked; the message says what to change."""


class SingularSystem(MotionBaseError):
    """A linear system cannot be solved, whatever the numbers; the message names the rows."""


class TargetUnavailable(MotionBaseError):
    """A target's tool (a C compiler, CuPy, a GPU) is not on this machine."""


class CompilerRefused(MotionBaseError):
    """A C compiler did not accept generated code; the message has what it said."""


class UsageError(MotionBaseError):
    """A command was called in a way that cannot work."""


class SchemaError(MotionBaseError):
    """A schema of records is not well formed, or a channel is not in it."""


class RingError(MotionBaseError):
    """A ring cannot be created, attached to or used as asked; the message names it and says what would work."""


class GeneratorError(MotionBaseError):
    """A function generator cannot be as asked; the message names its number, the field, the value and the bounds."""


class CommandError(MotionBaseError):
    """An operator command is not well formed; the message names it, the value and what is wanted."""


class ScheduleError(MotionBaseError):
    """A schedule cannot be run as asked; the message names the job or the setting and says what would work."""


class MirrorError(MotionBaseError):
    """A mirror's peer cannot be reached or does not speak as it should."""


class SnapshotError(MotionBaseError):
    """A file with the records of a ring cannot be written or read; the message names it and says what would work."""


class PlatformError(ModelError):
    """A platform's geometry or parameters cannot be; the message names the part, the value and what would work."""


class PlatformWarning(UserWarning):
    """Something about a platform is odd; the message names the part, the value and what is usual."""


class RecordingError(MotionBaseError):
    """A recording cannot be written, read or made."""


def unknown(kind: str, name: str, choices: Iterable[str], plural: str = "") -> UsageError:
    """A name that is not among the choices: "no command 'bnech'; did you mean 'bench'? Commands: run, bench, test"."""
    from difflib import get_close_matches  # rarely needed

    known = list(choices)
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]!r}?" if close else ";"
    names = plural or f"{kind}s"
    listed = f"{names}: {', '.join(known)}" if known else f"there are no {names}"
    return UsageError(f"no {kind} {name!r}{guess} {listed if not close else f'({listed})'}")

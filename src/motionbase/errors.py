"""Errors that a user can cause; each message is one sentence with the name, the value and what would work."""

from collections.abc import Iterable

FEWEST_DIGITS, MOST_DIGITS = 4, 17  # 17 digits distinguish any two doubles


def told_apart(value: float, *bounds: float, digits: int = FEWEST_DIGITS) -> tuple[str, ...]:
    """Texts of a value and its bounds with enough digits to show on which side of each bound the value lies.

    0.849996 between 0.85 and 1.15 becomes "0.849996", "0.85", "1.15"; four digits would print 0.85 twice.
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
    """A target cannot render an operation, or no target can if none is named."""

    def __init__(self, op: str, kernel: str, target: str, hint: str = "") -> None:
        where = f"target {target!r}" if target else "any target"
        super().__init__(f"kernel {kernel!r}: operation {op} is not supported on {where}{hint}")
        self.op, self.kernel, self.target = op, kernel, target


class ModelError(MotionBaseError):
    """A multibody model is not well formed; the message names the body or joint."""


class SimulationError(MotionBaseError):
    """A motion cannot be computed as requested; the message says what to change."""


class SingularSystem(MotionBaseError):
    """A linear system is singular for all values of its entries; the message names the rows."""


class NoCommonPivot(SingularSystem):
    """Samples of a linear system are regular, but no fixed order of pivots serves all of them."""


class TargetUnavailable(MotionBaseError):
    """A tool that a target needs (a C compiler, CuPy, a GPU) is missing on this machine."""


class CompilerRefused(MotionBaseError):
    """The C compiler rejected generated code; the message contains its output."""


class UsageError(MotionBaseError):
    """The arguments of a command are wrong."""


class SchemaError(MotionBaseError):
    """A record schema is not well formed, or lacks a channel."""


class RingError(MotionBaseError):
    """A ring cannot be created, attached to or used as requested; the message gives its name and what would work."""


class GeneratorError(MotionBaseError):
    """A function generator has an invalid setting; the message gives its number, field, value and bounds."""


class CommandError(MotionBaseError):
    """An operator command is not well formed; the message gives its name, the value and what is expected."""


class ScheduleError(MotionBaseError):
    """A schedule cannot run as requested; the message names the job or setting and says what would work."""


class MirrorError(MotionBaseError):
    """The peer of a mirror cannot be reached or violates the protocol."""


class PlatformError(ModelError):
    """A platform's geometry or a parameter is impossible; the message names the part, the value and what would work."""


class PlatformWarning(UserWarning):
    """A platform has an unusual value; the message names the part, the value and the usual range."""


class WorldError(MotionBaseError):
    """A vehicle or its world is not possible; the message names the part, the value and what would work."""


class RecordingError(MotionBaseError):
    """A recording cannot be written, read or created."""


def unknown(kind: str, name: str, choices: Iterable[str], plural: str = "") -> UsageError:
    """A name that is not among the choices: "no command 'bnech'; did you mean 'bench'? Commands: run, bench, test"."""
    from difflib import get_close_matches  # rarely needed

    known = list(choices)
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"; did you mean {close[0]!r}?" if close else ";"
    names = plural or f"{kind}s"
    listed = f"{names}: {', '.join(known)}" if known else f"there are no {names}"
    return UsageError(f"no {kind} {name!r}{guess} {listed if not close else f'({listed})'}")

"""`motionbase host headset`: how a platform moves a head, ahead of time, so that a headset's view can leave it out."""

import json
import math
import secrets
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, JsonAtEnd, check_duration, numbers_listed

if TYPE_CHECKING:
    from motionbase.executive.host.headset import Records
    from motionbase.host.headset import Headset, Point
    from motionbase.host.sending import Sender

FARTHEST = 100.0  # [m] of a head
LONGEST = 0.2  # [s] ahead
SLOWEST, FASTEST = 10.0, 1000.0  # [Hz]
WAIT_S = 0.1  # between looks for the ring


def headset(
    ring: Annotated[str, typer.Argument(metavar="RING", help="Name of the ring of the platform.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="udp://ADDRESS:PORT?format=NAME: flypt, motionbase or text.")
    ],
    point: Annotated[
        str | None,
        typer.Option(metavar="NAME|x,y,z", help="The head: a point of the platform, or metres in P; default: its eye."),
    ] = None,
    ahead: Annotated[float, typer.Option(metavar="S", help="Time until the picture is seen.")] = 0.03,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Of the datagrams.")] = 200.0,
    share: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|AXIS=NUMBER,...", help="Part of the motion that is told: 0.8, or yaw=0,heave=0.9."
        ),
    ] = "1",
    pose: Annotated[
        str, typer.Option(metavar="NAME", help="pose_hat, the estimate, or cmd, the command.")
    ] = "pose_hat",
    duration: Duration = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Tell a headset how the platform moves the head, ahead of time, and measure how good that is.

    Sent is where the head is, from its place at neutral, and how the platform is turned. The records of the ring are
    carried forward over their age and --ahead; at the end you see how far that was from what then came.

    Example: motionbase host headset motionbase "udp://192.168.1.20:8732?format=flypt" --ahead 0.04
    """
    from motionbase.errors import UsageError
    from motionbase.executive.host.headset import Records, tell
    from motionbase.host.format import Kind
    from motionbase.host.headset import Headset
    from motionbase.host.sending import Sender
    from motionbase.host.url import target_of
    from motionbase.ring.gentle import stop_after, stop_requested

    check_duration(duration)
    _check("--ahead", ahead, 0.0, LONGEST, "s")
    _check("--rate", rate, SLOWEST, FASTEST, "Hz")
    shares, to = _shares(share), target_of(target)
    if to.kind is not Kind.POSE:
        raise UsageError(f"format {to.form.name} is not one of poses; a headset gets flypt, motionbase or text")
    records = Records(ring, pose)
    with Sender(to) as sender, stop_requested() as stop, stop_after(duration, stop):
        head = _point(records, point, stop.wait)
        if head is None:
            raise UsageError(f"there is no ring {ring!r}; start the platform first")
        made = Headset(head, ahead, shares, secrets.randbits(63))
        with terminal.status_line(lambda: _line(sender, made)):
            tell(records, made, sender, rate, stop.is_set)
    records.close()
    found = _found(sender, made, ahead)
    print(json.dumps(found, indent=2) if as_json else _sentence(found))


def _check(option: str, value: float, low: float, high: float, unit: str) -> None:
    from motionbase.errors import UsageError

    if not low <= value <= high:
        raise UsageError(f"{option} is {value:g} {unit}, it must be {low:g} to {high:g}")


def _shares(text: str) -> tuple[float, ...]:
    """A number for all axes, or some by name; the others are 1."""
    from motionbase.errors import UsageError, unknown
    from motionbase.record.axes import DOFS

    found = dict.fromkeys(DOFS, 1.0)
    for piece in text.split(","):
        name, equals, number = piece.partition("=")
        try:
            value = float(number if equals else name)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1:
            raise UsageError(f"--share has {piece!r}, it must be a number from 0 to 1, or AXIS=NUMBER such as yaw=0.8")
        if equals and name not in found:
            raise UsageError(f"--share: {unknown('axis', name, DOFS, 'axes')}")
        found |= {name: value} if equals else dict.fromkeys(DOFS, value)
    return tuple(found.values())


def _point(records: "Records", text: str | None, wait: Any) -> "Point | None":
    """The head; None if the ring does not come."""
    from motionbase.errors import UsageError

    if text is not None and "," in text:
        numbers = numbers_listed("--point", text, "x,y,z in metres", 3)
        if len(numbers) != 3 or not all(abs(x) <= FARTHEST for x in numbers):
            raise UsageError(f"--point is {text!r}, it must be a name or x,y,z in metres, such as 0,0,1.2")
        return numbers[0], numbers[1], numbers[2]
    for _ in range(20):
        if (found := records.point(text)) is not None:
            return found
        if wait(WAIT_S):
            break
        records.new()
    return None


def _found(sender: "Sender", made: "Headset", ahead: float) -> dict[str, Any]:
    errors = made.judge.errors
    return {
        "target": sender.target.text, "sent": sender.sent, "unheard": sender.unheard, "ahead_ms": 1e3 * ahead,
        "age_ms_mean": round(1e3 * made.mean_age, 3), "age_ms_max": round(1e3 * made.oldest, 3),
        "compared": errors.compared, "place_mm_rms": round(1e3 * errors.place, 4),
        "angle_deg_rms": round(math.degrees(errors.angle), 5), "plain_place_mm_rms": round(1e3 * errors.plain_place, 4),
        "plain_angle_deg_rms": round(math.degrees(errors.plain_angle), 5),
    }  # fmt: skip


def _line(sender: "Sender", made: "Headset") -> str:
    errors = made.judge.errors
    return (
        f"sent {sender.sent}, records {1e3 * made.mean_age:.1f} ms old; error {1e3 * errors.place:.2f} mm "
        f"{math.degrees(errors.angle):.3f} deg rms"
    )


def _sentence(found: dict[str, Any]) -> str:
    text = (
        f"sent {found['sent']} poses; records were {found['age_ms_mean']:.3g} ms old (longest "
        f"{found['age_ms_max']:.3g} ms), carried forward over that and {found['ahead_ms']:g} ms"
    )
    if found["unheard"]:
        text += f"; nobody listened {found['unheard']} times"
    if not found["compared"]:
        return text + "; no record came to compare them with"
    return (
        f"{text}; rms error {found['place_mm_rms']:.3g} mm and {found['angle_deg_rms']:.3g} deg, without prediction "
        f"{found['plain_place_mm_rms']:.3g} mm and {found['plain_angle_deg_rms']:.3g} deg"
    )

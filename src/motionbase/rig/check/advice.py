"""What to change in a rig file, by what a person saw and the kind of the rig."""

from __future__ import annotations

from typing import Protocol, final

from motionbase.rig.drives.setup import Axis
from motionbase.rig.files import RigFile
from motionbase.rig.files.drives import DriveLegs, EtherCatLegs
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.files.serial import SerialRig


class Advice(Protocol):
    """Sentences without their full stop; legs from 1."""

    def exchanged(self, meant: int, moved: int) -> str:
        """The file's leg moves another one of the machine."""
        ...

    def reversed(self, leg: int) -> str:
        """The leg went the other way."""
        ...

    def scaled(self, leg: int, ratio: float) -> str:
        """The leg went this many times as far as its reading says."""
        ...

    def shifted(self, leg: int, error: float) -> str:
        """The leg is longer than its reading says [m]."""
        ...


def advice_for(rig: RigFile) -> Advice:
    """Of the kind of a rig."""
    legs = rig.legs
    if isinstance(legs, DriveLegs | EtherCatLegs):
        return OfDrives(legs.setup.axes)
    if isinstance(legs, SerialRig):
        return OfSerial(legs)
    assert isinstance(legs, OnOffLegs)
    return OfOnOff(legs)


@final
class OfDrives:
    """Drives on a bus."""

    def __init__(self, axes: tuple[Axis, ...]) -> None:
        self._axes = axes

    def exchanged(self, meant: int, moved: int) -> str:
        """By node."""
        a, b = self._axes[meant - 1].node, self._axes[moved - 1].node
        return f"swap their node numbers, {a} and {b}, in axes.node"

    def reversed(self, leg: int) -> str:
        """By sign."""
        return f"set axes.sign of leg {leg} to {-self._axes[leg - 1].sign}"

    def scaled(self, leg: int, ratio: float) -> str:
        """Any of three numbers."""
        axis = self._axes[leg - 1]
        return (
            f"one of axes.lead ({axis.lead:g} m), axes.gear ({axis.gear:g}) and axes.counts ({axis.counts}) of leg "
            f"{leg} is wrong: a lead of {ratio * axis.lead:.4g} m would fit"
        )

    def shifted(self, leg: int, error: float) -> str:
        """By the reference."""
        return f"set axes.home of leg {leg} to {self._axes[leg - 1].home + error:.4f}"


@final
class OfSerial:
    """Controllers on serial lines."""

    def __init__(self, legs: SerialRig) -> None:
        self._setup, self._axes = legs.setup, legs.setup.axes

    def exchanged(self, meant: int, moved: int) -> str:
        """A controller's legs are in the order of its plugs, and controllers in the order of their ports."""
        step = self._setup.kind.legs
        if meant != moved and (meant - 1) % step == (moved - 1) % step:
            return "swap the two devices in ports, or the plugs of the motors and sensors of these legs"
        return "swap the plugs of their motors and sensors at the controller"

    def reversed(self, leg: int) -> str:
        """With the sign, the offset changes too."""
        axis = self._axes[leg - 1]
        return f"set axes.sign of leg {leg} to {-axis.sign}, and axes.offset to its length at 0 counts"

    def scaled(self, leg: int, ratio: float) -> str:
        """Counts per metre."""
        return f"set axes.scale of leg {leg} to {self._axes[leg - 1].scale / ratio:.5g}, then check axes.offset"

    def shifted(self, leg: int, error: float) -> str:
        """The length at 0 counts."""
        fitting = self._axes[leg - 1].offset + error
        return f"if axes.scale and axes.sign of leg {leg} are sure, set its axes.offset to {fitting:.4f}"


@final
class OfOnOff:
    """Valves and potentiometers."""

    def __init__(self, legs: OnOffLegs) -> None:
        self._legs = legs

    def exchanged(self, meant: int, moved: int) -> str:
        """Valves and readings may be."""
        return "swap their numbers in axes.input, or in axes.extend and axes.retract, whichever wires are exchanged"

    def reversed(self, leg: int) -> str:
        """Solenoids and reading."""
        return f"swap the numbers of leg {leg} in axes.extend and axes.retract, and the ends of its potentiometer"

    def scaled(self, leg: int, ratio: float) -> str:
        """Of the potentiometer."""
        pot = self._legs.potentiometers[leg - 1]
        return (
            f"set axes.scale of leg {leg} to {ratio * pot.scale:.4f}, or its axes.length to that of its potentiometer"
        )

    def shifted(self, leg: int, error: float) -> str:
        """The retracted leg, or the potentiometer."""
        pot, shortest = self._legs.potentiometers[leg - 1], float(self._legs.shortest[leg - 1])
        return (
            f"set axes.shortest of leg {leg} to {shortest + error:.4f} if the leg is longer when it is retracted, or "
            f"its axes.offset to {pot.offset + error:.4f}"
        )

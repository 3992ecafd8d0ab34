"""Rotors that can be flown, by name or file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from motionbase.errors import unknown
from motionbase.rotor.articulated import Articulated, Swashplate, articulated_rotor
from motionbase.rotor.planform import load_planform
from motionbase.rotor.proprotor import HowProprotor, tiltrotor
from motionbase.rotor.rotor_model import RotorModel

PUMA_SWASHPLATE = Swashplate(0.289, 0.181, 0.4)


def puma(how: Articulated | None = None) -> RotorModel:
    """The main rotor of an AS330 Puma with 283 equations."""
    return articulated_rotor(load_planform("puma"), PUMA_SWASHPLATE, how)


ROTORS: dict[str, Callable[[], RotorModel]] = {
    "puma": puma,
    "puma_compact": lambda: puma(Articulated(root="compact")),
    "puma_beams": lambda: puma(Articulated(beams=5)),
    "tiltrotor": tiltrotor,
    "tiltrotor_wing": lambda: tiltrotor(HowProprotor(wing=True)),
    "tiltrotor_assembled": lambda: tiltrotor(HowProprotor(gimbal="assembled")),
    "tiltrotor_wing_assembled": lambda: tiltrotor(HowProprotor(wing=True, gimbal="assembled")),
}


def rotor_model(reference: Path | str) -> RotorModel:
    """The rotor of that name."""
    if str(reference) not in ROTORS:
        raise unknown("rotor", str(reference), ROTORS)
    found = ROTORS[str(reference)]()
    return replace(found, model=replace(found.model, name=str(reference)))

"""Rotors that can be flown, by name or file: what a file says of hub and swashplate, and variants of the presets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import PRESETS, planform_of, rotor_file
from motionbase.rotor.elements.airframe import Airframe
from motionbase.rotor.models.articulated import Articulated, Swashplate, articulated_rotor
from motionbase.rotor.models.proprotor import HowProprotor, Proprotor, proprotor
from motionbase.rotor.models.rotor_model import RotorModel

KINDS = {"articulated": "swashplate", "gimballed": "proprotor"}  # of hubs, and the table that each needs

# Variants of presets by the keys of [hub] in which they differ.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "puma_compact": ("puma", {"root": "compact"}),
    "puma_beams": ("puma", {"beams": 5}),
    "tiltrotor_wing": ("tiltrotor", {"wing": True}),
    "tiltrotor_assembled": ("tiltrotor", {"gimbal": "assembled"}),
    "tiltrotor_wing_assembled": ("tiltrotor", {"wing": True, "gimbal": "assembled"}),
}


def rotor_names() -> tuple[str, ...]:
    """Rotors that need no file: presets with a hub, and their variants."""
    presets = [name for name in PRESETS if "hub" in rotor_file(name)[0].data]
    return (*presets, *VARIANTS)


def rotor_model(reference: Path | str, *, free: bool = False, **changes: Any) -> RotorModel:
    """The rotor of that name, or in that TOML file, with changes of what its [hub] says.

    Args:
        free: with its airframe, in free flight
    """
    name = str(reference)
    preset, variant = VARIANTS.get(name, (reference, {}))
    if name not in VARIANTS and name not in PRESETS and Path(name).suffix.lower() != ".toml":
        raise ModelError(f"no rotor {name!r} that can be flown; there are: {', '.join(rotor_names())}, or a .toml file")
    found = _of_file(preset, {**variant, **changes}, free)
    return replace(found, model=replace(found.model, name=f"{Path(name).stem}_free" if free else Path(name).stem))


def _of_file(reference: Path | str, changes: dict[str, Any], free: bool) -> RotorModel:
    table, path = rotor_file(reference)
    planform = planform_of(table, path)
    kind = table.table("hub").data.get("kind") if "hub" in table.data else None
    if free and kind == "gimballed":
        raise ModelError(f"rotor {planform.name!r} has a gimballed hub, which flies in a wind tunnel alone")
    if free and "airframe" not in table.data:
        raise ModelError(
            f"rotor {planform.name!r} has no [airframe] in its file, which free flight needs; puma has one"
        )
    needed = ("blade", "hub", *((KINDS[kind],) if kind in KINDS else ()))
    if missing := [key for key in needed if key not in table.data]:
        others = " freely; take puma" if missing == ["airframe"] else f"; there are: {', '.join(rotor_names())}"
        raise ModelError(f"rotor {planform.name!r} has no [{missing[0]}] in its file, so it cannot be flown{others}")
    hub = table.table("hub")
    if kind not in KINDS:
        hub.complain("kind", f"hub.kind is {kind!r}, {' or '.join(KINDS)} is wanted")
    parts = table.table(KINDS[kind])
    if kind == "gimballed":
        return proprotor(planform, parts.part(Proprotor), replace(hub.part(HowProprotor, besides=("kind",)), **changes))
    how = replace(hub.part(Articulated, besides=("kind",)), **changes)
    airframe = table.table("airframe").part(Airframe) if free else None
    return articulated_rotor(planform, parts.part(Swashplate), how, airframe)

"""A vessel as data, read from a TOML file: where it floats, what it weighs, its inertia."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, UsageError, unknown
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.load import illustrative_keys
from motionbase.platform.table import Table
from motionbase.record.vehicle import G
from motionbase.worlds.boat.hydrostatics import WATER, Hydrostatics
from motionbase.worlds.boat.lines import Lines, hull_mesh
from motionbase.worlds.boat.mesh import Mesh, mesh_from_file
from motionbase.worlds.boat.parts import Damping, Helm, Mass, Place, Planing, Propulsion, Resistance

FOLDER = Path(__file__).parent / "vessels"
FIRST = "launch"  # of the library: the usual vessel
LIGHTEST_WATER, HEAVIEST_WATER = 900.0, 1300.0  # [kg/m^3]
LEAST_GYRADIUS = 0.15  # over beam and length of the hull; real ones are 0.25 or more
LEAST_VOLUME = 0.01  # of the displaced water, over that of the hull
HIGHEST = 10.0  # centre of gravity over the depth of the hull, metacentric height over its beam
MOST_THRUST = 30.0  # over the weight
MOST_RUDDER = 0.25  # area over length times depth of the hull


@final
@dataclass(frozen=True, eq=False)
class Vessel:
    """A vessel as data.

    Attributes:
        summary: one line of description
        sources: where its numbers are from
        mesh: in axes of the hull
        lines: of the generator; None if the hull is from a file
        illustrative: keys of numbers without a published source
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    mesh: Mesh
    mass: Mass
    propulsion: Propulsion
    helm: Helm
    lines: Lines | None = None
    planing: Planing | None = None
    damping: Damping = field(default_factory=Damping)
    resistance: Resistance = field(default_factory=Resistance)
    load: float = 0.0
    density: float = WATER

    @cached_property
    def displacement(self) -> float:
        """With its load [kg]."""
        return self._empty + self.load

    @property
    def _empty(self) -> float:
        return self.mass.mass or self.mass.volume * self.density

    @cached_property
    def centre(self) -> Place:
        """Of gravity, with the load, in axes of the hull [m]."""
        m, own, load = self.mass, np.array(self._own_centre), np.array(self.mass.load_at)
        x, y, z = ((self._empty * own + self.load * load) / self.displacement).tolist() if m.most_load else own.tolist()
        return x, y, z

    @cached_property
    def _own_centre(self) -> Place:
        """Without a load."""
        m, volume = self.mass, self._empty / self.density
        ahead = level_centre(self.mesh, volume) if math.isnan(m.ahead) else m.ahead
        if math.isfinite(m.height):
            return ahead, 0.0, m.height
        low = Hydrostatics(self.mesh, (ahead, 0.0, 0.0), volume)
        return ahead, 0.0, low.metacentric_heights[0] - m.metacentric_height

    @cached_property
    def inertia(self) -> Array:
        """(3,) moments about x, y, z through the centre of gravity, with the load [kg m^2]."""
        own = self._empty * np.array(self.mass.gyradii) ** 2
        if not self.load:
            return own
        moved = np.array(self.mass.load_at) - np.array(self._own_centre)
        reduced = self._empty * self.load / self.displacement
        return np.asarray(own + reduced * (moved @ moved - moved**2))

    @cached_property
    def statics(self) -> Hydrostatics:
        """In still water."""
        return Hydrostatics(self.mesh, self.centre, self.displacement / self.density)

    @property
    def length(self) -> float:
        """Of the whole hull [m]."""
        return float(np.ptp(self.mesh.vertices[:, 0]))

    @property
    def beam(self) -> float:
        """Of all hulls together [m]."""
        return float(np.ptp(self.mesh.vertices[:, 1]))

    def loaded(self, load: float) -> Vessel:
        """With a load [kg]."""
        if load and not self.mass.most_load:
            raise ModelError(f"vessel {self.name!r} has no place for a load; its file needs most_load and load_at")
        if not 0 <= load <= self.mass.most_load:
            raise ModelError(f"vessel {self.name!r}: load is {load:g} kg, it must be 0 to {self.mass.most_load:g} kg")
        return replace(self, load=load)


def level_centre(mesh: Mesh, volume: float) -> float:
    """How far ahead of amidships the centre of buoyancy lies where a hull floats level [m]."""
    about = Hydrostatics(mesh, (0.0, 0.0, 0.0), volume)
    found = about.sums(about.height_at(0.0, 0.0), 0.0, 0.0)[0]
    return float(-found[2] / found[0])


# ---- files ---------------------------------------------------------------------------------------------------------

SECTIONS = {"damping": Damping, "resistance": Resistance, "planing": Planing}
NEEDED = ("summary", "sources", "illustrative", "hull", "mass", "propulsion", "helm")


def vessel_names() -> dict[str, str]:
    """Vessels of the package, each with its summary; the default one first."""
    names = sorted((path.stem for path in FOLDER.glob("*.toml")), key=lambda name: (name != FIRST, name))
    return {name: str(tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))["summary"]) for name in names}


def load_vessel(reference: str) -> Vessel:
    """The vessel of that name, or in that TOML file; errors name the file, the line and the key."""
    names = vessel_names()
    known = reference in names
    if not known and Path(reference).suffix.lower() != ".toml":
        raise unknown("vessel", reference, [*names, "a .toml file"])
    path = FOLDER / f"{reference}.toml" if known else Path(reference)
    try:
        source = TomlSource.read(path)
        return vessel_of(Table(source, (), source.data), path.stem, path.parent)
    except ModelError as e:
        raise UsageError(str(e)) from None


def vessel_of(top: Table, name: str, folder: Path) -> Vessel:
    """A vessel from the contents of a file; `folder` is where its mesh is looked for."""
    top.check_keys((*NEEDED, "density", *SECTIONS), NEEDED)
    hull = top.table("hull")
    lines = None if "file" in hull.data else hull.part(Lines)
    if lines is None:
        hull.check_keys(("file",), ("file",))
    mesh = hull.made(hull_mesh, lines=lines) if lines else hull.made(mesh_from_file, path=folder / hull.text("file"))
    vessel = top.made(
        Vessel, name=name, summary=top.text("summary"), sources=top.texts("sources"),
        illustrative=illustrative_keys(top), mesh=mesh, mass=top.table("mass").part(Mass),
        propulsion=top.table("propulsion").part(Propulsion), helm=top.table("helm").part(Helm), lines=lines,
        density=top.number("density") if "density" in top.data else WATER,
        **{key: top.table(key).part(kind) for key, kind in SECTIONS.items() if key in top.data},
    )  # fmt: skip
    _check_afloat(vessel, top)
    _check_proportions(vessel, top)
    return vessel


def _check_afloat(vessel: Vessel, top: Table) -> None:
    """Refuse a vessel that sinks; one that does not float upright is allowed."""
    if not LIGHTEST_WATER <= vessel.density <= HEAVIEST_WATER:
        top.complain("density", f"density of the water is {vessel.density:g} kg/m^3, it must be {LIGHTEST_WATER:g} to "
                                f"{HEAVIEST_WATER:g} kg/m^3")  # fmt: skip
    for load in (0.0, vessel.mass.most_load):
        volume = (vessel.loaded(load).displacement) / vessel.density
        if not volume < vessel.mesh.volume:
            with_load = f" with {load:g} kg of load" if load else ""
            top.complain("mass", f"the vessel sinks{with_load}: it would displace {volume:.4g} m^3, the hull has "
                                 f"{vessel.mesh.volume:.4g} m^3")  # fmt: skip


def _check_proportions(vessel: Vessel, top: Table) -> None:
    """Refuse numbers that do not fit the hull, such as those in wrong units: the motion would not stay finite."""
    low, high = vessel.mesh.vertices.min(axis=0), vessel.mesh.vertices.max(axis=0)
    length, beam, depth = (high - low).tolist()
    lightest, weight = LEAST_VOLUME * vessel.mesh.volume * vessel.density, vessel.displacement * G
    if vessel.displacement < lightest:
        top.complain("mass", f"mass is {vessel.displacement:g} kg, for this hull it must be at least {lightest:.3g} kg")
    bounds = [
        ("mass", "ahead", vessel.mass.ahead, float(low[0]), float(high[0]), "m"),
        ("mass", "height", vessel.mass.height, -HIGHEST * depth, HIGHEST * depth, "m"),
        ("mass", "metacentric_height", vessel.mass.metacentric_height, -HIGHEST * beam, HIGHEST * beam, "m"),
        ("propulsion", "thrust", vessel.propulsion.thrust, 0.0, MOST_THRUST * weight, "N"),
        ("propulsion", "rudder_area", vessel.propulsion.rudder_area, 0.0, MOST_RUDDER * length * depth, "m^2"),
        ("planing", "beam", vessel.planing.beam if vessel.planing else 0.0, 0.0, beam, "m"),
    ]
    for section, key, value, least, most, unit in bounds:
        if key in top.data.get(section, {}) and not least <= value <= most:
            table, between = top.table(section), f"{least:.4g} to {most:.4g} {unit}"
            table.complain(key, f"{section}.{key} is {value:g} {unit}, for this hull it must be {between}")
    shortest = [LEAST_GYRADIUS * size for size in (beam, length, length)]
    if any(not a <= b <= length for a, b in zip(shortest, vessel.mass.gyradii, strict=True)):
        between = f"at least {', '.join(f'{a:.3g}' for a in shortest)} m and at most {length:.3g} m"
        gyradii = list(vessel.mass.gyradii)
        top.table("mass").complain("gyradii", f"mass.gyradii are {gyradii} m, for this hull they must be {between}")

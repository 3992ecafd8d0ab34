"""What a rotor looks like to the air: blades, chord, twist, airfoil, speed; presets and files in TOML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.table import Table
from motionbase.rotor.airfoils.airfoil import Airfoil
from motionbase.rotor.airfoils.c81 import read_c81
from motionbase.rotor.airfoils.own import AIRFOILS, airfoil
from motionbase.rotor.blades.blade import Blade, check_line, read_blade, read_line

FOLDER = Path(__file__).parent.parent / "presets"
PRESETS = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
KEYS = ("name", "summary", "sources", "illustrative", "blades", "radius", "root", "chord", "twist", "sweep", "airfoil",
        "speed", "density", "sound", "blade", "hub", "swashplate", "proprotor", "airframe")  # fmt: skip
# hub and what follows are for `models.library`
OPTIONAL = "name", "sweep", "blade", "hub", "swashplate", "proprotor", "airframe"
NEEDED = tuple(key for key in KEYS if key not in OPTIONAL)
LARGEST_SOLIDITY = 1.0
STEEPEST = np.deg2rad(60.0)  # sweep
SWEPT = 400  # intervals of its integral


@final
@dataclass(frozen=True, eq=False)
class Planform:
    """A rotor for blade element theory.

    Attributes:
        summary, sources, illustrative: what it is, where its numbers are from, which of them nobody has published
        blades: how many
        radius: [m]
        root: radius at which blades begin [m]
        chord: (n, 2) radius and chord [m]
        twist: (n, 2) radius [m] and angle of the chord beside the collective pitch, nose-up [rad]
        sweep: (n, 2) radius [m] and angle by which the quarter chord runs aft [rad]; hover by blade elements has none
        airfoil: of the whole blade
        speed: of rotation [rad/s]
        density, sound: of the air [kg/m^3], and its speed of sound [m/s]
        blade: structure of its blades, where known
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    blades: int
    radius: float
    root: float
    chord: Array
    twist: Array
    airfoil: Airfoil
    speed: float
    density: float
    sound: float
    blade: Blade | None = None
    sweep: Array = field(default_factory=lambda: np.zeros((1, 2)))

    def __post_init__(self) -> None:
        if self.blades < 1:
            raise ModelError(f"rotor {self.name!r}: blades is {self.blades}, must be 1 or more")
        for key in ("radius", "speed", "density", "sound"):
            if not 0 < (value := getattr(self, key)) < np.inf:
                raise ModelError(f"rotor {self.name!r}: {key} is {value:g}, must be positive")
        if not 0 <= self.root < self.radius:
            raise ModelError(f"rotor {self.name!r}: root is {self.root:g} m, must be from 0 to the radius")
        for key in ("chord", "twist", "sweep"):
            check_line(f"rotor {self.name!r}", key, getattr(self, key))
        if not np.all(np.abs(self.sweep[:, 1]) <= STEEPEST):
            raise ModelError(
                f"rotor {self.name!r}: sweep must be from -{np.rad2deg(STEEPEST):g} to {np.rad2deg(STEEPEST):g} degrees"
            )
        if not np.all(self.chord[:, 1] > 0):
            raise ModelError(f"rotor {self.name!r}: chord must be positive everywhere")
        if self.solidity > LARGEST_SOLIDITY:
            raise ModelError(
                f"rotor {self.name!r}: chord makes blades of {self.solidity:.3g} times the disk; is it in metres?"
            )

    @property
    def solidity(self) -> float:
        """Area of the blades over that of the disk, by the mean chord from centre to tip."""
        r = np.linspace(0, self.radius, 201)
        return float(self.blades * self.chord_at(r).mean() / (np.pi * self.radius))

    @property
    def tip_speed(self) -> float:
        """[m/s]."""
        return self.speed * self.radius

    @property
    def flat_pitch(self) -> float:
        """Collective pitch at which the lifts of inner and outer sections cancel in air at rest [rad]."""
        r = np.linspace(self.root, self.radius, 401)
        weight = self.chord_at(r) * r**2
        return float(-np.trapezoid(weight * self.twist_at(r), r) / np.trapezoid(weight, r))

    def chord_at(self, r: ArrayLike) -> Array:
        """Chord at a radius [m]."""
        return np.asarray(np.interp(np.asarray(r, np.float64), self.chord[:, 0], self.chord[:, 1]))

    def twist_at(self, r: ArrayLike) -> Array:
        """Twist at a radius [rad]."""
        return np.asarray(np.interp(np.asarray(r, np.float64), self.twist[:, 0], self.twist[:, 1]))

    def sweep_at(self, r: ArrayLike) -> Array:
        """Sweep at a radius [rad]."""
        return np.asarray(np.interp(np.asarray(r, np.float64), self.sweep[:, 0], self.sweep[:, 1]))

    def aft_at(self, r: float) -> float:
        """How far the quarter chord is behind that of the root [m]."""
        x = np.linspace(self.root, r, SWEPT + 1)
        return float(np.trapezoid(np.tan(self.sweep_at(x)), x)) if r > self.root else 0.0


def load_planform(reference: Path | str) -> Planform:
    """The preset of that name, or the rotor in a TOML file; errors name the file, the line and the key."""
    return planform_of(*rotor_file(reference))


def rotor_file(reference: Path | str) -> tuple[Table, Path]:
    """The contents of a rotor's file, with known keys, and where it is."""
    if str(reference) in PRESETS:
        path = FOLDER / f"{reference}.toml"
    elif Path(reference).suffix.lower() == ".toml":
        path = Path(reference)
    else:
        raise ModelError(f"no rotor {str(reference)!r}; presets: {', '.join(PRESETS)}, or a .toml file")
    table = Table(source := TomlSource.read(path), (), source.data)
    table.check_keys(KEYS, NEEDED)
    return table, path


def planform_of(table: Table, path: Path) -> Planform:
    """The planform in a rotor's file."""
    if type(table.data["blades"]) is not int:
        table.refuse("blades", "a whole number")
    name = table.text("name") if "name" in table.data else path.stem
    radius, twist = table.number("radius"), read_line(table, "twist", np.pi / 180)
    return table.made(
        Planform,
        name=name,
        summary=table.text("summary"),
        sources=table.texts("sources"),
        illustrative=table.texts("illustrative"),
        blades=table.data["blades"],
        radius=radius,
        chord=read_line(table, "chord"),
        twist=twist,
        airfoil=_airfoil(table, path.parent),
        **({"sweep": read_line(table, "sweep", np.pi / 180)} if "sweep" in table.data else {}),
        **{key: table.number(key) for key in ("root", "speed", "density", "sound")},
        blade=read_blade(table.table("blade"), name, radius, twist) if "blade" in table.data else None,
    )


def needed_blade(rotor: Planform) -> Blade:
    """The structure of its blades; a rotor whose file does not have it is refused."""
    if rotor.blade is None:
        raise ModelError(
            f"rotor {rotor.name!r} has no [blade] in its file, so the structure of its blades is not known; add one, "
            "or take the preset puma"
        )
    return rotor.blade


def _airfoil(table: Table, folder: Path) -> Airfoil:
    """One of ours by name, or a C81 file."""
    name = table.text("airfoil")
    if name in AIRFOILS:
        return airfoil(name)
    if Path(name).suffix.lower() == ".c81":
        return read_c81(folder / name)
    table.refuse("airfoil", f"one of {', '.join(AIRFOILS)} or a .c81 file")

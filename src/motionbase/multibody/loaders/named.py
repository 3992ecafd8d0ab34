"""Models by name: built-in ones, and files by their suffix."""

from __future__ import annotations

from pathlib import Path

from motionbase.errors import ModelError
from motionbase.multibody.loaders.toml import load_toml
from motionbase.multibody.loaders.urdf import load_urdf
from motionbase.multibody.model import Model

URDF_ENDINGS = (".urdf", ".xml")


def load_model(reference: Path | str) -> Model:
    """The built-in model of that name, or the one in a TOML or URDF file.

    `load_urdf` has options for what URDF does not specify: gravity, a floating base, repairs.
    """
    from motionbase.multibody.models import MODELS  # may load files itself

    if str(reference) in MODELS:
        return MODELS[str(reference)].build()
    ending = Path(reference).suffix.lower()
    if ending == ".toml":
        return load_toml(reference)
    if ending in URDF_ENDINGS:
        return load_urdf(reference)
    raise ModelError(f"no model {str(reference)!r}; built-in models: {', '.join(MODELS)}, or a .toml or .urdf file")

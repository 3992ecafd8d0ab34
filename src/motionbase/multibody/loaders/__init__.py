"""Models by name or from files: TOML and URDF. A model in Python needs no loader, it is a `Model`."""

from motionbase.multibody.loaders.named import load_model
from motionbase.multibody.loaders.toml import load_toml
from motionbase.multibody.loaders.urdf import MIMICS, ModelWarning, load_urdf

__all__ = ["MIMICS", "ModelWarning", "load_model", "load_toml", "load_urdf"]

"""Finds a model by MODEL: a built-in name, a TOML or URDF file, or a name in a Python file or module."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast, final

from motionbase.compile.reference import guarded, module_of
from motionbase.errors import UsageError, unknown
from motionbase.multibody import Model
from motionbase.multibody.loaders import MIMICS, ModelWarning, load_toml, load_urdf
from motionbase.multibody.loaders.named import URDF_ENDINGS
from motionbase.multibody.models import MODELS

FORMS = "a built-in name, a .toml or .urdf file, or file.py:NAME"


@final
@dataclass(frozen=True)
class Found:
    """A model, a useful initial state, and notes about parts that were not read."""

    model: Model
    q0: Mapping[str, Any] = field(default_factory=dict)
    v0: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def load(reference: str, strict: bool | None = None, mimic: str | None = None) -> Found:
    """The model of a reference MODEL; `strict` and `mimic` are for URDF files, as in `load_urdf`."""
    suffix = Path(reference).suffix.lower()
    if reference not in MODELS and suffix in URDF_ENDINGS:
        if mimic not in (None, *MIMICS):
            raise unknown("--mimic", mimic, MIMICS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ModelWarning)
            model = load_urdf(reference, strict=bool(strict), mimic=cast(Any, mimic or "coupled"))
        return Found(model, notes=tuple(str(w.message) for w in caught))
    for option, given in (("--strict", strict), ("--mimic", mimic)):
        if given:
            raise UsageError(f"{option} is for .urdf files, and MODEL is {reference!r}")
    if reference in MODELS:
        example = MODELS[reference]
        notes = (
            ("illustrative: some of its numbers are unpublished, see `motionbase models`",)
            if example.illustrative
            else ()
        )
        return Found(example.build(), example.q0, example.v0, notes)
    if suffix == ".toml":
        return Found(load_toml(reference))
    where, _, name = reference.rpartition(":")
    if where and name:
        return Found(_from_python(where, name))
    if suffix == ".py":
        raise UsageError(f"MODEL {reference!r} is a Python file, so give {reference}:NAME")
    raise UsageError(f"{unknown('model', reference, MODELS, 'built-in models')}; MODEL is {FORMS}")


def _from_python(where: str, name: str) -> Model:
    """The value of a name, or the result if it is a function without arguments."""
    module = module_of(where)
    if not hasattr(module, name):
        there = [n for n, v in vars(module).items() if isinstance(v, Model) or inspect.isfunction(v)]
        raise unknown(f"model of {where}", name, [n for n in there if not n.startswith("_")], "names there")
    value = getattr(module, name)
    if inspect.isfunction(value):
        needed = [p for p in inspect.signature(value).parameters.values() if p.default is p.empty]
        if any(p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in needed):
            raise UsageError(f"{name!r} in {where} is a function with arguments; one without arguments is needed")
        value = guarded(f"{where}:{name}()", value)
    if not isinstance(value, Model):
        raise UsageError(f"{name!r} in {where} gives {type(value).__name__}, a Model is wanted")
    return value


def named_numbers(option: str, given: list[str] | None) -> dict[str, Any]:
    """Values of options NAME=VALUE or NAME=V1,V2,... by name of coordinate, speed or joint."""
    found: dict[str, Any] = {}
    for item in given or []:
        name, equals, values = item.partition("=")
        try:
            numbers = [float(x) for x in values.split(",")]
        except ValueError:
            numbers = []
        if not (name and equals and numbers):
            raise UsageError(f"{option} {item!r}: the form is NAME=NUMBER, or NAME=NUMBER,NUMBER,... for a whole joint")
        found[name] = numbers
    return found

"""Writes web/src/net/types.ts from console/models and words.ts from record, so that both sides have one definition.

Example: python scripts/console_types.py
"""

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from motionbase.console import models
from motionbase.record import cueing
from motionbase.record.axes import ANGULAR, DOFS, LEGS, LINEAR
from motionbase.record.generators import BANDS, BY_UNIT, COLUMNS, COUNT, PERIODIC, PLACE, SHAPES
from motionbase.record.model import POSES, SETTINGS
from motionbase.record.quantity import Setting
from motionbase.record.requests import CALMING, RIG_ACTIONS
from motionbase.record.rig import LegState, RigFault
from motionbase.record.states import MOVING, QUIET, STATES
from motionbase.record.world import KEYS

AMPLITUDE = PLACE["amplitude"]
FAULTS = {fault.word: fault.sentence for fault in RigFault if fault}  # of legs
FOLDER = Path(__file__).resolve().parents[1] / "web" / "src" / "net"
SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def written() -> dict[Path, str]:
    """The files and their contents."""
    return {FOLDER / "types.ts": types(), FOLDER / "words.ts": words()}


def words() -> str:
    """Names and bounds that the page shares with base, ring and recordings."""
    lists: dict[str, Sequence[object]] = {
        "DOFS": DOFS, "LINEAR": LINEAR, "ANGULAR": ANGULAR, "LEGS": LEGS,
        "STATES": STATES, "RESTING": [STATES[s] for s in QUIET], "MOVING": [STATES[s] for s in MOVING],
        "CUED_AXES": [f"{name}_{axis}" for name, axis in cueing.SIX], "CUED_ROWS": list(cueing.ROWS),
        "LINK": [channel.name.removeprefix("link_") for channel in cueing.LINK],
        "STEERING_KEYS": KEYS, "CALMING": CALMING, "RIG_ACTIONS": RIG_ACTIONS,
        "LEG_STATES": [state.name.lower() for state in LegState],
        "SHAPES": SHAPES, "PERIODIC": PERIODIC, "BANDS": BANDS,
    }  # fmt: skip
    lines = ["// Made by scripts/console_types.py from src/motionbase/record: change that.", ""]
    lines += [f"export const {name} = {json.dumps(list(of))} as const;" for name, of in lists.items()]
    lines += [f"export const RIG_FAULTS: Readonly<Record<string, string>> = {json.dumps(FAULTS)};"]
    lines += [
        "export type State = (typeof STATES)[number];",
        "export type LegState = (typeof LEG_STATES)[number];",
        "",
        f"export const COUNT = {COUNT}; // generators",
    ]
    lines += ["/** A generator's numbers; the bounds of amplitude and offset are those of legs and linear axes. */"]
    numbers = (f"  {c.name}: {{ {_bounds(c)}, hint: {json.dumps(c.description)} }}," for c in COLUMNS[4:])
    lines += ["export const NUMBERS = {", *numbers, "} as const;", "/** The bounds of both on angular axes [rad]. */"]
    lines += [f"export const TURNED = {{ {_bounds(BY_UNIT['rad'][AMPLITUDE])} }} as const;"]
    lines += [
        f"export const POSES = {json.dumps(POSES)}; // the group of a model's channels with the poses of its bodies",
        f"export const SETTINGS = {json.dumps(SETTINGS)}; // the group of a rotor's channels with what acts on it",
    ]
    return "\n".join([*lines, ""])


def _bounds(of: Setting) -> str:
    return f"low: {of.low!r}, high: {of.high!r}, isWhole: {json.dumps(of.whole)}"


def types() -> str:
    """The models as TypeScript interfaces."""
    found = [m for m in vars(models).values() if inspect.isclass(m) and issubclass(m, models.Model)]
    kinds = [m for m in found if m is not models.Model]
    lines = ["// Made by scripts/console_types.py from src/motionbase/console/models: change that.", ""]
    for kind in kinds:
        lines += _interface(kind)
    return "\n".join(lines)


def _interface(kind: type[models.Model]) -> list[str]:
    schema = kind.model_json_schema()
    note = " ".join((inspect.getdoc(kind) or "").split())
    lines = [f"/** {note} */", f"export interface {kind.__name__} {{"]
    for name, field in schema.get("properties", {}).items():
        lines.append(f"  {name}: {_type(field)};")
    return [*lines, "}", ""]


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[1]
    if "const" in field:
        return json.dumps(field["const"])
    if "enum" in field:
        return " | ".join(json.dumps(x) for x in field["enum"])
    if "anyOf" in field:
        return " | ".join(_type(x) for x in field["anyOf"])
    if field.get("type") == "array":
        if "prefixItems" in field:
            return f"[{', '.join(_type(x) for x in field['prefixItems'])}]"
        inner = _type(field["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if field.get("type") == "object":
        values = field.get("additionalProperties")
        return f"Record<string, {_type(values) if isinstance(values, dict) and values else 'unknown'}>"
    return SCALARS.get(str(field.get("type")), "unknown")


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
        print(f"wrote {path}")

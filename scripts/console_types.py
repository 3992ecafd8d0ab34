"""Writes web/src/net/types.ts from the package console/models, so that both sides of the border have one definition.

Example: python scripts/console_types.py
"""

import inspect
import json
from pathlib import Path
from typing import Any

from motionbase.console import models

TARGET = Path(__file__).resolve().parents[1] / "web" / "src" / "net" / "types.ts"
SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def text() -> str:
    """The whole file."""
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
    TARGET.write_text(text())
    print(f"wrote {TARGET}")

"""Write the tables of channels in docs/record.md from the standard schema.

Example: uv run python scripts/record_table.py
"""

import sys
from pathlib import Path

from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "record.md"
BEGIN = "<!-- table: begin (written by scripts/record_table.py) -->"
END = "<!-- table: end -->"


def tables(schema: Schema) -> str:
    """The lines between the markers: a summary of the schema, then a table for each group."""
    lines = [f"Schema `{schema.name}`: {len(schema.channels)} channels, {schema.record_bytes} bytes a record, SHA-256"]
    lines += [f"`{schema.hash.hex()}`."]
    for group, names in schema.groups.items():
        lines += [
            "",
            f"### {group}",
            "",
            "| place | channel | unit | leg | axis | description |",
            "|--:|---|---|---|---|---|",
        ]
        lines += [_row(schema.index[name], schema.channels[schema.index[name]]) for name in names]
    return "\n".join(lines)


def _row(place: int, c: Channel) -> str:
    leg = "" if c.leg is None else str(c.leg)
    return f"| {place} | `{c.name}` | {c.unit} | {leg} | {c.dof or ''} | {c.description} |"


def main() -> int:
    """Write the tables."""
    before, rest = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{tables(hexapod_schema())}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

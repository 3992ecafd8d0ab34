"""Write the tables of channels in docs/record.md from the standard schema, and that of a base with a host.

Example: uv run python scripts/record_table.py
"""

import sys
from pathlib import Path

from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "record.md"
BEGIN = "<!-- table: begin (written by scripts/record_table.py) -->"
END = "<!-- table: end -->"
HOST_BEGIN = BEGIN.replace("table", "table of a host", 1)


def tables(schema: Schema) -> str:
    """The lines between the markers: a summary of the schema, then a table for each group."""
    lines = [f"Schema `{schema.name}`: {len(schema.channels)} channels, {schema.record_bytes} bytes a record, SHA-256"]
    lines += [f"`{schema.hash.hex()}`."]
    return "\n".join([*lines, *_groups(schema, 0)])


def host_tables(schema: Schema, standard: Schema) -> str:
    """The same of the channels that follow the standard ones."""
    return "\n".join(_groups(schema, len(standard.channels))[1:])


def _groups(schema: Schema, first: int) -> list[str]:
    """A table for each group with channels from a place on."""
    lines = []
    for group, every in schema.groups.items():
        names = [name for name in every if schema.index[name] >= first]
        if not names:
            continue
        lines += [
            "",
            f"### {group if first == 0 or len(names) == len(every) else f'{group}, more'}",
            "",
            "| place | channel | unit | leg | axis | description |",
            "|--:|---|---|---|---|---|",
        ]
        lines += [_row(schema.index[name], schema.channels[schema.index[name]]) for name in names]
    return lines


def _row(place: int, c: Channel) -> str:
    leg = "" if c.leg is None else str(c.leg)
    return f"| {place} | `{c.name}` | {c.unit} | {leg} | {c.dof or ''} | {c.description} |"


def main() -> int:
    """Write the tables."""
    standard, text = hexapod_schema(), DOCUMENT.read_text(encoding="utf-8")
    for begin, made in ((BEGIN, tables(standard)), (HOST_BEGIN, host_tables(cued_schema(standard), standard))):
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{made}\n{END}{rest.partition(END)[2]}"
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

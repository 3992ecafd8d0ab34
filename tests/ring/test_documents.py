"""docs/record.md and docs/ring.md say what the package has."""

import json
import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Schema
from motionbase.ring.layout import BEAT, CLAIM, EPOCH, HEAD, STATUS, UNSAVED, Status
from motionbase.ring.native_records import IR
from motionbase.ring.reader import ReaderState
from tests.ring.rings import HEADER_FIELDS

ROOT = Path(__file__).resolve().parents[2]
RECORD, RING = ((ROOT / "docs" / name).read_text() for name in ("record.md", "ring.md"))


def test_the_tables_of_channels_are_up_to_date() -> None:
    from scripts.record_table import BEGIN, END, HOST_BEGIN, host_tables, tables

    written = RECORD.partition(BEGIN)[2].partition(END)[0].strip()
    assert written == tables(hexapod_schema()), "run scripts/record_table.py"
    hosts = RECORD.partition(HOST_BEGIN)[2].partition(END)[0].strip()
    assert hosts == host_tables(cued_schema(hexapod_schema()), hexapod_schema()), "run scripts/record_table.py"
    assert len(re.findall(r"^\| \d+ \| `\w+`", written, re.MULTILINE)) == 178


def test_the_schema_shown_is_one() -> None:
    text = RECORD.partition("```json\n")[2].partition("```")[0]
    schema = Schema.from_json(text)
    assert [c["name"] for c in json.loads(text)["channels"]] == list(schema.index) and schema.channels[2].leg == 1


def section(title: str) -> str:
    """The text below a heading of docs/ring.md."""
    return RING.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_field_of_the_header_is_listed_where_it_is() -> None:
    words = {"S": "text", "V": "bytes", "u": "u", "i": "i", "f": "f"}
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (\w+) \|", section("Layout"), re.MULTILINE)
    assert HEADER_FIELDS.names is not None and HEADER_FIELDS.fields is not None
    fields = []
    for name in HEADER_FIELDS.names:
        form, at = HEADER_FIELDS.fields[name][:2]
        fields.append((str(at), name, words[form.kind] + str(form.itemsize * (1 if form.kind in "SV" else 8))))
    assert rows == fields


def test_every_counter_and_status_is_listed() -> None:
    text = section("Layout")
    rows = dict(re.findall(r"^\| (\d+) \| (\w+) \| ", text, re.MULTILINE))
    places = {"claim": CLAIM, "head": HEAD, "epoch": EPOCH, "beat": BEAT, "status": STATUS, "unsaved": UNSAVED}
    assert {name: int(at) for at, name in rows.items()} == places
    assert ", ".join(f"{s.value} {s.name.lower()}" for s in Status) in text


def test_every_state_is_listed() -> None:
    assert re.findall(r"^\| `([\w ]+)` \|", section("States"), re.MULTILINE) == [s.value for s in ReaderState]


@pytest.mark.parametrize("cpu", ["generic", "neoverse-n1", "apple-m1"])
def test_on_arm_the_fences_are_where_the_page_says(cpu: str) -> None:
    """Whatever machine this is: claim, fence, copy in, head with release; head with acquire, copy out, fence, claim."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(IR)
    module.triple = "aarch64-unknown-linux-gnu"
    machine = llvm.Target.from_triple(module.triple).create_target_machine(cpu=cpu, opt=2)
    text = machine.emit_assembly(module)
    write = text.partition("\nring_write:")[2].partition("\nring_read:")[0]
    read = text.partition("\nring_read:")[2].partition("\nring_wait:")[0]
    assert re.search(r"str\s.*dmb\s+ish\n.*bl\s+copy_in\n.*stlu?r\s", write, re.DOTALL), write
    assert re.search(r"(ldar|ldapu?r)\s.*bl\s+copy_out\n.*dmb\s+ishld\n.*ldr\s", read, re.DOTALL), read

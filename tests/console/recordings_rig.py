"""A folder of recordings as a seated operator's page meets it: a good one, a broken one, one that leads out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.console.api_rig import Page, page
from tests.recording.files import schema_of, waves, write_mcap

COUNT = 20_000
SCHEMA = schema_of()


@contextmanager
def recordings_page(folder: Path) -> Iterator[Page]:
    """`run.mcap` has a spike of one record."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
        patch.setenv("MOTIONBASE_RING_DEVICE", "none")
        patch.setenv("MOTIONBASE_DATA", str(folder / "user"))
        with page(folder) as made:
            rows = waves(SCHEMA, COUNT)
            rows[COUNT // 2 + 3, 1] = 1000.0
            write_mcap(made.console.settings.recordings / "run.mcap", SCHEMA, rows)
            (made.console.settings.recordings / "broken.mcap").write_bytes(b"\x89MCAP0\r\nnothing")
            (folder / "secret.csv").write_text("t,x\n0,1\n")
            (made.console.settings.recordings / "leads_out.csv").symlink_to(folder / "secret.csv")
            yield made
